"""From random places: a forward step from the beginning of a line, then the
reverse one, must come back to the same position."""
import random
import re
import sys

import lldb
from session import debugger, run

plugin, trace, index, image, places = sys.argv[1:]


def where():
    return int(re.search(r"#(\d+) of", run("rewind where")).group(1))


run("plugin load " + plugin)
run("rewind load %s --index %s --image %s" % (trace, index, image))
length = int(re.search(r"of (\d+)", run("rewind where")).group(1))
process = debugger.GetSelectedTarget().GetProcess()
random.seed(1)
wrong, pairs, boundaries = [], 0, 0
for _ in range(int(places)):
    run("rewind goto %d" % random.randrange(length - 1))
    # To the beginning of a line. A return to the caller ends amid one.
    depth = None
    while depth != process.GetSelectedThread().GetNumFrames():
        depth = process.GetSelectedThread().GetNumFrames()
        run("next")
    for forward, back in (("step", "rs"), ("next", "rn"), ("stepi", "rsi"), ("nexti", "rni")):
        before = where()
        depth = process.GetSelectedThread().GetNumFrames()
        run(forward)
        if process.GetSelectedThread().GetStopReason() != lldb.eStopReasonPlanComplete:
            boundaries += 1
            continue
        after = where()
        if after == before:
            continue  # LLDB entered an inlined call, which is no move in time
        # Left for the caller: to go back into the call is another verb's work.
        if forward in ("next", "nexti") and process.GetSelectedThread().GetNumFrames() < depth:
            continue
        run(back)
        pairs += 1
        if where() != before:
            wrong.append((forward, before, after, back, where()))
            run("rewind goto %d" % before)
for entry in wrong:
    print("wrong:", *entry)
print(pairs, "steps undone,", len(wrong), "wrong,", boundaries, "ran to the end")
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
