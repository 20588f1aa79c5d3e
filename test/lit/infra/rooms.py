"""Which rooms the code of each room includes, as the table of
docs/architecture.md has it: a row uses rows above it only. Each room has a row
in the table of rooms, too, and each header of plugin/private in that of private
LLDB. Each folder of commands is a room, and commands itself with commands/support
is one.

rooms.py <source folder> [--update]: exit status 1 if a table says otherwise, or
if an arrow would go back up."""

import collections
import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "((?:core|commands|plugin)/[^"]+)"', re.M)
BEGIN, END = "<!-- rooms.py -->\n", "<!-- end -->\n"


def room(path):
    """core/store for core/store/Format.h; core for what is in core itself;
    commands/htr for commands/htr/Htr.h, commands for what all of them share."""
    parts = path.split("/")
    if parts[0] == "plugin" or len(parts) == 2 or parts[:2] == ["commands", "support"]:
        return parts[0]
    return "/".join(parts[:2])


def arrows(root):
    """By room, the rooms that it includes headers of."""
    uses = collections.defaultdict(set)
    for top in ("core", "commands", "plugin"):
        for file in (root / top).rglob("*"):
            if file.suffix not in (".cpp", ".h"):
                continue
            here = room(file.relative_to(root).as_posix())
            uses[here] |= {room(i) for i in INCLUDE.findall(file.read_text())} - {here}
    return uses


def layers(uses):
    """The rooms, each after all that it uses; the circle if there is one."""
    order, left = [], dict(uses)
    while left:
        ready = sorted(r for r, u in left.items() if not u & left.keys())
        if not ready:
            sys.exit("rooms that use each other: " + ", ".join(sorted(left)))
        order += ready
        for r in ready:
            del left[r]
    return order


def table(uses):
    rows = ["| room | uses |\n", "|---|---|\n"]
    order = layers(uses)
    for r in order:
        rows.append(f"| `{r}` | {', '.join(f'`{u}`' for u in order if u in uses[r])} |\n")
    return "".join(rows)


def first_cells(text, heading):
    """The names in the first column of the table below a heading."""
    section = text[text.index(f"\n## {heading}\n") + 1 :].split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \|", section, re.M)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def require(page, what, lacking):
    if lacking:
        sys.exit(f"{page}: {what} lacks {', '.join(sorted(lacking))}")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: rooms.py <source folder> [--update]")
    root = pathlib.Path(sys.argv[1])
    uses = arrows(root)
    page = root / "docs/architecture.md"
    text = page.read_text()
    begin = text.index(BEGIN) + len(BEGIN)
    end = text.index(END, begin)
    if "--update" in sys.argv:
        page.write_text(text[:begin] + table(uses) + text[end:])
    elif text[begin:end] != table(uses):
        sys.exit(f"{page} should have (rooms.py . --update):\n{table(uses)}")
    require(page, "the table of rooms", uses.keys() - first_cells(text, "Rooms"))
    private = {h.stem for h in (root / "plugin/private").glob("*.h")}
    named = first_cells(text, "What is private LLDB, and why")
    require(page, "the table of private LLDB", private ^ named)


main()
