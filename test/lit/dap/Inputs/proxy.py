"""Time travel in an IDE: a client of `rewind dap` on a recorded program."""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "view"))
from viewer import Served  # noqa: E402
from session import COMMAND, Client, alive, children, index, program, trace

SOURCE = "shop.c"

client = Client()
client.launch(["main"])
reason, _ = client.go("continue")
assert reason == "breakpoint"
# How many frames there are is known once the last one was asked for.
client.request("stackTrace", threadId=client.thread, startFrame=0, levels=1)
count = client.request("stackTrace", threadId=client.thread, startFrame=1, levels=19)["totalFrames"]
assert count == len(client.frames())
assert client.request("stackTrace", threadId=client.thread, startFrame=0, levels=1)["totalFrames"] == count
# Steps back mirror steps over.
there = [client.where()]
for _ in range(12):
    reason, _ = client.go("next")
    assert reason == "step", reason
    there.append(client.where())
for before in reversed(there[:-1]):
    reason, _ = client.go("stepBack")
    # The breakpoint at the beginning is hit on the way back.
    assert reason == ("breakpoint" if before is there[0] else "step") and client.where() == before, (reason, before)
print("12 steps over, 12 steps back: the same places")
client.request("setFunctionBreakpoints", breakpoints=[])
position = client.go("next")[1]["position"]
reason, after = client.go("stepBack", granularity="instruction")
assert reason == "step" and after["position"] == position - 1, (reason, position, after)
for granularity in ("statement", "line"):
    here = client.where()
    client.go("next")
    reason, _ = client.go("stepBack", granularity=granularity)
    assert reason == "step" and client.where() == here, (here, client.where())
print("granularity: an instruction, or a line")

# Every hit forward is one back.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "count"}])
forward, back = [], []
while True:
    reason, at = client.go("continue")
    if reason == "history boundary":
        break
    forward.append(at["position"])
while True:
    reason, at = client.go("reverseContinue")
    if reason == "history boundary":
        break
    back.append(at["position"])
assert len(forward) == 9 and back[::-1] == forward, (forward, back)
print("breakpoints: 9 hits, mirrored")
client.request("setFunctionBreakpoints", breakpoints=[{"name": "count", "condition": "n == 0"}])
assert [client.go("continue")[0] for _ in range(3)] == ["breakpoint", "breakpoint", "history boundary"]
assert [client.go("reverseContinue")[0] for _ in range(3)] == ["breakpoint", "breakpoint", "history boundary"]
print("conditions: both ways")

# A watched expression, both ways.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "count"}])
assert client.go("continue")[0] == "breakpoint"
client.request("setFunctionBreakpoints", breakpoints=[])
frame = client.frames()[0]["id"]
info = client.request("dataBreakpointInfo", name="total", frameId=frame)
assert info["dataId"].endswith("/4"), info
client.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
hits = [client.go("continue") for _ in range(3)]
assert all(reason == "data breakpoint" for reason, _ in hits), hits
values = [client.request("evaluate", expression="total", frameId=client.frames()[0]["id"], context="watch")["result"]]
before = [client.go("reverseContinue") for _ in range(3)]
assert [at["position"] for _, at in before][::-1] == [at["position"] - 1 for _, at in hits], (hits, before)
client.request("setDataBreakpoints", breakpoints=[])
assert values == ["12"], values
# What is no place in memory cannot be watched: one line says so.
for name in "$x0", "$rewind_position", "total + 1":
    info = client.request("dataBreakpointInfo", name=name, frameId=client.frames()[0]["id"])
    assert info["dataId"] is None and info["description"] and "\n" not in info["description"], (name, info)
# What is too long to be watched is refused, here and when it is to be set; the rest is set.
info = client.request("dataBreakpointInfo", name="0x400000", bytes=-1, asAddress=True, frameId=client.frames()[0]["id"])
assert info["dataId"] is None, info
ids = ["400000/4", "banana", "400000/65537", "400000/18446744073709551615", "400000/0", "", "400008/8"]
told = client.request("setDataBreakpoints", breakpoints=[{"dataId": i, "accessType": "write"} for i in ids])["breakpoints"]
assert [b["verified"] for b in told] == [True] + [False] * 5 + [True], told
assert "at most 65536" in told[2]["message"] and "names no memory" in told[1]["message"], told
client.request("setDataBreakpoints", breakpoints=[])
print("data breakpoint on an expression: mirrored")

