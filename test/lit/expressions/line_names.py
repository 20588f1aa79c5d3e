"""line_names.py <rewind> <trace> <image> <program's output> <FIRST>: names in a condition at a
line are those of the function that has the line, not of one that is inlined there."""
import json
import os
import subprocess
import sys

rewind, trace, image, output, first = sys.argv[1:]
source = open(os.path.join(os.path.dirname(__file__), "Inputs/line_names.c")).read()
wanted = int(open(output).read().split()[0])
assert wanted > 0 or first != "0", wanted


def line(mark):
    return "line_names.c:%d" % (1 + source.split("// " + mark)[0].count("\n"))


def ask(*words):
    done = subprocess.run([rewind, *words, "--json", "-c", "5000"], capture_output=True, text=True)
    assert done.returncode in (0, 1), (words, done.stderr)
    return json.loads(done.stdout)


if first == "0":
    tested = ask("find", trace, "-i", image, line("tested"), "--if", "v % 1000 == 7", "--all")
    assert len(tested["items"]) == wanted, (len(tested["items"]), wanted)
    print("as main has them")
    sys.exit()
# main's i is optimised away there, and would be 10 in the eleventh round. That of mix
# is i * 7 + 3, which is 10 in the second.
called = ask("find", trace, "-i", image, line("called"), "--if", "i == 10", "--all")
rounds = [row["position"] for row in ask("find", trace, "-i", image, line("called"), "--all")["items"]]
found = [row["position"] for row in called["items"]]
assert len(rounds) == 3000 and (found == rounds[10:11] or (not found and called["unknown"] == 3000)), (found, called)
print("as main has them")
