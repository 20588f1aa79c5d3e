"""Who is not the page, or does not know the token, learns nothing; and whatever
is sent, the server lives: security.py <rewind> <trace>"""

import gzip
import json
import resource
import socket
import sys
import time

from viewer import Page, Viewer

rewind, trace = sys.argv[1:]
viewer = Viewer(rewind, trace)
host = "127.0.0.1:%d" % viewer.port
bad = 0


def expect(what, good, detail=""):
    global bad
    if not good:
        bad += 1
        print("FAILED:", what, detail)


# The page itself, and what comes with it.
status, headers, body = viewer.get("/")
expect("the page", status == 200 and b'<div id="page">' in gzip.decompress(body), status)
policy = headers.get("Content-Security-Policy", "")
for part in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
             "base-uri 'none'", "form-action 'none'"):
    expect("policy", part in policy, policy)
expect("nosniff", headers.get("X-Content-Type-Options") == "nosniff")
expect("no referrer", headers.get("Referrer-Policy") == "no-referrer")
expect("no CORS", not any(h.lower().startswith("access-control") for h in headers))
expect("no cookie", "Set-Cookie" not in headers)
for name in "localhost", "[::1]", "LocalHost":
    expect("host " + name, viewer.get("/", host="%s:%d" % (name, viewer.port))[0] == 200)
expect("HEAD", viewer.get("/", method="HEAD")[::2] == (200, b""))
for path in "/page.js", "/page.css", "/favicon.svg":
    expect(path, viewer.get(path)[0] == 200)

# Wrong hosts: rebinding, prefixes, suffixes, other ports, none, two.
for name in ("evil.example:%d", "127.0.0.1.evil.example:%d", "localhost.evil.example:%d", "evil-localhost:%d",
             "127.0.0.1@evil.example:%d", "127.1:%d", "0.0.0.0:%d", "[::ffff:127.0.0.1]:%d", "127.0.0.1:+%d",
             "127.0.0.1:%d:80", "127.0.0.1:0%d00"):
    expect("host " + name, viewer.get("/", host=name % viewer.port)[0] == 403)
for name in "127.0.0.1", "localhost", "127.0.0.1:1", "[::1]", " ":
    expect("host " + name, viewer.get("/", host=name)[0] in (400, 403))
answer = viewer.exchange(b"GET / HTTP/1.1\r\n\r\n")
expect("no host", answer.startswith(b"HTTP/1.1 403"), answer[:40])
answer = viewer.exchange(b"GET / HTTP/1.1\r\nHost: %s\r\nHost: %s\r\n\r\n" % (host.encode(), host.encode()))
expect("two hosts", answer.startswith(b"HTTP/1.1 403"), answer[:40])
answer = viewer.exchange(b"GET http://evil.example/ HTTP/1.1\r\nHost: %s\r\n\r\n" % host.encode())
expect("another's path", answer.startswith(b"HTTP/1.1 404"), answer[:40])

# Other origins, other sites.
expect("own origin", viewer.get("/", Origin="http://" + host)[0] == 200)
for origin in "http://evil.example", "null", "http://localhost:%d" % viewer.port, "https://" + host, "http://" + host + "/":
    expect("origin " + origin, viewer.get("/", Origin=origin)[0] == 403)
for site in "cross-site", "same-site", "nonsense":
    expect("site " + site, viewer.get("/page.js", Sec_Fetch_Site=site)[0] == 403)
expect("a link that is followed", viewer.get(
    "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document")[0] == 200)
