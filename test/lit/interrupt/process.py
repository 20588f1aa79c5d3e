"""process.py <plugin> <trace> <image> <function>: `process interrupt` and
SBDebugger.RequestInterrupt at once, and SBProcess.Stop until it is heard, stop a process whose breakpoint has a condition
that LLDB finds false all the time, or a script that says so slowly;
and RequestInterrupt ends a search for where LLDB finds one true."""
import json
import sys
import tempfile
import threading
import time

import lldb
from until import until

plugin, trace, image, function = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(True)
errors = tempfile.TemporaryFile("w+")
debugger.SetErrorFileHandle(errors, False)


def told():
    errors.seek(0)
    return errors.read()


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("breakpoint set --name %s --condition 'sizeof(int[1]) && $x0 == -300'" % function)
target = debugger.GetSelectedTarget()
process = target.GetProcess()
stopped, over = threading.Event(), threading.Event()
# One for each stop that LLDB went on from.
resumed = threading.Semaphore(0)


def listen():
    event = lldb.SBEvent()
    while not over.is_set():
        if not debugger.GetListener().WaitForEvent(1, event):
            continue
        if not lldb.SBProcess.EventIsProcessEvent(event):
            continue
        if lldb.SBProcess.GetStateFromEvent(event) != lldb.eStateStopped:
            continue
        if lldb.SBProcess.GetRestartedFromEvent(event):
            resumed.release()
        else:
            stopped.set()


listener = threading.Thread(target=listen, daemon=True)
listener.start()


def command():
    answer = run("process interrupt")
    assert "error" not in answer, answer
    return True


def stop():
    error = process.Stop()
    # LLDB gives up after 20 seconds if the process waits for what Stop holds.
    assert "timed out" not in (error.GetCString() or ""), error
    return error.Success()


def request():
    debugger.RequestInterrupt()
    return True


def withdrawn():
    """One that is gone before anyone can ask whether there was one."""
    for _ in range(400):
        debugger.RequestInterrupt()
        time.sleep(0.001)
        debugger.CancelInterruptRequest()
        if stopped.wait(0.02):
            break
    return True


def start(direction):
    stopped.clear()
    run("rewind goto 50%")
    assert stopped.wait(60)
    stopped.clear()
    error = process.ContinueInDirection(direction)
    assert error.Success(), error


def end(name, ask):
    until(ask, name)
    assert stopped.wait(60), name
    assert process.GetState() == lldb.eStateStopped


ways = ("process interrupt", command), ("Stop", stop), ("RequestInterrupt", request)
for name, ask in ways:
    for direction in (lldb.eRunForward, lldb.eRunReverse) * 5:
        start(direction)
        for _ in range(10):
            assert resumed.acquire(timeout=60)
        assert not stopped.is_set(), "it stops by itself"
        end(name, ask)
        debugger.CancelInterruptRequest()
        # And not as a fault of the condition that was just being tested.
        thread = process.GetSelectedThread()
        reason = thread.GetStopReason()
        assert ask != request or reason == lldb.eStopReasonSignal, (thread, told())
    print(name, "stops")

# And at the first visits, at which it is compiled.
for name, ask in ways[1:]:
    for turn in range(40):
        run("breakpoint modify -c 'sizeof(int[1]) && $x0 == -%d'" % (301 + turn))
        start((lldb.eRunForward, lldb.eRunReverse)[turn % 2])
        time.sleep(turn * 0.001)
        end(name, ask)
        debugger.CancelInterruptRequest()
        thread = process.GetSelectedThread()
        assert ask != request or thread.GetStopReason() == lldb.eStopReasonSignal, (thread, told())
print("the first visits can be stopped")

# One that takes many evaluations, each of which may be the one that is interrupted,
# and one that LLDB has compiled.
for condition in "$x0 == -300 || (i ? 0 : 0)", "sizeof(int[1]) && $x0 == -300":
    run("breakpoint modify -c '%s'" % condition)
    for direction in (lldb.eRunForward, lldb.eRunReverse) * 5:
        start(direction)
        end("withdrawn", withdrawn)
        # Or at an end of the trace, if nobody was asked in the meantime.
        reason = process.GetSelectedThread().GetStopReason()
        assert reason != lldb.eStopReasonBreakpoint, (condition, told())
print("no fault of the condition")

assert "error" not in told(), told()

# The script has begun a while before it is asked, and ends a while after.
begun, go = threading.Event(), threading.Event()


def says_no(frame, location, arguments, dictionary):
    begun.set()
    go.wait(60)
    return False


sys.modules["says"] = sys.modules["__main__"]
run("script import says")
breakpoint = target.GetBreakpointAtIndex(0)
breakpoint.SetCondition("")
breakpoint.SetScriptCallbackFunction("says.says_no")
for direction in (lldb.eRunForward, lldb.eRunReverse):
    go.set()
    start(direction)
    go.clear()
    begun.clear()
    assert begun.wait(60)
    threading.Timer(1.5, go.set).start()
    end("process interrupt", command)
print("process interrupt waits for a script")
run("breakpoint disable")

# A search whose condition LLDB evaluates: what was found by then, and how far it
# came. The function's argument is the number of the visit.
run("breakpoint disable")
run("rewind goto 0")
all_of_it = json.loads(run("rewind find %s --all --json -c 200000" % function))
visits = [item["position"] for item in all_of_it["items"]]
assert len(visits) == 100000, len(visits)
for which in "--all -c 100000", "--last -c 100000", "--how-many":
    for seconds in 0.1, 0.2, 0.23, 0.31:
        timer = threading.Timer(seconds, debugger.RequestInterrupt)
        timer.start()
        text = run("rewind find %s --json %s --if 'sizeof(int[1]) && (i & 1) == 1'" % (function, which))
        timer.join()
        debugger.CancelInterruptRequest()
        assert text.startswith("{"), text
        # LLDB being slow is told behind it.
        answer = json.JSONDecoder().raw_decode(text)[0]
        assert answer["cancelled"] and not answer["complete"], text[-300:]
        begin, end = answer["searched"]["from"], answer["searched"]["to"]
        there = [p for n, p in enumerate(visits) if n % 2 and begin <= p < end]
        assert len(there) < 50000, answer["searched"]
        assert "unknown" not in answer, answer["unknown"]
        if "how" in which:
            assert answer["count"] == len(there), (answer, len(there))
            continue
        found = sorted(item["position"] for item in answer["items"])
        assert found == there, (found[-3:], there[-3:], answer["searched"])
# A search for one that is not found, too.
threading.Timer(0.2, debugger.RequestInterrupt).start()
text = run("rewind find %s --last --if 'sizeof(int[1]) && i == -300'" % function)
debugger.CancelInterruptRequest()
assert "error: interrupted: no visit of " + function in text, text
print("a search tells how far it came")
over.set()
listener.join()
lldb.SBDebugger.Destroy(debugger)
