"""Where a question is asked from: the same over the program and in LLDB.

positions.py <rewind> <plugin> <trace> <image>: of threads.cc"""

import os
import re
import sys

import lldb
import rewind

os.environ["REWIND"], os.environ["REWIND_PLUGIN"], trace, image = sys.argv[1:]
shell = rewind.open(trace, images=image)
inside = rewind.load(lldb.SBDebugger.Create(), os.path.relpath(trace), image)


def answer(question, recording):
    try:
        return question(recording)
    except rewind.RewindError as error:
        # The shell and LLDB have their own words for that.
        return re.sub(r"^('\w+' is no) .*(symbol|register).*", r"\1 name here", str(error))


def same(name, question):
    one, other = answer(question, shell), answer(question, inside)
    assert one == other, (name, one, other)
    return one


# What a walk through all instructions sees of threads.
order = [(row.thread, row.position) for row in shell.list("start")]
rows = {at: moment for moment, at in enumerate(order)}
length = {t.thread: t.instructions for t in shell.info().threads}
step = shell.calls_of("step")
inner = next(c for c in step if c.thread == 3 and c.start > 900)
here = (3, inner.start + 40)
assert here[1] < inner.end - 1 and len(length) == 3


def of_thread(thread):
    """Where a thread is when `here` is."""
    return sum(1 for t, _ in order[: rows[here]] if t == thread)


