#!/usr/bin/env python3
"""Measures what docs/dev/performance.md tells, on traces that it makes itself.

Times are ratios within one run: machines are noisy, and a ratio to grep over
the same bytes says more than seconds. Each is the median of several runs, with
the spread beside it. Run it through scripts/bench.
"""
import argparse
import functools
import json
import os
import re
import resource
import shutil
import stat
import statistics
import subprocess
import sys
import tempfile
import time

import listings
import questions
import view

HTM_GENERATOR = "test/tools/make_htm.py"

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options)


def seconds(repeat, command, output=None):
    """Wall time of a command: median, least and most. It writes `output` anew:
    to empty a file of gigabytes takes the kernel longer than to write it."""
    times = []
    for _ in range(repeat):
        if output and os.path.exists(output):
            os.unlink(output)
            os.sync()
        begin = time.monotonic()
        # grep -c exits 1 if it counts none; that is no failure of ours. It also
        # stops at the first match if its output is /dev/null.
        subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       env={**os.environ, "LC_ALL": "C"}, check=command[0] != "grep")
        times.append(time.monotonic() - begin)
    return statistics.median(times), min(times), max(times)


def cpu_seconds(command):
    """CPU time of a command, all threads: other work on the machine hardly
    changes it. That a command has no answer (1) is no failure."""
    def now():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    begin = now()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        sys.exit(f"{command[0]} failed")
    return now() - begin


def temporary_bytes(pid):
    """Of open files without a name."""
    total = 0
    folder = f"/proc/{pid}/fd"
    for name in os.listdir(folder):
        try:
            file = os.stat(os.path.join(folder, name))
        except FileNotFoundError:
            continue
        if stat.S_ISREG(file.st_mode) and file.st_nlink == 0:
            total += file.st_size
    return total


