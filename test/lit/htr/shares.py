"""shares.py <rewind> <trace> [<option>...]: every number on the page of a trace.
What is under a line adds up to it, no line has more than its block in the whole
trace, no function more than in its profile; and the phases add up."""
import json
import subprocess
import sys

rewind, trace, *options = sys.argv[1:]


def ask(*words):
    return json.loads(
        subprocess.run(
            [rewind, *words[:2], trace, *options, *words[2:], "--json"],
            check=True, stdout=subprocess.PIPE).stdout)  # fmt: skip


info = ask("info", "-q")
profile = {}
for f in ask("profile", "functions", "-c", "100000")["items"]:
    name = f["function"].removesuffix("()")  # C++ has them, C has not
    profile[name] = profile.get(name, 0) + f["instructions"]
rows = wrong = 0


def check(good, *what):
    global wrong
    if not good:
        print(*what)
        wrong += 1


def walk(items, whole, around, shown):
    global rows
    check(sum(i["instructions"] for i in items) == whole, "sum", items)
    for row in items:
        rows += 1
        names = []
        if row.get("kind") == "function":
            names = [n.removesuffix("()") for n in row["name"].split(" > ")]
            if names[0] not in around:
                shown[names[0]] = shown.get(names[0], 0) + row["instructions"]
        if "id" in row and row.get("blocks", 1) == 1 and len(names) < 2:
            each = ask("htr", "block", "B%d" % row["id"])
            most = each["occurrences"] * each["instructions"]
            check(row["instructions"] <= most, "more than its block", row)
        if "inside" in row:
            walk(row["inside"], row["instructions"], around + names, shown)


page = ask("htr", "dump", "-c", "80")
shown = {}
walk(page["items"], info["instructions"], [], shown)
for name, instructions in shown.items():
    if name in profile:
        check(instructions <= profile[name], name, instructions, profile[name])
    else:
        # Handlers without a symbol, which a profile calls by what happened.
        check(name.startswith("[exception] 0x"), "no such function:", name)
if "phases" in page:
    ends = {}
    for phase in page["phases"]:
        check(phase["position"] == ends.get(phase["thread"], 0), "phase", phase)
        ends[phase["thread"]] = phase["position"] + phase["instructions"]
    if len(info["threads"]) == 1:
        check(ends == {1: info["instructions"]}, "phases", ends)
print(rows, "rows, wrong:", wrong)
