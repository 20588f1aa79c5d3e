"""Compares values as Rewind shows them with those of GDB, which debugs the same
program under QEMU: compare_values.py ELF TARMAC CASES PLUGIN REWIND QEMU GDB...
A line of CASES is "file:line expression". With a plugin (else "-"), Rewind is
asked in LLDB (this must be LLDB's Python), else in the shell. What GDB says was
optimised away is not compared."""

import json
import re
import socket
import struct
import subprocess
import sys

elf, trace, cases, plugin, rewind, qemu = sys.argv[1:7]
gdb = sys.argv[7:]
plugin = None if plugin == "-" else plugin
cases = [line.split(None, 1) for line in open(cases).read().splitlines()]


def first_visit(where):
    """Position and address; none if the place has no code (as optimised)."""
    run = [rewind, "find", trace, "-q", "-i", elf, where, "--first", "--json"]
    out = subprocess.run(run, capture_output=True, text=True)
    if out.returncode:
        print("%s: %s" % (where, out.stderr.strip()))
        return None
    item = json.loads(out.stdout)["items"][0]
    return item["position"], item["pc"]


visits = {where: first_visit(where) for where in dict(cases)}
cases = [(w, visits[w][1], e) for w, e in cases if visits[w]]
cases.sort(key=lambda case: visits[case[0]])


def free_port():
    # QEMU binds to all addresses: a port that is in use at one is not free.
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def gdb_values():
    port = free_port()
    commands = [
        "set width 0",
        "set confirm off",
        "set print null-stop on",
        "set print static-members off",
        "set print repeats " + ("unlimited" if "library" in sys.argv[3] else "10"),
        "set style enabled off",
        # Its printers of the C++ library; a static program brings none.
        "python import sys; sys.path.insert(0, '/usr/share/gcc/python')",
        "python from libstdcxx.v6 import register_libstdcxx_printers as register",
        "python register(None)",
        "python from libstdcxx.v6.xmethods import register_libstdcxx_xmethods as methods",
        "python methods(None)",
        "file " + elf,
        "target remote 127.0.0.1:%d" % port,
    ]
    place = None
    for number, (_, where, expression) in enumerate(cases):
        if where != place:
            commands += ["tbreak *" + where, "continue"]
            place = where
        commands += ["echo \\n@%d " % number, "print " + expression]
    commands += ["kill"]
    program = subprocess.Popen(
        [qemu, "-g", str(port), elf],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        run = gdb + ["-batch"]
        for c in commands:
            run += ["-ex", c]
        out = subprocess.run(
            run, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
        ).stdout
    finally:
        program.kill()
        program.wait()
    found = {}
    for line in out.splitlines():
        match = re.match(r"@(\d+) ?\$\d+ = (.*)", line)
        if match:
            found[int(match.group(1))] = match.group(2)
    return found


def shell_value(where, expression):
    run = [rewind, "eval", trace, "-q", "-i", elf, expression]
    run += ["--at", where, "-c", "1"]
    out = subprocess.run(run, capture_output=True, text=True)
    if out.returncode:
        return "error: " + out.stderr.strip()
    # The value is behind the place, "... at file:line  value".
    row = out.stdout.splitlines()[0]
    return re.split(r" at \S+:\d+  ", row, maxsplit=1)[1]


def debugger_values():
    """Of all cases, by number."""
    import lldb

    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)

    def run(command):
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, result)
        if result.Succeeded():
            return result.GetOutput()
        return "error: " + result.GetError().strip()

    run("plugin load " + plugin)
    run("rewind load %s --image %s" % (trace, elf))
    found, place = {}, None
    for number, (_, pc, expression) in enumerate(cases):
        if pc != place:
            run("rewind find %s --first --goto" % pc)
            place = pc
        out = run("rewind why " + expression)
        # "expression [address, size] = value", then where it comes from.
        match = re.match(r".*? = (.*)\n", out)
        if not match:
            # What has no place, or several, may have a value behind the place,
            # "... at file:line  value".
            out = run("rewind eval " + expression)
            match = re.match(r".*? at \S+:\d+  (.*)\n", out)
        found[number] = match.group(1) if match else out.strip()
    lldb.SBDebugger.Destroy(debugger)
    return found


def same_number(a, b):
    if a == b or b == "?":
        return True
    try:
        if "0x" in a or "0x" in b:
            return int(a, 0) == int(b, 0)
        a, b = float(a), float(b)
    except ValueError:
        return False
    single = lambda x: struct.pack("<f", x)
    try:
        return abs(a - b) <= 1e-15 * abs(b) or single(a) == single(b)
    except OverflowError:
        return False


def without_types(text):
    """GDB shows the types of pointers and references before them."""
    begin = text.find("(")
    while begin >= 0:
        depth, end = 0, begin
        while end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
            if depth == 0:
                break
        if re.match(r" (@?0x|\{)", text[end:]):
            text = text[:begin] + text[end + 1 :]
            begin = text.find("(", begin)
        else:
            begin = text.find("(", begin + 1)
    return re.sub(r"^@0x[0-9a-f]+: ", "", text)


