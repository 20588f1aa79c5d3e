"""Random keys: no crash, no hang, and what is on the screen is what is drawn from scratch.
random_keys.py <rewind> <trace> <elf or ""> <sequences> <seed>"""
import random
import sys

from screen import KEYS, Screen

rewind, trace, elf = sys.argv[1:4]
count, seed = map(int, sys.argv[4:6])
rng = random.Random(seed)
words = ["sp", "x0", "pc", "0x420000", "items", "#100", "50%", "end", "start", "set_label", "inventory.c:99", "-1", "+7",
         "l:200", "t:300", "crash", "ffff", "(", "reg::sp+8", "no_such", "é", "9" * 30, "items[2].label", "2:#5"]
keys = [k for k in KEYS if k not in ("Return", "Esc")]
keys += list("glpPtnNmhwCc\\/bBjkszZfTeE-_+=*[]{}arSDVMYxF1248d<>?")
keys += ["Ctrl-L", "Ctrl-O", "Ctrl-P", "Ctrl-G", "Ctrl-U", "Ctrl-W", "Ctrl-C"] + ["Down", "Up", "Tab", "PgDn"] * 6
sizes = [(80, 24), (80, 24), (132, 43), (160, 50), (40, 12), (200, 30), (20, 6), (90, 60)]


def sequence():
    made = []
    for _ in range(rng.randint(1, 14)):
        made.append(rng.choice(keys))
        if made[-1] in list("glpPtmhwC\\/d"):
            made += list(rng.choice(words)) + [rng.choice(["Return", "Return", "Return", "Esc", "Tab", ""])]
        elif rng.random() < 0.1:
            made.append("Return")
    return [k for k in made if k]


def begin():
    width, height = rng.choice(sizes)
    options = ["--image", elf] if elf else []
    return Screen(rewind, trace, *options, size=(width, height))


wrong = 0
s = begin()
for number in range(count):
    if number % 50 == 49:
        assert s.press("Esc", "Esc")
        if s.quit() != 0:
            print("FAILED: exit status", s.child.exitstatus, s.child.signalstatus)
            wrong += 1
        s = begin()
    if rng.random() < 0.05:
        s.resize(*rng.choice(sizes))
    pressed = sequence()
    s.hurry(pressed)
    # An escape at the end may be the beginning of a key.
    seen = s.lines(), (s.screen.cursor.y, s.screen.cursor.x)
    s.hurry(["Ctrl-R"])
    if s.ended:
        print("FAILED: it ended after", pressed, "\n" + s.text())
        wrong += 1
        s = begin()
    elif not s.redrawn():
        print("FAILED: it hangs after", pressed)
        wrong += 1
        s.child.terminate(force=True)
        s = begin()
    elif seen[0] != s.lines():
        # What was asked for last may have come late.
        print("FAILED: sequence", number, "of", seed, pressed)
        for before, after in zip(seen[0], s.lines()):
            if before != after:
                print("  was", repr(before), "\n  is ", repr(after))
        wrong += 1
print("%d of %d sequences failed" % (wrong, count))