expect("a frame", viewer.get(
    "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="iframe")[0] == 403)

# Other methods, bodies, paths.
status, headers, _ = viewer.get("/", method="POST", body=b"a=b", Content_Type="application/x-www-form-urlencoded")
expect("form", status == 405 and headers.get("Allow") == "GET, HEAD", status)
for method in "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW":
    expect(method, viewer.get("/", method=method)[0] in (400, 405))
expect("GET with a body", viewer.get("/", body=b"x")[0] == 400)
for path in "/etc/passwd", "/../../etc/passwd", "//", "/page.js/", "/page.js?x", "/%2e%2e/", "/index.html", "/sample.tarmac":
    expect(path, viewer.get(path)[0] == 404, path)
status, headers = viewer.get("/ask")[:2]
expect("questions without a WebSocket", status == 426 and headers.get("Upgrade") == "websocket", status)
expect("a long path", viewer.exchange(b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n")[9:12] in (b"431", b""))
expect("many headers", viewer.exchange(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 10000 + b"\r\n")[9:12] in (b"431", b""))
expect("no request", viewer.exchange(b"\x16\x03\x01\x00\x00 hello\r\n\r\n")[9:12] in (b"400", b""))

# The token: by the first message, else nothing is told.
expect("WebSocket of another origin", Page(viewer, token=False, Origin="http://evil.example").status == 403)
expect("WebSocket at another path", viewer.get(
    "/", Upgrade="websocket", Connection="Upgrade", Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==",
    Sec_WebSocket_Version="13")[0] == 404)
wrong = [
    '{"token": "%s"}' % ("0" * 32), '{"token": "%s"}' % viewer.token[:-1], '{"token": "%s0"}' % viewer.token, '{"token": ""}',
    '{"token": 5}', "{}", "[]", "", "nonsense", '{"n": 1, "ask": [{"what": "hello"}]}', viewer.token, "[" * 60000,
]
for first in wrong:
    page = Page(viewer, token=False)
    expect("upgrade", page.status == 101)
    try:
        page.send(first)
        page.send('{"n": 1, "ask": [{"what": "hello"}]}')
        expect("token " + first[:40], False, page.receive())
    except (EOFError, ConnectionResetError, BrokenPipeError) as end:
        expect("how it ends", "4001" in str(end) or not isinstance(end, EOFError), str(end))
    page.close()

# Messages that are none; the page stays.
page = viewer.page()
for message in ("", "{", "[]", "5", '"x"', "{}", '{"n": 1}', '{"n": -1, "ask": []}', '{"n": 1.5, "ask": []}', '{"n": 1, "ask": {}}',
                '{"n": 1, "ask": [5]}', '{"n": 1, "ask": [{}]}', '{"n": 1, "ask": [{"what": 5}]}', "[" * 60000,
                '{"n": 1, "ask": [%s]}' % ",".join(['{"what": "hello"}'] * 65)):
    page.send(message)
    told = json.loads(page.receive())
    expect("message " + message[:30], "error" in told)
    # Whoever waits for a number gets to know what became of it.
    expect("number of " + message[:30], told.get("n") == (1 if message.startswith('{"n": 1') and "1.5" not in message else None), told)
unknown = page.ask("shell", command="id")
expect("unknown verb", "error" in unknown, unknown)
for fields in ({"at": -1}, {"at": 1 << 60}, {"at": "0"}, {"at": 0, "thread": 0}, {"at": 0, "thread": 99}, {"at": 0, "before": 1 << 40},
               {"at": 0, "folds": 5}, {"at": 0, "folds": "x"}, {"at": 0, "folds": "1," * 60000}, {}):
    message = page.ask_all({"what": "rows", **fields})[0] if len(str(fields)) < 60000 else {"error": "not sent"}
    expect("rows %s" % str(fields)[:40], "error" in message, message)
# Values are never taken for options, nor for a command.
for of in "--output=/tmp/rewind-view-test", "-h", "--at 5", "; id", "$(id)", "x0 --json":
    expect("location " + of, "error" in page.ask("history", of=of))
expect("an option that is not allowed", "goto" not in str(page.ask("history", of="x0", count="1", goto=True)))
expect("an option's value", "error" in page.ask("history", of="x0", count="1 --goto"))
expect("no file by its name", "error" in page.ask("source", file="/etc/passwd"))
expect("no file by a number of nothing", "error" in page.ask("source", file=0))
# Larger than a message may be: that page goes, others stay.
large = viewer.page()
large.send('{"n": 1, "ask": [], "x": "' + "a" * 70000 + '"}')
try:
    expect("large", False, large.receive()[:50])
except (EOFError, ConnectionResetError):
    pass
large.close()
# Who sends what is no WebSocket frame.
junk = viewer.page()
junk.socket.sendall(b"\xff" * 1000)
try:
    while True:
        junk.receive()
except (EOFError, ConnectionResetError):
    pass
junk.close()
expect("the page is answered after all that", page.ask("hello")["trace"].endswith(".tarmac"))

def settled(descriptors):
    """Whether the server holds so many, soon."""
    deadline = time.time() + 20
    while viewer.descriptors() > descriptors and time.time() < deadline:
        time.sleep(0.05)
    return viewer.descriptors() == descriptors


# A page that is about to tell the token is not pushed out by those who say nothing.
before_floods = viewer.descriptors()
for flood in b"", b"GET / HT", b"GET / HTTP/1.1\r\na: b\r\n":
    guests = [Page(viewer, token=False) for _ in range(5)]
    silent = []
    for n in range(1000):
        silent.append(viewer.connect())
        silent[-1].sendall(flood)
        if n >= 700:
            silent[n - 700].close()
    for guest in guests:
        guest.send('{"token": "%s"}' % viewer.token)
        try:
            told = guest.receive()
        except (EOFError, ConnectionError) as end:
            told = str(end)
        expect("a page beside a flood of %r" % flood, told == '{"known":true}', told)
        guest.close()
    for s in silent:
        s.close()
expect("floods leave nothing", settled(before_floods))

# Half-open connections, all held open here: those that say nothing, half a
# request, as much of a header as is read, or nothing (or half a message) behind
# the upgrade. The server holds few of them, and little for each.
Half, Held = 10000, 512
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (Half + 200, hard))
upgrade = (b"GET /ask HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n" % host.encode())
halves = [b"", b"GET / HT", b"GET / HTTP/1.1\r\na: " + b"b" * 16000, upgrade, upgrade + b"\x81\xfe\xea\x60\0\0\0\0" + b"x" * 59999]
usual, most, slowest = viewer.anonymous(), 0, 0
open_before = viewer.descriptors()
idle = []
for n in range(Half):
    s = socket.create_connection(("127.0.0.1", viewer.port), timeout=20)
    try:
        s.sendall(halves[n % len(halves)])
    except (BrokenPipeError, ConnectionResetError):
        pass  # dropped already
    idle.append(s)
    if n % 500 == 499:
        began = time.time()
        expect("the page is answered beside %d" % (n + 1), "trace" in page.ask("hello"))
        slowest = max(slowest, time.time() - began)
        most = max(most, viewer.descriptors() - open_before)
expect("half-open connections", len(idle) == Half, len(idle))
expect("quickly", slowest < 2, slowest)
expect("the server holds few of them", most <= Held, most)
grown = viewer.anonymous() - usual
expect("and little memory", viewer.sanitized() or grown < 16 << 20, grown)
expect("a new one is served, too", viewer.get("/")[0] == 200)
fresh = viewer.page()
expect("and it may ask", "trace" in fresh.ask("hello"))
told = set()
for s in idle:
    s.setblocking(False)
    try:
        told.add(s.recv(1 << 16).split(b"\r\n")[0])
    except (BlockingIOError, ConnectionResetError):
        pass
expect("they are told nothing", told <= {b"", b"HTTP/1.1 101 Switching Protocols", b"HTTP/1.1 431 Request Header Fields Too Large"}, told)
for s in idle:
    s.close()
expect("none is left", settled(open_before + 1), viewer.descriptors() - open_before)

# Where the system gives few file descriptors, those who say nothing make room, too.
poor = Viewer(rewind, trace, descriptors=60)
page = poor.page()
idle = []
for n in range(300):
    idle.append(poor.connect())
    idle[-1].sendall(b"GET / HT")
began = time.time()
expect("the page is answered without descriptors", "trace" in page.ask("hello"))
expect("a new one is served without descriptors", poor.get("/")[0] == 200)
expect("within their silence", time.time() - began < 3, time.time() - began)
expect("Ctrl-C without descriptors", poor.stop()[0] == 130)
status, errors = viewer.stop()
expect("Ctrl-C", status == 130 and "interrupted" not in errors.replace("rewind: interrupted", ""), (status, errors))
if not bad:
    print("nobody learned anything, and the server lives")
