"""Walks a trace through LLDB and compares what it reads with a naive replay of
the text. Memory that is unknown must not read."""
import re
import sys

import lldb
from session import debugger, run

plugin, path, index = sys.argv[1:]

# The naive replay: the effects of each instruction, in order.
effects, initial = [], []
for line in open(path):
    words = line.split()
    if len(words) < 4 or words[1] != "clk":
        continue
    into = effects[-1] if effects else initial
    if words[2] in ("IT", "IS"):
        effects.append([])
        effects[-1].append(("pc", int(words[4], 16)))
    elif words[2] == "R":
        found = re.fullmatch(r"X(\d+)", words[3])
        if found and len(words) > 4:
            into.append(("reg", "x" + found.group(1), int(words[4].replace("_", ""), 16)))
    elif re.fullmatch(r"M[RW]\d+", words[2]):
        size = int(words[2][2:])
        value = int(words[4].replace("_", ""), 16).to_bytes(size, "little")
        into.append(("mem", words[2][1], int(words[3].split(":")[0], 16), value))


run("plugin load " + plugin)
run("rewind load %s --index %s" % (path, index))
process = debugger.GetSelectedTarget().GetProcess()
NAMES = {"x29": "fp", "x30": "lr"}

registers, memory = {}, {}


def apply(items):
    for item in items:
        if item[0] == "reg":
            registers[item[1]] = item[2]
        elif item[0] == "mem":
            for k, byte in enumerate(item[3]):
                memory[item[2] + k] = byte


def ranges():
    """The known memory as (address, bytes), adjacent bytes together."""
    begin, data = 0, bytearray()
    for addr in sorted(memory):
        if addr != begin + len(data):
            if data:
                yield begin, bytes(data)
            begin, data = addr, bytearray()
        data.append(memory[addr])
    if data:
        yield begin, bytes(data)


apply(initial)
checked_registers = checked_bytes = positions = 0
for position, items in enumerate(effects):
    run("rewind goto %d" % position)
    frame = process.GetSelectedThread().GetFrameAtIndex(0)
    assert frame.GetPC() == items[0][1], position
    for name, value in registers.items():
        read = frame.FindRegister(NAMES.get(name, name))
        error = lldb.SBError()
        got = read.GetValueAsUnsigned(error, 0)
        assert error.Success() and got == value, (position, name, got, value)
        checked_registers += 1
    for addr, expected in ranges():
        error = lldb.SBError()
        got = process.ReadMemory(addr, len(expected), error)
        assert error.Success() and got == expected, (position, hex(addr))
        checked_bytes += len(expected)
    error = lldb.SBError()
    process.ReadMemory(0x123456780000, 4, error)
    assert error.Fail(), "unknown memory was read"
    positions += 1
    apply(items)
print(checked_registers, "registers and", checked_bytes, "bytes at", positions,
      "positions are as in the text")

run("rewind goto start")
visits = [p for p, items in enumerate(effects) if items[0][1] == 0x803c]
debugger.GetSelectedTarget().BreakpointCreateByAddress(0x803c)


def where():
    return int(re.search(r"#(\d+) of", run("rewind where")).group(1))


forward = []
process.Continue()
while process.GetSelectedThread().GetStopReason() == lldb.eStopReasonBreakpoint:
    forward.append(where())
    process.Continue()
assert process.GetSelectedThread().GetStopReason() == lldb.eStopReasonHistoryBoundary
backward = []
process.ContinueInDirection(lldb.eRunReverse)
while process.GetSelectedThread().GetStopReason() == lldb.eStopReasonBreakpoint:
    backward.append(where())
    process.ContinueInDirection(lldb.eRunReverse)
assert process.GetSelectedThread().GetStopReason() == lldb.eStopReasonHistoryBoundary
assert forward == visits and backward == visits[::-1], (forward, backward, visits)
print("breakpoint visited the same", len(visits), "positions both ways")
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
