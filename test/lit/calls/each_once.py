"""each_once.py <rewind> <trace> <image> <file>...: `find call` of each function of these
source files finds as many calls as `profile functions` counts, in order and each once."""
import collections
import json
import subprocess
import sys

rewind, trace, image, *files = sys.argv[1:]


def ask(*words):
    return json.loads(subprocess.run([rewind, *words, "-i", image, "--json"], stdout=subprocess.PIPE).stdout)


calls = collections.Counter()
for item in ask("profile", "functions", trace, "-c", "10000")["items"]:
    if item.get("file", "").rsplit("/", 1)[-1] in files and "[" not in item["function"]:
        calls[item["function"]] += item["calls"]
assert len(calls) > 1, calls
for function, count in calls.items():
    found = ask("find", trace, "call", function, "--all", "-c", "100000")
    places = [item["position"] for item in found["items"]]
    assert places == sorted(set(places)) and found["complete"], function
    assert len(places) == count, (function, len(places), count)
    assert ask("find", trace, "call", function, "--how-many")["count"] == count, function
    # Backwards, too.
    last = ask("find", trace, "call", function, "--last")["items"]
    assert [item["position"] for item in last] == places[-1:], function
print("%d functions, %d calls: each once" % (len(calls), sum(calls.values())))
