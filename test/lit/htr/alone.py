"""alone.py <plugin> <trace> <image>: 'rewind htr' alone, in two debuggers of
which one is gone before the other is asked."""
import sys

import lldb

plugin, trace, image = sys.argv[1:4]


class Debugger:
    def __init__(self):
        self.debugger = lldb.SBDebugger.Create(False)
        self.debugger.SetAsync(False)
        self.interpreter = self.debugger.GetCommandInterpreter()
        self.run(f"plugin load {plugin}")

    def run(self, command):
        result = lldb.SBCommandReturnObject()
        self.interpreter.HandleCommand(command, result)
        return (result.GetOutput() or "") + (result.GetError() or "")

    def first(self, command):
        print(f"{command}: {self.run(command).splitlines()[0]}")

    def same(self, command, other):
        text = self.run(command)
        if text == self.run(other) and text.count("\n") > 3:
            print(f"{command}: as '{other}'")
        else:
            print(f"{command}: {text}")

    def complete(self, line):
        found = lldb.SBStringList()
        self.interpreter.HandleCompletion(line, len(line), 0, -1, found)
        print("completed:", *[found.GetStringAtIndex(i) for i in range(1, found.GetSize())])


one, two = Debugger(), Debugger()
one.first("rewind htr")
one.run(f"rewind load {trace} --image {image}")
one.same("rewind htr", "rewind htr dump")
one.same("rew htr", "rewind htr dump")
one.same("rewind htr -c 9", "rewind htr dump -c 9")
one.same("rewind htr --json", "rewind htr dump --json")
one.same("rewind htr du 1 -c 3", "rewind htr dump 1 -c 3")
one.first("rewind htr nope")
one.first("rewind htr --nope")
one.first("help rewind htr")
one.first("rewind calls")
one.complete("rewind htr ")
one.complete("rewind htr exp")
page = one.run("rewind htr -c 9")
lldb.SBDebugger.Destroy(one.debugger)
two.run(f"rewind load {trace} --image {image}")
print("another debugger:", "the same page" if two.run("rewind htr -c 9") == page else "another page")
with open("page.txt", "w") as f:
    f.write(page)
