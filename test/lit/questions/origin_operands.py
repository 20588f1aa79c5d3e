"""usage: origin_operands.py <rewind> <make_dump.py>
       origin_operands.py <rewind> --trace <trace of x86-64>"""

import json
import re
import subprocess
import sys

rewind, make_dump, *other = sys.argv[1:]
problems = []
asked = 0

# Opcode, what is written, what must be among what it is computed from.
A64 = [
    ("f2a00020", "x0", "x0"),  # movk x0, #1, lsl #16
    ("331c1c41", "x1", "x1 x2"),  # bfi w1, w2, #4, #8
    ("4e22cc20", "v0", "v0 v1 v2"),  # fmla v0.4s, v1.4s, v2.4s
    ("4e629423", "v3", "v1 v2 v3"),  # mla v3.8h, v1.8h, v2.8h
    ("4e011ca4", "v4.b[0]", "v4 x5"),  # mov v4.b[0], w5
    ("6e621c20", "v0", "v0 v1 v2"),  # bsl v0.16b, v1.16b, v2.16b
    ("9b0824e6", "x6", "x7 x8 x9"),  # madd x6, x7, x8, x9
    ("9a0800e6", "x6", "x7 x8 flags"),  # adc x6, x7, x8
    ("9a8800e6", "x6", "x7 x8 flags"),  # csel x6, x7, x8, eq
    ("4e606823", "v3", "v1 v3"),  # sadalp v3.4s, v1.8h
    ("8b0100e0", "x0", "x1 x7"),  # add x0, x7, x1
]
A32 = [
    ("e0203291", "r0", "r1 r2 r3"),  # mla r0, r1, r2, r3
    ("f2010d12", "d0", "v0 v1"),  # vmla.f32 d0, d1, d2
    ("ee044a85", "s8", "v2"),  # vmla.f32 s8, s9, s10
    ("e3404005", "r4", "r4"),  # movt r4, #5
    ("e7cb5216", "r5", "r5 r6"),  # bfi r5, r6, #4, #8
    ("e0e87291", "r7", "r1 r2 r7 r8"),  # smlal r7, r8, r1, r2
    ("e0887291", "r7", "r1 r2"),  # umull r7, r8, r1, r2
    ("e0a10002", "r0", "r1 r2 flags"),  # adc r0, r1, r2
    ("00800001", "r0", "r0 r1 flags"),  # addeq r0, r0, r1
]
T32 = [
    ("fb013002", "r0", "r1 r2 r3"),
    ("ef010d12", "d0", "v0 v1"),
    ("ee044a85", "s8", "v2"),
    ("f2c00405", "r4", "r4"),
    ("f366150b", "r5", "r5 r6"),
    ("fbc17802", "r7", "r1 r2 r7 r8"),
    ("fba17802", "r7", "r1 r2"),
    ("eb410002", "r0", "r1 r2 flags"),
]


def run(*words):
    got = subprocess.run([rewind, *words, "--json"], capture_output=True, text=True)
    return json.loads(got.stdout) if got.stdout else got.stderr


def base(name):
    """The register that holds it: origin says "w1", deps "x1"."""
    name = name.split(".")[0].split("[")[0]
    if name == "cpsr":
        return "flags"
    kind, number = name[0], name[1:]
    if not number.isdigit():
        return name
    if kind == "w":
        return "x" + number
    if kind in "bhsdqv":
        part = {"s": 4, "d": 2}.get(kind, 1) if narrow else 1
        return f"v{int(number) // part}"
    return name


def registers(text):
    """Of a list that may name memory, too."""
    text = re.sub(r"\[0x[^]]*\][^,]*", "", text)
    return {base(n.strip()) for n in text.split(",") if n.strip()}


def compare(what, trace, register, position, wanted=None):
    """False if it is no computed value."""
    global asked
    origin = run("origin", trace, register, "--at", str(position + 1), "-c", "1")
    deps = run("deps", trace, f"#{position}", "-c", "1")
    if isinstance(origin, str) or isinstance(deps, str):
        problems.append((what, origin, deps))
        return False
    if origin["end"]["kind"] != "computed" or len(origin["items"]) != 1:
        return False
    text = origin["end"]["text"]
    text = text.partition(" from ")[2]
    said = registers(re.sub(r" = (0x[0-9a-f?]+|<unknown>|[0-9.-]+)( \([^)]*\))?", "", text))
    needs = [i["through"] for i in deps["items"] if i["direction"] == "needs" and i["kind"] == "raw"]
    read = registers(", ".join(needs + [deps["before_trace"]]))
    asked += 1
    if said != read or (wanted is not None and said != set(wanted.split())):
        problems.append((what, text, "deps:", read, "wanted:", wanted))
    return True


def arm():
    global narrow
    for mode, letter, table in (("A64", "O", A64), ("A32", "A", A32), ("T32", "T", T32)):
        narrow = mode != "A64"
        nop = {"A64": "d503201f", "A32": "e320f000", "T32": "bf00"}[mode]
        where = "EL1h_n" if mode == "A64" else "svc_s"
        for opcode, written, wanted in table:
            lines = [f"1 clk IT (1) 00001000 {nop} {letter} {where} : NOP"]
            if mode == "A64":
                lines += [f"1 clk R X{n} {n + 3:016x}" for n in range(10)]
                lines += [f"1 clk R V{n} {n + 3:032x}" for n in range(6)]
                lines += ["1 clk R cpsr 400003c5"]
            else:
                lines += [f"1 clk R r{n} {n + 3:08x}" for n in range(10)]
                lines += [f"1 clk R d{n} {n + 3:016x}" for n in range(6)]
                lines += ["1 clk R cpsr 400001d3"]
            size = 2 if mode == "T32" else 4
            lines += [f"2 clk IT (2) {0x1000 + size:08x} {opcode} {letter} {where} : X"]
            name = written.split(".")[0]
            digits = {"x": 16, "v": 32, "r": 8, "d": 16, "s": 8}[name[0]]
            lines += [f"2 clk R {name} {0x77:0{digits}x}"]
            if opcode in ("e0e87291", "e0887291", "fbc17802", "fba17802"):
                lines += [f"2 clk R r8 {0x88:08x}"]
            lines += [f"3 clk IT (3) {0x1004 + size:08x} {nop} {letter} {where} : NOP"]
            trace = f"{mode}-{opcode}.tarmac"
            with open(trace, "w") as f:
                f.write("\n".join(lines) + "\n")
            what = (mode, opcode, written)
            if not compare(what, trace, written, 1, wanted):
                problems.append((*what, "is not told as computed"))


def everything(what, trace, least, count):
    """Whatever computes in a trace."""
    done = 0
    listing = subprocess.run(
        [rewind, "list", trace, "-c", str(count), "--json"], capture_output=True, text=True
    )
    for item in map(json.loads, listing.stdout.splitlines()):
        for name in item.get("registers", {}):
            if "[" in name:
                continue  # a part without a name of its own
            place = (what, item["instruction"], name, item["position"])
            done += compare(place, trace, name, item["position"])
    if done < least:
        problems.append((what, "only", done))


narrow = False
if other:
    everything("x86-64", other[0], 20, 120)
else:
    arm()
    narrow = False
    subprocess.run([sys.executable, make_dump, "dump"], check=True)
    everything("POWER", "dump", 5, 100)
for problem in problems:
    print("PROBLEM", *problem)
print(f"{asked} instructions, {len(problems)} problems")
