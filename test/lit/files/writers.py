"""Every command that writes a file, with every place that a file should not be
written to, or only with care. Nothing that is there may be lost.

usage: writers.py <rewind> <rewind-record> <sample folder> <make_dump.py> <folder>
"""

import gzip
import json
import os
import resource
import shutil
import socket
import stat
import subprocess
import sys
import threading

rewind, record, sample, make_dump, folder = sys.argv[1:]
problems = []
counts = {}


def expect(good, what):
    if not good:
        problems.append(what)


def contents():
    """All files of the folders: their bytes, or what else they are."""
    found = {}
    names = os.listdir(".")
    for folder in ("others", "bundle"):
        if os.path.isdir(folder):
            names += [folder + "/" + name for name in os.listdir(folder)]
    for name in sorted(names):
        mode = os.lstat(name).st_mode
        if stat.S_ISREG(mode):
            with open(name, "rb") as f:
                found[name] = (stat.S_IMODE(mode), f.read())
        else:
            found[name] = os.readlink(name) if stat.S_ISLNK(mode) else mode
    return found


def run(words, limit=None, **more):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    more.setdefault("stdout", subprocess.DEVNULL)
    return subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        preexec_fn=limited if limit else None,
        **more,
    )


os.makedirs(folder)
os.chdir(folder)
with open(os.path.join(sample, "sample.tarmac")) as whole, open("t", "w") as part:
    part.writelines(line for line, _ in zip(whole, range(20000)))
shutil.copy(os.path.join(sample, "sample.elf"), "elf")
subprocess.run([sys.executable, make_dump, "dump"], check=True)
for words in (
    ["htr", "run", "t", "-q"],
    ["bookmark", "add", "t", "here", "#5"],
):
    made = run([rewind] + words)
    expect(made.returncode == 0, f"{words}: {made.stderr}")
os.symlink("t", "soft")
os.link("t", "hard")
os.symlink("../" + os.path.basename(folder) + "/elf", "program")
os.link("t.rewind", "store")

image = ["-i", "elf"]
writers = {
    name: lambda out, name=name: [rewind, "export", name, "t", "-o", out] + image
    for name in ("flamegraph", "svg", "speedscope", "pprof", "perfetto", "ctf", "vcd")
}
writers["calls tree"] = lambda out: [rewind, "calls", "tree", "t", "-o", out] + image
writers["htr ctf"] = lambda out: [rewind, "htr", "export", "t", "ctf", "-o", out] + image
writers["htr perfetto"] = (
    lambda out: [rewind, "htr", "export", "t", "perfetto", "-o", out] + image
)
writers["truncate"] = lambda out: [rewind, "truncate", "t", "-o", out] + image
writers["qtrace"] = lambda out: [rewind, "export", "qtrace", "dump", "-o", out]
writers["htmdecoder"] = lambda out: [rewind, "htmdecoder", "-d", "-o", out, "dump"]
writers_of_rewind = set(writers) - {"htmdecoder"}
if os.path.exists(record):
    writers["record"] = lambda out: [record, "-n", "20000", "-q", "-o", out, "elf"]
    writers["record calls"] = (
        lambda out: [record, "-n", "20000", "-q", "-o", "/dev/null", "--calls", out, "elf"]
    )
    writers["record output"] = (
        lambda out: [record, "-q", "-o", "/dev/null", "--output", out, "elf"]
    )

os.mkdir("folder")
plug = socket.socket(socket.AF_UNIX)
plug.bind("socket")
mine = ["t", "soft", "hard", "elf", "program", "t.rewind", "store", "t.rewind.htr"]
mine += ["t.rewind.bookmarks"]
own = {"qtrace": ["dump"], "htmdecoder": ["dump"]}
for kind in ("record", "record calls", "record output"):
    own[kind] = ["elf", "program"]
nowhere = ["folder", "folder/", "no/such", "socket", "", "/dev/full", "new/"]

# Files of others, and what they are.
os.mkdir("others")
os.mkdir("bundle")
for name in ("t", "t.rewind", "t.rewind.htr", "t.rewind.bookmarks", "elf", "dump"):
    shutil.copy(name, "others/" + name)
with open("others/t", "rb") as f, gzip.open("others/t.gz", "wb") as packed:
    packed.write(f.read())
with open("others/perf", "wb") as f:
    f.write(b"PERFILE2" + bytes(200))
