"""Runs the examples of README.md and docs/, in order, and compares what they
print with what the pages say.

An example is a fenced block with "$ command" or "(lldb) command" lines, each
followed by its output; "..." stands for any number of lines. The commands of a
page share a folder, and those for LLDB a session. A block "```python name.py" is
that file in the folder; Python has the module `rewind`. A block that cannot be run
has a comment with the reason in the line before it: <!-- not run: reason -->.

    run_examples.py --build build [--update] README.md docs/*.md

--update writes what the commands print today into the pages.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from traces import MAKERS, Traces

ANY = "..."
FOLDER = "/home/me"
COMMAND = re.compile(r"(\$|\(lldb\)) (.*)")
UNFENCED = re.compile(r"    +(\$ |\(lldb\) |rewind )")
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")


class Example:
    """A command and its output: the lines first..end of the page."""

    def __init__(self, where, prompt, command, first):
        self.where, self.prompt, self.command = where, prompt, command
        self.first = self.end = first
        self.expected, self.printed = [], None


class Page:
    def __init__(self, path):
        self.path, self.examples, self.problems, self.skipped = path, [], [], []
        self.files = {}
        with open(path) as page:
            self.lines = page.read().split("\n")
        fenced, example, reason, file = False, None, None, None
        for number, line in enumerate(self.lines):
            where = "%s:%d" % (path, number + 1)
            if line.startswith("```"):
                fenced, example = not fenced, None
                named = re.fullmatch(r"```python (\S+\.py)", line)
                file = self.files.setdefault(named[1], []) if named else None
                if not fenced:
                    reason = None
            elif file is not None:
                file.append(line)
            elif not fenced:
                marked = NOT_RUN.fullmatch(line)
                if marked:
                    reason = marked[1]
                    self.skipped.append((where, reason))
                elif UNFENCED.match(line) and not reason:
                    self.problems.append(where + ": an example that is not fenced")
                elif line and not line.startswith("    "):
                    reason = None
            elif not reason:
                command = COMMAND.match(line)
                if command:
                    example = Example(where, command[1], command[2], number + 1)
                    self.examples.append(example)
                elif example:
                    example.expected.append(line)
                    example.end = number + 1
                elif re.match(r"rewind ", line):
                    self.problems.append(where + ": a command without its prompt")

    def update(self):
        for e in reversed(self.examples):
            if e.printed is not None:
                self.lines[e.first : e.end] = keep_gaps(e.expected, e.printed)
        with open(self.path, "w") as page:
            page.write("\n".join(self.lines))


def matches(expected, printed):
    """Greedy from both ends: what is between two gaps, at its first place."""
    parts, part = [], []
    for line in expected:
        if line == ANY:
            parts.append(part)
            part = []
        else:
            part.append(line)
    parts.append(part)
    if len(parts) == 1:
        return part == printed
    first, last = parts[0], parts[-1]
    if len(first) + len(last) > len(printed) or printed[: len(first)] != first:
        return False
    if last and printed[-len(last) :] != last:
        return False
    rest = printed[len(first) : len(printed) - len(last)]
    for part in parts[1:-1]:
        at = next((i for i in range(len(rest) + 1) if rest[i : i + len(part)] == part), None)
        if at is None:
            return False
        rest = rest[at + len(part) :]
    return True


def keep_gaps(expected, printed):
    """What to write for \\p printed: with the gap that there was, if one can
    tell where it goes."""
    if matches(expected, printed):
        return expected
    if ANY not in expected:
        return printed
    before = expected.index(ANY)
    after = len(expected) - 1 - expected[::-1].index(ANY)
    tail = len(expected) - after - 1
    if before + tail >= len(printed):
        return printed
    return printed[:before] + [ANY] + printed[len(printed) - tail :]


def clean(text):
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


class Runner:
    def __init__(self, options):
        self.options = options
        self.traces = Traces(
            os.path.join(options.build, "sample"),
            shlex.split(options.cxx),
            os.path.join(options.build, "bin", "rewind"),
        )
        self.environment = dict(os.environ, LC_ALL="C.UTF-8")
        tree = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
        modules = [os.path.join(tree, "scripts", "python"), os.environ.get("PYTHONPATH")]
        self.environment["PYTHONPATH"] = os.pathsep.join(filter(None, modules))
        self.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.environment["PATH"] = os.pathsep.join(
            [os.path.join(options.build, "bin"), os.environ["PATH"]]
        )

    def run(self, page):
        """Runs a page's examples in a folder of its own."""
        # A store holds the path of its trace: its size depends on the length.
        with tempfile.TemporaryDirectory(prefix="rewind-docs-", dir="/tmp") as folder:
            for name, lines in page.files.items():
                with open(os.path.join(folder, name), "w") as out:
                    out.write("\n".join(lines + [""]))
            text = "\n".join(sum(page.files.values(), []))
            missing = {}
            for name in MAKERS:
                users = [e for e in page.examples if name in e.command + text]
                why = self.traces.make(name, folder) if users else None
                if why:
                    missing.update((e.where, why) for e in users)
            page.skipped += missing.items()
            wanted = [e for e in page.examples if e.where not in missing]
            for example in wanted:
                if example.prompt == "$":
                    self.run_in_shell(example, folder)
            debugger = [e for e in wanted if e.prompt == "(lldb)"]
            if debugger and not self.options.lldb:
                page.skipped += [(e.where, "there is no LLDB") for e in debugger]
            elif debugger:
                self.run_in_lldb(debugger, folder)
            for example in wanted:  # the folder has another name each time
                if example.printed is not None:
                    example.printed = [line.replace(folder, FOLDER) for line in example.printed]

    def start(self, words, folder, seconds):
        """Runs a program in that folder to its end: all that it prints is in
        stdout."""
        return subprocess.run(
            words,
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
        )

    def run_in_shell(self, example, folder):
        done = self.start(["sh", "-c", example.command], folder, 120)
        example.printed = clean(done.stdout)
        if done.returncode:
            example.printed.append("(exit status %d)" % done.returncode)

    def run_in_lldb(self, examples, folder):
        script = os.path.join(folder, "examples.lldb")
        before = ["plugin load " + self.options.plugin]
        if not any(re.match(r"(rewind|trace) load", e.command) for e in examples):
            self.traces.make("sample.tarmac", folder)
            self.traces.make("sample.elf", folder)
            before.append("rewind load sample.tarmac --image sample.elf")
        with open(script, "w") as out:
            out.write("\n".join(before + [e.command for e in examples] + ["quit", ""]))
        done = self.start(
            self.options.lldb
            + ["--no-use-colors", "-O", "settings set interpreter.stop-command-source-on-error false"]
            + ["-s", script],
            folder,
            240,
        )
        # Every command is echoed behind a prompt.
        echoed = ["(lldb) " + e.command for e in examples] + ["(lldb) quit"]
        lines, starts = done.stdout.split("\n"), []
        at = 0
        for echo in echoed:
            while at < len(lines) and lines[at] != echo:
                at += 1
            starts.append(at)
            at += 1
        for example, start, end in zip(examples, starts, starts[1:]):
            example.printed = clean("\n".join(lines[start + 1 : end]))


