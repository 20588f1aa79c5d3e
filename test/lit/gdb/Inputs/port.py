"""Runs the commands' examples over a port, and looks for files that they make.

    port.py <rewind> <folder of the sample> <folder>
"""

import os
import re
import shutil
import socket
import subprocess
import sys

rewind, sample, folder = sys.argv[1:]
for name in ("sample.tarmac", "sample.elf"):
    shutil.copy(os.path.join(sample, name), folder)
shutil.copy(os.path.join(folder, "sample.tarmac"), os.path.join(folder, "other.tarmac"))
server = subprocess.Popen([rewind, "serve", "sample.tarmac", "-i", "sample.elf", "--listen", "127.0.0.1:0"], cwd=folder,
                          stderr=subprocess.PIPE)
while b"target remote " not in (line := server.stderr.readline()):
    assert line
port = int(line.decode().rsplit(":", 1)[1])
before = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}

client = socket.create_connection(("127.0.0.1", port), 300)
stream = client.makefile("rb")


def answer():
    """Of the packets' bytes, those between $ and #; none has an escape in it."""
    while stream.read(1) != b"$":
        pass
    text = b""
    while (byte := stream.read(1)) != b"#":
        assert byte
        text += byte
    stream.read(2)
    client.sendall(b"+")
    return text


def monitor(line):
    body = b"qRcmd," + line.encode().hex().encode()
    client.sendall(b"$%s#%02x" % (body, sum(body) & 255))
    text = b""
    while (part := answer())[:1] == b"O" and part != b"OK":
        text += bytes.fromhex(part[1:].decode())
    assert part == b"OK", part
    return text.decode()


# No index: beside another trace it would be one more file.
examples = ["rewind profile diff other.tarmac", "rewind list -c 5 --output=x", "rewind profile self --other-image sample.elf"]
for line in monitor("help").splitlines():
    if found := re.match(r"  (\S+(?: \S+)?)  ", line):
        examples += re.findall(r"^  (rewind .*)", monitor("help " + found.group(1)), re.M)
answered = refused = 0
for line in examples:
    text = monitor(line)
    if "only questions about this trace" in text:
        refused += 1
    elif not text.startswith("error:"):
        answered += 1
    after = {name: os.stat(os.path.join(folder, name)).st_mtime_ns for name in os.listdir(folder)}
    assert before == after, (line, text, set(after) - set(before))
print("answered:", answered)
print("refused:", refused)
server.terminate()
server.wait()
print("nothing was made")
