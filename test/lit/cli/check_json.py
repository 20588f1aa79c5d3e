"""Every command's --json against the text of the trace it was made from."""
import json
import re
import subprocess
import sys

rewind, trace, image = sys.argv[1:]


def ask(*words, status=0):
    command = [rewind, words[0], trace, *words[1:], "--json", "--image", image]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == status, (command, ran)
    return ran.stdout


info = json.loads(ask("info"))
assert info["format"] == "tarmac" and info["architecture"] == "aarch64", info
assert info["instructions"] == 1805 and info["store_bytes"] > 0
assert (info["first_time"], info["last_time"]) == (1, 1805)
assert info["ignored_lines"] == {}, info["ignored_lines"]
assert info["malformed_lines"] == [] and info["malformed_count"] == 0
assert info["threads"][0]["instructions"] == 1805

# One object per instruction; pc, opcode and line are those of the text.
listed = [json.loads(line) for line in ask("list").splitlines()]
text = open(trace).read().splitlines()
instructions = [
    (number, match)
    for number, match in (
        (number, re.match(r"(\d+) clk I[TS] \(\d+\) (\w+)\S* (\w+) ", line))
        for number, line in enumerate(text, 1)
    )
    if match
]
assert len(listed) == len(instructions) == 1805
for position, (one, (number, match)) in enumerate(zip(listed, instructions)):
    assert one["position"] == position and one["thread"] == 1
    assert one["line"] == number, one
    assert one["time"] == int(match[1]), one
    assert int(one["pc"], 0) == int(match[2], 16), one
    assert int(one["opcode"], 0) == int(match[3], 16), one
    # All that it skips are branches of A64, which were executed but not taken.
    assert one["executed"] and ("taken" in one) == (" IS " in match[0]), one
    assert one.get("taken", False) is False

# Effects: each W and R line between two instructions.
for one, (number, _) in zip(listed, instructions):
    registers = {}
    for line in text[number:]:
        if re.match(r"\d+ clk I[TS] ", line):
            break
        found = re.match(r"\d+ clk R (X\d+) (\w+)", line)
        if found:
            registers[found[1].lower()] = int(found[2], 16)
    names = {"x29": "fp", "x30": "lr"}
    for name, value in registers.items():
        told = one["registers"].get(names.get(name, name))
        assert told is not None and int(told, 0) == value, (one, name, value)

# Envelopes: items, whether it is all, how much was searched.
found = json.loads(ask("find", "quicksort"))
assert found["complete"] and found["searched"] == {"from": 0, "to": 1805}
assert [item["pc"] for item in found["items"]] == ["0x803c"] * len(found["items"])
few = json.loads(ask("find", "quicksort", "-c", "3"))
assert not few["complete"] and few["items"] == found["items"][:3]

last = json.loads(ask("last-write", "x0"))
assert last["items"][0]["position"] == 1803 and last["items"][0]["new"] == "0x0000000000000018"
assert last["location"]["register"] == "x0"
none = json.loads(ask("last-write", "0x123456", status=1))
assert none["items"] == [] and none["complete"]

history = json.loads(ask("history", "array", "--size", "1"))
assert [item["position"] for item in history["items"]] == [26, 27, 361, 555, 556, 632, 633, 684, 685]
assert [item["changed"] for item in history["items"]] == [p == 361 for p in (26, 27, 361, 555, 556, 632, 633, 684, 685)]

diff = json.loads(ask("diff", "#98", "#110"))
assert [item for item in diff["items"] if "address" in item] == [
    {"address": "0x9006", "size": 2, "old": "79 6f", "new": "6f 79", "symbol": "array+0x6"}
], diff
origin = json.loads(ask("origin", "x0"))
assert origin["end"]["kind"] == "constant" and len(origin["items"]) == 1
why = json.loads(ask("why", "array", "--size", "1"))
assert why["items"][0]["from"] == "write" and why["items"][0]["position"] == 685
values = json.loads(ask("eval", "x0", "--at", "quicksort", "-c", "1"))
assert values["items"][0]["value"].startswith("0x")
where = json.loads(ask("where", "#9"))
assert where["function"] == "quicksort" and where["function_offset"] == 0