POSITIONS = {
    "+0": here,
    "-0": here,
    "+10": (3, here[1] + 10),
    " -10 ": (3, here[1] - 10),
    "+0x10": (3, here[1] + 16),
    "+1,000": (3, here[1] + 1000),
    "+10-5": (3, here[1] + 5),
    "100": (3, 100),
    "#100": (3, 100),
    "1,000": (3, 1000),
    "100+1": (3, 101),
    "start": (3, 0),
    "end": (3, length[3]),
    "end-20": (3, length[3] - 20),
    "50%": (3, length[3] // 2),
    "caller": (3, inner.start - 1),
    "entry": (3, inner.start),
    "return": (3, inner.end - 1),
    "entry + 2": (3, inner.start + 2),
    "caller-1": (3, inner.start - 2),
    "3:+1": (3, here[1] + 1),
    "1:+0": (1, of_thread(1)),
    "2:-3": (2, of_thread(2) - 3),
    "tid-1001:+3": (2, of_thread(2) + 3),
    "2:100": (2, 100),
    "1:end": (1, length[1]),
}
for recording in shell, inside:
    at = recording.goto("%d:#%d" % here)
    assert (at.thread, at.position) == here
for position, (thread, number) in POSITIONS.items():
    at = same(position, lambda t: t.where(position))
    assert (at.thread, at.position) == (thread, number), (position, at)
assert same("number", lambda t: t.where(100)).at == "3:#100"
assert same("here", lambda t: t.where()).at == "%d:#%d" % here
time, line = shell.where().time, shell.where("2:#500").line
assert same("time", lambda t: t.where("t:%d" % time)).at == "%d:#%d" % here
assert same("line", lambda t: t.where("l:%d" % line)).at == "2:#500"
calls = same("2:entry", lambda t: t.where("2:entry")).position
assert calls == max(c.start for c in step if c.thread == 2 and c.start <= of_thread(2) < c.end)
for wrong in ("-100000", "+100000", "2:-100000", "entry-100000", "99999999", "+x", "--5", "+ 5", "nowhere", "9:+1", "end+1", "", "1_0:+1", "+99999999999999999999"):
    said = same(wrong, lambda t: t.where(wrong))
    assert isinstance(said, str) and said, (wrong, said)
assert "you are at #%d of #0" % here[1] in same("far", lambda t: t.where("-100000"))
print("positions: %d" % len(POSITIONS))

# Each question, from here and from places that are told from here.
QUESTIONS = {
    "last_write": lambda t, at: t.last_write("Jobs[1].Sum", at=at),
    "register": lambda t, at: t.last_write("sp", at=at),
    "local": lambda t, at: t.last_write("old", at=at),
    "next_write": lambda t, at: t.next_write("x0", at=at),
    "other's": lambda t, at: t.last_write("x0", at=at, thread=2),
    "last_read": lambda t, at: t.last_read("Jobs[1].Sum", at=at),
    "next_read": lambda t, at: t.next_read("Jobs[1].Sum", at=at),
    "history": lambda t, at: t.history("old", at=at),
    "from": lambda t, at: t.history("x0", from_="-20" if at is None else at, to="+30"),
    "each_write": lambda t, at: list(t.each_write("i", at=at)),
    "find": lambda t, at: t.find("step", at=at, next=True),
    "frames": lambda t, at: t.frames(at),
    "slice": lambda t, at: t.slice("x0", at=at, from_="-40"),
    "deps": lambda t, at: t.deps("+0" if at is None else at),
    "location": lambda t, at: t.deps("old", at=at),
    "where": lambda t, at: t.where(at),
    "list": lambda t, at: list(t.list(at, count=5)),
    "until": lambda t, at: list(t.list(at, to="+12", thread=3)),
    "thread": lambda t, at: list(t.list(at, count=3, thread=2)),
    "writes": lambda t, at: list(t.list("entry", writes="old", count=3, at=at)),
    "eval": lambda t, at: t.eval("old", "+0" if at is None else at),
    "calls": lambda t, at: t.calls(from_="+0" if at is None else at, to="+200"),
    "profile": lambda t, at: t.profile(to="+0" if at is None else at),
    "why": lambda t, at: t.json("why", "old", at=at),
    "origin": lambda t, at: t.json("origi", "old", at=at),
    "calls where": lambda t, at: t.json("calls where", *([] if at is None else [at])),
    "htr": lambda t, at: t.text("htr where", at=at),
    "diff": lambda t, at: t.json("diff", "entry", *([] if at is None else [at]), count=10**6),
    "value": lambda t, at: t.text("eval", "i", at="+0" if at is None else at),
}


def ask(*places):
    for name, question in QUESTIONS.items():
        for at in (None, *places):
            if at == "2:+0" and name in ("eval", "value", "diff", "calls where"):
                continue  # not told by --at and --thread: over the program it is thread 2's next instruction
            told = same((name, at), lambda t: question(t, at))
            assert told or name in ("until", "profile", "writes"), (name, at, told)
            if at is None and not isinstance(told, str):
                there = same(name, lambda t: question(t, "+0"))
                assert name in ("from", "value") or there == told, (name, told, there)


ask("+0", "-5", "100", "entry", "2:+0")
assert shell.last_write("old")[0].at == shell.last_write("old", at="+0")[0].at == shell.last_write("old", at=shell.where())[0].at
assert shell.json("last-write", "old")["items"] == shell.json("last", "old", at="%d:#%d" % here)["items"]
assert next(iter(shell.list("+0"))).at == "%d:#%d" % here
for recording in shell, inside:
    writes = recording.each_write("i")
    recording.goto("start")
    assert next(writes).thread == 3, "it was asked for there"
for recording in shell, inside:
    recording.goto("1:t:%d" % time)
ask()
print("questions: %d" % len(QUESTIONS))

# One stands at a moment: at the end, and at a time, others may be further on.
for there in ("2:end", "t:%d" % (time + 5), "l:%d" % line, "+0", "start", "end", "100%", "end-1"):
    same(there, lambda t: t.goto(there))
    for name in "local", "last_write", "other's", "frames":
        same((there, name), lambda t: QUESTIONS[name](t, None))
    at = inside.where()
    assert (at.thread, at.position) == (shell.where().thread, shell.where().position), there
    for word in "+0", "-1", "entry", "3:+1":
        same((there, word), lambda t: t.where(word))
for there in ("end", "2:end"):
    for recording in shell, inside:
        recording.goto(there)
        assert recording.last_write("Jobs[2].Sum") == recording.last_write("Jobs[2].Sum", at=there)
print("moments")

# A bookmark is added where one stands, and is found from elsewhere.
shell.goto(shell.where("3:1000"))
shell.text("bookmark add", "spot-a")
shell.text("bookmark add", "other", "+5")
assert [(b.name, b.at) for b in shell.bookmarks()] == [("spot-a", "3:#1000"), ("other", "3:#1005")], shell.bookmarks()
shell.goto("2:7")
assert shell.where("spot-a").at == "3:#1000" and shell.goto("spot-a+3").at == "3:#1003" and shell.where("+1").at == "3:#1004"
assert shell.goto("other").at == "3:#1005" and shell.where(shell.bookmarks()[0]).at == "3:#1000"
shell.text("bookmark delete", "other", "spot-a")
print("bookmarks")

# What an answer tells is a position.
for recording in shell, inside:
    t = recording
    t.goto("%d:#%d" % here)
    frames, calls = t.frames(), t.calls_of("step")
    assert [f.thread for f in frames] == [3] * len(frames) and len(frames) > 2
    assert t.where(frames[1]).at == "3:#%d" % frames[1].position == "3:#%d" % (inner.start - 1)
    assert t.frames(frames[1])[0].code == frames[1].code and t.goto(inner).at == "3:#%d" % inner.start
    hot = t.hot()[0]
    assert t.where(hot).at == hot.at == "%d:#%d" % (hot.thread, hot.position)
    call = next(c for c in calls if c.thread == 2)
    assert t.goto(call).at == call.at and t.where("+1").at == "2:#%d" % (call.start + 1)
    roots = t.calls(no_fold=True)
    assert [root.thread for root in roots] == [1, 2, 3]
    leaf = roots[2]
    while leaf.calls:
        leaf = leaf.calls[0]
    assert leaf.thread == 3 and t.where(leaf).at == "3:#%d" % leaf.start
    owner = t.history("old", at=inner.at + "+40").owner
    assert t.where(owner).at == "3:#%d" % inner.start == owner.at
    assert next(iter(t.list(frames[1], to=frames[0]))).position == frames[1].position
    assert t.eval("job", call)[0].at == call.at
    assert t.last_write("sp", at=call).items and t.json("why", "sp", at=call)["items"]
    for wrong in (t.info(), None, True, 1.5, t.frames(), t.info().threads[0]):
        assert wrong is None or re.match("a position is a number, a text or", answer(lambda t: t.frames(wrong), t)), wrong
print("answers")
