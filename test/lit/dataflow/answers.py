"""Checks what answers.test asks of calls.c: costs and lines are what
'parallelism --json' and 'deps lines --kinds raw --json' print."""

import json
import os
import sys

costs, lines = sys.argv[1:]
costs, lines = (json.load(open(name)) for name in (costs, lines))
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs/calls.c")


def line(comment):
    for number, text in enumerate(open(source), 1):
        if comment in text:
            return "calls.c:%d" % number


every = costs["searched"]["to"] - costs["searched"]["from"]
for item in costs["items"]:
    assert 0 < item["span"] <= item["work"] <= every, item
    if item["function"] == "depth":
        print("depth: %d calls, at most all work" % item["calls"])
for item in lines["items"]:
    if item["from"] == line("/* made */") and item["to"] == line("/* used */"):
        print("pairs: %d executions" % item["times"])
