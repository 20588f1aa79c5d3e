"""The same names in LLDB: hostile_lldb.py <plugin> <yaml2obj> <folder>. What LLDB
prints of a symbol by itself is taken out first: LLDB does not escape it."""

import sys

import lldb
from hostile_input import HARMFUL, RAW, make
from session import debugger

plugin, yaml2obj, folder = sys.argv[1:]
trace, image = make(yaml2obj, folder, long=100000)
# What is said between the answers: where the recording stands now.
said = folder + "/said"
debugger.SetOutputFileHandle(open(said, "w"), True)
interpreter = debugger.GetCommandInterpreter()
# Python gets what is no UTF-8 from LLDB as lone surrogates.
its_own = "f" + RAW.decode(errors="surrogateescape")
escapes = harmful = 0


def without_its_own(text):
    # In a comment on an instruction there is the first line of it.
    return text.replace(its_own, "f").replace(its_own.splitlines()[0], "f")


def look(what, text):
    global escapes, harmful
    escapes += text.count("\\x1b")
    if found := HARMFUL.search(text) or any("\ud800" <= c <= "\udfff" for c in text):
        harmful += 1
        print("HARMFUL", what, found, repr(text)[:2000])


def ask(command, succeeds=True):
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(command, result)
    text = (result.GetOutput() or "") + (result.GetError() or "")
    if result.Succeeded() != succeeds:
        print("PROBLEM", command, text[:500])
    look(command, text if command.startswith("rewind") else without_its_own(text))
    return text


def complete(command):
    matches = lldb.SBStringList()
    interpreter.HandleCompletion(command, len(command), 0, -1, matches)
    for i in range(matches.GetSize()):
        look("completion of " + command, matches.GetStringAtIndex(i))


assert not ask("plugin load " + plugin)
ask(f"rewind load {trace} --image {image}")
target = debugger.GetSelectedTarget()
for where in "#0", "#2", "#3", "end":
    ask("rewind goto " + where)
    for command in (
        "bt",
        "thread list",
        "thread info",
        "process status",
        "register read --all",
        "rewind where",
        "rewind list --from #0 -c 10",
    ):
        ask(command)
    thread = target.GetProcess().GetSelectedThread()
    look("stop description", thread.GetStopDescription(300000))
    look("thread", thread.GetName() or "")
    for register_set in thread.GetFrameAtIndex(0).GetRegisters():
        for register in register_set:
            look("register", register.GetName())
ask("rewind goto start")
for command in (
    "rewind find --event exception",
    "thread list",
    "process status",
    "rewind find --event exception --all",
    "rewind calls tree",
    "rewind calls tree --json",
    "rewind calls info 0x8010",
    "rewind calls where",
    "rewind profile functions",
    "rewind history x30",
    "rewind info",
    "rewind htr dump",
    "rewind export flamegraph -o -",
    "rewind bookmark add nice",
    "rewind bookmark list",
    "breakpoint set -a 0x8014",
    "rewind goto start",
    "process continue",
    "thread list",
    "stepi",
    "rsi",
    "thread list",
):
    ask(command)
for bad in ("\x1b[31m", "\u009b5m", "x" * 100000 + "\x07"):
    for command in "find", "goto", "history", "last-write", "bookmark add", "no-such":
        if not ask(f"rewind {command} {bad}", succeeds=False):
            print("PROBLEM no answer:", command)
for prefix in "", "f", "m", "b", "--", "x":
    for command in "goto", "find", "history", "list", "calls tree", "bookmark goto":
        complete(f"rewind {command} {prefix}")
lldb.SBDebugger.Destroy(debugger)
with open(said, errors="surrogateescape") as text:
    look("said", without_its_own(text.read()))
print(escapes, "escapes were shown,", harmful, "obeyed")
sys.exit(harmful > 0 or escapes < 50)
