"""Runs the examples of every command's help: in the shell those that are not for
LLDB only, in LLDB all of them.

    help_examples.py --build build [--lldb]
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from options import SERVERS, Tables
from traces import Traces

# What an example is about, if it is not in the sample.
OTHER_TRACES = [
    (r"rewind (htm |export qtrace)|find (<trace> )?(exception|--event)", "htm.bin.n0.p0.c0.t0"),
    (r"rewind qtrace ", "trace.qt"),
]
# The files that `rewind load` names.
LOADED = {"boot.tarmac": "sample.tarmac", "boot.elf": "sample.elf", "app.elf": "sample.elf"}
# Where LLDB stands when it runs an example of the sample: in audit_failed, with
# jumps behind and before it.
STAND = ["rewind goto 100", "rewind goto 71259", "rewind goto 200", "rewind back"]
LAYERS = "functions,bsb,flow-loops"


def trace_of(example):
    return next((t for pattern, t in OTHER_TRACES if re.search(pattern, example)), "sample.tarmac")


def prepare(rewind, folder):
    """Files that examples take besides the trace."""
    with open(os.path.join(folder, "sample.tarmac")) as whole:
        with open(os.path.join(folder, "other.tarmac"), "w") as other:
            other.writelines(line for _, line in zip(range(20000), whole))
    for name in "a.pb.gz", "b.pb.gz":
        command = [rewind, "export", "pprof", "sample.tarmac", "-o", name]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)


class Shell:
    def __init__(self, rewind, folder):
        self.rewind, self.folder = rewind, folder

    def run(self, example, trace):
        if example.startswith("rewind htr "):
            self.call([self.rewind, "htr", "run", trace, LAYERS])
        words = shlex.split(example.replace("<trace>", trace))
        words[0] = self.rewind
        if words[1] == "dap":
            trace = ""  # its options are another program's
        if trace == "sample.tarmac":
            words += ["--image", "sample.elf"]
        if words[1] == "view":
            return self.serve(words)
        done = self.call(words)
        return done.stdout if not done.returncode else None, done.stderr

    def serve(self, words):
        """It serves until Ctrl-C."""
        words += [] if "--no-open" in words else ["--no-open"]
        server = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = server.stdout.readline()
        server.send_signal(signal.SIGINT)
        errors = server.communicate(timeout=20)[1]
        return line if "http://127.0.0.1:" in line and server.returncode == 130 else None, errors

    def call(self, words):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, errors="replace")


class Debugger:
    def __init__(self, plugin, folder):
        import lldb

        self.lldb = lldb
        os.chdir(folder)
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.interpreter = self.debugger.GetCommandInterpreter()
        self.targets = {}
        self.must("plugin load " + plugin)

    def handle(self, command):
        result = self.lldb.SBCommandReturnObject()
        self.interpreter.HandleCommand(command, result)
        return result.GetOutput() if result.Succeeded() else None, result.GetError()

    def must(self, command):
        output, error = self.handle(command)
        if output is None:
            sys.exit("%s: %s" % (command, error))

    def run(self, example, trace):
        if trace not in self.targets:
            image = " --image sample.elf" if trace == "sample.tarmac" else ""
            self.must("rewind load %s%s" % (trace, image))
            self.targets[trace] = self.debugger.GetSelectedTarget()
        self.debugger.SetSelectedTarget(self.targets[trace])
        if trace == "sample.tarmac":
            for command in STAND:
                self.must(command)
            if example.startswith("rewind htr "):
                self.must("rewind htr run " + LAYERS)
        else:
            self.must("rewind goto start")
        return self.handle(example)


def examples_of(text):
    body = text.split("\nOptions:\n")[0]
    return re.findall(r"^  (?:\(lldb\) )?rewind .*", body, re.MULTILINE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=os.path.abspath)
    parser.add_argument("--plugin")
    parser.add_argument("--lldb", action="store_true")
    options = parser.parse_args()
    rewind = os.path.join(options.build, "bin", "rewind")
    plugin = options.plugin or os.path.join(options.build, "lib/librewind-lldb.so")
    bad, count = 0, 0
    with tempfile.TemporaryDirectory(prefix="rewind-help-", dir="/tmp") as folder:
        traces = Traces(os.path.join(options.build, "sample"), rewind=rewind)
        for name in "sample.tarmac", "sample.elf", "htm.bin.n0.p0.c0.t0", "trace.qt":
            why = traces.make(name, folder)
            if why:
                sys.exit(why)
        prepare(rewind, folder)
        for name, like in LOADED.items():
            shutil.copy(os.path.join(folder, like), os.path.join(folder, name))
        door = Debugger(plugin, folder) if options.lldb else Shell(rewind, folder)
        for name in [*Tables(rewind).commands, *(["load"] if options.lldb else [])]:
            if options.lldb and name in ("index", "view", *SERVERS):
                continue  # of the shell
            if options.lldb:
                text = door.handle("help rewind " + name)[0] or ""
            else:
                text = subprocess.run([rewind, "help", *name.split()], capture_output=True, text=True).stdout
            examples = examples_of(text)
            if not examples:
                bad += 1
                print("BAD  the help of %s has no example" % name)
            for example in (e.strip() for e in examples):
                if example.startswith("(lldb)"):
                    if options.lldb:
                        bad += 1
                        print("BAD  %s: marked as LLDB's in LLDB" % example)
                    continue
                count += 1
                output, error = door.run(example, trace_of(example))
                if output is None:
                    bad += 1
                    print("BAD  %s: %s" % (example, error.strip()))
    print("%d examples of help run, %d wrong" % (count, bad))
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
