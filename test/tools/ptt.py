#!/usr/bin/env python3
"""Makes bundles of tests as libipt has them (.ptt: assembly with packets and the expected
output of ptxed in comments), and compares what Rewind lists with what they expect: with
.exp(rewind), in the same words, if they have that.

ptt.py --rewind <rewind> --cxx <compiler> [--work <folder>] [--differ <file>] <.ptt or folder>...

Of each difference it says where it begins. --differ names a file with the tests that
may differ, "<name> <why>" in a line; any other difference, and one of these that does
not differ, is an error. The assembly is NASM's, as far as those tests use it; it is
given to GNU as."""

import argparse
import json
import pathlib
import re
import struct
import subprocess
import sys

UNKNOWN_CPU = (6, 255)  # no errata


class Unsupported(Exception):
    pass


def number(text, labels):
    text = text.strip()
    if text.startswith("%"):
        name, _, offset = text[1:].lstrip("0?").partition("+")
        return labels[name] + int(offset or "0", 0)
    return int(text, 0)


# Packets, by chapter "Intel Processor Trace" of Intel's manual (volume 3).


def with_address(opcode):
    def packet(words, labels):
        compression, _, where = words.partition(":")
        c = int(compression)
        size = {0: 0, 1: 2, 2: 4, 3: 6, 4: 6, 6: 8}[c]
        return bytes([opcode | c << 5]) + struct.pack("<Q", number(where, labels) if c else 0)[:size]

    return packet


def mode_exec(words, labels):
    mode, *interrupts = [w.strip() for w in words.split(",")]
    if interrupts:
        raise Unsupported("mode.exec with if")
    return bytes([0x99, {"16bit": 0, "64bit": 1, "32bit": 2}[mode]])


def short_tnt(words, labels):
    bits = words.replace(".", "").replace(" ", "")
    value = 1
    for b in bits:
        value = value << 1 | (b == "t")
    return bytes([value << 1])


def long_tnt(words, labels):
    value = 1
    for b in words.replace(".", "").replace(" ", ""):
        value = value << 1 | (b == "t")
    return b"\x02\xa3" + struct.pack("<Q", value)[:6]


def cyc(words, labels):
    value = number(words, labels)
    out = [(value & 31) << 3 | 3]
    value >>= 5
    while value:
        out[-1] |= 4 if len(out) == 1 else 1
        out.append((value & 127) << 1)
        value >>= 7
    return bytes(out)


def pip(words, labels):
    base, *nr = words.split(",")
    return b"\x02\x43" + struct.pack("<Q", number(base, labels) >> 5 << 1 | bool(nr))[:6]


def power_state(text):
    return (int(text) - 1) & 15


def pwre(words, labels):
    state, *hardware = [w.strip() for w in words.split(",")]
    core, sub = state[1:].split(".")
    return b"\x02\x22" + bytes([0x80 * bool(hardware), power_state(core) << 4 | power_state(sub)])


def pwrx(words, labels):
    why, states = words.split(":")
    last, deepest = (power_state(s.strip()[1:]) for s in states.split(","))
    return b"\x02\xa2" + bytes([last << 4 | deepest, {"int": 1, "st": 4, "hw": 8}[why.strip()], 0, 0, 0])


def ptw(words, labels):
    size, rest = words.split(":")
    value, *ip = rest.split(",")
    head = 0x12 | int(size) << 5 | 0x80 * bool(ip)
    return bytes([2, head]) + struct.pack("<Q", number(value, labels))[: 4 << int(size)]


def mwait(words, labels):
    return b"\x02\xc2" + struct.pack("<II", *(number(w, labels) for w in words.split(",")))


def tma(words, labels):
    ctc, fast = (number(w, labels) for w in words.split(","))
    return b"\x02\x73" + struct.pack("<HBH", ctc, 0, fast)


