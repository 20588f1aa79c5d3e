"""Servers of `rewind view`, and a page's side of it without a browser."""

import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess


class Served:
    """A server that runs somewhere."""

    def __init__(self, url):
        self.url = url
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#t=([0-9a-f]{32})", url).groups()
        self.port = int(self.port)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def exchange(self, request):
        """Sends bytes, and what comes until the server closes."""
        with self.connect() as s:
            try:
                s.sendall(request)
            except (BrokenPipeError, ConnectionResetError):
                pass
            answer = b""
            try:
                while part := s.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
            return answer

    def get(self, path="/", method="GET", host=None, body=b"", **headers):
        """Status, headers, body."""
        lines = ["%s %s HTTP/1.1" % (method, path)]
        for name, value in [("Host", host or "127.0.0.1:%d" % self.port), *headers.items()]:
            if value is not None:
                lines.append("%s: %s" % (name.replace("_", "-"), value))
        if body:
            lines.append("Content-Length: %d" % len(body))
        answer = self.exchange("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head, _, rest = answer.partition(b"\r\n\r\n")
        first, *fields = head.decode().split("\r\n")
        return int(first.split()[1]), dict(f.split(": ", 1) for f in fields), rest

    def page(self, **headers):
        return Page(self, **headers)


class Viewer(Served):
    """`rewind view` of the shell."""

    def __init__(self, rewind, trace, *options, descriptors=None):
        command = [rewind, "view", trace, "--no-open", "--json", *options]
        if descriptors:
            command = ["sh", "-c", 'ulimit -n %d && exec "$@"' % descriptors, "sh", *command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read())
        super().__init__(json.loads(line)["url"])

    def _status(self, name):
        with open("/proc/%d/status" % self.process.pid) as f:
            return next(int(line.split()[1]) << 10 for line in f if line.startswith(name + ":"))

    def anonymous(self):
        """How many bytes of memory it has besides file mappings."""
        return self._status("RssAnon")

    def sanitized(self):
        """AddressSanitizer reserves terabytes, and keeps what was freed."""
        return self._status("VmSize") > 1 << 40

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=10)
        return self.process.returncode, errors


class Page:
    """A WebSocket to the server."""

    def __init__(self, viewer, token=True, **headers):
        self.socket = viewer.connect()
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": "127.0.0.1:%d" % viewer.port, "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13", **headers}
        lines = ["GET /ask HTTP/1.1"] + ["%s: %s" % (n.replace("_", "-"), v) for n, v in fields.items()]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        self.left = b""
        head = b""
        while b"\r\n\r\n" not in head:
            part = self.socket.recv(4096)
            if not part:
                break
            head += part
        head, _, self.left = head.partition(b"\r\n\r\n")
        self.status = int(head.split()[1]) if head else 0
        self.number = 0
        self.told = []
        if token is True and self.status == 101:
            self.send(json.dumps({"token": viewer.token}))
            assert json.loads(self.receive()) == {"known": True}

    def send(self, text, opcode=1):
        data = text.encode() if isinstance(text, str) else text
        mask = os.urandom(4)
        size = len(data)
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        pad = mask * (size // 4 + 1)
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(pad[:size], "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def take(self, count):
        while len(self.left) < count:
            part = self.socket.recv(1 << 20)
            if not part:
                raise EOFError("the server closed the connection")
            self.left += part
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def receive(self):
        """The next message; EOFError with the reason if it is the end."""
        text = b""
        while True:
            first, size = self.take(2)
            size &= 0x7F
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            payload = self.take(size)
            if first & 0xF == 8:
                raise EOFError("closed: %d" % struct.unpack(">H", payload[:2])[0])
            if first & 0xF in (9, 10):
                continue
            text += payload
            if first & 0x80:
                return text.decode()

    def ask_all(self, *questions):
        self.number += 1
        self.send(json.dumps({"n": self.number, "ask": list(questions)}))
        reply = json.loads(self.receive())
        while "debugger" in reply:
            self.told.append(reply["debugger"])
            reply = json.loads(self.receive())
        assert reply["n"] == self.number, reply
        return reply["answers"]

    def news(self):
        """What the debugger does next, or has done since the last call."""
        return self.told.pop(0) if self.told else json.loads(self.receive())["debugger"]

    def ask(self, what, **fields):
        return self.ask_all({"what": what, **fields})[0]

    def close(self):
        self.socket.close()
