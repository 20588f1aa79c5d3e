"""jumps.py <plugin> <trace> <image> <seed> <count>: jumps of all kinds
in a trace of two CPUs, from wherever it stands, with breakpoints anywhere (also
where it goes, and where the other CPU stands) and either thread selected. Where
each ends is compared with what the index says."""
import json
import random
import re
import sys

import lldb

plugin, trace, image, seed, count = sys.argv[1:]
pick = random.Random(int(seed))
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
interpreter = debugger.GetCommandInterpreter()


history = []


def run(command, fails=False):
    history.append(command)
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(command, result)
    assert fails or result.Succeeded(), command + ": " + (result.GetError() or "")
    return (result.GetOutput() or "") + (result.GetError() or "")


pcs = {1: [], 2: []}
order = []
for line in open(trace):
    step = re.match(r"\d+ clk cpu(\d) I[TS] \(\d+\) (\w+)", line)
    if step:
        thread = int(step[1]) + 1
        order.append((thread, len(pcs[thread])))
        pcs[thread].append(int(step[2], 16))
when = {place: moment for moment, place in enumerate(order)}
run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("rewind htr run")
target = debugger.GetSelectedTarget()
process = target.GetProcess()


def state():
    """The moment, from the registers of both threads, and the selected one."""
    at = []
    for thread in (1, 2):
        frame = process.GetThreadByIndexID(thread).GetFrameAtIndex(0)
        position = frame.FindRegister("rewind_position").GetValueAsUnsigned()
        if position < len(pcs[thread]):
            pc = frame.FindRegister("pc").GetValueAsUnsigned()
            told = pc, frame.GetPC(), pcs[thread][position]
            assert len(set(told)) == 1, (thread, position, [hex(n) for n in told])
        at.append(position)
    return tuple(at), process.GetSelectedThread().GetIndexID()


def at_moment(moment):
    """Where both threads stand."""
    counts = [0, 0]
    for thread, _ in order[:moment]:
        counts[thread - 1] += 1
    return tuple(counts)


def moment_of(at):
    return sum(at)


wrong = 0


def check(what, moment, thread):
    global wrong
    at, selected = state()
    # A thread's own place is exact; the other one stands where it was then.
    if moment_of(at) != moment or at != at_moment(moment) or selected != thread:
        wrong += 1
        print("wrong:", what, "ends at", at, "in", selected, "not", at_moment(moment), "in", thread)
        print("after:", *history[-8:], sep="\n  ")


hot = sorted(set(pcs[1]))


def scatter():
    """Breakpoints: some anywhere, some where threads stand."""
    target.DeleteAllBreakpoints()
    at, _ = state()
    for _ in range(pick.randrange(4)):
        run("breakpoint set --address 0x%x" % pick.choice(hot))
    for thread in (1, 2):
        if pick.random() < 0.4 and at[thread - 1] < len(pcs[thread]):
            run("breakpoint set --address 0x%x" % pcs[thread][at[thread - 1]])


def stops():
    return {
        location.GetLoadAddress()
        for breakpoint in target.breakpoint_iter()
        for location in breakpoint
    }


def back_to(moment, limit):
    """Where a run backwards ends: at a breakpoint, at the latest at limit."""
    wanted = stops()
    for m in range(moment - 1, limit - 1, -1):
        thread, position = order[m]
        if pcs[thread][position] in wanted:
            return m, thread
    return limit, None


counts = {}
for number in range(int(count)):
    if number % 4 == 0:
        scatter()
    kind = pick.choice(["goto", "asked", "asked", "rc", "rsi", "back", "continue"])
    (at, selected) = state()
    stopped = [t.GetIndexID() for t in process if t.GetStopReason() > lldb.eStopReasonNone][0]
    history.append("# %s in %d, stopped in %d" % (at, selected, stopped))
    # Which thread LLDB steps off its breakpoint, and who is asked to stop.
    if pick.random() < 0.5:
        selected = pick.choice([1, 2])
        run("thread select %d" % selected)
    moment = moment_of(at)
    counts[kind] = counts.get(kind, 0) + 1
    if kind == "goto":
        thread = pick.choice([1, 2])
        position = pick.randrange(len(pcs[thread]))
        if pick.random() < 0.5:  # onto a breakpoint
            run("breakpoint set --address 0x%x" % pcs[thread][position])
        run("rewind goto %d:#%d" % (thread, position))
        check("goto", when[thread, position], thread)
        back = (moment, selected)
    elif kind == "back":
        run("rewind goto %d:#%d" % (selected, 77))
        run("rewind back")
        # To the same moment, as it was looked at.
        check("back", moment, selected)
    elif kind == "rc":
        to, thread = back_to(moment, 0)
        run("rc")
        check("rc", to, thread or selected)
    elif kind == "rsi":
        position = at[selected - 1]
        if not position:
            continue
        to, thread = back_to(moment, when[selected, position - 1])
        run("rsi")
        check("rsi", to, thread or selected)
    elif kind == "asked":
        # The answer is where it goes, and nothing but JSON.
        command = pick.choice(
            [
                "calls parent",
                "calls enter",
                "calls leave",
                "last-write x0 --goto",
                "next-write x1 --goto",
                "find 0x%x --prev --goto" % pick.choice(hot),
                "find 0x%x --next --goto" % pick.choice(hot),
                "htr goto B%d --next" % pick.randrange(40),
            ]
        )
        text = run("rewind %s --json" % command, True)
        if not text.startswith("{"):
            assert text.startswith("error: "), text
            check(command, moment, selected)
            continue
        answer = json.loads(text)
        if not answer.get("items", [answer]):
            check(command, moment, selected)
            continue
        answer = answer.get("items", [answer])[0]
        check(command, when[answer["thread"], answer["position"]], answer["thread"])
    else:
        wanted = stops()
        # Where one stands one has been told.
        expected = None
        for m in range(moment, len(order)):
            thread, position = order[m]
            if pcs[thread][position] in wanted and not (m == moment and thread == stopped):
                expected = (m, thread)
                break
        run("continue")
        if expected is None:
            continue
        check("continue", *expected)
print("%d jumps, %d wrong:" % (sum(counts.values()), wrong), counts)
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
