"""watch_ignored.py <plugin> <trace> <image> <variable> <register>: watchpoints
with ignore counts stop where those without do, so many hits later, in both
directions and with conditions; 30,000 hits are ignored at once. The register is
that with a value that the condition is about."""
import random
import sys
import time

import lldb

plugin, trace, image, variable, register = sys.argv[1:]
rng = random.Random(16)
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.SetOutputFileHandle(open("/dev/null", "w"), True)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), (command, result.GetError())


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
target = debugger.GetSelectedTarget()
process = target.GetProcess()
main = target.FindFirstGlobalVariable(variable)


def place():
    return process.GetSelectedThread().GetFrameAtIndex(0).FindRegister("rewind_position").GetValueAsUnsigned()


def watch():
    error = lldb.SBError()
    made = target.WatchAddress(main.GetLoadAddress(), main.GetByteSize(), False, True, error)
    assert error.Success(), error
    return made


def go(forward):
    """Whether a watchpoint stopped it."""
    error = process.ContinueInDirection(lldb.eRunForward if forward else lldb.eRunReverse)
    assert error.Success(), error
    return process.GetSelectedThread().GetStopReason() == lldb.eStopReasonWatchpoint


checked = 0
for forward in (True, False):
    start = "40%" if forward else "60%"
    for condition in ("", "$%s %% 3 == 0" % register, "(1 ? $%s : 0) %% 3 == 0" % register):
        for ignore in (1, 2, 7, rng.randint(8, 40)):
            run("rewind goto " + start)
            every = watch()
            places = []
            for _ in range(ignore):
                assert go(forward)
                places.append(place())
            # The condition is tested only of those behind.
            if condition:
                every.SetCondition(condition)
            assert go(forward)
            wanted = place()
            counted = every.GetHitCount()
            target.DeleteWatchpoint(every.GetID())
            run("rewind goto " + start)
            one = watch()
            one.SetIgnoreCount(ignore)
            if condition:
                one.SetCondition(condition)
            assert go(forward)
            told = place(), one.GetHitCount(), one.GetIgnoreCount()
            assert told == (wanted, counted, ignore), (forward, condition, ignore, told, wanted, counted)
            # What it has ignored is not ignored again.
            assert go(forward) and one.GetHitCount() == counted + 1
            target.DeleteWatchpoint(one.GetID())
            checked += 1
print("%d watchpoints ignore what LLDB does" % checked)

many = watch()
many.SetIgnoreCount(30000)
for forward in (True, False):
    run("rewind goto " + ("start" if forward else "end"))
    before = many.GetHitCount()
    many.SetIgnoreCount(before + 30000)
    begin = time.process_time()
    assert go(forward)
    # LLDB needs a millisecond for a hit that it ignores itself.
    print("{:,} hits counted: {}".format(
        many.GetHitCount() - before, "at once" if time.process_time() - begin < 5 else "slowly"))
