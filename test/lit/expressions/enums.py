"""enums.py <rewind> <plugin> <trace> <image> <c|c++>: how often conditions hold, in
the shell, and as those of a breakpoint, forwards and back."""
import subprocess
import sys

import lldb

from session import load, run, stops

rewind, plugin, trace, image, language = sys.argv[1:]
# Those of classes are for the shell; the others for both.
CONDITIONS = {
    "n == N2": 1, "n == N3": 1, "n == N4": 1, "N3 == 200": 6, "s == S3": 2, "s == S4": 2, "M < 0": 6,
    "n > 150": 3, "n - 1 < 0": 1, "s < 0": 2, "s > -1": 4, "u > 5": 3, "u == 2147483648u": 3, "u < 0": 0,
    "u - 1 > 0": 6, "u >> 31 == 1": 3, "(long long)u > 0": 3,
    # LLDB knows no such type; it need not.
    "(_Bool)i": 5,
}
if language == "c++":
    CONDITIONS |= {"l == level::hi": 3, "l != level::hi": 3, "(int)level::hi < 0": 0}

target = load(plugin, trace, image)
# There, all of its variables have their values.
place = "enums.c:15" if language == "c++" else "enums.c:17"
source, line = place.split(":")
breakpoint = target.BreakpointCreateByLocation(source, int(line))


def visits(go, start):
    run("rewind goto " + start)
    return stops(go, lldb.eStopReasonBreakpoint)


for text, count in CONDITIONS.items():
    told = subprocess.run([rewind, "find", trace, place, "--if", text, "--how-many", "-i", image],
                          capture_output=True, text=True)
    assert told.stdout.startswith("%d visit" % count), (text, count, told)
    if "level" in text:
        continue
    breakpoint.SetCondition(text)
    there, back = visits("continue", "start"), visits("reverse-continue", "end")
    assert len(there) == count and there == back[::-1], (text, count, there, back)
print("all as the program has them")
