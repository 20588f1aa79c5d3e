"""What pages are told equals what commands print, at random places:
answers.py <rewind> <trace> <image> <seed> <count>"""

import json
import random
import subprocess
import sys

from viewer import Viewer

rewind, trace, image = sys.argv[1:4]
rng = random.Random(int(sys.argv[4]))
count = int(sys.argv[5])
files = [trace, "--image", image]
bad = 0


def differ(what, got, want):
    global bad
    if got != want:
        bad += 1
        print("DIFFERS:", what, "\n  page   ", json.dumps(got)[:600], "\n  command", json.dumps(want)[:600])


def command(*words):
    done = subprocess.run([rewind, *words[:1], *files, *words[1:], "--json"], capture_output=True, text=True)
    return done.stdout


def objects(text):
    return [json.loads(line) for line in text.splitlines()]


viewer = Viewer(rewind, trace, "--image", image)
page = viewer.page()
hello = page.ask("hello")
length = hello["threads"][0]["instructions"]
whole = objects(command("list"))
assert len(whole) == length, (len(whole), length)
OWN = ("next", "depth", "opens", "file_number", "more_events")

# The activations, from the tree that commands print.
calls = []


def flatten(items):
    for item in items:
        calls.append(item)
        flatten(item.get("calls", []))


done = subprocess.run([rewind, "calls", "tree", *files, "--no-fold", "--json"], capture_output=True, text=True)
flatten(json.loads(done.stdout))

# Registers by replay of what `list` says.
known = {}
states = {}
wanted = sorted(rng.sample(range(length), count))
for row in whole:
    if wanted and row["position"] == wanted[0]:
        states[wanted.pop(0)] = dict(known)
    for name, value in row["registers"].items():
        known[name] = value

for at in sorted(states):
    # Rows, unfolded: those around.
    before, after = rng.randrange(60), 1 + rng.randrange(60)
    answer = page.ask("rows", at=at, before=before, after=after)
    rows = [{k: v for k, v in row.items() if k not in OWN} for row in answer["rows"]]
    differ("rows at %d" % at, rows, whole[max(0, at - before):at + after])
    # Registers: every whole register that `list` has named.
    told = {r["name"]: r for r in page.ask("registers", at=at)["registers"]}
    for name, value in states[at].items():
        if name in told and "?" not in str(value):
            differ("%s at %d" % (name, at), told[name]["value"], value)
    # What changed is what the row before did.
    if at:
        changed = {r["name"] for r in told.values() if r.get("changed")}
        extra = changed - set(whole[at - 1]["registers"]) - {"cpsr", "fpsr"}
        differ("changed without a write at %d" % at, sorted(extra), [])
    # Where, stack.
    where = page.ask("where", at=at)
    want = json.loads(command("where", str(at)))
    differ("where %d" % at, {k: v for k, v in where.items() if k in want}, want)
    stack = page.ask("stack", at=at)["frames"]
    done = subprocess.run([rewind, "calls", "where", *files, str(at), "--json"], capture_output=True, text=True)
    # Tail calls share the activation of the function that made them.
    want = {c["entry"] for c in json.loads(done.stdout)["items"]}
    differ("stack at %d" % at, [f["start"] for f in stack if f["start"] not in want], [])

# Memory, against history's answers: what was written last.
for at in sorted(states)[:20]:
    writes = [(row["position"], m) for row in whole[max(0, at - 400):at] for m in row["memory"]
              if m["access"] == "write" and m["value"] and "?" not in m["value"]]
    for position, write in writes[-3:]:
        address, size = int(write["address"], 16), write["size"]
        later = [m for row in whole[position + 1:at] for m in row["memory"]
                 if m["access"] == "write" and int(m["address"], 16) < address + size and address < int(m["address"], 16) + m["size"]]
        if later or size > 8:
            continue
        answer = page.ask("memory", at=at, address=write["address"], size=32)
        offset = 2 * answer["offset"]
        data = bytes.fromhex(answer["bytes"][offset:offset + 2 * size])
        differ("memory %s at %d" % (write["address"], at), data[::-1].hex(), write["value"][2:])

# Commands that pages run: the same JSON.
for words, fields in [
    (["history", "sp", "-c", "30"], {"what": "history", "of": "sp", "count": "30"}),
    (["last-write", "x0", "--at", "500"], {"what": "last-write", "of": "x0", "at": "500"}),
    (["profile", "self"], {"what": "profile-self"}),
    (["profile", "dominated", "--metric", "bytes-read", "--fold", "find"],
     {"what": "profile-dominated", "metric": "bytes-read", "fold": ["find"]}),
    (["profile", "tree", "--select", "process"], {"what": "profile-tree", "select": ["process"]}),
    (["profile", "block", "find"], {"what": "profile-block", "of": "find"}),
    (["profile", "sequences", "--exclude", "sort"], {"what": "profile-sequences", "exclude": ["sort"]}),
    (["diff", "100", "200"], {"what": "diff", "from": "100", "to": "200"}),
]:
    two = words[0] in ("profile",)
    done = subprocess.run([rewind, *words[:1 + two], *files, *words[1 + two:], "--json"], capture_output=True, text=True)
    for _ in range(2):  # the second time it is kept
        differ(" ".join(words), page.ask_all(fields)[0], json.loads(done.stdout))

