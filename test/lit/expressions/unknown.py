"""unknown.py <plugin> <trace> <image>: what is said of variables of unknown.cpp that
nothing has written yet: the name of what is unknown, and where it is, as the image's
symbols have it. Prints what is wrong, and how much was tried."""
import re
import sys

import lldb
from session import debugger, run

plugin, trace, image = sys.argv[1:]
run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
target = debugger.GetSelectedTarget()
process = target.GetProcess()
breakpoint = target.BreakpointCreateBySourceRegex("hits = m", lldb.SBFileSpec("unknown.cpp"))
run("continue")
line = process.GetSelectedThread().GetSelectedFrame().GetLineEntry().GetLine()

symbols = {}
for module in target.module_iter():
    for symbol in module:
        if symbol.GetName():
            symbols[symbol.GetName()] = symbol.GetStartAddress().GetLoadAddress(target)
word = target.GetAddressByteSize()
total = wrong = 0


def check(what, got, wanted):
    global total, wrong
    total += 1
    if not re.search(wanted, got):
        wrong += 1
        print("wrong: %s: %s, not %s" % (what, got, wanted))


def unknown(name, symbol, offset=0):
    return r"unknown: the trace does not tell %s here \(address 0x%x\)$" % (
        re.escape(name), symbols[symbol] + offset)


# The expression; what of it is unknown; the symbol where that is, and an offset.
for expression, *which in (
    ("::flag", "::flag", "flag"),
    ("flag", "flag", "ns::flag"),
    ("ns::flag + 1", "ns::flag", "ns::flag"),
    ("hits", "hits", "ns::item::hits"),
    ("ns::item::hits * 2", "ns::item::hits", "ns::item::hits"),
    ("m", "m", "object"),
    ("this->m + 1", "this->m", "object"),
    ("*q", "q", "object", word),
    ("object.q", "object.q", "object", word),
    ("hidden", "hidden", "hidden"),
    ("hidden ? 1 : 2", "hidden", "hidden"),
    ("(double)hidden", "hidden", "hidden"),
    ("-hidden", "hidden", "hidden"),
    ("(hidden)", "hidden", "hidden"),
    ("*&hidden", "hidden", "hidden"),
    ("k ? 0 : hidden", "hidden", "hidden"),
    ("&arr[1] && hidden", "hidden", "hidden"),
    ("k == 0 && hidden == 77", "hidden", "hidden"),
    ("box.a[hidden]", "hidden", "hidden"),
    ("known[hidden]", "hidden", "hidden"),
    ("pairs[hidden]", "hidden", "hidden"),
    ("p[hidden + 1]", "hidden", "hidden"),
    ("int t = 0; for (int i = 0; i < 4; ++i) t += hidden; t", "hidden", "hidden"),
    ("int t = 0; for (int i = 0; i < 4; ++i) t += arr[i]; t", "arr[0]", "arr"),
    ("wide & 1", "wide", "wide"),
    ("(int)real", "real", "real"),
    ("!truth", "truth", "truth"),
    ("callback == 0", "callback", "callback"),
    ("pointer", "pointer", "pointer"),
    ("*pointer", "pointer", "pointer"),
    ("k + *pointer", "pointer", "pointer"),
    ("pointer[2]", "pointer", "pointer"),
    ("*p", "*p", "arr"),
    ("k * *p", "*p", "arr"),
    ("*(p + 2)", "*(p + 2)", "arr", 8),
    ("*p + 1.5", "*p", "arr"),
    ("p[3]", "p[3]", "arr", 12),
    ("arr[k + 2]", "arr[k + 2]", "arr", 8),
    ("ref + 1", "ref", "flag"),
    ("b->n", "b->n", "box"),
    ("(*b).a[1]", "(*b).a[1]", "box", 8),
    ("((pair *)b)->n", "((pair *)b)->n", "box"),
):
    wanted = unknown(*which)
    check("p " + expression, run("p " + expression, fails=True).strip(), wanted)
    check("expr " + expression, run("expr -- " + expression, fails=True).strip(), wanted)

# At each visit: unknown at the first. What has a place is told as in the shell.
for expression, *which in (
    ("::flag", "::flag", "flag"),
    ("hits + 1", "hits", "ns::item::hits"),
    ("known[hidden]", "hidden", "hidden"),
    ("hidden ? 1 : 2", "hidden", "hidden"),
    ("*p", "*p", "arr"),
    ("ref", "ref", "flag"),
):
    rows = run('rewind eval "%s" --at unknown.cpp:%d' % (expression, line)).splitlines()
    place = expression == which[0]
    check("eval " + expression, rows[0], "cpp:%d  <unknown>$" % line if place else unknown(*which))
    if place:
        told = run('rewind history "%s" -c 1' % expression).splitlines()[0]
        check("history " + expression, told, re.escape("%s [0x%x, " % (expression, symbols[which[1]])))
    check("eval " + expression, rows[1], "cpp:%d  [0-9]" % line)

# What is not needed need not be known.
for expression, wanted in (
    ("&hidden", r"^\(int \*\) 0x0*%x$" % symbols["hidden"]),
    ("&ns::item::hits", r"^\(int \*\) 0x0*%x$" % symbols["ns::item::hits"]),
    ("&pointer", r"^\(int \*\*\) 0x0*%x$" % symbols["pointer"]),
    ("(char *)&hidden + 1", r"^\(char \*\) 0x0*%x\b" % (symbols["hidden"] + 1)),
    ("sizeof(hidden)", r"\) 4$"),
    ("k && hidden", "false$"),
    ("!k || hidden", "true$"),
    ("k ? hidden : 5", r"^\(int\) 5$"),
    ("k == 0 ? 5 : hidden", r"^\(int\) 5$"),
):
    check("p " + expression, run("p " + expression).strip(), wanted)
# LLDB shows where a reference leads.
check("p ref", run("p ref"), "read memory from 0x%x failed" % symbols["flag"])
check("its own", run("expr int hidden = 3; hidden").strip(), "= 3$")
check("a write", run("expr hidden = 3", fails=True), "this is a recording: it cannot be changed")


def argument():
    """Of the visit where it stopped; none at the end."""
    frame = process.GetSelectedThread().GetSelectedFrame()
    return frame.FindVariable("k").GetValueAsSigned(-1) if frame.GetLineEntry().GetLine() == line else None


# What LLDB says of a condition it says aside.
said = open("said.txt", "w+")
debugger.SetErrorFile(lldb.SBFile.Create(said, borrow=True))


def condition(text, stops, told):
    """All stops from the start on, and what is said of the first."""
    breakpoint.SetCondition(text)
    for again in range(2):
        run("rewind goto start")
        said.seek(0)
        said.truncate()
        found = []
        while len(found) < 9:
            run("continue")
            if argument() is None:
                break
            found.append(argument())
        check(text, str(found), "^%s$" % re.escape(str(stops)))
        debugger.GetErrorFile().Flush()
        check(text, open("said.txt").read().strip(), told)


condition("hidden == 77", [0], "(?m)" + unknown("hidden", "hidden"))
condition("hidden == 2", [0, 3], "(?m)" + unknown("hidden", "hidden"))
condition("hits * 2.0 == 4", [0, 3], "(?m)" + unknown("hits", "ns::item::hits"))
condition("k && hidden == 2", [3], "^$")
condition("known[hidden] == 7", [0, 3], "(?m)" + unknown("hidden", "hidden"))
print("%d tried, %d wrong" % (total, wrong))
