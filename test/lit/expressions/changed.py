"""changed.py <plugin> <trace> <image> <function>: a condition that was changed is
the one that is tested, also while a front end holds the target's lock, as
lldb-dap does during a request, and the recording cannot ask for conditions."""
import sys
import threading

import lldb
from session import debugger, run

plugin, trace, image, function = sys.argv[1:]
run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
target = debugger.GetSelectedTarget()
process = target.GetProcess()
breakpoint = target.BreakpointCreateByName(function)


def position():
    frame = process.GetSelectedThread().GetFrameAtIndex(0)
    return frame.FindRegister("rewind_position").GetValueAsUnsigned()


visits = []
for _ in range(6):
    run("continue")
    visits.append(position())

stopped, over = threading.Event(), threading.Event()


def listen():
    event = lldb.SBEvent()
    while not over.is_set():
        if not debugger.GetListener().WaitForEvent(1, event):
            continue
        if not lldb.SBProcess.EventIsProcessEvent(event):
            continue
        state = lldb.SBProcess.GetStateFromEvent(event)
        if state == lldb.eStateStopped and not lldb.SBProcess.GetRestartedFromEvent(event):
            stopped.set()


def resume(direction):
    stopped.clear()
    lock = target.GetAPIMutex()
    lock.lock()
    error = process.ContinueInDirection(direction)
    done = stopped.wait(60)
    lock.unlock()
    assert error.Success() and done, error


run("rewind goto start")
listener = threading.Thread(target=listen, daemon=True)
listener.start()
debugger.SetAsync(True)
held = "$rewind_position < 1000000000"
for direction, wanted in (
    (lldb.eRunForward, visits[3]),
    (lldb.eRunReverse, visits[1]),
    (lldb.eRunForward, visits[5]),
):
    # LLDB compiles what it tests: this holds everywhere.
    breakpoint.SetCondition(held)
    resume(direction)
    breakpoint.SetCondition("$rewind_position == %d" % wanted)
    resume(direction)
    at = position()
    print("ends at the visit" if at == wanted else "ends at %d, not %d" % (at, wanted))
over.set()
listener.join()
debugger.SetAsync(False)
lldb.SBDebugger.Destroy(debugger)
