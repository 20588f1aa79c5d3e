"""choices.py <rewind>: every word that is offered for an option's value is one
that the command understands."""
import os
import re
import subprocess
import sys

rewind = sys.argv[1]
arguments = {
    "calls info": ["audit"],
    "calls where": ["1000"],
    "critical-path": [],
    "deps": ["#40000"],
    "diff": ["1", "2"],
    "eval": ["1"],
    "find": ["audit"],
    "goto": ["1"],
    "profile block": ["audit"],
    "profile diff": ["sample.tarmac"],
    "profile merge": [],
    "slice": ["x0"],
}
tried = wrong = 0


def complete(*words):
    answer = subprocess.run([rewind, "__complete", "words", *words], capture_output=True, text=True, check=True)
    return [line.split("\t")[0] for line in answer.stdout.splitlines()[1:]]


def names():
    for first in complete(""):
        more = complete(first, "") if first not in ("help", "completion") else []
        seconds = [m for m in more if m and not m.startswith("-")]
        if seconds and first not in ("export", "bookmark", "htm", "qtrace"):
            yield from ([first, second] for second in seconds)
        if first in ("critical-path", "deps", "diff", "eval", "find", "history", "last-write", "list", "origin", "parallelism", "slice", "why", "where"):
            yield [first]


# These say something only beside another option.
beside = {"--in": ["value", "1"], "--event": [], "--sort": ["--metric", "time/instructions"]}

for words in names():
    name = " ".join(words)
    place = ["sample.tarmac", "-i", "sample.elf"]
    given = arguments.get(name, ["x0"] if name in ("history", "last-write", "origin", "why") else [])
    if name == "eval":
        place += ["--at", "audit"]
    # Commands that want more than that have no options of their own kinds.
    plain = subprocess.run([rewind, *words, *place, *given], capture_output=True, text=True, timeout=20)
    if plain.returncode == 2:
        continue
    positional = complete(*words, "sample.tarmac", *given, "")
    told = subprocess.run([rewind, "help", *words], capture_output=True, text=True, check=True).stdout
    valued = re.findall(r"(--[a-z-]+) <", told)
    for option in complete(*words, "sample.tarmac", *given, "--"):
        if option not in valued:
            continue
        offered = complete(*words, "sample.tarmac", *given, option, "")
        choices = [c for c in offered if c and not c.startswith("-")]
        # Names of the program, files and positions are tested elsewhere: of these a
        # command has one or many. Behind a switch comes an argument.
        if not 2 <= len(choices) <= 20 or offered == positional or any(os.path.exists(c) or c == "start" for c in choices):
            continue
        more = beside.get(option, given)
        if option == "--sort":
            more = given + (more if "ratio" in choices else [])
        for choice in choices:
            line = [rewind, *words, *place, *more, option, choice]
            ran = subprocess.run(line, capture_output=True, text=True, timeout=20)
            tried += 1
            # --goto is for debuggers.
            if ran.returncode == 2 and "position to move" not in ran.stderr:
                wrong += 1
                print("wrong:", line, ran.stderr)
print("tried enough:", tried > 40, "wrong:", wrong, "of", tried)
