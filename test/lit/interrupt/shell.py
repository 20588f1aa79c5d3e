"""shell.py <rewind> <trace> <image>: Ctrl-C while `rewind` is in the middle of
something. Pipes that nobody fills or empties keep it there: no timing is
involved. Exit status 130, the reason on stderr, nothing left behind."""
import os
import signal
import subprocess
import sys

rewind, trace, image = sys.argv[1:]


def lines(first, last):
    for n in range(first, last):
        yield "%d clk IT (%d) 00001000 d503201f O EL1h_s : NOP\n" % (n, n)


def start(*words, **more):
    return subprocess.Popen(
        [rewind, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs the tests may ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        **more,
    )


def stopped(process, name, before):
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130, (name, process.returncode, errors)
    assert errors == b"rewind: interrupted\n", (name, errors)
    assert sorted(os.listdir(".")) == before, (name, os.listdir("."))
    print(name, "stopped")
    return rest


# A trace that comes through a pipe and does not end. More than a pipe holds has
# been written, so it has been read from.
before = sorted(os.listdir("."))
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    process = start("info", "-", stdin=subprocess.PIPE)
    process.stdin.writelines(line.encode() for line in lines(1, 20000))
    process.stdin.flush()
    process.send_signal(number)
    # Not closed: the end of the trace must not end it.
    process.wait(timeout=60)
    stopped(process, "info, " + number.name, before)

subprocess.run([rewind, "index", trace, "--quiet"], check=True)
subprocess.run([rewind, "htr", "run", trace], stdout=subprocess.DEVNULL, check=True)
before = sorted(os.listdir("."))

# Answers that nobody reads any further.
for name, *words in (
    ("list", "list", trace),
    ("list --json", "list", trace, "--json"),
    ("export vcd", "export", "vcd", trace, "--no-date"),
    ("htr dump", "htr", "dump", trace, "0", "-c", "1000000"),
):
    words += ["-i", image]
    whole = subprocess.run([rewind, *words], stdout=subprocess.PIPE, check=True).stdout
    assert len(whole) > 1 << 20, (name, "is too short to test with")
    process = start(*words)
    head = process.stdout.read(1000)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130, (name, process.returncode, errors)
    assert len(head) + len(rest) < len(whole), (name, "ran to its end")
    if name.startswith("list"):
        last = rest.splitlines()[-1].decode()
        told = '"cancelled":true' if words[-3] == "--json" else "; interrupted"
        assert told in last, (name, last)
    print(name, "stopped")