def peak_bytes(command):
    """The most memory a command had that was not a mapping of a file, and the most
    that was in its temporary files."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = temporary = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                for line in status:
                    if line.startswith(("RssAnon:", "RssShmem:")):
                        if line.startswith("RssAnon:"):
                            now = 0
                        now += int(line.split()[1]) * 1024
                peak = max(peak, now)
            temporary = max(temporary, temporary_bytes(process.pid))
        except (FileNotFoundError, ProcessLookupError, UnboundLocalError):
            pass
        time.sleep(0.002)
    if process.returncode:
        sys.exit(f"{command[0]} failed")
    return peak, temporary


def peak_anonymous_bytes(command):
    return peak_bytes(command)[0]


class Bench:
    cpu_seconds = staticmethod(cpu_seconds)
    peak_anonymous_bytes = staticmethod(peak_anonymous_bytes)
    peak_bytes = staticmethod(peak_bytes)

    def __init__(self, build, work, repeat):
        self.build, self.work, self.repeat = build, work, repeat
        self.rows = {}

    def tool(self, name):
        return os.path.join(self.build, "bin", name)

    def row(self, name, value, unit="", must=None, spread=None, least=None):
        self.rows[name] = {"value": value, "unit": unit, "must": must, "least": least,
                           "spread": spread}
        text = f"{name:<58} {value:>12,.3f} {unit}"
        if spread:
            text += f"  [{spread[0]:,.3f} .. {spread[1]:,.3f}]"
        if must is not None:
            text += f"  must be <= {must:g}: {'yes' if value <= must else 'NO'}"
        if least is not None:
            text += f"  must be >= {least:g}: {'yes' if value >= least else 'NO'}"
        print(text, flush=True)

    def record(self, elf, count):
        trace = os.path.join(self.work, f"{os.path.basename(elf)}-{count}.tarmac")
        run(self.tool("rewind-record"), "-n", str(count), "-o", trace, elf, "1000000")
        with open(trace, "rb") as f:  # so that it is cached for all who read it
            while f.read(1 << 24):
                pass
        return trace

    def index(self, trace, label):
        grep, *grep_spread = seconds(self.repeat, ["grep", "-c", " IT ", trace])
        index, *spread = seconds(self.repeat, [self.tool("rewind"), "index",
                                               "--force-index", trace])
        self.row(f"{label}: rewind index / grep -c", index / grep, "x", 4,
                 (spread[0] / grep, spread[1] / grep))
        self.row(f"{label}: rewind index", os.path.getsize(trace) / index / 1e6, "MB/s")
        peak = peak_anonymous_bytes([self.tool("rewind"), "index", "--force-index", trace])
        self.row(f"{label}: peak memory, file mappings not counted", peak / 2**20, "MiB", 512)
        return index, peak

    def queries(self, trace, label):
        result = json.loads(run(self.tool("query-bench"), trace + ".rewind").stdout)
        self.row(f"{label}: store", result["bytes_per_instruction"], "bytes/instruction", 4)
        self.row(f"{label}: open, first question answered",
                 result["open_and_first_query_us"] / 1000, "ms", 30)
        must = {"last write of a register": 3, "last write of 8 bytes": 5,
                "all registers at a position": 15, "64 bytes of memory at a position": 15}
        for name, q in result["queries"].items():
            self.row(f"{label}: {name}", q["median_us"], "us", must.get(name))
            self.row(f"{label}: {name}, worst of 10,000", q["worst_us"], "us",
                     1000 if name in must else None)

    def calls(self, trace, elf, label):
        """The commands about calls, from a store that is there. Where much is
        written, what counts is how fast."""
        out = os.path.join(self.work, "out")
        for name, words, large in (
            ("calls tree --depth 5", ["calls", "tree", "--depth", "5"], False),
            ("calls tree -c 200", ["calls", "tree", "-c", "200"], False),
            ("calls tree --fold", ["calls", "tree", "--fold"], False),
            ("calls tree --no-fold", ["calls", "tree", "--no-fold", "-o", out], True),
            ("calls info insert", ["calls", "info", "insert"], False),
            ("calls where 50%", ["calls", "where", "50%"], False),
            ("profile functions", ["profile", "functions"], False),
            ("export flamegraph", ["export", "flamegraph", "-o", out], False),
            ("export svg", ["export", "svg", "-o", out], False),
            ("export pprof", ["export", "pprof", "-o", out], False),
            ("export speedscope", ["export", "speedscope", "-o", out], True),
            ("export perfetto", ["export", "perfetto", "-o", out], True),
            ("export ctf", ["export", "ctf", "-o", out], True),
            ("calls tree --style tarmac", ["calls", "tree", "--style", "tarmac", "-o", out], True),
            ("profile functions --style tarmac", ["profile", "functions", "--style", "tarmac"],
             False),
            ("export flamegraph --style tarmac",
             ["export", "flamegraph", "--style", "tarmac", "-o", out], False),
            ("export vcd", ["export", "vcd", "-o", out], True),
        ):
            kind, what = words[:2]
            command = [self.tool("rewind"), kind, what, trace, *words[2:], "-i", elf]
            repeat = 1 if what == "vcd" else self.repeat
            time, *spread = seconds(repeat, command)
            self.row(f"{label}: {name}", time, "s", None if large else 2, spread)
            if large:
                self.row(f"{label}: {name}, written", os.path.getsize(out) / time / 1e6, "MB/s")
            self.row(f"{label}: {name}, peak memory but for file mappings",
                     peak_anonymous_bytes(command) / 2**20, "MiB")
        os.remove(out)

    def layers(self, trace, label, instructions):
        """htr run, as a user runs it."""
        command = [self.tool("rewind"), "htr", "run", trace]
        time, *spread = seconds(1 if instructions > 50e6 else self.repeat, command)
        self.row(f"{label}: htr run", time / instructions * 1e9, "ns/instruction", None,
                 [s / instructions * 1e9 for s in spread])
        self.row(f"{label}: htr run, kept", os.path.getsize(trace + ".rewind.htr") / instructions,
                 "bytes/instruction")
        self.row(f"{label}: htr run, peak memory but for file mappings",
                 peak_anonymous_bytes(command) / instructions, "bytes/instruction")
        page = [self.tool("rewind"), "htr", "dump", trace]
        times = [cpu_seconds(page) for _ in range(self.repeat)]
        self.row(f"{label}: htr dump, CPU time", statistics.median(times) * 1000, "ms",
                 must=200 if instructions <= 20_000_000 else None,
                 spread=[min(times) * 1000, max(times) * 1000])

    def micro(self):
        """The passes and the recogniser alone, on made-up runs."""
        def results(program, pattern):
            out = run(self.tool(program), "--benchmark_format=json",
                      "--benchmark_filter=" + pattern).stdout
            return json.loads(out)["benchmarks"]
        for result in results("htr_bench", "pass/(bsb|functions|loops|flow-loops|grammar)/.*/10000000$"):
            name = result["name"].split("/")
            self.row(f"htr pass {name[1]}, {name[2]}, 10 M", result["items_per_second"] / 1e6,
                     "M units/s", least=3 if name[1] == "grammar" else 30)
        for result in results("calls_bench", "."):
            self.row(f"recogniser, {result['name'].split('/')[1].replace('_', ' ')}",
                     1e9 / result["items_per_second"], "ns/instruction")

    def store(self, elf, small_size, large_size):
        """Indexing and queries at two sizes, and how they grow."""
        small = self.record(elf, small_size)
        small_time, small_peak = self.index(small, f"{small_size:,}")
        self.queries(small, f"{small_size:,}")
        large = self.record(elf, large_size)
        large_time, large_peak = self.index(large, f"{large_size:,}")
        self.queries(large, f"{large_size:,}")
        growth = large_size / small_size
        self.row("peak memory, large / small", large_peak / small_peak, "x", 1.2)
        self.row("time, large / small", large_time / small_time, "x", 1.1 * growth)
        near = self.record(elf, 10_000)
        run(self.tool("rewind"), "index", near)
        times = {n: self.reverse_continue(t)
                 for n, t in ((10_000, near), (large_size, large))}
        for n, milliseconds in times.items():
            if milliseconds:
                self.row(f"{n:,}: reverse-continue to a watchpoint, in LLDB",
                         milliseconds, "ms")

    def dump(self, kind, count):
        """A Core HTM dump of a kind, its number of instructions, and how long
        `cat dump | wc -c` takes."""
        path = os.path.join(self.work, kind.replace(" ", "") + ".htm")
        told = run(sys.executable, os.path.join(SOURCE, HTM_GENERATOR), *kind.split()[:1],
                   path, "--insns", str(count), "--stamp-every", "5000",
                   *kind.split()[1:]).stdout
        count = int(re.search(r"(\d+) instructions", told).group(1))
        cat = seconds(self.repeat, ["sh", "-c", 'cat "$0" | wc -c', path])[0]
        self.row(f"{kind}, {count:,}: cat | wc -c", cat / count * 1e9, "ns/instruction")
        return path, count, cat

    def htm_job(self, label, count, cat, must, command):
        """Time and memory of one command over a dump."""
        label = f"{label}, {count:,}: {command[0]}"
        command = [self.tool("rewind")] + command[1:]
        output = command[command.index("-o") + 1] if "-o" in command else None
        time, *spread = seconds(self.repeat, command, output)
        self.row(label, time / count * 1e9, "ns/instruction", must,
                 tuple(s / count * 1e9 for s in spread))
        self.row(f"{label} / cat | wc -c", time / cat, "x")
        self.row(f"{label}, CPU time", min(cpu_seconds(command) for _ in range(3)) / count * 1e9,
                 "ns/instruction")
        self.row(f"{label}, peak memory but for file mappings",
                 peak_anonymous_bytes(command) / 2**20, "MiB", 256)

    def htm(self, count):
        for kind, limits in (("p8", (10, 25, 40)), ("p10", (10, 25, 40)),
                             ("p10 --xlate", (10, 90, 40)),
                             ("p8 --random", (None,) * 3), ("p10 --random", (None,) * 3)):
            path, real_count, cat = self.dump(kind, count)
            job = functools.partial(self.htm_job, kind, real_count, cat)
            job(limits[0], ["statistics", "htm", "stats", path])
            job(limits[1], ["to Qtrace", "export", "qtrace", "--force", path, "-o", path + ".qt"])
            job(None, ["Qtrace as text", "qtrace", "dump", path + ".qt"])
            os.unlink(path + ".qt")
            job(limits[2], ["index", "index", "--force-index", path])
            self.row(f"{kind}, {real_count:,}: store",
                     os.path.getsize(path + ".rewind") / real_count,
                     "bytes/instruction", 4)
            os.unlink(path + ".rewind")
            os.unlink(path)

    def early_write(self, trace):
        """An address that is written for the last time near the beginning."""
        tried = set()
        with open(trace) as f:
            for line in f:
                words = line.split()
                if len(words) < 4 or not words[2].startswith("MW8"):
                    continue
                address = words[3].split(":")[0]
                if address in tried:
                    continue
                tried.add(address)
                if len(tried) > 200:
                    return None
                answer = run(self.tool("rewind"), "last-write", trace, "0x" + address,
                             "--size", "8", "--json").stdout
                found = re.search(r'"position": ?(\d+)', answer)
                if found and int(found.group(1)) < 5000:
                    return address
        return None

    def reverse_continue(self, trace):
        """Milliseconds in LLDB, or None where there is no LLDB."""
        lldb = shutil.which("lldb-22")
        plugin = os.path.join(self.build, "lib", "librewind-lldb.so")
        address = self.early_write(trace)
        if not lldb or not os.path.exists(plugin) or not address:
            print("reverse-continue: skipped, needs lldb-22, the plugin, an early write")
            return None
        path = run(lldb, "-P").stdout.strip()
        script = os.path.join(SOURCE, "test/bench/reverse_continue.py")
        out = run("/usr/bin/python3", script, plugin, trace, trace + ".rewind", address,
                  env={**os.environ, "PYTHONPATH": path}).stdout
        return float(out.split()[-1]) * 1000

    def ide(self, trace, elf, label, position=None):
        """What a user of `rewind dap` waits for; steps alone around a position."""
        plugin = os.path.join(self.build, "lib", "librewind-lldb.so")
        if not shutil.which("lldb-dap-22") or not os.path.exists(plugin):
            print("rewind dap: skipped, needs lldb-dap-22 and the plugin")
            return
        for what, name, limit in (("steps", "stepBack / next", 1.5), ("cancel", "ended after, s", 1)):
            if position and what != "steps":
                continue
            found = json.loads(run(sys.executable, os.path.join(SOURCE, "test/bench/dap.py"), self.tool("rewind"),
                                   "dap", "--plugin", plugin, "--no-lldbinit", "--", what, trace, elf,
                                   *([position] if position else [])).stdout)
            for key, value in found.items():
                self.row(f"{label}: rewind dap, {what}: {key}", value, "", limit if key == name else None)

    def intelpt(self, bundle, label):
        """Against libipt alone, and against LLDB's own decoder."""
        trace = os.path.join(bundle, "trace.json")
        store = os.path.join(self.work, "intelpt.rewind")
        count, *bare = run(self.tool("intelpt-measure"), "blocks", bundle).stdout.split()
        count, bare = int(count), statistics.median(map(float, bare))
        command = [self.tool("rewind"), "index", "--force-index", "--index", store, trace]
        index, *spread = seconds(self.repeat, command)
        self.row(f"{label}: libipt's block decoder alone", bare / count * 1e9,
                 "ns/instruction")
        self.row(f"{label}: rewind index / libipt alone", index / bare, "x", 3,
                 (spread[0] / bare, spread[1] / bare))
        self.row(f"{label}: store", os.path.getsize(store) / count, "bytes/instruction", 1)
        self.row(f"{label}: peak memory, file mappings not counted",
                 peak_anonymous_bytes(command) / 2**20, "MiB", 512)
        lldb = shutil.which("lldb-22")
        if not lldb:
            print("LLDB's decoder: skipped, needs lldb-22")
            return
        start, *_ = seconds(self.repeat, [lldb, "-b", "-o", "version"])
        try:
            theirs, *_ = seconds(1, [lldb, "-b", "-o", f"trace load {os.path.abspath(trace)}",
                                     "-o", "thread trace dump info"])
        except subprocess.CalledProcessError as failure:
            print("LLDB's decoder: skipped, it does not load the bundle:",
                  failure.stderr.decode().strip())
            return
        self.row(f"{label}: rewind index / LLDB's thread trace dump info",
                 index / (theirs - start), "x", 0.05)


