"""Runs every command with --json in both doors on traces of every format, and
compares the keys with docs/json.md: none is there that the page does not tell,
and none is told that no command has. Both doors print the same.

    json_keys.py --build build docs/json.md

A section of the page is of the commands in its heading; the tables' first
columns have paths of keys ("items[].pc"), a part such as <name> stands for any
key, and [Place](#place) for the keys of that section.
"""

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from help_examples import LAYERS, Debugger
from options import SERVERS, Tables
from traces import Traces

SAMPLE, TWO, DUMP, QTRACE, BUNDLE = (
    "sample.tarmac", "two.tarmac", "htm.bin.n0.p0.c0.t0", "trace.qt", "bundle",
)  # fmt: skip
BROKEN, OTHER = "broken.tarmac", "other.tarmac"
WITHOUT_TRACE = ("profile merge",)
# What is for LLDB alone has a '!' before it, what is for the shell alone a '$'.
COMMANDS = {
    SAMPLE: """
        info
        where 50%
        where 36622
        where end
        !goto 100
        !goto 71259
        !back
        !back --list
        !forward
        list --from 36620 -c 12
        list --from 300 -c 400
        $list --writes item --at 33353 -c 2
        find set_label --all -c 3
        find value 251 --in 0x4200f0..0x4200f4 --all
        find value 374 --in reg --first
        find mnemonic udiv --how-many
        find syscall --all -c 2
        why seed --at 5000
        last-write seed --at end
        $last-write sku --at 31100
        last-write seed --at 50
        diff 40 60
        last-write w1 --at 40000
        last-write 0x41ffe8 --size 4 --real --at end
        last-write items+4 --size 4 --pieces --at end
        last-write 0x123450 --size 4 --at end
        last-write 0x420ff0 --size 8 --at start
        next-write seed --at 100
        first-write seed
        last-write items[5] --at end
        history items[5] --at end -c 3
        last-read seed --at 5000
        next-read seed --at 5000
        history seed --reads -c 4
        $history sku --at 31100
        diff 36620 36630
        diff 36620 36630 -c 2
        origin x1 --at 40000
        origin x1 --at 40000 -c 2
        origin x1 --at 15005 --tree -c 5
        origin items[5] --at end -c 500
        slice 0x4200f0 --size 4 --at 71259 -c 12
        slice seed --at 300
        slice seed --at 300 --lines
        slice x19 --at 10
        slice seed --at 300 --forward -c 5
        slice 0x4200f0 --size 1 --at 31409 --control exact
        slice seed --at 300 --forward --lines --to 700
        !goto 300
        !slice next 2
        !slice prev
        !list 460 -c 40
        !goto 71259
        deps #31408 -c 3
        deps #31408 --control exact -c 3
        deps #50 -c 3
        deps #3 -c 3
        deps lines -c 5
        deps lines --calls -c 5
        critical-path -c 3
        critical-path --steps -c 3
        critical-path --slack -c 2
        critical-path --show-suppressed -c 2
        parallelism -c 3
        why items --size 20 --at end
        why sp --at 100
        origin seed --at end
        htr expand B829 --depth 2 -c 40
        eval w1 --at find -c 3
        !eval 1/($x0!=0x4200e0) --at set_label -c 6
        calls tree --depth 2
        calls tree --function sort --depth 2
        calls info sort -c 3
        calls where 71259
        calls parent 71259
        calls enter 71259
        calls leave 71259
        profile functions -c 4
        profile tree -c 6
        profile tree --by lines --depth 2 --metric taken-branches -c 20
        profile self --metric time/instructions --fold main --exclude find
        profile self --fold * -c 2
        profile self --metric exceptions
        profile dominated --by htr -c 3 --metric lines
        profile sequences --select find --metric exceptions/calls --from 100 --to 60000
        profile block find --metric bytes-read/instructions
        export flamegraph -o OUT
        export svg -o OUT
        export speedscope -o OUT
        export pprof -o OUT
        profile merge OUT OUT -o OUT.merged
        export profile -o OUT
        export profile --as pprof --metric calls --select find -o OUT
        profile diff OTHER --fold find
        profile diff OTHER --select find --exclude process
        export perfetto -o OUT
        export ctf -o OUT
        export vcd --no-date -o OUT
        truncate -o OUT.cut --force
        bookmark add here 100 --note text
        bookmark list
        $bookmark delete here
        bookmark add there 100
        !bookmark delete there
        htr run LAYERS
        htr run functions,bsb,loops --similar
        htr run LAYERS
        htr layers
        htr dump -c 30
        htr dump --from 100 --to 200
        htr dump 0 --from 10% -c 3
        htr hot -c 5
        htr hot --blocks -c 5
        htr loop B1190
        htr loop B1187
        htr compare B1187 4 5
        htr compare B682 B747
        htr block B1187
        htr block B682
        htr block B17
        htr expand B1187 -c 5
        htr goto B682
        htr where 71259
        htr where 15735
        htr export ctf -o OUT
    """,
    TWO: """
        info
        list
        where 2:#3
        eval r0 --at t:2 --thread 1
        last-write r0
        history r0
        diff start end
        calls tree
        calls where 2:#3
        htr dump
        htr where 2:#4
        find 0x9000 --all
    """,
    BROKEN: "info",
    DUMP: """
        slice r3 --at 50 -c 3
        deps #50 -c 3
        deps lines -c 3
        critical-path -c 3
        parallelism -c 3
        info
        list
        find exception --all
        find --event pause --all
        last-write 0x3fffd0001010 --size 8 --at end
        last-write lr --at 8
        why r3 --at end
        why lr --at end
        origin r3 --at end
        history lr
        calls tree
        calls info 0x10000800
        profile functions
        profile self --metric bytes-written
        profile block 0x10000800
        htr dump
        htr dump 0
        htm stats
        htm mix
        htm mix -c 2
        htm blocks
        htm dump
        htm dump -D -c 4
        export qtrace -o OUT.qt --force
    """,
    QTRACE: "info\nlist -c 3\nqtrace dump",
    BUNDLE: """
        info
        list
        find odd --all
        last-write rsp --at end
        calls tree
        calls info odd
        calls where 1:#2
        profile functions
        profile tree
        htr layers
    """,
}
# All other traces have no image.
IMAGES = {SAMPLE: ["--image", "sample.elf"]}


