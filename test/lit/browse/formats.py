"""What a trace cannot tell is absent: formats.py <rewind> <kind> <trace> [options]. Kinds: htm, intelpt, threads."""
import re
import sys

from screen import Screen

rewind, kind, trace = sys.argv[1:4]
options = sys.argv[4:]
s = Screen(rewind, trace, *options)
assert s.status(), s.text()
if kind == "threads":
    count = 0
    while True:
        s.press("T")
        count += 1
        assert s.status().startswith("thread "), s.status()
        if s.status().startswith("thread 1 "):
            break
    assert count > 1
    s.type("g", "2:#7")
    assert s.status().startswith("thread 2 ") and s.position() == 7, s.status()
    s.press("Ctrl-O")
    assert s.status().startswith("thread 1 ")
    print("ok threads")
    sys.exit()
assert s.status("Core registers") is None, "registers are shown that have no values"
for key, said in (("r", "tells no values of registers"), ("S", "tells no values of registers"), ("l", "no text lines")):
    s.press(key)
    assert said in s.bottom(), (key, s.bottom())
if kind == "intelpt":
    s.press("m")
    assert "tells no values of memory" in s.bottom() or s.bottom().startswith("Memory at"), s.bottom()
    s.press("Esc")
assert "t:" not in s.status() or re.search(r"t:\d+", s.status())
s.press("Down", "Down", "Down", "Up")
assert s.position() == 2, s.status()
s.press("End", "Up", "Home")
assert s.position() == 0
second = int(re.search(r"#2 (?:\S+ )?(0x[0-9a-f]+)", re.sub(" +", " ", s.text())).group(1), 16)
s.type("p", hex(second))
assert s.position() == 2, s.status()
s.press("{")
assert s.position() <= 2, s.status()
s.press("}")
rows = s.rows()
assert rows == list(range(rows[0], rows[-1] + 1)), rows
s.type("g", "50%")
middle = s.position()
assert middle > 2
s.press("c")
assert s.status("Calls") or "no call was found" in s.bottom()
s.press("x") if s.status("Calls") else None
s.press("f")
assert s.status("Profile"), s.text()
s.press("Return")
s.press("x", "z")
assert s.status("Layers"), s.text()
s.press("x")
s.resize(150, 40)
s.press("Ctrl-O", "Ctrl-R")
assert s.quit() == 0
print("ok", kind)
