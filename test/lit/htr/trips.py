"""trips.py <rewind> <trace> <image> <counts> [<function>...]: compares how often
loops go round, as a page opened all the way tells it, with what the program
counted itself: lines of "<function> <stays> <rounds>". Of the functions named,
the count in the source cannot be known from the code: it must be another."""
import collections
import json
import subprocess
import sys

rewind, trace, image, counts, *others = sys.argv[1:]
command = [rewind, "htr", "dump", trace, "-q", "--depth", "1000", "--json"]
if image != "-":
    command += ["-i", image]
page = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
loops = collections.defaultdict(lambda: [0, 0])


def walk(rows):
    for row in rows:
        if "rounds" in row:
            name = row["name"].removeprefix("loop ")
            loops[name][0] += row["rounds"]["stays"]
            loops[name][1] += row["rounds"]["trips"]
        walk(row.get("inside", []))


walk(page["items"])
found = collections.defaultdict(list)
for name, (stays, trips) in loops.items():
    found[name.split("+")[0]].append((stays, trips))
wrong = compared = 0
for line in open(counts):
    function, stays, rounds = line.split()
    compared += 1
    # An optimised loop is not entered where it would not go round.
    good = any(t == int(rounds) and s <= int(stays) for s, t in found[function])
    if good == (function in others):
        print(function, stays, rounds, "and", sorted(found[function]))
        wrong += 1
print(compared, "functions, otherwise than expected:", wrong)
