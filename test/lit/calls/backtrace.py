"""backtrace.py <plugin> <trace> <image or -> <store> <step>: at every <step>-th
position of a trace, LLDB's stack must be the one that `rewind calls where` tells:
the same functions, entered by the same calls. The registers at every 60th of
them must be those that the caller had at its call."""
import functools
import json
import sys

import lldb
from session import debugger, run

plugin, trace, image, store, step = sys.argv[1:]

run("plugin load " + plugin)
images = "" if image == "-" else "--image " + image
run("rewind load %s %s --index %s" % (trace, images, store))
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
    frames = json.loads(run("rewind calls where #%d --json" % position))["items"]
    return [int(frame["pc"], 0) & ~1 for frame in frames], [f["position"] for f in frames]


names = []


def registers(frame):
    """All that are known, but for those of the place in the trace."""
    values = [r for group in frame.registers for r in group]
    if len(names) != len(values):
        names[:] = [r.GetName() for r in values]
    # What is not known has an error in place of a value.
    known = ((name, r.GetValue()) for name, r in zip(names, values))
    return {n: v for n, v in known if v is not None and not n.startswith("rewind_")}


@functools.cache
def registers_before(call):
    run("rewind goto #%d" % call)
    return registers(concrete()[0])


def concrete():
    """The frames of calls, innermost first: of those inlined in one another, the
    last."""
    frames = target.GetProcess().GetSelectedThread().frames
    return [f for f in frames if not f.IsInlined() and not f.IsArtificial()]


def differing_registers(calls):
    """Those of callers that are not as before their calls, all but the pc."""
    seen = [registers(frame) for frame in concrete()]
    wrong = []
    for call, values in list(zip(calls, seen))[1:]:
        then = registers_before(call)
        for name in values.keys() | then.keys():
            if name != "pc" and values.get(name) != then.get(name):
                wrong.append((call, name, values.get(name), then.get(name)))
        checked.append(len(values))
    return wrong


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
wrong, other, checked = [], [], []
for position in range(0, length, int(step)):
    run("rewind goto #%d" % position)
    theirs = unwound()
    ours, calls = told(position)
    compared += 1
    deepest = max(deepest, len(ours))
    if not same(ours, theirs):
        wrong.append((position, ours, theirs))
    elif compared % 60 == 0:
        other += differing_registers(calls)
for position, ours, theirs in wrong[:10]:
    print("#%d:\n  trace %s\n  LLDB  %s" % (position, text(ours), text(theirs)))
for entry in other[:10]:
    print("call at #%d: %s is %s, was %s" % entry)
print("%d positions compared, %d differ, at most %d deep" % (compared, len(wrong), deepest))
print("%d callers' registers, %d differ" % (len(checked), len(other)))
assert not checked or min(checked) > 10
lldb.SBDebugger.Destroy(debugger)
