#!/usr/bin/env python3
"""Compares two builds of rewind on traces that it makes up: their stores, byte for byte,
and what their commands print.

  compare_builds.py <rewind> <other rewind> [--traces N] [--first N] [--bundles FOLDER]

Every trace is decided by its number, so a difference is found again with --first <number>
--traces 1 --keep FOLDER. A third of the traces is Tarmac, the others are Core HTM dumps,
Qtrace files made from such, and, with --bundles build/testdata/intelpt, bundles of Intel PT;
some are damaged, some compressed. Build the two from different commits, with the same
preset."""

from __future__ import annotations

import argparse
import concurrent.futures
import gzip
import hashlib
import lzma
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Callable, Optional

HERE = pathlib.Path(__file__).resolve().parent
TRACE = "t"  # the name of the trace, wherever it is

# What is asked of each trace. What cannot be answered must be refused in the same words.
QUESTIONS = [
    ["info"],
    ["list", "--count", "400"],
    ["list", "--json", "--count", "200"],
    ["history", "x1"],
    ["history", "0x1000", "--size", "8"],
    ["last-write", "0x1008", "--at", "100%", "--size", "4"],
    ["find", "value", "0x1000"],
    ["find", "exception"],
    ["diff", "0", "100%"],
    ["why", "x2", "--at", "100%"],
    ["why", "lr", "--at", "100%"],
    ["slice", "x3", "--at", "100%"],
    ["slice", "ctr", "--at", "100%"],
    ["critical-path"],
    ["calls", "tree"],
    ["calls", "where", "50%"],
    ["profile", "functions"],
    ["htr", "run"],
    ["htr", "dump"],
    ["export", "ctf", "-o", "-"],
    ["export", "vcd", "-o", "-"],
    ["htm", "stats"],
    ["qtrace", "dump"],
]
GROUPS = {"calls", "export", "htm", "htr", "profile", "qtrace"}  # commands of two words


