"""What a page may ask of commands is bounded: bounds.py <rewind> <trace> <image>"""

import json
import subprocess
import sys

from viewer import Viewer

rewind, trace, image = sys.argv[1:4]
viewer = Viewer(rewind, trace, "--image", image)
page = viewer.page()
MOST, DEFAULT, BYTES = 5000, 1000, 1 << 20
bad = 0


def expect(what, got, want):
    global bad
    bad += got != want
    print("ok     " if got == want else "FAILED ", what, "" if got == want else "%r, not %r" % (got, want))


def whole(*words):
    done = subprocess.run([rewind, *words[:1], trace, "--image", image, *words[1:], "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["items"]


writes = whole("history", "x0", "--at", "#1")
assert len(writes) > MOST, len(writes)
for count, want in [(None, DEFAULT), ("1", 1), ("2000", 2000), ("5000", MOST), ("5001", MOST), ("18446744073709551615", MOST)]:
    answer = page.ask("history", of="x0", at="#1", **({} if count is None else {"count": count}))
    items = answer["items"]
    fits = len(json.dumps(answer, separators=(",", ":"))) <= BYTES
    full = len(json.dumps(writes[:want], separators=(",", ":"))) < BYTES - 1000
    expect("count %s: %d items" % (count, len(items)), (len(items) == want or not full, fits), (True, True))
    expect("they are the first, and that there are more is told", (items == writes[:len(items)], answer["complete"]), (True, False))
expect("a count that is none", "error" in page.ask("history", of="x0", at="#1", count="99999999999999999999"), True)

length = page.ask("hello")["threads"][0]["instructions"]
for question in [
    {"what": "history", "of": "sp", "at": "#1"},
    {"what": "diff", "from": "#0", "to": "#%d" % length},
    {"what": "find", "of": "find"},
    {"what": "profile-self", "by": "lines"},
    {"what": "profile-tree"},
    {"what": "profile-block", "of": "main"},
    {"what": "calls-info", "of": "find"},
    {"what": "slice", "of": "x0", "at": "#%d" % (length - 1), "count": "1000000"},
    {"what": "critical-path", "steps": True, "count": "1000000"},
]:
    answer = page.ask_all(question)[0]
    size = len(json.dumps(answer, separators=(",", ":")))
    items = len(answer.get("items", []))
    print("        %s: %d items, %d bytes %s" % (question["what"], items, size, answer.get("error", "")))
    expect(question["what"], (size <= BYTES, items <= 2 * MOST), (True, True))

# Many of the largest: what does not fit is refused, and the server stays small.
before = viewer.anonymous()
answers = page.ask_all(*[{"what": "history", "of": "x0", "at": "#1", "count": "5000"}] * 64)
size = len(json.dumps(answers, separators=(",", ":")))
refused = [a["error"] for a in answers if "error" in a]
print("        64 questions: %d bytes, %d refused" % (size, len(refused)))
expect("64 of them", (len(answers), size <= 6 << 20, set(refused) <= {"the answers before this one fill the message: ask again"}), (64, True, True))
grown = viewer.anonymous() - before
print("        the server has grown by %d MiB" % (grown >> 20))
expect("the server stays small", viewer.sanitized() or grown < 48 << 20, True)

# Folds that the next question would be refused for are not made.
runs = ",".join(str(2 * i) for i in range(9000))
expect("too many folds", "error" in page.ask("fold", at=100, folds=runs, action="all"), True)
viewer.stop()
print("all of it is bounded" if not bad else "%d failed" % bad)
