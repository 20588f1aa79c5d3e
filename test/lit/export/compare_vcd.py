"""Compares two value change dumps: signals by name, values by time. Codes of
signals, declarations' order and repeated values do not matter."""
import sys


def read(path):
    scope, codes, time, changes, value = [], {}, None, {}, {}
    lines = iter(open(path))
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scope.append(words[2])
        elif words[0] == "$upscope":
            scope.pop()
        elif words[0] == "$var":
            name = ".".join(scope + words[4:5])
            codes[words[3]] = (name, words[1], int(words[2]))
        elif words[0] == "$enddefinitions":
            break
    for line in lines:
        words = line.split()
        if not words or words[0][0] == "$":
            continue
        if words[0][0] == "#":
            time = int(words[0][1:])
        elif words[0][0] in "bBrRsS":
            put(changes, value, codes[words[1]], time, words[0][1:].lower())
        elif words[0][0] in "01xXzZ" and len(words) == 1:
            put(changes, value, codes[words[0][1:]], time, words[0][0].lower())
    return changes


def put(changes, value, signal, time, text):
    name, kind, width = signal
    if kind not in ("string", "real"):
        # Leading zeros and leading x go without saying.
        text = text.rjust(width, "x" if text[0] == "x" else "0")
    if value.get(name) == text:
        return
    value[name] = text
    changes.setdefault(name, []).append((time, text))


one, other = read(sys.argv[1]), read(sys.argv[2])
assert set(one) == set(other), set(one) ^ set(other)
for name in one:
    for a, b in zip(one[name], other[name]):
        assert a == b, (name, a, b)
    assert len(one[name]) == len(other[name]), name
print("%d signals, %d changes, the same" % (len(one), sum(map(len, one.values()))))
