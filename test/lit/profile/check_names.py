"""check_names.py <rewind> <trace> <image> <nm>: that a function is found by each of
the names that its symbols give it.
"""
import json
import subprocess
import sys

rewind, trace, image, nm = sys.argv[1:]


def ask(what):
    done = subprocess.run(
        [rewind, "profile", what, trace, "-i", image, "--json"], capture_output=True, text=True
    )
    assert done.stdout, (what, done.stderr)
    return json.loads(done.stdout)


def at(*words):
    # The trace comes first, then the function.
    done = subprocess.run(
        [rewind, "profile", "block", trace, *words, "-i", image, "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (words, done.stderr)
    return json.loads(done.stdout)["block"]


names, starts = {}, {}
for line in subprocess.run([nm, image], capture_output=True, text=True, check=True).stdout.splitlines():
    words = line.split()
    if len(words) == 3 and words[1] in "TtWwi":
        names.setdefault(int(words[0], 16), []).append(words[2])
        starts.setdefault(words[2], []).append(int(words[0], 16))
tried = 0
for item in ask("self")["items"]:
    for name in names.get(int(item["address"], 16), []):
        if name == item["block"] or len(starts[name]) > 1 or "@" in name or name.startswith("$"):
            continue
        block = at(name)
        assert block["address"] == item["address"] and block["self"] == item["self"], (name, block)
        assert at(name, "--select", name)["dominated"] == block["dominated"], name
        tried += 1
    if tried >= 24:
        break
assert tried >= 5, tried
print(tried, "other names")
