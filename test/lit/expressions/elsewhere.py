"""elsewhere.py <plugin> <rewind> <trace> <image> <name>...: what a name means --at
another place is what it means there, whichever frame is selected: as the shell finds
it by the debug information. What has no place there is an error in both."""
import json
import random
import subprocess
import sys

from session import debugger, run

plugin, rewind, trace, image, *names = sys.argv[1:]
run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("breakpoint set -n work")
run("continue")
run("breakpoint disable")
process = debugger.GetSelectedTarget().GetProcess()
thread = process.GetSelectedThread()


def stack():
    return [(f.GetFunctionName(), f.GetPC()) for f in thread]


frames = stack()
begin = json.loads(run("rewind where --json"))["position"]
random.seed(14)
found = {name: 0 for name in names}
for _ in range(60):
    thread.SetSelectedFrame(random.choice([0, 0, [name for name, pc in frames].index("main")]))
    before = thread.GetSelectedFrame().GetFrameID()
    name = random.choice(names)
    at = begin + random.randint(-30, 90)
    if at == begin:
        continue
    shell = subprocess.run([rewind, "history", trace, name, "--image", image, "--at", "#%d" % at,
                            "-c", "1", "--json"], capture_output=True, text=True)
    command = "rewind history %s --at #%d -c 1 --json" % (name, at)
    if not shell.stdout:
        run(command, fails=True)
    else:
        ours, theirs = json.loads(run(command)), json.loads(shell.stdout)
        for key in "location", "owner", "items":
            assert ours.get(key) == theirs.get(key), (command, key, ours.get(key), theirs.get(key))
        found[name] += 1
    assert thread.GetSelectedFrame().GetFrameID() == before, command
    assert stack() == frames, (command, frames, stack())
    assert json.loads(run("rewind where --json"))["position"] == begin, command
assert all(found.values()), found
print("all as the shell finds them")
