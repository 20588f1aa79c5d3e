"""process.py <plugin> <trace> <image> <function>: `process interrupt`, and
SBProcess.Stop until it is heard, stop a process whose breakpoint has a condition
that LLDB finds false all the time."""
import sys
import threading
import time

import lldb

plugin, trace, image, function = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(True)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("breakpoint set --name %s --condition '(char)$x0 == 300'" % function)
process = debugger.GetSelectedTarget().GetProcess()
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


listener = threading.Thread(target=listen, daemon=True)
listener.start()
time.sleep(0.5)


def command():
    answer = run("process interrupt")
    assert "error" not in answer, answer
    return True


def stop():
    return process.Stop().Success()


for name, ask in (("process interrupt", command), ("Stop", stop)):
    for direction in (lldb.eRunForward, lldb.eRunReverse) * 5:
        run("rewind goto 50%")
        time.sleep(0.2)
        stopped.clear()
        error = process.ContinueInDirection(direction)
        assert error.Success(), error
        time.sleep(0.1)
        assert not stopped.is_set(), "it stops by itself"
        begin = time.monotonic()
        while not ask():
            assert time.monotonic() - begin < 5
            time.sleep(0.003)
        assert stopped.wait(5), name
        time.sleep(0.2)
        assert process.GetState() == lldb.eStateStopped
    print(name, "stops")
over.set()
listener.join()
lldb.SBDebugger.Destroy(debugger)
