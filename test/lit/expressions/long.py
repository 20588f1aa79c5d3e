"""Whether long listings of `rewind eval` are the same in LLDB and in the shell, and soon made.

long.py EACH PLUGIN REWIND IMAGE
"""
import re
import resource
import subprocess
import sys

each, plugin, rewind, image = sys.argv[1:]
trace = image + ".tarmac"
source = __file__.replace("long.py", "Inputs/long.c")
line = 1 + open(source).read().split("// here")[0].count("\n")
expressions = ["total", "sum", "round", "item->next->priority", "items[3].kind", "*odd"]
questions = [["eval", e, "--at", f"long.c:{line}", "-c", "5000", *json]
             for e in expressions for json in ([], ["--json"])]

commands = [f"rewind load {trace} --image {image}"] + ["rewind " + " ".join(q) for q in questions]
told = subprocess.run([sys.executable, each, plugin] + commands, capture_output=True, text=True).stdout
used = resource.getrusage(resource.RUSAGE_CHILDREN)
parts = re.split(r"^\(lldb\) rewind .*\n", told, flags=re.M)
assert len(parts) > len(questions), told
failed = 0
for question, lldb in zip(questions, parts[2:]):
    shell = subprocess.run([rewind, question[0], trace, *question[1:], "--image", image],
                           capture_output=True, text=True).stdout.strip()
    lldb = lldb.split("\n(lldb)")[0].strip()
    assert shell.count("\n") >= 4000, shell[:1000]
    for mine, theirs in zip(shell.splitlines(), lldb.splitlines()):
        if mine != theirs:
            failed += 1
            print(f"{' '.join(question)}\nshell: {mine}\nLLDB:  {theirs}")
            break
    if shell.count("\n") != lldb.count("\n"):
        failed += 1
        print(f"{' '.join(question)}: {shell.count(chr(10))} and {lldb.count(chr(10))} lines")
# LLDB alone takes some minutes.
seconds = used.ru_utime + used.ru_stime
if seconds > 40:
    failed += 1
    print(f"{seconds} s")
sys.exit(failed != 0)
