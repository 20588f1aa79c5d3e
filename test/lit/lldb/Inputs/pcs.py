"""Loads a trace of one thread and compares its pcs, as SBTraceCursor tells them,
with what was recorded: pcs.py <plugin> <trace> <index> <pcs.gz>."""

import gzip
import struct
import sys

import lldb

plugin, trace, index, recorded = sys.argv[1:5]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
for command in ("plugin load " + plugin, "rewind load %s --index %s" % (trace, index)):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), command + ": " + (result.GetError() or "")
target = debugger.GetSelectedTarget()
error = lldb.SBError()
cursor = target.GetTrace().CreateNewCursor(error, target.GetProcess().GetThreadAtIndex(0))
assert error.Success(), error
cursor.Seek(0, lldb.eTraceCursorSeekTypeBeginning)
cursor.SetForwards(True)
pcs = []
while cursor.HasValue():
    if cursor.IsInstruction():
        pcs.append(cursor.GetLoadAddress())
    cursor.Next()
data = gzip.open(recorded).read()
assert pcs == list(struct.unpack("<%dQ" % (len(data) // 8), data))
print("%d instructions as recorded" % len(pcs))
