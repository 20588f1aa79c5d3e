"""Each key of tarmac-browser, and those that are more, on the quickstart's sample: keys.py <rewind> <trace> <elf>."""
import json
import re
import subprocess
import sys
import traceback

from screen import Screen

REWIND, TRACE, ELF = sys.argv[1:4]
Start = 31408  # where the label overwrites the quantity
SetLabel = 31142  # where that call begins; it was called at the row before
tests = []


def test(function):
    tests.append(function)
    return function


def browse(*arguments, **options):
    return Screen(REWIND, TRACE, "--image", ELF, *arguments, **options)


def at(position=Start, **options):
    return browse("--at", str(position), **options)


def rewind(*words):
    """What a command says."""
    return subprocess.run([REWIND, *words], capture_output=True, text=True).stdout


def same(got, wanted):
    assert got == wanted, "%r, not %r" % (got, wanted)


def value_of(s, register):
    """As a pane of registers shows it."""
    return re.search(r"(?:^|\s)%s[=*]([0-9a-f?]{8,})" % register, s.text(), re.M).group(1)


# --- anywhere

@test
def tab_goes_round_the_panes():
    s = at()
    assert re.search(r"^> Trace", s.text(), re.M)
    s.press("Tab")
    assert re.search(r"^> Core registers", s.text(), re.M) and re.search(r"^  Trace", s.text(), re.M)
    s.press("Tab")
    assert re.search(r"^> Trace", s.text(), re.M)
    s.press("Shift-Tab")
    assert re.search(r"^> Core registers", s.text(), re.M)


@test
def help_of_the_pane_scrolls():
    for key in ("F1", "F10", "?"):
        s = at()
        before = s.lines()
        same(s.press(key)[0], "Trace")
        assert "next visit of a PC" in s.text()
        assert s.press("Down")[0] != "Trace"
        s.press("PgDn")
        assert "Everywhere" in s.text()
        s.press("PgUp", "Up")
        same(s.lines()[0], "Trace")
        s.press("x")
        same(s.lines()[:-1], before[:-1])
        s.press("Tab", key)
        same(s.lines()[0], "Registers")


@test
def q_quits_and_gives_the_terminal_back():
    s = at()
    same(s.quit(), 0)
    assert s.raw.rstrip().endswith(b"\x1b[?1l\x1b>") or b"\x1b[?1049l" in s.raw + s.child.before, s.child.before


def colours(s):
    s.press("Down")
    return {s.look(y, x)[0] for y in range(24) for x in range(80)} - {"default"}


@test
def no_color_and_no_colour():
    assert colours(at())
    same(colours(at(NO_COLOR="1")), set())
    same(colours(browse("--no-colour", "--at", "31408")), set())
    assert colours(browse("--colour", "--at", "31408", NO_COLOR="1"))


# --- prompts

@test
def prompts_are_edited():
    s = at()
    s.press("g", "1", "2", "3", "4", "Backspace", "Backspace")
    same(s.bottom(), "Go to: 12")
    s.press("Ctrl-U", *"one two")
    same(s.bottom(), "Go to: one two")
    s.press("Ctrl-W")
    same(s.bottom(), "Go to: one")
    s.press("Ctrl-U", *"307", "Left", "Left", "Backspace", "1", "Return")
    same(s.position(), 107)
    for key in ("Esc", "Ctrl-G"):
        s.press("g", "5", key)
        same(s.position(), 107)
        same(s.bottom(), "")
    s.press("g", "Up", "Return")
    same(s.position(), 107)


@test
def prompts_take_expressions():
    s = at(size=(80, 60))
    s.type("p", "lr")  # an expression of registers: where the call came from
    same(s.position(), 31412)
    s.press("Ctrl-O")
    same(s.position(), Start)
    s.type("m", "sp+8")
    sp = int(value_of(s, "sp"), 16)
    assert "0x%x" % (sp + 8) in s.status("Memory sp+8"), s.text()
    s.type("m", "items+4*8")
    assert s.status("Memory items+4*8")


