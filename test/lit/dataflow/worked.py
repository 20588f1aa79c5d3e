"""Writes the worked examples of docs/dataflow.md as Tarmac traces of A64 code, one
file each, into a folder. Registers are left out: an example is about who reads
and writes what, which instructions and addresses tell.

usage: worked.py FOLDER
"""
import os
import sys

FOLDER = sys.argv[1]


class Trace:
    """Instructions as they are executed: (address, opcode, text)."""

    def __init__(self, name):
        self.name, self.lines = name, []

    def run(self, insn, loads=(), stores=()):
        pc, opcode, text = insn
        n = len([line for line in self.lines if " IT " in line]) + 1
        self.lines.append(f"{n} clk IT ({n}) {pc:08x} {opcode:08x} O EL0t_n : {text}")
        for kind, places in (("R", loads), ("W", stores)):
            for address, size in places:
                self.lines.append(f"{n} clk M{kind}{size} {address:08x} {0:0{2 * size}x}")

    def write(self):
        with open(os.path.join(FOLDER, self.name + ".tarmac"), "w") as out:
            out.write("\n".join(self.lines) + "\n")


def code(pc, *words):
    """Instructions side by side; a word is an opcode and its text."""
    return [(pc + 4 * n, opcode, text) for n, (opcode, text) in enumerate(words)]


