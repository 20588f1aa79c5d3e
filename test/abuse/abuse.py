"""Treats Rewind badly, and counts what it does not survive.

Stores, layers and debug information that lie, output that goes where it must
not, disks that are full, signals at any moment; in the shell and in LLDB. A
crash is a process that ends by a signal that it was not sent, a hang one that
does not end in time, a lost file one that was there before and is not what it
was."""

import argparse
import hashlib
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

SECONDS = 120


class Tally:
    """What was tried in one section, and what went wrong."""

    def __init__(self, name):
        self.name = name
        self.tried = self.crashes = self.hangs = self.lost = 0

    def report(self):
        print(
            f"{self.name}: {self.tried} tried, {self.crashes} crashes, "
            f"{self.hangs} hangs, {self.lost} lost files",
            flush=True,
        )

    @property
    def bad(self):
        return self.crashes + self.hangs + self.lost


def contents(path):
    return path.read_bytes() if path.is_file() else b""


def digest(path):
    return hashlib.sha256(contents(path)).hexdigest()


class Workshop:
    """A folder with a trace and all that belongs to it."""

    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.rewind = args.build / "bin" / "rewind"
        self.trace = folder / "t.tarmac"
        self.image = folder / "t.elf"
        sample = args.build / "sample"
        shutil.copy(sample / "sample.elf", self.image)
        with open(sample / "sample.tarmac", "rb") as whole:
            self.trace.write_bytes(b"".join(whole.readline() for _ in range(6000)))
        self.store = folder / "t.tarmac.rewind"
        self.layers = folder / "t.tarmac.rewind.htr"
        self.marks = folder / "t.tarmac.rewind.bookmarks"
        for words in (["index"], ["htr", "run"]):
            self.good(words)
        self.good(["bookmark", "add"], ["kept", "50%"])
        mine = (self.trace, self.image, self.store, self.layers, self.marks)
        # Stores of another trace.
        (folder / "others").mkdir()
        self.others = [folder / "others" / path.name for path in mine]
        for path, other in zip(mine, self.others):
            shutil.copy(path, other)
        self.protected = {path: digest(path) for path in (*mine, *self.others)}

    def good(self, words, after=()):
        subprocess.run(
            [self.rewind, *words, self.trace, *after, "-q"],
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def losses(self, tally, what):
        """Counts what has changed, and puts it back."""
        for path, before in self.protected.items():
            if digest(path) == before:
                continue
            tally.lost += 1
            print(f"LOST {path.name}: {what}", flush=True)
            self.restore()
            return

    def keep(self):
        self.copies = {path: path.read_bytes() for path in self.protected}

    def restore(self):
        for path, contents in self.copies.items():
            if path.is_symlink() or path.exists():
                path.unlink()
            path.write_bytes(contents)
        # The store tells the trace by its time.
        self.good(["index"], ["--force-index"])
        self.good(["htr", "run"])
        self.protected = {path: digest(path) for path in self.protected}
        self.keep()


def run(tally, command, what, sent=None, before=None):
    """Runs a command to its end. A signal that was sent may end it."""
    tally.tried += 1
    process = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=before,
    )
    try:
        if sent:
            try:
                process.wait(sent[1])
            except subprocess.TimeoutExpired:
                process.send_signal(sent[0])
        status = process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        tally.hangs += 1
        print(f"HANG: {what}", flush=True)
        return None
    if status < 0 and not (sent and -status == sent[0]):
        tally.crashes += 1
        print(f"CRASH ({signal.Signals(-status).name}): {what}", flush=True)
    return status


WRITERS = [
    ["export", "flamegraph"],
    ["export", "svg"],
    ["export", "speedscope"],
    ["export", "pprof"],
    ["export", "perfetto"],
    ["export", "ctf"],
    ["export", "vcd"],
    ["calls", "tree"],
    ["truncate"],
    ["htr", "export"],
]


def writer(shop, words, to):
    middle = ["ctf"] if words == ["htr", "export"] else []
    line = [shop.rewind, *words, shop.trace, *middle, "-o", to, "-q"]
    return [*line, "--image", shop.image]


