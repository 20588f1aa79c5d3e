"""check_profile.py <rewind> <trace> <image> <metric>...: that the listings of
rewind profile agree with each other and with rewind profile functions.
"""
import json
import subprocess
import sys

REWIND, TRACE, IMAGE = sys.argv[1:4]


def ask(what, *words):
    command = [REWIND, "profile", what, TRACE, *words, "--json", "-i", IMAGE]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout, (command, done.stderr)
    answer = json.loads(done.stdout)
    assert done.returncode == (0 if answer["items"] else 1)
    assert answer["complete"]
    return answer


def costs(answer, kind, metric):
    found = {}
    for item in answer["items"]:
        found[item["block"]] = found.get(item["block"], 0) + item[kind][metric]
    return found


functions = {f["function"]: f for f in ask("functions")["items"]}
for metric in sys.argv[4:]:
    option = ["--metric", metric]
    own = ask("self", *option)
    total = own["total"][metric]
    self = costs(own, "self", metric)
    assert sum(self.values()) == total > 0, (metric, total)
    dominated = ask("dominated", *option)
    under = costs(dominated, "dominated", metric)
    assert max(under.values()) == total
    tree = ask("tree", *option)
    by_tree = costs(tree, "self", metric)
    assert {b: c for b, c in by_tree.items() if c} == self
    assert sum(i["inclusive"][metric] for i in tree["items"] if i["depth"] == 0) == total
    sequences = ask("sequences", *option)
    ends = {}
    for item in sequences["items"]:
        end = item["block"].split(" > ")[-1]
        ends[end] = ends.get(end, 0) + item["self"][metric]
    assert ends == self
    for name, cost in list(under.items())[: 99 if metric == "instructions" else 3]:
        block = ask("block", name, *option)
        assert block["block"]["dominated"][metric] == cost
        assert block["block"]["self"][metric] == self.get(name, 0)
        # What is selected is what is dominated; what is excluded is the rest.
        # (Distinct lines are more, if others do not touch them before.)
        selected = ask("self", *option, "--select", name)["total"][metric]
        if metric == "lines":
            assert total >= selected >= cost
        else:
            assert selected == cost
            assert ask("self", *option, "--exclude", name)["total"][metric] == total - cost
        folded = ask("self", *option, "--fold", name)
        assert folded["total"][metric] == total and name not in costs(folded, "self", metric)
    if metric == "instructions":
        assert self == {n: f["own"] for n, f in functions.items()}
        assert under == {n: f["instructions"] for n, f in functions.items()}
        assert all(i["activations"] == functions[i["block"]]["calls"] for i in own["items"])
    if metric == "time":
        assert {n: c for n, c in self.items() if c} == {
            n: f["own_time"] for n, f in functions.items() if f["own_time"]
        }
    # Two halves are the whole, but for what counts once.
    halves = [ask("self", *option, "--to", "30000"), ask("self", *option, "--from", "30000")]
    if metric != "lines":
        assert sum(h["total"][metric] for h in halves) == total, metric
    lines = ask("self", *option, "--by", "lines")
    assert lines["total"][metric] == total == sum(costs(lines, "self", metric).values())
    # Functions select lines and blocks of layers, and lines select functions.
    for name, cost in list(under.items())[:4]:
        for kind in ["lines", "htr"] if metric not in ("lines", "calls") else []:
            by = ["--by", kind, *option]
            assert ask("self", *by, "--select", name)["total"][metric] == cost
            assert ask("self", *by, "--exclude", name)["total"][metric] == total - cost
    if metric in ("instructions", "reads"):
        for item in ask("dominated", *option, "--by", "lines")["items"][:6]:
            for kind in ["functions", "htr"]:
                by = ["--by", kind, *option, "--select", item["block"]]
                assert ask("self", *by)["total"][metric] == item["dominated"][metric]
        file = lines["items"][0]["file"]
        whole = ask("self", *option, "--select", file)["total"][metric]
        assert total >= whole > 0
        assert ask("self", *option, "--exclude", file)["total"][metric] == total - whole
        assert ask("self", *option, "--by", "lines", "--select", file)["total"][metric] == whole
    blocks = ask("self", *option, "--by", "htr")
    if metric != "calls":
        assert blocks["total"][metric] == total == sum(costs(blocks, "self", metric).values())
    print(metric, total, len(self))
