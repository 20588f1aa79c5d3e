#!/usr/bin/env python3
"""Writes Core HTM dumps of POWER8 and POWER10 whose every instruction is known.

The program in them calls functions (bl, bctrl, blr), loops (bdnz), loads and
stores; on POWER10 it has a prefixed instruction. A chunk of its iterations is
repeated until there are as many instructions as asked for. The same arguments
write the same bytes.
"""

from __future__ import annotations

import argparse
import random
import struct
import sys
from dataclasses import dataclass
from typing import Callable, Iterator, Optional

P8_TAG, P10_TAG = 0xABCDE, 0xABCDF
RECORD_STAMP, COMPLETE_STAMP, TIME_STAMP = 0xACEFF0 << 40, 0xACEFF1 << 40, 0xACEFF8 << 40
CYCLES_PER_STAMP, CYCLES_AT_END = 123, 4242

MAIN, LOOP, LEAF = 0x10000600, 0x10000800, 0x10010000  # functions
DATA, STACK = 0x3FFF80000000, 0x3FFFD0001000


@dataclass(frozen=True)
class Instruction:
    address: int
    opcode: int
    data: Optional[int] = None  # address that it loads or stores
    prefix: Optional[int] = None


# Branches. Bits are numbered from the lowest.


def sign_extended(value: int, bits: int) -> int:
    return (value ^ 1 << bits - 1) - (1 << bits - 1)


def b(address: int, target: int, link: int = 0) -> int:
    return 0x48000000 | target - address & 0x03FFFFFC | link


def bc(address: int, target: int, bo: int, bi: int) -> int:
    return 0x40000000 | bo << 21 | bi << 16 | target - address & 0xFFFC


def is_branch(opcode: int) -> bool:
    """Whether the core hands it to the trace in its predecoded form."""
    return opcode >> 26 in (16, 18) or (
        opcode >> 26 == 19 and opcode >> 1 & 0x3FF in (16, 528, 560)
    )


def target_of(opcode: int, address: int, bits: int) -> tuple[int, int]:
    """Target of a direct branch, and how its upper part relates to the address:
    0 the same, 1 one more, 3 one less, 2 absolute."""
    absolute = opcode >> 1 & 1
    displacement = sign_extended(opcode & (1 << bits) - 4, bits)
    target = displacement + (0 if absolute else address) & 2**64 - 1
    mode = 2 if absolute else {0: 0, 1: 1, -1: 3}[(target >> bits) - (address >> bits)]
    return target, mode


def predecoded_p10(opcode: int, address: int) -> int:
    major, link = opcode >> 26, opcode & 1
    bo, bi = opcode >> 21 & 31, opcode >> 16 & 31
    if major == 18:
        target, mode = target_of(opcode, address, 26)
        field = target >> 2 & 0xFFFFFF
        return link << 30 | mode << 28 | field >> 17 << 21 | 1 << 18 | field & 0x1FFFF
    if major == 16:
        target, mode = target_of(opcode, address, 16)
        field = target >> 2 & 0x3FFF
        return (link << 30 | mode << 28 | field >> 13 << 27 | bo >> 1 << 23 | bi >> 4 << 21
                | 1 << 19 | (bo & 1) << 18 | (bi & 15) << 13 | field & 0x1FFF)
    word = (0x28000000 | link << 30 | bo >> 1 << 23 | bi >> 4 << 21 | (bo & 1) << 18
            | (bi & 15) << 13 | (opcode >> 11 & 3) << 9)
    return word | {16: 2 << 19 | 0x20, 528: 3 << 19 | 0x120, 560: 3 << 19 | 0x960}[
        opcode >> 1 & 0x3FF]


def predecoded_p8(opcode: int, address: int) -> int:
    major, link, condition = opcode >> 26, opcode & 1, opcode >> 16 & 0x3FF
    if major == 18:
        target, mode = target_of(opcode, address, 26)
        return link << 30 | mode << 26 | target & 0x03FFFFFC | 2
    if major == 16:
        target, mode = target_of(opcode, address, 16)
        field = target & 0xFFFC
        return (link << 30 | 1 << 28 | mode << 26 | field >> 15 << 25 | condition << 15
                | field & 0x7FFC)
    hint = opcode & 0x1800
    return link << 30 | condition << 15 | hint | {
        16: 2 << 28 | 0x20, 528: 3 << 28 | 0x420, 560: 3 << 28 | 0x2460}[opcode >> 1 & 0x3FF]


