"""The numbers of variables have the signs that their types say.

signs.py <rewind> <plugin> <trace> <image>: of threads.cc"""

import os
import sys

import lldb
import rewind

os.environ["REWIND"], os.environ["REWIND_PLUGIN"], trace, image = sys.argv[1:]
for t in rewind.open(trace, images=image), rewind.load(lldb.SBDebugger.Create(), trace, image):
    # As the program computes them. (A float's bytes are another number.)
    sums = [-2 * sum(range(i + 1)) for i in range(60)]
    WANTED = {
        "Sum": sums,
        "Low": sums,
        "Tiny": [-i for i in range(60)],
        "Wide": [s % (1 << 32) for s in sums],
        "Packed.Small": [-(i & 7) for i in range(60)],
        "Packed.Big": [i & 31 for i in range(60)],
        "Far": [-(i << 33) for i in range(60)],
    }
    for name, wanted in WANTED.items():
        history = t.history("Jobs[1]." + name)
        numbers = [w.new.integer for w in history]
        if name == "Packed.Small":  # the first write of its byte is that of another field
            numbers, wanted = [n for n in numbers if n], [n for n in wanted if n]
        assert numbers[-len(wanted) :] == wanted, (name, numbers, wanted)
        assert [w.old.integer for w in history[-10:]] == [w.new.integer for w in history[-11:-1]], name
        assert [w.new.integer for w in t.each_write("Jobs[1]." + name)] == [w.new.integer for w in history], name
        last = t.last_write("Jobs[1]." + name, at="end")[0]
        assert last.new.integer == wanted[-1] == t.eval("Jobs[1]." + name, "end")[0].integer, name
        read = t.last_read("Jobs[1]." + name, at="end")
        assert all(r.value.integer in wanted for r in read), (name, read)
    # Nobody tells the number of an enumerator, of a register and of a float.
    moods = t.history("Jobs[1].How")[-2:]
    assert [(w.new.integer, w.new.signed, w.new_text) for w in moods] == [(3, 3, "Good"), ((1 << 32) - 2, -2, "Bad")]
    real = t.last_write("Jobs[1].Real", at="end")[0]
    assert real.new.integer == 0xC26C0000 and real.new_text == "-59"
    assert t.eval("Jobs[1].How", "end")[0].integer is None
    plain = t.last_write("Jobs[1].Sum", at="end", raw=True)[0].new
    assert plain.integer == sums[-1] % (1 << 32) and plain.signed == sums[-1]
    start = t.history("Jobs[1].Sum", from_="end").initial
    assert start is None or start.integer == sums[-1]
    register = t.last_write("w0", at=t.find("step", last=True)[0], format="d")
    assert register[0].new.integer == int(register[0].new_text), register
    row = next(r for r in t.list(t.calls_of("step")[-1], function="step") if (r.registers.get("x0") or rewind.Value("0x0")).signed < 0)
    assert row.registers["x0"].integer == row.registers["x0"].signed + (1 << 64)

Value = rewind.Value
assert Value("0xff").integer == 255 and Value("0xff").signed == -1 and Value("0x7f").signed == 127
assert Value("0x??").signed is None and Value(" ".join(["ff"] * 32)).signed is None
assert Value("7").integer == 7 and Value("7").signed is None  # a field of a size that nobody tells
assert Value("0xff") == Value("0xff", "-1") and hash(Value("0xff")) == hash(Value("0xff", "-1"))
assert Value("0xff", "-1 '\\xff'").integer == -1 and Value("15", "-1").integer == -1 and Value("15", "-1").signed == -1
assert Value("8", "-8").integer == -8 and Value("15", "15").signed == 15
for text, shown in (("0xff", "255"), ("0xff", "-2"), ("0xff", "Bad"), ("0xff", "0xff"), ("0xff", "-257"), ("0x0000", "-1")):
    assert Value(text, shown).integer == int(text, 0), (text, shown)
Evaluated = rewind.Evaluated
for text, number in (("-190", -190), ("0x00ab", 0xAB), ("97 'a'", 97), ("0x4006d4 <step>", 0x4006D4), ("1.5", None), ("{1}", None), ("01 02", None), ('"7"', None), (None, None)):
    assert Evaluated(0, 1, value=text).integer == number, text
print("signs")