PACKETS = {
    "raw": lambda w, l: bytes.fromhex(w),
    "psb": lambda w, l: b"\x02\x82" * 8,
    "psbend": lambda w, l: b"\x02\x23",
    "pad": lambda w, l: b"\x00",
    "ovf": lambda w, l: b"\x02\xf3",
    "stop": lambda w, l: b"\x02\x83",
    "tip": with_address(0x0D),
    "tip.pge": with_address(0x11),
    "tip.pgd": with_address(0x01),
    "fup": with_address(0x1D),
    "mode.exec": mode_exec,
    "mode.tsx": lambda w, l: bytes([0x99, {"begin": 0x21, "abort": 0x22, "commit": 0x20}[w.strip()]]),
    "tnt": short_tnt,
    "tnt64": long_tnt,
    "pip": pip,
    "vmcs": lambda w, l: b"\x02\xc8" + struct.pack("<Q", number(w, l) >> 12)[:5],
    "tsc": lambda w, l: b"\x19" + struct.pack("<Q", number(w, l))[:7],
    "tma": tma,
    "mtc": lambda w, l: bytes([0x59, number(w, l)]),
    "cbr": lambda w, l: bytes([2, 3, number(w, l), 0]),
    "cyc": cyc,
    "mnt": lambda w, l: b"\x02\xc3\x88" + struct.pack("<Q", number(w, l)),
    "exstop": lambda w, l: b"\x02\xe2" if w.strip() else b"\x02\x62",
    "mwait": mwait,
    "pwre": pwre,
    "pwrx": pwrx,
    "ptw": ptw,
}


class Test:
    def __init__(self, path):
        self.name = path.stem
        self.code, self.packets, self.expected, self.cpus, self.options = [], [], None, [], ""
        for line in path.read_text().splitlines():
            directive = re.match(r"\s*;\s*@pt\s+(.*)", line)
            if directive:
                if self.directive(directive[1].strip()):
                    break
            elif self.expected is not None:
                text = line.strip().lstrip(";").partition("#")[0].strip()
                if text:
                    self.expected.append(text)
            elif cpu := re.match(r"\s*;\s*cpu (\d+)/(\d+)\s*$", line):
                self.cpus.append((int(cpu[1]), int(cpu[2])))
            elif option := re.match(r"\s*;\s*opt:ptxed\s+(.*)", line):
                self.options += " " + option[1]
            else:
                self.code.append(line.partition(";")[0].rstrip())

    def directive(self, text):
        """True at what ends the expected output of ptxed."""
        if expected := re.match(r"\.exp\((\w+)", text):
            if self.expected is not None:
                return True  # ptdump's
            if expected[1] in ("ptxed", "rewind"):
                self.expected = []
            return False
        packet = re.match(r"(?:\w+\s*:)?\s*([\w.]+)\((.*)\)$", text)
        if not packet:
            raise Unsupported(text)
        self.packets.append((packet[1], packet[2]))
        return False

    def assembly(self):
        """As GNU as wants it, and where it lies."""
        origin, out = 0, [".intel_syntax noprefix", ".globl _start", "_start:"]
        for line in self.code:
            line = re.sub(r"\b(call|jmp)\s+far\s+\[", r"\1 fword ptr [", line)
            line = re.sub(r"\bjmp\s+\[", "jmp qword ptr [", line)
            line = re.sub(r"^(\w+:)?\s*times\s+(\d+)\s+(.*)", r"\1\n.rept \2\n\3\n.endr", line)
            if where := re.match(r"\s*org\s+(\S+)", line):
                origin = int(where[1], 0)
            elif bits := re.match(r"\s*bits\s+(\d+)", line):
                out.append(".code" + bits[1])
            elif align := re.match(r"\s*align\s+(\S+)", line, re.IGNORECASE):
                out.append(".balign " + align[1])
            else:
                out.append(line)
        return origin, "\n".join(out) + "\n"

    def make(self, work, cxx, cpu):
        """The bundle, and the labels."""
        work.mkdir(parents=True, exist_ok=True)
        origin, text = self.assembly()
        source, image = work / "code.s", work / "code.elf"
        source.write_text(text)
        subprocess.run([cxx, "-Wa,-W", "-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,-N,--no-warn-rwx-segments",
                        "-Wl,-Ttext=%#x" % origin, source, "-o", image], check=True)
        symbols = subprocess.run(["nm", image], check=True, capture_output=True, text=True).stdout
        labels = {name: int(value, 16) for value, _, name in (s.split() for s in symbols.splitlines())}
        packets = b""
        for name, words in self.packets:
            if name not in PACKETS:
                raise Unsupported("packet " + name)
            packets += PACKETS[name](words, labels)
        (work / "1.ipt").write_bytes(packets)
        (work / "trace.json").write_text(json.dumps({
            "type": "intel-pt",
            "cpuInfo": {"vendor": "GenuineIntel", "family": cpu[0], "model": cpu[1], "stepping": 0},
            "processes": [{
                "pid": 1, "triple": "x86_64-*-linux",
                "threads": [{"tid": 1, "iptTrace": "1.ipt"}],
                "modules": [{"systemPath": "/code.elf", "file": "code.elf", "loadAddress": hex(origin)}],
            }]}))
        return labels

    def wanted(self, labels):
        """ptxed marks what runs in a transaction."""
        found, inside = [], False
        for text in self.expected:
            word = wanted(text, labels)
            if text.startswith("?") != inside and text.lstrip("? ").startswith("%"):
                found.append("in a transaction" if not inside else "transaction committed")
            if text.lstrip("? ").startswith("%"):
                inside = text.startswith("?")
            elif word and word.startswith("transaction"):
                inside = word == "transaction begins"
            if word:
                found.append(word)
        return found

    def listed(self, rewind, work):
        for old in work.glob("*.rewind"):
            old.unlink()
        out = subprocess.run([rewind, "list", work, "--json"], capture_output=True, text=True)
        lines = [json.loads(line) for line in out.stdout.splitlines()]
        if not lines:
            return ["nothing: " + out.stderr.strip()]
        found = []
        for line in lines:
            found += [f for f in (listed(event) for event in line.get("events", [])) if f]
            if "pc" in line:
                found.append("%#x" % int(line["pc"], 16))
        return found


