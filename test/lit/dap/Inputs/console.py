"""The console of an IDE, and stops at exceptions."""
import re

from session import Client

client = Client()
client.launch()
client.request("setFunctionBreakpoints", breakpoints=[{"name": "look"}])
client.go("continue")
client.go("next")
frames = client.frames()
here, outer, outermost = (frame["id"] for frame in frames[:3])


def evaluate(text, context, frame):
    return client.request("evaluate", expression=text, context=context, frameId=frame)["result"]


asked = ["first.level", "first.open", "(long)first.level", "(short)first.balance", "(float)first.balance",
         "(char *)first.name", "(int *)&first.balance", "*(int *)&first.balance", "first.name[1]", "first.flags",
         "bank.accounts[0]->level"]
values = {"first.level": "8", "(short)first.balance": "-1157", "bank.accounts[0]->level": "7", "(long)first.level": "8"}
same = 0
for frame in here, outer, outermost:
    for text in asked:
        watched, typed = evaluate(text, "watch", frame), evaluate(text, "repl", frame)
        # "(type) value", where the type is known.
        assert typed == watched or re.fullmatch(r"\(.*?\) " + re.escape(watched), typed), (text, watched, typed)
        assert watched == values.get(text, watched), (text, watched)
        same += 1
print("typed as watched:", same)
before = evaluate("bank.accounts[0]->level", "hover", here)
for frame in outer, outermost:
    told = client.request("rewind/eval", arguments=["bank.accounts[0]->balance"], frameId=frame)["items"]
    assert [item["value"] for item in told] == ["-1157"], told
    told = client.request("rewind/last-write", arguments=["bank.accounts[0]->balance"], frameId=frame)["items"]
    assert told[0]["new_text"] == "-1157", told
print("globals in 3 frames")


def completed(text):
    return {t["label"] for t in client.request("completions", text=text, column=len(text) + 1, frameId=here)["targets"]}


assert {"last-write", "last-read"} <= completed("rewind la"), completed("rewind la")
assert "goto" in completed("rewind ") and "first" in completed("rewind last-write fir")
print("completed")

# Rewind asks questions of its own after each stop: those are not what Return repeats.
typed = client.request("evaluate", expression="rewind where", context="repl", frameId=here)["result"]
again = client.request("evaluate", expression="", context="repl", frameId=here)["result"]
assert typed == again and "#" in typed, (typed, again)
print("nothing repeats rewind where")

(scope,) = (s for s in client.request("scopes", frameId=here)["scopes"] if s["name"] == "Locals")
(a,) = client.request("variables", variablesReference=scope["variablesReference"])["variables"]
members = client.request("variables", variablesReference=a["variablesReference"])["variables"]
assert {"name", "level"} <= {m["name"] for m in members}, members
print("refused:", client.refused("setVariable", variablesReference=a["variablesReference"], name="balance", value="1"))
info = client.request("dataBreakpointInfo", variablesReference=a["variablesReference"], name="level")
assert info["dataId"] and "level" in info["description"], info
client.request("setFunctionBreakpoints", breakpoints=[])
client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
reason, _ = client.go("continue")
assert reason == "data breakpoint" and evaluate("first.level", "watch", client.frames()[0]["id"]) == "9", reason
client.request("setDataBreakpoints", breakpoints=[])
print("a bit-field is watched")

client.request("setExceptionBreakpoints", filters=["cpp_throw"])
told = []
for command in "continue", "continue", "reverseContinue":
    client.request(command, threadId=client.thread)
    stop = client.event("stopped")
    client.event("rewind/position")
    if stop["reason"] == "exception":
        told.append(stop["description"])
print(", ".join(told))
client.close()
