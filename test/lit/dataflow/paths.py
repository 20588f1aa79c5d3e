"""Critical paths of the worked examples, as text and as JSON, which have to agree;
and the laws that hold of any trace.

usage: paths.py REWIND examples FOLDER
       paths.py REWIND laws TRACE...
"""
import json
import os
import re
import subprocess
import sys

rewind, what, *paths = sys.argv[1:]


def out(words):
    return subprocess.run([rewind, *words], check=True, capture_output=True, text=True).stdout


def path(trace, *words):
    """The length and the work."""
    words = ["critical-path", trace, *words]
    told = json.loads(out([*words, "--json"]))
    text = re.search(r"^critical path ([0-9,]+), work ([0-9,]+):", out(words), re.M)
    numbers = told["length"], told["work"]
    assert tuple(int(n.replace(",", "")) for n in text.groups()) == numbers, (text, numbers)
    return numbers


EXAMPLES = """
saverestore --calls atomic
saverestore --calls atomic --no-suppress
control --to 12 --calls fine --control none
control --to 12 --calls fine --control exact
control --to 12 --calls fine --control call
control --to 12 --calls fine --control all
control --to 12 --calls none --control none
control --to 12 --calls none --control exact
control --to 12 --calls none --control call
control --to 12 --calls none --control all
framepointer --no-suppress
framepointer
fib1 --to 3 --calls fine
fib1 --to 3 --calls atomic
fib2 --to 9 --calls fine
fib2 --to 9 --calls atomic
fib5 --to 45 --calls fine
fib5 --to 45 --calls atomic
fib8 --to 201 --calls fine
fib8 --to 201 --calls atomic
storage --to 15 --storage raw
storage --to 15 --storage +war
storage --to 15 --storage +waw
storage --to 15 --storage +war+waw
storage --to 15 --storage raw --calls atomic
storage --to 15 --storage +war --calls atomic
storage --to 15 --storage +waw --calls atomic
storage --to 15 --storage +war+waw --calls atomic
iterations --to 19
iterations --to 19 --dependences static
"""


def examples(folder):
    for line in EXAMPLES.strip().splitlines():
        name, *words = line.split()
        length, work = path(os.path.join(folder, name + ".tarmac"), *words)
        print(f"{line}: {length} of {work}")


def laws(trace):
    name = os.path.basename(trace)
    for calls in "none", "fine", "atomic":
        lengths = [
            path(trace, "--calls", calls, "--control", control)[0]
            for control in ("none", "exact", "call", "all")
        ]
        print(f"{name} --calls {calls}:", " <= ".join(map(str, lengths)))
        assert lengths == sorted(lengths)
    for control in "none", "exact", "call", "all":
        dynamic = path(trace, "--calls", "atomic", "--control", control)[0]
        static = path(trace, "--dependences", "static", "--control", control)[0]
        print(f"{name} --control {control}: dynamic {dynamic} <= static {static}")
        assert dynamic <= static
    # As a trace that tells no accesses to memory, such as Intel PT.
    without = trace + ".without"
    with open(trace) as full, open(without, "w") as file:
        file.writelines(line for line in full if not re.match(r"\S+ clk M[RW]", line))
    for words in ["--calls", "fine"], ["--calls", "atomic"], ["--dependences", "static"], [
        "--control", "all"], ["--no-suppress"]:  # fmt: skip
        less, full = path(without, *words)[0], path(trace, *words)[0]
        print(f"{name} {' '.join(words)}: without memory {less} <= {full}")
        assert less <= full
    for control in "none", "exact", "call", "all":
        words = ["critical-path", trace, "--control", control, "--json", "-c", "1000000"]
        steps = json.loads(out([*words, "--steps"]))["items"]
        lines = json.loads(out([*words, "--slack"]))["items"]
        least = {line["address"]: line["slack"] for line in lines}
        assert steps and all(least[step["pc"]] == 0 for step in steps)
        assert sum(line["critical"] for line in lines) >= len(steps)
        print(f"{name} --control {control}: no slack in {len(steps)} steps")


if what == "examples":
    examples(paths[0])
else:
    for each in paths:
        laws(each)