def compare(rows, path):
    with open(path) as f:
        old = json.load(f)["rows"]
    print(f"\nagainst {path}:")
    for name, row in rows.items():
        if name in old and old[name]["value"]:
            print(f"{name:<58} {row['value'] / old[name]['value']:>8.2f} x")


def finish(bench, args):
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"rows": bench.rows}, f, indent=2)
    if args.compare:
        compare(bench.rows, args.compare)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build-bench"))
    parser.add_argument("--work", help="folder for traces (default: a temporary one)")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--small", type=int, default=2_000_000, help="instructions")
    parser.add_argument("--large", type=int, default=20_000_000, help="instructions")
    parser.add_argument("--calls", type=int, default=10_000_000,
                        help="instructions for the commands about calls, htr and questions")
    parser.add_argument("--listed", type=int, default=100_000, metavar="N",
                        help="calls that the listings of a Tarmac trace are about")
    parser.add_argument("--huge", type=int, help="instructions for htr, questions and the page, once more (100000000)")
    parser.add_argument("--only", choices=["store", "calls", "questions", "listings", "view",
                                           "dataflow", "htm", "ide", "intelpt"],
                        help="a part of it")
    parser.add_argument("--htm", type=int, default=20_000_000,
                        help="instructions of the Core HTM dumps; 0: none")
    parser.add_argument("--trace", action="append", default=[], help="measure this one, too")
    parser.add_argument("--intelpt", action="append", default=[], metavar="BUNDLE",
                        help="measure this Intel PT bundle in place of a made one")
    parser.add_argument("--json", help="write the rows here")
    parser.add_argument("--compare", help="rows of an earlier run")
    args = parser.parse_args()

    work = args.work or tempfile.mkdtemp(prefix="rewind-bench-")
    os.makedirs(work, exist_ok=True)
    bench = Bench(args.build, work, args.repeat)
    try:
        if args.htm and args.only in (None, "htm"):
            bench.htm(args.htm)
        compiler = shutil.which("aarch64-linux-gnu-gcc")
        if args.only == "htm":
            return finish(bench, args)
        if compiler and os.path.exists(bench.tool("rewind-record")):
            elf = os.path.join(work, "workload")
            run(compiler, "-g", "-O1", "-static", "-o", elf,
                os.path.join(SOURCE, "test/bench/programs/workload.c"))
            if args.only in (None, "calls"):
                bench.micro()
                middle = bench.record(elf, args.calls)
                run(bench.tool("rewind"), "index", middle)
                bench.calls(middle, elf, f"{args.calls:,}")
                for size in filter(None, (args.calls // 10, args.calls, args.huge)):
                    trace = middle if size == args.calls else bench.record(elf, size)
                    run(bench.tool("rewind"), "index", trace)
                    bench.layers(trace, f"{size:,}", size)
                    os.remove(trace)
            if args.only in (None, "questions"):
                for size in filter(None, (args.calls // 10, args.calls, args.huge)):
                    questions.measure(bench, bench.record(elf, size), elf, size)
            if args.only in (None, "listings"):
                called = os.path.join(work, "listings")
                run(compiler, "-g", "-O0", "-static", "-o", called,
                    os.path.join(SOURCE, "test/bench/programs/listings.c"))
                listings.measure(bench, called, args.listed)
            if args.only in (None, "view"):
                for size in filter(None, (args.calls, args.huge)):
                    trace = bench.record(elf, size)
                    run(bench.tool("rewind"), "index", trace)
                    view.measure(bench, trace, elf, f"{size:,}")
                    os.remove(trace)
            if args.only in (None, "ide"):
                trace = bench.record(elf, args.calls)
                bench.ide(trace, elf, f"{args.calls:,}")
                os.remove(trace)
                workers = os.path.join(work, "workers")
                run(compiler, "-g", "-O0", "-static", "-pthread", "-o", workers,
                    os.path.join(SOURCE, "test/bench/programs/workers.c"))
                trace = workers + ".tarmac"
                rounds = args.calls // 16_000  # a round of one thread has some 4,000 instructions
                run(bench.tool("rewind-record"), "-q", "-o", trace, workers, str(rounds))
                # In the middle of the third thread.
                bench.ide(trace, workers, f"{args.calls:,} of five threads", f"3:#{args.calls // 8}")
                os.remove(trace)
            if args.only == "dataflow":
                # With --huge 100000000: 1, 10, 20 and 100 M instructions.
                for size in filter(None, (args.calls // 10, args.calls, 2 * args.calls,
                                          args.huge)):
                    trace = bench.record(elf, size)
                    run(bench.tool("rewind"), "index", trace)
                    questions.dataflow(bench, trace, elf, f"{size:,}", size)
                    os.remove(trace)
            if args.only in (None, "store"):
                bench.store(elf, args.small, args.large)
        else:
            print("skipped: needs aarch64-linux-gnu-gcc and rewind-record (libunicorn)")
        if not args.intelpt and args.only in (None, "intelpt", "listings"):
            # Random branches: more packets than those of a real program.
            args.intelpt = [os.path.join(work, "intelpt")]
            run(bench.tool("intelpt-measure"), "make", args.intelpt[0], str(args.large))
        for bundle in args.intelpt:
            name = f"Intel PT, {os.path.basename(bundle.rstrip('/'))}"
            if args.only != "listings":
                bench.intelpt(bundle, name)
            if args.only in (None, "listings"):
                listings.intelpt(bench, bundle, name)
        for trace in args.trace:
            name = os.path.basename(trace)
            bench.index(trace, name)
            bench.queries(trace, name)
    finally:
        if not args.work:
            shutil.rmtree(work, ignore_errors=True)
    finish(bench, args)


if __name__ == "__main__":
    main()