def program(iterations: int, p10: bool) -> Iterator[Instruction]:
    """Ends where it begins, so that it may be repeated."""
    data = DATA
    for iteration in range(iterations):
        yield Instruction(MAIN, 0x38600008)  # li r3,8
        yield Instruction(MAIN + 0x04, 0x7C6903A6)  # mtctr r3
        yield Instruction(MAIN + 0x08, b(MAIN + 8, LOOP, 1))
        yield Instruction(LOOP, 0x7C0802A6)  # mflr r0
        yield Instruction(LOOP + 0x04, 0xF8010010, STACK + 16)  # std r0,16(r1)
        for _ in range(8):
            yield Instruction(LOOP + 0x08, 0xE8890000, data)  # ld r4,0(r9)
            yield Instruction(LOOP + 0x0C, 0x7CA52214)  # add r5,r5,r4
            yield Instruction(LOOP + 0x10, 0xF8A90008, data + 8)  # std r5,8(r9)
            yield Instruction(LOOP + 0x14, 0x39290010)  # addi r9,r9,16
            yield Instruction(LOOP + 0x18, bc(LOOP + 0x18, LOOP + 0x08, 16, 0))  # bdnz
            data += 16
        yield Instruction(LOOP + 0x1C, 0xE8010010, STACK + 16)  # ld r0,16(r1)
        yield Instruction(LOOP + 0x20, 0x7C0803A6)  # mtlr r0
        yield Instruction(LOOP + 0x24, 0x4E800020)  # blr
        yield Instruction(MAIN + 0x0C, 0x3BFF0001)  # addi r31,r31,1
        yield Instruction(MAIN + 0x10, 0x7D8903A6)  # mtctr r12
        yield Instruction(MAIN + 0x14, 0x4E800421)  # bctrl
        if p10:  # paddi r3,r3,0x1....
            yield Instruction(LEAF, 0x38630000 | iteration & 0x7FFF, prefix=0x06000001)
        else:
            yield Instruction(LEAF, 0x60000000)  # nop
            yield Instruction(LEAF + 0x04, 0x60000000)
        yield Instruction(LEAF + 0x08, 0x80A90000, data - 16)  # lwz r5,0(r9)
        yield Instruction(LEAF + 0x0C, 0x4E800020)  # blr
        yield Instruction(MAIN + 0x18, 0x2C1F0064)  # cmpwi r31,100
        yield Instruction(MAIN + 0x1C, bc(MAIN + 0x1C, MAIN + 0x40, 12, 2))  # beq, not taken
        yield Instruction(MAIN + 0x20, b(MAIN + 0x20, MAIN))


def random_program(iterations: int, p10: bool, seed: int) -> Iterator[Instruction]:
    """The same, of functions that are called in no order, with branches that are taken
    at random: hardly any stretch of code follows the one that it followed before."""
    rng = random.Random(seed)
    functions: list[list[Instruction]] = []
    for number in range(600):
        at, code = LEAF + 0x400 * number, []
        length = rng.randrange(8, 80)
        for place in range(length):
            address = at + 4 * place
            kind = rng.randrange(8)
            if kind < 2:  # ld or std, displacement(r9)
                code.append(Instruction(address, (0xE8890000, 0xF8A90000)[kind]
                                        | rng.randrange(1024) << 2, DATA))
            elif kind == 2 and place + 2 < length:  # beq, forward
                to = at + 4 * rng.randrange(place + 1, length)
                code.append(Instruction(address, bc(address, to, 12, 2)))
            else:  # addi
                code.append(Instruction(address, 0x38600000 | rng.randrange(1 << 21)))
        code.append(Instruction(at + 4 * length, 0x4E800020))  # blr
        functions.append(code)
    for _ in range(iterations):
        yield Instruction(MAIN, 0x4E800421)  # bctrl
        code = rng.choice(functions)
        place = 0
        while place < len(code):
            one = code[place]
            place += 1
            yield one if one.data is None else Instruction(
                one.address, one.opcode, DATA + 8 * rng.randrange(1 << 16))
            if one.opcode >> 26 == 16 and rng.randrange(2):
                place = (target_of(one.opcode, one.address, 16)[0] - code[0].address) // 4
        yield Instruction(MAIN + 4, b(MAIN + 4, MAIN))


