"""The module over the program and in LLDB: both answer the same.

both.py <rewind> <plugin> <trace> <image>"""

import sys

import lldb
import rewind

program, plugin, trace, image = sys.argv[1:]
shell = rewind.open(trace, image, program=program)
debugger = lldb.SBDebugger.Create()
inside = rewind.load(debugger, trace, [image], plugin=plugin)
assert rewind.current(debugger).info() == shell.info()
assert rewind.open(trace.encode(), image.encode(), program=program).info() == shell.info()


def answer(question, recording):
    try:
        return question(recording)
    except rewind.RewindError as error:
        return "%s: %s" % (type(error).__name__, error)


def same(question):
    """What both answer, which is something."""
    one, other = answer(question, shell), answer(question, inside)
    assert one == other, (one, other)
    assert one, one
    return one


QUESTIONS = {
    "info": lambda t: t.info(),
    "where": lambda t: t.where(),
    "end": lambda t: t.where("end"),
    "last_write": lambda t: t.last_write("items[0].quantity"),
    "several": lambda t: t.last_write("sp", count=3),
    "next_write": lambda t: t.next_write("sp"),
    "first_write": lambda t: t.first_write("sp"),
    "last_read": lambda t: t.last_read("items[0].quantity"),
    "next_read": lambda t: t.next_read("items[0].quantity"),
    "history": lambda t: t.history("x0"),
    "reads": lambda t: t.history("items[0].quantity", reads=True, to="50%"),
    "eval": lambda t: t.eval("items[0].quantity", "set_label"),
    "calls": lambda t: t.calls(),
    "calls_of": lambda t: t.calls_of("set_label"),
    "frames": lambda t: t.frames(),
    "profile": lambda t: t.profile(sort="inclusive"),
    "layers": lambda t: t.layers(),
    "hot": lambda t: t.hot(),
    "slice": lambda t: t.slice("x0"),
    "forward": lambda t: t.slice("x0", at=20, forward=True),
    "deps": lambda t: t.deps(t.where()),
    "find": lambda t: t.find("set_label"),
    "next": lambda t: t.find("set_label", next=True),
    "value": lambda t: t.find("value", "0x2a", count=3),
    "list": lambda t: list(t.list(count=5)),
    "until": lambda t: list(t.list("end-3")),
    "json": lambda t: t.json("why", "x0", at=31408),
    "text": lambda t: t.text("where", "#5"),
    "unknown option": lambda t: t.last_write("x0", bogus=1),
    "unknown position": lambda t: t.where("nowhere"),
}
for position in (31408, 0, "2%"):
    for recording in (shell, inside):
        recording.goto(position)
    # Before the first instruction there is nothing to list of some of them.
    asked = QUESTIONS if position else {"where": QUESTIONS["where"], "history": QUESTIONS["history"]}
    answers = {name: same(question) for name, question in asked.items()}
print("both answer the same: %d questions" % len(QUESTIONS))
assert all(len(answers[name]) > 50 for name in ("history", "calls_of", "find")), "only the first ones"
assert answers["history"].complete and answers["unknown option"].startswith("RewindError: unknown option '--bogus")

# What nobody wrote before is nothing, and no error.
before = same(lambda t: (t.last_write("x5", at=0), t.find("set_label", at="end", next=True)))
assert before[0].before_trace and not before[0] and not before[1] and before[1].complete, before
for recording, words in ((shell, "no register of this trace"), (inside, "no variable, symbol or register")):
    assert words in answer(lambda t: t.last_write("nonsense"), recording)
for wrong, kind in (
    (lambda: rewind.open(trace + ".not", program=program), rewind.RewindError),
    (lambda: rewind.open(trace, program="/nowhere/rewind"), rewind.NotFound),
    (lambda: rewind.load(debugger, trace + ".not", plugin=plugin), rewind.RewindError),
    (lambda: rewind.current(lldb.SBDebugger.Create()), rewind.NotFound),
):
    try:
        wrong()
        assert False, "that worked"
    except kind as error:
        assert str(error)
print("errors are told")