# Nothing is lost of what is asked for at once, and it is done in order.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "main"}])
client.go("restart")
client.go("continue")
client.request("setFunctionBreakpoints", breakpoints=[])
for _ in range(8):
    client.go("next")
numbers = [client.send(c, threadId=client.thread) for c in ("stepBack", "stepBack", "next", "stepBack", "stackTrace")]
stops = [client.stop() for _ in range(4)]
frames = client.response(numbers[-1])["body"]["stackFrames"]
assert all(client.response(n)["success"] for n in numbers[:4])
positions = [at["position"] for _, at in stops]
assert positions[1] < positions[0] < positions[2] or positions[0] == positions[2], positions
assert positions[3] == positions[1] and frames[0]["line"] == stops[3][1]["source_line"], positions
print("five at once: four stops, in order")

# A command in the console may be a move, and some requests are several commands
# of LLDB's: the move behind waits for them, and each move has its stop.
REPL = lambda text: ("evaluate", {"expression": text, "context": "repl"})
watch = lambda text: ("evaluate", {"expression": text, "context": "watch", "frameId": client.frames()[0]["id"]})
path = client.frames()[0]["source"]["path"]
MOVES = [REPL(text) for text in ("rs", "step", "rewind goto +7", "rewind back")]
QUIET = [lambda: REPL("rewind where"), lambda: ("gotoTargets", {"source": {"path": path}, "line": stops[0][1]["source_line"]}),
         lambda: watch("1 ? 2.5 : 0"), lambda: watch("nonesuch + 1")]
BEHIND = [("stepBack", {}), ("stepIn", {}), ("reverseContinue", {}), ("rewind/goto", {"arguments": ["+5"]}), REPL("rs")]
slow, client.events = [], []
for first, count in [(lambda m=m: m, 2) for m in MOVES] + [(q, 1) for q in QUIET]:
    for command, arguments in BEHIND:
        client.go("rewind/goto", arguments=["#%d" % stops[0][1]["position"]])
        name, wanted = first()
        began = time.time()
        numbers = [client.send(name, threadId=client.thread, **wanted), client.send(command, threadId=client.thread, **arguments)]
        told = [client.event("stopped") for _ in range(count)]
        answers = [client.response(n) for n in numbers]
        took = time.time() - began
        for _ in range(count):
            client.event("rewind/position")
        assert all(t["threadId"] == client.thread and t["reason"] for t in told), (name, wanted, command, told)
        assert answers[1]["success"] and answers[0]["success"] != ("nonesuch" in str(wanted)), (name, wanted, command, answers)
        assert not [e for e in client.events if e["event"] == "thread"], client.events
        if took > 2.5:
            slow.append((name, wanted, command, took))
# Without waiting it is LLDB's patience, each time.
assert len(slow) < 4, slow
client.events = []
client.go("rewind/goto", arguments=["#%d" % stops[3][1]["position"]])
print("a move behind a command: %d pairs, each with its stops" % (len(BEHIND) * (len(MOVES) + len(QUIET))))

# Nor does lldb-dap lose the stop of a move of its own by what is typed, or asked,
# right behind it.
FORWARD = [("next", {}), ("stepIn", {}), ("next", {"granularity": "instruction"}), ("stepOut", {}), ("continue", {})]
TYPED = [(REPL("rs"), 2), (REPL("rsi 3"), 2), (REPL("`rewind goto #5"), 2), (REPL("rewind back"), 2), (REPL("p 1+2"), 1),
         (REPL("rewind where"), 1), (("evaluate", {"expression": "$pc", "context": "watch"}), 1),
         (("evaluate", {"expression": "1 ? 2.5 : 0", "context": "hover"}), 1), (QUIET[1](), 1),
         (("variables", {"variablesReference": 0x3FFF0000}), 1),
         (("setBreakpoints", {"source": {"path": "/nowhere/shop.c"}, "breakpoints": [{"line": 1}]}), 1)]