def in_lldb(shop, commands):
    plugin = shop.args.build / "lib" / "librewind-lldb.so"
    line = [shop.args.lldb, "--no-lldbinit", "-b", "-o", f"plugin load {plugin}"]
    line += ["-o", f"rewind load {shop.trace} --image {shop.image}"]
    for command in commands:
        line += ["-o", command]
    return line


def limit_files(size):
    def before():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return before


def places(shop):
    """Where nothing may be written, and nothing that is there be lost."""
    there = shop.folder / "places"
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir()
    (there / "hard").hardlink_to(shop.trace)
    (there / "soft").symlink_to(shop.store)
    (there / "softer").symlink_to(there / "soft")
    (there / "folder").mkdir()
    (there / "loop").symlink_to(there / "loop")
    yield from (shop.trace, shop.image, shop.store, shop.layers, shop.marks)
    yield from shop.others
    yield from (there / name for name in ("hard", "soft", "softer", "folder", "loop"))
    yield from (there / "none" / "x", there / ("x" * 300), "", "/dev/full", "/")
    yield from ("/dev/null", "/proc/self/mem", "/dev/null/x", there / "ne\nw\x1b[31m")


def bad_places(shop):
    tally = Tally("output in bad places")
    for words in WRITERS:
        for to in places(shop):
            what = f"{' '.join(words)} -o {str(to)!r}"
            run(tally, writer(shop, words, to), what)
            shop.losses(tally, what)
    for command in "htr run", "bookmark add x", "index":
        for to in places(shop):
            if to == "" or to in shop.protected and to != shop.trace:
                continue  # its own store is what --index is for
            what = f"{command} --index {str(to)!r}"
            first, *rest = command.split()
            words = [first, rest[0]] if rest else [first]
            line = [shop.rewind, *words, shop.trace, *rest[1:], "--index", to, "-q"]
            run(tally, line, what)
            shop.losses(tally, what)
    if shop.args.lldb:
        for to in shop.trace, shop.store, shop.layers, shop.others[0], "/dev/full", "/":
            what = f"LLDB: exports to {str(to)!r}"
            commands = [f"rewind {' '.join(w)} -o {to}" for w in WRITERS[:8]]
            run(tally, in_lldb(shop, commands), what)
            shop.losses(tally, what)
    return tally


def full_disk(shop):
    tally = Tally("full disks")
    old = shop.folder / "old"
    for size in (0, 1, 4096, 20000):
        for words in WRITERS:
            old.write_text("old")
            what = f"{' '.join(words)} with {size} bytes of room"
            status = run(
                tally, writer(shop, words, old), what, before=limit_files(size)
            )
            if status and contents(old) != b"old":
                tally.lost += 1
                print(f"LOST an old file: {what}", flush=True)
            shop.losses(tally, what)
        for line in (
            ["bookmark", "add", shop.trace, "more", "20%"],
            ["bookmark", "delete", shop.trace, "kept"],
            ["htr", "run", shop.trace, "loops"],
            ["index", shop.trace, "--force-index"],
            ["list", shop.trace, "--index", shop.folder / "new.rewind"],
        ):
            what = f"{line[0]} {line[1]} with {size} bytes of room"
            if line[0] == "bookmark" and size > 1:
                continue  # there is room for it
            if line[0] == "htr" and size > 4096:
                continue
            status = run(
                tally, [shop.rewind, *line, "-q"], what, before=limit_files(size)
            )
            if status == 0 and line[0] in ("htr", "index"):
                shop.restore()  # it had room enough
            else:
                shop.losses(tally, what)
            (shop.folder / "new.rewind").unlink(missing_ok=True)
    if shop.args.lldb:
        for size in 0, 4096:
            what = f"LLDB with {size} bytes of room"
            commands = [f"rewind {' '.join(w)} -o {old}" for w in WRITERS[:8]]
            commands += ["rewind bookmark add y", "rewind htr run loops"]
            run(tally, in_lldb(shop, commands), what, before=limit_files(size))
            shop.losses(tally, what)
    return tally


