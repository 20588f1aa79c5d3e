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
        "--select *\\",
        "--exclude *[b-a]",
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
for words in (
    ["list", trace, "--function"],
    ["calls", "tree", trace, "--function"],
    ["profile", "functions", trace, "--function"],
    ["slice", trace, "x0", "--stop"],
    ["deps", "lines", trace, "--function"],
    ["critical-path", trace, "--free"],
):
    # Where one looks for functions there must be an image.
    done = subprocess.run([rewind, *words, "*\\", "-i", image], capture_output=True, text=True)
    assert done.returncode == 2 and words[-1] + " '*\\'" in done.stderr, (words, done)
    tried += 1
print(tried, "wrong command lines")
