"""contexts.py <plugin> <one> <two> <image> <lldb>...: a recording of one CPU, which is selected,
and one of two. Commands go to either of them, and to each CPU."""
import re
import subprocess
import sys
from collections import Counter

import lldb
from session import debugger, load, position, run

plugin, one, two, image, *debuggers = sys.argv[1:]
first = load(plugin, one, image)
run("rewind goto 1000")
second = load(plugin, two, image)
run("rewind goto 2:3000")
debugger.SetSelectedTarget(first)
interpreter = debugger.GetCommandInterpreter()


def within(command, *context):
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(command, lldb.SBExecutionContext(*context), result)
    assert result.Succeeded(), command + ": " + result.GetError()
    return result.GetOutput()


def place(text):
    """(thread, position), as in "2:#3000 of 20000"."""
    at = re.match(r"(?:(\d):)?#(\d+) of ", text)
    return int(at[1] or 1), int(at[2])


threads = {t.GetIndexID(): t for t in second.GetProcess()}
behind = place(within("rewind where", threads[1]))
assert behind[0] == 1 and behind[1] != 3000, behind
assert place(run("rewind where")) == (1, 1000)
assert place(within("rewind where", first)) == (1, 1000)
assert place(within("rewind where", second)) == (2, 3000)
assert place(within("rewind where", second.GetProcess())) == (2, 3000)
assert place(within("rewind where", threads[2])) == (2, 3000)
assert place(within("rewind where", threads[2].GetFrameAtIndex(1))) == (2, 3000)
assert place(within("rewind where", lldb.SBTarget())) == (1, 1000)

# A frame says what a name means, without having been selected.
thread = first.GetProcess().GetSelectedThread()
for frame in thread.frames:
    for variable in frame.GetVariables(True, True, False, True):
        if variable.GetType().IsAggregateType() or not variable.GetValue():
            continue
        said = {variable.GetValue(), "%#x" % variable.GetValueAsUnsigned()}
        told = within("rewind eval " + variable.GetName(), frame)
        assert any(value in told for value in said), (frame, variable, told)
assert thread.GetSelectedFrame().GetFrameID() == 0
for command in "register read pc", "expression $pc", "rewind eval $pc":
    told = [within(command, threads[i].GetFrameAtIndex(0)) for i in (1, 2)]
    assert told[0].split()[-1] != told[1].split()[-1], told

# They move what they are given, and nothing else.
within("rewind goto 5000", threads[1])
assert place(within("rewind where", second)) == (1, 5000)
within("reverse-stepi", threads[1])
assert place(within("rewind where", second)) == (1, 4999)
assert place(run("rewind where")) == (1, 1000)
assert debugger.GetSelectedTarget() == first and position() == 1000

# What a breakpoint does when it is hit.
log = open("log", "w")
debugger.SetOutputFile(lldb.SBFile(log))
stop = second.BreakpointCreateByName("random_below")
lines = lldb.SBStringList()
lines.AppendString("rewind where")
lines.AppendString("script print('then')")
stop.SetCommandLineCommands(lines)
hits = []
for direction in ("--forward", "--reverse") * 3:
    within("process continue " + direction, second.GetProcess())
    hits.append(place(within("rewind where", second)))
debugger.SetOutputFile(lldb.SBFile(sys.stdout))
log.close()
told = [place(line) for line in open("log") if re.match(r"(\d:)?#\d+ of ", line)]
assert told and all(hit in told for hit in hits) and (1, 1000) not in told, (hits, told)


def visits(command, *options):
    """How many lines of each thread LLDB prints while it runs on from breakpoints."""
    lines = ["plugin load " + plugin, "rewind load %s --image %s" % (two, image), *options, "continue", "rewind where", "quit"]
    piped = subprocess.run(debuggers, input="\n".join(lines), stdout=subprocess.PIPE, text=True).stdout
    return Counter(re.findall(command, piped))


# At a breakpoint that LLDB goes on from by itself, on its own thread.
stop = ["breakpoint set -n random_below -G true"]
there = visits(r"thread #(\d): tid.*stop reason = breakpoint", *stop, "breakpoint command add 1 -o 'thread info'")
assert len(there) == 2 and there["1"] == there["2"] > 10, there
placed = visits(r"\n(\d):#\d+ of \d+ in thread .*: 0x\w+ random_below", *stop, "breakpoint command add 1 -o 'rewind where'")
assert placed == there, (placed, there)
print("each where it was told to")
