"""culprit.py <slice --json> <position> <function>: the slice has the instruction
there, and at most 1 % of those before the question."""
import json
import sys

told = json.load(open(sys.argv[1]))
position, function = int(sys.argv[2]), sys.argv[3]
assert told["complete"], told
found = [item for item in told["items"] if item["position"] == position]
assert len(found) == 1 and found[0]["function"] == function, found
assert 100 * len(told["items"]) <= told["searched"]["to"], len(told["items"])