slow, client.events, begin = [], [], stops[0][1]["position"]


def begin_at(position):
    client.go("rewind/goto", arguments=["#%d" % position])
    client.request("rewind/where")


for first, more in FORWARD:
    begin_at(begin)
    expected = [client.go(first, **more)]
    for (command, arguments), count in TYPED:
        if count == 2:
            begin_at(begin)
            client.go(first, **more)
            assert client.response(client.send(command, **arguments))["success"]
            expected[1:] = [client.stop()]
        begin_at(begin)
        began = time.time()
        numbers = [client.send(first, threadId=client.thread, **more), client.send(command, **arguments)]
        told = [client.stop() for _ in range(count)]
        assert all(client.response(n)["success"] for n in numbers), (first, arguments)
        took = time.time() - began
        client.request("rewind/where")
        assert [(reason, at["position"]) for reason, at in told] == [(r, at["position"]) for r, at in expected[:count]], (first, arguments, told)
        assert not [e for e in client.events if e["event"] in ("stopped", "thread", "rewind/position")], client.events
        client.events = []
        if took > 2.5:
            slow.append((first, arguments, took))
assert len(slow) < 4, slow
client.go("rewind/goto", arguments=["#%d" % stops[3][1]["position"]])
print("behind a move forward: %d pairs, each as one after the other" % (len(FORWARD) * len(TYPED)))

# What is asked for right behind a step, and comes too early for lldb-dap, is told.
for _ in range(20):
    for command in ("next", "stepBack"):
        numbers = [client.send(c, threadId=client.thread) for c in (command, "stackTrace", "threads")]
        client.stop()
        assert all(client.response(n)["success"] for n in numbers)

# Where the cursor is, before and after.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "count", "condition": "n == 0"}])
client.go("continue")
client.request("setFunctionBreakpoints", breakpoints=[])
frames = client.frames()
path = frames[0]["source"]["path"]
assert [f["name"].split("(")[0] for f in frames[:7]] == ["count"] * 6 + ["main"], frames
line = next(n for n, text in enumerate(open(path), 1) if "sum += price" in text)
targets = client.request("gotoTargets", source={"path": path}, line=line)["targets"]
assert len(targets) == 1 and targets[0]["label"].startswith("previous"), targets
reason, at = client.go("goto", targetId=targets[0]["id"])
assert reason == "goto" and at["source_line"] == line
targets = client.request("gotoTargets", source={"path": path}, line=line)["targets"]
assert [t["label"].split()[0] for t in targets] == ["previous"], targets
# nvim-dap names the file by an address.
address = "file://" + path.replace("h", "%68")
assert client.request("gotoTargets", source={"path": address}, line=line)["targets"] != []
assert "file://%zz" not in client.refused("gotoTargets", source={"path": "file://%zz/%2"}, line=line)
assert "no such target" in client.refused("goto", threadId=client.thread, targetId=9999)
print("jump to the cursor")

# Frames begin where they were called.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "count", "condition": "n == 0"}])
client.go("continue")
client.request("setFunctionBreakpoints", breakpoints=[])
frames = client.frames()
client.request("restartFrame", frameId=frames[3]["id"])
reason, at = client.stop()
assert reason == "goto" and at["function"] == "count" and at["function_offset"] == 0, at
# That one and its callers are left.
assert client.where()[0] == len(frames) - 3, (client.where(), len(frames))
# A part of _start is called, and jumps to main.
place = at["position"]
(main,) = (frame for frame in client.frames() if frame["name"] == "main")
client.request("restartFrame", frameId=main["id"])
reason, at = client.stop()
assert reason == "goto" and at["function"] == "main" and at["function_offset"] == 0, at
client.request("rewind/goto", arguments=[str(place)])
at = client.stop()[1]
print("restart a frame")

