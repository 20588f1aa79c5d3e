"""compare_stacks.py <rewind> <bundle> <stacks> <address>: `calls where` at each visit
of the address against what the program itself says of its stack there, in the file
<stacks>: the return addresses in it, innermost first, a line for each visit."""
import json
import subprocess
import sys

rewind, bundle, stacks, checkpoint = sys.argv[1:5]
image = range(0x400000, 0x500000)  # of the program: libraries are left out
longest = 8  # bytes of a call instruction


def ask(*words):
    answer = subprocess.run(
        [rewind, *words, "--json", "-q"], check=True, capture_output=True, text=True
    )
    return json.loads(answer.stdout)


def ours(position):
    frames = ask("calls", "where", bundle, "#%d" % position)["items"][1:]
    return [pc for pc in (int(frame["pc"], 16) for frame in frames) if pc in image]


visits = [item["position"] for item in ask("find", bundle, checkpoint, "--all")["items"]]
truth = [[int(word, 16) for word in line.split()] for line in open(stacks)]
assert len(truth) == len(visits), (len(truth), len(visits))
for position, returns in zip(visits, truth):
    returns = [address for address in returns if address in image]
    calls = ours(position)
    if len(calls) != len(returns) or not all(
        address - longest < pc < address for pc, address in zip(calls, returns)
    ):
        print("#%d: calls" % position, [hex(pc) for pc in calls])
        print("must return to", [hex(address) for address in returns])
        sys.exit(1)
print("%d stacks agree, %d deep at most" % (len(truth), max(map(len, truth))))
