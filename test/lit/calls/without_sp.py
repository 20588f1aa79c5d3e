"""without_sp.py <rewind> <trace>: the trace's calls must be the same with the
values of the stack pointer and without."""
import json
import subprocess
import sys

rewind, trace = sys.argv[1:]


def tells_sp(line):
    fields = line.lower().split()
    return "r" in fields and fields[fields.index("r") + 1].startswith(("sp", "r13"))


def calls(trace):
    tree = subprocess.run(
        [rewind, "calls", "tree", trace, "--no-fold", "--json", "-q"],
        check=True,
        stdout=subprocess.PIPE,
    )
    found = []

    def walk(node, depth):
        found.append((node["start"], node["end"], depth, node["pc"], node.get("remarks", "")))
        for call in node.get("calls", []):
            walk(call, depth + 1)

    for root in json.loads(tree.stdout):
        walk(root, 0)
    return found


without, left_out = trace + ".nosp", 0
with open(trace) as source, open(without, "w") as target:
    for line in source:
        if tells_sp(line):
            left_out += 1
        else:
            target.write(line)
assert left_out > 100, left_out
expected, found = calls(trace), calls(without)
for call in sorted(set(expected) ^ set(found))[:10]:
    print("only with sp:" if call in expected else "only without:", call)
print(
    "%d calls, %d left without a return, %d differ"
    % (
        len(expected),
        sum(remarks == "never returned" for *_, remarks in expected),
        len(set(expected) ^ set(found)),
    )
)
