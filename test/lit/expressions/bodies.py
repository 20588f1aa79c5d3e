"""bodies.py <plugin> <rewind> <trace> <image>: `find f` in LLDB and in the shell
are where LLDB puts its breakpoints, for every function of the debug information
that ran (in one line: behind the first instruction's row); with --entry where the
function begins. Copies that are inlined, which LLDB has elsewhere, are another test's
(questions/inlined-copies.test)."""
import json
import subprocess
import sys

import lldb

plugin, rewind, trace, image = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
slide = image.split("@")[1:]


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded() or "--json" in command, (command, result.GetError())
    return result.GetOutput()


def shell(command):
    words = [rewind] + command.split() + []
    words[2:2] = [trace, "-i", image]
    return subprocess.run(words, capture_output=True, text=True).stdout


def is_copy(item, name):
    return any(name.split("(")[0] == inner.split("(")[0] for inner in item.get("inlined", []))


def one_line(address):
    function = target.ResolveLoadAddress(address).GetFunction()
    lines = {i.GetAddress().GetLineEntry().GetLine() for i in function.GetInstructions(target)}
    return len(lines) == 1


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
target = debugger.GetSelectedTarget()
module = target.GetModuleAtIndex(0)
displayed = {}
for symbol in module:
    function = symbol.GetStartAddress().GetFunction()
    if symbol.GetType() == lldb.eSymbolTypeCode and function and function.GetStartAddress() == symbol.GetStartAddress():
        displayed[symbol.GetMangledName() or symbol.GetName()] = symbol.GetName()
checked = moved = oneliners = 0
for name in sorted(displayed):
    def found(ask, options=""):
        answer = json.loads(ask("%s %s --all -c 200 --json %s" % ("find" if ask is shell else "rewind find", name, options)))
        return {int(item["pc"], 0) for item in answer["items"] if not is_copy(item, displayed[name])}
    entry = found(run, "--entry")
    if not entry:
        continue
    breakpoint = target.BreakpointCreateByName(name)
    stops = {l.GetLoadAddress() for l in breakpoint}
    starts = {l.GetAddress().GetFunction().GetStartAddress().GetLoadAddress(target) for l in breakpoint}
    target.BreakpointDelete(breakpoint.GetID())
    assert entry <= starts, (name, entry, starts)
    assert found(shell, "--entry") == entry, name
    inside = found(run)
    # LLDB looks for a line behind the first one, also behind the function's end.
    if not inside <= stops:
        assert entry <= stops and all(one_line(address) for address in entry), (name, inside, stops)
        oneliners += 1
    assert found(shell) == inside, (name, inside, found(shell))
    checked += 1
    moved += inside != entry
assert checked, "nothing to check"
print("%d functions, %d with a prologue, %d in one line" % (checked, moved, oneliners))
