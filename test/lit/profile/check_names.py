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


def self_by_lines(option, name):
    words = ["profile", "self", trace, "-i", image, "--by", "lines", option, name, "--json"]
    done = subprocess.run([rewind, *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return json.loads(done.stdout)


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
        if tried < 4:
            by_lines = [self_by_lines("--fold", n) for n in (name, item["block"])]
            assert by_lines[0]["items"] == by_lines[1]["items"], name
            assert all(i["block"] != item["block"] for i in by_lines[0]["items"]), name
            selected = [self_by_lines("--select", n)["total"] for n in (name, item["block"])]
            assert selected[0] == selected[1], name
        tried += 1
    if tried >= 24:
        break
assert tried >= 5, tried
print(tried, "other names")
