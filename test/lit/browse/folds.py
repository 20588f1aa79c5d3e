"""Folds by the rules of the Tarmac Trace Utilities' manual, on a trace whose calls are written down here.
folds.py <rewind> <folder>

What is to be seen was worked out by hand from the manual's "Trace pane commands" (and, for { and }, from the code,
where the manual has them the other way round). f calls g, g calls h twice; f calls k; all in one file."""
import os
import sys

from screen import Screen

rewind, folder = sys.argv[1:3]
trace = os.path.join(folder, "calls.tarmac")

# (address, what, new lr or none): position is the index.
BL, RET, NOP = 0x94000000, 0xD65F03C0, 0xD503201F
program = [
    (0x1000, "NOP"),                 # 0  start
    (0x1004, "BL", 0x2000),          # 1  start calls f
    (0x2000, "NOP"),                 # 2    f
    (0x2004, "BL", 0x3000),          # 3    f calls g
    (0x3000, "NOP"),                 # 4      g
    (0x3004, "BL", 0x4000),          # 5      g calls h
    (0x4000, "NOP"),                 # 6        h
    (0x4004, "RET", 0x3008),         # 7
    (0x3008, "BL", 0x4000),          # 8      g calls h again
    (0x4000, "NOP"),                 # 9        h
    (0x4004, "RET", 0x300C),         # 10
    (0x300C, "RET", 0x2008),         # 11
    (0x2008, "BL", 0x5000),          # 12   f calls k
    (0x5000, "NOP"),                 # 13     k
    (0x5004, "RET", 0x200C),         # 14
    (0x200C, "RET", 0x1008),         # 15
    (0x1008, "NOP"),                 # 16 start
]
with open(trace, "w") as out:
    for n, (pc, what, *target) in enumerate(program):
        if what == "BL":
            code, text = BL | ((target[0] - pc) >> 2) & 0x3FFFFFF, "BL 0x%x" % target[0]
        elif what == "RET":
            code, text = RET, "RET"
        else:
            code, text = NOP, "NOP"
        print("%d clk IT (%d) %08x %08x O EL1h_n : %s" % (n + 1, n + 1, pc, code, text), file=out)
        if what == "BL":
            print("%d clk R X30 %016x" % (n + 1, pc + 4), file=out)
        if n == 0:
            print("1 clk R SP_EL1 0000000000008000", file=out)

All = list(range(17))
without = lambda *hidden: [p for p in All if p not in hidden]
H1, H2, G, K, F = [6, 7], [9, 10], list(range(4, 12)), [13, 14], list(range(2, 16))

# (keys from the beginning, what is to be seen, the position then)
cases = [
    ("", All, 0),
    ("}", All, 0),
    # "Fold up the entire trace file to the maximum extent possible."
    ("{", without(*F), 0),
    ("{ }", All, 0),
    # "Fold up the function call containing the current position."
    ("g6 -", without(*H1), 5),
    ("g9 _", without(*H2), 8),
    ("g4 -", without(*G), 3),
    ("g13 -", without(*K), 12),
    ("g2 -", without(*F), 1),
    ("g6 - -", without(*G), 3),
    ("g6 - - -", without(*F), 1),
    # "Unfold a folded-up function call at the current position"; calls in it stay as they were.
    ("g6 - +", All, 5),
    ("g6 - - +", without(*H1), 3),
    ("g6 - - =", without(*H1), 3),
    ("g6 - - - +", without(*G), 1),
    ("{ g1 +", without(*G, *K), 1),
    ("{ g1 + g3 +", without(*H1, *H2, *K), 3),
    # With the rule right behind the folded call, too.
    ("g4 - g12 +", All, 12),
    # "Fold up all the subroutine calls from inside the function containing the current position, but leave that
    # function itself unfolded."
    ("g4 [", without(*H1, *H2), 4),
    ("g2 [", without(*G, *K), 2),
    ("g6 [", All, 6),
    ("g0 [", without(*F), 0),
    # "Unfold everything within the current function, to any depth of nesting."
    ("{ g1 + g2 ]", All, 2),
    ("{ g0 ]", All, 0),
    ("g4 [ g2 ]", All, 2),
    ("g13 - g4 [ ]", without(*K), 4),
    # A hidden position stays where it is, and is shown where it went.
    ("{ g6", without(*F), 6),
    ("{ g6 +", without(*G, *K), 6),
    ("{ g6 + +", without(*H1, *H2, *K), 6),
    ("{ g6 + + +", without(*H2, *K), 6),
    # Steps go over what is folded.
    ("g4 - Down", without(*G), 12),
    ("g4 - Down Up", without(*G), 3),
]
wrong = 0
for keys, wanted, at in cases:
    s = Screen(rewind, trace, "--no-colour", size=(80, 60))
    for key in keys.split():
        if key[0] == "g" and len(key) > 1:
            s.type("g", "#" + key[1:])
        else:
            s.press(key)
    if s.rows() != wanted or s.position() != at:
        wrong += 1
        print("FAILED after %r: %s at %d; wanted %s at %d" % (keys, s.rows(), s.position(), wanted, at))
        print(s.text())
    s.child.terminate(force=True)
print("%d of %d cases are wrong" % (wrong, len(cases)))
