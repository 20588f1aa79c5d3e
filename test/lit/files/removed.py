"""removed.py <plugin>: answers of a session before and after its index, and its
layers, were removed; and after another index was put there."""
import filecmp
import os
import shutil
import sys

import lldb

STORE = "sample.tarmac.rewind"
LAYERS = STORE + ".htr"
COMMANDS = """\
rewind htr
rewind htr hot
rewind htr layers
rewind htr loop B1190
rewind htr compare B1187 37 38
rewind htr expand B746
rewind htr block B746
rewind htr where 50%
rewind htr export ctf -o out.json
rewind profile tree
rewind profile self --by htr
rewind calls tree
rewind list 50%
rewind history x0 -c 5
rewind find find --all -c 5
rewind export flamegraph
rewind info
rewind bookmark add here 50%
rewind bookmark list
rewind bookmark delete here
""".splitlines()

debugger = lldb.SBDebugger.Create(False)
debugger.SetAsync(False)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or ""), (result.GetError() or "")


run("plugin load " + sys.argv[1])
run("rewind load sample.tarmac --image sample.elf")
run("rewind htr run")
before = {c: run(c) for c in COMMANDS}
shutil.copy(STORE, "kept")


def compare(what):
    same = 0
    for command in COMMANDS:
        out, error = run(command)
        if out == before[command][0] and "error" not in error:
            same += 1
        else:
            print(what, command, out, error)
    print(f"{what}: {same} answers as before")


os.remove(STORE)
os.remove(LAYERS)
compare("removed")
out, error = run("trace save saved")
if filecmp.cmp("kept", "saved/" + STORE, shallow=False):
    print("saved: the index is that of the session")
else:
    print(out, error)
os.remove(LAYERS)
shutil.copy("half.tarmac.rewind", STORE)
compare("replaced")
print("replaced: rewind htr run:", run("rewind htr run")[1].strip())
print("replaced:", "layers!" if os.path.exists(LAYERS) else "no layers beside the other index")
