"""Puts the modules of a folder into a build-id cache as perf record does; with
--wrong the files of two of them change places. cache.py <cache> <folder>"""

import os
import re
import shutil
import subprocess
import sys

cache, folder = sys.argv[1:3]
modules = {}
for name in sorted(os.listdir(folder)):
    path = os.path.join(folder, name)
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes)
    if found:
        modules[found.group(1)] = path
files = list(modules.values())
if "--wrong" in sys.argv:
    files = files[1:] + files[:1]
for build_id, path in zip(modules, files):
    place = os.path.join(cache, os.path.abspath(modules[build_id])[1:], build_id)
    os.makedirs(place, exist_ok=True)
    shutil.copy(path, os.path.join(place, "elf"))
    link = os.path.join(cache, ".build-id", build_id[:2], build_id[2:])
    os.makedirs(os.path.dirname(link), exist_ok=True)
    if not os.path.islink(link):
        os.symlink(os.path.relpath(place, os.path.dirname(link)), link)
