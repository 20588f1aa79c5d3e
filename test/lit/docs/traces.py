"""Small traces of every format, made where they are asked for by name."""

import os
import shutil
import subprocess
import sys

PROGRAMS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "programs"
)
LIT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*command, **options):
    subprocess.run(command, check=True, **options)


class Traces:
    def __init__(self, sample, cxx=None, rewind="rewind"):
        self.sample, self.cxx, self.rewind = sample, cxx, rewind
        self.recorder = os.path.abspath(rewind) + "-record"

    def make(self, name, folder):
        """Makes the trace \\p name in \\p folder; None, or why it cannot."""
        target = os.path.join(folder, name)
        if os.path.exists(target):
            return None
        return MAKERS[name](self, target)

    def make_sample(self, target):
        source = os.path.join(self.sample, os.path.basename(target))
        if not os.path.exists(source):
            return "there is no sample: it needs a cross compiler and libunicorn"
        shutil.copy(source, target)

    def make_folder_of_build(self, target):
        """build/sample is the folder itself."""
        os.mkdir(target)
        os.symlink("..", os.path.join(target, "sample"))

    def make_recording(self, target):
        """<program>.elf and <program>.tarmac, of a program in test/programs."""
        stem, kind = os.path.splitext(target)
        elf = stem + ".elf"
        if not os.path.exists(elf):
            program = os.path.basename(stem)
            source = next(
                os.path.join(PROGRAMS, program + end)
                for end in (".c", ".cpp")
                if os.path.exists(os.path.join(PROGRAMS, program + end))
            )
            compiler = "aarch64-linux-gnu-" + ("gcc" if source.endswith(".c") else "g++")
            if not shutil.which(compiler) or not shutil.which(self.recorder):
                return "there is no %s, or no recorder" % compiler
            # As docs/tutorial.md says, so that who types along sees the same
            # addresses.
            run(compiler, "-g", "-static", "-Wl,--build-id=none", "-o", elf, source)
        if kind == ".tarmac":
            # What crashes is recorded, too; the recorder then exits with 2.
            subprocess.run(
                [self.recorder, "-q", "-o", target, os.path.basename(elf)],
                cwd=os.path.dirname(target), stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False)  # fmt: skip
        return None

    def make_dump(self, target):
        run(sys.executable, os.path.join(LIT, "htm/Inputs/make_dump.py"), target)

    def make_qtrace(self, target):
        dump = target + ".htm"
        self.make_dump(dump)
        run(self.rewind, "export", "qtrace", dump, "-o", target, stdout=subprocess.DEVNULL)

    def make_two_threads(self, target):
        with open(target, "w") as out:
            run(sys.executable, os.path.join(LIT, "htr/two_threads.py"), stdout=out)

    def make_bundle(self, target):
        if not self.cxx:
            return "there is no compiler for x86-64"
        program = os.path.join(os.path.dirname(target), "odd")
        inputs = os.path.join(LIT, "intelpt/Inputs")
        run(*self.cxx, "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=0x401000,--build-id=none",
            os.path.join(inputs, "odd.s"), "-o", program)  # fmt: skip
        run(sys.executable, os.path.join(inputs, "packets.py"), program, target,
            "1:", "psb", "fup=0x401000", "psbend", "tip=0x401006", "tip=0x40100b", "fup=0x40100b",
            "pgd", "2:", "psb", "fup=0x401006", "psbend", "tip=0x40100b", "fup=0x40100b", "pgd",
            "pwre=0x5f00")  # fmt: skip
        # LLDB's own decoder must know the processor.
        description = os.path.join(target, "trace.json")
        with open(description) as f:
            text = f.read().replace('"model": 183', '"model": 94')
        with open(description, "w") as f:
            f.write(text)


MAKERS = {
    "sample.tarmac": Traces.make_sample,
    "sample.elf": Traces.make_sample,
    "build": Traces.make_folder_of_build,
    "htm.bin.n0.p0.c0.t0": Traces.make_dump,
    "trace.qt": Traces.make_qtrace,
    "two.tarmac": Traces.make_two_threads,
    "bundle": Traces.make_bundle,
    "list.elf": Traces.make_recording,
    "list.tarmac": Traces.make_recording,
    "fsm.elf": Traces.make_recording,
    "fsm.tarmac": Traces.make_recording,
    "parser.elf": Traces.make_recording,
    "parser.tarmac": Traces.make_recording,
}
