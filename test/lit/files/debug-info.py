"""Damages the debug information of the sample byte by byte, and asks.

usage: debug-info.py <rewind> <folder with sample.elf and sample.tarmac>
"""

import os
import random
import struct
import subprocess
import sys

rewind, folder = sys.argv[1:]
os.chdir(folder)
good = open("sample.elf", "rb").read()


def sections():
    """Offset and size of each section of a 64-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<Q", good, 0x28)
    size, count, names = struct.unpack_from("<HHH", good, 0x3A)
    headers = [
        struct.unpack_from("<IIQQQQ", good, table + i * size) for i in range(count)
    ]
    found = {}
    for h in headers:
        start = headers[names][4] + h[0]
        name = good[start : good.index(b"\0", start)].decode()
        found[name] = (h[4], h[5])
    return found


def ask(at, new, *command, also=None):
    """The status, answer and warnings about an image with other bytes."""
    image = bytearray(good)
    for where, these in [(at, new)] + ([also] if also else []):
        image[where : where + len(these)] = these
    with open("sample.elf", "wb") as f:
        f.write(image)
    return subprocess.run(
        [rewind, *command, "-i", "sample.elf"],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=20,
    )


def show(title, at, new, also=None):
    print(title + ":")
    done = ask(at, new, "last-write", "sample.tarmac", "seed", also=also)
    for line in done.stderr.splitlines():
        print("warning:", line)
    print("answer:", done.stdout.splitlines()[0] if done.stdout else done.returncode)


found = sections()
abbrev, size = found[".debug_abbrev"]
info, info_size = found[".debug_info"]
show("first abbreviation", abbrev, b"\0")
show("cut tree", info + info_size // 2, b"\xff" * 40)
# The form of the paths of directories: the header has DWARF 5 fields.
show("line table", found[".debug_line"][0] + 32, b"\xca")

# An address in the table of addresses, and the version of the unit.
aranges = found[".debug_aranges"][0]
show("addresses", aranges + 0x11, b"\x55")
show("header", info + 4, b"\x55")

# A block that is longer than the section, and a number behind it: the forms of
# the first two values of an abbreviation, and the first entry that it is of.
long_block = b"\xff" * 8 + b"\x3f"
forms = good.index(b"\x24\0\x0b\x0b\x3e\x0b\x03", abbrev)  # DW_TAG_base_type
base = min(
    info + good[info : info + info_size].find(bytes([good[forms - 1], size, encoding]))
    for size in (1, 2, 4, 8, 16)
    for encoding in range(1, 9)
    if bytes([good[forms - 1], size, encoding]) in good[info : info + info_size]
)
show("long block", base + 1, long_block, (forms + 3, b"\x09\x3e\x0f"))
# That in the unit's own entry, which LLVM reads whatever it is asked.
unit = good.index(b"\x25", abbrev)  # DW_AT_producer
header = 12 if good[info + 4] == 5 else 11
show(
    "long block of a unit",
    info + header + 1,
    long_block,
    (unit + 1, b"\x09" + good[unit + 2 : unit + 3] + b"\x0f"),
)

# The unit as one of a type (DWARF 5), without an abbreviation.
show(
    "type without an entry",
    info + 6,
    b"\2" + good[info + 7 : info + 12] + bytes(8) + struct.pack("<I", 24) + b"\1",
    (abbrev, b"\0"),
)

# Types "const" that are themselves: code and reference of an entry by the
# abbreviation that has nothing but DW_AT_type (DW_FORM_ref4).
const = good[good.index(b"\x26\0\x49\x13\0\0", abbrev) - 1]
rings = hung = 0
for at in range(info, info + info_size - 5):
    (of,) = struct.unpack_from("<I", good, at + 1)
    if good[at] == const and 12 < of < info_size:
        rings += 1
        try:
            own = struct.pack("<I", at - info)
            ask(at + 1, own, "eval", "sample.tarmac", "*item", "--at", "value")
        except subprocess.TimeoutExpired:
            hung += 1
print(f"{rings} rings, {hung} hung")

dice = random.Random(14)
damages = [(abbrev + i, b"\0") for i in range(0, size, 16) if good[abbrev + i]]
for name, (start, length) in sorted(found.items()):
    if (name.startswith(".debug") or name == ".eh_frame") and length:
        for width in (1, 8):
            at = start + dice.randrange(max(length - width, 1))
            damages.append((at, dice.randbytes(width)))
questions = [
    ["list", "sample.tarmac", "-c", "3", "#30000"],
    ["find", "sample.tarmac", "find", "-c", "1"],
    ["calls", "tree", "sample.tarmac", "-c", "5"],
    ["why", "sample.tarmac", "seed"],
]
warned = crashes = 0
for number, (at, new) in enumerate(damages):
    done = ask(at, new, *questions[number % len(questions)])
    warned += "is damaged and not used" in done.stderr
    if done.returncode not in (0, 1):
        crashes += 1
        print(f"byte {at:#x} <- {new.hex()}: status {done.returncode}")
print(f"{len(damages)} damages, {warned} warned, {crashes} crashes")
