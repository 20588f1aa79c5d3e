"""Makes a trace and an image whose names try to talk to the terminal, asks
everything that prints names, and looks at every byte that comes out."""

import gzip
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

rewind, yaml2obj, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
EVIL = "\x1b]0;owned\x07\x1b[31m<&\"'>\u009b5m\u202e\n\x7f"

(folder / "evil.yaml").write_text(
    """--- !ELF
FileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_AARCH64}
ProgramHeaders:
  - {Type: PT_LOAD, Flags: [PF_X, PF_R], VAddr: 0x8000, Align: 0x1000, FirstSec: .text, LastSec: .text}
Sections:
  - {Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR], Address: 0x8000, AddressAlign: 0x1000,
     Content: "1F2003D5030000941F2003D51F2003D51F2003D5C0035FD6"}
Symbols:
  - {Name: main, Type: STT_FUNC, Section: .text, Binding: STB_GLOBAL, Value: 0x8000, Size: 0x8}
  - {Name: %s, Type: STT_FUNC, Section: .text, Binding: STB_GLOBAL, Value: 0x8010, Size: 0x8}
"""
    % json.dumps("f" + EVIL)
)
image = folder / "evil.elf"
subprocess.run([yaml2obj, folder / "evil.yaml", "-o", image], check=True)
# A name that is no UTF-8, too: YAML cannot say it.
image.write_bytes(image.read_bytes().replace(b"]0;owned", b"]0;\xff\xfe\xc2\x9bd"))

cpu = b"cpu0"
line = b"%d clk " + cpu + b" IT (%d) %08x %08x O EL3h_s : NOP\n"
text = b"".join(
    [
        line % (1, 1, 0x8000, 0xD503201F),
        b"1 clk " + cpu + b" R X\x1b[5m\xff 0000000000000001\n",
        line % (2, 2, 0x8004, 0x94000003),
        b"2 clk " + cpu + b" R X30 0000000000008008\n",
        line % (3, 3, 0x8010, 0xD503201F),
        b"3 clk " + cpu + b" E 00008010 00000000 00000005 CoreEvent_\x1b[31mIRQ\xff\n",
        line % (4, 4, 0x8014, 0xD65F03C0),
        line % (5, 5, 0x8008, 0xD503201F),
        b"6 clk \x1b[2J\xff some line that nobody knows\n",
    ]
)
trace = folder / "evil.tarmac"
trace.write_bytes(text)
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
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
