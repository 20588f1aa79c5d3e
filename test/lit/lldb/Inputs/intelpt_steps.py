"""Frames, finish, step over and their reverse in traces without registers,
against the call index."""

import json
import os
import random
import sys

import lldb

plugin, corpus, scratch = sys.argv[1:4]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), command + ": " + (result.GetError() or "")
    return result.GetOutput()


def position():
    return json.loads(run("rewind where --json"))["position"]


def stack():
    return json.loads(run("rewind calls where --json"))["items"]


random.seed(1)
run("plugin load " + plugin)
for name in ("fib", "hello-entry", "indirect", "plt"):
    run("rewind load %s/%s/trace.json --index %s/%s.rewind" % (corpus, name, scratch, name))
    target = debugger.GetSelectedTarget()
    thread = target.GetProcess().GetThreadAtIndex(0)
    # A system call pauses the trace, but nothing is missing there.
    assert "gap" not in run("rewind calls tree -c 1000000")
    run("rewind goto end")
    total = position()
    checked = dict.fromkeys(("frames", "out", "over", "back"), 0)
    for at in sorted(random.randrange(total) for _ in range(60)):
        run("rewind goto %d" % at)
        calls = stack()
        # An activation is a frame, and one more for each call inlined there, which
        # come first.
        frames, inlined = [], False
        for i in range(thread.GetNumFrames()):
            frame = thread.GetFrameAtIndex(i)
            if not inlined:
                frames.append(frame)
            inlined = frame.IsInlined()
        assert len(frames) == len(calls), (name, at, len(frames), len(calls))
        for frame, call in zip(frames[1:], calls[1:]):
            # A caller stands behind its call.
            behind = frame.GetPC() - int(call["pc"], 16)
            assert 2 <= behind <= 15, (name, at, behind)
        checked["frames"] += 1
        inner = calls[0]
        if len(calls) > 1 and not thread.GetFrameAtIndex(0).IsInlined():
            thread.StepOut()
            if inner["returned"]:
                assert position() == inner["end"], (name, at, position(), inner)
                checked["out"] += 1
            run("rewind goto %d" % at)
            run("reverse-finish")
            assert position() == inner["entry"] - 1, (name, at, position(), inner)
            checked["back"] += 1
            run("rewind goto %d" % at)
        if thread.GetFrameAtIndex(0).GetLineEntry().IsValid():
            thread.StepOver()
            if position() != total:
                assert position() > at
                outer = [c["id"] for c in calls]
                assert stack()[0]["id"] in outer[:2], (name, at, position())
                checked["over"] += 1
    # The former has no lines where the positions are, the latter is too short.
    assert all(checked.values()) or name in ("hello-entry", "plt"), checked
    print("%s: exact: %s" % (name, ", ".join("%d %s" % (n, k) for k, n in checked.items())))
    debugger.DeleteTarget(target)