scopes = client.request("scopes", frameId=client.frames()[0]["id"])["scopes"]
reference = next(s for s in scopes if s["name"] == "Rewind")["variablesReference"]
shown = {v["name"]: v["value"] for v in client.request("variables", variablesReference=reference)["variables"]}
assert shown["position"] == str(at["position"]) and "count" in shown["activation"], shown
assert client.request("evaluate", expression="rewind where", context="repl")["result"].startswith("#%d of" % at["position"])
assert client.request("rewind/where")["position"] == at["position"]
assert len(client.request("rewind/list", arguments=["#5"], count=2)["items"]) == 2
assert client.request("rewind/calls_where")["items"]
roots = client.request("rewind/calls_tree", depth=1)["items"]
assert len(roots) == 1 and roots[0]["start"] == 0 and roots[0]["calls"], roots
# The first question that needs the layers has its answer, too, for all the warning
# that they are computed: from the first rows of a list to the one object.
for name, arguments, key in (("htr_layers", {}, "layers"), ("htr_where", {}, "enclosing"), ("htr_hot", {}, "spots"),
                             ("htr_dump", {}, "items")):
    if name != "htr_layers":
        os.remove(index + ".htr")
    first = client.request("rewind/" + name, **arguments)
    assert first[key] and first == client.request("rewind/" + name, **arguments), (name, first)
    if name == "htr_layers":
        while "computing the layers" not in client.event("output")["output"]:
            pass
os.remove(index + ".htr")
assert client.refused("rewind/htr_expand", arguments=["0"]).startswith("B0 is an instruction")
assert client.request("rewind/last_write", arguments=["sp"], count=2) == client.request("rewind/last-write", arguments=["sp"], count=2)
assert "did you mean 'last-write'" in client.refused("rewind/last-wrote")
assert "no command" in client.refused("rewind/nonsense") and "has no" in client.refused("rewind/where", nonsense=1)
assert client.refused("rewind/last-write", arguments=["nonsense"])
client.request("evaluate", expression="rsi", context="repl")
reason, before = client.stop()
assert reason == "step" and before["position"] == at["position"] - 1
client.request("rewind/last-write", arguments=["total"], goto=True)
assert client.stop()[0] == "goto"
reason, at = client.go("restart")
assert reason == "entry" and at["position"] == 0
# Where there is nothing to go to there is no stop, and nobody waits for one.
for name, words in (("last-write", ["total"]), ("find", ["count"])):
    assert client.refused("rewind/" + name, arguments=words, goto=True, **({"prev": True} if name == "find" else {}))
assert client.request("rewind/where")["position"] == 0
# Back into a call, and out of it: of what is asked for at once nothing is lost.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "count", "condition": "n == 0"}])
at = client.go("continue")[1]
client.request("setFunctionBreakpoints", breakpoints=[])
depth, _, _ = client.where()
for reason, out in [client.go("rewind/reverse-finish") for _ in range(2)]:
    assert reason == "step" and out["position"] < at["position"], (reason, out)
assert client.where()[0] == depth - 2, (client.where(), depth)
numbers = [client.send("rewind/reverse-step", threadId=client.thread) for _ in range(3)]
positions = [client.stop()[1]["position"] for _ in range(3)]
assert all(client.response(n)["success"] for n in numbers)
assert out["position"] > positions[0] > positions[1] > positions[2], positions
client.go("restart")
print("the scope, the console, requests")

# What LLDB's API does not evaluate is what `p` says of it.
client.request("setFunctionBreakpoints", breakpoints=[{"name": "price", "condition": "i == 1"}])
client.go("continue")
client.request("setFunctionBreakpoints", breakpoints=[])
frame = client.frames()[0]["id"]
for context in ("watch", "hover", "repl"):
    for text, type, value in (
        ("i ? 2.5 : 0", "double", "2.5"),
        ("i * 0.5f", "float", "0.5"),
    ):
        body = client.request("evaluate", expression=text, context=context, frameId=frame)
        assert (body["type"], body["result"]) == (type, value), (context, text, body)
    for text, error in ("1/0", "division by zero"), ("*(int *)8 + 1", "unknown: the trace does not tell "):
        answer = client.response(client.send("evaluate", expression=text, context=context, frameId=frame))
        assert not answer["success"] and answer["message"].startswith(error), (context, answer)
client.go("restart")
print("values as p tells them")
client.close()

