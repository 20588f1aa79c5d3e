"""Stops a recorded program and the same program run by QEMU under GDB in the
depth of a recursion, and compares every frame: function, line, variables."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import lldb
from until import listens, until

plugin, trace, elf, gdb, qemu = sys.argv[1:]
STOPS = [("sort", 5), ("sort", 21), ("flatten", 40), ("merge", 30)]


def native(function, ignored):
    """The real run: its sp, and its frames [(function, line, {name: value})]."""
    folder = tempfile.mkdtemp()
    socket = os.path.join(folder, "gdb")
    program = subprocess.Popen([qemu, "-g", socket, elf], stdout=subprocess.DEVNULL)
    script = """set pagination off
set confirm off
set print frame-arguments none
python
import gdb, json
gdb.execute("target remote %s")
gdb.execute("break %s")
gdb.execute("ignore 1 %d")
gdb.execute("continue")
frames, frame = [], gdb.newest_frame()
while frame:
    values = {}
    block = frame.block()
    while block and block.function is None:
        block = block.superblock
    for symbol in block:
        scalar = symbol.type and symbol.type.strip_typedefs().code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_PTR)
        if scalar and (symbol.is_argument or symbol.is_variable):
            values[symbol.name] = int(symbol.value(frame).cast(gdb.lookup_type("unsigned long")))
    frames.append([frame.name(), frame.find_sal().line, values])
    frame = frame.older()
print("FRAMES " + json.dumps([int(gdb.parse_and_eval("(long)$sp")), frames]))
gdb.execute("kill")
end
""" % (socket, function, ignored)
    path = os.path.join(folder, "script")
    with open(path, "w") as f:
        f.write(script)
    try:
        until(lambda: listens(socket), "QEMU listens")
        out = subprocess.run([gdb, "-q", "-nx", "-batch", "-x", path, elf], text=True,
                             capture_output=True, timeout=60)
        found = re.search(r"FRAMES (.*)", out.stdout)
        assert found, out.stdout + out.stderr
        return json.loads(found.group(1))
    finally:
        program.kill()
        program.wait()
        shutil.rmtree(folder)


debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), command + ": " + (result.GetError() or "")


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, elf))
target = debugger.GetSelectedTarget()
for function, ignored in STOPS:
    stack, expected = native(function, ignored)
    run("rewind goto start")
    breakpoint = target.BreakpointCreateByName(function)
    breakpoint.SetIgnoreCount(ignored)
    run("continue")
    thread = target.GetProcess().GetSelectedThread()
    assert thread.GetStopReason() == lldb.eStopReasonBreakpoint, function
    target.BreakpointDelete(breakpoint.GetID())
    frames = list(thread)
    # GDB ends at main.
    assert [f.GetFunctionName() for f in frames[len(expected):]] == ["_start"], function
    variables = 0
    for frame, (name, line, values) in zip(frames, expected):
        assert frame.GetFunctionName() == name or frame.GetDisplayFunctionName() == name, name
        assert frame.GetLineEntry().GetLine() == line, (name, line)
        for variable, value in values.items():
            got = frame.FindVariable(variable)
            if got.GetError().Fail():
                continue  # not known at this place: it was not written yet
            # The stack lies elsewhere; addresses in it differ by that.
            value &= (1 << 64) - 1
            moved = value - stack + frames[0].GetSP()
            assert got.GetValueAsUnsigned() in (value, moved), (name, variable)
            variables += 1
    assert variables, function
    print("%s: %d frames, %d variables as in QEMU" % (function, len(frames), variables))
