"""tree_limit.py <rewind> <trace> <image> <store>: `calls tree -c n` against the
beginning of the whole tree."""
import subprocess
import sys

rewind, trace, image, store = sys.argv[1:]


def tree(*options):
    command = [rewind, "calls", "tree", trace, "--index", store, "-i", image, *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


for options in [], ["--no-fold"], ["--fold"], ["--depth", "4"], ["--function", "sort"]:
    whole = tree(*options, "-c", "1000000")
    for count in 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, len(whole) - 1, len(whole):
        if count <= len(whole):
            some = tree(*options, "-c", str(count))
            more = ["... and more (--count, --depth)"] if count < len(whole) else []
            assert some == whole[:count] + more, (options, count, some)
    folded = any(" x " in line for line in whole)
    print(options, len(whole), "lines, folded:", folded)