# Sources that are elsewhere now: clients name them by where they are.
built, now = os.path.dirname(path), index + ".src"
os.makedirs(now, exist_ok=True)
with open(path) as before, open(os.path.join(now, SOURCE), "w") as after:
    after.writelines(text.rstrip("\n") + " // moved\n" for text in before)
for moved in ([[built, now]], {built: now}):
    client = Client()
    client.launch(["count"], sourceMap=moved)
    client.go("continue")
    assert client.frames()[0]["source"]["path"] == os.path.join(now, SOURCE), client.frames()[0]
    targets = client.request("gotoTargets", source={"path": os.path.join(now, SOURCE)}, line=line)["targets"]
    assert targets and all(t["line"] == line for t in targets), targets
    assert "no source file" in client.refused("gotoTargets", source={"path": now + "s/" + SOURCE}, line=line)
    # So do listings and the page show them.
    listed = client.request("evaluate", expression="rewind list -c 1", context="repl")["result"]
    assert "total += n; // moved" in listed and listed.count("// moved") == 1, listed
    page = Served(json.loads(client.request("evaluate", expression="rewind view --no-open --json", context="repl")["result"])["url"]).page()
    number = page.ask("where", thread=1, at=client.request("rewind/where")["position"])["file_number"]
    shown = page.ask("source", file=number)["lines"]
    assert shown and all(text.endswith("// moved") for text in shown), shown
    page.close()
    client.close()

# What is wrong with a configuration is one plain error.
for wrong, words in (({"trace": "/nowhere/x"}, "does not exist"), ({"trace": 7}, "path of a file"),
                     ({"trace": trace, "image": "/nowhere/x"}, "no such file"),
                     ({"trace": trace, "loadOptions": ["--only-index"]}, "would load nothing"),
                     ({"trace": "/" + "x" * 10000}, "has 10001 bytes")):
    client = Client()
    client.request("initialize", adapterID="lldb")
    message = client.refused("launch", index=index, **wrong)
    assert words in message, message
    client.close()
# A relative name may begin as an option does.
os.symlink(os.path.abspath(trace), "--force-index")
client = Client()
client.request("initialize", adapterID="lldb")
number = client.send("launch", trace="--force-index", program=program, index=index)
client.event("initialized")
client.request("configurationDone")
answer = client.response(number)
assert answer["success"], answer
client.close()
os.remove("--force-index")
# What Rewind itself refuses comes when lldb-dap has been configured.
client = Client()
client.request("initialize", adapterID="lldb")
number = client.send("launch", trace=program, index=index)
client.event("initialized")
client.request("configurationDone")
answer = client.response(number)
assert not answer["success"] and "does not look like a trace" in answer["message"], answer
assert answer["message"].rstrip().endswith("(POWER)"), answer  # the whole list
client.close()
print("wrong configurations are told")

# Names of files hold anything: nobody's terminal gets it.
odd = index + " \x1b[31mred#\"q"
os.makedirs(odd, exist_ok=True)
for name in trace, program:
    shutil.copy(name, odd)
client = Client()
client.request("initialize", adapterID="lldb")
told = client.refused("launch", trace=odd + "/none", index=index)
assert "\\x1b[31mred#" in told and "\x1b" not in told and "\n" not in told, told
for key in "trace", "program", "images", "index":
    name = os.path.join(odd, "a\nb")
    shutil.copy(trace, name)
    told = client.refused("launch", **{"trace": trace, key: [name] if key == "images" else name})
    assert told.startswith('"%s": ' % key) and "a\\x0ab has a line end" in told and "\n" not in told, told
for key in "trace", "program", "image", "images", "index", "loadOptions":
    # The file before the zero byte is there.
    name = (program if key in ("program", "image", "images") else trace) + "\0x"
    told = client.refused("launch", **{"trace": trace, key: [name] if key in ("images", "loadOptions") else name})
    assert told.startswith('"%s": ' % key) and "\\x00x has a zero byte" in told, told
client.close()
client = Client()
client.request("initialize", adapterID="lldb")
number = client.send("launch", trace=os.path.join(odd, os.path.basename(trace)),
                     program=os.path.join(odd, os.path.basename(program)), index=odd + "/i")
