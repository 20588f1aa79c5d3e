"""check_pprof.py <pprof> <rewind> <trace> <image> <functions> <tree> <lines>: that
pprof has the sums of rewind profile for each metric.
"""
import json
import re
import shlex
import subprocess
import sys

PPROF, REWIND, TRACE, IMAGE = sys.argv[1:5]
FUNCTIONS, TREE, LINES = sys.argv[5:]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def ours(what, metric, *words):
    answer = json.loads(run(REWIND, "profile", what, TRACE, "--metric", metric, "--json", "-i", IMAGE, *words))
    return {i["block"]: i["self" if what == "self" else "dominated"][metric] for i in answer["items"]}


def number(text):
    return int(float(re.sub("[A-Za-z]+$", "", text)))


def theirs(file, metric, *options):
    """{name: (flat, cumulative)}, and the total."""
    text = run(*shlex.split(PPROF), "-top", "-nodecount=100000", "-nodefraction=0", "-unit=B" if "bytes" in metric else "-unit=count",
               "-sample_index=" + metric, *options, file)  # fmt: skip
    total = number(re.search(r" of (\S+) total", text)[1])
    rows = re.findall(r"^ *(\S+) +\S+% +\S+% +(\S+) +\S+%  (.+)$", text, re.M)
    return {name: (number(flat), number(cum)) for flat, cum, name in rows}, total


types = re.findall(r"(\S+)/\S+", run(*shlex.split(PPROF), "-raw", FUNCTIONS).split("Samples:\n")[1].split("\n")[0])
for metric in types:
    told, total = theirs(FUNCTIONS, metric)
    own, under = ours("self", metric), ours("dominated", metric)
    assert {n: f for n, (f, c) in told.items() if f} == own, (metric, told, own)
    assert {n: c for n, (f, c) in told.items() if c} == under, metric
    assert total == sum(own.values())
    tree, tree_total = theirs(TREE, metric)
    assert {n: f for n, (f, c) in tree.items() if f} == own and tree_total == total
    lines, lines_total = theirs(LINES, metric, "-lines")
    assert lines_total == total
    by_line = {}
    for name, (flat, cum) in lines.items():
        file = re.search(r"([^/ ]+:\d+)( \(inline\))?$", name)
        key = file[1] if file else name
        by_line[key] = by_line.get(key, 0) + flat
    assert {n: f for n, f in by_line.items() if f} == ours("self", metric, "--by", "lines"), metric
print("%s: %d metrics, self and cumulative sums of %d functions agree" % (FUNCTIONS, len(types), len(under)))
print("%s: %d metrics, self sums of %d functions agree" % (TREE, len(types), len(own)))
print("%s: %d metrics, sums of %d lines agree" % (LINES, len(types), len(by_line)))
