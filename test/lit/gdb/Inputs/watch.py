"""Watches a location in GDB, both ways, and compares with the text of the trace
and with where LLDB stops: behind the access forwards, in front of it backwards."""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from recording import *


def main(rewind, trace, index, image, place, size="1"):
    """The place is an address, or a variable."""
    connect(rewind, trace, index, *([image] if image else []))
    address = int(place, 0) if place[0].isdigit() else int(gdb.parse_and_eval("&" + place))
    size = int(size)
    kind = {1: "char", 4: "int", 8: "long"}[size]
    found = accesses(trace, address, size)
    assert found
    for command, letters in (("awatch", "RW"), ("rwatch", "R")):
        expected = sorted({p for p, letter in found if letter in letters})
        run("%s -l *(%s *)0x%x" % (command, kind, address))
        forward = [p - 1 for p in collect("continue")]
        backward = collect("reverse-continue")
        assert forward == expected, (command, forward, expected)
        assert backward[::-1] == expected, (command, backward[::-1], expected)
        run("delete")
        print(command + ":", len(expected), "accesses, each found both ways")
    # GDB stops only where the value changes.
    place = "*(%s *)0x%x" % (kind, address)
    run("watch -l " + place)
    value = lambda: str(gdb.parse_and_eval(place))
    changes, back = [], []
    while go("continue"):
        changes.append((position() - 1, value()))
    while go("reverse-continue"):
        back.append(position())
    writes = {p for p, letter in found if letter == "W"}
    assert changes and back[::-1] == [p for p, _ in changes], (changes, back)
    assert all(p in writes for p, _ in changes), changes
    assert all(a[1] != b[1] for a, b in zip(changes, changes[1:])), changes
    print("watch:", len(changes), "changes, mirrored")
    # Single steps hit it, too, and so does what goes over it.
    # After a jump GDB compares with the value that it saw last: a new one.
    write = changes[-1][0]
    jump("#%d" % write)
    run("delete")
    run("watch -l " + place)
    assert go("stepi") and position() == write + 1, position()
    assert go("reverse-stepi") and position() == write, position()
    jump("#%d" % (write + 5))
    run("delete")
    run("watch -l " + place)
    assert go("reverse-stepi 20") and position() == write, position()
    print("single steps hit it")
    # A breakpoint whose condition is false, on the instruction that makes the
    # access, hides none.
    for command in ("awatch", "rwatch", "watch"):
        run("delete")
        jump("#0")
        run("%s -l *(%s *)0x%x" % (command, kind, address))
        while go("continue"):
            pass
        expected, pcs = [], set()
        while go("reverse-continue"):
            expected.append(position())
            pcs.add(pc())
        for n, at in enumerate(sorted(pcs)):
            run("break *0x%x%s" % (at, " if 0" if n % 2 else ""))
            if n % 2 == 0:
                run("ignore $bpnum 100000")
        while go("continue"):
            pass
        found = collect("reverse-continue")
        assert found == expected, (command, found, expected)
        print(command + ":", len(found), "hits at", len(pcs), "breakpoints that do not stop")