client.event("initialized")
client.request("configurationDone")
assert client.response(number)["success"]
client.event("stopped")
said = "".join(e["body"]["output"] for e in client.events if e["event"] == "output")
assert "rewind load" in said and "\\x1b[31mred#" in said and "\x1b" not in said and "\\x0d" not in said, said
client.close()
print("names are printed, not obeyed")

# What would end lldb-dap, or keep it busy for minutes, does not reach it.
client = Client()
client.launch(["main"])
for again in "launch", "attach":
    assert client.refused(again, trace=trace, program=program) == "a recording is already loaded in this session"
assert client.go("continue")[0] == "breakpoint"
frame = client.frames()[0]["id"]
for length in 1 << 14, (1 << 14) + 1, 1 << 22:
    text = "1+10".ljust(length)
    answer = client.response(client.send("evaluate", expression=text, context="watch", frameId=frame))
    assert answer["success"] == (length <= 1 << 14), (length, answer)
    assert answer["success"] or "too long" in answer["message"], answer
# Nor what it would make room for at once.
here = "0x" + client.request("dataBreakpointInfo", name="total", frameId=frame)["dataId"].split("/")[0]
for count in 4, 1 << 24, (1 << 24) + 1, 1 << 31, 1 << 40, 1 << 63, 1 << 64:
    answer = client.response(client.send("readMemory", memoryReference=here, count=count))
    assert answer["success"] == (count <= 1 << 24), (count, answer)
    assert answer["success"] or "at most 16777216 bytes" in answer["message"], answer
assert client.refused("evaluate", expression="total\0x", context="watch", frameId=frame).endswith("cut there: total\\x00x")
assert "zero byte" in client.refused("rewind/where", arguments=["#5\0x"])
for name, words in (("rewind/find", {"arguments": ["x" * (1 << 20)]}), ("setFunctionBreakpoints", {"breakpoints": [{"name": "y" * (1 << 20)}]})):
    assert "too long" in client.refused(name, **words), name
# Nor does what nests deeper than LLDB's parsers survive, wherever it can be given.
path = client.frames()[0]["source"]["path"]
for deep in "!" * 5000 + "total", "(" * 5000 + "total" + ")" * 5000, "n," * 5000 + "n", "(int)" * 2000 + "total", "*&" * 2000 + "total":
    asked = [("evaluate", {"expression": deep, "context": c, "frameId": frame}) for c in ("watch", "hover", "repl", "clipboard")]
    asked += [("evaluate", {"expression": c + deep, "context": "repl", "frameId": frame}) for c in ("`p ", "p ", "rewind eval ", "`memory read ")]
    asked += [
        ("setExpression", {"expression": deep, "value": "1", "frameId": frame}),
        ("setExpression", {"expression": "total", "value": deep, "frameId": frame}),
        ("dataBreakpointInfo", {"name": deep, "frameId": frame}),
        ("setDataBreakpoints", {"breakpoints": [{"dataId": "4198400/4", "condition": deep}]}),
        ("setFunctionBreakpoints", {"breakpoints": [{"name": "count", "condition": deep}]}),
        ("setBreakpoints", {"source": {"path": path}, "breakpoints": [{"line": line, "condition": deep}]}),
        ("setBreakpoints", {"source": {"path": path}, "breakpoints": [{"line": line, "logMessage": "{" + deep + "}"}]}),
        ("completions", {"text": "p " + deep, "column": len(deep) + 2, "frameId": frame}),
        ("rewind/eval", {"arguments": [deep]}),
        ("rewind/last-write", {"arguments": [deep]}),
    ]
    for name, words in asked:
        answer = client.response(client.send(name, **words))
        # lldb-dap takes a command that failed for a success.
        said = answer["body"]["result"] if answer["success"] else answer["message"]
        assert "levels deep, and LLDB could crash beyond 500" in said, (name, str(words)[:200], str(answer)[:400])
# LLDB's parser of variables never ends reading such a cast; Clang's does.
for context in "watch", "hover", "repl":
    assert "never ends reading" in client.refused("evaluate", expression="(const int)n", context=context, frameId=frame), context
