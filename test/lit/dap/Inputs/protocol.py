"""A small client of the Debug Adapter Protocol, for scripts that are called as
<script> <lldb-dap command>... -- <arguments>."""
import json
import subprocess
import sys

split = sys.argv.index("--")
server = subprocess.Popen(sys.argv[1:split], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
arguments = sys.argv[split + 1 :]
sequence, pending = 0, []


def receive():
    length = 0
    while True:
        line = server.stdout.readline()
        assert line, "lldb-dap ended"
        if line == b"\r\n":
            break
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(server.stdout.read(length))


def event(name):
    """The next event of that name."""
    for i, message in enumerate(pending):
        if message.get("event") == name:
            return pending.pop(i)
    while True:
        message = receive()
        if message.get("event") == name:
            return message
        if message["type"] == "event":
            pending.append(message)


def send(command, **arguments):
    global sequence
    sequence += 1
    body = json.dumps(
        {"seq": sequence, "type": "request", "command": command, "arguments": arguments}
    ).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()
    return sequence


def wait(number, command):
    while True:
        message = receive()
        if message["type"] == "response" and message["request_seq"] == number:
            assert message["success"], (command, message)
            return message.get("body", {})
        if message["type"] == "event":
            pending.append(message)


def request(command, **arguments):
    return wait(send(command, **arguments), command)


def stopped(what):
    body = event("stopped")["body"]
    print(what + ": stopped, " + body["reason"] + ", " + body.get("description", ""))
    return body["threadId"]


def stack(thread):
    frames = request("stackTrace", threadId=thread)["stackFrames"]
    print("stack: " + ", ".join(f["name"].split("(")[0] for f in frames))
    return frames


def console(command):
    pending[:] = [m for m in pending if m.get("event") != "stopped"]
    return request("evaluate", expression="`" + command, context="repl")


def attach(commands, functions):
    """Attaches with those commands and breakpoints on those functions; returns
    the thread that stopped."""
    request("initialize", adapterID="lldb", linesStartAt1=True, columnsStartAt1=True)
    number = send("attach", attachCommands=commands, stopOnEntry=True)
    event("initialized")
    request("setFunctionBreakpoints", breakpoints=[{"name": f} for f in functions])
    request("configurationDone")
    wait(number, "attach")
    thread = stopped("attached")
    request("threads")
    return thread


def variables(frame, scope):
    """Those of one scope of a frame, by name."""
    scopes = request("scopes", frameId=frame["id"])["scopes"]
    reference = next(s for s in scopes if s["name"] == scope)["variablesReference"]
    return {
        v["name"]: v["value"]
        for v in request("variables", variablesReference=reference)["variables"]
    }


def disconnect():
    request("disconnect")
    assert server.wait(20) == 0
    print("disconnected")
