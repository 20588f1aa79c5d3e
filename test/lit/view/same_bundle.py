"""Compares the files of two folders of gzipped ones: same_bundle.py <committed> <made>"""

import gzip
import os
import sys

committed, made = sys.argv[1:]
for name in sorted(set(os.listdir(committed)) | set(os.listdir(made))):
    texts = []
    for folder in committed, made:
        path = os.path.join(folder, name)
        texts.append(gzip.open(path).read() if os.path.exists(path) else None)
    print(name, "is current" if texts[0] == texts[1] else "DIFFERS: npm run build in commands/view/page")