def bl(pc, to):
    return (pc, 0x94000000 | (to - pc) // 4 & 0x3FFFFFF, f"bl #{to - pc:#x}")


def jump(pc, to):
    return (pc, 0x14000000 | (to - pc) // 4 & 0x3FFFFFF, f"b #{to - pc:#x}")


def bcond(pc, condition, to):
    number = {"eq": 0, "ne": 1, "lt": 11}[condition]
    return (pc, 0x54000000 | ((to - pc) // 4 & 0x7FFFF) << 5 | number, f"b.{condition} #{to - pc:#x}")


RET = (0xD65F03C0, "ret")


def nop(pc):
    """Behind a call: only then it is known that it returned."""
    return (pc, 0xD503201F, "nop")


def subwords():
    t = Trace("subwords")
    words = code(
        0x400000,
        (0xB9000020, "str w0, [x1]"),
        (0x39000020, "strb w0, [x1]"),
        (0x79000020, "strh w0, [x1]"),
        (0xB9400022, "ldr w2, [x1]"),
        (0x39400022, "ldrb w2, [x1]"),
        (0x79400022, "ldrh w2, [x1]"),
        (0xB9400022, "ldr w2, [x1]"),
        (0xF9000020, "str x0, [x1]"),
        (0xB9400022, "ldr w2, [x1]"),
    )
    places = [(0x1000, 4), (0x1001, 1), (0x1002, 2), (0x1000, 4), (0x1003, 1),
              (0x1000, 2), (0x0FFE, 4), (0x1000, 8), (0x0FFC, 4)]  # fmt: skip
    for word, place in zip(words, places):
        if word[2].startswith("st"):
            t.run(word, stores=[place])
        else:
            t.run(word, loads=[place])
    t.write()


def saverestore():
    t = Trace("saverestore")
    slot = [(0x8000, 8)]
    t.run((0x400000, 0xD28000B3, "mov x19, #5"))
    t.run(bl(0x400004, 0x400100))
    store, move, add, load, ret = code(
        0x400100,
        (0xF90003F3, "str x19, [sp]"),
        (0xAA0003F3, "mov x19, x0"),
        (0x91000660, "add x0, x19, #1"),
        (0xF94003F3, "ldr x19, [sp]"),
        RET,
    )
    t.run(store, stores=slot)
    t.run(move)
    t.run(add)
    t.run(load, loads=slot)
    t.run(ret)
    t.run((0x400008, 0x91000661, "add x1, x19, #1"))
    t.write()


def control():
    """Twelve instructions; what comes behind them shows which ways there are."""
    t = Trace("control")
    cmp0, beq = (0x400000, 0xF100001F, "cmp x0, #0"), bcond(0x400004, "eq", 0x40000C)
    call, f = bl(0x400008, 0x400100), 0x400100
    mov3, cmp3 = code(0x40000C, (0xD2800023, "mov x3, #1"), (0xF100007F, "cmp x3, #0"))
    blt, mov4 = bcond(0x400014, "lt", 0x40001C), (0x400018, 0xD2800024, "mov x4, #1")
    behind, leave = code(0x40001C, (0xD503201F, "nop"), RET)
    mov5, cmp5 = code(f, (0xD2800025, "mov x5, #1"), (0xF10000BF, "cmp x5, #0"))
    bne, mov6, ret = bcond(f + 8, "ne", f + 16), (f + 12, 0xD2800026, "mov x6, #1"), (f + 16, *RET)

    def body(taken):
        for insn in (cmp0, beq, *((call, mov5, cmp5, bne, mov6, ret) if taken else ())):
            t.run(insn)
        for insn in (mov3, cmp3, blt, *((mov4,) if taken else ())):
            t.run(insn)

    body(True)
    for way, pc in (True, 0x400200), (False, 0x400204):
        t.run(bl(pc, 0x400000))
        body(way)
        t.run(behind)
        t.run(leave)
    t.run(bl(0x400208, f))
    for insn in mov5, cmp5, bne, ret:
        t.run(insn)
    t.write()


def framepointer():
    t = Trace("framepointer")
    frame, local = [(0x8000, 8), (0x8008, 8)], [(0x801C, 4)]
    words = code(
        0x400000,
        (0xA9BE7BFD, "stp x29, x30, [sp, #-32]!"),
        (0x910003FD, "mov x29, sp"),
        (0xB9001FA0, "str w0, [x29, #28]"),
        (0xB9401FE1, "ldr w1, [sp, #28]"),
        (0x11000420, "add w0, w1, #1"),
        (0xA8C27BFD, "ldp x29, x30, [sp], #32"),
        RET,
    )
    places = [((), frame), ((), ()), ((), local), (local, ()), ((), ()), (frame, ()), ((), ())]
    for word, (loads, stores) in zip(words, places):
        t.run(word, loads, stores)
    t.write()


def fib(n):
    """The result of fib(n) goes to a register of its caller's choice: code of its
    own for each pair of both."""
    t = Trace(f"fib{n}")

    def call(n, register, site):
        entry = 0x500000 + n * 0x10000 + register * 0x100
        t.run(bl(site, entry))
        at = entry
        left = right = 31  # the zero register
        if n >= 2:
            call(n - 1, register, at)
            call(n - 2, register + 1, at + 4)
            left, right, at = register, register + 1, at + 8
        name = ["x%d" % k if k < 31 else "xzr" for k in (register, left, right)]
        t.run((at, 0x8B000000 | right << 16 | left << 5 | register, "add " + ", ".join(name)))
        t.run((at + 4, *RET))

    call(n, 0, 0x400000)
    t.run(nop(0x400004))
    t.write()


def storage():
    t = Trace("storage")
    place = [(0x1000, 8)]
    for n in range(3):
        t.run(bl(0x400000 + 4 * n, 0x400100))
        mov, store, load, ret = code(
            0x400100,
            (0xD2800020, "mov x0, #1"),
            (0xF90000A0, "str x0, [x5]"),
            (0xF94000A1, "ldr x1, [x5]"),
            RET,
        )
        t.run(mov)
        t.run(store, stores=place)
        t.run(load, loads=place)
        t.run(ret)
    t.run(nop(0x40000C))
    t.write()


def iterations():
    t = Trace("iterations")
    load, mul, store = code(
        0x400000,
        (0xF94000C1, "ldr x1, [x6]"),
        (0x9B077C21, "mul x1, x1, x7"),
        (0xF9000101, "str x1, [x8]"),
    )
    for n in range(5):
        t.run(load, loads=[(0x2000 if n == 4 else 0x1000 + 8 * n, 8)])
        t.run(mul)
        t.run(store, stores=[(0x2000 + 8 * n, 8)])
        t.run(jump(0x40000C, 0x400000))
    t.write()


subwords()
saverestore()
control()
framepointer()
for n in 1, 2, 5, 8:
    fib(n)
storage()
iterations()