def paths(value, at=""):
    """The paths of all keys in a JSON value."""
    if isinstance(value, list):
        for one in value:
            yield from paths(one, at + "[]")
    elif isinstance(value, dict):
        for key, one in value.items():
            path = (at + "." if at else "") + key
            yield path
            yield from paths(one, path)


class Page:
    """docs/json.md: for each command the paths that it may have."""

    def __init__(self, path):
        sections, self.commands = {}, {}
        with open(path) as page:
            for line in page:
                heading = re.match(r"## (.*)", line)
                if heading:
                    rows = sections.setdefault(heading[1].strip(), [])
                elif re.match(r"\| *[\[`]", line):
                    rows.append(re.split(r"(?<!\\)\|", line)[1].strip())
        self.sections = sections
        for title in sections:
            for name in title.split(", "):
                self.commands[name] = self.patterns(title)

    def patterns(self, title, at=""):
        """(path, the section that tells of it, its name there)"""
        found = []
        for cell in self.sections[title]:
            inside = re.match(r"`([^`]+)`: (.*)", cell)
            where = join(at, inside[1]) if inside else at
            if inside:
                found.append((where.removesuffix("[]"), title, inside[1].removesuffix("[]")))
                cell = inside[2]
            for link in re.findall(r"\[([^\]]+)\]\(#[\w-]+\)", cell):
                found += self.patterns(link, where)
            base = inside[1] if inside else ""
            for name in re.findall(r"`([^`]+)`", cell):
                found.append((join(where, name), title, join(base, name)))
        return found


def join(at, path):
    return at + "." + path if at and path else at or path


def as_expression(pattern):
    return re.compile(
        "".join(
            "[^.]+" if part.startswith("<") else re.escape(part)
            for part in re.split(r"(<[^>]+>)", pattern)
        )
    )


class JsonDebugger(Debugger):
    def run_json(self, command, path, trace):
        if trace not in self.targets:
            image = " --image sample.elf" if trace in IMAGES else ""
            self.must("rewind load %s%s" % (path, image))
            self.targets[trace] = self.debugger.GetSelectedTarget()
        self.debugger.SetSelectedTarget(self.targets[trace])
        return self.handle("rewind " + command)