# Profiles under random filters.
blocks = sorted({call["function"] for call in calls})
told = 0
for _ in range(max(10, count // 2)):
    view = rng.choice(["self", "dominated", "tree", "sequences", "block"])
    words, fields = [], {"what": "profile-" + view}
    for option in ("select", "exclude", "fold"):
        if rng.random() < 0.4:
            fields[option] = rng.sample(blocks, 1 + (rng.random() < 0.3))
            words += ["--%s=%s" % (option, name) for name in fields[option]]
    if rng.random() < 0.6:
        fields["metric"] = rng.choice(["instructions", "time", "calls", "reads", "bytes-written", "lines"])
        words.append("--metric=" + fields["metric"])
    if rng.random() < 0.4:
        start, end = sorted(rng.sample(range(length), 2))
        fields["from"], fields["to"] = "1:#%d" % start, "1:#%d" % end
        words += ["--from=1:#%d" % start, "--to=1:#%d" % end]
    if view == "block":
        fields["of"] = rng.choice(blocks)
    done = subprocess.run([rewind, "profile", view, *files, *([fields["of"]] if view == "block" else []), *words, "--json"],
                          capture_output=True, text=True)
    answer = page.ask_all(fields)[0]
    answer.pop("remarks", None)  # those go to the command's other stream
    if done.returncode in (0, 1) and done.stdout.strip():
        differ("profile %s %s" % (view, words), answer, json.loads(done.stdout))
        told += 1
    else:
        differ("profile %s %s fails, too" % (view, words), "error" in answer, True)
differ("most of them are profiles", 2 * told > max(10, count // 2), True)

# Folds: rows are those that no folded call hides.
folds = ""
for step in range(60):
    at = rng.randrange(length)
    action = rng.choice(["containing", "containing", "unfold", "callees", "unfold-inside", "unfold-whole", "all", "behind"])
    if action == "all" and rng.random() < 0.7:
        continue
    if action == "behind":
        shown = page.ask("rows", at=at, before=0, after=1, folds=folds)
        at = shown["shown"]
    answer = page.ask("fold", at=at, folds=folds, action=action)
    folds = answer["folds"]
    rows = page.ask("rows", at=answer["at"], before=30, after=30, folds=folds)["rows"]
    for row, following in zip(rows, rows[1:]):
        differ("rows follow each other", row["next"], following["position"])
    # Whatever is hidden is inside calls: deeper than the row that it is behind,
    # or in a call that begins right behind it.
    for row in rows:
        if row["next"] > row["position"] + 1 and row["next"] < length:
            stack = page.ask("stack", at=row["position"] + 1)["frames"]
            differ("a call begins behind %d" % row["position"],
                   any(f["start"] == row["position"] + 1 for f in stack), True)
# All at once, and back.
everything = page.ask("fold", at=0, folds="", action="all")
rows = page.ask("rows", at=0, before=0, after=400, folds=everything["folds"])
differ("all folded: the first call's rows", all(row["depth"] == 0 for row in rows["rows"]), True)
differ("all unfolded", page.ask("fold", at=0, folds=everything["folds"], action="unfold-all")["folds"], "")

# The timeline: each call that is longer than a bucket is there, exactly.
for _ in range(20):
    start = rng.randrange(length - 10)
    end = start + 10 + rng.randrange(length - start - 9)
    line = page.ask("timeline", **{"from": start, "to": end, "buckets": 200, "depths": 64})
    flat = [int(word, 36) for word in line["slices"].split()]
    for i in range(6, len(flat), 6):
        flat[i + 1] += flat[i - 5]
    slices = {(flat[i], flat[i + 1], flat[i + 2]) for i in range(0, len(flat), 6)}
    for call in calls:
        if call["kind"] == "tail call":
            continue
        inside = call["start"] < line["to"] and call["end"] > line["from"]
        if inside and call["end"] - call["start"] > line["width"]:
            depths = {s[0] for s in slices if s[1] == call["start"] and s[1] + s[2] == call["end"]}
            differ("call at %d in the timeline" % call["start"], bool(depths), True)

print("%d differences" % bad)
code, errors = viewer.stop()
sys.exit(bad > 0)
