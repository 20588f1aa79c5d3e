"""optimised_lines.py <plugin> <trace> <image> <file> <lines> [--same]: of each line of the source,
`rewind find` has visits in each function, and each inlined copy, in which LLDB's breakpoint
has some, and of each function at places of LLDB's breakpoint by its name. With --same,
the visits of a line are those of LLDB's breakpoint."""
import json
import sys

import lldb
from session import debugger, load, run

plugin, trace, image, source, lines = sys.argv[1:6]
same = "--same" in sys.argv
target = load(plugin, trace, image, shows=False)


def visits(what):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand("rewind find %s --all --json -c 100000" % what, result)
    if not result.Succeeded():
        return {}
    counts = {}
    for item in json.loads(result.GetOutput())["items"]:
        counts[int(item["pc"], 0)] = counts.get(int(item["pc"], 0), 0) + 1
    return counts


def function(pc):
    address = target.ResolveLoadAddress(pc)
    block = address.GetBlock().GetContainingInlinedBlock()
    return address.GetFunction().GetName(), block.GetInlinedCallSiteLine() if block.IsValid() else 0


def stops(breakpoint):
    counts = {}
    for location in breakpoint:
        counts.update(visits(hex(location.GetLoadAddress())))
    target.BreakpointDelete(breakpoint.GetID())
    return counts


compared = 0
for line in range(1, int(lines) + 1):
    breakpoint = target.BreakpointCreateByLocation(source, line)
    # LLDB moves to the next line that has code, or finds none where there is some.
    exact = all(l.GetAddress().GetLineEntry().GetLine() == line for l in breakpoint)
    theirs = stops(breakpoint)
    if not exact or not theirs:
        continue
    ours = visits("%s:%d" % (source, line))
    compared += bool(theirs)
    assert not same or ours == theirs, (line, ours, theirs)
    assert {function(pc) for pc in theirs} <= {function(pc) for pc in ours}, (line, ours, theirs)
names = 0
for name in () if same else ("inlined", "outline"):
    theirs = stops(target.BreakpointCreateByName(name))
    ours = visits(name)
    assert ours and set(ours) <= set(theirs), (name, ours, theirs)
    names += 1
print("%d lines, %d names: as LLDB" % (compared, names))
lldb.SBDebugger.Destroy(debugger)
