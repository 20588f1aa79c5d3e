"""check_misuse.py <rewind> <trace> <image>: command lines that are wrong whatever the trace
is, which the exit status tells.
"""
import subprocess
import sys

rewind, trace, image = sys.argv[1:]
tried = 0
for command in ("self", "dominated", "sequences", "tree", "block main"):
    what, *block = command.split()
    for wrong in (
        "--goto banana",
        "--goto 0",
        "--goto -1",
        "--goto longest",
        "--goto 1 --row 0",
        "--goto 1 --row x",
        "--row 1",
        "--by pages",
        "--metric beauty",
        "--metric calls/calls",
        "--count 0",
        "--from banana",
    ):
        words = [rewind, "profile", what, trace, *block, *wrong.split()]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 2 and not done.stdout and done.stderr, (words, done)
        tried += 1
for words in (["goto", trace, "3"], ["back", trace], ["calls", "tree", trace, "--goto", "@1"]):
    done = subprocess.run([rewind, *words], capture_output=True, text=True)
    assert done.returncode == 2, (words, done)
    tried += 1
print(tried, "wrong command lines")
