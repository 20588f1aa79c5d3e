"""Who stops what runs is heard, also while LLDB tests a breakpoint's condition."""

import statistics
import time

from session import Client

# The recording cannot decide it, so that LLDB stops at each visit, and goes on.
FALSE = "sizeof(int[1]) == 300 ? 1 : 0"
REPL = lambda text: ("evaluate", {"expression": text, "context": "repl"})
PAUSE = ("pause", {"threadId": 1})

client = Client()
client.launch(["main"])
start = client.go("continue")[1]["position"]
client.request("setFunctionBreakpoints", breakpoints=[{"name": "visit", "condition": FALSE}])


times = {"pause": [], "evaluate": []}


def runs(move, arguments, stop, behind=()):
    """Where it stops."""
    client.events = []
    asked = [client.send(move, **arguments)] + [client.send(name, **more) for name, more in behind]
    time.sleep(0.3)
    began = time.time()
    answer = client.response(client.send(stop[0], **stop[1]))
    assert answer["success"] and "error" not in str(answer), answer
    reason, at = client.stop()
    assert reason == "pause", (move, stop, reason)
    times[stop[0]].append(time.time() - began)
    assert all(client.response(number)["success"] for number in asked)
    client.request("rewind/where")
    # That it runs is told once at most, and one stop.
    told = [e["event"] for e in client.events if e["event"] in ("continued", "stopped", "thread", "rewind/position")]
    assert told in ([], ["continued"]), told
    return at["position"]


FORWARD, BACK = ("continue", {"threadId": 1}), ("reverseContinue", {"threadId": 1})
STOPS = [PAUSE] * 4 + [REPL(text) for text in ("process interrupt", "`process interrupt", " proc int", "`proce i")]
for first in FORWARD, REPL("continue"):
    for stop in STOPS:
        here = client.request("rewind/where")["position"]
        assert runs(*first, stop) > here
print("forward: each is stopped by one word")
for stop in [PAUSE] * 6 + [REPL("process interrupt")]:
    here = client.request("rewind/where")["position"]
    there = runs(*BACK, stop)
    assert there <= here
    # Whoever goes on then goes forward again.
    assert runs(*FORWARD, PAUSE) >= there, "it goes on backwards"
# Nobody waits in vain for whom he keeps waiting: that took three seconds.
assert all(statistics.median(t) < 1.5 and max(t) < 20 for t in times.values()), times
print("backwards, too")

# What was typed, or asked for, before is done when it stands.
here = client.request("rewind/where")["position"]
client.events = []
numbers = [client.send(name, **arguments) for name, arguments in (
    FORWARD, REPL("p 1+2"), ("rewind/where", {}), ("stepBack", {"threadId": 1, "granularity": "instruction"}), PAUSE)]
reason, at = client.stop()
assert reason == "pause" and at["position"] >= here, (reason, at)
stepped = client.stop()
answers = [client.response(number) for number in numbers]
assert all(answer["success"] for answer in answers), answers
assert "3" in answers[1]["body"]["result"] and answers[2]["body"]["position"] == at["position"], answers
assert stepped[0] in ("step", "breakpoint") and stepped[1]["position"] == at["position"] - 1, (stepped, at)
print("the rest waits for the stop")

# A breakpoint that is hit at that time is one; when nothing runs nothing is stopped.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "visit", "condition": "x != 0 ? 1 : 0"}])
reason, at = client.go("continue")
assert reason == "breakpoint", reason
reasons, place = set(), at["function_offset"]
for wait in range(12):
    number = client.send(FORWARD[0], **FORWARD[1])
    time.sleep(wait / 4000)
    paused = client.send(PAUSE[0], **PAUSE[1])
    before, (reason, at) = at["position"], client.stop()
    reasons.add(reason)
    hit = at["function"] == "visit" and at["function_offset"] == place and at["position"] > before
    assert reason == ("breakpoint" if hit else "pause"), (reason, at)
    client.response(paused)
    client.response(number)
assert "breakpoint" in reasons, reasons
client.request("setFunctionBreakpoints", breakpoints=[])
client.close()
print("a breakpoint is one")
