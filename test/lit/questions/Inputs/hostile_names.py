"""Makes a trace and an image whose names try to talk to the terminal, asks
everything that prints names, and looks at every byte that comes out."""

import gzip
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

from hostile_input import EVIL, HARMFUL, make

rewind, yaml2obj, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
trace, image = make(yaml2obj, folder)
found = 0


def ask(*words):
    """What a command prints, all of it looked at."""
    global found
    command = [*words[0].split(), trace, *words[1:]]
    command += ["-i", image, "--format", "tarmac"]
    done = subprocess.run([rewind, *command], capture_output=True)
    assert done.returncode in (0, 1, 2), (words, done)
    for stream in done.stdout, done.stderr:
        shown = stream.decode()  # throws unless it is UTF-8
        assert not HARMFUL.search(shown), (words, shown)
        found += shown.count("\\x1b") + shown.count("\\\\x1b")
    return done.stdout.decode()


ask("info")
json.loads(ask("info", "--json"))
ask("list")
for each in ask("list", "--json").splitlines():
    json.loads(each)
ask("where", "#2")
json.loads(ask("where", "#2", "--json"))
ask("find", "--event", "exception", "--all")
ask("last-write", "x30", "--at", "end")
ask("history", "x30")
ask("last-write", "\x1b[31mnothing\u009b")
ask("calls tree")
json.loads(ask("calls tree", "--json"))
ask("calls tree", "--style", "tarmac")
ask("calls info", "0x8010")
ask("calls where", "#2")
ask("profile functions")
json.loads(ask("profile functions", "--json"))
ask("bookmark add", "here" + EVIL.replace("\n", ""), "#2", "--note", EVIL)
ask("bookmark list")
json.loads(ask("bookmark list", "--json"))
ask("htr layers")
ask("htr dump")
json.loads(ask("htr dump", "--json"))
ask("htr where", "#2")
for kind in "flamegraph", "svg", "speedscope", "pprof", "perfetto", "ctf", "vcd":
    to = folder / ("out." + kind)
    ask("export " + kind, "-o", to)
    raw = to.read_bytes()
    raw = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
    if kind in ("pprof", "perfetto"):
        assert b"\x1b[31m" not in raw and b"\\x1b[31m" in raw, kind
        continue
    shown = raw.decode()
    assert not HARMFUL.search(shown), (kind, shown)
    if kind == "svg":
        xml.etree.ElementTree.fromstring(shown)
    if kind in ("speedscope", "ctf"):
        json.loads(shown)
assert found > 10, found
print(found, "escapes were shown, none obeyed")
