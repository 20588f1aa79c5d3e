"""Counts a call log's lines for the functions of calls.c."""
import collections
import subprocess
import sys

program, log = sys.argv[1:]
names = {}
for line in subprocess.check_output(["llvm-nm", program], text=True).splitlines():
    fields = line.split()
    if len(fields) == 3 and fields[1] in "tT":
        names.setdefault(int(fields[0], 16) & ~1, fields[2])
counts = collections.defaultdict(lambda: [0, 0, 0])
stack = []
last = 0
for line in open(log):
    kind, index, _, to, depth = line.split()
    assert int(index) >= last, line
    last = int(index)
    if kind == "call":
        stack.append(names.get(int(to, 16)))
        counts[stack[-1]][0] += 1
    assert len(stack) == int(depth), line
    if kind != "call":
        counts[stack.pop()][1 if kind == "return" else 2] += 1
for name in sorted(n for n in counts if n in ("add", "deep", "fibonacci", "indirect")):
    print("%s %d calls, %d returns, %d unwound" % (name, *counts[name]))
