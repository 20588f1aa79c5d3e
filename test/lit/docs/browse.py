"""docs/browse.md shows what rewind browse shows: its screen on the sample, and its table of keys.
browse.py [--update] --build <build> <docs/browse.md>"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browse"))
from screen import Screen

parser = argparse.ArgumentParser()
parser.add_argument("--update", action="store_true")
parser.add_argument("--build", required=True)
parser.add_argument("page")
options = parser.parse_args()
rewind = os.path.abspath(os.path.join(options.build, "bin", "rewind"))
page = os.path.abspath(options.page)
sample = os.path.abspath(os.path.join(options.build, "sample"))

with tempfile.TemporaryDirectory() as folder:
    for name in ("sample.tarmac", "sample.elf"):
        shutil.copy(os.path.join(sample, name), folder)
    os.chdir(folder)
    s = Screen(rewind, "sample.tarmac", "--image", "sample.elf", "--at", "31408")
    s.press("Up", "Down")
    screen = "```\n" + s.text().rstrip() + "\n```\n"
    s.quit()
    keys = subprocess.run([rewind, "browse", "sample.tarmac", "--keys"], capture_output=True, text=True, check=True).stdout

with open(page) as f:
    text = f.read()
made = text
for name, content in (("screen", screen), ("keys", keys)):
    begin, end = r"<!-- %s: [^\n]*-->\n" % name, r"<!-- end of %s -->" % name
    made, count = re.subn("(%s).*?(%s)" % (begin, end), lambda m: m.group(1) + content + m.group(2), made, flags=re.S)
    assert count == 1, name
if options.update:
    with open(page, "w") as f:
        f.write(made)
elif made != text:
    sys.exit("%s is not what rewind browse shows: test/lit/docs/browse.py --update --build build docs/browse.md" % page)
print("docs/browse.md is current")
