"""Prints the seconds that `process continue -R` takes in LLDB from the end of a
trace to a watchpoint that was hit last near its beginning (median of 9).

usage: reverse_continue.py PLUGIN TRACE INDEX ADDRESS   (with LLDB's Python)
"""
import statistics
import sys
import time

import lldb

plugin, trace, index, address = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    if not result.Succeeded():
        sys.exit(command + ": " + (result.GetError() or "failed"))


run("plugin load " + plugin)
run("rewind load %s --index %s" % (trace, index))
target = debugger.GetSelectedTarget()
error = lldb.SBError()
target.WatchAddress(int(address, 16), 8, False, True, error)
if error.Fail():
    sys.exit(error.GetCString())
times = []
for _ in range(9):
    run("rewind goto end")
    begin = time.monotonic()
    run("process continue -R")
    times.append(time.monotonic() - begin)
    reason = target.GetProcess().GetSelectedThread().GetStopReason()
    if reason != lldb.eStopReasonWatchpoint:
        sys.exit("stopped for another reason than the watchpoint")
print(statistics.median(times))
