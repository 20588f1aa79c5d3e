"""backtrace.py <plugin> <trace> <image> <store> <step>: at every <step>-th
position of a trace where the program has lines, the stack that `rewind calls
where` tells from the trace's calls must be the one that LLDB unwinds from the
program's debug information: the same functions, entered by the same calls."""
import json
import sys

import lldb

plugin, trace, image, store, step = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), command + ": " + (result.GetError() or "")
    return result.GetOutput() or ""


run("plugin load " + plugin)
run("rewind load %s --image %s --index %s" % (trace, image, store))
run("target stop-hook disable")
target = debugger.GetSelectedTarget()


def name_of(pc):
    symbol = target.ResolveLoadAddress(pc).GetSymbol()
    return symbol.GetName() if symbol.IsValid() else hex(pc)


def unwound():
    """A pc for each frame that is a call's. Inlined ones stand before what they
    are inlined in, and only the innermost has the true pc."""
    pcs, inner = [], True
    for frame in target.GetProcess().GetSelectedThread().frames:
        if frame.IsArtificial():
            continue
        if inner:
            # Outer frames stand behind their calls: within them, minus one.
            pcs.append(frame.GetPC() - (len(pcs) > 0))
        inner = not frame.IsInlined()
    return pcs


def told(position):
    frames = json.loads(run("rewind calls where #%d --json" % position))["frames"]
    return [int(frame["pc"], 0) & ~1 for frame in frames]


def same(ours, theirs):
    """A call is an instruction of two or four bytes."""
    return (
        len(ours) == len(theirs)
        and ours[0] == theirs[0]
        and all(t - o in (1, 3) for o, t in zip(ours[1:], theirs[1:]))
    )


def text(pcs):
    return " < ".join("%s (0x%x)" % (name_of(pc), pc) for pc in pcs)


length = json.loads(run("rewind info --json"))["instructions"]
compared = deepest = 0
wrong = []
for position in range(0, length, int(step)):
    run("rewind goto #%d" % position)
    frame = target.GetProcess().GetSelectedThread().GetFrameAtIndex(0)
    if not frame.GetLineEntry().IsValid():
        continue
    ours, theirs = told(position), unwound()
    compared += 1
    deepest = max(deepest, len(ours))
    if not same(ours, theirs):
        wrong.append((position, ours, theirs))
for position, ours, theirs in wrong[:10]:
    print("#%d:\n  trace %s\n  LLDB  %s" % (position, text(ours), text(theirs)))
print("%d positions compared, %d differ, at most %d deep" % (compared, len(wrong), deepest))
lldb.SBDebugger.Destroy(debugger)
