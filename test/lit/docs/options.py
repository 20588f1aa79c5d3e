"""docs/options.md names every option of every command, docs/commands.md lists the
commands, and no page names an option that does not exist.

    options.py --build build [--update] README.md docs/*.md
"""

import argparse
import os
import re
import subprocess
import sys

PAGE = "options.md"
COMMANDS_PAGE = "commands.md"
COMMANDS = re.compile(r"(<!-- commands: .*? -->\n)(.*?)(<!-- end of commands -->)", re.DOTALL)
INTRODUCTION = """# Options

All options of all commands, in LLDB and in the shell. (Made from their tables by `test/lit/docs/options.py --update`; `rewind help
<command>` prints the same.) An option's value follows a blank or `=`, that of a short one may also follow at once: `--count 5`, `--count=5`, `-c 5`, `-c5`.
`--` ends the options; `-10` is none.
"""
OPTION = re.compile(r"  (?:(-\w), |    )--([\w-]+)(?: <([^>]+)>)? +(.*)")
# Commands of the shell which answer others than the user, or take the terminal.
SERVERS = ("serve", "mcp", "dap", "browse", "completion")
# Options of a command's namesake in LLDB.
IN_LLDB = {"view": {"--stop": "end the pages of this recording, and of ended processes", "--list": "print what pages there are"}}
# Options of the tools that the pages speak of.
OTHERS = {
    "rewind-record": "trace limit style stdin output calls root from to turn linux bare verify quiet write-dir",
    "cmake": "build install prefix preset target",
    "ctest": "test-dir",
    "effects-check": "surplus hex random elf",
    "perf": "per-thread",
    "Google Benchmark": "gtest_filter",
    "scripts/quickstart": "batch",
    "rewind dap": "lldb-dap plugin connection repl-mode",
    "lldb": "all condition name source",
    "code": "install-extension",
    "scripts/bench": "compare huge micro intelpt only",
    "tests": "update",
}


class Option:
    def __init__(self, found):
        self.short, self.long, self.value, self.help = found.groups()

    def row(self):
        value = " <%s>" % self.value if self.value else ""
        name = ("`%s`, " % self.short if self.short else "") + "`--%s%s`" % (self.long, value)
        return "| %s | %s |" % (name.replace("|", "\\|"), re.sub(r"([<|])", r"\\\1", self.help))

    def spellings(self):
        return {"--" + self.long} | ({self.short} if self.short else set())


def options_in(text):
    return [Option(found) for found in map(OPTION.match, text.splitlines()) if found]


class Tables:
    """What the commands' own help says."""

    def __init__(self, rewind):
        def ask(*words):
            return subprocess.run([rewind, "help", *words], capture_output=True, text=True, check=True).stdout

        overview = ask()
        listed = overview.split("Commands:\n")[1].split("\n\n")[0].splitlines()
        # A line with one blank before it begins a group.
        rows = [re.match(r"  (\w[\w-]*(?: \w+)?)  *([A-Z].*)", line) for line in listed if line.startswith("  ")]
        names = [row[1] for row in rows]
        self.summaries = {row[1]: row[2] for row in rows}
        everywhere = overview.split("Options of every command:\n")[1].split("\n\n")[0]
        self.everywhere = options_in(everywhere)
        self.usage, self.commands = {}, {}
        for name in names:
            text = ask(*name.split())
            self.usage[name] = re.search(r"Usage: rewind (.*)", text)[1]
            self.commands[name] = options_in(text)
        if not self.everywhere or not any(self.commands.values()):
            sys.exit("no options in the commands' help: has its form changed?")

    def page(self):
        lines = [INTRODUCTION, "## Of every command", ""]
        lines += ["In LLDB those that load the trace are `rewind load`'s.", ""]
        lines += self.table(self.everywhere)
        for name, options in self.commands.items():
            lines += ["", "## " + name, "", "`rewind %s`" % self.usage[name]]
            if options:
                lines += [""] + self.table(options)
            for option, does in IN_LLDB.get(name, {}).items():
                lines += ["", "In LLDB `%s`, too: %s." % (option, does)]
        return "\n".join(lines) + "\n"

    def list_of_commands(self):
        rows = ["| command | what it does |", "|---|---|"]
        for name, summary in self.summaries.items():
            rows.append("| [`%s`](options.md#%s) | %s |" % (name, name.replace(" ", "-"), summary))
        return "\n".join(rows) + "\n"

    def table(self, options):
        return ["| | |", "|---|---|"] + [o.row() for o in options]

    def unknown(self, code):
        """The options in a piece of code that do not exist."""
        code = re.sub(r"^(\$ |\(lldb\) )", "", code.strip())
        words = code.replace("=", " ").split()
        if words[:1] == ["rewind"]:
            words = words[1:]
        everywhere = set().union(*(o.spellings() for o in self.everywhere))
        for length in (2, 1):
            name = " ".join(words[:length])
            if name not in self.commands:
                continue
            there = everywhere.union(*(o.spellings() for o in self.commands[name])) | IN_LLDB.get(name, {}).keys()
            return [w for w in self.spelled(words[length:]) if w not in there]
        if words[:1] == ["load"]:
            return [w for w in self.spelled(words) if w not in everywhere]
        there = everywhere.union(*(o.spellings() for t in self.commands.values() for o in t))
        there |= {"--" + name for names in OTHERS.values() for name in names.split()}
        return [w for w in self.spelled(words) if w.startswith("--") and w not in there]

    def spelled(self, words):
        for word in words:
            found = re.fullmatch(r"\[?(--[a-z][\w-]*|-[a-zA-Z])[,\]]?", word)
            if found:
                yield found[1]


def pieces(text):
    """Spans of code and lines of commands, each with its line number."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            if re.match(r"(\$ |\(lldb\) | +\S)", line):
                yield number, line
        else:
            for code in re.findall(r"`([^`]+)`", line):
                yield number, code


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--build", default="build")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    tables, bad, seen = Tables(os.path.join(options.build, "bin", "rewind")), 0, False
    for path in options.pages:
        if os.path.basename(path) == PAGE:
            seen = True
            if options.update:
                with open(path, "w") as page:
                    page.write(tables.page())
        with open(path) as page:
            text = page.read()
        if os.path.basename(path) == COMMANDS_PAGE:
            found = COMMANDS.search(text)
            if found and options.update and found[2] != tables.list_of_commands():
                text = text[: found.start(2)] + tables.list_of_commands() + text[found.end(2) :]
                with open(path, "w") as page:
                    page.write(text)
            elif not found or found[2] != tables.list_of_commands():
                bad += 1
                print("BAD  %s: its list of commands is not that of 'rewind help'" % path)
        if os.path.basename(path) == PAGE:
            told, true = text.splitlines(), tables.page().splitlines()
            for line in true:
                if line not in told:
                    bad += 1
                    print("BAD  %s: not there: %s" % (path, line))
            if not bad and told != true:
                bad += 1
                print("BAD  %s: there is more than the commands tell, or in another order" % path)
            continue
        for number, code in pieces(text):
            for word in tables.unknown(code):
                bad += 1
                print("BAD  %s:%d: there is no %s: %s" % (path, number, word, code))
    if not seen:
        sys.exit("docs/%s is not among the pages" % PAGE)
    count = sum(map(len, tables.commands.values())) + len(tables.everywhere)
    print("%d options of %d commands, %d wrong" % (count, len(tables.commands), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
