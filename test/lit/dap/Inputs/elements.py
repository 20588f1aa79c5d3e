"""What an IDE's Variables call elements of containers can be evaluated, asked about
and watched."""
from session import Client, program

SOURCE = "elements.cpp"
client = Client()
client.launch()
client.request("setFunctionBreakpoints", breakpoints=[{"name": "look"}])
client.go("continue")
frames = client.request("stackTrace", threadId=client.thread)["stackFrames"]
frame, path = frames[1]["id"], frames[0]["source"]["path"]


def children(reference):
    return client.request("variables", variablesReference=reference)["variables"]


def child(variable, name):
    (found,) = (v for v in children(variable["variablesReference"]) if v["name"] == name)
    return found


def scope(name):
    (found,) = (s for s in client.request("scopes", frameId=frame)["scopes"] if s["name"] == name)
    return found


def named(place, name):
    (found,) = (v for v in children(place["variablesReference"]) if v["name"].endswith(name))
    return found


shop, v = named(scope("Globals"), "shop"), named(scope("Locals"), "v")
days, orders, table = (child(shop, name) for name in ("days", "orders", "table"))
second = child(child(days, "[1]"), "second")
asked = [(child(v, "[2]"), "4"), (child(child(orders, "[3]"), "price"), "4.5"), (child(child(table, "[2]"), "[1]"), "20"),
         (second, "1"), (child(child(child(orders, "[2]"), "sizes"), "[1]"), "-2")]
for variable, value in asked:
    name = variable["evaluateName"]
    assert variable["value"] == value, variable
    shown = client.request("evaluate", expression=name, frameId=frame, context="watch")["result"]
    assert shown == value, (name, shown)
    told = client.request("rewind/last-write", arguments=[name], frameId=frame)
    assert told["items"][0]["new_text"] == value, (name, told)
    info = client.request("dataBreakpointInfo", name=name, frameId=frame)
    assert info["dataId"], (name, info)
    print(name.split("0x")[0], "is", shown)
# No name of C++ leads to a pair in a map: none is told, rather than a wrong one.
assert "evaluateName" not in child(days, "[0]"), child(days, "[0]")

lines = open(path).read().split("\n")
never = 1 + next(n for n, line in enumerate(lines) if "// never" in line)
told = client.refused("gotoTargets", source={"path": path}, line=never)
assert "is not executed before or after" in told and SOURCE in told, told
here = 1 + next(n for n, line in enumerate(lines) if "// look" in line)
assert "is not executed before or after" in client.refused("gotoTargets", source={"path": path}, line=here)
client.close()
print("lines that are executed nowhere else")
