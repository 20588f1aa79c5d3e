"""watched.py <plugin> <trace> <image> <variable>=<writes>...: a watchpoint on a
variable that is not all known stops at every write of it, in both directions; on
what is known, at every change. <writes> are those that it stops at, "0,3" or "all"."""
import json
import re
import sys

import lldb

plugin, trace, image, *watched = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), (command, result.GetError())
    return result.GetOutput()


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
process = debugger.GetSelectedTarget().GetProcess()
run("breakpoint set -n main")
run("continue")
run("breakpoint disable")


def stops(command):
    found = []
    while True:
        run(command)
        thread = process.GetSelectedThread()
        if thread.GetStopReason() != lldb.eStopReasonWatchpoint:
            return found
        found.append(thread.GetFrameAtIndex(0).FindRegister("rewind_position").GetValueAsUnsigned())


for name, which in (w.split("=") for w in watched):
    run("rewind goto start")
    run("breakpoint enable")
    run("continue")
    run("breakpoint disable")
    writes = [w["position"] for w in json.loads(run("rewind history %s --json" % name))["items"]]
    assert len(writes) > 1
    run("watchpoint set variable " + name)
    wanted = writes if which == "all" else [writes[int(n)] for n in which.split(",")]
    forward = stops("continue")
    assert forward == [w + 1 for w in wanted], (name, forward, writes)
    backward = stops("reverse-continue")
    assert backward == wanted[::-1], (name, backward, writes)
    run("watchpoint delete -f")
    print(name, len(forward), "stops")
