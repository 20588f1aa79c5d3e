"""watched.py <plugin> <trace> <image> <variable>=<writes>...: a watchpoint on a
variable that is not all known stops at every write of it, in both directions; on
what is known, at every change. <writes> are those that it stops at, "0,3" or "all"."""
import json
import re
import sys

import lldb

from session import load, run, stops

plugin, trace, image, *watched = sys.argv[1:]
load(plugin, trace, image)
run("breakpoint set -n main")
run("continue")
run("breakpoint disable")

for name, which in (w.split("=") for w in watched):
    run("rewind goto start")
    run("breakpoint enable")
    run("continue")
    run("breakpoint disable")
    writes = [w["position"] for w in json.loads(run("rewind history %s --json" % name))["items"]]
    assert len(writes) > 1
    run("watchpoint set variable " + name)
    wanted = writes if which == "all" else [writes[int(n)] for n in which.split(",")]
    forward = stops("continue", lldb.eStopReasonWatchpoint)
    assert forward == [w + 1 for w in wanted], (name, forward, writes)
    backward = stops("reverse-continue", lldb.eStopReasonWatchpoint)
    assert backward == wanted[::-1], (name, backward, writes)
    run("watchpoint delete -f")
    print(name, len(forward), "stops")

# An address that is a mere number has a number there; LLDB would look for a place for
# what is too large.
run("rewind goto start")
run("breakpoint enable")
run("continue")
stack = re.search(r"sp = (0x\w+)", run("register read sp"))[1]  # there is the frame pointer of before
for size, why in ("0x1000000000", "at most 65536 can be"), ("0", "the size is 0"):
    assert why in run("watchpoint set expression -s %s -- %s" % (size, stack), fails=True)
run("watchpoint set expression -s 8 -w write -- " + stack)
assert re.search(r"new value: \d+\n", run("watchpoint list -v")), run("watchpoint list -v")
