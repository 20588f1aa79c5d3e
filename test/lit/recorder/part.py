"""Compares a recording of a function with the recording of everything: the
instructions of its first activation and what they did, line by line."""
import re
import subprocess
import sys

whole, part, name, program = sys.argv[1:]
for line in subprocess.check_output(["llvm-nm", program], text=True).splitlines():
    fields = line.split()
    if fields[-1] == name:
        start = int(fields[0], 16) & ~1


def lines(path):
    """Without times, and from the function's first instruction on."""
    found, begun = [], False
    for line in open(path):
        insn = re.search(r" clk I[TS] \(\d+\) ([0-9a-f]+) ", line)
        begun = begun or (insn and int(insn.group(1), 16) == start)
        if begun:
            found.append(re.sub(r"^\d+ clk( I[TS] )?(\(\d+\))?", r"\1", line))
    return found


whole, part = lines(whole), lines(part)
if len(part) < 1000 or whole[: len(part)] != part:
    sys.exit("%d lines, which differ" % len(part))
if len(whole) == len(part):
    sys.exit("nothing is left out")