def fails(lines):
    return any(re.match(r"error: |\(exit status", line) for line in lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--build", default="build", type=os.path.abspath)
    parser.add_argument("--plugin")
    parser.add_argument("--lldb", default="lldb-22 --no-lldbinit", type=shlex.split)
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    options.plugin = options.plugin or os.path.join(options.build, "lib/librewind-lldb.so")
    runner, bad, run = Runner(options), 0, 0
    for path in options.pages:
        page = Page(path)
        runner.run(page)
        for where, reason in page.skipped:
            print("SKIP %s: %s" % (where, reason))
        for problem in page.problems:
            print("BAD  " + problem)
        bad += len(page.problems)
        for e in page.examples:
            if e.printed is None:
                continue
            run += 1
            if matches(e.expected, e.printed):
                continue
            failed = fails(e.printed) and not fails(e.expected)
            if failed or not options.update:
                bad += 1
                print("BAD  %s: %s %s" % (e.where, e.prompt, e.command))
                for title, lines in ("the page says", e.expected), ("it prints", e.printed):
                    print("\n".join(["--- " + title] + lines[:60] + [ANY] * (len(lines) > 60)))
                print("---")
        if options.update:
            page.update()
    print("%d examples run, %d wrong" % (run, bad))
    return 1 if bad or not run else 0


if __name__ == "__main__":
    sys.exit(main())
