"""Compares two Tarmac traces but for what depends on who made them: texts of
instructions, modes, the dump before the first instruction."""
import re
import sys

style, ours, theirs = sys.argv[1:]


def fast_model(line):
    line = re.sub(r" clk I([TS]) (\S+ \S+ \S+ \S) .*", r" clk I\1 \2", line)
    line = re.sub(r"SP_EL\d", "SP", line)
    line = re.sub(r"cpsr (.).*", r"cpsr \1", line)
    return line.lower()


def cycle_model(line):
    line = re.sub(r"^ *\d* tic ES  (\S+ \S).*?:\s+(CCFAIL)?.*", r"\1 \2", line)
    return re.sub(r"    N?S:.*", "", line).strip()


def instructions(path):
    """For each instruction its lines; the order of its registers is nobody's
    business. Without what says how a run ended."""
    found = []
    for line in open(path):
        if " CADI " in line or " E " in line:
            continue
        if re.search(r" I[TS] \(| ES  \(", line):
            found.append([])
        if found:
            found[-1].append((fast_model if style == "fm" else cycle_model)(line.rstrip()))
    return [i[:1] + sorted(i[1:]) for i in found]


ours, theirs = instructions(ours), instructions(theirs)
for number, (a, b) in enumerate(zip(ours, theirs)):
    if a != b:
        sys.exit("instruction %d:\nours   %s\ntheirs %s" % (number, a, b))
if len(ours) != len(theirs) or len(ours) < 1000:
    sys.exit("%d and %d instructions" % (len(ours), len(theirs)))
