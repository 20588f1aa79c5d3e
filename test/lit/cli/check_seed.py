"""Each value of `seed` in inventory.c follows from the one before."""
import json
import sys

history = json.load(open(sys.argv[1]))
assert history["complete"] and len(history["items"]) > 100
seed = 2024
for item in history["items"]:
    seed = (seed * 1103515245 + 12345) % 2**32
    assert int(item["new"], 0) == seed, item