def damaged(chance: random.Random, data: bytes) -> bytes:
    """Some bytes are others, and the end may be missing."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 3, 20])):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    if chance.random() < 0.3:
        del changed[chance.randrange(len(changed) + 1):]
    return bytes(changed)


def finished(chance: random.Random, path: pathlib.Path) -> None:
    """The file as a user may have it: whole or damaged, compressed or not."""
    data = path.read_bytes()
    if chance.random() < 0.2:
        data = damaged(chance, data)
    pack: Callable[[bytes], bytes] = chance.choice(
        [bytes, bytes, bytes, lambda d: gzip.compress(d, mtime=0), lzma.compress])
    path.write_bytes(pack(data))


class TarmacWriter:
    """Lines as models write them. A random program is run in random steps: places have
    an instruction each, and what that does is much the same every time."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.thumb = chance.random() < 0.2
        self.a32 = self.thumb or chance.random() < 0.2
        self.cpus = chance.choice([1, 1, 1, 2, 4])
        self.rtl = not self.a32 and chance.random() < 0.2  # ES, LD, ST
        self.step = 2 if self.thumb else 4
        self.base = chance.choice([0x1000, 0x80000000, 0xFFFF8000])
        self.program = [self.instruction(n) for n in range(chance.choice([5, 40, 300]))]
        self.time = 0
        self.out: list[str] = []

    def instruction(self, number: int) -> dict:
        chance = self.chance
        return {
            "opcode": chance.getrandbits(16 if self.thumb else 32) if chance.random() < 0.4
            else (0x4770 if self.thumb else 0xE12FFF1E if self.a32 else 0xD65F03C0)
            if chance.random() < 0.1 else (0xBF00 if self.thumb else 0xD503201F),
            "registers": [chance.randrange(13) for _ in range(chance.choice([0, 0, 1, 1, 2]))],
            "sizes": [chance.choice([1, 2, 4, 8]) for _ in range(chance.choice([0, 0, 0, 1, 2]))],
            "writes": chance.random() < 0.5,
            "target": chance.randrange(1 << 20) if chance.random() < 0.15 else number + 1,
        }

    def write(self, count: int) -> str:
        places = [0] * self.cpus
        values = [[0] * 32 for _ in range(self.cpus)]
        cpu = 0
        for _ in range(count):
            if self.chance.random() < 0.05:
                cpu = self.chance.randrange(self.cpus)
            self.one(cpu, places, values[cpu])
        return "".join(line + "\n" for line in self.out)

    def one(self, cpu: int, places: list[int], values: list[int]) -> None:
        chance = self.chance
        insn = self.program[places[cpu]]
        address = self.base + self.step * places[cpu]
        forward = insn["target"] if chance.random() < 0.9 else places[cpu] + 1
        places[cpu] = forward % len(self.program)
        self.time += chance.choice([1, 1, 1, 0, 10])
        name = f"cpu{cpu} " if self.cpus > 1 else ""
        opcode = f"{insn['opcode']:0{4 if self.thumb else 8}x}"
        wide = 8 if self.a32 else 16
        state = "T" if self.thumb else "A" if self.a32 else "O"
        skipped = chance.random() < 0.02
        if self.rtl:
            self.out.append(f"{self.time} clk {name}ES ({address:016x}:{opcode}) {state} el1h_ns:\t"
                            + ("CCFAIL " if skipped else "") + "INSN")
        else:
            self.out.append(f"{self.time} clk {name}{'IS' if skipped else 'IT'} ({self.time}) "
                            f"{address:0{wide}x} {opcode} {state} "
                            f"{'svc_s' if self.a32 else 'EL1h_s'} : INSN")
        if skipped:
            return
        for size in insn["sizes"]:
            size = min(size, 4) if self.a32 else size
            place = 0x1000 + (values[1] % 64 if chance.random() < 0.8 else chance.randrange(9000))
            value = f"{chance.getrandbits(8 * size) if chance.random() < 0.5 else 0x55:0{2 * size}x}"
            kind = "W" if insn["writes"] else "R"
            self.out.append(f"{self.time} clk {name}M{kind}{size} {place:0{wide}x} {value}")
        for register in insn["registers"]:
            values[register] += chance.choice([0, 1, 4, 4, 4, chance.randrange(1 << 30)])
            values[register] &= (1 << 4 * wide) - 1
            self.out.append(f"{self.time} clk {name}R {'r' if self.a32 else 'X'}{register} "
                            f"{values[register]:0{wide}x}")
        if chance.random() < 0.01:
            self.out.append(chance.choice([
                f"{self.time} clk {name}R cpsr {chance.choice([0x13, 0x1D3, 0x3C5]):08x}",
                f"{self.time} clk {name}R SP_EL1 {chance.getrandbits(48):016x}",
                f"{self.time} clk {name}E {address:08x} 00000082 CoreEvent_IRQ",
                f"{self.time} clk {name}EXC [0x200] IRQ",
                "Tarmac Text Rev 3t", "R what is this", ""]))


class Maker:
    def __init__(self, rewind: str, bundles: Optional[pathlib.Path]) -> None:
        self.rewind = rewind
        self.bundles = sorted(p for p in bundles.iterdir() if p.is_dir()) if bundles else []
        self.kinds = ["tarmac", "tarmac", "htm", "qtrace"] + ["intelpt"] * (2 if bundles else 0)

    def make(self, number: int, folder: pathlib.Path) -> str:
        """A trace in that folder; says what it is."""
        chance = random.Random(number)
        kind = self.kinds[number % len(self.kinds)]
        path = folder / TRACE
        if kind == "tarmac":
            count = chance.choice([1, 30, 500, 500, 4000])
            path.write_text(TarmacWriter(chance).write(count), encoding="ascii")
        elif kind == "intelpt":
            shutil.copytree(chance.choice(self.bundles), path)
            for packets in path.rglob("*"):
                if packets.is_file() and packets.suffix not in (".so", ".gz", ".json") and \
                        not os.access(packets, os.X_OK) and chance.random() < 0.8:
                    packets.write_bytes(damaged(chance, packets.read_bytes()))
            return kind
        else:
            self.htm(chance, path)
            if kind == "qtrace":
                dump = path.rename(folder / "dump")
                subprocess.run([self.rewind, "export", "qtrace", dump, "-o", path, "-q"],
                               capture_output=True, check=True)
                shutil.rmtree(folder / "dump.rewind", ignore_errors=True)
                dump.unlink()
        finished(chance, path)
        return kind

    def htm(self, chance: random.Random, path: pathlib.Path) -> None:
        family = chance.choice(["p8", "p10"])
        options = ["--random", "--seed", str(chance.getrandbits(30))]
        if chance.random() < 0.5:
            options += ["--stamp-every", str(chance.choice([3, 100]))]
        if family == "p10" and chance.random() < 0.5:
            options += ["--xlate"]
        subprocess.run([sys.executable, HERE / "make_htm.py", family, path,
                        "--insns", str(chance.choice([100, 3000, 20000])),
                        "--chunk-iters", str(chance.choice([3, 20, 100])), *options],
                       stdout=subprocess.DEVNULL, check=True)


