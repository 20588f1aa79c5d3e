"""A client of `rewind dap` on a recorded program. Whoever imports it is called with

    <rewind> <plugin> <trace> <program> <index>
"""

import json
import os
import re
import subprocess
import sys

rewind, plugin, trace, program, index = sys.argv[1:]
COMMAND = [rewind, "dap", "--plugin", plugin, "--no-lldbinit"]


class Client:
    """Checks the framing, the sequence numbers and that each request is answered
    once."""

    def __init__(self, stream=None, command=COMMAND):
        self.process = None if stream else subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.input = stream or self.process.stdin
        self.output = stream or self.process.stdout
        self.sequence, self.last, self.events, self.responses, self.asked = 0, 0, [], {}, set()

    def receive(self):
        length = None
        while True:
            line = self.output.readline()
            if not line:
                raise EOFError
            if line == b"\r\n":
                break
            name, value = line.split(b":")
            assert name == b"Content-Length"
            length = int(value)
        message = json.loads(self.output.read(length))
        assert message["seq"] == self.last + 1, message
        self.last = message["seq"]
        if message["type"] == "event":
            self.events.append(message)
        else:
            assert message["request_seq"] in self.asked, message
            self.asked.remove(message["request_seq"])
            self.responses[message["request_seq"]] = message

    def send(self, command, **arguments):
        self.sequence += 1
        self.asked.add(self.sequence)
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.input.flush()
        return self.sequence

    def response(self, number):
        while number not in self.responses:
            self.receive()
        return self.responses.pop(number)

    def request(self, command, **arguments):
        message = self.response(self.send(command, **arguments))
        assert message["success"] and message["command"] == command, message
        return message.get("body", {})

    def refused(self, command, **arguments):
        message = self.response(self.send(command, **arguments))
        assert not message["success"], message
        assert message["body"]["error"]["showUser"] != command.startswith("rewind/"), message
        return message["message"]

    def event(self, name):
        while True:
            for i, message in enumerate(self.events):
                if message["event"] == name:
                    return self.events.pop(i).get("body", {})
            self.receive()

    def launch(self, functions=(), request="launch", configure=None, **arguments):
        body = self.request("initialize", adapterID="lldb", linesStartAt1=True, columnsStartAt1=True,
                            supportsProgressReporting=True)
        for can in ("supportsStepBack", "supportsGotoTargetsRequest", "supportsRestartFrame", "supportsRestartRequest"):
            assert body[can], body
        number = self.send(request, trace=trace, program=program, index=index, **arguments)
        self.event("initialized")
        self.request("setFunctionBreakpoints", breakpoints=[{"name": f} for f in functions])
        if configure:
            configure()
        self.request("configurationDone")
        answer = self.response(number)
        assert answer["success"] and answer["command"] == request, answer
        stop = self.event("stopped")
        assert stop["reason"] == "entry", stop
        self.thread = stop["threadId"]
        assert self.event("rewind/position")["position"] == 0
        self.request("threads")

    def go(self, command, **arguments):
        """A move: why it stopped, and where."""
        self.request(command, threadId=self.thread, **arguments)
        return self.stop()

    def stop(self):
        body = self.event("stopped")
        assert body["reason"] != "exception", body
        return body["reason"], self.event("rewind/position")

    def end(self):
        """What is said of the end of lldb-dap."""
        text = ""
        while "lldb-dap has ended" not in text:
            text = self.event("output")["output"]
        self.event("terminated")
        return text

    def frames(self):
        return self.request("stackTrace", threadId=self.thread)["stackFrames"]

    def where(self):
        frames = self.frames()
        return len(frames), frames[0]["name"].split("(")[0], frames[0].get("line")

    def close(self):
        self.request("disconnect")
        if self.process:
            assert self.process.wait(20) == 0


def children(pid):
    return [int(c) for c in open("/proc/%d/task/%d/children" % (pid, pid)).read().split()]


def alive(pid):
    try:
        return not re.search(r"^State:\t[ZX]", open("/proc/%d/status" % pid).read(), re.M)
    except (FileNotFoundError, ProcessLookupError):
        return False