assert "never ends reading" in client.refused("dataBreakpointInfo", name="*(volatile int*)&n", frameId=frame)
client.request("setFunctionBreakpoints", breakpoints=[{"name": "count", "condition": "(const int)n == 7"}])
client.request("setFunctionBreakpoints", breakpoints=[])
# What is passed on it survives, in whatever thread it is evaluated.
for deep in "!" * 499 + "n", "sizeof " * 499 + "n", "(int)" * 480 + "n", "*&" * 249 + "n", "n," * 1990 + "n", "n+" * 1990 + "n", "n?1:" * 490 + "0", "(" * 490 + "n" + ")" * 490:
    for context in "watch", "hover", "repl":
        answer = client.response(client.send("evaluate", expression=deep, context=context, frameId=frame))
        assert "levels deep" not in answer.get("message", ""), deep[:20]
    client.response(client.send("dataBreakpointInfo", name=deep, frameId=frame))
    client.response(client.send("completions", text="p " + deep, column=len(deep) + 3, frameId=frame))
    client.request("setFunctionBreakpoints", breakpoints=[{"name": "count", "condition": deep}])
    client.go("restart")
    client.go("continue")
    frame = client.frames()[0]["id"]
client.request("setFunctionBreakpoints", breakpoints=[])
assert client.go("continue")[0] == "history boundary"
client.close()
# One that ends without a word has ended by itself.
client = Client(command=[*COMMAND, "--lldb-dap=/bin/true"])
assert "exit status 0" in client.end()
client.request("disconnect")
assert client.process.wait(20) == 1
print("a second launch, texts without end or too deep")

# What is no message of a client's ends the session with a reason.
for message, why in (({"seq": 1}, '"type"'), ({"seq": 1, "type": 5, "command": "initialize"}, '"type"'),
                     ({"seq": 1, "type": "event", "event": "x"}, '"type"'), ({"seq": 1, "type": "request"}, '"command"'),
                     ({"seq": 1, "type": "request", "command": 7}, '"command"')):
    body = json.dumps(message).encode()
    told = subprocess.run(COMMAND, input=b"Content-Length: %d\r\n\r\n%s" % (len(body), body), capture_output=True)
    assert told.returncode == 1 and not told.stdout, told
    assert told.stderr.startswith(b"rewind: a ") and why.encode() in told.stderr and told.stderr.count(b"\n") == 1, told
print("a message that is none is told")

# The program was compiled elsewhere: told once, by session, for each file.
for early in True, False:
    client = Client()
    other = os.path.join(now, "none.c")
    def place():
        for file in os.path.join(now, SOURCE), other, path:
            client.request("setBreakpoints", source={"path": file}, breakpoints=[{"line": line}])
    client.launch(configure=place if early else None)
    for _ in range(2):
        place()
    client.request("evaluate", expression="rewind where", context="repl")
    hints = [e["body"]["output"] for e in client.events if e["event"] == "output" and "sourceMap" in e["body"]["output"]]
    assert len(hints) == 1 and path in hints[0] and '[["%s", "%s"]]' % (built, now) in hints[0], hints
    client.close()
print("a moved source is told")

# Without a trace it is lldb-dap, and says so.
client = Client()
client.request("initialize", adapterID="lldb")
client.send("launch", program="/bin/true", stopOnEntry=True)
assert client.event("capabilities")["capabilities"]["supportsStepBack"] is False
client.close()

# lldb-dap dies: one error, and nobody is left.
client = Client()
client.launch(request="attach")
(adapter,) = children(client.process.pid)
os.kill(adapter, signal.SIGKILL)
assert "signal 9" in client.end()
assert client.process.wait(20) != 0
assert not alive(adapter)
# In the middle of moves and questions: each is answered, and only the end is shown.
client = Client()
client.launch()
(adapter,) = children(client.process.pid)
os.kill(adapter, signal.SIGSTOP)
asked = [client.send(c, threadId=client.thread) for c in ("stepBack", "stepBack", "next", "stackTrace")]
asked.append(client.send("rewind/where"))
os.kill(adapter, signal.SIGKILL)
assert "signal 9" in client.end()
for number in asked:
    answer = client.response(number)
    assert not answer["success"] and answer["body"]["error"]["showUser"] is False, answer
