"""left.py <plugin> <trace> <image> <index> <limit>: steps over and out of calls
that do not return must stop where the call ended, and be over then: a continue
runs to the end."""
import json
import random
import sys

import lldb
from session import debugger, run

plugin, trace, image, index, limit = sys.argv[1:]


def where():
    return json.loads(run("rewind where --json"))["position"]


def left(node):
    """Calls that ended before the trace did, but not by a return."""
    for call in node["calls"]:
        if call["kind"] == "call" and not call["returned"] and call["end"] < length:
            yield call["start"], call["end"]
        yield from left(call)


sys.setrecursionlimit(100000)
run("plugin load " + plugin)
run("rewind load %s --image %s --index %s" % (trace, image, index))
run("target stop-hook disable")
thread = debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
length = json.loads(run("rewind info --json"))["instructions"]
calls = [call for root in json.loads(run("rewind calls tree --no-fold --json -c 10000000"))
         for call in left(root)]
random.seed(1)
calls = sorted(random.sample(calls, min(int(limit), len(calls))))
wrong = checked = 0
for start, end in calls:
    for at, command in (start - 1, "next"), (start - 1, "nexti"), (start, "finish"), (start + 1, "thread step-out"):
        run("rewind goto %d" % at)
        if at == start + 1 and json.loads(run("rewind calls where --json"))["items"][0]["entry"] != start:
            continue  # its first instruction is a call
        run(command)
        checked += 1
        reached, ok = where(), thread.GetStopDescription(100) == "the call was left without a return"
        frames = len(json.loads(run("rewind calls where --json"))["items"])
        shown = sum(not f.IsInlined() and not f.IsArtificial() for f in thread)
        run("continue")
        if reached != end or not ok or shown != frames or where() != length:
            wrong += 1
            print("wrong: %s at #%d: #%d, not #%d; %d of %d frames; then #%d" % (command, at, reached, end, shown, frames, where()))
print("%d calls, %d steps, %d wrong" % (len(calls), checked, wrong))
lldb.SBDebugger.Destroy(debugger)