# A list begins at its position; the pieces that LLDB is asked for make no difference.
for recording in (shell, inside):
    for count in (1, 2, 3, 10, 100):
        assert [row.position for row in recording.list("#20000", count=count)] == list(range(20000, 20000 + count)), count
        assert [row.position for row in recording.list(from_=20000, count=count)] == list(range(20000, 20000 + count)), count
    recording.goto(30000)
    assert next(iter(recording.list())).position == next(iter(recording.list(count=1))).position == 30000
    assert [row.position for row in recording.list("end-3")] == list(range(73238, 73241))
    assert not list(recording.list("end")) and not list(recording.list("#20000", to=20000)) and not list(recording.list(count=0))
listed = {}
for size in (1, 2, 7, 5000):
    rewind.recording._SOME = size
    for name, options in {"to": {"to": 20100}, "function": {"function": "set_label", "count": 30}, "writes": {"writes": "x0", "count": 40}}.items():
        rows = same(lambda t: list(t.list(20000, **options)))
        assert listed.setdefault(name, rows) == rows, (size, name)
assert len(listed["to"]) == 100 and len(listed["writes"]) == 40

# Answers have addresses as numbers: they are locations, and places of the code.
where = shell.where(31408)
for question in (
    lambda t: t.find(where.pc, count=5),
    lambda t: t.eval("x0", where.pc, count=5),
    lambda t: t.last_write(0x4200f0, size=4, at="end"),
    lambda t: t.history(0x4200f0, size=4),
    lambda t: list(t.each_write(0x4200f0, size=4)),
    lambda t: t.slice(0x4200f0, size=4, at="end"),
    lambda t: t.text("last-write", 0x4200f0, size=4, at="end"),
):
    assert not str(same(question)).startswith("RewindError"), same(question)
assert shell.last_write(0x4200f0, size=4, at="end") == shell.last_write("0x4200f0", size=4, at="end")
for question in (
    lambda t: t.last_write(None),
    lambda t: t.last_write(1.5),
    lambda t: t.find(b"set_label"),
    lambda t: t.eval("x0", None),
    lambda t: t.where([]),
    lambda t: t.text("where", ("#5",)),
    lambda t: t.find("set\0label"),
    lambda t: t.history("x0", to="a\0b"),
    lambda t: list(t.list(5, from_=7)),
):
    assert same(question).startswith("RewindError: "), same(question)
print("lists and addresses")

# A second recording does not change what the first one is asked.
other = rewind.load(debugger, trace, [image])  # the plugin is there: none is looked for
other.goto(7)
assert debugger.GetSelectedTarget() == other.backend.target
assert inside.where() == shell.where() and other.where().position == 7
assert debugger.GetSelectedTarget() == other.backend.target
assert debugger.GetAsync()
print("two recordings in one LLDB")

# The history that a walk through all instructions sees.
for recording in (shell, inside):
    rows = list(recording.list(from_="start", to=10000, count=10**9))
    assert [row.position for row in rows] == list(range(10000))
    for register in ("x0", "sp", "x1"):
        # A write of w0 is one of x0, but is listed under its own name.
        seen = {(row.position, row.registers[register]) for row in rows if register in row.registers}
        told = [(w.position, w.new) for w in recording.history(register, to=10000)]
        assert seen and seen <= set(told), (register, len(seen), len(told))
        narrow = {p for p, _ in set(told) - seen}
        assert all("w" + register[1:] in rows[p].registers for p in narrow), (register, narrow)
        assert told == [(w.position, w.new) for w in recording.each_write(register, to=10000)]
first = next(iter(shell.each_write("x0")))  # who has enough stops the program
assert first == shell.history("x0", count=1)[0]


def nodes(activation):
    yield activation
    for call in activation.calls:
        yield from nodes(call)


roots = shell.calls(no_fold=True)
for name in ("set_label", "insert"):
    tree = sorted((a.start, a.end) for root in roots for a in nodes(root) if a.function == name)
    assert tree == [(c.start, c.end) for c in shell.calls_of(name)], name
assert sum(f.own for f in shell.profile()) == shell.info().instructions
print("naive models agree")
