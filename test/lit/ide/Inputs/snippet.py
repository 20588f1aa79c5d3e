"""Prints what docs/ide.md tells users of an editor to write down: the lines that
are set in under the paragraph that begins with its name.

    snippet.py <docs/ide.md> "Neovim (nvim-dap):"
"""

import itertools
import sys
import textwrap

path, name = sys.argv[1:]
lines = iter(open(path))
found = False
for line in lines:
    if line.rstrip().endswith(name):
        found = True
        break
if not found:
    sys.exit("%s has no '%s'" % (path, name))
block = list(itertools.takewhile(lambda l: not l.strip() or l.startswith("    "), lines))
if not "".join(block).strip():
    sys.exit("%s: nothing is set in under '%s'" % (path, name))
print(textwrap.dedent("".join(block)).strip())
