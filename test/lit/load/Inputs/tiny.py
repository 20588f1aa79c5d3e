"""tiny.py elf|trace <out> [--changed N] [--written] [--at ADDRESS] [--big] [--be32]
[--overlay] [--machine N]: twelve instructions of A32, as an ELF file that has
them, or as a Tarmac trace that runs them. --changed makes the first N others,
--written lets the trace write them first."""
import argparse
import struct

parser = argparse.ArgumentParser()
parser.add_argument("kind")
parser.add_argument("out")
parser.add_argument("--changed", type=int, default=0)
parser.add_argument("--written", action="store_true")
parser.add_argument("--at", type=lambda t: int(t, 0), default=0x8000)
parser.add_argument("--big", action="store_true")
parser.add_argument("--be32", action="store_true")
parser.add_argument("--overlay", action="store_true")
parser.add_argument("--machine", type=int, default=40)
args = parser.parse_args()


def opcode(n, changed):
    return 0xE3A00000 | (16 + n if n < changed else n)  # mov r0, #n


def trace():
    lines = []
    clock = 1
    for n in range(12):
        here = args.at + 4 * n
        if args.written and n < args.changed:
            lines.append("%d clk IT (%d) 00004000 e5810000 A svc_s : STR r0,[r1]" % (clock, clock))
            lines.append("%d clk MW4 %08x %08x" % (clock, here, opcode(n, args.changed)))
            clock += 1
        lines.append(
            "%d clk IT (%d) %08x %08x A svc_s : MOV r0,#0" % (clock, clock, here, opcode(n, args.changed))
        )
        clock += 1
    return ("\n".join(lines) + "\n").encode()


def elf():
    order = ">" if args.big else "<"
    code = ">" if args.big and args.be32 else "<"
    words = [opcode(n, args.changed) for n in range(12)]
    segments = [b"".join(struct.pack(code + "I", w) for w in words)]
    if args.overlay:
        segments.append(b"".join(struct.pack(code + "I", opcode(n, 0)) for n in range(12)))
    flags = 0x05000000 | (0x00800000 if args.big and not args.be32 else 0)
    ident = b"\x7fELF" + bytes([1, 2 if args.big else 1, 1]) + bytes(9)
    data = 52 + 32 * len(segments)
    head = ident + struct.pack(
        order + "HHIIIIIHHHHHH", 2, args.machine, 1, args.at, 52, 0, flags, 52, 32, len(segments), 0, 0, 0
    )
    for i, s in enumerate(segments):
        head += struct.pack(
            order + "IIIIIIII", 1, data + 48 * i, args.at, args.at, len(s), len(s), 5, 4
        )
    return head + b"".join(segments)


with open(args.out, "wb") as f:
    f.write(elf() if args.kind == "elf" else trace())
