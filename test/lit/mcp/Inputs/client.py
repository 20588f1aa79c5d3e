"""A hand-written client of the Model Context Protocol.

    client.py <rewind> <trace> <image> <index>
"""

import json
import os
import subprocess
import sys

rewind, trace, image, index = sys.argv[1:]
server = subprocess.Popen([rewind, "mcp", trace, "-i", image, "--index", index, "-q"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE)
last = 0


def put(text):
    server.stdin.write(text.encode() + b"\n")
    server.stdin.flush()


def answer():
    line = server.stdout.readline()
    assert line, "the server has ended"
    message = json.loads(line)
    assert message["jsonrpc"] == "2.0"
    return message


def request(method, **params):
    global last
    last += 1
    put(json.dumps({"jsonrpc": "2.0", "id": last, "method": method, "params": params}))
    message = answer()
    assert message["id"] == last, message
    return message


def call(name, **arguments):
    answer = request("tools/call", name=name, arguments=arguments)
    assert "result" in answer, (name, arguments, answer)
    return answer["result"]


def text(result):
    assert not result.get("isError"), result
    return result["content"][0]["text"]


for version, got in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18")):
    hello = request("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "t", "version": "1"})
    assert hello["result"]["protocolVersion"] == got
assert "tools" in hello["result"]["capabilities"] and trace in hello["result"]["instructions"]
put(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
assert request("ping")["result"] == {}

tools = {tool["name"]: tool for tool in request("tools/list")["result"]["tools"]}
for tool in tools.values():
    schema = tool["inputSchema"]
    assert schema["type"] == "object" and "page" in schema["properties"]
    assert not {"output", "force", "other-image", "latency", "goto"} & set(schema["properties"]), tool["name"]
    assert tool["description"] and tool["annotations"]["readOnlyHint"] and tool["annotations"]["idempotentHint"]
    assert set(tool["name"]) <= set("abcdefghijklmnopqrstuvwxyz-_")
for kept in ("goto", "back", "forward", "slice_next", "slice_prev", "bookmark_add", "bookmark_delete", "htr_run", "truncate",
             "serve", "mcp", "profile_merge", "profile_diff", "export_pprof", "export_perfetto", "export_qtrace", "htr_export"):
    assert kept not in tools, kept
assert tools["last-write"]["inputSchema"]["required"] == ["arguments"]
print("tools:", len(tools))

# What may not be kept in a file is computed once.
layers = text(call("htr_layers"))
assert "computing the layers" in layers and "computing" not in text(call("htr_layers")), layers
assert sorted(os.listdir(os.path.dirname(index))) == [os.path.basename(index)]

print("info:", text(call("info")).splitlines()[1].strip())
assert text(call("where")).startswith("#0 of ")
assert "audit_failed" in text(call("find", arguments=["audit_failed"], all=True, count=3))
result = call("where", json=True, arguments=["50%"])
assert result["structuredContent"]["position"] == json.loads(result["content"][0]["text"])["position"] > 0
assert text(call("where")).startswith("#0 of ")

# Whoever asks again, because no answer came in time, say, has the same answer: from
# all tools, with whatever was asked between. These are all, with what they want.
WANTS = {"arguments": {}}
for name, words in {"goto": ["50%"], "list": ["#100"], "diff": ["#5", "#500"], "eval": ["w1"], "find": ["find"], "htr_block": ["1"],
                    "htr_expand": ["1"], "htr_loop": ["1"], "htr_goto": ["1"], "calls_info": ["find"], "deps": ["#100"], "where": ["#100"],
                    "profile_block": ["find"], "profile_dominated": ["find"], "why": ["x0"], "last-read": ["0x4200f0"], "next-read": ["0x4200f0"]}.items():
    WANTS[name] = {"arguments": words}
for name in ("list", "slice", "history", "origin"):
    WANTS.setdefault(name, {"arguments": ["x0"]})
WANTS["eval"]["at"] = "50%"
answers = {}
call("htr_layers")  # the first question that wants the layers says that it makes them
for turn in range(3):
    for name, tool in sorted(tools.items(), reverse=turn == 1):
        required = tool["inputSchema"].get("required")
        arguments = WANTS.get(name, {"arguments": ["x0"]} if required else {})
        if "arguments" in arguments and "arguments" not in tool["inputSchema"]["properties"]:
            arguments = {}
        said = call(name, **arguments)
        if name == "export_vcd":  # it begins with the date
            continue
        assert answers.setdefault(name, said) == said, (name, answers[name], said)
for question in ("last-write", "next-write", "first-write"):
    for more in {}, {"at": "50%"}, {"count": 2}:
        first = text(call(question, arguments=["x0"], **more))
        assert [text(call(question, arguments=["x0"], **more)) for _ in range(3)] == [first] * 3, first
        assert "2nd" not in first
good = sum(not said.get("isError") for said in answers.values())
assert good > len(answers) // 2, {name: said for name, said in answers.items() if said.get("isError")}
print("asked again, the same")

# What eval says of a visit, it says of that position, wherever it stands.
visits = text(call("eval", arguments=["w1"], at="find", count=40)).splitlines()
assert len(visits) == 41 and visits.pop().startswith("-- 40 visits, "), visits
for visit in visits:
    place = visit.split()[0]
    for at in place, int(place[1:]):
        assert text(call("eval", arguments=["w1"], at=at)).splitlines() == [visit], (at, visit)
    body = call("eval", arguments=["w1"], at=place, json=True)["structuredContent"]
    assert [item["position"] for item in body["items"]] == [int(place[1:])] and body["complete"], body
    assert body["items"][0]["value"] in visit and body["at"] == place, (body, visit)
first = int(visits[0].split()[0][1:])
pc = text(call("eval", arguments=["pc"], at=first))
assert pc.split()[3] in (pc.split()[-1], pc.split()[-2]) or pc.split()[3][2:] in pc.split("  ")[-1], pc
# Behind the last instruction there is a value, and no pc.
of = text(call("where", arguments=["end"])).split(" of ")[0]
assert text(call("eval", arguments=["w1"], at=of)).startswith(of + "  (its end)  0x")
assert call("eval", arguments=["w1"], at="100%", json=True)["structuredContent"]["items"][0]["position"] == int(of[1:])
for arguments, words in (({"arguments": ["pc"], "at": of}, "ends here"), ({"arguments": ["w1"], "at": "#99999999"}, "99999999"),
                         ({"arguments": ["nonsense"], "at": "#5"}, "nonsense"), ({"arguments": ["w1"], "at": "nonsense"}, "nonsense"),
                         ({"arguments": ["w1"], "at": "#5", "from": "#2"}, "--from"), ({"arguments": ["w1"], "at": "#5", "to": "#2"}, "--to"),
                         ({"arguments": ["w1"]}, "--at")):
    result = call("eval", **arguments)
    assert result["isError"] and words in result["content"][0]["text"], result
# Nothing is something that every tool takes.
assert text(call("info", arguments=[])) == text(call("info"))
error = request("tools/call", name="info", arguments={"arguments": ["x"]})["error"]
assert "has no" in error["message"], error
print("values at positions")

# A listing is modest without being asked, and tells by the property's name how to get more.
few = text(call("find", arguments=["find"]))
# Who asks for one is told one.
for one in ({"nth": 3}, {"last": True}, {"first": True}):
    assert len(text(call("find", arguments=["find"], **one)).strip().splitlines()) == 1, one
assert 100 < len(few.splitlines()) < 120 or few.endswith("that is all\n"), few
assert "(--count)" in text(call("history", arguments=["x0"])), text(call("history", arguments=["x0"]))
assert "(-c" not in text(call("list", arguments=["#0"]))
assert text(call("last_write", arguments=["x0"])) == text(call("last-write", arguments=["x0"]))
error = request("tools/call", name="last-wrote", arguments={"arguments": ["x0"]})["error"]
assert "did you mean 'last-write'" in error["message"], error

whole = subprocess.run([rewind, "list", trace, "-i", image, "--index", index, "-q", "#0", "-c", "3000"],
                       capture_output=True, text=True, check=True).stdout
pages, page = [], 1
while True:
    part = text(call("list", arguments=["#0"], count=3000, page=page))
    assert len(part.encode()) < 25000
    more = part.endswith("(page %d; \"page\": %d goes on)\n" % (page, page + 1))
    pages.append(part[: part.rindex("(page ")] if more else part)
    page += 1
    if not more:
        break
# The server stands somewhere: an arrow.
strip = lambda listing: [line.replace("->", "  ", 1) for line in listing.splitlines() if not line.startswith("--")]
a, b = strip("".join(pages)), strip(whole)
assert a == b, next((x, y) for x, y in zip(a, b) if x != y)
assert len(pages) > 3, len(pages)
assert call("list", arguments=["#0"], count=5, page=9)["isError"]
print("pages: more than three, the same text")

# JSON comes in pages, too: lines, a list in an object, a tree that is one item.
def pages(name, **arguments):
    number = 1
    while number:
        result = call(name, json=True, page=number, **arguments)
        body = result["structuredContent"]
        assert json.loads(text(result)) == body and len(text(result).encode()) < 97000
        assert body.get("page", 1) == number, body
        yield body
        number = body.get("next_page")
    assert call(name, json=True, page=body.get("page", 1) + 1, **arguments)["isError"]


def said(name, *words):
    out = subprocess.run([rewind, *name.split("_"), trace, "-i", image, "--index", index, "-q", "--json", *words],
                         capture_output=True, text=True, check=True).stdout
    return out


rows = [row for body in pages("list", arguments=["#0"], count=3000) for row in body["items"]]
lines = [json.loads(line) for line in said("list", "#0", "-c", "3000").splitlines()]
assert rows == lines, len(rows)
listed = list(pages("history", arguments=["0x4200f0"], size=64, count=100000))
whole = json.loads(said("history", "0x4200f0", "--size", "64", "-c", "100000"))
for body in listed:
    assert {key: body[key] for key in body if key not in ("items", "page", "next_page")} == {
        key: whole[key] for key in whole if key != "items"}
assert [row for body in listed for row in body["items"]] == whole["items"]
parts = list(pages("calls_tree", **{"no-fold": True}))
whole = json.loads(said("calls_tree", "--no-fold"))
assert len(parts) > 3 and all(body["part"]["of"] == "items" for body in parts)
assert json.loads("".join(body["part"]["text"] for body in parts)) == whole[0]
print("json: in pages, and the same")

assert "no such" in str(call("last-write", arguments=["nonsense"])) or call("last-write", arguments=["nonsense"])["isError"]
assert call("list", arguments=["--output=/tmp/x"])["isError"]
for params, words in (({"name": "nonsense"}, "no tool"), ({}, "name"), ({"name": "truncate"}, "no tool"),
                      ({"name": "list", "arguments": {"nonsense": 1}}, "has no"),
                      ({"name": "list", "arguments": {"json": 7}}, "true or false"),
                      ({"name": "export_vcd", "arguments": {"output": "/tmp/x"}}, "has no"),
                      ({"name": "list", "arguments": {"page": 0}}, "number"),
                      ({"name": "list", "arguments": {"arguments": "x"}}, "array"),
                      ({"name": "list", "arguments": {"arguments": [1.5]}}, "array of strings and whole numbers"),
                      ({"name": "list", "arguments": {"arguments": [["#5"]]}}, "array of strings and whole numbers"),
                      ({"name": "where", "arguments": ["#1234"]}, "are an object"), ({"name": "where", "arguments": "#1234"}, "are an object"),
                      ({"name": "where", "arguments": []}, "are an object"), ({"name": "where", "arguments": 5}, "are an object")):
    error = request("tools/call", **params)["error"]
    assert error["code"] == -32602 and words in error["message"], error
# Numbers are words, too: the schema says so.
assert tools["where"]["inputSchema"]["properties"]["arguments"]["items"]["type"] == ["string", "integer"]
assert text(call("where", arguments=[5])) == text(call("where", arguments=["5"])) != text(call("where"))
assert request("nonsense")["error"]["code"] == -32601
# An error repeats what was asked, but not all of it.
long = "x" * 200000
for params in {"name": "eval", "arguments": {"arguments": [long], "at": "5"}}, {"name": long}, {"name": "where", "arguments": {long: 1}}:
    told = request("tools/call", **params)
    told = told["error"]["message"] if "error" in told else told["result"]["content"][0]["text"]
    assert "xxxx" in told and " bytes ...] " in told and len(told) < 4100, told[:200]
assert len(request(long)["error"]["message"]) < 4100
for line, code in (("nonsense", -32700), ("[1]", -32600), ('{"jsonrpc":"2.0","id":1}', -32600), ("[" * 100000, -32700),
                   ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), ('"\\ud800"', None)):
    put(line)
    error = answer()["error"]
    assert code in (None, error["code"]), (line[:20], error)
put("")
assert request("ping")["result"] == {}
print("wrong requests are told")

# A message that is too long is refused, and the next one answered.
put("x" * 5000000)
assert "at most" in answer()["error"]["message"] and request("ping")["result"] == {}

# A call that is cancelled ends, and so does one that waits for another: without an
# answer. What came meanwhile is answered.
def message(number, method="tools/call", **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def cancelled(number):
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}) + "\n"


slow = {"name": "slice", "arguments": {"arguments": ["x0"], "at": "end"}}
put(message(900, **slow) + cancelled(900) + message(901, "ping"))
assert answer()["id"] == 901
put(message(902, **slow) + message(903, **slow) + message(904, "ping") + cancelled(903) + cancelled(902))
assert answer()["id"] == 904
print("cancelled: running and waiting")
server.stdin.close()
assert server.wait(20) == 0
# Who closes one end still hears what he asked; nobody works for who has gone.
out = subprocess.run([rewind, "mcp", trace, "-q", "--index", index], input=message(1, name="info").encode(),
                     capture_output=True, check=True).stdout
assert json.loads(out)["id"] == 1
server = subprocess.Popen([rewind, "mcp", trace, "-q", "--index", index], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
endless = {"name": "list", "arguments": {"grep": "zzzz", "count": 10**9}}
server.stdin.write("".join(message(n, **endless) for n in range(3000)).encode())
server.stdin.close()
server.stdout.close()
assert server.wait(20) == 0
print("ends where the input ends")
