"""Two CPUs in an IDE: each move is one stop, of the thread that moved."""

from session import Client

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
client.close()
print("one stop for each move")
