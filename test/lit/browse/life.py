"""How it begins and ends: life.py <rewind> <trace> <elf>."""
import os
import re
import signal
import subprocess
import sys
import time

import pexpect
from screen import Screen
from until import blocked, pending, until

rewind, trace, elf = sys.argv[1:4]


def shell(*words, **environment):
    """On a terminal, in a shell that goes on afterwards."""
    child = pexpect.spawn("/bin/sh", ["-c", "stty -g >before; \"$@\"; echo STATUS $?; stty -g >after; echo DONE; cat", "sh", *words],
                          env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}, dimensions=(24, 80), timeout=20)
    return child


# However it ends, the terminal is as it was.
deadly = (signal.SIGSEGV, signal.SIGQUIT, signal.SIGXCPU, signal.SIGALRM, signal.SIGUSR1, signal.SIGSYS)
for how in ("q", signal.SIGTERM, signal.SIGHUP, signal.SIGINT, *deadly):
    child = shell(rewind, "browse", trace, "--image", elf)
    child.expect("q quits")
    if how == "q":
        child.send("q")
    else:
        inner = subprocess.run(["pgrep", "-P", str(child.pid), "-x", "rewind"], capture_output=True, text=True).stdout
        os.kill(int(inner), how)
    child.expect(r"STATUS (\d+)\r\n")
    status, left = int(child.match.group(1)), child.before
    assert b"\x1b[?1049l" in left, (how, "the screen is not given back", left)
    assert left.rindex(b"\x1b[?1049l") > left.rfind(b"\x1b[?1049h")
    wanted = 0 if how == "q" else 128 + how if how in deadly else 130
    assert status == wanted, (how, status)
    child.expect("DONE")
    assert open("before").read() == open("after").read(), "settings of the terminal"
    child.terminate(force=True)
    print("ok", how)

# What is no terminal is told so.
done = subprocess.run([rewind, "browse", trace], capture_output=True, text=True, stdin=subprocess.DEVNULL)
assert done.returncode == 1 and "this is no terminal" in done.stderr, done
for term, said in (("no-such-terminal", "is not known to ncurses"), ("dumb", "has no cursor that can be moved")):
    child = shell(rewind, "browse", trace, TERM=term)
    child.expect(said)
    child.expect("STATUS 1")
    child.terminate(force=True)
print("ok no terminal")

# A trace without an index shows its progress, and can be interrupted.
child = shell(rewind, "browse", trace, "--no-such-option")
child.expect("STATUS 2")
child.terminate(force=True)
print("ok wrong option")

# A terminal that is gone ends it.
s = Screen(rewind, trace)
s.child.ptyproc.fileobj.close()
until(lambda: not s.child.ptyproc.isalive(), "it does not go on without a terminal")
s.child.closed = s.child.ptyproc.closed = True
s.child.child_fd = s.child.ptyproc.fd = -1
print("ok hang-up")

# Nor does one that takes no more output keep it from ending.
s = Screen(rewind, trace, size=(200, 60))
pid = s.child.pid
for _ in range(300):
    s.child.send("\x1b[6~" * 5)
    time.sleep(0.002)  # else what it does not take in time is lost
until(lambda: blocked(pid, "write"), "the terminal takes no more")
os.kill(pid, signal.SIGTERM)
until(lambda: not pending(pid, signal.SIGTERM), "the signal comes")
os.kill(pid, signal.SIGTERM)
until(lambda: pid == os.waitpid(pid, os.WNOHANG)[0], "it does not wait for a terminal that takes no more")
print("ok blocked")

# Ctrl-Z stops whoever waits for it, too: LLDB, a script.
with open("wrap.sh", "w") as f:
    f.write("#!/bin/sh\n%s browse %s --image %s\necho wrapped\n" % (rewind, trace, elf))
os.chmod("wrap.sh", 0o755)
child = pexpect.spawn("/bin/bash", ["--norc", "--noprofile", "-i"], dimensions=(24, 80), timeout=20,
                      env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", "PS1": "ready[$] "})
child.expect("ready.\\$. ")
child.send("./wrap.sh\r")
child.expect("q quits")
child.send("\x1a")
child.expect("ready.\\$. ")
child.send("fg\r")
child.expect("q quits")
child.send("q")
child.expect("wrapped")
child.terminate(force=True)
print("ok Ctrl-Z")

# What has no meaning does nothing: terminfo tells of more keys than have one.
for term in ("xterm-256color", "tmux-256color"):
    s = Screen(rewind, trace, "--image", elf, "--at", "30000", term=term)
    before = s.lines()
    for modifier in range(2, 9):
        for letter in "ABHF":
            s.hurry(["\x1b[1;%d%s" % (modifier, letter)])
        for number in (2, 3):
            s.hurry(["\x1b[%d;%d~" % (number, modifier)])
        assert s.lines() == before, (term, modifier, s.lines())
print("ok keys without meaning")

# A byte that is no character takes nothing else away.
for variables in ({}, {"LC_ALL": "C"}):
    s = Screen(rewind, trace, "--image", elf, **variables)
    s.child.send(b"g\xe9#300\xe9\xe600\r")
    s.finish()
    assert s.position() == 30000, s.status()
    s.child.send("gé".encode() + b"\x15#40000\rj\xc3kq")
    s.child.expect(pexpect.EOF)
print("ok bytes")

# Many keys at once are all done.
s = Screen(rewind, trace, "--image", elf)
s.hurry(["Down"] * 1000)
assert s.position() == 1000, s.status()
s.hurry(["Up"] * 300)
assert s.position() == 700, s.status()
print("ok held keys")
print("all of it works")
