"""Runs that are ended in the middle: what was there is there, and nothing stays
that the next run does not take away. Several at once do not hurt each other.

usage: kills.py <rewind> <sample folder> <folder>
"""

import os
import random
import shutil
import signal
import subprocess
import sys

from until import until

rewind, sample, folder = sys.argv[1:]
random.seed(14)
problems = []
os.makedirs(folder)
os.chdir(folder)
shutil.copy(os.path.join(sample, "sample.tarmac"), "t")


def expect(good, what):
    if not good:
        problems.append(what)


def start(words):
    return subprocess.Popen(
        [rewind] + words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests may ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )


def left():
    return [n for n in os.listdir(".") if n.startswith(".rewind-")]


def read(name):
    with open(name, "rb") as f:
        return f.read()


def written(before):
    """How much of a file that is not there yet, nor was begun before."""
    sizes = []
    for name in set(left()) - before:
        try:
            sizes.append(os.stat(name).st_size)
        except FileNotFoundError:
            pass
    return max(sizes, default=-1)


def start_until(words, size):
    """Returns when it is somewhere in its beginning, in what it writes (so many
    bytes in the end), or at its end."""
    before = set(left())
    run = start(words)
    reached = random.choice([-1, 0, random.randrange(size), size, size + 1])
    until(lambda: run.poll() is not None or written(before) >= reached, "it writes")
    return run


commands = {
    "t.rewind": ["index", "t", "--force-index"],
    "t.rewind.htr": ["htr", "run", "t"],
    "out": ["export", "vcd", "t", "--no-date", "-o", "out"],
}
right = {}
counts = {}
for name, words in commands.items():
    run = start(words)
    run.wait()
    expect(run.returncode == 0, f"{words}: {run.stderr.read()}")
    bytes = right[name] = read(name)
    for sent in [signal.SIGKILL] * 6 + [signal.SIGTERM, signal.SIGHUP, signal.SIGINT] * 3:
        run = start_until(words, len(bytes))
        run.send_signal(sent)
        run.wait()
        expect(read(name) == bytes, f"{words}, {sent.name}: {name} has changed")
        if sent != signal.SIGKILL:
            expect(
                run.returncode in (0, 130, -sent),
                f"{words}, {sent.name}: status {run.returncode} {run.stderr.read()}",
            )
        counts[sent.name] = counts.get(sent.name, 0) + 1
    run = start(words)
    run.wait()
    expect(run.returncode == 0, f"{words}: {run.stderr.read()}")
    expect(not left(), f"{words}: left {left()}")
    # One that is ended by a signal leaves nothing itself.
    run = start_until(words, len(bytes))
    run.send_signal(signal.SIGHUP)
    run.wait()
    expect(not left(), f"{words}, SIGHUP: left {left()}")

# Eight at once, of which some are killed.
os.remove("t.rewind")
runs = [start(["info", "t"] + ["--force-index"] * (i % 2)) for i in range(8)]
until(left, "a store is being written")
for run in runs[:3]:
    run.kill()
for run in runs:
    run.wait()
for run in runs[3:]:
    expect(run.returncode == 0, f"at once: status {run.returncode} {run.stderr.read()}")
run = start(["index", "t", "--force-index"])
run.wait()
expect(read("t.rewind") == right["t.rewind"], "at once: another store")
expect(not left(), f"at once: left {left()}")

# The whole trace is compared where that is asked for.
run = start(["index", "t", "--verify"])
run.wait()
made = os.stat("t.rewind").st_ino
start(["info", "t", "--verify"]).wait()
expect(os.stat("t.rewind").st_ino == made, "--verify: made again without need")
status = os.stat("t")
with open("t", "r+b") as f:
    f.seek(status.st_size // 2)
    byte = f.read(1)
    f.seek(status.st_size // 2)
    f.write(b"0" if byte != b"0" else b"1")
os.utime("t", ns=(status.st_atime_ns, status.st_mtime_ns))
start(["info", "t"]).wait()
expect(os.stat("t.rewind").st_ino == made, "a changed middle: not as the docs say")
run = start(["info", "t", "--verify", "--no-index"])
run.wait()
expect("not the one that was indexed" in run.stderr.read(), "--verify --no-index")
run = start(["info", "t", "--verify"])
run.wait()
expect(os.stat("t.rewind").st_ino != made, "--verify: not made again")

for problem in problems:
    print("PROBLEM", problem[:300])
print(", ".join(f"{n} {what}" for what, n in counts.items()))
print("problems:", len(problems))
sys.exit(bool(problems))
