#!/usr/bin/env python3
"""What a user of an IDE waits for: steps through `rewind dap`, and the end of an
indexing that is cancelled. Prints JSON; fails if it is more than was promised.

    dap.py <rewind> dap --plugin <plugin> --no-lldbinit -- steps <trace> <program> [<position>]
    dap.py <rewind> dap --plugin <plugin> --no-lldbinit -- cancel <trace> <program>
    dap.py <rewind> dap --plugin <plugin> --no-lldbinit -- reopen <trace> <program>

`steps` compares Step Back with Step Over between the same places, in the middle
of the trace or around that position: medians, of the time from the request to the stop. `cancel` makes
an index of its own, and cancels that at 10 %. `reopen` loads a trace that has its
index: one does not wait for that. Also part of bench.py (--only ide).
"""
import glob
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lit", "dap", "Inputs"))
from protocol import arguments, event, receive, request, send, server, wait  # noqa: E402

STEPS = 600
RATIO = 1.5  # of a step back and a step
SECONDS = 1  # until a cancelled indexing has ended


def launch(trace, program, index):
    request("initialize", adapterID="lldb", linesStartAt1=True, columnsStartAt1=True, supportsProgressReporting=True)
    return send("launch", trace=trace, program=program, index=index)


def steps(trace, program, middle="50%"):
    number = launch(trace, program, trace + ".rewind")
    event("initialized")
    request("configurationDone")
    wait(number, "launch")
    event("stopped")
    event("rewind/position")
    request("threads")
    request("rewind/goto", arguments=[middle])
    thread = event("stopped")["body"]["threadId"]
    event("rewind/position")

    def walk(command, length=10):
        times, places = [], []
        for _ in range(length):
            begun = time.monotonic()
            send(command, threadId=thread)
            event("stopped")
            times.append(time.monotonic() - begun)
            places.append(event("rewind/position")["body"]["position"])
        assert places == sorted(places, reverse=command == "stepBack"), places
        return [1e3 * t for t in times]

    walk("next"), walk("stepBack")
    there, back = [], []
    while len(there) < STEPS:
        # In turns: the machine may be another's for a while.
        there += walk("next")
        back += walk("stepBack")
    found = {"next, ms": statistics.median(there), "stepBack, ms": statistics.median(back)}
    found["stepBack / next"] = found["stepBack, ms"] / found["next, ms"]
    assert found["stepBack / next"] < RATIO, found
    return found


def cancel(trace, program):
    index = trace + ".cancelled"
    for left in glob.glob(index + "*"):
        os.remove(left)
    number = launch(trace, program, index)
    loading = event("progressStart")["body"]
    assert loading["cancellable"], loading
    percentage = 0
    while percentage < 10:
        percentage = event("progressUpdate")["body"].get("percentage", 0)
    begun = time.monotonic()
    send("cancel", progressId=loading["progressId"])
    while True:
        message = receive()
        if message.get("event") == "initialized":
            send("configurationDone")  # lldb-dap answers the launch after it
        if message["type"] == "response" and message["request_seq"] == number:
            break
    took = time.monotonic() - begun
    assert not message["success"] and percentage < 100, (percentage, message)
    # Who cancels needs no box that says so.
    assert message["body"]["error"]["showUser"] is False, message
    left = glob.glob(index + "*")
    assert not left, left
    # Others may use the machine.
    assert took < SECONDS * max(1, os.getloadavg()[0] / os.cpu_count()), took
    return {"cancelled at, %": percentage, "ended after, s": took}


def reopen(trace, program):
    begun = time.monotonic()
    number = launch(trace, program, trace + ".rewind")
    event("initialized")
    request("configurationDone")
    wait(number, "launch")
    event("stopped")
    took = time.monotonic() - begun
    assert took < SECONDS * max(1, os.getloadavg()[0] / os.cpu_count()), took
    return {"open again, s": took}


if __name__ == "__main__":
    what, *of = arguments
    print(json.dumps({"steps": steps, "cancel": cancel, "reopen": reopen}[what](*of)))
    request("disconnect")
    assert server.wait(20) == 0
