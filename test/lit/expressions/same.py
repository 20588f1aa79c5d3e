"""Whether `rewind eval` and `rewind diff` say the same in LLDB and in the shell.

same.py EACH PLUGIN REWIND IMAGE EXPRESSION...
"""
import re
import subprocess
import sys

each, plugin, rewind, image, *expressions = sys.argv[1:]
trace = image + ".tarmac"
line = 1 + open(__file__.replace("same.py", "Inputs/same.c")).read().split("// here")[0].count("\n")
questions = [["eval", e, "--at", f"same.c:{line}"] for e in expressions]
questions += [["eval", e, "--at", "put"] for e in ("nodes[2].weight", "head")]
questions.append(["diff", "start", "end", "-c", "100000"])

commands = [f"rewind load {trace} --image {image}"] + ["rewind " + " ".join(q) for q in questions]
told = subprocess.run([sys.executable, each, plugin] + commands, capture_output=True, text=True).stdout
parts = re.split(r"^\(lldb\) rewind .*\n", told, flags=re.M)
assert len(parts) > len(questions), told
failed = 0
for question, lldb in zip(questions, parts[2:]):
    words = [question[0], trace, *question[1:], "--image", image]
    shell = subprocess.run([rewind] + words, capture_output=True, text=True)
    lldb = lldb.split("\n(lldb)")[0].strip()
    if question[0] == "diff":
        pick = lambda text: "\n".join(l for l in text.splitlines() if re.search(r" (nodes|head|share)", l))
        mine, theirs = pick(shell.stdout), pick(lldb)
        assert "share: " in mine, mine
    else:
        # What is said of names that registers have, too.
        mine = shell.stdout.strip() + shell.stderr.replace("rewind: ", "\nwarning: ").rstrip()
        theirs = lldb
        assert shell.stdout.count("\n") == 4, shell
    if mine != theirs:
        failed += 1
        print(f"{' '.join(question)}\nshell:\n{mine}\nLLDB:\n{theirs}")
sys.exit(failed != 0)
