"""Loads Intel PT bundles with `rewind load` or `trace load` and `rewind adopt`,
and compares the pcs with what was recorded when the bundle was made."""

import gzip
import os
import struct
import sys

import lldb
from session import debugger, run

how, plugin, corpus, scratch = sys.argv[1:5]


def recorded(bundle, tid):
    data = gzip.open(os.path.join(bundle, "%d.pcs.gz" % tid)).read()
    return list(struct.unpack("<%dQ" % (len(data) // 8), data))


def traced(target):
    """What SBTraceCursor tells of each thread: the pcs, and the events (tracing
    off, clock ticks, sync points), after how many of them."""
    pcs, events = {}, {}
    for thread in target.GetProcess():
        error = lldb.SBError()
        cursor = target.GetTrace().CreateNewCursor(error, thread)
        assert error.Success(), error
        cursor.Seek(0, lldb.eTraceCursorSeekTypeBeginning)
        cursor.SetForwards(True)
        mine = pcs[thread.GetThreadID()] = []
        off = events[thread.GetThreadID()] = []
        while cursor.HasValue():
            if cursor.IsInstruction():
                mine.append(cursor.GetLoadAddress())
            elif cursor.IsEvent():
                off.append((len(mine), cursor.GetEventType()))
            cursor.Next()
    return pcs, events


def pauses(events):
    """Without what is not adopted."""
    off = (lldb.eTraceEventDisabledHW, lldb.eTraceEventDisabledSW)
    return {tid: [e for e in of if e[1] in off] for tid, of in events.items()}


def without_exceptions(events, expected):
    """LLDB's decoder does not tell where a signal came. Rewind does, and there is
    no kind of event for it but that of a sync point."""
    return {tid: [e for e in of if e in expected[tid] or e[1] != lldb.eTraceEventSyncPoint]
            for tid, of in events.items()}


run("plugin load " + plugin)
for name in sorted(os.listdir(corpus)):
    bundle = os.path.join(corpus, name)
    if not os.path.exists(os.path.join(bundle, "trace.json")):
        continue
    # What LLDB says is what is adopted, right or wrong.
    run("trace load %s/trace.json" % bundle)
    theirs, expected_events = traced(debugger.GetSelectedTarget())
    if how == "adopt":
        run("rewind adopt")
    else:
        run("rewind load %s/trace.json --index %s/%s.rewind" % (bundle, scratch, name))
    target = debugger.GetSelectedTarget()
    found, events = traced(target)
    count = sum(map(len, found.values()))
    if how == "adopt":
        assert found == theirs and pauses(events) == pauses(expected_events), name
        print("%s: %d instructions as LLDB has them" % (name, count))
    else:
        expected = {tid: recorded(bundle, tid) for tid in found}
        for tid, pcs in found.items():
            assert pcs == expected[tid], (name, tid, len(pcs), len(expected[tid]))
        if found == theirs:
            assert without_exceptions(events, expected_events) == expected_events, (
                name, events, expected_events)
        print("%s: %d instructions as recorded, LLDB has %s" % (
            name, count, "the same" if found == theirs else
            "%d" % sum(map(len, theirs.values()))))
    # Where the selected thread begins and ends is where the process stands.
    for position in (0, -1):
        run("rewind goto " + ("end" if position else "start"))
        thread = target.GetProcess().GetSelectedThread()
        pc = thread.GetFrameAtIndex(0).GetPC()
        assert pc == found[thread.GetThreadID()][position], name
    debugger.DeleteTarget(target)