@test
def prompts_complete_names():
    s = at()
    s.press("g", *"set_l", "Tab")
    same(s.bottom(), "Go to: set_label")
    s.press("Ctrl-U", *"re", "Tab")
    assert "rename_items" in s.bottom() and "return" in s.bottom(), s.bottom()
    s.press("Ctrl-U", *"no_such", "Tab")
    assert "no name begins with 'no_such'" in s.bottom()


@test
def prompts_tell_what_is_wrong():
    s = at()
    panes = len(re.findall(r"^[> ] \S.*  at #|^> ", s.text(), re.M))
    for key, label, wrong, said in (("g", "Go to: ", "no_such_name", "no_such_name"), ("l", "Line: ", "99999999", "line"),
                                    ("h", "History of: ", "no_such", "no_such"), ("C", "Calls of: ", "no_such", "no_such"),
                                    ("\\", "List visits of: ", "no_such", "no_such"), ("m", "Memory at: ", "no_such", "no_such")):
        s.type(key, wrong)
        same(s.bottom(), label + wrong)  # there to be mended
        assert said in " ".join(s.lines()[-4:-1]), s.text()
        s.press("Esc")
        same(s.position(), Start)
        same(len(re.findall(r"^[> ] \S.*  at #|^> ", s.text(), re.M)), panes)


@test
def a_failed_question_leaves_the_list_as_it_was():
    s = at()
    s.type("h", "x0")
    before = s.lines()
    s.press("h", *"no_such", "Return", "Esc")
    same(s.lines(), before)


def listed(s):
    """Positions in the list beside the trace, but that of the first value."""
    return [int(n) for n in re.findall(r"│. +#(\d+) (?!.*before the first)", s.text(), re.M)]


