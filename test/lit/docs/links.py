"""Every link of a page to a file of the repository, or to a heading of a page,
leads there. links.py <pages>"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)


def anchors(page):
    """Of a page's headings, as GitHub makes them."""
    text = FENCED.sub("", page.read_text())
    for heading in re.findall(r"^#+ (.*)", text, re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def problems(page):
    for link in LINK.findall(FENCED.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            yield f"{page}: {link}: there is no such file"
        elif anchor and anchor not in anchors(target):
            yield f"{page}: {link}: there is no such heading"


found = [p for page in sys.argv[1:] for p in problems(pathlib.Path(page))]
sys.exit("\n".join(found) or 0)
