"""check_folded.py <folded> <lines>: that where "find" is folded its lines are, and
nothing else.
"""
import json
import sys

folded, lines = ({i["block"]: i["self"] for i in json.load(open(f))["items"]} for f in sys.argv[1:3])
gone = set(lines) - set(folded)
assert set(folded) < set(lines)
assert len({line.split(":")[0] for line in gone}) == 1, gone
numbers = sorted(int(line.split(":")[1]) for line in gone)
assert numbers[-1] - numbers[0] < 20, numbers
print(len(gone), "lines of find folded")