def wanted(text, labels):
    """A line of ptxed's in the words that listed() has; nothing for what is no item."""
    text = text.removeprefix("? ").removeprefix("?").strip()
    if text.startswith("%"):
        return "%#x" % number(text, labels)
    inside = re.fullmatch(r"\[(.*)\]", text)
    if not inside:
        raise Unsupported("expected " + text)
    what = inside[1]
    name, _, rest = what.partition(" ")
    # Where tracing goes on needs no item; ip is where the item stands.
    what = re.sub(r", (ip|at): .*", "", what)
    fields = re.findall(r"[0-9a-f]+\b", rest)
    if name in ("enabled", "resumed"):
        return None
    if name in ("disabled", "disabled,"):
        return "pause"
    fixed = {"stopped": "stop", "interrupt": "interrupt", "overflow": "overflow", "end": "gap",
             "aborted": "transaction aborted", "committed": "transaction committed",
             "begin": "transaction begins", "exstop": "exstop", "exstop,": "exstop"}
    if name in fixed:
        return fixed[name]
    if "error:" in what:
        return "gap"
    if m := re.match(r"exec mode: (\d+)-bit", what):
        return "mode %s" % m[1]
    if m := re.match(r"(paging|vmcs|cbr|ptwrite|mnt)(?:, cr3|, base)?: ([0-9a-f]+)", what):
        return "%s %x" % (m[1], int(m[2], 16))
    if m := re.match(r"mwait (\w+) (\w+)", what):
        return "mwait %x %x" % (int(m[1], 16), int(m[2], 16))
    if m := re.match(r"pwre (c\d+\.\d+)( hw)?", what):
        return "pwre " + m[1] + (m[2] or "")
    if m := re.match(r"pwrx (\w+): (c\d+) \((c\d+)\)", what):
        return "pwrx %s %s %s" % m.groups()
    raise Unsupported("expected " + text)