# Translations of POWER10.

GUEST_REAL, HOST_REAL = 0x5000000000, 0x200000000000
GUEST_TABLES, LPID, PID = 0x5B00000000, 4, 77


def walk_step(real: int, level: int, *, final: int = 0, guest: int = 0, host: int = 0) -> int:
    return (final << 63 | guest << 61 | host << 60 | level << 57
            | real & 0x00FFFFFFFFFFFFF8)


def nested_walk(is_data: bool, effective: int, guest_real: int) -> list[int]:
    """A complete radix walk: 4 KiB pages of the guest on 2 MiB pages of the host."""

    def host_walk(real: int) -> list[int]:
        return [
            walk_step(0x4301800000000 + (real >> 39 & 0x1FFF) * 8, 6, host=1),
            walk_step(0x4301800050000 + (real >> 30 & 0x1FF) * 8, 4, host=1),
            walk_step(0x4301860000000 + (real >> 30 & 0xFFF) * 0x1000
                      + (real >> 21 & 0x1FF) * 8, 2, host=1),
        ]

    words = [is_data << 63 | LPID << 51 | PID << 31 | 1 << 28 | P10_TAG << 8]
    entries = [
        GUEST_TABLES + (effective >> 39 & 0x1FFF) * 8,
        GUEST_TABLES + 0x10000 + (effective >> 30 & 0x1FF) * 8,
        GUEST_TABLES + 0x20000 + (effective >> 30 & 0xFF) * 0x1000
        + (effective >> 21 & 0x1FF) * 8,
        GUEST_TABLES + 0x400000 + (effective >> 21 & 0x3FF) * 0x1000
        + (effective >> 12 & 0x1FF) * 8,
    ]
    for level, entry in zip((6, 4, 2, 0), entries):
        words.append(walk_step(entry, level, guest=1))
        words += host_walk(entry)
        words.append(walk_step(HOST_REAL + entry, level, guest=1, host=1))
    words.append(walk_step(guest_real, 0, final=1, guest=1))
    words += host_walk(guest_real)
    words.append(walk_step(HOST_REAL + guest_real, 2, final=1, guest=1, host=1))
    words.append(1 << 56)
    return words


# The words of the dump.

Encoder = Callable[[list[Instruction], int, bool], list[int]]


def encode_p10(instructions: list[Instruction], stamp_every: int, walks: bool) -> list[int]:
    words: list[int] = []
    line = None
    # Problem state, translation on, 64 bits little endian; with walks a guest.
    mode = (0x78C0 if walks else 0xF8C0) << 48
    guest_pages: dict[int, int] = {}

    def real(effective: int, is_data: bool) -> int:
        page = effective >> 12
        if page not in guest_pages:
            guest_pages[page] = GUEST_REAL + (is_data << 36) + (page & 0xFFFF) * 0x1000
            if walks:
                words.extend(nested_walk(is_data, effective, guest_pages[page]))
        return HOST_REAL + guest_pages[page]

    for number, one in enumerate(instructions, 1):
        if one.address & ~0x7F != line:
            line = one.address & ~0x7F
            page = real(one.address, False)
            words += [3 << 28 | P10_TAG << 8, line, page >> 12 << 24]
        data_page = None if one.data is None else real(one.data, True)
        branch = is_branch(one.opcode) and one.prefix is None
        opcode = predecoded_p10(one.opcode, one.address) if branch else one.opcode
        words += [
            opcode << 32 | branch << 31 | (one.prefix is not None) << 30 | 2 << 28
            | P10_TAG << 8 | one.address & 0x7C | (one.data is not None),
            mode,
        ]
        if one.prefix is not None:
            words.append(one.prefix << 32)
        if one.data is not None and data_page is not None:
            words += [one.data, data_page >> 12 << 23]
        if stamp_every and number % stamp_every == 0:
            words.append(TIME_STAMP | CYCLES_PER_STAMP)
    return words