class Answers:
    def __init__(self, options, folder):
        self.folder, self.rewind, self.bad = folder, os.path.join(options.build, "bin/rewind"), 0
        self.seen = {}
        self.debugger = options.plugin and JsonDebugger(options.plugin, folder)

    def complain(self, text):
        self.bad += 1
        print("BAD  " + text)

    def parse(self, name, command, text):
        """JSON, or JSON Lines."""
        try:
            if re.match(r"(list|htm dump|qtrace dump)$", name):
                return [json.loads(line) for line in text.splitlines()]
            return json.loads(text)
        except ValueError as e:
            self.complain("%s: no JSON: %s in %.200r" % (command, e, text))

    def serve(self, words):
        """What it prints before it serves until Ctrl-C."""
        server = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = server.stdout.readline()
        server.send_signal(signal.SIGINT)
        errors = server.communicate(timeout=20)[1]
        return subprocess.CompletedProcess(words, 0 if server.returncode == 130 else 2, line, errors)

    def ask(self, trace, name, command):
        out = os.path.join(self.folder, "out")
        other = os.path.join(self.folder, OTHER)
        command = command.replace("OUT", out).replace("LAYERS", LAYERS).replace("OTHER", other)
        only_lldb = command.startswith("!")
        only_shell = command.startswith("$")
        command = command.lstrip("!$")
        path = os.path.join(self.folder, trace)
        answers = []
        if not only_lldb:
            rest = shlex.split(command[len(name) :])
            of_trace = [] if name in WITHOUT_TRACE else [path]
            words = [self.rewind, *name.split(), *of_trace, *rest, "--json", *IMAGES.get(trace, [])]
            done = self.serve(words) if name == "view" else subprocess.run(
                words, cwd=self.folder, capture_output=True, text=True)
            if done.returncode > 1:
                self.complain("%s %s: %s" % (trace, command, done.stderr))
            elif done.stdout:
                answers.append(self.parse(name, command, done.stdout))
        if self.debugger and not only_shell and (name not in ("index", "view") or only_lldb):
            output, error = self.debugger.run_json(command + " --json", path, trace)
            if output:
                answers.append(self.parse(name, "(lldb) " + command, output))
            elif answers and answers[0] is not None:
                self.complain("(lldb) %s %s: %s" % (trace, command, error))
        if len(answers) == 2 and answers[0] != answers[1]:
            self.complain("%s %s: the doors differ:\n%.2000s\n%.2000s" % (trace, command, *answers))
        for answer in answers:
            if answer is None:
                continue
            whole = answer if isinstance(answer, list) and name != "calls tree" else [answer]
            found = {re.sub(r"(calls\[\]\.)+|^\[\]\.?", "", p) if name == "calls tree" else p
                     for one in whole for p in paths(one)}  # fmt: skip
            found = {re.sub(r"(inside\[\]\.)+", "", p) for p in found} - {""}
            self.seen.setdefault(name, set()).update(found)


def make_broken(folder, sample):
    """Lines that are ignored, and one that cannot be understood."""
    with open(sample) as source, open(os.path.join(folder, BROKEN), "w") as out:
        out.write("".join(source.readlines()[:200]))
        out.write("131 clk R x0 zzzz\n131 clk SIGNAL: something=1\n")


def make_other(folder, sample):
    """The sample, but it ends earlier."""
    with open(sample) as source, open(os.path.join(folder, OTHER), "w") as out:
        out.writelines(line for _, line in zip(range(90000), source))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=os.path.abspath)
    parser.add_argument("--plugin")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("page")
    options = parser.parse_args()
    page = Page(options.page)
    with tempfile.TemporaryDirectory(prefix="rewind-json-", dir="/tmp") as folder:
        sample = os.path.join(options.build, "sample")
        traces = Traces(sample, shlex.split(options.cxx), os.path.join(options.build, "bin/rewind"))
        for name in list(COMMANDS) + ["sample.elf"]:
            if name != BROKEN:
                why = traces.make(name, folder)
                if why:
                    sys.exit(why)
        make_broken(folder, os.path.join(sample, SAMPLE))
        make_other(folder, os.path.join(sample, SAMPLE))
        answers = Answers(options, folder)
        known = Tables(answers.rewind).commands
        answers.ask(SAMPLE, "index", "index")
        answers.ask(SAMPLE, "view", "view --no-open")
        for command in ("!view --no-open", "!view --list", "!view --stop"):
            answers.ask(SAMPLE, "view", command)
        for trace, commands in COMMANDS.items():
            for command in filter(None, map(str.strip, commands.splitlines())):
                name = max((n for n in known if (command.lstrip("!$") + " ").startswith(n + " ")), key=len)
                answers.ask(trace, name, command)
    for name in known:
        if name in SERVERS:
            continue
        if name not in answers.seen:
            answers.complain(
                "%s: never answered: add a line with a question of it to COMMANDS in %s" % (name, __file__)
            )
        if name not in page.commands:
            answers.complain("%s: not in %s" % (name, options.page))
    shown = set()
    for name, seen in sorted(answers.seen.items()):
        patterns = [(as_expression(p), told) for p, *told in page.commands.get(name, [])]
        for path in sorted(seen):
            matching = [tuple(told) for e, told in patterns if e.fullmatch(path)]
            shown.update(matching)
            if not matching:
                answers.complain("%s: undocumented key: %s" % (name, path))
    told = {tuple(where) for patterns in page.commands.values() for _, *where in patterns}
    for title, key in sorted(told - shown):
        if key in UNSEEN.get(title, {}):
            print("SKIP %s: %s: %s" % (title, key, UNSEEN[title][key]))
        else:
            answers.complain("%s: documented, but not seen: %s" % (title, key))
    count = sum(map(len, answers.seen.values()))
    print("%d keys of %d commands, %d wrong" % (count, len(answers.seen), answers.bad))
    return 1 if answers.bad or not count else 0


