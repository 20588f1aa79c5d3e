"""scoped.py <plugin> <rewind> <program> <source>...: at each line "// here NAME"
of the sources NAME is what `seen` is, for LLDB as for the shell: its value alone
and in an expression, its last write, a search's condition and a breakpoint's. At
a line "// path NAME" only NAME alone has a value, or is refused."""
import json
import re
import subprocess
import sys

import lldb

from session import load, position, run

plugin, rewind, program, *sources = sys.argv[1:]
trace = program + ".tarmac"
target = load(plugin, trace, program, shows=False)
process = target.GetProcess()


def shell(*words):
    command = [rewind, words[0], trace, *words[1:], "--image", program, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def values(answer):
    return [(visit["position"], visit["value"]) for visit in answer["items"]]


def lldbs(command):
    return json.loads(run("rewind " + command + " --json"))


def stops(place, condition):
    """Where a breakpoint with the condition stops."""
    run("rewind goto start")
    file, line = place.split(":")
    breakpoint = target.BreakpointCreateByLocation(file, int(line))
    breakpoint.SetCondition(condition)
    found = []
    while True:
        process.Continue()
        if process.GetSelectedThread().GetStopReason() != lldb.eStopReasonBreakpoint:
            target.BreakpointDelete(breakpoint.GetID())
            return found
        found.append(position())


asked = 0
for source in sources:
    for number, line in enumerate(open(source), 1):
        mark = re.search(r"// (here|path) (\S+)", line)
        if not mark:
            continue
        asked += 1
        what, name = mark.groups()
        place = "%s:%d" % (source.split("/")[-1], number)
        print(place, name)
        true = values(shell("eval", "seen", "--at", place))
        assert len(true) >= 4, true
        assert values(shell("eval", name, "--at", place)) == true
        assert values(lldbs("eval %s --at %s" % (name, place))) == true, run("rewind eval %s --at %s" % (name, place))
        if what == "path":
            print(run("rewind eval %s+0 --at %s" % (name, place), fails=True))
            continue
        assert values(lldbs("eval %s+0 --at %s" % (name, place))) == true, run("rewind eval %s+0 --at %s" % (name, place))
        when, value = true[2]
        visits = [p for p, v in true if v == value]
        for condition in "%s == %s" % (name, value), "%s + sizeof(char[1]) == %d" % (name, int(value) + 1):
            told = lldbs("find %s --if '%s' --all" % (place, condition))
            assert [item["position"] for item in told["items"]] == visits, (condition, told, visits)
            assert stops(place, condition) == visits, condition
        told = shell("find", place, "--if", "%s == %s" % (name, value), "--all")
        assert [item["position"] for item in told["items"]] == visits, told
        run("rewind goto %d" % when)
        mine, theirs = lldbs("last-write " + name), shell("last-write", name, "--at", str(when))
        for key in "location", "items":
            assert mine.get(key) == theirs.get(key), (mine, theirs)
print("%d names, each as C++ has it" % asked)
