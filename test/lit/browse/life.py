"""How it begins and ends: life.py <rewind> <trace> <elf>."""
import os
import re
import signal
import subprocess
import sys
import time

import pexpect
from screen import Screen

rewind, trace, elf = sys.argv[1:4]


def shell(*words, **environment):
    """On a terminal, in a shell that goes on afterwards."""
    child = pexpect.spawn("/bin/sh", ["-c", "stty -g >before; \"$@\"; echo STATUS $?; stty -g >after; echo DONE; cat", "sh", *words],
                          env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}, dimensions=(24, 80), timeout=20)
    return child


# However it ends, the terminal is as it was.
for how in ("q", signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV):
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
    wanted = {"q": 0, signal.SIGSEGV: 128 + signal.SIGSEGV}.get(how, 130)
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
pid = s.child.pid
s.child.close(force=False)
for _ in range(100):
    if not os.path.exists("/proc/%d" % pid):
        break
    time.sleep(0.05)
assert not os.path.exists("/proc/%d" % pid), "it goes on without a terminal"
print("ok hang-up")

# Many keys at once are all done.
s = Screen(rewind, trace, "--image", elf)
s.hurry(["Down"] * 1000)
assert s.position() == 1000, s.status()
s.hurry(["Up"] * 300)
assert s.position() == 700, s.status()
print("ok held keys")
print("all of it works")
