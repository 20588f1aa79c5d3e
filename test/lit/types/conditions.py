"""conditions.py <rewind> <trace> <image>: find --if counts what C's rules say,
of the values that the program gave its variables, or says why it does not."""

import subprocess
import sys

rewind, trace, image = sys.argv[1:]


def find(*words):
    return subprocess.run([rewind, "find", trace, "-i", image, *words, "--how-many"], capture_output=True, text=True)


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


# The values of each visit.
runs = range(20)
values = {
    "c->load": lambda i: i * 0.5 - 3,
    "c->rate": lambda i: 3.0 - i,
    "c->x": lambda i: i & 31,
    "c->z": lambda i: signed(-i, 6),
    "c->st": lambda i: 4 if i % 3 == 2 else 0,
    "to": lambda i: 4 if i % 3 else 3,
    "i": lambda i: i,
    "c->name[0]": lambda i: ord("a") + i % 3,
    "conns[i & 7].load": lambda i: i * 0.5 - 3,
    "(*c).z": lambda i: signed(-i, 6),
}
operators = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
wanted = []
for n, (text, value) in enumerate(values.items()):
    for m, (op, holds) in enumerate(operators.items()):
        number = (-1, 0, 3, 2.5, -2, 100.5)[(n + m) % 6]
        if number < 0 and text in ("to", "c->st"):
            number = 3
        wanted.append((f"{text} {op} {number}", sum(holds(value(i), number) for i in runs)))
wanted += [
    ("c->cb == add", 10),
    ("c->cb == &sub && i > 3", 8),
    ("c == &conns[5]", 2),
    ("c == conns", 3),
    ("c->next", 10),
    ("c->next == NULL || 0", 10),
    ("c->next && c->next->load < 0", 4),
    ("!c->next || c->next == conns", 14),
    ("to == OPEN", 13),
    ("to > CONNECTING", 13),
    ("(c->st==OPEN)", 6),
    ("c->name[0] == 'b'", 7),
    ("i * 2 + 1 > 20 && !(i & 1)", 5),
    ("c + 1 == 0", 0),
]
bad = 0
for text, count in wanted:
    done = find("visit", "--if", text)
    if not done.stdout.startswith(f"{count} visit"):
        bad += 1
        print(f"{text}: {count} wanted, got {done.stdout}{done.stderr}")
for text, reason in [
    ('c->name == "a"', "texts are not compared"),
    ("to == OPNE", "did you mean 'OPEN'"),
    ("big == 5", "16 bytes"),
    ("ld > 1", "only float and double"),
    ("*c == 1", "no number and no pointer"),
    ("1 + c == 0", "pointers are only compared"),
]:
    done = find("visit", "--if", text)
    if done.returncode == 0 or done.stdout or reason not in done.stderr:
        bad += 1
        print(f"{text}: refusal wanted ({reason}), got {done.stdout}{done.stderr}")
# Nothing writes it, and the trace does not tell what the loader did.
done = find("visit", "--if", "!c->never")
if done.stdout != "0 visits of visit; without 20 of which it is not known whether the condition holds\n":
    bad += 1
    print(f"unknown: {done.stdout}{done.stderr}")
# A line that opens a function is meant behind its prologue.
source = open(sys.argv[0].replace("conditions.py", "Inputs/conditions.c"), encoding="utf-8").read().split("\n")
for name in ("one", "visit"):
    line = next(n for n, text in enumerate(source, 1) if f" {name}(struct conn *c" in text)
    done = find(f"conditions.c:{line}", "--if", "i == 7")
    if not done.stdout.startswith("1 visit"):
        bad += 1
        print(f"line {line}: {done.stdout}{done.stderr}")
print("FAILED" if bad else f"{len(wanted)} conditions hold as they should")