def answers(rewind: str, folder: pathlib.Path) -> dict[str, bytes]:
    """What a build makes of the trace in that folder, by name; leaves no file there."""
    found = {}
    before = set(folder.iterdir())

    def ask(*words: str) -> int:
        done = subprocess.run([rewind, *words, "-q"], cwd=folder, capture_output=True, timeout=600)
        out = re.sub(rb"(?<=^\$date\n).*", b"now", done.stdout)
        found[" ".join([*words, "-q"])] = b"%d\n%b%b" % (done.returncode, out, done.stderr)
        return done.returncode

    if ask("index", TRACE) == 0:
        for words in QUESTIONS:
            group = 2 if words[0] in GROUPS else 1
            ask(*words[:group], TRACE, *words[group:])
    for path in sorted(set(folder.iterdir()) - before):
        found[path.name] = path.read_bytes()
        path.unlink()
    return found


def differences(number: int, make: Maker, builds: list[str], root: pathlib.Path, keep: bool,
                ignored: Optional[re.Pattern[bytes]]) -> tuple[int, str, bool, list[str], str]:
    folder = root / str(number)
    folder.mkdir()
    kind = make.make(number, folder)
    first, second = (answers(build, folder) for build in builds)

    def compared(found: dict[str, bytes], name: str) -> Optional[bytes]:
        text = found.get(name)
        return ignored.sub(b"", text) if ignored and text and " " in name else text

    differ = [name for name in sorted(first.keys() | second.keys())
              if compared(first, name) != compared(second, name)]
    stored = f"{TRACE}.rewind" in first
    digest = hashlib.sha256(b"".join(first[name] for name in sorted(first))).hexdigest()
    if differ and keep:
        for build, found in zip(("first", "second"), (first, second)):
            for name in differ:
                if name in found:
                    (folder / f"{build}.{re.sub('[/ ]', '_', name)}").write_bytes(found[name])
    else:
        shutil.rmtree(folder)
    return number, kind, stored, differ, digest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs=2, metavar="rewind", help="the programs")
    parser.add_argument("--traces", type=int, default=1000, help="how many (default: 1000)")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="where to begin")
    parser.add_argument("--bundles", type=pathlib.Path, help="build/testdata/intelpt")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="leave traces with a difference there, with both answers")
    parser.add_argument("--ignore", metavar="REGEX", type=lambda text: re.compile(text.encode()),
                        help="what may be different in an answer, or missing in one")
    options = parser.parse_args()
    builds = [os.path.abspath(build) for build in options.builds]
    make = Maker(builds[0], options.bundles)
    counts: dict[str, list[int]] = {}
    bad = 0
    seen = set()
    with tempfile.TemporaryDirectory(prefix="compare-builds-") as scratch:
        root = options.keep or pathlib.Path(scratch)
        root.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            numbers = range(options.first, options.first + options.traces)
            for number, kind, stored, differ, digest in pool.map(
                    lambda n: differences(n, make, builds, root, bool(options.keep), options.ignore),
                    numbers):
                count = counts.setdefault(kind, [0, 0])
                count[0] += 1
                count[1] += stored
                seen.add(digest)
                for name in differ:
                    print(f"trace {number} ({kind}) differs: {name}", flush=True)
                bad += bool(differ)
    for kind, (made, stored) in sorted(counts.items()):
        print(f"{kind}: {made} traces, {stored} with a store")
    print(f"{len(seen)} different answers; {bad} traces differ")
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        sys.exit(f"compare_builds.py: {error}")
