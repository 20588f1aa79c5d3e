"""Compares `rewind calls tree --no-fold --json` on standard input with the
recorder's log of calls, which comes from a shadow stack: each call's entry,
function, whether it returned, and where to."""
import json
import sys

sys.setrecursionlimit(100000)

found = {}


def walk(node):
    if node["kind"] == "call":
        found[node["start"]] = (
            int(node["pc"], 16) & ~1,
            node["returned"],
            # What was left through longjmp has no end that the log and the
            # tree could agree on to the instruction.
            node["end"] if node["returned"] else None,
        )
    for call in node["calls"]:
        walk(call)


for root in json.load(sys.stdin):
    walk(root)

truth, stack = {}, []
for line in open(sys.argv[1]):
    kind, index, _, to, _ = line.split()
    index = int(index)
    if kind == "call":
        # The log counts the calling instruction, the tree the callee's first.
        stack.append((index + 1, int(to, 16) & ~1))
    else:
        start, function = stack.pop()
        returned = kind == "return"
        truth[start] = (function, returned, index + 1 if returned else None)
for start, function in stack:
    truth[start] = (function, False, None)

assert len(truth) > 100, "the log has only %d calls" % len(truth)
for start in sorted(set(truth) | set(found)):
    assert truth.get(start) == found.get(start), "call entered at #%d: log %s, tree %s" % (
        start,
        truth.get(start),
        found.get(start),
    )
print("%d calls agree" % len(truth))
