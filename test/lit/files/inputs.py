"""Files that are none, as whatever is read: an error, at once, never a wait.

usage: inputs.py <rewind> <sample folder> <folder>
"""

import json
import os
import resource
import shutil
import socket
import subprocess
import sys

rewind, sample, folder = sys.argv[1:]
problems = []
tried = 0


def expect(good, what):
    if not good:
        problems.append(what)


def run(words, **more):
    def bounded():  # of memory, too: what never ends is not to be read
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(
        [rewind] + words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        preexec_fn=bounded,
        **more,
    )


def refused(words, *texts):
    global tried
    tried += 1
    before = sorted(os.listdir("."))
    try:
        got = run(words)
    except subprocess.TimeoutExpired:
        problems.append(f"{words}: waits")
        return
    expect(got.returncode == 1, f"{words}: status {got.returncode} {got.stdout}")
    for text in texts:
        expect(text in got.stderr, f"{words}: {got.stderr}")
    expect(sorted(os.listdir(".")) == before, f"{words}: files have come or gone")


os.makedirs(folder)
os.chdir(folder)
with open(os.path.join(sample, "sample.tarmac")) as whole, open("t", "w") as part:
    part.writelines(line for line, _ in zip(whole, range(20000)))
shutil.copy(os.path.join(sample, "sample.elf"), "elf")
expect(run(["htr", "run", "t"]).returncode == 0, "htr run")
os.mkfifo("pipe")
os.mkdir("folder")
plug = socket.socket(socket.AF_UNIX)
plug.bind("socket")
with open("huge", "w") as f:
    f.truncate(1 << 42)

odd = {"pipe": "a pipe", "/dev/zero": "a device", "/dev/tty0": "", "socket": ""}
# They look regular, have no size or more than a disk, and some never end.
for place in ("/proc/kmsg", "/proc/kcore", "/proc/self/maps", "/sys/kernel/uevent_seqnum"):
    if os.path.exists(place):
        odd[place] = "the kernel makes up" if os.access(place, os.R_OK) else ""
for place, kind in odd.items():
    refused(["info", place], place, kind)
    refused(["index", place, "--index", "x"], place, kind)
    refused(["info", place, "--format", "intelpt"], place, kind)
    refused(["htm", "dump", place], place, kind)
    refused(["qtrace", "dump", place], place, kind)
    refused(["info", "t", "--index", place], place, kind)
    refused(["where", "t", "-i", place], place)
    expect("regular file, not a regular" not in run(["info", place]).stderr, place)
    refused(["truncate", place], place, kind)
refused(["info", "folder"], "folder")
refused(["where", "t", "-i", "folder"], "folder")

# A bundle names other files, and may be nested as deep as it likes.
bundle = {
    "type": "intel-pt",
    "cpuInfo": {"vendor": "GenuineIntel", "family": 6, "model": 158, "stepping": 9},
    "processes": [
        {
            "pid": 1,
            "threads": [{"tid": 1, "iptTrace": "packets"}],
            "modules": [{"systemPath": "module", "loadAddress": 0x400000}],
        }
    ],
}


def describe(packets, module):
    bundle["processes"][0]["threads"][0]["iptTrace"] = packets
    bundle["processes"][0]["modules"][0]["systemPath"] = module
    with open("trace.json", "w") as f:
        json.dump(bundle, f)


open("packets", "w").close()
for place in ("/dev/zero", "pipe", "huge", "folder", "socket"):
    describe(os.path.abspath(place), os.path.abspath("elf"))
    refused(["info", "trace.json"], place)
    describe(os.path.abspath("packets"), os.path.abspath(place))
    refused(["info", "trace.json"], place)
for text in ("[" * 50000, '{"a":' * 50000, "[" * 5000000):
    for name in ("trace.json", "t.rewind.bookmarks"):
        with open(name, "w") as f:
            f.write(text)
        words = ["info", name, "--format", "intelpt"]
        if name != "trace.json":
            words = ["bookmark", "list", "t"]
        refused(words, name, "nested")
os.remove("trace.json")
os.mkfifo("trace.json")
refused(["info", "trace.json"], "trace.json")
refused(["info", "."], "trace.json")
os.remove("trace.json")
os.remove("t.rewind.bookmarks")
for place in ("pipe", "/dev/zero", "folder"):
    os.symlink(place, "t.rewind.bookmarks")
    refused(["bookmark", "list", "t"], "t.rewind.bookmarks")
    os.remove("t.rewind.bookmarks")

# Standard input, which leaves nothing behind.
before = sorted(os.listdir("."))
with open("t") as trace:
    piped = run(["info", "-", "--json"], stdin=trace)
there = run(["info", "t", "--json"])
expect(piped.returncode == 0, f"info -: {piped.stderr}")
if piped.returncode == 0:
    a, b = json.loads(piped.stdout), json.loads(there.stdout)
    expect(a["instructions"] == b["instructions"], "info -: other instructions")
    expect(a["trace"] == "<standard input>" and a["store"] == "", f"info -: {a}")
for words in (
    ["list", "-", "-c", "3"],
    ["export", "vcd", "-", "--no-date", "-o", "waves"],
    ["calls", "tree", "-", "-c", "3"],
    ["htr", "layers", "-"],
    ["last-write", "-", "x0"],
):
    with open("t") as trace:
        got = run(words, stdin=trace)
    expect(got.returncode == 0, f"{words}: {got.stderr}")
os.remove("waves")
for words in (
    ["index", "-"],
    ["info", "-", "--index", "x"],
    ["info", "-", "--no-index"],
    ["bookmark", "add", "-", "here"],
):
    with open("t") as trace:
        got = run(words, stdin=trace)
    expect(got.returncode in (1, 2), f"{words}: status {got.returncode}")
expect(sorted(os.listdir(".")) == before, "standard input left files")
with open("/dev/zero") as zeros:
    got = run(["info", "-"], stdin=zeros)
expect(got.returncode == 1, f"info - < /dev/zero: status {got.returncode}")

for problem in problems:
    print("PROBLEM", problem[:300])
print(tried, "refused")
print("problems:", len(problems))
sys.exit(bool(problems))
