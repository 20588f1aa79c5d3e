"""computed.py <rewind> <plugin> <trace> <image>: what is computed at each visit is
the same in the shell, in LLDB, where the recording computes most of it, and by a
model of the program."""
import json
import os
import subprocess
import sys

import lldb

from session import debugger, load, run

rewind, plugin, trace, image = sys.argv[1:]
COLOURS = [0, 3, 9]
# At the end of step, by i.
EXPRESSIONS = {
    "i & 7": lambda i: i & 7,
    "i - 100": lambda i: i - 100,
    "-i": lambda i: -i,
    "!i": lambda i: i == 0,
    "i == 5": lambda i: i == 5,
    "wide < -30 && i != 20": lambda i: -3 * i < -30 and i != 20,
    "last == BLUE": lambda i: COLOURS[i % 3] == 9,
    "last + BLUE": lambda i: COLOURS[i % 3] + 9,
    "at->paint == GREEN || i > 50": lambda i: COLOURS[i % 3] == 3 or i > 50,
    "at->count + at->kind": lambda i: i * 3 + (-i & 3),
    "small + 1": lambda i: (200 + i) % 256 + 1,
    "items[i & 3].count * 2": lambda i: i * 6,
    "(char)(i + 60) == 'A'": lambda i: i == 5,
    "wide * 1000000000L": lambda i: -3000000000 * i,
    "i > 30 ? i : -1": lambda i: i if i > 30 else -1,
    "at->share * 2 == i": lambda i: True,
    "&items[1] == at": lambda i: i & 3 == 1,
    "$sp - $sp": lambda i: 0,
    "(short)wide": lambda i: -3 * i,
    "(int)(wide)": lambda i: -3 * i,
    "items[i & 3].count": lambda i: i * 3,
    "items[i & 3].paint": lambda i: ["RED", "GREEN", "BLUE"][i % 3],
    "at[-(i & 3)].count": lambda i: i // 4 * 12,
    "items[items[i & 3].kind & 3].count": lambda i: max(0, 3 * (i - (i - (-i & 3) & 3))),
    "items[small & 1].kind": lambda i: -(i - (i - (i & 1) & 3)) & 3,
}


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


load(plugin, trace, image)
# The source says where the variables have these values.
source = [line.strip() for line in open(os.path.join(os.path.dirname(__file__), "Inputs/computed.c"))]
place = "computed.c:%d" % (source.index("return (int)wide + i;") + 1)
for expression, model in EXPRESSIONS.items():
    wanted = [text(model(i)) for i in range(60)]
    told = subprocess.run([rewind, "eval", trace, "-i", image, "--at", place, "-c", "1000", "--json", "--", expression],
                          capture_output=True, text=True)
    shell = [row.get("value") for row in json.loads(told.stdout)["items"]]
    assert shell == wanted, (expression, shell, wanted)
    inside = json.loads(run('rewind eval --at %s -c 1000 --json -- "%s"' % (place, expression)))
    debugged = [row.get("value") for row in inside["items"]]
    assert debugged == wanted, (expression, debugged, wanted)
print("all as the program computes them")
lldb.SBDebugger.Destroy(debugger)
