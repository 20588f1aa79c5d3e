#!/usr/bin/env python3
"""Times of the questions that a page of `rewind view` asks, and the server's memory; with Chromium, first paint,
frames while zooming, and the tab's memory: view.py --build build --trace <trace> --image <elf>
Also part of bench.py (--only view)."""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lit", "view"))
from viewer import Viewer  # noqa: E402

Times = 400


def anonymous_mib(pid):
    with open("/proc/%d/status" % pid) as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["RssAnon"].split()[0]) / 1024


def measure(bench, trace, elf, label):
    rng = random.Random(5)
    viewer = Viewer(bench.tool("rewind"), trace, "--image", elf)
    page = viewer.page()
    length = page.ask("hello")["threads"][0]["instructions"]

    def window():
        width = min(length, int(150 * (length / 150) ** rng.random()))
        start = rng.randrange(length - width + 1)
        return start, start + width

    def timed(what, **fields):
        """Until the answer has come, and what the server computed for it, in ms."""
        text = json.dumps({"n": 1, "ask": [{"what": what, **fields}]})
        computed = cpu_ms(viewer.process.pid)
        begun = time.perf_counter()
        page.send(text)
        answer = page.receive()
        took = 1e3 * (time.perf_counter() - begun)
        assert '"error"' not in answer[:200], answer[:500]
        return took, cpu_ms(viewer.process.pid) - computed

    took, computed = timed("timeline", **{"from": 0, "to": length, "buckets": 2000, "depths": 64})
    bench.row(f"{label}: page: the first timeline", took, "ms")
    at = lambda: rng.randrange(length)
    address = {"address": "sp"}

    def timeline():
        start, end = window()
        return "timeline", {"from": start, "to": end, "buckets": 2000, "depths": 64}

    everything = page.ask("fold", at=0, folds="", action="all")["folds"]
    questions = [
        ("timeline, 2,000 buckets, 64 depths", 10, timeline),
        ("200 rows", 5, lambda: ("rows", {"at": at(), "before": 100, "after": 100})),
        ("50 rows", None, lambda: ("rows", {"at": at(), "before": 0, "after": 50})),
        ("200 rows, everything folded", 5, lambda: ("rows", {"at": at(), "before": 100, "after": 100, "folds": everything})),
        ("registers", 1, lambda: ("registers", {"at": at()})),
        ("256 bytes of memory", 1, lambda: ("memory", {"at": at(), "size": 256, **address})),
        ("running calls", None, lambda: ("stack", {"at": at()})),
        ("fold everything", 100, lambda: ("fold", {"at": at(), "folds": "", "action": "all"})),
    ]
    for name, must, make in questions:
        both = []
        for _ in range(Times):
            what, fields = make()
            both.append(timed(what, **fields))
        took, computed = (sorted(times) for times in zip(*both))
        bench.row(f"{label}: page: {name}, median", took[Times // 2], "ms")
        bench.row(f"{label}: page: {name}, 99 of 100", took[Times * 99 // 100], "ms", must)
        bench.row(f"{label}: page: {name}, CPU time, 99 of 100", computed[Times * 99 // 100], "ms")
    bench.row(f"{label}: page: server, file mappings not counted", anonymous_mib(viewer.process.pid), "MiB", 64)
    packages = os.path.join(bench.build, "page-packages", "node_modules")
    if shutil.which("chromium") and shutil.which("node") and os.path.exists(packages):
        done = subprocess.run(["node", os.path.join(HERE, "view.mjs"), os.path.abspath(packages), shutil.which("chromium"), viewer.url],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        must = {"first paint": 500, "zooming, 95 of 100 frames": 50, "JavaScript's memory": 200, "largest answer": 256}
        for line in done.stdout.splitlines():
            name, value, unit = line.split("\t")
            bench.row(f"{label}: page: {name}", float(value), unit, must.get(name))
        bench.row(f"{label}: page: server behind that", anonymous_mib(viewer.process.pid), "MiB", 64)
    else:
        print("skipped: first paint and frames need chromium, node and scripts/page-packages")
    code, errors = viewer.stop()
    assert code in (0, 130), errors


def cpu_ms(pid):
    """Of its one thread; what other programs do is not in it."""
    with open("/proc/%d/schedstat" % pid) as stat:
        return int(stat.read().split()[0]) / 1e6


class Alone:
    """What bench.py gives to measure(), without the rest of it."""

    def __init__(self, build):
        self.build = build

    def tool(self, name):
        return os.path.join(self.build, "bin", name)

    def row(self, name, value, unit="", must=None):
        text = f"{name:<70} {value:>10,.3f} {unit}"
        if must is not None:
            text += f"  must be <= {must:g}: {'yes' if value <= must else 'NO'}"
        print(text, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build-bench")
    parser.add_argument("--trace", required=True)
    parser.add_argument("--image", required=True)
    given = parser.parse_args()
    print("load: " + open("/proc/loadavg").read().split()[0])
    measure(Alone(given.build), given.trace, given.image, os.path.basename(given.trace))
    print("load: " + open("/proc/loadavg").read().split()[0])
