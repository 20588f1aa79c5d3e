"""reals.py <plugin> <trace> <image> <leaves> <count>: a breakpoint, or watchpoint,
with a condition of floating-point numbers stops exactly where `p` finds that it holds,
or cannot tell, in both directions, and the recording tests it. <leaves> is a file of
variables; some conditions are given, <count> are random. REWIND_TEST_SEEDS multiplies
them."""
import functools
import os
import random
import re
import sys
import tempfile

import lldb
from session import debugger, run

plugin, trace, image, leaves, count = sys.argv[1:]
leaves = open(leaves).read().splitlines()
rng = random.Random(21)
numbers = "0 1 -1 2 3 0.5 1.5f -0.25 2e-1f 1e300 0x1p3 .5 4294967295u 9007199254740993ll 0.1f 0.1 -0.0".split()


def expression(depth):
    pick = rng.random()
    if depth == 0 or pick < 0.2:
        return rng.choice(leaves) if rng.random() < 0.6 else "(%s)" % rng.choice(numbers)
    if pick < 0.3:
        return rng.choice(["- ", "!", "+ "]) + "(" + expression(depth - 1) + ")"
    if pick < 0.4:
        return "(%s)(%s)" % (rng.choice(["float", "double"]), expression(depth - 1))
    operator = rng.choice("+ - * < <= > >= == != && ||".split())
    return "(%s %s %s)" % (expression(depth - 1), operator, expression(depth - 1))


given = """single > 1.5f
single > 1.5f && whole == 4
twice < -1.5 || whole == -9
share == 0.75
share >= whole
0.1f == 0.1 || single == 0.4f
here.next->y < 0 && there.y > -0.3f
there.x != there.x
there.x > 1e30
there.x < 1 || there.x >= 1
natural < single
wide == 9007199254740992.0
many[whole & 3] > 0.5f
here.weight[1] > 1e299
odd / 0.0 < 0
single
!single
(int)single == 2
(int)share % 2 == 1 && single < 2
-single < twice""".split("\n")
conditions = given + ["%s %s %s" % (expression(2), rng.choice("< > <= >= == != && ||".split()), expression(2)) for _ in range(int(count) * int(os.environ.get("REWIND_TEST_SEEDS", 1)))]

run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
target = debugger.GetSelectedTarget()
process = target.GetProcess()
debugger.SetErrorFileHandle(open("/dev/null", "w"), True)
debugger.SetOutputFileHandle(open("/dev/null", "w"), True)
breakpoint = target.BreakpointCreateByName("visit")
log = tempfile.NamedTemporaryFile()


def position():
    return process.GetSelectedThread().GetFrameAtIndex(0).FindRegister("rewind_position").GetValueAsUnsigned()


def stops(reason, direction):
    run("rewind goto " + ("start" if direction == lldb.eRunForward else "end"))
    found = []
    while process.ContinueInDirection(direction).Success() and process.GetSelectedThread().GetStopReason() == reason:
        found.append(position())
    return found if direction == lldb.eRunForward else found[::-1]


@functools.cache
def holds(condition, place):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand("p " + condition, result)
    if not result.Succeeded():
        assert re.search("unknown: |division by zero", result.GetError()), (condition, result.GetError())
        return True
    value = re.match(r"\((?:bool|int|float|double)\) (?:\$\d+ = )?(\S+)", result.GetOutput())
    assert value, (condition, result.GetOutput())
    return {"true": 1, "false": 0}.get(value[1]) if value[1] in ("true", "false") else float(value[1]) != 0


def wanted(places):
    found = {condition: [] for condition in conditions}
    for place in places:
        run("rewind goto %d" % place)
        for condition in conditions:
            if holds(condition, place):
                found[condition].append(place)
    return found


def resumes():
    return len(re.findall(rb"\$(?:vCont;c|c#|bc#)", open(log.name, "rb").read()))


def check(places, reason, direction, set_condition):
    mixed = 0
    for condition, expected in wanted(places).items():
        set_condition(condition)
        before = resumes()
        found = stops(reason, direction)
        assert found == expected, (condition, direction, found, expected)
        # None for a visit where it does not hold.
        assert resumes() - before <= len(found) + 2, (condition, resumes() - before, found)
        mixed += 0 < len(found) < len(places)
    return mixed


for direction in lldb.eRunForward, lldb.eRunReverse:
    places = stops(lldb.eStopReasonBreakpoint, direction)
    assert len(places) == 18, places
    run("log enable -f %s gdb-remote packets" % log.name)
    mixed = check(places, lldb.eStopReasonBreakpoint, direction, breakpoint.SetCondition)
    run("log disable gdb-remote packets")
    breakpoint.SetCondition("")
    assert mixed > len(conditions) // 4, mixed
    print("breakpoint: as p", mixed, file=sys.stderr)
print("breakpoints: all as p")

run("rewind goto start")
process.Continue()
breakpoint.SetEnabled(False)
run("watchpoint set variable -w write whole")
for direction in lldb.eRunForward, lldb.eRunReverse:
    places = stops(lldb.eStopReasonWatchpoint, direction)
    assert len(places) == 18, places
    run("log enable -f %s gdb-remote packets" % log.name)
    mixed = check(places, lldb.eStopReasonWatchpoint, direction, lambda text: run("watchpoint modify -c '%s'" % text))
    run("log disable gdb-remote packets")
    run("watchpoint modify -c ''")
    print("watchpoint: as p", mixed, file=sys.stderr)
    assert mixed > len(conditions) // 4, mixed
print("watchpoints: all as p")
lldb.SBDebugger.Destroy(debugger)
