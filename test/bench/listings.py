"""What a row of a listing costs: CPU time of the command, user and system,
above what the same command takes for one row. Part of bench.py."""
import json
import os
import subprocess


def cpu(bench, command):
    return min(bench.cpu_seconds(command) for _ in range(bench.repeat))


def grep_cpu(bench, path):
    """What grep takes to count the lines of the same bytes."""
    return min(bench.cpu_seconds(["env", "LC_ALL=C", "grep", "-c", "0", path])
               for _ in range(bench.repeat))


def listing(bench, label, words, rows):
    """One listing, as text and as JSON."""
    rewind = bench.tool("rewind")
    out = os.path.join(bench.work, "listing.out")
    for form, more in ("text", []), ("JSON", ["--json"]):
        command = [rewind, *words, *more]
        with open(out, "wb") as file:
            subprocess.run([*command, "-c", str(rows)], check=True, stdout=file)
        with open(out, "rb") as file:
            told = file.read()
        if more:
            # What is counted is the same in both forms.
            found = told.count(b'"position"') or told.count(b'"start"')
        else:
            found = told.count(b"\n")
        if found < rows:
            raise SystemExit(f"{label}: {found} rows, {rows} expected")
        took = (cpu(bench, [*command, "-c", str(rows)]) - cpu(bench, [*command, "-c", "1"])) / rows
        bench.row(f"{label}, {form}", took * 1e6, "us/row", 1)
        bench.row(f"{label}, {form} / grep -c", took * rows / grep_cpu(bench, out), "x")
        bench.row(f"{label}, {form}, written", len(told) / rows, "bytes/row")
    os.remove(out)


def tarmac(bench, trace, elf, rounds):
    """Of a program that calls a function `rounds` times."""
    image = ["-i", elf]
    # A variable of main lives where main's call is.
    inside = "find", trace, "listings.c:33", "--nth", str(rounds // 2), "--json", *image
    told = subprocess.run([bench.tool("rewind"), *inside], check=True, capture_output=True,
                          text=True).stdout
    at = "#" + told.split('"position": ')[1].split(",")[0]
    for name, words in (
        ("list", ["list", trace]),
        ("history of a register", ["history", trace, "x0"]),
        ("history of a global variable", ["history", trace, "total"]),
        ("history of a local variable", ["history", trace, "last", "--at", at]),
        ("find --all", ["find", trace, "step", "--all"]),
        ("eval of a register", ["eval", trace, "x0", "--at", "step"]),
        ("eval of a global variable", ["eval", trace, "total", "--at", "step"]),
        ("eval of a local variable", ["eval", trace, "sum", "--at", "listings.c:20"]),
        ("eval of a member", ["eval", trace, "item->next->priority", "--at", "listings.c:20"]),
        ("eval of an element", ["eval", trace, "items[3].cost", "--at", "step"]),
        ("calls info", ["calls", "info", trace, "step"]),
    ):
        few = 4 * rounds if name == "list" else rounds
        listing(bench, f"Tarmac: {name}", [*words, *image], few)


def intelpt(bench, bundle, label):
    """The function that is called most often, in its first instruction."""
    rewind = bench.tool("rewind")
    told = subprocess.run([rewind, "profile", "functions", bundle, "--json"], check=True,
                          capture_output=True).stdout
    most = max(json.loads(told)["items"], key=lambda function: function["calls"])
    entry, rows = most["address"], most["calls"]
    for name, words, many in (
        ("list", ["list", bundle], 4),
        ("history of a register", ["history", bundle, "rax"], 1),
        ("find --all", ["find", bundle, entry, "--all"], 1),
        ("eval of the pc", ["eval", bundle, "rip", "--at", entry], 1),
        ("calls info", ["calls", "info", bundle, entry], 1),
    ):
        listing(bench, f"{label}: {name}", words, many * rows)


def measure(bench, elf, rounds):
    trace = os.path.join(bench.work, "listings.tarmac")
    subprocess.run([bench.tool("rewind-record"), "-q", "-o", trace, elf, str(rounds)], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([bench.tool("rewind"), "index", trace], check=True, stdout=subprocess.DEVNULL)
    tarmac(bench, trace, elf, rounds)
