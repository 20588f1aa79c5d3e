"""ends.py <plugin> <trace> <image>: thread 1 ends long before thread 2, at a
breakpoint. However it got there, `continue` goes on with thread 2."""
import sys

import lldb

plugin, trace, image = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
interpreter = debugger.GetCommandInterpreter()


def run(line):
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(line, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
process = debugger.GetSelectedTarget().GetProcess()
run("rewind goto 1:end-1")
place = process.GetThreadAtIndex(0).GetFrameAtIndex(0).GetPC()
print(run("breakpoint set --address 0x%x" % place).strip())
wrong = count = 0
paths = (
    ["step"], ["next"], ["stepi"], ["nexti"], ["finish"], ["step", "step"],
    ["next", "next"], ["stepi", "next", "step"], ["thread continue 1 2"],
    ["step", "thread select 1", "next"], ["rewind goto 1:end"],
)
for start in ("1:end-1", "1:end-2", "1:end-60"):
    for path in paths:
        run("rewind goto " + start)
        told = [run(line) for line in path]
        for _ in range(3):
            told.append(run("continue"))
            if "thread #2" in told[-1]:
                break
        thread = process.GetSelectedThread()
        count += 1
        if thread.GetThreadID() != 2 or thread.GetFrameAtIndex(0).GetPC() != place:
            if path == ["rewind goto 1:end"] and "history boundary" in told[-1]:
                continue  # the end of the whole recording
            wrong += 1
            print("wrong: from %s, %s: %s" % (start, path, "\n".join(told)))
# Thread 2 begins after thread 1: nothing comes before, and nothing goes forward.
for verb in ("reverse-step", "reverse-next", "reverse-stepi", "reverse-nexti"):
    run("rewind goto start")
    run("thread select 2")
    before = [t.GetFrameAtIndex(0).GetPC() for t in process]
    told = run(verb)
    count += 1
    if "history boundary" not in told or before != [t.GetFrameAtIndex(0).GetPC() for t in process]:
        wrong += 1
        print("wrong: %s at the start: %s" % (verb, told))
# The end of a thread is one moment, whatever it is called.
run("rewind goto 1:end-1")
run("stepi")
for here in ("1:#2998", "+0"):
    count += 1
    told = run("rewind where " + here)
    if "its end" not in told:
        wrong += 1
        print("wrong: %s: %s" % (here, told))
print("%d ways, %d wrong" % (count, wrong))
