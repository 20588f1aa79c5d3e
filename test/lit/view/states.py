"""Random states of the page, as the server tells them, equal what the commands print: rows, registers and memory
from `list --json` replayed, running calls from `calls tree --json`.
states.py <rewind> <trace> <image> <seed> <count>"""
import json
import random
import subprocess
import sys

from viewer import Viewer

rewind, trace, image = sys.argv[1:4]
rng = random.Random(int(sys.argv[4]))
count = int(sys.argv[5])
files = [trace, "--image", image]
bad = 0
compared = dict.fromkeys(("rows", "registers", "bytes", "frames"), 0)
OWN = ("next", "depth", "opens", "file_number", "more_events")


def differ(what, got, want):
    global bad
    if got != want:
        bad += 1
        if bad < 20:
            print("DIFFERS:", what, "\n  page   ", json.dumps(got)[:600], "\n  command", json.dumps(want)[:600])


def command(*words):
    return subprocess.run([rewind, *words, "--json"], capture_output=True, text=True, check=True).stdout


whole = [json.loads(line) for line in command("list", *files).splitlines()]
length = len(whole)
ends = {}


def flatten(items):
    for item in items:
        # Tail calls share the activation of the function that made them.
        if item["kind"] != "tail call":
            ends[item["start"]] = item["end"]
        flatten(item.get("calls", []))


flatten(json.loads(command("calls", "tree", *files, "--no-fold")))
starts = sorted(ends)

viewer = Viewer(rewind, trace, "--image", image)
page = viewer.page()
registers, memory = {}, {}
touched, running, done, begun = [], [], 0, 0
for at in sorted(rng.choices(range(length), k=count)):
    for row in whole[done:at]:
        registers.update(row["registers"])
        for m in row["memory"]:
            if m.get("value") and "?" not in m["value"]:
                start = int(m["address"], 16)
                for i, byte in enumerate(reversed(bytes.fromhex(m["value"][2:]))):
                    memory[start + i] = byte
                touched.append(start)
            elif m["access"] == "write":
                for i in range(m["size"]):
                    memory[int(m["address"], 16) + i] = None
    done = at
    while begun < len(starts) and starts[begun] <= at:
        running.append(starts[begun])
        begun += 1
    running = [s for s in running if ends[s] > at]
    before, after = rng.randrange(8), 1 + rng.randrange(8)
    where = rng.choice(touched[-300:]) + rng.randrange(-20, 20) if touched else 0x4200e0
    answers = page.ask_all(
        {"what": "rows", "at": at, "before": before, "after": after}, {"what": "registers", "at": at},
        {"what": "memory", "at": at, "address": hex(where), "size": 64}, {"what": "stack", "at": at}, {"what": "where", "at": at})
    rows = [{k: v for k, v in row.items() if k not in OWN} for row in answers[0]["rows"]]
    differ("rows at %d" % at, rows, whole[max(0, at - before):at + after])
    compared["rows"] += len(rows)
    told = {r["name"]: r for r in answers[1]["registers"]}
    for name, value in registers.items():
        if name in told and "?" not in str(value):
            differ("%s at %d" % (name, at), told[name]["value"], value)
            compared["registers"] += 1
    changed = {r["name"] for r in told.values() if r.get("changed")}
    differ("changed without a write at %d" % at, sorted(changed - set(whole[at - 1]["registers"] if at else ()) - {"cpsr", "fpsr"}), [])
    first, data = int(answers[2]["address"], 16), answers[2]["bytes"]
    for i in range(len(data) // 2):
        if first + i in memory:
            byte = memory[first + i]
            differ("byte %#x at %d" % (first + i, at), data[2 * i:2 * i + 2], "??" if byte is None else "%02x" % byte)
            compared["bytes"] += 1
    frames = [f["start"] for f in answers[3]["frames"]]
    differ("stack at %d" % at, sorted(frames), sorted(running))
    compared["frames"] += len(frames)
    differ("where at %d" % at, {k: v for k, v in answers[4].items() if k in whole[at] and k != "memory"},
           {k: v for k, v in whole[at].items() if k in answers[4] and k != "memory"})
print("%d states: %s; %d differences" % (count, ", ".join("%s %s" % (f"{n:,}", what) for what, n in compared.items()), bad))
viewer.stop()
sys.exit(bad > 0 or not all(compared.values()))
