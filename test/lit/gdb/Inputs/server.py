"""The server without GDB: addresses, clients that go away or talk nonsense.

    server.py <rewind> <trace> <index> <folder>
"""

import os
import signal
import socket
import subprocess
import sys

rewind, trace, index, folder = sys.argv[1:]


def serve(*options):
    return subprocess.Popen([rewind, "serve", trace, "--index", index, *options], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def framed(text):
    return b"$%s#%02x" % (text, sum(text) & 255)


class Client:
    def __init__(self, address):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family)
        self.socket.settimeout(60)
        self.socket.connect(address)
        self.buffer = b""

    def byte(self):
        if not self.buffer:
            self.buffer = self.socket.recv(4096)
            if not self.buffer:
                raise EOFError
        byte, self.buffer = self.buffer[:1], self.buffer[1:]
        return byte

    def answer(self):
        while self.byte() != b"$":
            pass
        text = b""
        while (byte := self.byte()) != b"#":
            text += byte
        assert self.byte() + self.byte() == b"%02x" % (sum(text) & 255)
        return text

    def ask(self, text):
        self.socket.sendall(framed(text))
        return self.answer()


def usable(address):
    client = Client(address)
    assert b"ReverseStep+" in client.ask(b"qSupported:swbreak+")
    assert client.ask(b"?") == b"T05thread:1;"
    assert b"replaylog:end" in client.ask(b"vCont;c")
    assert client.ask(b"D") == b"OK"
    client.socket.close()


for wrong, words in (("0.0.0.0:0", "not this computer"), ("10.1.2.3:4", "not this computer"), ("nonsense", "neither"),
                     ("127.0.0.1:99999", "neither"), ("unix:", "a socket's path")):
    process = serve("--listen", wrong)
    error = process.communicate()[1].decode()
    assert process.returncode == 2 and words in error, (wrong, error)
assert serve().wait() == 2 and serve("--stdio", "--listen", "127.0.0.1:0").wait() == 2
print("other addresses are refused")

path = os.path.join(folder, "socket")
for option, private in (("127.0.0.1:0", False), ("unix:" + path, True)):
    server = serve("--listen", option)
    line = server.stderr.readline().decode()
    assert "target remote " in line, line
    name = line.split("target remote ")[1].strip()
    address = name if private else (name.split(":")[0], int(name.split(":")[1]))
    if private:
        assert os.stat(path).st_mode & 0o077 == 0
    usable(address)
    for odd in (b"", b"$", b"$qSupp", framed(b"qSupported")[:-1], b"$m0,4#zz", b"\x03\x03", b"+" * 10000,
                framed(b"vCont;c"), framed(b"qXfer:features:read:target.xml:0,fff"), b"$a}", b"\0" * 5000):
        client = Client(address)
        client.socket.sendall(odd)
        client.socket.close()
    usable(address)
    client = Client(address)
    endless = b"$" + b"a" * (1 << 16)
    try:
        for _ in range(40):
            client.socket.sendall(endless[:1 << 16])
            endless = b"a" * (1 << 16)
        while client.socket.recv(4096):
            pass
    except (BrokenPipeError, ConnectionResetError):
        pass
    usable(address)
    client = Client(address)
    listing = client.ask(b"qRcmd," + b"rewind export vcd -o %s/x.vcd".replace(b"%s", folder.encode()).hex().encode())
    text = bytes.fromhex(listing[1:].decode()).decode() if listing[:1] == b"O" else ""
    # Whoever may use this computer may connect to a port.
    assert os.path.exists(folder + "/x.vcd") == private, text
    if not private:
        assert "names another file" in text, text
    # An error repeats what was asked, but not all of it.
    client.socket.close()
    client = Client(address)
    client.ask(b"qSupported")
    client.socket.sendall(framed(b"qRcmd," + (b"rewind last-write " + b"x" * 200000).hex().encode()))
    text = b""
    while (part := client.answer())[:1] == b"O" and part != b"OK":
        text += bytes.fromhex(part[1:].decode())
    assert text.startswith(b"error: ") and b" bytes ...] " in text and len(text) < 4200, (len(text), text[:100])
    client.socket.close()
    # A listing that is given up does not say that it is complete.
    client = Client(address)
    client.ask(b"qSupported")
    client.socket.sendall(framed(b"qRcmd," + b"rewind list --grep nowhere -c 1000000000".hex().encode()) + b"\x03")
    text = b""
    while (part := client.answer())[:1] == b"O" and part != b"OK":
        text += bytes.fromhex(part[1:].decode())
    assert b"; interrupted" in text and b"that is all" not in text, text
    client.socket.close()
    usable(address)
    server.send_signal(signal.SIGINT)
    assert server.wait(10) in (0, 130), server.returncode
    assert not os.path.exists(path)
    print(option.split(":")[0] + ": survives, and ends at Ctrl-C")

