"""check_tail_calls.py <calls.json> <sequences.json>: both have as many tail calls
of each function.
"""
import collections
import json
import sys


def walk(calls, found):
    for call in calls:
        if call["kind"] == "tail call":
            found[call["function"]] += 1
        walk(call["calls"], found)


with open(sys.argv[1]) as f:
    by_calls = collections.Counter()
    walk(json.load(f), by_calls)
by_profile = collections.Counter()
with open(sys.argv[2]) as f:
    for item in json.load(f)["items"]:
        by_profile[item["block"].split(" > ")[-1]] += item.get("tail_calls", 0)
assert +by_profile == by_calls, (by_profile, by_calls)
print(sum(by_calls.values()), "tail calls")
