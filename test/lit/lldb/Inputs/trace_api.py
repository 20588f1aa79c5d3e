"""Compares `thread trace dump instructions` and SBTraceCursor with the text of
the traces."""
import os
import re
import sys

import lldb
from session import debugger, run

plugin, corpus, scratch = sys.argv[1:]


def instructions(path):
    """The pcs of the instruction lines, in order."""
    fields = re.compile(
        r"\s*(?:\d+ \w+ )?(?:I[TS] (?:\(\d+\) )?([0-9a-fA-F]{8,16})(?::[0-9a-fA-F]+)? |"
        r"ES\s+\(([0-9a-fA-F]{8,16}):)"
    )
    found = (fields.match(line) for line in open(path, errors="replace"))
    return [int(f.group(1) or f.group(2), 16) for f in found if f]


run("plugin load " + plugin)
for name in sorted(os.listdir(corpus)):
    name, extension = os.path.splitext(name)
    if extension != ".tarmac" or name == "indextest":
        continue
    trace = os.path.join(corpus, name + ".tarmac")
    run("rewind load %s --index %s/%s.rewind" % (trace, scratch, name))
    expected = instructions(trace)
    listed = []
    for line in run("thread trace dump instructions -f -r -c 1000000").splitlines():
        found = re.match(r"\s+\d+: 0x([0-9a-f]+)", line)
        if found:
            listed.append(int(found.group(1), 16))
    assert listed == expected, (name, len(listed), len(expected))
    print(name + ":", len(listed), "instructions listed as in the text")

target = debugger.GetSelectedTarget()
trace, error = target.GetTrace(), lldb.SBError()
assert trace.IsValid()
thread = target.GetProcess().GetThreadAtIndex(0)
cursor = trace.CreateNewCursor(error, thread)
assert error.Success() and not cursor.IsForwards()
backward = []
while cursor.HasValue():
    if cursor.IsInstruction():
        backward.append(cursor.GetLoadAddress())
        # Accessors of the wrong kind are answered, too.
        assert cursor.GetError() in (None, "")
        cursor.GetEventType()
    else:
        assert cursor.GetLoadAddress() == lldb.LLDB_INVALID_ADDRESS
    cursor.Next()
cursor.GetLoadAddress()
cursor.SetForwards(True)
assert cursor.Seek(0, lldb.eTraceCursorSeekTypeBeginning)
forward = []
while cursor.HasValue():
    if cursor.IsInstruction():
        forward.append(cursor.GetLoadAddress())
    cursor.Next()
assert forward == expected and backward[::-1] == expected
assert cursor.GoToId(0) and cursor.GetId() == 0
assert not cursor.GoToId(1 << 40) and not cursor.HasValue()
print("cursor:", len(forward), "instructions, both ways")

saved = os.path.join(scratch, "saved")
foreign = os.path.join(scratch, "foreign")
os.mkdir(foreign)
with open(os.path.join(foreign, "load.lldb"), "w") as file:
    file.write("mine")
refused = lldb.SBCommandReturnObject()
debugger.GetCommandInterpreter().HandleCommand("trace save " + foreign, refused)
assert "it is a script that 'trace save' has not written" in refused.GetError(), refused.GetError()
assert os.listdir(foreign) == ["load.lldb"], os.listdir(foreign)
assert open(os.path.join(foreign, "load.lldb")).read() == "mine"
run("trace save " + saved)
os.chdir(saved)
index = [name for name in os.listdir(".") if name.endswith(".rewind")]
before = [os.stat(name).st_ino for name in index]
run("command source load.lldb")
# The saved index is good: nobody has made it again.
assert index and before == [os.stat(name).st_ino for name in index], index
assert debugger.GetSelectedTarget() != target
assert "0x0000000000008000" in run("thread trace dump instructions -f -r -c 50")
print("saved and loaded again")
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
