"""nested.py <plugin> <trace> <image>: what would overflow the stack of LLDB's parsers
is refused wherever a user can give it, and no less than that."""
import sys

import lldb
from session import debugger, run

plugin, trace, image = sys.argv[1:]
run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("breakpoint set -n visit")
run("continue")
process = debugger.GetSelectedTarget().GetProcess()
shapes = (
    lambda n: "(" * n + "d" + ")" * n,
    lambda n: "!" * n + "d",
    lambda n: "sizeof " * n + "d",
    lambda n: "(int)" * n + "d",
    lambda n: "items[" * n + "d" + "]" * n,
    lambda n: "d?1:" * n + "0",
    lambda n: "d=" * n + "d",
)
refusal = "levels deep, and LLDB could crash beyond 500"
# A row of operators may be longer: four of them count as a level.
rows = (lambda n: "d," * 4 * n + "d", lambda n: "d" + ".w" * 4 * n, lambda n: "/*'*/" + "d," * 4 * n + "d/*'*/")
for shape in shapes + rows:
    deep = shape(20000)
    for command in ("p ", "expression -- ", "rewind eval --at visit ", "rewind find call visit --if ", "rewind last-write "):
        said = run(command + "'%s'" % deep if command.startswith("rewind") else command + deep, fails=True)
        assert refusal in said, (command, deep[:20], said[:300])
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand("p " + shape(450), result)
    assert refusal not in (result.GetError() or ""), (deep[:20], result.GetError()[:300])
# What is long only is not.
run("p " + "d +" * 1900 + "d")
run("breakpoint disable " + "1 " * 2000)
run("breakpoint enable 1")
print("expressions: refused")

# So are the addresses and paths of all other commands.
for command in (
    "memory read ", "x ", "memory region ", "frame variable ", "disassemble -s ", "image lookup -a ", "source list -a ", "thread until -a ",
    "breakpoint set -a ", "breakpoint set -n visit -c ", "breakpoint modify -c ", "watchpoint set expression -- ", "target variable ",
):
    for shape in shapes + rows:
        said = run(command + shape(2000).replace(" ", "\\ "), fails=True)
        assert refusal in said, (command, shape(2), said[:300])
run("script print(%s)" % ("(" * 150 + "1" + ")" * 150 + ", (1)" * 500))
print("addresses: refused")

run("watchpoint set variable items[0].w")
assert refusal in run("watchpoint modify -c '%s' 1" % shapes[1](20000), fails=True)
assert refusal in run("watchpoint modify -c '%s' 1" % ("! " * 2000 + "d"), fails=True)
# By the API nobody is asked before: it stops.
watchpoint = debugger.GetSelectedTarget().GetWatchpointAtIndex(0)
for deep in ("if(d)1;" + "else if(d)1;" * 20000, shapes[0](20000)):
    watchpoint.SetCondition(deep)
    run("breakpoint disable")
    run("rewind goto end")
    run("process continue -R")
    assert process.GetSelectedThread().GetStopReason() == lldb.eStopReasonWatchpoint
run("rewind goto start")
run("breakpoint enable")
run("watchpoint modify -c 'd > 0' 1")
run("watchpoint delete -f")
print("watchpoints: refused")

breakpoint = debugger.GetSelectedTarget().GetBreakpointAtIndex(0)
for shape in shapes:
    breakpoint.SetCondition(shape(20000))
    before = process.GetSelectedThread().GetFrameAtIndex(0).FindRegister("rewind_position").GetValueAsUnsigned()
    run("continue")
    run("rewind goto %d" % before)
print("breakpoints: refused")

# Where the condition divides by zero it cannot be tested: that stops.
for condition, stops in (("($x1/0)==1", 8), ("d != 3 && 6 / (d - 3) == 6", 1), ("6 % (d - 3) == 5", 1)):
    breakpoint.SetCondition(condition)
    run("rewind goto start")
    found = 0
    while True:
        run("continue")
        if process.GetSelectedThread().GetFrameAtIndex(0).GetFunctionName() != "visit":
            break
        found += 1
    print(condition, "stops", found, "times, wanted", stops)
