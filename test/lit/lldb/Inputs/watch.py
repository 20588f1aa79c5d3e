"""Watches a byte of the sorted array and compares with the text."""
import re
import sys

import lldb
from session import debugger, run

plugin, path, index = sys.argv[1:]
ADDRESS = 0x9004
accesses, position = [], -1
for line in open(path):
    words = line.split()
    if len(words) < 4 or words[1] != "clk":
        continue
    if words[2] in ("IT", "IS"):
        position += 1
    elif re.fullmatch(r"M[RW]\d+", words[2]):
        start, size = int(words[3].split(":")[0], 16), int(words[2][2:])
        if start <= ADDRESS < start + size:
            accesses.append((position, words[2][1]))


def where():
    return int(re.search(r"#(\d+) of", run("rewind where")).group(1))


run("plugin load " + plugin)
run("rewind load %s --index %s" % (path, index))
target = debugger.GetSelectedTarget()
process = target.GetProcess()
for kind, letters in (("write", "W"), ("read", "R"), ("read_write", "RW")):
    expected = sorted({p for p, letter in accesses if letter in letters})
    run("rewind goto start")
    run("watchpoint set expression -w %s -s 1 -- 0x%x" % (kind, ADDRESS))
    forward, backward = [], []
    while True:
        process.Continue()
        if process.GetSelectedThread().GetStopReason() != lldb.eStopReasonWatchpoint:
            break
        forward.append(where() - 1)
    while True:
        run("reverse-continue")
        if process.GetSelectedThread().GetStopReason() != lldb.eStopReasonWatchpoint:
            break
        backward.append(where())
    assert forward == expected, (kind, forward, expected)
    assert backward[::-1] == expected, (kind, backward[::-1], expected)
    run("watchpoint delete -f")
    print(kind + ":", len(expected), "accesses, each found both ways")

write = [p for p, letter in accesses if letter == "W"][-1]
run("rewind goto %d" % (write + 5))
run("watchpoint set expression -w write -s 1 -- 0x%x" % ADDRESS)
run("rsi 20")
assert where() == write, where()
assert process.GetSelectedThread().GetStopReason() == lldb.eStopReasonWatchpoint
print("a reverse verb stops at the watched write")
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
