#!/usr/bin/env python3
"""Makes the traces that the tests share, from the programs in test/programs:

  OUT/tarmac/   quicksort (A64), calculator-a64, calculator-a32: .elf, .tarmac
  OUT/intelpt/  bundles of LLDB with the truth beside them, and their modules

What cannot be made here is left out. Then OUT/<kind>/NOT-MADE says why, and the
tests that need it skip with that reason.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Sequence

EXPRESSION = "7 * (6 + 2^5 - 3) + 11\n"  # 256
BARE = ["-nostdlib", "-static", "-ffreestanding", "-Wl,--build-id=none"]


class CannotMake(Exception):
    """Why one kind of data cannot be made on this machine."""


@dataclass(frozen=True)
class Bundle:
    name: str
    program: str
    options: tuple[str, ...] = ()


# The last three are valid, but stock LLDB 22 decodes them wrongly: it loses or
# repeats an instruction where a synchronisation point is.
BUNDLES = [
    Bundle("fib", "fib"),
    Bundle("fib-compressed", "fib", ("--compress-returns", "--long-tnt")),
    Bundle("fib-interrupted", "fib", ("--interrupt", "97", "--mtc", "50")),
    Bundle("hello-entry", "hello", ("--start", "entry")),
    Bundle("indirect", "indirect"),
    Bundle("plt", "plt", ("--start", "plt_main")),
    Bundle("selfloop", "selfloop"),
    Bundle("signals", "signals"),
    Bundle("threads", "threads"),
    Bundle("dense-indirect", "indirect", ("--psb", "64", "--psb-delay", "1")),
    Bundle("dense-selfloop", "selfloop", ("--psb", "64")),
    Bundle("dense-signals", "signals", ("--psb", "64")),
]

COMPILER_OPTIONS = {
    "fib": ["-no-pie"],
    "hello": ["-static"],
    "indirect": ["-no-pie"],
    "plt": ["-fno-stack-protector", "-nostdlib", "-L.", "-lpltlib", "-Wl,-z,lazy",
            "-Wl,-rpath,$ORIGIN"],
    "selfloop": ["-no-pie"],
    "signals": [],
    "threads": ["-pthread"],
}


def run(command: Sequence[str], folder: str) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise CannotMake("%s: %s" % (" ".join(command), (ran.stderr or ran.stdout).strip()))


def make_tarmac(out: str, programs: str, options: argparse.Namespace) -> None:
    if not options.record:
        raise CannotMake("there is no rewind-record (Debian: libunicorn-dev)")
    if not options.aarch64_cc or not options.arm_cc:
        raise CannotMake("a cross compiler is missing (Debian: gcc-aarch64-linux-gnu,"
                         " gcc-arm-linux-gnueabihf)")
    run([options.aarch64_cc, *BARE, "-Wl,-z,max-page-size=4096,-Ttext=0x8000,-Tdata=0x9000",
         os.path.join(programs, "quicksort.S"), "-o", "quicksort.elf"], out)
    calculator = os.path.join(programs, "calculator.c")
    run([options.aarch64_cc, "-g", "-fno-stack-protector", *BARE, calculator,
         "-o", "calculator-a64.elf"], out)
    run([options.arm_cc, "-g", "-marm", *BARE, calculator, "-o", "calculator-a32.elf"], out)
    with open(os.path.join(out, "expression"), "w", encoding="ascii") as text:
        text.write(EXPRESSION)
    for name, style in (("quicksort", "fm"), ("calculator-a64", "fm"), ("calculator-a32", "es")):
        run([options.record, "--bare", "--quiet", "--style", style, "--stdin", "expression",
             "--output", name + ".out", "-o", name + ".tarmac", name + ".elf"], out)


def make_intelpt(out: str, programs: str, options: argparse.Namespace) -> None:
    if not options.pt_record:
        raise CannotMake("only an x86-64 machine records its own programs")
    sources = os.path.join(programs, "intelpt")
    common = [options.cc, "-g", "-O1", "-Wl,--build-id"]
    run([*common, "-shared", "-fPIC", "-nostdlib", os.path.join(sources, "pltlib.c"),
         "-o", "libpltlib.so"], out)
    for name, more in COMPILER_OPTIONS.items():
        run([*common, os.path.join(sources, name + ".c"), "-o", name, *more], out)
    for bundle in BUNDLES:
        run([options.pt_record, "-o", bundle.name + ".bundle", "--copy-libraries",
             *bundle.options, "--", "./" + bundle.program], out)
    # The folder of a bundle may not have a program's name before that is run.
    for name in ["libpltlib.so", *COMPILER_OPTIONS]:
        os.unlink(os.path.join(out, name))
    for bundle in BUNDLES:
        os.rename(os.path.join(out, bundle.name + ".bundle"), os.path.join(out, bundle.name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="the folder; it is made anew")
    parser.add_argument("--programs", required=True, help="test/programs")
    parser.add_argument("--cc", required=True, help="the C compiler of this machine")
    parser.add_argument("--aarch64-cc", default="", help="cross compiler")
    parser.add_argument("--arm-cc", default="", help="cross compiler")
    parser.add_argument("--record", default="", help="rewind-record")
    parser.add_argument("--pt-record", default="", help="pt-record")
    options = parser.parse_args()
    for kind, make in (("tarmac", make_tarmac), ("intelpt", make_intelpt)):
        out = os.path.join(os.path.abspath(options.out), kind)
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        try:
            make(out, os.path.abspath(options.programs), options)
        except CannotMake as reason:
            shutil.rmtree(out)
            os.makedirs(out)
            with open(os.path.join(out, "NOT-MADE"), "w", encoding="utf-8") as text:
                text.write("%s\n" % reason)
            print("make_test_data.py: no %s data: %s" % (kind, reason), file=sys.stderr)


if __name__ == "__main__":
    main()