made = run([rewind, "export", "qtrace", "dump", "-o", "others/qt"])
expect(made.returncode == 0, f"qtrace: {made.stderr}")
with open("bundle/packets", "wb") as f:
    f.write(bytes(100))
with open("bundle/trace.json", "w") as f:
    thread = {"tid": 1, "iptTrace": "packets"}
    processes = [{"pid": 1, "threads": [thread], "modules": []}]
    cpu = {"vendor": "GenuineIntel", "family": 6, "model": 158, "stepping": 9}
    json.dump({"type": "intel-pt", "cpuInfo": cpu, "processes": processes}, f)
precious = {
    "others/t": "a trace (tarmac)",
    "others/t.gz": "a trace (tarmac)",
    "others/dump": "a trace (htm)",
    "others/qt": "a trace (qtrace)",
    "others/perf": "a trace (intelpt)",
    "bundle/trace.json": "a trace (intelpt)",
    "bundle/packets": "a part of a trace",
    "others/elf": "an ELF file",
    "others/t.rewind": "an index",
    "others/t.rewind.htr": "a file of layers",
    "others/t.rewind.bookmarks": "a file of bookmarks",
}
# Who makes traces replaces them.
makes = dict.fromkeys(("record", "record calls", "record output"), "others/t")
makes["htmdecoder"] = "others/qt"

