"""A recording that has no values: its instructions, both ways, compared with what
the shell lists of them."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from recording import *


def step(command):
    """A step after which GDB may miss a register, when it looks who has called
    what it has stepped into."""
    try:
        run(command)
    except AssertionError as error:
        assert "is not available" in str(error), error


def main(rewind, trace, index, register, *images, options=""):
    ask = lambda *words: subprocess.run([rewind, *words, "--json", "-q", "--index", index, *options.split()],
                                        capture_output=True, check=True).stdout
    connect(rewind, trace, index, *images, options=options)
    assert "<unavailable>" in run("info registers " + register)
    print("unknown:", register, "<unavailable>")
    expected = [int(row["pc"], 16) for row in map(json.loads, ask("list", trace, "0", "-c", "101").splitlines()) if "pc" in row]
    walked = [pc()]
    for _ in range(100):
        step("stepi")
        walked.append(pc())
    assert walked == expected, (walked, expected)
    for there in reversed(walked[:-1]):
        step("reverse-stepi")
        assert pc() == there
    step("reverse-stepi")
    assert position() == 0
    print("100 instructions back and forth")
    visits = [row["position"] for row in json.loads(ask("find", trace, "0x%x" % expected[40], "--all", "-c", "1000000"))["items"]]
    assert len(visits) > 1
    # Hundreds are enough.
    jump("#%d" % (visits[-200] - 1 if len(visits) > 200 else 0))
    visits = visits[-200:]
    run("break *0x%x" % expected[40])
    assert collect("continue") == visits
    for visit in reversed(visits):
        assert go("reverse-continue") and position() == visit, (position(), visit)
    print("breakpoint:", len(visits), "hits, mirrored")