# What these traces cannot show, and why.
UNSEEN = {
    "List envelope": {"cancelled": "only if it was interrupted"},
    "Place": {"inlined": "nothing is inlined in the sample"},
    "Block": {
        "small": "the pages are long enough",
        "folded": "no function is nested 1,000 deep",
    },
    "calls where": {"items[].function_entry": "the sample makes no tail call"},
    "Profile line": {"tail_calls": "the sample makes no tail call"},
    "last-write, next-write, first-write, last-read, next-read": {
        "before_trace": "none of them begins with a state",
    },
    "list": {
        "memory[].exclusive": "the sample has no exclusive access",
        "memory[].implied": "the sample has no semihosting call",
    },
    "truncate": {"why": "there is nothing to cut"},
    "htm stats": {
        "syscall_numbers.<number>": "the dump has no system call",
        "hcall_numbers.<number>": "the dump has no hypercall",
    },
    "htm dump": dict.fromkeys(
        ["prefix", "page_shift", "memory[].page_shift", "esid", "vsid", "lpid", "pid", "damaged"],
        "the dump has no prefix, no radix walk, no SLB entry and no damage",
    ),
    "qtrace dump": {"prefix": "the dump has no prefix"}
    | dict.fromkeys(
        ["walk", "data_walk", "page_shift", "guest_page_shift", "entries[]"],
        "the dump has no radix walk",
    ),
    "calls parent, calls enter, calls leave": dict.fromkeys(
        ["real_address", "memory[].exclusive", "memory[].implied", "taken"],
        "the sample has none of these",
    ),
    "find": {
        "items[].taken": "what was found was taken",
        "items[].reaches_body": "no call of the sample ends before its body",
        "unknown": "all that is found in the sample is decided",
    },
    "htr goto": {"taken": "the instruction gone to is no such branch"} | dict.fromkeys(
        ["real_address"]
        + ["memory[].%s" % key for key in (
            "access", "address", "size", "real_address", "exclusive", "implied")],
        "the instruction gone to has no access",
    ),
    "Location": {
        "bits": "the sample has no bit-field",
        # test/lit/types/pieces.test asks about one.
        "pieces": "the sample has no value in several registers",
        "pieces[].offset": "the sample has no value in several registers",
        "pieces[].size": "the sample has no value in several registers",
        "pieces[].register": "the sample has no value in several registers",
        "pieces[].address": "the sample has no value in several registers",
        "pieces[].constant": "the sample has no value in several registers",
    },
    "slice next, slice prev": {
        "taken": "the instruction gone to is no such branch",
        "real_address": "the sample tells none of its instructions",
        "memory[].exclusive": "the sample has no exclusive access",
        "memory[].implied": "the sample has no semihosting call",
    },
    "where, goto, back, forward": {
        "taken": "the instruction gone to is no such branch",
        "real_address": "the sample tells none of its instructions",
        "memory[].exclusive": "the sample has no exclusive access",
        "memory[].implied": "the sample has no semihosting call",
    },
    "why": {"items[].stored": "the dump stores no register whose value follows"},
}

if __name__ == "__main__":
    sys.exit(main())
