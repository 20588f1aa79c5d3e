"""same_names.py <plugin> <rewind> <trace> <image>: commands that print names say the
same in LLDB and in the shell, and nothing that LLDB invents."""
import re
import subprocess
import sys

import lldb

plugin, rewind, trace, image = sys.argv[1:]
end = str(int(subprocess.run([rewind, "info", trace, "--json"], capture_output=True, text=True, check=True)
              .stdout.split('"instructions":')[1].split(",")[0]))
questions = [
    ["calls", "tree", "-c", "100000"],
    ["profile", "functions", "-c", "100000"],
    ["where", "1"],
    ["where", "50%"],
    ["calls", "where", "--at", "50%"],
    ["list", "--from", "0", "--to", end, "-c", "3000"],
    ["htr", "layers"],
    ["htr", "run", "functions"],
    ["last-write", "sp", "--at", end],
    ["history", "x0" if "64" in image else "r0", "--from", "0", "--to", end, "-c", "300"],
    ["find", "main", "--all", "--from", "0", "--to", end, "-c", "100"],
    ["diff", "0", end, "-c", "100000"],
]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
interpreter = debugger.GetCommandInterpreter()


def ask(line):
    result = lldb.SBCommandReturnObject()
    interpreter.HandleCommand(line, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


ask("plugin load " + plugin)
load = ask("rewind load %s --image %s" % (trace, image))
assert "error" not in load, load
for words in questions:
    here = ask("rewind " + " ".join(words)).replace("error: ", "")
    ran = subprocess.run(
        [rewind, *words[: 2 if words[0] in ("calls", "profile", "htr") else 1], trace]
        + words[2 if words[0] in ("calls", "profile", "htr") else 1 :] + ["--image", image],
        capture_output=True,
        text=True,
    )
    shell = ran.stdout + ran.stderr.replace("rewind: ", "")
    here = here.replace("-> #", "   #")  # LLDB stands somewhere
    here = re.sub("(?m)^warning: computing .*\n", "", here)  # both keep the layers
    if here != shell:
        a, b = here.splitlines(), shell.splitlines()
        where = [i for i in range(min(len(a), len(b))) if a[i] != b[i]] or [min(len(a), len(b))]
        print("DIFFERENT:", " ".join(words), "line", where[0])
        print("  LLDB: ", a[where[0] : where[0] + 3])
        print("  shell:", b[where[0] : where[0] + 3])
        sys.exit(1)
    assert "lldb_unnamed" not in here, here
    print("same:", " ".join(words[:2]), len(here.splitlines()), "lines")
# What LLDB invents is no name to ask for, either.
answer = ask("target modules lookup -r -s ___lldb_unnamed")
if "___lldb" in answer:
    name = "___lldb" + answer.split("___lldb")[1].split()[0].split("`")[0]
    assert "error" in ask("rewind find " + name), name
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
