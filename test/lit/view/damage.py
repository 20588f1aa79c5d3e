"""Damages a trace in known places: damage.py tarmac|htm <in> <out>"""

import re
import sys


def tarmac(text):
    """Two bad values, an opcode that is none, and a last line that is cut."""
    lines = text.decode().rstrip("\n").split("\n")
    for kind, first in ("R", 2000), ("IT", 60000), ("R", 120000):
        number = next(n for n in range(first, len(lines)) if " clk %s " % kind in lines[n])
        lines[number] = re.sub("[0-9A-Fa-f]{4}(?=$| O EL0t)", "zz!z", lines[number])
    return "\n".join(lines)[:-5].encode()


def htm(dump):
    """Words in the middle that belong to no record."""
    middle = len(dump) // 32 * 16
    return dump[:middle] + b"\xff" * 64 + dump[middle + 64 :]


how, source, to = sys.argv[1:]
with open(source, "rb") as f:
    data = {"tarmac": tarmac, "htm": htm}[how](f.read())
with open(to, "wb") as f:
    f.write(data)