def kills(shop, count):
    tally = Tally("signals at random moments")
    numbers = random.Random(1)
    signals = signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP
    old = shop.folder / "old"
    fresh = shop.folder / "fresh.rewind"
    for _ in range(count):
        sent = numbers.choice(signals), numbers.uniform(0, 0.25)
        words = numbers.choice(WRITERS)
        lines = [
            writer(shop, words, old),
            [shop.rewind, "htr", "layers", shop.trace, "--index", fresh, "-q"],
            [shop.rewind, "index", shop.trace, "--index", fresh, "--force-index", "-q"],
        ]
        if shop.args.lldb:
            lines.append(in_lldb(shop, [f"rewind {' '.join(words)} -o {old}"]))
            sent = (sent[0], sent[1] * (1 if numbers.random() < 0.7 else 8))
        line = numbers.choice(lines)
        old.write_text("old")
        what = f"{sent[0].name} after {sent[1]:.3f} s: {' '.join(map(str, line[1:]))}"
        run(tally, line, what, sent=sent)
        if not old.exists():
            tally.lost += 1
            print(f"LOST an old file: {what}", flush=True)
        shop.losses(tally, what)
    # What a killed run left behind, the next one takes away.
    for words in WRITERS:
        run(tally, writer(shop, words, old), "a run after those that were killed")
    for line in lines[1:3]:
        run(tally, line, "a run after those that were killed")
    known = set(shop.protected) | {old, fresh}
    known |= {shop.folder / "places", shop.folder / "others"}
    for path in sorted(shop.folder.iterdir()):
        if path not in known and not path.name.startswith(fresh.name):
            tally.lost += 1
            print(f"LEFT BEHIND: {path.name}", flush=True)
    return tally


def mutants(shop, kind, count):
    """Counts by itself; its line is shown as it is."""
    sys.stdout.flush()
    stores = ["random:1", "random:2", "random:3", "random:6", "random:7"]
    more = shop.folder / "stores"
    more.mkdir(exist_ok=True)
    small = more / "small.tarmac"
    lines = shop.trace.read_bytes().splitlines(keepends=True)[:2500]
    small.write_bytes(b"".join(lines))
    for trace in [small, *shop.args.traces]:
        store = more / (trace.name + ".rewind")
        line = [shop.rewind, "index", trace, "--index", store, "-q"]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        stores.append(str(store))
    if kind == "image":
        # What the image says is about the trace that it ran in.
        stores = [str(more / (small.name + ".rewind"))]
    line = [shop.args.build / "bin" / "rewind-mutants", kind, str(count), *stores]
    status = subprocess.run([*line, "--image", str(shop.image)]).returncode
    shutil.rmtree(more)
    return status


def packets(shop):
    """Damages bytes of Intel PT: what differs must be marked."""
    line = [shop.args.build / "bin" / "intelpt_test"]
    line += ["--gtest_filter=DamagedByte.*", "--gtest_brief=1"]
    sys.stdout.flush()
    status = subprocess.run(line, env=os.environ | {"REWIND_TEST_SEEDS": "5"}).returncode
    print("damaged bytes of Intel PT:", "all told" if status == 0 else "FAILED")
    return int(status != 0)


SECTIONS = {
    "store": None,
    "layers": None,
    "image": None,
    "places": bad_places,
    "disks": full_disk,
    "packets": None,
    "signals": lambda shop: kills(shop, shop.args.kills),
}


def main():
    parser = argparse.ArgumentParser(prog="scripts/abuse", description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--mutants", type=int, default=10000, help="of each kind")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--only", choices=SECTIONS, action="append")
    parser.add_argument("--lldb", default=shutil.which("lldb-22"))
    parser.add_argument("--no-lldb", dest="lldb", action="store_const", const=None)
    parser.add_argument("traces", type=pathlib.Path, nargs="*", help="more to mutate")
    args = parser.parse_args()
    args.build = args.build.resolve()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="rewind-abuse-") as folder:
        shop = Workshop(args, pathlib.Path(folder))
        shop.keep()
        for name in args.only or SECTIONS:
            if name in ("store", "layers", "image"):
                bad += mutants(shop, name, args.mutants)
                continue
            if name == "packets":
                bad += packets(shop)
                continue
            tally = SECTIONS[name](shop)
            tally.report()
            bad += tally.bad
    return 1 if bad else 0


sys.exit(main())
