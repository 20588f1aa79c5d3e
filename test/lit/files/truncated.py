"""A store and layers that somebody cuts short, or writes over, while LLDB has
them mapped: the session goes on, and its answers are right.

usage: truncated.py <plugin> <rewind> <sample folder> <folder>
"""

import os
import resource
import shutil
import subprocess
import sys

import lldb

plugin, rewind, sample, folder = sys.argv[1:]
os.makedirs(folder)
os.chdir(folder)
shutil.copy(os.path.join(sample, "sample.tarmac"), "t")
shutil.copy(os.path.join(sample, "sample.elf"), "elf")
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def command(line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    return result.Succeeded(), result.GetOutput() or "", result.GetError() or ""


def load():
    print_failure(command("rewind load t --image elf"))


def print_failure(answer):
    if not answer[0]:
        print("PROBLEM", answer)


questions = [
    "rewind list 100 -c 20",
    "rewind history x0 -c 20",
    "rewind calls tree -c 20",
    "rewind history x19 -c 20",
    "rewind diff 100 70000",
    "rewind htr layers",
    "rewind htr dump -c 20",
    "rewind export flamegraph -o -",
    "rewind profile",
]


def ask():
    return [command(q)[:2] for q in questions]


print_failure(command("plugin load " + plugin))
load()
print_failure(command("rewind htr run"))
right = ask()
for q, answer in zip(questions, right):
    if not answer[0] or not answer[1]:
        print("PROBLEM no answer:", q)


def cut(name):
    os.truncate(name, 0)


def overwrite(name):
    with open(name, "r+b") as f:
        f.write(b"x" * 5000000)


def remove(name):
    os.remove(name)


for damage in (cut, overwrite, remove):
    for name in ("t.rewind", "t.rewind.htr"):
        # Other processes do it while questions are being asked.
        child = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import os,sys; sys.stdin.readline(); name = sys.argv[2]\n"
                "exec({'cut': 'os.truncate(name, 0)', 'remove': 'os.remove(name)',"
                "'overwrite': 'open(name, \"r+b\").write(b\"x\" * 5000000)'}[sys.argv[1]])",
                damage.__name__,
                name,
            ],
            stdin=subprocess.PIPE,
        )
        ask()
        child.stdin.close()
        rounds = wrong = 0
        while child.poll() is None or rounds < 3:
            now = ask()
            rounds += 1
            # Layers are opened by each command: they are computed again.
            for q, a, b in zip(questions, now, right):
                if "htr" in q and name.endswith("htr"):
                    wrong += not a[0]
                elif "htr" in q:
                    continue
                else:
                    wrong += a != b
        if wrong or child.returncode:
            print("PROBLEM", damage.__name__, name, wrong, "of", rounds)
        print("survived:", damage.__name__, name)
        # What begins with something else is not ours, and not replaced.
        debugger.DeleteTarget(debugger.GetSelectedTarget())
        for n in ("t.rewind", "t.rewind.htr"):
            if damage == overwrite and os.path.exists(n):
                os.remove(n)
        load()
        print_failure(command("rewind htr run"))
        if [a[0] for a in ask()] != [True] * len(questions):
            print("PROBLEM after", damage.__name__, name)

# What is written from LLDB: the same care, and LLDB goes on.
def contents():
    return {n: open(n, "rb").read() for n in sorted(os.listdir(".")) if os.path.isfile(n)}


print_failure(command("rewind bookmark add here"))
os.mkdir("folder")
before = contents()
for place in ("t", "t.rewind", "t.rewind.htr", "elf", "/dev/full", "folder", "no/such"):
    for words in (
        "export svg",
        "export vcd",
        "calls tree",
        "htr export ctf",
        "truncate",
    ):
        answer = command(f"rewind {words} -o {place}")
        if answer[0] or "cannot write" not in answer[2] or contents() != before:
            print("PROBLEM", words, place, answer)
here = os.getcwd()
answer = command(f"trace save {here}")
if answer[0] or "it is the trace" not in answer[2] or contents() != before:
    print("PROBLEM trace save", answer)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
answers = [
    command(line)
    for line in ("rewind bookmark add there #5", "rewind export svg -o new", "rewind htr run")
]
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
for answer in answers:
    if answer[0] or "File too large" not in answer[2]:
        print("PROBLEM no room", answer)
if contents() != before:
    print("PROBLEM no room: a file has changed")
print("end")
