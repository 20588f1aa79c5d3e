"""sanitizer_reports.py <folder>: what sanitizers have written there while tests of the
plugin ran. LLDB, and the Python in it, leak themselves, so a leak counts where a
function of ours allocated. The commands that LLDB was given live as long as its
debugger, which Python never destroys."""
import pathlib
import re
import sys

ours = re.compile(r" in .*\brw::(?!registerCommands)")
found = []
for file in sorted(pathlib.Path(sys.argv[1]).glob("report.*")):
    text = file.read_text(errors="replace")
    head, *leaks = re.split(r"\n(?=(?:Direct|Indirect) leak of )", text)
    if "LeakSanitizer" not in head:
        found.append(text)
    found += [leak for leak in leaks if ours.search(leak)]
for text in found:
    print(text)
print("%d reports of sanitizers" % len(found))
sys.exit(bool(found))
