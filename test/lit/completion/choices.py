"""choices.py <rewind>: every word that is offered for an option's value is one
that the command understands."""
import subprocess
import sys

rewind = sys.argv[1]
arguments = {
    "calls where": ["audit"],
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


for words in names():
    name = " ".join(words)
    place = ["sample.tarmac", "-i", "sample.elf"]
    given = arguments.get(name, ["x0"] if name in ("history", "last-write", "origin", "why") else [])
    for option in complete(*words, "sample.tarmac", *given, "--"):
        if option in ("--format", "--thread", "--at", "--from", "--to", "--writes", "--select", "--exclude", "--fold", "--function", "--stop", "--free", "--layer", "--in", "--if"):
            continue  # names of the program and of traces
        for choice in complete(*words, "sample.tarmac", *given, option, ""):
            if not choice or choice.startswith("-"):
                continue
            line = [rewind, *words, *place, *given, option, choice]
            if name == "eval":
                line += ["--at", "audit"]
            ran = subprocess.run(line, capture_output=True, text=True)
            tried += 1
            # --goto is for debuggers.
            if ran.returncode == 2 and "position to move" not in ran.stderr:
                wrong += 1
                print("wrong:", line, ran.stderr)
print("tried enough:", tried > 40, "wrong:", wrong, "of", tried)