def encode_p8(instructions: list[Instruction], stamp_every: int, walks: bool) -> list[int]:
    assert not walks, "POWER8 dumps have no walks"
    words: list[int] = []
    follows = None  # the address that needs not be told
    known_pages: set[int] = set()
    for number, one in enumerate(instructions, 1):
        jump = one.address != follows
        new_page = jump and one.address >> 16 not in known_pages
        branch = is_branch(one.opcode)
        opcode = predecoded_p8(one.opcode, one.address) if branch else one.opcode
        words.append(opcode << 32 | branch << 31 | P8_TAG << 8 | 1 << 7 | jump << 6
                     | new_page << 5 | (one.data is not None) * 0x18)
        if jump:
            words.append(one.address | 1)
        if new_page:
            known_pages.add(one.address >> 16)
            page = 0x700000000 + (one.address & 0xFFFF0000)
            words.append(page >> 12 << 26 | 2 << 24)  # of 64 KiB
        if one.data is not None:
            page = 0x800000000 + (one.data & 0xFFFFFFF0000)
            words += [one.data, 1 << 62 | page >> 12 << 24]  # of 64 KiB
        follows = one.address + 4
        if stamp_every and number % stamp_every == 0:
            words.append(TIME_STAMP | CYCLES_PER_STAMP)
    return words


def packed(words: list[int]) -> bytes:
    return struct.pack(">%dQ" % len(words), *words)


def truth(instructions: list[Instruction]) -> Iterator[str]:
    for one in instructions:
        address = one.address
        if one.prefix is not None:
            yield "%016x %08x\n" % (address, one.prefix)
            address += 4
        data = "" if one.data is None else " %016x" % one.data
        yield "%016x %08x%s\n" % (address, one.opcode, data)


def positive(text: str) -> int:
    value = int(text, 0)
    if value <= 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("processor", choices=["p8", "p10"])
    parser.add_argument("output", help="the dump")
    parser.add_argument("--insns", type=positive, default=1000000, metavar="N",
                        help="about so many instructions (default: %(default)s)")
    parser.add_argument("--stamp-every", type=positive, default=0, metavar="N",
                        help="a time stamp after each N instructions (default: none)")
    parser.add_argument("--xlate", action="store_true",
                        help="p10: a guest's trace, with the page walks of first accesses")
    parser.add_argument("--random", action="store_true",
                        help="other code: random functions, called at random")
    parser.add_argument("--seed", type=int, default=1, metavar="N",
                        help="what --random makes (default: %(default)s)")
    parser.add_argument("--truth", metavar="FILE",
                        help="also write 'address opcode [data address]' of each instruction"
                        " of the first chunk, in hex; a prefix has a line of its own")
    parser.add_argument("--chunk-iters", type=positive, default=4000, metavar="N",
                        help="iterations until the data repeats (default: %(default)s)")
    options = parser.parse_args()
    p10 = options.processor == "p10"
    if options.xlate and not p10:
        parser.error("--xlate is for p10: POWER8 dumps have no page walks")

    code = (lambda *what: random_program(*what, options.seed)) if options.random else program
    per_iteration = sum(1 for _ in code(1, p10))
    iterations = min(options.chunk_iters, max(1, options.insns // per_iteration))
    chunk = list(code(iterations, p10))
    encode: Encoder = encode_p10 if p10 else encode_p8
    first = encode(chunk, options.stamp_every, options.xlate)
    # Pages that the first chunk touched are known to the later ones.
    later = encode(chunk + chunk, options.stamp_every, options.xlate)[len(first):]
    repetitions = max(1, options.insns // len(chunk))
    later_bytes = packed(later)
    with open(options.output, "wb") as out:
        out.write(packed([RECORD_STAMP | 1 << 32] + first))
        for _ in range(repetitions - 1):
            out.write(later_bytes)
        out.write(packed([COMPLETE_STAMP | CYCLES_AT_END]))
    if options.truth:
        with open(options.truth, "w", encoding="ascii") as out_text:
            out_text.writelines(truth(chunk))
    print("%s: %d instructions" % (options.output, repetitions * len(chunk)))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit("make_htm.py: %s" % error)
