"""trace_processor.py <node> <Perfetto UI package> <name>...: loads each of
<name>.json and <name>.pftrace into Perfetto's trace processor, which must find
there what the JSON says: tracks, names, nesting, times, categories, arguments."""
import json
import os
import subprocess
import sys

node, package, *names = sys.argv[1:]
driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace_processor.js")
ERRORS = "select name, value from stats where severity != 'info' and value > 0"
SLICES = """select s.arg_set_id, ifnull(t.name, thread.name), s.ts, s.dur, s.depth, s.name,
  s.category from slice s join track t on s.track_id = t.id
  left join thread_track tt on tt.id = t.id left join thread using (utid)"""
ARGUMENTS = """select arg_set_id, flat_key, ifnull(string_value, int_value) from args
  where flat_key glob 'args.*' or flat_key glob 'debug.*'"""


def query(path, *queries):
    done = subprocess.run([node, driver, package, path, *queries], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def told(path, nanoseconds):
    """The slices of our JSON. An instant stands on top of what is open."""
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    tracks = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    slices, stacks = [], {}
    for e in events:
        if e["ph"] == "M":
            continue
        track = e["pid"], e["tid"]
        stack = stacks.setdefault(track, [])
        entry = [tracks[track], round(e["ts"] * nanoseconds), 0, len(stack), e["name"], e["cat"],
                 {key: int(value) if value is True else value for key, value in e["args"].items()}]
        if e["ph"] == "E":
            begun = stack.pop()
            begun[2] = entry[1] - begun[1]
            continue
        slices.append(entry)
        if e["ph"] == "B":
            stack.append(entry)
    return processes, slices


def found(path):
    errors, rows, arguments = query(path, ERRORS, SLICES, ARGUMENTS)
    assert not errors, (path, errors)
    sets = {}
    for number, key, value in arguments:
        sets.setdefault(number, {})[key.split(".", 1)[1].replace(" ", "_")] = value
    return [row[1:] + [sets[row[0]]] for row in rows]


def comparable(slices, single):
    """In an order of their own. Older viewers merge tracks of one name: the
    name of the thread is in that of a layer. An instant's depth is what is open
    when it comes, and flat slices of the same time may be."""
    for entry in slices:
        if not single:
            entry[0] = entry[0].split(" (thread ")[0]
        if entry[5] == "event":
            entry[3] = 0
    return sorted(slices, key=lambda s: json.dumps(s[:3] + s[4:] + [s[3]], sort_keys=True))


for name in names:
    for suffix, scale in (("json", 1000), ("pftrace", None)):
        path = name + "." + suffix
        with open(name + ".json") as file:
            unit = json.load(file)["otherData"]["time_unit"]
        # Perfetto counts nanoseconds; what has no length counts as one there,
        # as a microsecond in Chrome's format.
        processes, ours = told(name + ".json",
                               scale or (1000 if unit in ("ps", "ns", "us", "ms", "s") else 1))
        theirs = found(path)
        assert len(ours) == len(theirs), (path, len(ours), len(theirs))
        ours, theirs = (comparable(s, len(processes) == 1) for s in (ours, theirs))
        for mine, its in zip(ours, theirs):
            assert mine == its, (path, mine, its)
        print("%s: %d slices in %d tracks as told, %d deep" % (
            path, len(ours), len({s[0] for s in ours}), 1 + max(s[3] for s in ours)))
