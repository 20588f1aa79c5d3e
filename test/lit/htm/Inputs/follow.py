"""follow.py <plugin> <dump> <truth>: goes through a generated dump in LLDB, both
ways, and compares with the generator's list of instructions: address, opcode and
data address of each."""
import random
import re
import sys

import lldb
from session import debugger, run

STORES = (0xF8010010, 0xF8A90008)  # std r0,16(r1); std r5,8(r9)

plugin, dump, truth_path = sys.argv[1:]
truth = []
for line in open(truth_path):
    words = [int(w, 16) for w in line.split()]
    # A prefixed instruction is two lines; its first word is its prefix.
    if truth and truth[-1][1] >> 26 == 1 and words[0] == truth[-1][0] + 4:
        continue
    truth.append((words[0], words[1], words[2] if len(words) > 2 else None))


def pc():
    return debugger.GetSelectedTarget().process.selected_thread.frame[0].pc


def expect(got, expected, where):
    assert got == expected, "%s: %r, expected %r" % (where, got, expected)


run("plugin load " + plugin)
run("rewind load " + dump)
for at in range(200):
    expect(pc(), truth[at][0], "forward, #%d" % at)
    run("stepi")
for at in reversed(range(200)):
    run("reverse-stepi")
    expect(pc(), truth[at][0], "back, #%d" % at)

target = debugger.GetSelectedTarget()
random.seed(1)
last = len(truth) - 1
for at in [random.randrange(last) for _ in range(100)] + [last]:
    run("rewind goto #%d" % at)
    expect(pc(), truth[at][0], "goto #%d" % at)
    # The code is the trace's.
    error = lldb.SBError()
    code = target.process.ReadUnsignedFromMemory(pc(), 4, error)
    assert error.Success(), error
    expect("%08x" % code, "%08x" % truth[at][1], "code of #%d" % at)
    stores = [i for i in range(at) if truth[i][1] in STORES]
    if not stores:
        continue
    store = random.choice(stores[-20:])
    address = truth[store][2]
    writer = max(i for i in stores if truth[i][2] == address)
    said = run("rewind last-write 0x%x --size 8" % address)
    found = re.search(r"]: #(\d+)", said)
    expect(found and int(found[1]), writer, "writer of 0x%x before #%d" % (address, at))

# Breakpoints, both ways.
function = 0x10000800
visits = [i for i, (address, _, _) in enumerate(truth) if address == function]
run("rewind goto end")
target.BreakpointCreateByAddress(function)
for at in reversed(visits[-10:]):
    run("reverse-continue")
    assert run("rewind where").startswith("#%d " % at), run("rewind where")
for at in visits[-9:]:
    run("continue")
    assert run("rewind where").startswith("#%d " % at), run("rewind where")
print("%d instructions, %d calls of the function: as they were made" % (
    len(truth), len(visits)))
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
