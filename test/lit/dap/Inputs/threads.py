"""Two CPUs in an IDE: each move is one stop, of the thread that moved."""

import json

from session import Client, index, program, trace

client = Client()
client.launch()
assert client.request("threads")["threads"] and len(client.request("threads")["threads"]) == 2


def move(thread, command, **arguments):
    """The reason and the position; the stop is this thread's."""
    if not command.startswith("rewind/"):
        arguments["threadId"] = thread
    client.request(command, **arguments)
    body = client.event("stopped")
    assert body["threadId"] == thread and body["threadCausedFocus"], body
    at = client.event("rewind/position")
    assert at["thread"] == thread, (thread, at)
    # Nobody has asked for the scopes of a frame.
    where = client.request("rewind/where")
    assert (where["thread"], where["position"]) == (thread, at["position"]), (where, at)
    # Whoever tells of another stop, or position, does so before this is answered.
    client.request("threads")
    left = [e for e in client.events if e["event"] in ("stopped", "rewind/position")]
    assert not left, left
    return body["reason"], at["position"]


# A thread at its end keeps that reason while the other one steps.
assert move(1, "rewind/goto", arguments=["1:#168"])[0] == "goto"
first = [move(2, "next", granularity="instruction") for _ in range(2)]
assert first == [("step", 165), ("step", 166)], first
back = [move(2, "stepBack", granularity="instruction") for _ in range(2)]
assert back == [("step", 165), ("step", 164)], back
assert move(1, "stepBack", granularity="instruction") == ("step", 167)
assert move(2, "next", granularity="instruction")[0] == "step"
assert move(1, "stepBack", granularity="instruction")[0] == "step"
print("one stop for each move")

# What is asked of a frame is asked of its thread, whichever was asked about before.
places = {thread: client.request("rewind/where", threadId=thread) for thread in (1, 2)}
assert all(place["thread"] == thread for thread, place in places.items()), places
top = {thread: client.request("stackTrace", threadId=thread)["stackFrames"][0]["id"] for thread in (1, 2)}
for thread in (1, 2, 2, 1):
    told = "%d:#%d of " % (thread, places[thread]["position"])
    for line in ("rewind where", "`rewind where"):
        said = client.request("evaluate", expression=line, context="repl", frameId=top[thread])["result"]
        assert said.startswith(told), (thread, said)
    assert client.request("rewind/where") == places[thread]
    other = 3 - thread
    assert client.request("rewind/where", frameId=top[other]) == places[other]
    scopes = client.request("scopes", frameId=top[thread])["scopes"]
    # A watch that lldb-dap does not evaluate, in another frame.
    client.request("evaluate", expression="1 ? $pc : 0.5", context="watch", frameId=top[other])
    rows = client.request("variables", variablesReference=scopes[-1]["variablesReference"])["variables"]
    assert ("position", str(places[thread]["position"])) in [(row["name"], row["value"]) for row in rows], rows
    assert client.request("rewind/where") == places[thread]
client.request("restartFrame", frameId=top[1])
assert client.event("stopped")["threadId"] == client.event("rewind/position")["thread"] == 1
print("frames and threads are those asked about")

# Who names a thread, or a frame, that is not there is not answered for another one,
# and nobody is moved.
client.request("rewind/goto", arguments=["2:#100"])
client.event("rewind/position")
client.request("rewind/where", threadId=1)
here = {thread: client.request("rewind/where", threadId=thread) for thread in (2, 1)}
client.events = []
BAD = [("threadId", value) for value in (99, -1, 0, "x", 1.5, [2], 2**63)]
BAD += [("frameId", value) for value in (999999, -1, 0, 1, "x", 1.5, {}, 99 << 19, 2**63)]
for key, value in BAD:
    told = "there is no %s %s" % (key[:-2], json.dumps(value, separators=(",", ":")))
    for name in "rewind/where", "rewind/calls_where", "rewind/reverse-step", "rewind/goto", "rewind/forward":
        arguments = {"arguments": ["#5"]} if name == "rewind/goto" else {}
        assert client.refused(name, **{key: value}, **arguments) == told, (name, key, value)
    if key == "threadId":
        for name in "stepBack", "reverseContinue":
            assert client.refused(name, threadId=value) == told, (name, value)
    else:
        assert client.refused("restartFrame", frameId=value).startswith(told if type(value) is int and value < 2**63 else ""), value
    # Where one looked one looks still.
    assert client.request("rewind/where") == here[1], (key, value)
assert {thread: client.request("rewind/where", threadId=thread) for thread in (1, 2)} == here
assert not [e for e in client.events if e["event"] in ("stopped", "continued")], client.events
client.close()
print("a thread that is not there is refused")

# A client need not have asked for threads: each is moved as it says.
client = Client()
client.request("initialize", adapterID="lldb")
number = client.send("launch", trace=trace, program=program, index=index)
client.event("initialized")
client.request("configurationDone")
assert client.response(number)["success"] and client.event("stopped")["reason"] == "entry"
client.event("rewind/position")
client.request("rewind/goto", arguments=["1:#168"])
client.event("stopped")
client.event("rewind/position")
client.request("stepBack", threadId=2, granularity="instruction")
assert client.event("stopped")["threadId"] == 2 and client.event("rewind/position")["thread"] == 2
client.close()
print("without asking for threads")
