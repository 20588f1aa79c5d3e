"""What profiles, dependences and searches cost: CPU time of the commands, an
instruction, and memory. Part of bench.py."""
import json
import os
import subprocess


def cpu(bench, command):
    return min(bench.cpu_seconds(command) for _ in range(3))


def profiles(bench, trace, elf, label, count):
    """Of calls, of memory, and how small the tree stays."""
    rewind, large = bench.tool("rewind"), count >= 10e6
    for metric, must in (("instructions", 0.06), ("calls", 0.06), ("reads", 0.15)):
        command = [rewind, "profile", "tree", trace, "-i", elf, "--metric", metric]
        bench.row(f"{label}: profile tree --metric {metric}, CPU time",
                  cpu(bench, command) / count * 1e6, "s/1 M instructions",
                  must if large else None)
        bench.row(f"{label}: profile tree --metric {metric}, memory",
                  bench.peak_anonymous_bytes(command) / 2**20, "MiB", 32)
    for by in ("functions", "lines"):
        command = [rewind, "profile", "tree", trace, "-i", elf, "--by", by, "--json"]
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        bench.row(f"{label}: profile tree --by {by}, contexts", len(told["items"]))


def dataflow(bench, trace, elf, label, count):
    """Above what it costs to read every instruction with what it did."""
    rewind = bench.tool("rewind")

    def reads():
        told = subprocess.run([bench.tool("query-bench"), trace + ".rewind", "1"], check=True,
                              capture_output=True).stdout
        return json.loads(told)["read_all_s"]

    scan = min(reads() for _ in range(3)) / count * 1e9
    bench.row(f"{label}: all instructions read", scan, "ns/instruction")
    searches(bench, trace, label, count)
    for name, words, must, passes in (
        ("critical-path", ["critical-path"], 60, 1),
        ("critical-path --calls atomic", ["critical-path", "--calls", "atomic"], 90, 1),
        # Its second reading finds the times of what the first has found.
        ("critical-path --dependences static",
         ["critical-path", "--dependences", "static"], 160, 2),
        # Its log is read once more.
        ("critical-path --slack", ["critical-path", "--slack"], None, 1),
        ("deps lines", ["deps", "lines"], None, 1),
        ("deps lines --calls", ["deps", "lines", "--calls"], None, 1),
        ("parallelism", ["parallelism"], None, 1),
    ):
        words = [rewind, *words, trace, "-i", elf]
        took = cpu(bench, words) / count * 1e9
        bench.row(f"{label}: {name}, above reading", took - passes * scan, "ns/instruction", must)
        memory, temporary = bench.peak_bytes(words)
        bench.row(f"{label}: {name}, memory", memory / 2**20, "MiB")
        if name.startswith("critical-path"):
            bench.row(f"{label}: {name}, temporary files", temporary / count,
                      "bytes/instruction", 2)
    slices(bench, trace, label)


def searches(bench, trace, label, count):
    """Of a value: CPU time of all threads."""
    for name, words in (
        ("a value that never was", ["0x123456789abcdef"]),
        ("the same, in memory", ["0x123456789abcdef", "--in", "mem"]),
        ("the same, in x0", ["0x123456789abcdef", "--in", "x0"]),
    ):
        took = cpu(bench, [bench.tool("rewind"), "find", trace, "value", *words]) / count * 1e9
        # Where there are few instructions, it is the program's start that is measured.
        bench.row(f"{label}: find value, {name}", took, "ns/instruction",
                  20 if count >= 10e6 else None)


def slices(bench, trace, label):
    """Of a register whose slice is long."""
    def words(register, rows):
        return [bench.tool("rewind"), "slice", trace, f"x{register}", "--addresses",
                "--at", "90%", "-c", str(rows)]

    def told(register, rows):
        out = subprocess.run(words(register, rows), capture_output=True).stdout
        return out.count(b"   makes ")

    longest = max(range(29), key=lambda register: told(register, 2000))
    for rows, must in (1000, 0.05), (100_000, 3):
        found = told(longest, rows)
        bench.row(f"{label}: slice of {found:,} instructions", cpu(bench, words(longest, rows)),
                  "s", must)


def measure(bench, trace, elf, count):
    label = f"{count:,}"
    subprocess.run([bench.tool("rewind"), "index", trace], check=True, stdout=subprocess.DEVNULL)
    for part in (profiles, dataflow):
        part(bench, trace, elf, label, count)
    bench.row(f"{label}: store", os.path.getsize(trace + ".rewind") / count, "bytes/instruction")