client.process.wait(20)
for last in ("kill", "end"):
    client = Client()
    client.launch()
    (adapter,) = children(client.process.pid)
    if last == "kill":
        client.process.kill()
    else:
        client.input.close()
    client.process.wait(20)
    for _ in range(200):
        if not alive(adapter):
            break
        time.sleep(0.05)
    assert not alive(adapter), last
# Whoever leaves while something moves has not to wait for it.
for wait in range(8):
    client = Client()
    client.launch()
    client.send("continue", threadId=client.thread)
    client.send("reverseContinue", threadId=client.thread)
    time.sleep(wait / 1000)
    begun = time.monotonic()
    client.response(client.send("disconnect"))
    assert client.process.wait(20) == 0 and time.monotonic() - begun < 10
print("nobody is left behind")

# A move that is sent with all the rest is made once the start has been told; a path may have a backtick.
odd = index + ".`odd`"
os.makedirs(odd, exist_ok=True)
shutil.copy(trace, os.path.join(odd, "t"))
client = Client()
client.request("initialize", adapterID="lldb")
sent = [client.send("launch", trace=os.path.join(odd, "t"), program=program), client.send("configurationDone"),
        client.send("next", threadId=1)]
assert client.event("stopped")["reason"] == "entry"
assert all(client.response(number)["success"] for number in sent)
assert client.event("rewind/position")["position"] == 0
assert client.event("stopped")["reason"] == "step"
client.close()
print("all at once")

# Two sessions at once, over a socket.
server = subprocess.Popen([*COMMAND, "--connection", "listen://localhost:0"], stdout=subprocess.PIPE)
atexit.register(server.kill)
line = server.stdout.readline().decode()
assert line.startswith("Listening for: connection://["), line
port = int(line.rsplit(":", 1)[1])
streams = [socket.create_connection(("127.0.0.1", port)).makefile("rwb") for _ in range(2)]
clients = [Client(s) for s in streams]
for c in clients:
    c.launch(["count"])
assert [c.go("continue")[1]["position"] for c in clients] == [forward[0]] * 2
clients[0].go("stepBack")
assert clients[1].request("rewind/where")["position"] == forward[0]
for c in clients:
    c.close()
server.send_signal(signal.SIGTERM)
server.wait(20)
# Without clients it ends when it was told to.
server = subprocess.Popen([*COMMAND, "--connection", "listen://localhost:0", "--connection-timeout=1"], stdout=subprocess.PIPE)
atexit.register(server.kill)
port = int(server.stdout.readline().decode().rsplit(":", 1)[1])
client = Client(socket.create_connection(("127.0.0.1", port)).makefile("rwb"))
client.launch()
begun = time.monotonic()
while time.monotonic() < begun + 1.5:
    assert client.request("rewind/where")["position"] == 0 and server.poll() is None
client.close()
assert server.wait(20) == 0
print("two sessions at once")

# Over a path, too. What is none makes no file.
folder = tempfile.mkdtemp()
atexit.register(shutil.rmtree, folder)
place = os.path.join(folder, "door")
server = subprocess.Popen([*COMMAND, "--connection", "accept://" + place, "--connection-timeout=1"], stdout=subprocess.PIPE)
atexit.register(server.kill)
assert server.stdout.readline().decode() == "Listening for: unix-connect://%s\n" % place
door = socket.socket(socket.AF_UNIX)
door.connect(place)
client = Client(door.makefile("rwb"))
door.close()
client.launch()
client.close()
assert server.wait(20) == 0 and not os.path.exists(place)
for wrong in "accept://door", "accept://127.0.0.1:0", "accept://", "listen://" + place, "listen://127.0.0.1", "udp://127.0.0.1:1":
    told = subprocess.run([*COMMAND, "--connection", wrong], capture_output=True, text=True, cwd=folder)
    assert told.returncode == 2 and told.stderr == (
        "rewind: '%s' is neither listen://127.0.0.1:port nor accept:///path\n" % wrong), told
assert not os.listdir(folder)
print("by a path")
