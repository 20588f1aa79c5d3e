"""iterations.py <plugin> <trace> <image>: in LLDB, goes to every iteration of
the loops around some positions, and asks there which iteration it is."""
import json
import sys

import lldb
from session import debugger, run

plugin, trace, image = sys.argv[1:]


def enclosing(where=""):
    return json.loads(run("rewind htr where %s --json" % where))["enclosing"]


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("target stop-hook disable")
run("rewind htr run")
length = json.loads(run("rewind info --json"))["instructions"]
loops = {}
for position in range(0, length, length // 200):
    for block in enclosing("#%d" % position):
        if "iterations" in block:
            loops[block["id"]] = block
assert len(loops) >= 3, loops
gone = 0
for number, loop in loops.items():
    count = loop["iterations"]
    last = -1
    for k in sorted({1, min(2, count), max(1, count // 2), count}):
        run("rewind htr goto B%d --occurrence 1 --iteration %d" % (number, k))
        position = json.loads(run("rewind where --json"))["position"]
        assert position > last, (loop, k, position)
        last = position
        here = [b for b in enclosing() if b["id"] == number]
        assert here and here[-1]["iteration"] == k, (loop, k, here)
        gone += 1
print("%d loops, %d iterations gone to" % (len(loops), gone))
lldb.SBDebugger.Destroy(debugger)
