"""Breakpoints, steps and ends in GDB, compared with the text of the trace."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from recording import *


def main(rewind, trace, index, image, function):
    connect(rewind, trace, index, image)
    run("break *" + function)
    assert go("continue")
    expected = visits(trace, pc())
    jump("start")
    forward = collect("continue")
    for command in ("continue", "step", "next", "stepi"):
        assert not go(command) and position() == end(), command
    backward = collect("reverse-continue")
    assert forward == expected, (forward, expected)
    assert backward[::-1] == expected, (backward, expected)
    for command in ("reverse-continue", "reverse-step", "reverse-next", "reverse-stepi"):
        assert not go(command) and position() == 0, command
    print("breakpoint:", len(expected), "hits, mirrored; both ends end")
    limit = expected[len(expected) // 2]
    run("condition 1 $rewind_position > %d" % limit)
    forward = collect("continue")
    backward = collect("reverse-continue")
    assert forward == [p for p in expected if p > limit] and backward[::-1] == forward, (forward, backward)
    print("condition:", len(forward), "hits, mirrored")
    run("delete 1")
    run("hbreak *" + function)
    assert collect("continue") == expected
    print("hardware breakpoint: the same")
    # Not where there are atomic sequences: GDB takes one for an instruction.
    assert go("reverse-continue")
    run("delete")
    walked = []
    for _ in range(60):
        walked.append((position(), pc()))
        run("reverse-stepi")
    assert position() == walked[0][0] - 60
    for there in reversed(walked):
        run("stepi")
        assert (position(), pc()) == there, (position(), there)
    print("60 instructions back and forth")
    text = run("set var *(int *)$sp = 1", fails=True)
    assert "Cannot access memory" in text, text
    print("nothing is written")