def close(text, begin):
    """Where the bracket at begin ends; brackets in quotes are none."""
    depth, quote, at = 0, None, begin
    while at < len(text):
        c = text[at]
        if quote:
            at += c == "\\"
            quote = None if c == quote else quote
        elif c in "\"'":
            quote = c
        depth += (c in "{<(" and not quote) - (c in "}>)" and not quote)
        if depth == 0:
            return at + 1
        at += 1
    return at


def library(text):
    """GDB's words for what objects of the C++ library hold, as Rewind's."""
    # Arguments of templates.
    at = text.find("std::")
    while at >= 0:
        end = at + len(re.match(r"[\w:]*", text[at:]).group())
        if text[end : end + 1] == "<":
            text = text[:end] + text[close(text, end) :]
        at = text.find("std::", end)
    text = text.replace("std::__cxx11::", "std::").replace("std::__debug::", "std::")
    # GDB numbers the elements of these; none here holds a map.
    numbered = r"std::(?:\w*set with \d+ elements?|list|forward_list|tuple containing) = (?=\{)"
    for match in reversed(list(re.finditer(numbered, text))):
        end = close(text, match.end())
        body = re.sub(r"\[\d+\] = ", "", text[match.end() : end])
        text = text[: match.end()] + body + text[end:]
    text = text.replace("std::stack wrapping: ", "").replace("empty std::tuple", "{}")
    text = re.sub(r"std::optional \[no contained value\]", "nullopt", text)
    text = re.sub(r"std::optional = \{\[contained value\] = ", "{", text)
    text = re.sub(r"std::variant \[index (\d+)\] = ", r"index=\1 ", text)
    text = re.sub(r"std::unique_ptr = \{get\(\) = (\w+)\}", r"\1", text)
    text = re.sub(
        r"std::\w+_ptr \(use count (\d+), weak count (\d+)\) = \{get\(\) = (\w+)\}",
        r"\3 strong=\1 weak=\2",
        text,
    )
    text = re.sub(r"std::atomic = \{ (\w+) \}", r"\1", text)
    text = re.sub(r"\{_M_elems = (\{[^{}]*\})\}", r"\1", text)
    # Numbers of elements.
    text = re.sub(r"std::\w+ (?:of length|with) (\d+)(?:, capacity \d+| elements?)", r"size=\1", text)
    text = re.sub(r"(size=0)(?! = | \{)", r"\1 {}", text)
    text = re.sub(r"(size=\d+) = \{", r"\1 {", text)
    text = re.sub(r"std::(list|forward_list) = \{", "size=? {", text)
    text = re.sub(r"std::tuple containing = \{", "{", text)
    return text


def normal(text):
    """Words and punctuation."""
    text = library(without_types(text))
    text = re.sub(r"\((\w+(?: \| \w+)+)\)", r"\1", text)  # flags
    text = re.sub(r"(\d) [uUL]?'(?:[^'\\]|\\.)+'", r"\1", text)  # of characters
    text = re.sub(r"[uUL](?=\")", "", text)
    text = re.sub(r"\\0(?!\d)", r"\\x00", text)
    text = re.sub(r"\\(\d\d\d)", lambda m: "\\x%02x" % int(m.group(1), 8), text)
    text = re.sub(r"= (?:\w+::)+(?=\w+[,}])|^(?:\w+::)+(?=\w+$)", "= ", text)  # enums
    text = re.sub(r"@(0x[0-9a-f]+)", r"\1 <Total>", text)  # references
    text = text.removeprefix("= ")
    if plugin:  # LLDB's types have no such member
        text = re.sub(r"_vptr\.\w+ = 0x[0-9a-f]+ <[^>]*>, ", "", text)
    return re.findall(
        r'"(?:[^"\\]|\\.)*"|[-+]?0x[0-9a-f]+|[-+]?\d+\.?\d*(?:e[-+]\d+)?|\w+|\S', text
    )


theirs = gdb_values()
debugger = debugger_values() if plugin else None
optional = elf.endswith("2")  # optimised
compared = failed = beyond = 0
for number, (where, pc, expression) in enumerate(cases):
    ours = debugger[number] if plugin else shell_value(pc, expression)
    their = theirs.get(number, "<optimized out>")
    if their == "<optimized out>":
        # What was in a register when the function was entered a trace tells.
        beyond += 1
        print("%s at %s: %s, GDB does not know" % (expression, where, ours))
        continue
    # LLDB does not know what a register was when a function was entered, and
    # has no place for what is computed.
    if plugin and ours.startswith("error: ") and optional:
        beyond += 1
        print("%s at %s: %s" % (expression, where, ours))
        continue
    compared += 1
    # QEMU's heap begins elsewhere.
    heap = lambda text: re.sub(r"0x[0-9a-f]{5,}", "heap", text) if "get()" in their else text
    a, b = normal(heap(ours)), normal(heap(their))
    if len(a) != len(b) or not all(map(same_number, a, b)):
        failed += 1
        print("%s at %s\n  Rewind: %s\n  GDB:    %s" % (expression, where, ours, their))
print("%d compared, %d differ, %d known to one only" % (compared, failed, beyond))
sys.exit(failed != 0)
