"""container_elements.py <plugin> <rewind> <trace> <image>"""
import json
import os
import re
import subprocess
import sys
import tempfile

import lldb
from session import load, position, run, stops

plugin, rewind, trace, image = sys.argv[1:]
target = load(plugin, trace, image, shows=False)


def visits(condition, place="Pool::run"):
    told = subprocess.run([rewind, "find", trace, "-i", image, place, "--if", condition, "--all", "--json"],
                          stdout=subprocess.PIPE, check=True).stdout
    return [item["position"] for item in json.loads(told)["items"]]


# What a line of the shell says, `p` says too.
run("rewind goto %d" % visits("slot == 1")[3])
asked = ["slots[slot].cost", "slots[0].level", "slots[slot].tries", "pool.slots[2].weight", "pool.slots[2].rate", "slots[1].kind",
         "slots[slot].done", "owned[slot]->cost", "pool.owned[1]->weight", "table[2][1]", "pool.table[slot][2]"]
for text in asked:
    (item,) = json.loads(run("rewind eval '%s' --json" % text))["items"]
    said = re.sub(r"^\(.*?\) ", "", run("p " + text).strip())
    value = item["value"]
    values = {"Iron": ("Iron",), "1": ("1", "true"), "0": ("0", "false")}.get(value, (value,))
    assert any(v in said for v in values) or float(said.split()[0]) == float(value), (text, said, value)
for text, value in (("slots[0].cost + slots[2].cost * 2", "50"), ("slots[2].weight * 2 > 5 && slots[0].level < 0", "true")):
    assert value in run("p " + text), (text, run("p " + text))
whole = run("p slots[1]")
assert "cost = 10" in whole and "tries = " in whole, whole
print("printed:", len(asked) + 3)

conditions = ["slots[slot].cost > 0", "slots[slot].cost < 0 && total > 100", "pool.slots[2].level == -3", "slots[slot].tries >= 2",
              "owned[slot]->cost == 30 && slots[0].tries > 1", "pool.slots[slot].weight > 1.0", "slots[slot].kind == 2",
              "pool.slots[1].done", "pool.table[slot][1] == -2"]
count = 0
for condition in conditions:
    wanted = visits(condition)
    assert 0 < len(wanted) < 21, (condition, wanted)
    run("rewind goto start")
    run("breakpoint set -n Pool::run -c '%s'" % condition)
    forward = stops("continue", lldb.eStopReasonBreakpoint)
    backward = stops("reverse-continue", lldb.eStopReasonBreakpoint)
    assert forward == wanted and backward == wanted[::-1], (condition, wanted, forward, backward)
    run("breakpoint delete -f")
    count += len(wanted)
print("conditions: %d, %d stops each way" % (len(conditions), count))

# A lambda that has captured this; an enum of C in a namespace.
source = os.path.join(os.path.dirname(__file__), "container_elements.cpp")
line = 1 + [text.endswith("// the lambda's line\n") for text in open(source)].index(True)
place = "container_elements.cpp:%d" % line
for condition in ("slots[k].cost == 10", "shelf == store::High", "color == store::Color::Green && k != 2", "pool.shelf == store::Level::Low"):
    wanted = visits(condition, place)
    assert 0 < len(wanted) < 21, (condition, wanted)
    run("rewind goto start")
    run("breakpoint set -f container_elements.cpp -l %d -c '%s'" % (line, condition))
    forward = stops("continue", lldb.eStopReasonBreakpoint)
    assert forward == wanted, (condition, wanted, forward)
    run("breakpoint delete -f")
run("rewind goto %d" % visits("k == 2", place)[1])
for text, value in (("slots[k].cost + k", "32"), ("shelf", "High"), ("color == store::Color::Green", "true")):
    assert value in run("p " + text), (text, run("p " + text))
print("lambda: 7")

# The recording tests them: LLDB goes on once. A watchpoint's, too.
log = tempfile.NamedTemporaryFile()
for made in (["breakpoint set -n Pool::run -c 'slots[slot].cost == -7'"],
             ["watchpoint set variable pool.total", "watchpoint modify -c 'pool.slots[2].level == 3'"]):
    run("rewind goto %d" % visits("slot == 1")[0])
    for line in made:
        run(line)
    run("log enable -f %s gdb-remote packets" % log.name)
    run("continue")
    run("log disable gdb-remote packets")
    assert "the end" in run("rewind where"), made
    # What was sent before is logged again, as history.
    packets = re.findall(r"(?m)^(?!.*history\[).*send packet: \$(?:vCont;c|c#)", open(log.name).read())
    assert len(packets) == 1, (made, packets)
    target.DeleteAllBreakpoints()
    target.DeleteAllWatchpoints()
print("tested by the recording: 2")

# In a frame further out it is about that frame's variables, or about globals alone.
run("breakpoint set -n Pool::run")
run("rewind goto end")
run("reverse-continue")
run("up")
told = [run("p " + text) for text in ("pool.slots[1].cost", "pool.order[1]", "i")]
assert "10" in told[0] and "1" in told[1], told
assert "runs no code" in run("p pool.slots[i].cost", fails=True)
print("outer frames:", len(told))
