"""copies.py <rewind> <trace> <image> <name=counter>...: `find name` finds as many visits
as the program counted."""
import json
import subprocess
import sys

rewind, trace, image, *names = sys.argv[1:]


def ask(*words):
    done = subprocess.run([rewind, words[0], trace, "-i", image, *words[1:]], capture_output=True, text=True)
    assert done.stdout, (words, done.stderr)
    return done.stdout


for pair in names:
    name, counter = pair.split("=")
    counted = int(json.loads(ask("eval", counter, "--at", "end", "--json"))["items"][0]["value"])
    found = int(ask("find", name, "--how-many").split()[0])
    assert counted > 0 and found == counted, (name, found, counted)
    listed = json.loads(ask("find", name, "--json", "-c", "1000"))
    assert listed["complete"] and len(listed["items"]) == counted, (name, len(listed["items"]))
print("as many as were counted: %d functions" % len(names))
