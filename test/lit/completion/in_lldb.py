"""in_lldb.py <plugin>: what LLDB completes of Rewind's commands, against what LLDB
itself knows of the program: registers, variables, members and functions."""
import sys

import lldb
from session import debugger, run

interpreter = debugger.GetCommandInterpreter()
wrong = 0


def complete(line):
    words, notes = lldb.SBStringList(), lldb.SBStringList()
    interpreter.HandleCompletionWithDescriptions(line, len(line), 0, -1, words, notes)
    # The first is what all have in common.
    return [words.GetStringAtIndex(i) for i in range(1, words.GetSize())]


def show(line):
    print("%s -> %s" % (line, " ".join(complete(line))))


def same(line, wanted):
    global wrong
    found = complete(line)
    if sorted(found) != sorted(set(wanted)) or not wanted:
        wrong += 1
        print("wrong:", line, found, sorted(set(wanted)))


run("plugin load " + sys.argv[1])
# Without a trace: commands, options, words and files.
show("rewind last-w")
show("rewind load sample.t")
show("rewind load sample.tarmac --ima")
show("rewind load sample.tarmac --image=sample.e")
show("rewind load sample.tarmac --format q")
show("rewind goto bo")
show("rewind help cri")
run("rewind load sample.tarmac --image sample.elf")
run("rewind bookmark add boots 100")
run("rewind goto 40000")
target = debugger.GetSelectedTarget()
frame = target.GetProcess().GetSelectedThread().GetSelectedFrame()

show("rewind goto bo")
show("rewind goto e")
show("rewind bookmark delete ")
show("rewind find --n")
show("rewind find -e g")
show("rewind find sysc")
show("rewind slice x0 --control=")
show("rewind deps lin")
show("rewind deps lines --kinds ")
show("rewind last ite")
show("rewind export svg -o sample.e")
show("rewind htr run functions,b")
show("rewind htr d")
show("rewind truncate sam")
show("reverse-step 1")
show("rewind eval --at set_lab")

registers = [r.GetName() for s in frame.GetRegisters() for r in s]
for begin in ("x", "x1", "v3", "s", "pc", "cps"):
    mine = [n for n in registers if n.startswith(begin)]
    found = [w for w in complete("rewind last-write " + begin) if w in registers]
    if sorted(found) != sorted(mine) or not mine:
        wrong += 1
        print("wrong:", begin, found, mine)
show("rewind last-write $x1")
variables = [v.GetName().lstrip(":") for v in frame.GetVariables(True, True, True, True)]
for name in variables:
    if name not in complete("rewind last-write " + name[:2]):
        wrong += 1
        print("wrong:", name)
pointer = next(v for v in frame.GetVariables(True, True, False, True) if v.GetType().IsPointerType())
members = [m.GetName() for m in pointer.GetType().GetPointeeType().fields]
path = pointer.GetName() + "->"
same("rewind last-write " + path, [path + m for m in members])
same("rewind eval --at audit 1+" + path + "l", ["1+" + path + m for m in members if m.startswith("l")])
functions = [s.GetName() for s in target.GetModuleAtIndex(0).symbols if s.GetType() == lldb.eSymbolTypeCode]
for begin in sorted({n[:2] for n in functions}):
    words = ("value", "opcode", "mnemonic", "syscall", "call", "exception")
    same(
        "rewind find " + begin,
        [n for n in functions if n.startswith(begin)] + [w for w in words if w.startswith(begin)],
    )
print("wrong:", wrong)
