"""both.py <plugin> <rewind> <trace> <image> <file of commands>: runs each
command (one a line) in LLDB and in the shell and demands the same answer, in
text and as JSON; with `-o OUT`, the same file. Lines that begin with ! are run
in LLDB only and printed."""
import json
import os
import shlex
import subprocess
import sys

import lldb

plugin, rewind, trace, image, commands = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def in_lldb(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded(), command + ": " + (result.GetError() or "")
    return result.GetOutput() or ""


def names():
    """Of the commands, the longest first."""
    listed = subprocess.run([rewind, "help"], capture_output=True, text=True, check=True)
    found = [line[2:19].strip() for line in listed.stdout.splitlines() if line.startswith("  ")]
    return sorted(found, key=len, reverse=True)


known = names()


def in_shell(command):
    name = next(name for name in known if (command + " ").startswith(name + " "))
    words = shlex.split(command[len(name) :])
    done = subprocess.run(
        [rewind, *name.split(), trace, *words, "--image", image],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def file_of(run, command):
    text = run(command)
    with open("OUT", "rb") as f:
        content = f.read()
    os.remove("OUT")
    return text, content


in_lldb("plugin load " + plugin)
in_lldb("rewind load %s --image %s" % (trace, image))
in_lldb("target stop-hook disable")
same = 0
for command in open(commands).read().splitlines():
    if not command or command.startswith("#"):
        continue
    if command.startswith("!"):
        print("(lldb)", command[1:])
        print(in_lldb(command[1:]), end="")
        continue
    for form in (command, command + " --json"):
        if "-o OUT" in form:
            ours = file_of(lambda c: in_lldb("rewind " + c), form)
            theirs = file_of(in_shell, form)
            assert len(ours[1]) > 100, form
        else:
            ours, theirs = in_lldb("rewind " + form), in_shell(form)
            assert ours, form
        assert ours == theirs, "%s:\nLLDB  %s\nshell %s" % (form, ours, theirs)
        if form.endswith("--json"):
            text = ours[1].decode() if command.startswith("calls tree") and "OUT" in command else (
                ours[0] if "OUT" in command else ours
            )
            json.loads(text)
        same += 1
print("%d answers are the same" % same)
lldb.SBDebugger.Destroy(debugger)
