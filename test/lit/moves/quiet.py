"""quiet.py <plugin> <trace> <image>: what commands leave as it was, and what
their output is made of."""
import json
import sys

import lldb
from session import debugger, run

plugin, trace, image = sys.argv[1:]

run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))


def shown():
    return [run(c) for c in ("thread list", "process status", "frame info", "register read --all",
                             "breakpoint list", "thread backtrace")]


# Breakpoints at what is visited, of which one says no.
run("breakpoint set --name find")
run("breakpoint set --name find --condition 'sku == 1234567'")
run("continue")
run("continue")
run("up")
for where in (None, "thread step-inst", "rewind goto 2000", "rs", "finish"):
    if where:
        run(where)
    before = shown()
    for expression in ("sku", "sku + 1", "w1", "$x1", "tree->sku"):
        text = run("rewind eval %s --at inventory.c:90 -c 5" % expression)
        assert "-- 5 visits" in text, text
        assert shown() == before, (where, expression)
print("eval leaves everything as it was")

for command in ("goto 100", "goto 2000", "back", "forward", "find find --next --goto",
                "last-write x0 --goto", "calls parent", "calls enter", "calls leave"):
    json.loads(run("rewind %s --json" % command))
print("moves print JSON alone")

text = run("rewind help")
assert "last-write" in text and "at-stop" not in text, text
assert run("rewind help goto").startswith("Go to a position"), text
assert "rewind load" in run("rewind help index")
assert "no command 'nonsense'" in run("rewind help nonsense", True)
assert "position in time" in run("target stop-hook list")
print("help helps")

# The direction is no hook's business.
run("target stop-hook delete 1")
run("rewind goto end")
run("rc")
run("rc")
first = int(run("register read rewind_position").split("=")[1])
run("continue")
second = int(run("register read rewind_position").split("=")[1])
assert second > first, (first, second)
print("continue goes forward")
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
