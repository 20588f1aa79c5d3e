"""A trace and an image whose names try to talk to the terminal."""

import json
import pathlib
import re
import subprocess

EVIL = "\x1b]0;owned\x07\x1b[31m<&\"'>\u009b5m\u202e\n\x7f"
# What EVIL has become in the image: a name that is no UTF-8, which YAML cannot say.
RAW = EVIL.encode().replace(b"]0;owned", b"]0;\xff\xfe\xc2\x9bd")
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def make(yaml2obj, folder, long=0):
    """Writes evil.elf and evil.tarmac and returns their paths. One function is
    called EVIL; \"main\" and the exception go on for \"long\" characters."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evil.yaml").write_text(
        """--- !ELF
FileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_EXEC, Machine: EM_AARCH64}
ProgramHeaders:
  - {Type: PT_LOAD, Flags: [PF_X, PF_R], VAddr: 0x8000, Align: 0x1000, FirstSec: .text, LastSec: .text}
Sections:
  - {Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR], Address: 0x8000, AddressAlign: 0x1000,
     Content: "1F2003D5030000941F2003D51F2003D51F2003D5C0035FD6"}
Symbols:
  - {Name: %s, Type: STT_FUNC, Section: .text, Binding: STB_GLOBAL, Value: 0x8000, Size: 0x8}
  - {Name: %s, Type: STT_FUNC, Section: .text, Binding: STB_GLOBAL, Value: 0x8010, Size: 0x8}
"""
        % ("main" + "L" * long, json.dumps("f" + EVIL))
    )
    image = folder / "evil.elf"
    subprocess.run([yaml2obj, folder / "evil.yaml", "-o", image], check=True)
    image.write_bytes(image.read_bytes().replace(EVIL.encode(), RAW))

    line = b"%d clk cpu0 IT (%d) %08x %08x O EL3h_s : NOP\n"
    event = b"3 clk cpu0 E 00008010 00000000 00000005 CoreEvent_\x1b[31mIRQ\xff%s\n"
    trace = folder / "evil.tarmac"
    trace.write_bytes(
        b"".join(
            [
                line % (1, 1, 0x8000, 0xD503201F),
                b"1 clk cpu0 R X\x1b[5m\xff 0000000000000001\n",
                line % (2, 2, 0x8004, 0x94000003),
                b"2 clk cpu0 R X30 0000000000008008\n",
                line % (3, 3, 0x8010, 0xD503201F),
                event % (b"E" * long),
                line % (4, 4, 0x8014, 0xD65F03C0),
                line % (5, 5, 0x8008, 0xD503201F),
                b"6 clk \x1b[2J\xff some line that nobody knows\n",
            ]
        )
    )
    return trace, image
