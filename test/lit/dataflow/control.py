"""Checks what control.test asks of decides.c: each argument is a mode and the
file with what 'slice --json' printed, backwards, then a file of a slice
forward, without and with control."""

import json
import os
import sys

source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs/decides.c")


def line(comment):
    for number, text in enumerate(open(source), 1):
        if "/* %s */" % comment in text:
            return "decides.c:%d" % number
    raise KeyError(comment)


def of(name):
    """Its lines, and its positions."""
    items = json.load(open(name))["items"]
    lines = {"%s:%d" % (os.path.basename(i["file"]), i["source_line"]) for i in items if "file" in i}
    return lines, {i["position"] for i in items}, items


none, exact, call, every = (of(name) for name in sys.argv[1:5])
assert none[1] < exact[1] < call[1] < every[1], [len(x[1]) for x in (none, exact, call, every)]
assert len(none[1]) == 2 and not any("led_to" in i for i in none[2])
for comment in ("read", "decides", "called"):
    assert line(comment) in exact[0], (comment, exact[0])
    assert line(comment) not in none[0], comment
# Branches of other activations, and what no branch decided in any way seen.
assert line("elsewhere") not in exact[0] | call[0]
assert line("elsewhere") in every[0]
for item in exact[2]:
    if "led_to" in item:
        assert item["led_to"] in exact[1] and item["led_to"] > item["position"], item
depths = [i["depth"] for i in exact[2]]
assert min(depths) == 0 and max(depths) >= 4, depths
print("back: branches and calls, each mode more")

data, controlled = (of(name) for name in sys.argv[5:7])
assert data[1] < controlled[1], (len(data[1]), len(controlled[1]))
assert line("kept") in controlled[0] and line("kept") not in data[0]
assert any(not i["needed"] and i["made"] for i in controlled[2])
assert all(i["needed"] for i in data[2])
print("forward: what it decided, too")
