"""positions.py <plugin> <rewind> <trace> <image> <options.md>: every command that takes a position
understands every form of one: what it answers is what it answers about the number."""
import json
import re
import subprocess
import sys

from session import run

plugin, rewind, trace, image, options = sys.argv[1:]

# What else a command wants. Each of its positions is tried: options, or a {} here.
COMMANDS = {
    "last-write": "0x4200f0 --size 4", "next-write": "seed", "first-write": "seed",
    "last-read": "seed", "next-read": "seed", "history": "seed -c 3", "origin": "x0 -c 2",
    "why": "seed", "slice": "x0 -c 2", "find": "find -c 2", "list": "{} -c 2", "eval": "x0 -c 2",
    "diff": "{} {}", "where": "{}", "deps": "{} -c 2", "deps lines": "-c 2",
    "calls where": "{}", "calls parent": "{}", "calls enter": "{}", "calls leave": "{}",
    "calls tree": "--depth 2", "calls info": "find -c 2", "goto": "{}", "htr where": "{}",
    "htr dump": "-c 2", "slice next": "", "slice prev": "", "critical-path": "", "parallelism": "-c 2", "bookmark add": "other {}",
}  # fmt: skip
# Other options that a command cannot do without.
ALSO = {"eval": {"at": "find"}}
# These take positions, but of a file that they write, of two traces, or of a terminal.
ELSEWHERE = re.compile(r"export |profile |truncate|view|browse|functions|htr export|mcp|htm |qtrace |power")


def shell(*words):
    return subprocess.run([rewind, *words], capture_output=True, text=True).stdout


def number(place):
    return json.loads(run("rewind where %s --json" % place))["position"]


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("rewind bookmark add crash 31408")
HERE = 31300
run("rewind goto %d" % HERE)
total = number("end")
call = json.loads(run("rewind calls where --json"))["items"][0]
assert call["entry"] <= HERE < call["end"] < total, call
FORMS = {
    "end-20": total - 20, "crash": 31408, "crash+5": 31413, "crash-1": 31407, "50%": total // 2,
    "50%+3": total // 2 + 3, "+7": HERE + 7, "-7": HERE - 7, "#31,000": 31000, "start+9": 9,
    "caller": call["entry"] - 1, "caller+1": call["entry"], "entry": call["entry"],
    "entry+2": call["entry"] + 2, "return": call["end"] - 1, "return-2": call["end"] - 3,
}  # fmt: skip
line = json.loads(run("rewind where 30999 --json"))["line"]
time = json.loads(run("rewind where 30999 --json"))["time"]
FORMS.update({"l:%d" % line: 30999, "l:%d+3" % line: 31002, "t:%d" % time: 30999, "t:%d-4" % time: 30995})

run("rewind htr run")
names = re.findall("^## (.*)$", open(options).read(), re.M)
tried = {}


def answer(command):
    """Without what only repeats the question, or walks on."""
    moves = re.match("rewind (goto|calls (parent|enter|leave)|slice (next|prev)|bookmark add)", command)
    if "slice " in command:
        run("rewind slice seed --at end -c 1000")  # which next and prev walk through
    text = tell(command + ("" if moves else " --json"))
    if moves and "bookmark" in command:
        text = text.split(" at ")[-1]
    elif moves:
        text = tell("rewind where --json")
        run("rewind goto %d" % HERE)
    return text


def tell(command):
    try:
        return run(command)
    except AssertionError:
        return "error"


for name in names:
    text = shell("help", *name.split())
    takes = re.findall(r"--([\w-]+) <position>", text)
    argument = re.search(r"Usage: rewind %s .*\bposition>" % name, text)
    if ELSEWHERE.match(name + " ") or not (takes or argument):
        continue
    base = COMMANDS[name]  # a new command with positions belongs there
    lines = []
    if "{}" in base:
        lines.append(base)
    given = "".join(" --%s %s" % pair for pair in ALSO.get(name, {}).items())
    for option in takes:
        if option in ALSO.get(name, {}):
            continue
        if option in ("from", "to") and name.startswith("htr "):
            lines.append(base + given + " --%s {}" % option)
        else:
            lines.append((base.replace("{}", "crash") + given + " --%s {}" % option))
    for text in lines:
        for form, position in FORMS.items():
            if name == "deps" and form[0] in "+-" and "--" not in text:
                continue  # that is a location (docs/dataflow.md)
            one = "rewind %s %s" % (name, text.replace("{}", form))
            other = "rewind %s %s" % (name, text.replace("{}", "#%d" % position))
            mine, theirs = answer(one), answer(other)
            assert mine == theirs, (one, other, mine[:500], theirs[:500])
            known = tried.setdefault(name, [0, 0])
            known[0] += 1
            known[1] += mine != "error"
for name, (asked, answered) in sorted(tried.items()):
    assert answered * 2 >= asked, (name, asked, answered)
print("%d commands, %d questions" % (len(tried), sum(a for a, b in tried.values())))
