"""Writes a Tarmac trace of two threads that take turns: one goes round a loop
three times and leaves it, the other's trace ends in its third time round."""
import itertools

LOOP = [(0x8000, 0xE2500001, "SUBS r0,r0,#1"), (0x8004, 0x1AFFFFFD, "BNE 0x8000")]
OTHER = [(0x9000, 0xE1A00000, "NOP"), (0x9004, 0xE1A00000, "NOP"), (0x9008, 0xEAFFFFFC, "B 0x9000")]
threads = [[("cpu0", *i) for i in LOOP * 3 + [(0x8008, 0xE1A00000, "NOP")]],
           [("cpu1", *i) for i in (OTHER * 3)[:-1]]]
turns = (i for pair in itertools.zip_longest(*threads) for i in pair if i)
for number, (cpu, pc, opcode, text) in enumerate(turns, 1):
    print("%d clk %s IT (%d) %08x %08x A svc_s : %s" % (number, cpu, number, pc, opcode, text))
