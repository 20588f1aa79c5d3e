"""check_goto.py <calls.json> <LLDB's output>: where --goto led to, among all
calls of the function."""
import json
import re
import sys

with open(sys.argv[1]) as f:
    calls = json.load(f)["items"]
starts = sorted(c["start"] for c in calls)
longest = max(calls, key=lambda c: (c["instructions"], -c["start"]))["start"]
with open(sys.argv[2]) as f:
    text = f.read()
for reason, position in re.findall(r'stop reason = (.*activation.*)\n(?:.*\n)*?.*"position": (\d+)', text):
    position = int(position)
    where = "call %d of %d" % (starts.index(position) + 1, len(starts)) if position in starts else "none"
    if position == longest and reason.startswith("longest"):
        where = "the longest of its calls"
    print("%s: %s" % (reason, where))
