"""mirror.py <plugin> <trace> <image> <index> <source> <places>: from random lines of
the source, `next` from p leads to q. `rn` at q must lead to a place from which
`next` leads to q again; if that is p, it shows p's frame. Where LLDB's `next` goes
depends on what it has passed on its way, so some steps have no such place; never
does `rn` enter a call."""
import json
import random
import sys

import lldb
from session import debugger, run

plugin, trace, image, index, source, places = sys.argv[1:]


def stop():
    """Position; function, line and depth of the frame that is shown."""
    frame = thread.GetFrameAtIndex(0)
    depth = sum(not f.IsArtificial() for f in thread)
    position = json.loads(run("rewind where --json"))["position"]
    return position, (frame.GetDisplayFunctionName(), frame.GetLineEntry().GetLine(), depth)


def stepped():
    return thread.GetStopReason() == lldb.eStopReasonPlanComplete


run("plugin load " + plugin)
run("rewind load %s --image %s --index %s" % (trace, image, index))
run("target stop-hook disable")
target = debugger.GetSelectedTarget()
thread = target.GetProcess().GetSelectedThread()
lines = target.BreakpointCreateBySourceRegex(".", lldb.SBFileSpec(source))
visits = []
while True:
    run("continue")
    if thread.GetStopReason() != lldb.eStopReasonBreakpoint:
        break
    visits.append(stop()[0])
target.BreakpointDelete(lines.GetID())
random.seed(1)
steps = wrong = missed = 0
for place in random.sample(visits, min(int(places), len(visits))):
    run("rewind goto %d" % place)
    run("next")
    for _ in range(3):
        if not stepped():
            break
        p, shown = stop()
        run("next")
        if not stepped():
            break
        q, then = stop()
        # To the caller: going back into the call is another verb's work.
        if q == p or then[2] < shown[2]:
            continue
        run("rn")
        back, backward = stop()
        run("next")
        steps += 1
        again = stop()
        if backward[2] > then[2] or back >= q or (back == p and backward != shown):
            wrong += 1
        elif again != (q, then):
            missed += 1
        else:
            again = None
        if again:
            print("next #%d %s: #%d %s; rn: #%d %s; next: #%d %s" % (p, shown, q, then, back, backward, *again))
        run("rewind goto %d" % q)
        # As a step shows it, not a jump.
        run("rn")
        run("next")
print("%d places, %d steps, %d wrong" % (len(visits), steps, wrong))
assert missed * 20 <= steps, missed
lldb.SBDebugger.Destroy(debugger)
