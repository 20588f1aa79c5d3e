"""trips.py <page.json> <counts>: compares how often loops go round, as a page
opened all the way tells it, with what the program counted itself: lines of
"<function> <stays> <rounds>"."""
import collections
import json
import sys

page, counts = sys.argv[1:3]
exact_stays = len(sys.argv) < 4
loops = collections.defaultdict(lambda: [0, 0])


def walk(rows):
    for row in rows:
        if "rounds" in row:
            name = row["name"].removeprefix("loop ")
            loops[name][0] += row["rounds"]["stays"]
            loops[name][1] += row["rounds"]["trips"]
        walk(row.get("inside", []))


walk(json.load(open(page))["items"])
found = collections.defaultdict(list)
for name, (stays, trips) in loops.items():
    found[name.split("+")[0]].append((stays, trips))
wrong = 0
for line in open(counts):
    function, stays, rounds = line.split()
    # GCC takes its first round out of the loop.
    if function == "thrower" and not exact_stays:
        continue
    stays, rounds = int(stays), int(rounds)
    # An optimised loop is not entered where it would not go round.
    if not any(
        t == rounds and (s == stays or not exact_stays) for s, t in found[function]
    ):
        print(function, stays, rounds, "but", sorted(found[function]))
        wrong += 1
print("wrong:", wrong)
