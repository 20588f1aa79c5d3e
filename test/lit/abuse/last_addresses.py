"""last_addresses.py <rewind> <folder>: code and data at the last two addresses
of all are answered as what lies elsewhere is: LLVM's hash tables keep these two
numbers for themselves."""
import os
import re
import subprocess
import sys

rewind, folder = sys.argv[1:]
LAST = 0xFFFFFFFFFFFFFFFF
OTHER = 0x7FFFFFFFFFFFFFFF  # as far as digits and order go the same


def trace(last):
    """Calls to and between the two addresses, which write to them as well."""
    lines, step = [], 0

    def run(pc, opcode, text, *more):
        nonlocal step
        step += 1
        lines.append("%d clk IT (%d) %016x %08x O EL1h_s : %s" % (step, step, pc, opcode, text))
        lines.extend("%d clk %s" % (step, line) for line in more)

    run(0x1000, 0xD503201F, "NOP", "R SP_EL1 0000000000008000", "R X1 %016x" % last)
    for _ in range(40):
        run(0x1004, 0xD63F0020, "BLR x1", "R X30 0000000000001008")
        run(last, 0x39000020, "STRB w0,[x1]", "MW1 %016x 01" % last)
        run(last - 1, 0x39400020, "LDRB w0,[x1]", "MR1 %016x 01" % last, "R X0 0000000000000001")
        run(last, 0x39000020, "STRB w0,[x1]", "MW1 %016x 02" % (last - 1))
        run(last - 1, 0xD65F03C0, "RET")
        run(0x1008, 0x17FFFFFF, "B 0x1004")
    return "\n".join(lines) + "\n"


commands = [
    ["list", "--writes", "0x%x" % LAST, "--size", "1"],
    ["list"],
    ["list", "--json"],
    ["calls", "tree"],
    ["profile", "tree"],
    ["profile", "functions"],
    ["profile", "self"],
    ["parallelism"],
    ["critical-path"],
    ["deps", "lines"],
    ["htr", "dump"],
    ["htr", "hot"],
    ["find", "0x%x" % LAST, "--how-many"],
    ["find", "value", "1", "--in", "mem", "--size", "1", "--all"],
]
wrong = 0
said = []
for last in (LAST, OTHER):
    name = os.path.join(folder, "%x.tarmac" % last)
    with open(name, "w") as out:
        out.write(trace(last))
    answers = []
    for command in commands:
        words = [w.replace("%x" % LAST, "%x" % last) for w in command]
        at = 2 if words[0] in ("calls", "profile", "deps", "htr") else 1
        line = [rewind] + words[:at] + [name] + words[at:]
        done = subprocess.run(line, capture_output=True, text=True, timeout=60)
        text = done.stdout + done.stderr
        text = re.sub("[0-9a-f]*fff(?=[ef])", "LAST", text)
        answers.append((done.returncode, re.sub(r"[\d,.]+ (bytes|ms|s)\b", "", text)))
    said.append(answers)
for command, ours, other in zip(commands, *said):
    if ours != other or ours[0] != 0:
        wrong += 1
        print("wrong:", command)
        for line, instead in zip(ours[1].splitlines(), other[1].splitlines()):
            if line != instead:
                print("  %s\n  %s" % (line, instead))
                break
print("%d commands, wrong: %d" % (len(commands), wrong))
