"""What other threads did meanwhile, as the page is told, equals the order of `list --json`:
threads.py <rewind> <trace> <image> <seed>"""
import json
import random
import subprocess
import sys

from viewer import Viewer

rewind, trace, image, seed = sys.argv[1:5]
rng = random.Random(int(seed))
viewer = Viewer(rewind, trace, "--image", image)
page = viewer.page()
hello = page.ask("hello")
lengths = [t["instructions"] for t in hello["threads"]]
order = []
for thread in range(1, len(lengths) + 1):
    text = subprocess.run([rewind, "list", trace, "--thread", str(thread), "--json"], capture_output=True, text=True, check=True).stdout
    order += [(row["line"], thread, row["position"]) for row in map(json.loads, text.splitlines())]
order.sort()
# Where each thread stands before each instruction of all.
stands = [0] * len(lengths)
before = {}
for _, thread, position in order:
    before[thread, position] = list(stands)
    stands[thread - 1] = position + 1
for thread, length in enumerate(lengths):
    before[thread + 1, length] = lengths
assert stands == lengths, (stands, lengths)
samples = 0
for _ in range(100):
    thread = 1 + rng.randrange(len(lengths))
    start, end = sorted(rng.randrange(lengths[thread - 1] + 1) for _ in range(2))
    answer = page.ask("meanwhile", **{"thread": thread, "from": start, "to": end, "samples": 1 + rng.randrange(300)})
    at = answer["at"]
    assert answer["complete"] and at[0] == start and at[-1] == end and at == sorted(at), answer
    assert [t["thread"] for t in answer["threads"]] == [t for t in range(1, len(lengths) + 1) if t != thread]
    for other in answer["threads"]:
        assert other["positions"] == [before[thread, p][other["thread"] - 1] for p in at], (thread, other)
        samples += len(at)
for wrong in ({"from": 5, "to": 4}, {"from": 0, "to": lengths[0] + 1}, {"from": 0}, {"from": 0, "to": 1, "samples": 5000}):
    assert "error" in page.ask("meanwhile", thread=1, **wrong), wrong
viewer.stop()
print("%d samples of %d threads are right" % (samples, len(lengths)))