# Whoever asks while the trace is being indexed is kept waiting, and answered once.
long = os.path.join(folder, "long.tarmac")
with open(long, "w") as out:
    for first in range(0, 3000000, 1000):
        out.write("".join("%d clk IT (%d) %08x d503201f O EL1h_n : NOP\n" % (i, i, 32768 + i % 200 * 4)
                          for i in range(first, first + 1000)))
process = subprocess.Popen([rewind, "serve", "--stdio", "-q", long], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
# A fast machine has the index before the first acknowledgement is due.
process.stdin.write(framed(b"qSupported") * 3)
out = process.communicate(framed(b"vMustReplyEmpty") + framed(b"?"))[0]
assert [part[:3] for part in out.split(b"$")[1:]] == [b"Pac", b"#00", b"T05"], out
os.remove(long)
os.remove(long + ".rewind")
print("stdio: patient")

# A socket that a killed server has left is no obstacle, that of a living one is, and so is a file.
left = serve("--listen", "unix:" + path)
assert b"target remote" in left.stderr.readline()
left.kill()
left.wait()
assert os.path.exists(path)
server = serve("--listen", "unix:" + path)
assert b"target remote" in server.stderr.readline()
usable(path)
second = serve("--listen", "unix:" + path)
assert b"in use" in second.communicate()[1] and second.returncode == 1
usable(path)
server.terminate()
server.wait(10)
open(path, "w").close()
for other, kind in (path, "a regular file"), (folder, "a folder"), ("/dev/null", "a special file"):
    error = serve("--listen", "unix:" + other).communicate()[1]
    assert error.decode() == "rewind: cannot listen on unix:%s: that is %s, no socket\n" % (other, kind), error
print("unix: a socket that was left")

process = serve("--stdio")
error = process.communicate(b"$" + b"a" * (3 << 20))[1]
assert b"more than a megabyte" in error and process.returncode == 1, error
process = serve("--stdio")
lines = [b'rewind list "', b"rewind list '#1", b"rewind list \\"]
out = process.communicate(b"".join(framed(text) for text in [b"qSupported", b"vCont;x", b"vCont;t:1", b"vCont;r1,2", b"?"] + [
    b"qRcmd," + line.hex().encode() for line in lines]))[0]
parts = [part.split(b"#")[0] for part in out.split(b"$")]
assert parts[2:6] == [b"E03"] * 3 + [b"T05thread:1;"], parts
assert sum(bytes.fromhex(part[1:].decode()).startswith(b"error: there is no second") for part in parts[6:] if part[:1] == b"O" and part != b"OK") == 2
# A hit of so many bytes would be looked for for hours; GDB cuts four gigabytes to none.
process = serve("--stdio")
out = process.communicate(b"".join(framed(text) for text in [b"qSupported", b"Z2,10000000000,ffffffffffff", b"Z4,0,0", b"z2,0,0", b"bc"]), timeout=60)[0]
answers = [part.split(b"#")[0] for part in out.split(b"$")][2:]
assert b"at most 65536 can be" in answers[0] and b"the size is 0" in answers[1] and answers[2] == b"OK", answers
print("stdio: bad packets")

# The words of a line are those that LLDB would have: \[ is a letter of its own here.
process = serve("--stdio")
line = rb"rewind list --grep 'ldrb .*\[x0' -c 1"
process.stdin.write(framed(b"qRcmd," + line.hex().encode()))
process.stdin.flush()  # and goes on: a search ends where the input does
out = b""
while b"$OK#" not in out and (more := os.read(process.stdout.fileno(), 4096)):
    out += more
process.communicate()
said = b"".join(bytes.fromhex(part.split(b"#")[0].decode()) for part in out.split(b"$O")[1:] if part[:1] != b"K")
print("monitor:", said.decode())

process = serve("--stdio")
out = process.communicate(framed(b"qSupported") + b"+" + framed(b"?") + b"+$m0")[0]
assert b"ReverseStep+" in out and b"T05thread" in out and process.returncode == 0
print("stdio: ends where the input ends")
