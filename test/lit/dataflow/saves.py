"""Counts the registers that a recorded program saved, by its debug information,
and compares with what critical-path steps over: all but one in a hundred, and
not one more.

usage: saves.py REWIND ELF TRACE
"""
import json
import re
import subprocess
import sys
from collections import Counter

rewind, elf, trace = sys.argv[1:]


def out(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def executed():
    """How often each address was."""
    count = Counter()
    with open(trace) as lines:
        for line in lines:
            if found := re.search(r" IT \(\d+\) ([0-9a-f]+)", line):
                count[int(found[1], 16)] += 1
    return count


def stores():
    """The registers that a store names, by its address."""
    code = {}
    for line in out("llvm-objdump", "-d", "--no-show-raw-insn", elf).splitlines():
        if found := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line):
            name, operands = found[2], found[3].split("//")[0].split("@")[0].split(";")[0]
            if re.match(r"(push|st)", name):
                kept = operands.split("[")[0]
                kept = kept.replace("fp", "r11").replace("sl", "r10")
                code[int(found[1], 16)] = set(re.findall(r"\b[rx]\d+\b", kept))
    return code


def saves(code):
    """(address, register) of each save: the stores before the row of the frame
    tables from which on the register is in the frame."""
    found, begin, columns, last = set(), 0, [], {}
    for line in out("readelf", "--debug-dump=frames-interp", "-W", elf).splitlines():
        if fde := re.search(r"FDE .*pc=([0-9a-f]+)\.\.", line):
            begin, last = int(fde[1], 16), {}
        elif line.strip().startswith("LOC"):
            columns = line.split()[2:]
        elif row := re.match(r"([0-9a-f]{8,16}) (.*)", line):
            at, words = int(row[1], 16), row[2].split()
            now = dict(zip(columns, words[len(words) - len(columns):]))
            for register, rule in now.items():
                if not rule.startswith("c") or last.get(register, "u").startswith("c"):
                    continue
                if register in ("ra", "x30", "r14") or int(register[1:]) < 3:
                    continue
                places = [pc for pc in range(begin, at) if register in code.get(pc, ())]
                assert places, f"nothing before {at:#x} saves {register}"
                found.add((places[-1], register))
            last = now
    return found


count = executed()
expected = sum(count[pc] for pc, _ in saves(stores()))
told = json.loads(out(rewind, "critical-path", trace, "-i", elf, "--json"))
print(f"{expected} registers saved, {told['saves']} saves and {told['restores']} restores "
      "stepped over")
assert expected > 1000
assert 0.99 * expected <= told["saves"] <= expected
assert told["saves"] == told["restores"]