for name, command in writers.items():
    for place in own.get(name, mine) + nowhere:
        if place == "" and name not in writers_of_rewind:
            continue  # there, it means the default
        before = contents()
        got = run(command(place))
        what = f"{name} to '{place}'"
        expect(got.returncode in (1, 2), f"{what}: status {got.returncode}")
        expect("cannot write" in got.stderr, f"{what}: {got.stderr}")
        expect(len(got.stderr.splitlines()) == 1, f"{what}: {got.stderr}")
        expect(contents() == before, f"{what}: a file has changed")
        counts["bad places"] = counts.get("bad places", 0) + 1

    # What belongs to others is kept, and said to be what it is.
    others = dict(precious)
    others.pop(makes.get(name), None)
    for place, kind in others.items():
        before = contents()
        got = run(command(place))
        what = f"{name} to '{place}'"
        expect(got.returncode == 1, f"{what}: status {got.returncode}")
        expect(f"it is {kind}" in got.stderr, f"{what}: {got.stderr}")
        expect("name another file" in got.stderr, f"{what}: {got.stderr}")
        expect(len(got.stderr.splitlines()) == 1, f"{what}: {got.stderr}")
        expect(contents() == before, f"{what}: a file has changed")
        counts["others"] = counts.get("others", 0) + 1
    if name in writers_of_rewind:
        for place in precious:
            shutil.copy(place, "kept")
            got = run(command(place) + ["--force"])
            expect(got.returncode == 0, f"{name} --force to {place}: {got.stderr}")
            os.replace("kept", place)
        got = run(command(own.get(name, mine)[0]) + ["--force"])
        expect("which is not overwritten" in got.stderr, f"{name} --force: {got.stderr}")

    # A new file, one that is there (with its permissions), through a link.
    got = run(command("new"))
    expect(got.returncode == 0, f"{name} to a new file: {got.stderr}")
    if got.returncode:
        continue
    with open("new", "rb") as f:
        right = f.read()
    if name in ("truncate", "qtrace"):  # what they make is a trace, too
        command = lambda out, command=command: command(out) + ["--force"]
    with open("old", "w") as f:
        f.write("old")
    os.chmod("old", 0o640)
    os.symlink("old", "link")
    got = run(command("link"))
    expect(got.returncode == 0, f"{name} through a link: {got.stderr}")
    expect(os.path.islink("link"), f"{name}: the link is gone")
    expect(stat.S_IMODE(os.stat("old").st_mode) == 0o640, f"{name}: permissions")
    with open("old", "rb") as f:
        again = f.read()
    # A waveform tells when it was made.
    expect(again == right or name == "vcd", f"{name}: another result through a link")

    # What has no room leaves the old file as it was.
    for limit in (1, len(right) // 3, len(right) - 1):
        before = contents()
        got = run(command("old"), limit=limit)
        expect(got.returncode == 1, f"{name}, limit {limit}: status {got.returncode}")
        expect("File too large" in got.stderr, f"{name}, limit {limit}: {got.stderr}")
        expect(contents() == before, f"{name}, limit {limit}: a file has changed")
        counts["limits"] = counts.get("limits", 0) + 1

    # A pipe is written to.
    os.mkfifo("pipe")
    piped = []

    def read():
        with open("pipe", "rb") as f:
            piped.append(f.read())

    reader = threading.Thread(target=read)
    reader.start()
    got = run(command("pipe"))
    reader.join()
    expect(got.returncode == 0, f"{name} to a pipe: {got.stderr}")
    expect(piped == [right] or name == "vcd", f"{name}: another result in a pipe")
    expect(stat.S_ISFIFO(os.stat("pipe").st_mode), f"{name}: the pipe is gone")
    # /dev/stdout is what stdout is.
    with open("both", "w") as f:
        got = run(command("/dev/stdout"), stdout=f)
    expect(got.returncode == 0, f"{name} to /dev/stdout: {got.stderr}")
    expect(os.path.getsize("both") >= len(right), f"{name} to /dev/stdout: cut")
    for left in ("new", "old", "link", "pipe", "both"):
        os.remove(left)

# The files that are kept beside a trace.
shutil.copy("t", "u")
kept = {
    "u.rewind": ["index", "u", "--force-index"],
    "u.rewind.htr": ["htr", "run", "u"],
    "u.rewind.bookmarks": ["bookmark", "add", "u", "there", "#7"],
}
for name, words in kept.items():
    got = run([rewind] + words)
    expect(got.returncode == 0, f"{words}: {got.stderr}")
    before = contents()
    got = run([rewind] + words, limit=20)
    expect(got.returncode == 1, f"{words}, limit: status {got.returncode}")
    expect("File too large" in got.stderr, f"{words}, limit: {got.stderr}")
    expect(contents() == before, f"{words}, limit: a file has changed")
for name, words in reversed(kept.items()):
    foreign = {"file": "not one of ours", "folder": None, "pipe": None, "device": None}
    for kind, text in foreign.items():
        if os.path.exists(name):
            os.remove(name)
        if kind == "file":
            with open(name, "w") as f:
                f.write(text)
        elif kind == "folder":
            os.mkdir(name)
        elif kind == "pipe":
            os.mkfifo(name)
        else:
            os.symlink("/dev/zero", name)
        before = contents()
        got = run([rewind] + words)
        expect(got.returncode == 1, f"{words}, {kind}: status {got.returncode}")
        expect(name in got.stderr, f"{words}, {kind}: {got.stderr}")
        expect(contents() == before, f"{words}, {kind}: a file has changed")
        counts["foreign"] = counts.get("foreign", 0) + 1
        (os.rmdir if kind == "folder" else os.remove)(name)

# Standard output.
for words in (
    ["list", "t"],
    ["info", "t"],
    ["export", "svg", "t"],
    ["--version"],
    ["help"],
    ["help", "list"],
    ["htmdecoder", "-d", "dump"],
    ["htm", "dump", "dump"],
    ["htr", "layers", "t"],
):
    with open("/dev/full", "w") as full:
        got = run([rewind] + words, stdout=full)
    expect(got.returncode == 1, f"{words} > /dev/full: status {got.returncode}")
    expect(
        got.stderr == "rewind: cannot write the answer: No space left on device\n",
        f"{words} > /dev/full: {got.stderr}",
    )
    got = run(["sh", "-c", '"$@" >&-', "sh", rewind] + words)
    expect(got.returncode == 1, f"{words} >&-: status {got.returncode}")
    got = run(["sh", "-c", '"$@" 2>/dev/full', "sh", rewind] + words + ["--nonsense"])
    expect(got.returncode in (1, 2), f"{words} 2>/dev/full: status {got.returncode}")
    counts["standard output"] = counts.get("standard output", 0) + 1
for ignored in (False, True):
    shell = ("trap '' PIPE; " if ignored else "") + '("$@"; echo $? >&2) | head -1'
    got = run(["sh", "-c", shell, "sh", rewind, "list", "t"])
    expect(got.stderr == "1\n", f"list | head: {got.stderr}")

expect(not [n for n in os.listdir(".") if ".tmp" in n], f"left: {os.listdir('.')}")
for problem in problems:
    print("PROBLEM", problem)
print(", ".join(f"{n} {what}" for what, n in counts.items()))
print("problems:", len(problems))
sys.exit(bool(problems))
