"""Watches memory in a trace that has no values: each access that Rewind lists is
found both ways, behind it forwards, in front of it backwards."""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from recording import *


def main(rewind, trace, index, options="", wanted=3):
    connect(rewind, trace, index, options=options)
    # The places that the first instructions access most often.
    rows = [json.loads(row) for row in run("monitor rewind list #0 -c 3000 --json").splitlines()]
    often = collections.Counter((m["address"], m["size"]) for row in rows for m in row.get("memory", ()))
    found = 0
    for (address, size), _ in often.most_common(wanted):
        kind = {1: "char", 2: "short", 4: "int", 8: "long long"}[size]
        history = json.loads(run("monitor rewind history %s --size %d --reads --at start -c 100000 --json" % (address, size)))
        assert history["complete"]
        for command, kinds in (("awatch", ("read", "write")), ("rwatch", ("read",))):
            expected = sorted({row["position"] for row in history["items"] if row["access"] in kinds})
            run("%s -l *(%s *)%s" % (command, kind, address))
            forward = [p - 1 for p in collect("continue")]
            backward = collect("reverse-continue")
            assert forward == expected, (command, address, forward[:9], expected[:9])
            assert backward[::-1] == expected, (command, address, backward[:9], expected[-9:])
            run("delete")
            found += len(expected)
    assert found > 10, found
    print("watchpoints: %d accesses, each found both ways" % found)
