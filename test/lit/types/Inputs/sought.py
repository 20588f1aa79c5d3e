"""sought.py <rewind> <plugin> <trace> <image>: in which turn of sought.c something
became a value, by the shell and by LLDB."""
import json
import subprocess
import sys

import lldb

rewind, plugin, trace, image = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.SetOutputFileHandle(open("/dev/null", "w"), True)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))


def shell(*words):
    done = subprocess.run([rewind, words[0], trace, "-i", image, *words[1:]], capture_output=True, text=True)
    return done.stdout or done.stderr


QUESTIONS = [
    ("OPEN", "front", 2), ("CLOSED", "front", 3), ("5", "front", 2), ("1.5", "warm", 1), ("3", "warm", 2),
    ("4.5", "mem", 3), ("0.5", "cold", 1), ("0.5f", "cold", 1), ("1.5", "cold", 3), ("-2", "least", 2),
    ("0xfe", "least", 2), ("'\\375'", "least", 3), ("3", "bits.prio", 2), ("-3", "bits.below", 3),
    ("2", "rows", 2), ("2.0", "rows[2]", 2),
]
wrong = 0
for value, where, turn in QUESTIONS:
    # Before the first turn all is 0; CLOSED comes back in the last.
    which = "--last" if value == "CLOSED" else "--first"
    told = shell("find", "value", value, "--in", where, which, "--json")
    by_lldb = run('rewind find value "%s" --in %s %s --json' % (value, where, which))
    try:
        position = json.loads(told)["items"][0]["position"]
        same = json.loads(by_lldb)["items"][0]["position"] == position
        at = shell("eval", "--at", "#%d" % position, "i").split()[-1]
    except (ValueError, IndexError, KeyError):
        position, same, at = told, False, ""
    if not same or at != str(turn):
        wrong += 1
        print("wrong:", value, where, at, position, by_lldb)
for value, where in (("1.5", "front"), ("AJAR", "front"), ("8", "bits.prio"), ("200", "least"), ("1.5", "bits.prio"), ("AJAR", "mem")):
    told, by_lldb = shell("find", "value", value, "--in", where), run("rewind find value %s --in %s" % (value, where))
    print("%s in %s: %s" % (value, where, told.strip().replace("rewind: ", "")))
    if told.split(": ", 1)[1] != by_lldb.split(": ", 1)[1]:
        wrong += 1
        print("wrong: LLDB:", by_lldb)
print("%d questions, wrong: %d" % (len(QUESTIONS), wrong))
