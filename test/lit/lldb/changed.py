"""changed.py <plugin> <trace> <image>: the trace is cut, then removed, while it is
loaded: what needs its text says so, and writes no half of it."""
import os
import sys

import lldb

plugin, trace, image = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    print(">", line, flush=True)
    print((result.GetOutput() or "")[:200], (result.GetError() or "")[:200], flush=True)


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("trace save whole")
with open(trace, "r+") as file:
    file.truncate(3000000)
asks = ("rewind truncate -o cut", "rewind calls info main --style tarmac", "trace save half")
for line in asks + ("rewind export vcd -o all.vcd",):
    run(line)
os.remove(trace)
for line in asks:
    run(line)
print("files:", *sorted(os.listdir(".")))
print("whole:", *sorted(os.listdir("whole")))
