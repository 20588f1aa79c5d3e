"""native.py <plugin> <trace> <image> <program>: what LLDB shows of the strings of
a program that is no recording, without Rewind and beside a recording."""
import subprocess
import sys

import lldb

plugin, trace, image, program = sys.argv[1:]


def shown(first):
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    def run(command):
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, result)
        assert result.Succeeded(), (command, result.GetError())
        return result.GetOutput()
    for command in first:
        run(command)
    run("target create " + program)
    run("breakpoint set -p HERE -f values.c")
    texts = [run("target variable heap part ubuf sbuf full greet")]
    # Not everywhere may a debugger start a program.
    error = lldb.SBError()
    process = debugger.GetSelectedTarget().Launch(lldb.SBLaunchInfo([]), error)
    if error.Success() and process.GetState() == lldb.eStateStopped:
        for name in "heap part ubuf sbuf full greet s some hidden".split():
            value = process.GetSelectedThread().GetFrameAtIndex(0).FindVariable(name)
            if not value:
                value = debugger.GetSelectedTarget().FindFirstGlobalVariable(name)
            texts.append((name, value.GetSummary()))
        process.Kill()
    lldb.SBDebugger.Destroy(debugger)
    return texts


before = shown([])
assert '"' in before[0], before
after = shown(["plugin load " + plugin, "rewind load %s --image %s" % (trace, image)])
assert before == after, (before, after)
print(len(before), "values, the same")
