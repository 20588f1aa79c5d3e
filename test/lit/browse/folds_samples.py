"""Folds on traces of the Tarmac Trace Utilities: folds_samples.py <rewind> <trace> <its tarmac-calltree> <count>.
What is to be seen follows from the calls that tarmac-calltree lists, by the rules of the manual, here said with one
flag for each call."""
import json
import random
import re
import subprocess
import sys

from screen import Screen

rewind, trace, calltree, count = *sys.argv[1:4], int(sys.argv[4])
# The lines of the trace on which an instruction begins.
listed = subprocess.run([rewind, "list", trace, "0", "-c", "1000000", "--json"], capture_output=True, text=True).stdout
begins = [json.loads(text)["line"] for text in listed.splitlines() if '"line"' in text]
position = {line: p for p, line in enumerate(begins)}
calls = []  # (first, one past the last, depth): positions
for text in open(calltree):
    found = re.match(r"( *)o t:\d+ l:(\d+) .* - t:\d+ l:(\d+) ", text)
    if found:
        # A call ends with its return, whose line is told, or with the last line of what it did.
        first, last = int(found.group(2)), int(found.group(3))
        first = min(p for line, p in position.items() if line >= first)
        last = max(p for line, p in position.items() if line <= last)
        calls.append((first, last + 1, len(found.group(1)) // 4))


def seen(folded):
    hidden = set()
    for n in folded:
        hidden.update(range(*calls[n][:2]))
    return [p for p in range(len(begins)) if p not in hidden]


def containing(p):
    inside = [n for n, (first, end, _) in enumerate(calls) if first <= p < end]
    return inside[-1] if inside else None


def within(n):
    first, end, depth = calls[n]
    return {m for m, c in enumerate(calls) if first <= c[0] and c[1] <= end and c[2] > depth}


def outermost(folded, p):
    inside = [n for n in sorted(folded) if calls[n][0] <= p < calls[n][1]]
    return inside[0] if inside else None


def row_of(folded, p):
    while (n := outermost(folded, p)) is not None:
        p = calls[n][0] - 1
    return p


def press(key, folded, p):
    """The folds and the position after a key. Where there is nothing to fold, the position stays."""
    before = folded
    can = {n for n, c in enumerate(calls) if c[0] > 0}
    if key == "{":
        folded = can
    elif key == "}":
        folded = set()
    elif key == "-":
        n = containing(row_of(folded, p))
        folded = folded | ({n} & can)
    elif key == "[":
        folded = folded | within(containing(p))
    elif key == "]":
        folded = folded - within(containing(p))
    elif key == "+":
        n = outermost(folded, p)
        if n is None:
            for at in (p, row_of(folded, p - 1) if p else p):
                n = outermost(folded, at + 1) if at + 1 < len(begins) and row_of(folded, at) == at else None
                n = n if n is not None and calls[n][0] == at + 1 else None
                if n is not None:
                    break
        folded = folded - {n}
        return folded, p
    stays = key == "}" or folded == before and key != "{"
    return folded, p if stays else row_of(folded, p)


rng = random.Random(7)
wrong = 0
for number in range(count):
    s = Screen(rewind, trace, "--no-colour", size=(200, 60))
    folded, at = set(), 0
    keys = []
    for _ in range(8):
        if rng.random() < 0.6:
            at = rng.randrange(len(begins))
            keys.append("l %d" % begins[at])
            s.type("l", str(begins[at]))
        keys.append(rng.choice("-+[]{}-+["))
        s.press(keys[-1])
        folded, at = press(keys[-1], folded, at)
    rows, visible = s.rows(), seen(folded)
    if s.position() != at:
        wrong += 1
        print("FAILED after %s: at %d, not %d" % (keys, s.position(), at))
    elif rows[0] not in visible or rows != visible[visible.index(rows[0]):][:len(rows)] or row_of(folded, at) not in rows:
        wrong += 1
        print("FAILED after %s at %d:\n  %s\n  %s" % (keys, at, rows, [p for p in visible if p >= rows[0]][:len(rows)]))
    s.child.terminate(force=True)
print("%d of %d sequences are wrong" % (wrong, count))
