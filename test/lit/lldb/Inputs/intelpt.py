"""Loads Intel PT bundles with `rewind load` or `trace load` and `rewind adopt`,
and compares the pcs with what was recorded when the bundle was made."""

import gzip
import json
import os
import struct
import sys

import lldb

how, plugin, corpus, scratch = sys.argv[1:5]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), command + ": " + (result.GetError() or "")
    return result.GetOutput() or ""


def other_build(bundle):
    """The first module whose file is not the one that was traced."""
    for process in json.load(open(os.path.join(bundle, "trace.json")))["processes"]:
        for module in process["modules"]:
            path = os.path.join(bundle, module.get("file", module["systemPath"]))
            spec = lldb.SBModuleSpec()
            spec.SetFileSpec(lldb.SBFileSpec(path))
            uuid = lldb.SBModule(spec).GetUUIDString()
            if uuid != module["uuid"]:
                return path
    return None


def recorded(bundle, tid):
    data = gzip.open(os.path.join(bundle, "%d.pcs.gz" % tid)).read()
    return list(struct.unpack("<%dQ" % (len(data) // 8), data))


def traced(target):
    """The pcs of each thread, by SBTraceCursor."""
    found = {}
    for thread in target.GetProcess():
        error = lldb.SBError()
        cursor = target.GetTrace().CreateNewCursor(error, thread)
        assert error.Success(), error
        cursor.Seek(0, lldb.eTraceCursorSeekTypeBeginning)
        cursor.SetForwards(True)
        pcs = found[thread.GetThreadID()] = []
        while cursor.HasValue():
            if cursor.IsInstruction():
                pcs.append(cursor.GetLoadAddress())
            cursor.Next()
    return found


run("plugin load " + plugin)
for name in sorted(os.listdir(corpus)):
    bundle = os.path.join(corpus, name)
    if not os.path.exists(os.path.join(bundle, "trace.json")):
        continue
    wrong = other_build(bundle)
    if wrong:
        print("%s: skipped: %s is another build than was traced" % (name, wrong))
        continue
    if how == "adopt":
        # What LLDB says is what is adopted, right or wrong.
        run("trace load %s/trace.json" % bundle)
        expected = traced(debugger.GetSelectedTarget())
        run("rewind adopt")
    else:
        run("rewind load %s/trace.json --index %s/%s.rewind" % (bundle, scratch, name))
    target = debugger.GetSelectedTarget()
    found = traced(target)
    if how != "adopt":
        expected = {tid: recorded(bundle, tid) for tid in found}
    for tid, pcs in found.items():
        assert pcs == expected[tid], (name, tid, len(pcs), len(expected[tid]))
    # Where every thread begins and ends is where the process stands.
    for position in ("start", "end"):
        run("rewind goto " + position)
        for thread in target.GetProcess():
            pcs = expected[thread.GetThreadID()]
            pc = thread.GetFrameAtIndex(0).GetPC()
            if thread.GetThreadID() == target.GetProcess().GetSelectedThread().GetThreadID():
                assert pc == (pcs[0] if position == "start" else pcs[-1]), name
    print("%s: %d instructions as %s" % (
        name, sum(map(len, found.values())),
        "LLDB has them" if how == "adopt" else "recorded"))
    debugger.DeleteTarget(target)