def listed(event):
    """An event of `rewind list` in the same words."""
    text = event["text"]
    if event["kind"] in ("sync point", "clock tick"):
        return None
    if event["kind"] == "pause":
        return "stop" if "stopped" in text else "pause"
    if event["kind"] == "gap":
        return "overflow" if text.startswith("overflow") else "gap"
    if event["kind"] == "exception":
        return "interrupt"
    for pattern, word in (
        (r"address space: cr3 0x(\w+)", "paging %s"),
        (r"virtual machine: vmcs 0x(\w+)", "vmcs %s"),
        (r"(\d+)-bit code", "mode %s"),
        (r"((?:in a )?transaction.*)", "%s"),
        (r"the processor stopped executing", "exstop"),
        (r"ptwrite 0x(\w+)", "ptwrite %s"),
        (r"maintenance packet 0x(\w+)", "mnt %s"),
        (r"mwait: hints 0x(\w+), extensions 0x(\w+)", "mwait %s %s"),
    ):
        if m := re.fullmatch(pattern, text):
            return word % m.groups() if m.groups() else word
    if m := re.fullmatch(r"clock: core to bus ratio (\d+)", text):
        return "cbr %x" % int(m[1])
    if m := re.fullmatch(r"enters power state C(\d+\.\d+)( by itself)?", text):
        return "pwre c" + m[1] + (" hw" if m[2] else "")
    if m := re.fullmatch(r"leaves power state C(\d+) \(the deepest was C(\d+)\)(.*)", text):
        why = {"interrupt": "int", "store": "st", "hardware": "hw"}
        return "pwrx %s c%s c%s" % (next((w for k, w in why.items() if k in m[3]), "?"), m[1], m[2])
    return event["kind"] + ": " + text


def difference(test, rewind, cxx, work):
    """Nothing, or what differs first."""
    if test.expected is None:
        raise Unsupported("nothing is expected of ptxed")
    for cpu in test.cpus or [UNKNOWN_CPU]:
        labels = test.make(work, cxx, cpu)
        found = test.listed(rewind, work)
        if "stat:insn" in test.options:
            count = int(re.match(r"insn:\s*(\d+)", test.expected[0])[1])
            instructions = sum(f.startswith("0x") for f in found)
            if instructions != count:
                return "%d instructions, not %d" % (instructions, count)
            continue
        expected = test.wanted(labels)
        if expected != found:
            at = next((i for i, (e, f) in enumerate(zip(expected, found)) if e != f),
                      min(len(expected), len(found)))
            show = lambda what: ", ".join(what[at : at + 3]) or "the end"
            return "after %d: %s, not %s" % (at, show(found), show(expected))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rewind", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("ptt.work"))
    parser.add_argument("--differ", type=pathlib.Path)
    parser.add_argument("tests", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    may = {}
    if arguments.differ:
        for line in arguments.differ.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                name, why = line.split(None, 1)
                may[name] = why
    paths = [p for t in arguments.tests for p in (sorted(t.glob("*.ptt")) if t.is_dir() else [t])]
    counts = {"as expected": 0, "differ": 0, "not run": 0}
    wrong = 0
    for path in paths:
        try:
            test = Test(path)
            why = difference(test, arguments.rewind, arguments.cxx, arguments.work / path.stem)
        except Unsupported as e:
            counts["not run"] += 1
            print("%s: not run: %s" % (path.stem, e))
            continue
        counts["differ" if why else "as expected"] += 1
        if why:
            print("%s: %s%s" % (path.stem, why, " (%s)" % may[path.stem] if path.stem in may else ""))
            wrong += path.stem not in may
        elif path.stem in may:
            print("%s: does not differ any more" % path.stem)
            wrong += 1
    print("%d tests: " % len(paths) + ", ".join("%d %s" % (n, w) for w, n in counts.items()))
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
