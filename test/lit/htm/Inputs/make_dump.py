#!/usr/bin/env python3
"""Writes a small Core HTM dump: a program that calls a function, is interrupted
in it, returns, and after a pause goes on elsewhere.

make_dump.py out.htm [--p8] [--damaged]
"""
import struct
import sys

STAMP = 0xACEFF << 44
RECORD, PAUSE, MARK = STAMP, STAMP | 2 << 40, STAMP | 3 << 40
USER, KERNEL = 0xF8C0 << 48, 0xB0C0 << 48  # MSR words


def cycles(n):
    return STAMP | 0x80 << 36 | n


# The forms in which the core hands branches to the trace.
def recode_p10(op, ea):
    if op >> 26 == 18:
        target = (ea + (op & 0x3FFFFFC)) >> 2 & 0xFFFFFF
        return (op & 1) << 30 | target >> 17 << 21 | 1 << 18 | target & 0x1FFFF
    if op == 0x4E800020:  # blr
        return 0x2D100020
    return op | 0x180000  # rfid


def recode_p8(op, ea):
    if op >> 26 == 18:
        return (op & 1) << 30 | (ea + (op & 0x3FFFFFC)) & 0x3FFFFFC | 2
    if op == 0x4E800020:
        return 2 << 28 | 0x280 << 15 | 0x20
    return op


MAIN, F, HANDLER, ELSEWHERE = 0x10000600, 0x10000800, 0xC000000000004900, 0x10000700
STACK, KDATA = 0x3FFFD0001000, 0xC000000000100000

# (address, opcode, data address, MSR), or a stamp.
PROGRAM = [
    cycles(100),
    (MAIN, 0x38600005, None, USER),  # li r3,5
    (MAIN + 4, 0x48000000 | F - MAIN - 4 | 1, None, USER),  # bl
    (F, 0x7C0802A6, None, USER),  # mflr r0
    (F + 4, 0xF8010010, STACK + 16, USER),  # std r0,16(r1)
    cycles(50),
    (F + 8, 0xF8610020, STACK + 32, USER),  # std r3,32(r1)
    (F + 12, 0xE8810020, STACK + 32, USER),  # ld r4,32(r1)
    (HANDLER, 0xF92D0008, KDATA + 8, KERNEL),  # std r9,8(r13)
    (HANDLER + 4, 0x4C000024, None, KERNEL),  # rfid
    (F + 16, 0xE8010010, STACK + 16, USER),  # ld r0,16(r1)
    (F + 20, 0x7C0803A6, None, USER),  # mtlr r0
    (F + 24, 0x4E800020, None, USER),  # blr
    (MAIN + 8, 0x3BFF0001, None, USER),  # addi r31,r31,1
    MARK | 21 << 11,
    (MAIN + 12, 0x60000000, None, USER),  # nop
    PAUSE | 7,
    RECORD,
    (ELSEWHERE, 0x98A60000, STACK + 35, USER),  # stb r5,0(r6)
    (ELSEWHERE + 4, 0x60000000, None, USER),
]


def real(ea):
    return ea & 0xFFFFFF | (0x7 << 32 if ea >> 60 == 0xC else 0x5 << 32)


def is_branch(op):
    return op >> 26 in (18, 19)


def p10(program):
    line = None
    for item in program:
        if isinstance(item, int):
            yield item
            continue
        ea, op, data, msr = item
        if ea & ~0x7F != line:
            line = ea & ~0x7F
            yield from (3 << 28 | 0xABCDF << 8, line, real(line) >> 12 << 24)
        word = recode_p10(op, ea) if is_branch(op) else op
        yield (word << 32 | is_branch(op) << 31 | 2 << 28 | 0xABCDF << 8 | ea & 0x7C
               | (data is not None))
        yield msr
        if data is not None:
            yield from (data, real(data) >> 12 << 23)


def p8(program):
    expected = None
    for item in program:
        if isinstance(item, int):
            yield item
            continue
        ea, op, data, msr = item
        jump = ea != expected
        word = recode_p8(op, ea) if is_branch(op) and op != 0x4C000024 else op
        branch = is_branch(op) and op != 0x4C000024
        yield (word << 32 | branch << 31 | 0xABCDE << 8 | 1 << 7 | jump << 6
               | (data is not None) * 0x18)
        if jump:
            yield ea | 1
        if data is not None:
            yield from (data, real(data) >> 12 << 24)
        expected = ea + 4


def main():
    words = [RECORD] + list((p8 if "--p8" in sys.argv else p10)(PROGRAM))
    if "--damaged" in sys.argv:
        words.insert(9, 0x1111111111111111)  # belongs to no record
    with open(sys.argv[1], "wb") as f:
        f.write(struct.pack(">%dQ" % len(words), *words))


main()
