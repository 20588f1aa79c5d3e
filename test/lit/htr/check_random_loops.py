"""check_random_loops.py <rewind> <record> <first seed> <programs> <compiler> [<option>...]:
that trips of loops are what the program counts when it is made to count, which the
traced one is not. A loop whose body never ran twice is none."""
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
rewind, record, first, programs = sys.argv[1:5]
compiler = sys.argv[5:]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loops_of(trace, image):
    """Each loop's header, stays and trips, all over the page."""
    found = {}

    def walk(rows):
        for row in rows:
            if "rounds" in row:
                stays, trips = found.get(row["name"], (0, 0))
                found[row["name"]] = (stays + row["rounds"]["stays"], trips + row["rounds"]["trips"])
            walk(row.get("inside", []))

    page = run(rewind, "htr", "dump", trace, "-i", image, "-q", "--depth", "1000", "--json")
    walk(json.loads(page)["items"])
    return {name.removeprefix("loop "): counts for name, counts in found.items()}


def lines_of(image, names):
    starts = {}
    for line in run("llvm-nm", "--defined-only", image).splitlines():
        address, _, name = line.split(maxsplit=2)
        starts[name] = int(address, 16) & ~1
    places = []
    for name in names:
        function, _, offset = name.partition("+")
        places.append(hex(starts[function] + int(offset or "0", 16)))
    lines = run("llvm-addr2line", "-e", image, *places).splitlines() if places else []
    return {name: int(line.rpartition(":")[2].split()[0]) for name, line in zip(names, lines)}


compared = wrong = 0
for seed in range(int(first), int(first) + int(programs)):
    with open("p.c", "w") as source:
        source.write(run(sys.executable, os.path.join(here, "random_loops.py"), str(seed)))
    run(*compiler, "-g", "-w", "-static", "p.c", "-o", "p")
    run(*compiler, "-g", "-w", "-static", "-DCOUNT", "p.c", "-o", "counting")
    run(record, "-q", "--output", "p.out", "-o", "p.tarmac", "p")
    run(record, "-q", "--output", "counts", "-o", "counting.tarmac", "counting")
    found = {
        name: counts
        for name, counts in loops_of("p.tarmac", "p").items()
        if name[0] == "f" and name[1:].partition("+")[0].isdigit()
    }
    source_lines = lines_of("p", list(found))
    loops = []
    for line in open("counts"):
        begin, end, kind, *counts = line.split()
        loops.append((int(begin), int(end), kind, *map(int, counts)))
    of = {}
    for name, line in source_lines.items():
        # Back to setjmp is a loop, too, but not one of the source's.
        around = [loop for loop in loops if loop[0] <= line <= loop[1]]
        if around:
            of.setdefault(max(around), []).append(name)
    for loop in loops:
        begin, end, kind, entries, rounds, most = loop
        names = of.get(loop, [])
        trips = sum(found[name][1] for name in names)
        compared += entries > 0
        if trips != rounds if names else most > 1:
            print(f"seed {seed}, lines {begin} to {end}, {kind}: {rounds} rounds, not", [(n, found[n]) for n in names])
            wrong += 1
print(compared, "loops, wrong:", wrong)
