"""`rewind view` in LLDB, driven by a script: page and debugger are one.
debugger.py <plugin> <trace> <image> <moves> <trace of two threads>"""
import json
import random
import statistics
import sys
import time

from viewer import Served
from session import debugger, run

plugin, trace, image = sys.argv[1:4]
run("plugin load " + plugin)
run("rewind view --no-open", fails=True)
run("rewind load %s --image %s" % (trace, image))
served = Served(json.loads(run("rewind view --no-open --json"))["url"])
assert served.url in run("rewind view --no-open"), "the second time it is the same"
assert "usage" in run("rewind view here", fails=True)
page, other = served.page(), served.page()
hello = page.ask("hello")
length = hello["threads"][0]["instructions"]
now = hello["debugger"]
assert now["state"] == "stopped" and now["at"] == 0, now


def where():
    return json.loads(run("rewind where --json"))["position"]


def pc():
    return debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetFrameAtIndex(0).GetPC()


rng = random.Random(11)
to_page, to_stop = [], []
for step in range(int(sys.argv[4])):
    to = rng.randrange(length + 1)
    while to == now["at"]:
        to = rng.randrange(length + 1)
    by = 0
    begun = time.monotonic()
    if step % 2:
        asks, by = (page if step % 4 == 1 else other), step
        answer = asks.ask("go", thread=1, at=to, revision=now["revision"], by=by)
        assert "error" not in answer, answer
    else:
        run("rewind goto %d" % to)
    told = [p.news() for p in (page, other)]
    (to_stop if by else to_page).append(time.monotonic() - begun)
    assert told[0] == told[1], told
    assert told[0]["revision"] == now["revision"] + 1 and told[0]["at"] == to and told[0].get("by", 0) == by, (step, to, told)
    now = told[0]
    assert where() == to, (where(), to)
    if to < length:
        row = page.ask("rows", at=to, before=0, after=1)["rows"][0]
        assert int(row["pc"], 16) == pc(), (row, hex(pc()))
for what, times, most in (("stop -> page", to_page, 0.1), ("click -> stop", to_stop, 0.3)):
    times.sort()
    print("%s: %.1f ms, 99 of 100 within %.1f ms" % (what, 1e3 * statistics.median(times), 1e3 * times[len(times) * 99 // 100]))
    assert statistics.median(times) < most, times
print("%d moves, never apart" % int(sys.argv[4]))

# Every way to stop is one.
for command in ("thread step-inst", "breakpoint set -n set_label", "continue", "rewind back", "reverse-continue", "thread step-over"):
    run(command)
    if command.startswith("breakpoint"):
        continue
    now = page.news()
    assert now == other.news() and now["at"] == where(), (command, now, where())
# A click lands where it says, whatever breakpoints there are, and LLDB goes back
# from there as from anywhere.
left = now["at"]
assert "error" not in page.ask("go", thread=1, at=40000, revision=now["revision"], by=1)
now = page.news()
assert now["at"] == 40000 == where() and other.news() == now
thread = debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
assert "page" in thread.GetStopDescription(100), thread.GetStopDescription(100)
run("rewind back")
now = page.news()
assert now == other.news() and now["at"] == left, (now, left)

# What was asked of an older stop is refused, and so is nonsense.
assert "meanwhile" in page.ask("go", thread=1, at=7, revision=now["revision"] - 1, by=2)["error"]
for wrong in ({"thread": 2}, {"at": length + 1}, {"revision": -1}, {"by": "x"}, {"at": "0; quit"}):
    answer = page.ask("go", **{"thread": 1, "at": 7, "revision": now["revision"], "by": 3, **wrong})
    assert "error" in answer, wrong
assert where() == now["at"]
# Two pages at once: one of them gets there.
answers = [p.ask("go", thread=1, at=to, revision=now["revision"], by=to) for p, to in ((page, 11), (other, 12))]
# The second may replace the first, or come too late; the last that was taken is told of.
last = 11 if "error" in answers[1] else 12
told = []
for p in (page, other):
    told.append([p.news()])
    while told[-1][-1]["by"] != last:
        told[-1].append(p.news())
assert told[0] == told[1], told
assert told[0][0]["at"] == told[0][0]["by"] and {n["by"] for n in told[0]} <= {11, 12}, (told, answers)
now = told[0][-1]
assert now["at"] == where(), (now, answers)
assert page.ask("hello")["debugger"]["at"] == where()

# The page survives the process, and says so; and the target.
other.close()
run("process kill")
now = page.news()
assert now["state"] == "gone", now
assert "ended" in page.ask("go", thread=1, at=5, revision=now["revision"], by=4)["error"]
rows = page.ask("rows", at=100, before=5, after=5)["rows"]
run("target delete --all")
assert page.ask("rows", at=100, before=5, after=5)["rows"] == rows
assert page.ask("profile-self")["items"]
# Another load is another recording, with pages of its own.
run("rewind load %s --image %s" % (trace, image))
again = Served(json.loads(run("rewind view --no-open --json"))["url"])
assert again.port != served.port
assert again.page().ask("hello")["debugger"]["state"] == "stopped"
assert page.ask("hello")["debugger"]["state"] == "gone"
run("rewind view --stop")
run("rewind view --stop", fails=True)
try:
    again.connect()
    raise SystemExit("it still serves")
except ConnectionRefusedError:
    pass

# LLDB selects the thread that the page went to; ends are places.
run("rewind load %s --image %s" % (sys.argv[5], image))
page = Served(json.loads(run("rewind view --no-open --json"))["url"]).page()
hello = page.ask("hello")
now, end = hello["debugger"], hello["threads"][0]["instructions"]
for step, (thread, to) in enumerate([(2, 500), (1, 500), (2, end), (2, 3), (1, end), (1, 0)], 1):
    answer = page.ask("go", thread=thread, at=to, revision=now["revision"], by=step)
    assert "error" not in answer, answer
    now = page.news()
    selected = debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetIndexID()
    assert (now["thread"], now["at"], selected, where()) == (thread, to, thread, to), (now, selected, where())
run("rewind goto 2:#77")
now = page.news()
assert (now["thread"], now["at"]) == (2, 77), now
print("all of it works")
