"""history_owner.py <rewind>: in a folder with the sample. The model: the writes of
the address, less those outside the call that `calls info` has around the place."""

import json
import subprocess
import sys

rewind = sys.argv[1]
problems = []
variables = left_out = 0


def run(command, *words, text=False):
    line = [rewind, command, "sample.tarmac", *words, "-i", "sample.elf"]
    if command == "calls":
        line[1:3] = ["calls", "info", "sample.tarmac"]
    got = subprocess.run(line + ([] if text else ["--json"]), capture_output=True, text=True)
    if text:
        return got.stdout + got.stderr
    return json.loads(got.stdout)


def positions(answer):
    return [i["position"] for i in answer["items"]]


# Recursive ones among them; `item` of audit() is that of a block.
for function, line, names in (
    ("print_number", 64, ("value", "rest", "at")),
    ("random_below", 74, ("limit",)),
    ("find", 90, ("tree", "sku")),
    ("stock_shelves", 106, ("tree", "item")),
    ("process", 133, ("tree", "order", "item")),
    ("merge", 152, ("a", "b", "tail", "head")),
    ("sort", 164, ("list", "slow", "fast")),
    ("audit", 212, ("wrong",)),
):
    calls = run("calls", function)["items"]
    visits = positions(run("find", f"inventory.c:{line}", "-c", "2000"))
    if not visits:
        problems.append((function, line, "is not visited"))
        continue
    for at in (visits[0], visits[len(visits) // 2], visits[-1]):
        call = max((c for c in calls if c["start"] <= at < c["end"]), key=lambda c: c["start"])
        for name in names:
            told = run("history", name, "--at", str(at))
            where = told["location"]
            size, address = str(where["size"]), where["address"]
            everything = positions(run("history", address, "-s", size))
            wanted = [p for p in everything if call["start"] <= p < call["end"]]
            owner = {"function": function, "thread": 1, "from": call["start"], "to": call["end"]}
            variables += 1
            left_out += len(everything) - len(wanted)
            what = (function, name, at)
            if positions(told) != wanted or told.get("owner") != owner:
                problems.append((*what, positions(told), wanted, told.get("owner"), owner))
            if told["searched"] != {"from": call["start"], "to": call["end"]}:
                problems.append((*what, told["searched"]))
            for words, all_of in ((["--all"], everything),
                                  (["--from", "0"], [p for p in everything if p < call["end"]]),
                                  (["--to", "end"], [p for p in everything if p >= call["start"]])):
                answer = run("history", name, "--at", str(at), *words)
                if positions(answer) != all_of or answer["owner"] != owner:
                    problems.append((*what, words, positions(answer), all_of))
            if "owner" in run("history", address, "-s", size, "--at", str(at)):
                problems.append((*what, "an address has an owner"))
            lines = run("history", name, "--at", str(at), text=True).splitlines()
            runs = f"a variable of {function}, which runs from #{call['start']} to #{call['end'] - 1}; --all"
            if len(lines) < 2 or not lines[1].startswith(runs):
                problems.append((*what, lines[:2]))

# Before its first write, a variable holds what somebody else left there: the last
# write is told, and that it is not the variable's.
for call in run("calls", "find")["items"][:3]:
    for at, others in ((call["start"] + 1, True), (call["end"] - 2, False)):
        words = ("last-write", "sku", "--at", str(at))
        answer = run(*words)
        owner = {"function": "find", "thread": 1, "from": call["start"], "to": call["end"]}
        if answer.get("owner") != owner:
            problems.append((words, answer.get("owner")))
        if ("the variable is one of find, which runs from" in run(*words, text=True)) != others:
            problems.append((words, "note", others))

# What is on no stack is nobody's.
for name in ("seed", "items[3].quantity", "orders[2].sku"):
    answer = run("history", name, "--at", "5000")
    if "owner" in answer or answer["searched"]["from"] != 0:
        problems.append((name, answer["searched"]))
for problem in problems[:20]:
    print("PROBLEM", *problem)
print(f"{variables} variables, {left_out} writes of others left out, {len(problems)} problems")
