"""progress.py <what> <rewind> <argument>...: runs it in a terminal until its bar tells of
<what>, and prints what its bars told of. Standard output goes to a file."""
import os
import pty
import re
import select
import signal
import sys
import time

what, command = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    out = os.open("answer", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.execv(command[0], command)
bars = re.compile(rb"\r([a-z ]+?) \[[# ]+\] +\d+%")
seen = b""
until = time.monotonic() + 120
while time.monotonic() < until and what.encode() not in bars.findall(seen):
    if not select.select([terminal], [], [], 1)[0]:
        continue
    try:
        seen += os.read(terminal, 65536)
    except OSError:  # it has ended
        break
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
print(*sorted({bar.decode() for bar in bars.findall(seen)}), sep="\n")
