"""Checks what 'deps' tells of memory against a list of accesses for each byte,
from the text of the trace: <rewind> <trace> <how many instructions>. The trace
has an instruction for each time, from 1 on."""

import collections
import json
import random
import re
import subprocess
import sys

rewind, trace, count = sys.argv[1:]
history = collections.defaultdict(list)  # by byte: (position, is a write), reads first
touched = collections.defaultdict(lambda: (set(), set()))  # by position: bytes read, written
accesses = []
for text in open(trace):
    match = re.match(r"(\d+) clk M([RW])(\d+) ([0-9a-f]+)", text)
    if match:
        accesses.append((int(match[1]) - 1, match[2] == "W", int(match[4], 16), int(match[3])))
for position, write, address, size in sorted(accesses):
    for byte in range(address, address + size):
        if (position, write) not in history[byte][-2:]:
            history[byte].append((position, write))
        touched[position][write].add(byte)


def expected(position):
    found = collections.defaultdict(set)
    for write in (False, True):
        for byte in touched[position][write]:
            before = [e for e in history[byte] if e[0] < position]
            after = [e for e in history[byte] if e[0] > position]
            last = max((p for p, w in before if w), default=-1)
            following = min((p for p, w in after if w), default=None)
            if last >= 0:
                found["needs", "waw" if write else "raw"].add(last)
            if following is not None:
                found["feeds", "waw" if write else "war"].add(following)
            if write:
                found["needs", "war"] |= {p for p, w in before if not w and p > last}
                found["feeds", "raw"] |= {p for p, w in after if not w and (following is None or p <= following)}
    return {kind: places for kind, places in found.items() if places}


random.seed(1)
kinds = collections.Counter()
left_out = 0
for position in random.sample(sorted(touched), int(count)):
    answer = json.loads(subprocess.check_output([rewind, "deps", trace, "#%d" % position, "-c", "100000", "--json"]))
    told = collections.defaultdict(set)
    for item in answer["items"]:
        if item.get("where") in ("stack", "memory"):
            told[item["direction"], item["kind"]].add(item["position"])
            kinds[item["kind"], item["where"]] += 1
    assert dict(told) == expected(position), (position, dict(told), expected(position))
    # A part of the trace has those of the whole that lie in it.
    first = random.randint(0, position)
    last = random.randint(first, min(2 * position, accesses[-1][0]))
    part = ["--from", "#%d" % first, "--to", "#%d" % last]
    inside = json.loads(
        subprocess.check_output([rewind, "deps", trace, "#%d" % position, "-c", "100000", "--json"] + part)
    )
    assert inside["items"] == [i for i in answer["items"] if first <= i["position"] < last], (position, part)
    left_out += len(answer["items"]) - len(inside["items"])
assert len(kinds) == 6, kinds
assert left_out > 50, left_out
print("deps: %s instructions as the list of accesses says" % count)
