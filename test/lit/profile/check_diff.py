"""check_diff.py <before> <after> <diff>: sequences of two traces, against what
rewind profile diff says of them."""
import json
import sys

before, after, diff = (json.load(open(path)) for path in sys.argv[1:4])


def costs(answer):
    return {i["block"]: (i["self"]["instructions"], i["activations"]) for i in answer["items"]}


# Sequences that cost nothing by themselves are not listed.
old, new = costs(before), costs(after)
assert diff["complete"] and diff["total_before"] == before["total"]["instructions"]
assert diff["total_after"] == after["total"]["instructions"]
states = {"changed": 0, "new": 0, "gone": 0}
told = {}
for item in diff["items"]:
    path = " > ".join(item["path"])
    states[item["state"]] += 1
    assert ("before" in item) == (item["state"] != "new") and ("after" in item) == (item["state"] != "gone")
    sides = [(item[s]["self"], item[s]["activations"]) if s in item else (0, 0) for s in ("before", "after")]
    assert item["change"] == sides[1][0] - sides[0][0]
    told[path] = sides
true = {p: [old.get(p, (0, 0)), new.get(p, (0, 0))] for p in old.keys() | new.keys()}
true = {p: s for p, s in true.items() if s[0][0] != s[1][0]}
assert told == true
changes = [abs(i["change"]) for i in diff["items"]]
assert changes == sorted(changes, reverse=True)
print("%(changed)d changed, %(new)d new, %(gone)d gone" % states)