@test
def long_lists_are_around_the_position_and_go_on():
    for key, of, command in (("h", "cpsr", ["history", TRACE, "cpsr"]), ("C", "insert", ["calls", "info", TRACE, "insert"]),
                             ("\\", "insert", ["find", TRACE, "insert"])):
        all_of = [i["start" if key == "C" else "position"]
                  for i in json.loads(rewind(*command, "--image", ELF, "--json"))["items"]]
        middle = all_of[len(all_of) // 2] + 1
        s = at(middle, size=(160, 160))
        s.press("r")
        s.type(key, of)
        chosen = s.lines()[s.screen.cursor.y][s.screen.cursor.x:]
        same(re.search(r"#(\d+)", chosen).group(1), str(all_of[len(all_of) // 2]))
        for first, on in (("Home", "PgDn"), ("End", "PgUp")):
            s.press(first)
            seen, last = set(listed(s)), None
            assert (all_of[0] if first == "Home" else all_of[-1]) in seen
            while last != s.lines():
                last = s.lines()
                s.press(on)
                rows = listed(s)
                same(rows, [p for p in all_of if rows[0] <= p <= rows[-1]])
                seen.update(rows)
            same(sorted(seen), all_of)
        s.quit()


@test
def history_begins_with_the_first_value():
    s = at(size=(100, 40))
    s.type("h", "items")
    s.press("Home")
    assert re.search(r"#0 +\(before the first\) +\S", s.text()), s.text()


@test
def history_of_what_is_big_tells_what_was_written():
    s = at(31409, size=(100, 40))
    s.type("h", "items")
    # The end of the label: the low byte of the next quantity.
    line = next(l for l in s.lines() if re.search(r"#31408  ", l) and "set_label" in l and "->" in l)
    assert re.search(r"\+\d+: 74 -> 00  ", line), line


@test
def bookmarks_are_deleted():
    s = at()
    s.type("b", "here")
    s.type("b", "there")
    s.press("B")
    line = next(l for l in s.lines() if "there  " in l)
    assert "set_label+0x74" in line and "inventory.c:99" in line, line
    s.press("Home", "Delete")
    assert not any(re.search(r"#31408  here ", l) for l in s.lines()), s.text()
    s.press("Delete")
    assert "0 bookmarks" in s.text(), s.text()


@test
def a_place_of_the_code_to_begin_at():
    first = int(re.search(r"#(\d+)", rewind("find", TRACE, "--image", ELF, "set_label")).group(1))
    same(browse("--at", "set_label").position(), first)


@test
def memory_of_a_variable():
    s = at(size=(80, 40))
    s.type("m", "items[2].quantity")
    assert s.status("Memory items[2].quantity"), s.text()


@test
def what_does_not_fit_has_a_sign():
    s = at(size=(80, 24))
    s.press("V", "D", "S", "s", "f", "B")
    assert re.search(r"\d more panes? ha(s|ve) no room", s.bottom()), s.text()
    s = at(size=(60, 40))
    s.press("f")
    row = next(l for l in s.lines() if "random_below" in l)
    assert len(row) == 60 and row.endswith("…"), row


@test
def numbers_of_source_lines_stay():
    s = at(size=(80, 40))
    s.press("s", "Shift-Tab")
    line = next(l for l in s.lines() if re.match(r"[> ]\s+99  ", l))
    s.press("Right")
    moved = next(l for l in s.lines() if re.match(r"[> ]\s+99  ", l))
    assert moved != line, moved


@test
def what_is_proposed_gives_way_to_what_is_typed():
    s = at(31407)
    s.press("h")
    same(s.bottom(), "History of: x0")
    s.press("s")
    same(s.bottom(), "History of: s")
    s.press("Esc", "h", "Backspace", "1")
    same(s.bottom(), "History of: x1")


@test
def long_messages_are_whole():
    s = at(size=(40, 24))
    s.type("g", "no_such_name_that_is_long and more of it that is no name either")
    assert "no name either" in s.text().replace("\n", " "), s.text()


# --- trace: move

@test
def up_and_down():
    s = at()
    s.press("Down", "Down")
    same(s.position(), Start + 2)
    s.press("Up", "Up", "Up")
    same(s.position(), Start - 1)


@test
def pages_home_and_end():
    s = at()
    s.press("PgDn")
    down = s.position()
    assert Start + 3 < down < Start + 20, down
    s.press("PgUp")
    assert abs(s.position() - Start) <= 2, s.position()
    s.press("Home")
    same(s.position(), 0)
    s.press("End")
    length = int(re.search(r"of ([\d,]+)", s.status()).group(1).replace(",", ""))
    same(s.position(), length)
    assert "end of the trace" in s.text()
    s.press("Up")
    same(s.position(), length - 1)


@test
def recenter():
    s = at()
    rule = lambda: next(i for i, l in enumerate(s.lines()) if l.startswith("───"))
    bottom = next(i for i, l in enumerate(s.lines()) if l.startswith("> Trace")) - 1
    same((s.press("Ctrl-L"), rule())[1], bottom // 2)
    same((s.press("Ctrl-L"), rule())[1], 0)
    same((s.press("Ctrl-L"), rule())[1], bottom - 1)  # the instruction stays in sight
    assert s.lines()[bottom].lstrip().startswith("#%d " % Start), s.text()
    same((s.press("Ctrl-L"), rule())[1], bottom // 2)
    same((s.press("Up", "Down", "Ctrl-L"), rule())[1], bottom // 2)
    same(s.position(), Start)


@test
def line_and_time():
    s = browse()
    s.type("l", "72277")
    same(s.position(), Start)
    s.type("t", "2000")
    assert "t:2000 " in s.status(), s.status()
    s.type("l", "end-1")
    assert s.position() > 73000


@test
def visits_of_a_pc():
    first, second = [int(n) for n in re.findall(r"#(\d+)", rewind("find", TRACE, "--image", ELF, "set_label", "-c", "2"))][:2]
    s = browse()
    s.type("p", "set_label")
    same(s.position(), first)
    s.press("n")
    same(s.position(), second)
    s.press("N")
    same(s.position(), first)
    s.press("N")
    same(s.position(), first)
    assert "no earlier visit" in s.bottom(), s.bottom()
    s.press("End")
    s.type("P", "0x400460")
    last = s.position()
    assert last > 31000
    s.press("n")
    assert "no further visit" in s.bottom()
    s.press("N")
    assert first < s.position() < last


@test
def exceptions():
    s = browse()
    s.press("e")
    assert "no exception after here" in s.bottom(), s.bottom()
    s.press("E")
    assert "no exception before here" in s.bottom(), s.bottom()


# --- trace: fold

@test
def fold_the_call_and_unfold_it():
    s = at()
    s.press("-")
    same(s.position(), SetLabel - 1)
    assert s.find("[270 hidden]")
    s.press("Down")
    same(s.position(), 31412)
    s.press("Up", "+")
    same(s.position(), SetLabel - 1)
    s.press("Down")
    same(s.position(), SetLabel)
    s.press("_")
    same(s.position(), SetLabel - 1)
    s.press("Down", "=")  # below the folded call, as tarmac-browser has it
    same(s.position(), 31412)
    s.press("Up")
    same(s.position(), 31411)


@test
def fold_callees_and_unfold_all_inside():
    s = at(SetLabel - 1)
    s.press("[")
    rows = s.rows()
    assert SetLabel - 1 in rows and 31412 in rows and SetLabel not in rows, rows
    s.press("]", "Down")
    same(s.position(), SetLabel)


@test
def fold_the_whole_trace():
    s = at()
    s.press("{")
    same(s.rows(), [0, 1, 2, 73239, 73240])
    same(s.position(), 2)
    s.press("}")
    same(s.position(), 2)
    s.press("Down")
    same(s.position(), 3)


@test
def unfold_one_level_and_completely():
    s = at(size=(80, 60))
    s.press("{", "+")
    assert 3 in s.rows()
    hidden = len(re.findall(r"hidden\]", s.text()))
    assert hidden > 0
    s.press("{", "*")
    same(len(re.findall(r"hidden\]", s.text())), 0)


@test
def what_cannot_be_folded_is_said():
    s = at()
    s.press("}")
    assert "nothing to unfold" in s.bottom(), s.bottom()
    s.press("{", "{")
    assert "nothing to fold" in s.bottom(), s.bottom()


# --- trace: panes

@test
def core_registers():
    s = at()
    assert s.status("Core registers")
    s.press("r")
    assert s.status("Core registers") is None
    s.press("r")
    assert s.status("Core registers")


@test
def vector_registers():
    s = at(size=(80, 40))
    for key, name in (("S", "Single precision"), ("D", "Double precision"), ("V", "Vectors")):
        s.press(key)
        assert s.status(name), name
        s.press(key)
        assert s.status(name) is None
    s.press("M")
    assert "has no such registers" in s.bottom(), s.bottom()
    s.press("Y")
    assert s.status("System registers")


@test
def several_memories():
    s = at(size=(80, 50))
    s.type("m", "sp")
    s.type("m", "items")
    assert s.status("Memory sp") and s.status("Memory items")
    assert re.search(r"^> Trace", s.text(), re.M)


# --- trace: other

@test
def marks_and_return():
    s = at(31407)  # add x0, x1, x0
    s.press("a")
    y, x = s.find("x0=0x4200ec")
    assert s.look(y, x)[2], "not reversed"
    s.press("a")
    y, x = s.find("x0=0x4200ec")
    assert not s.look(y, x)[2]
    s.press("a", "Return")
    wanted = re.search(r"#(\d+)", rewind("last-write", TRACE, "x0", "--at", "31407")).group(1)
    same(s.position(), int(wanted))
    s.press("Ctrl-O")
    same(s.position(), 31407)


@test
def colours_of_the_trace():
    s = at(31407)
    y, x = s.find("x0=0x4200ec")
    assert s.look(y, x)[0] != "default"
    s.press("F6")
    same(s.look(y, x)[0], "default")
    s.press("F6")
    assert s.look(y, x)[0] != "default"


@test
def symbolic_targets():
    s = at(SetLabel - 1)
    assert "bl 0x400454 <set_label>" in s.text()
    s.press("F7")
    assert "bl 0x400454" in s.text() and "<set_label>" not in s.text()
    s.press("F7")
    assert "<set_label>" in s.text()


@test
def indentation():
    column = lambda: s.find("sub sp, sp, #0x20")[1]
    s = at(SetLabel)
    s.press("Up", "Up", "Ctrl-L", "Down", "Down")
    before = column()
    s.press("F8")
    assert column() < before


# --- trace: shows

@test
def what_the_status_tells():
    s = at(size=(120, 30))
    same(s.status(), "sample.tarmac  #31,408 of 73,241  t:31409 clk  l:72277  set_label+0x74 at inventory.c:99")
    assert any(line.startswith("─" * 40) for line in s.lines())
    s.press("-")
    s.type("g", "#31408")
    assert s.status().startswith("[HIDDEN]"), s.status()
    same(s.position(), Start)
    s.press("Down")
    assert "[HIDDEN]" not in s.status()


@test
def state_across_a_fold():
    s = at(SetLabel - 1)
    s.press("[")
    s.press("Down")
    same(s.position(), 31412)
    there = rewind("diff", TRACE, str(SetLabel - 1), "31412", "--json")
    changed = set(re.findall(r'"register": "(\w+)"', there))
    shown = set(re.findall(r"(\w+)\*[0-9a-f]", s.text()))
    same(shown, {"fp" if r == "x29" else r for r in changed if r in ("x0", "x1", "x2", "lr", "cpsr", "sp", "x29", "fp")})


# --- registers

@test
def the_cursor_of_registers():
    s = at()
    s.press("Tab", "Right", "Down")
    x4 = s.find(" x4=")
    same((s.screen.cursor.y, s.screen.cursor.x), (x4[0], x4[1] + 4))
    s.press("Left", "Up")
    x0 = s.find(" x0*")
    same((s.screen.cursor.y, s.screen.cursor.x), (x0[0], x0[1] + 4))


@test
def last_write_of_a_register():
    s = at()
    s.press("Tab", "Return")
    same(s.position(), 31407)
    s.press("Return")
    same(s.position(), 31406)


@test
def height_of_a_pane():
    s = at()
    count = lambda: sum(bool(re.match(r" *\w+[=*][0-9a-f?]{16}", l)) for l in s.lines())
    before = count()
    s.press("Tab", "<", "<")
    same(count(), before - 2)
    s.press(">")
    same(count(), before - 1)


@test
def locked_registers():
    s = at()
    s.press("Tab")
    value = value_of(s, "x0")
    s.press("Ctrl-L", "Tab", "Up", "Up", "Up")
    same(value_of(s, "x0"), value)
    assert "locked" in s.status("Core registers")
    s.press("Tab", "Ctrl-L")
    assert value_of(s, "x0") != value
    s.type("l", "72277")
    same(value_of(s, "x0"), value)
    assert "#31,408 (locked)" in s.status("Core registers")
    s.type("t", "31408")
    assert "#31,407 (locked)" in s.status("Core registers"), s.status("Core registers")


@test
def a_value_as_a_symbol():
    s = at()
    s.press("Tab")
    assert "x0 is items+0xfc" in s.status("Core registers"), s.status("Core registers")
    s.press("a")
    assert "items" not in s.status("Core registers")


@test
def changed_and_unknown_registers():
    s = memory("sp")
    y, x = s.find("??")
    assert s.look(y, x)[0] == "default" and "????" in s.lines()[y], "in hexadecimal and as characters"
    s = at()
    y, x = s.find("x0*")
    assert s.look(y, x + 3)[1], "changed is bold"
    s = at(NO_COLOR="1")
    y, x = s.find("x0*")
    assert s.look(y, x + 3)[1] and s.look(y, x + 3)[3], "changed is bold and underlined"


# --- memory

def memory(expression="items", position=Start, **options):
    s = at(position, size=(90, 40), **options)
    s.type("m", expression)
    s.press("Tab", "Tab")
    return s


@test
def hex_ascii_and_symbol():
    s = memory()
    line = next(l for l in s.lines() if l.startswith("0x0041fff0"))
    assert re.match(r"0x0041fff0 (?:[0-9a-f?]{2} ){16}.{1,16}", line), line
    assert "items" in s.status("Memory items")
    s.press("Right", "Down")
    assert "0x420001 items+0x11" in s.status("Memory items"), s.status("Memory items")


@test
def last_writes_of_aligned_bytes():
    s = memory()
    s.press("Right")
    for size in (1, 2, 4, 8):
        where = 0x41FFF1 & -size
        said = rewind("last-write", TRACE, hex(where), "--size", str(size), "--at", str(Start))
        found = re.search(r"#(\d+)", said)
        s.press(str(size))
        if "last write" in said and found:
            same(s.position(), int(found.group(1)))
            s.press("Ctrl-O")
        else:
            assert "there is no last write" in s.bottom(), s.bottom()
        same(s.position(), Start)


@test
def changes_in_memory():
    s = memory("0x420000", position=31412)
    s.type("d", "l:71644")  # before the call
    first = [int(a, 16) for a in re.findall(r'"address": "(0x[0-9a-f]+)"', rewind("diff", TRACE, "31141", "31412", "--json"))]
    s.press("]")
    where = lambda: int(re.search(r"  (0x[0-9a-f]+)", s.status("Memory 0x420000")).group(1), 16)
    found = where()
    same(found, min(a for a in first if a > 0x420000))
    s.press("]")
    assert where() > found
    s.press("[")
    same(where(), found)
    s.type("d", "")
    assert "changes since" not in s.status("Memory 0x420000")


@test
def memory_follows_and_stays():
    s = memory("sp", position=SetLabel)
    before = s.status("Memory sp").split("  ")[1].split()[0]
    s.press("Tab", "Down", "Down")
    after = s.status("Memory sp").split("  ")[1].split()[0]
    assert int(before, 16) == int(after, 16) + 0x20, (before, after)
    s.press("Shift-Tab", "F", "Tab", "Up", "Up")
    assert s.status("Memory " + after), s.text()


@test
def memory_is_closed_and_locked():
    s = memory("items")
    s.press("Ctrl-L")
    assert "locked" in s.status("Memory items")
    s.press("m", "Ctrl-U")
    s.press(*"sp", "Return")
    assert s.status("Memory sp")
    s.press("x")
    assert s.status("Memory sp") is None
    assert re.search(r"^> Trace", s.text(), re.M)


# --- more

@test
def stack_is_a_list_of_places():
    s = at(size=(100, 30))
    s.press("c")
    assert "Calls running at #31,408, 4 frames" in s.text()
    s.press("Down", "Return")
    same(s.position(), SetLabel - 1)
    s.press("x")
    assert "Calls running" not in s.text()


@test
def calls_of_a_function():
    s = at()
    s.type("C", "")
    assert "Calls of  set_label, 52 calls" in s.text(), s.text()
    s.press("Home", "Return")
    same(s.position(), 107)


@test
def next_and_last_call():
    s = at()
    s.press("j")
    same(s.position(), SetLabel)
    s.press("j")
    earlier = s.position()
    assert earlier < SetLabel
    s.press("k")
    same(s.position(), SetLabel)
    s.press("k")
    assert "no further call of set_label" in s.bottom() or s.position() > SetLabel


@test
def history():
    s = at()
    s.press("h", "Ctrl-U", *"0x4200ec", "Return")
    assert "History  of 0x4200ec" in s.text(), s.text()
    first = int(re.findall(r'"position": (\d+)', rewind("history", TRACE, "0x4200ec", "--json"))[0])
    s.press("Home", "Down", "Return")  # the first line tells the value before
    same(s.position(), first)


@test
def source():
    s = at(size=(100, 40))
    s.press("s")
    assert "inventory.c:99" in s.status("Source"), s.text()
    y, _ = s.find("   99  ")
    s.press("s")
    assert s.status("Source") is None


@test
def bookmarks():
    s = at()
    s.type("b", "crash")
    assert "bookmark crash at #31,408" in s.bottom(), s.bottom()
    s.press("Home")
    s.type("g", "crash")
    same(s.position(), Start)
    s.press("Home", "B")
    assert "crash" in s.text()
    s.press("Return")
    same(s.position(), Start)
    rewind("bookmark", "delete", TRACE, "crash")


@test
def back_and_forward():
    s = at()
    s.type("g", "100")
    s.type("g", "200")
    s.press("Alt-Left")
    same(s.position(), 100)
    s.press("Ctrl-O")
    same(s.position(), Start)
    s.press("Alt-Right", "Ctrl-P")
    same(s.position(), 200)


@test
def search_and_all_visits():
    s = at()
    s.type("/", "inventory.c:99")
    assert "inventory.c:99" in s.status() or s.position() != Start
    s = at()
    s.type("\\", "set_label")
    assert "Visits  of set_label, 52 visits" in s.text(), s.text()
    s.press("Home", "Return")
    same(s.position(), 110)


@test
def layers():
    s = at(size=(120, 30))
    s.press("z")
    assert "set_label" in s.status("Layers"), s.text()
    inner = s.status("Layers")
    s.press("z")
    assert s.status("Layers") != inner
    s.press("Z")
    same(s.status("Layers"), inner)
    for _ in range(9):
        s.press("z")
    assert "outermost" in s.bottom()
    s.press("Home", "Return")
    same(s.position(), 0)


@test
def profile():
    s = at(size=(110, 30))
    s.press("f")
    assert "own instructions" in s.text() and "16,824 " in s.text() and "find" in s.text(), s.text()
    s.press("Return")
    same(s.position(), 36327)


@test
def slice():
    s = at(size=(110, 30))
    s.press("w", "Ctrl-U", *"x0", "Return")
    assert "Why x0 at #31,408" in s.text(), s.text()
    s.press("Down", "Return")
    same(s.position(), 31406)


@test
def panes_beside_the_trace():
    s = at(size=(180, 40))
    assert any("│" in line and "x0" in line for line in s.lines())
    s.resize(80, 24)
    assert not any("│" in line for line in s.lines())
    assert s.status("Core registers")
    s.resize(15, 4)
    same(s.lines()[0], "too small")
    s.resize(180, 40)
    assert any("│" in line and "x0" in line for line in s.lines())


@test
def plain_ascii():
    for s in (at(LC_ALL="C"), browse("--ascii", "--at", "31408")):
        assert s.text().isascii(), s.text()
        assert any(l.startswith("- - - -") for l in s.lines())
        assert b"\xe2" not in s.raw


def main():
    failed = 0
    wanted = sys.argv[4:]
    for function in tests:
        name = function.__name__.replace("_", " ")
        if wanted and function.__name__ not in wanted:
            continue
        try:
            function()
            print("ok", name)
        except Exception:
            failed += 1
            print("FAILED", name)
            # FileCheck shows the beginning and the end of what it reads.
            print("FAILED", name, file=sys.stderr)
            traceback.print_exc()
    print("%d of %d tests failed" % (failed, len(tests)))


main()
