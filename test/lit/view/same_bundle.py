"""Compares the files of two folders of gzipped ones, and their size with what the
docs say: same_bundle.py <committed> <made> <docs/view.md>"""

import gzip
import os
import re
import sys

committed, made, docs = sys.argv[1:]
for name in sorted(set(os.listdir(committed)) | set(os.listdir(made))):
    texts = []
    for folder in committed, made:
        path = os.path.join(folder, name)
        texts.append(gzip.open(path).read() if os.path.exists(path) else None)
    print(name, "is current" if texts[0] == texts[1] else "DIFFERS: npm run build in commands/view/page")
size = round(sum(os.path.getsize(os.path.join(committed, name)) for name in os.listdir(committed)) / 1000)
said = re.search(r"\((\d+) KB, gzipped\)", open(docs).read())
print("the docs say its size" if said and int(said[1]) == size else "DIFFERS: docs/view.md must say (%d KB, gzipped)" % size)
