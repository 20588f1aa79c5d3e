"""lines.py <plugin> <rewind> <trace> <image> <source>: when the code of a line was
reached is in LLDB what it is in the shell, for each line of a source file."""
import json
import os
import subprocess
import sys

from session import debugger, run

plugin, rewind, trace, image, source = sys.argv[1:]
run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
name, compared, visits = os.path.basename(source), 0, 0
for line in range(1, 1 + len(open(source).readlines())):
    place = "%s:%d" % (name, line)
    shell = subprocess.run([rewind, "find", trace, place, "--all", "-c", "100000", "--json", "--image", image], capture_output=True, text=True)
    try:
        here, there = run("rewind find %s --all -c 100000 --json" % place), shell.stdout
    except AssertionError as error:
        here, there = str(error).split("error: ", 1)[1].strip(), shell.stderr.replace("rewind: ", "", 1).strip()
    else:
        here, there = ([i["position"] for i in json.loads(t)["items"]] for t in (here, there))
        compared += 1
        visits += len(there)
    assert here == there, (place, here, there)
print(compared, "lines,", visits, "visits, as in the shell")
