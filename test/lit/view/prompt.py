"""`rewind view` beside LLDB's prompt: moves from both sides, conditions and Ctrl-C meanwhile, and ends in any order.
prompt.py <plugin> <trace> <image> <moves> <lldb...>"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import time

import pexpect

from viewer import Served

plugin, trace, image, moves = sys.argv[1:5]
lldb = sys.argv[5:]
if os.path.basename(lldb[0]) == "timeout":  # it would take the terminal away
    lldb = lldb[4:]
Prompt = r"\(lldb\) "


class LLDB:
    def __init__(self, status_line=False):
        self.child = pexpect.spawn(
            lldb[0], lldb[1:] + ["-o", "settings set use-color false", "-o", "settings set auto-confirm true",
                                 "-o", "settings set show-statusline " + ("true" if status_line else "false"),
                                 "-o", "plugin load " + plugin, "-o", "rewind load %s --image %s" % (trace, image)],
            env={**os.environ, "TERM": "xterm-256color"}, dimensions=(40, 200), timeout=30)
        self.child.expect(r"rewind load .*?" + Prompt)
        self.child.send("rewind view --no-open\r")
        self.child.expect(r"(http://\S+)\s.*?" + Prompt)
        self.served = Served(self.child.match[1].decode())

    def say(self, line, until=Prompt):
        self.child.send(line + "\r")
        self.child.expect(until)
        return self.child.before.decode(errors="replace")

    def quit(self):
        begun = time.monotonic()
        self.child.send("quit\r")
        rest = self.child.read().decode(errors="replace")
        self.child.close()
        assert (self.child.exitstatus, self.child.signalstatus) == (0, None), (self.child, rest)
        assert time.monotonic() - begun < 8, "quitting took long"
        assert "LLVM ERROR" not in rest and "Stack dump" not in rest, rest


def go(page, now, to, by=1):
    return page.ask("go", thread=1, at=to, revision=now["revision"], by=by)


def news_after(page, now):
    """What `hello` has told of may be told again, since that news was on its way."""
    while True:
        told = page.news()
        if "by" in told or told["revision"] > now["revision"]:
            return told


for status_line in (False, True):
    debugger = LLDB(status_line)
    page = debugger.served.page()
    hello = page.ask("hello")
    now, length = hello["debugger"], hello["threads"][0]["instructions"]
    rng = random.Random(3)
    for step in range(int(moves)):
        to = rng.randrange(length)
        if to == now["at"]:
            continue
        if step % 2:
            answer = go(page, now, to, by=step)
            assert "error" not in answer, answer
            # An ordinary stop: LLDB tells of it at its prompt.
            debugger.child.expect(r"stop reason = page of rewind view.*?" + Prompt)
        else:
            debugger.say("rewind goto %d" % to, r"stop reason = goto.*?" + Prompt)
        told = page.news()
        assert told["at"] == to and told["revision"] == now["revision"] + 1, (step, to, told, now)
        now = told
        if step % 10 == 0:
            said = debugger.say("script print('at', lldb.debugger.HandleCommand('rewind where') or 'done')", r"at done.*?" + Prompt)
            assert "#%d of" % to in said, (to, said)
    # While LLDB tests a condition that never holds, and is interrupted; clicks are
    # stops of their own, or refused, and neither side waits for the other.
    debugger.say("breakpoint set -n random_below -c 'sizeof(int[1]) && $x0 == -77'")
    for step in range(6):
        debugger.child.send("continue\r" if step % 2 else "reverse-continue\r")
        if step % 2:
            debugger.child.expect("resuming")
        # On a slow machine it may have ended: then the click is for a place of before.
        late = "error" in go(page, now, rng.randrange(length), by=100 + step)
        if step % 4 == 1:
            debugger.child.sendintr()
        debugger.child.send("script print('still', 'here')\r")
        debugger.child.expect("still here")
        # One is the click's, one the end of what was typed, whichever is first.
        told = [page.news() for _ in range(1 if late else 2)]
        assert sorted(t.get("by", 0) for t in told) == ([0] if late else [0, 100 + step]), told
        now = told[-1]
    debugger.say("script print('on', 'it', 'goes')", r"on it goes.*?" + Prompt)
    assert page.ask("hello")["debugger"]["at"] == now["at"]
    said = debugger.say("script print('at', lldb.debugger.HandleCommand('rewind where') or 'done')", r"at done.*?" + Prompt)
    assert "#%d of" % now["at"] in said, (now, said)
    debugger.say("breakpoint delete")
    # A click has an answer, however long a condition is tested.
    for _ in range(8):  # a run that ends by itself would take eight times as long as a click waits
        debugger.say("breakpoint set -r . -c 'sizeof(int[1]) == $pc + 0.5'")
    debugger.say("rewind goto 0", r"stop reason = goto.*?" + Prompt)
    now = page.ask("hello")["debugger"]
    page.told = []
    debugger.say("continue", "resuming")
    begun = time.monotonic()
    assert "error" not in go(page, now, 7, by=150)
    refused = news_after(page, now)
    assert refused["by"] == 150 and "process runs" in refused["refused"], refused
    assert 1 < time.monotonic() - begun < 8, time.monotonic() - begun
    debugger.child.sendintr()
    debugger.child.expect(r"stop reason = .*?" + Prompt)
    debugger.say("breakpoint delete")
    now = page.ask("hello")["debugger"]
    page.told = []
    # Typed while a click is on its way.
    for step in range(5):
        assert "error" not in go(page, now, rng.randrange(length), by=200 + step)
        debugger.say("register read pc", r"pc = .*?" + Prompt)
        now = news_after(page, now)
        assert now["by"] == 200 + step and "refused" not in now, now
    debugger.quit()
    try:
        page.ask("hello")
        raise SystemExit("it answers, though LLDB has gone")
    except (EOFError, OSError):
        pass
print("%s moves at the prompt, twice" % moves)

# LLDB says in a line that a recording stopped which is not the selected one.
debugger = LLDB()
debugger.say("rewind load %s --image %s" % (trace, image))
page = debugger.served.page()
go(page, page.ask("hello")["debugger"], 4000)
debugger.child.expect(r"Target 0: \(sample\.elf\) stopped\..*?" + Prompt)
debugger.say("target select 0", r"\* target #0.*?" + Prompt)
said = debugger.say("script print('at', lldb.debugger.HandleCommand('rewind where') or 'done')", r"at done.*?" + Prompt)
assert "#4000 of" in said, said
debugger.quit()

orders = [()] + list(itertools.permutations(("close", "kill", "delete")))
for order in orders:
    debugger = LLDB()
    pages = [debugger.served.page() for _ in range(3)]
    now = pages[0].ask("hello")["debugger"]
    for action in order:
        if action == "close":
            go(pages[0], now, 4000)
            pages[0].close()
        elif action == "kill":
            debugger.say("process kill", r"(exited|invalid target).*?" + Prompt)
        else:
            debugger.say("target delete", r"targets deleted.*?" + Prompt)
    # Two pages are still there, and one of them asks.
    if order:
        assert pages[1].ask("rows", at=100)["rows"]
        debugger.say("script print(1 + 1)", "2")
    else:
        go(pages[0], now, 5000)
    debugger.quit()
print("%d ways to end" % len(orders))

# Without a terminal: commands from a pipe, and a batch.
for words, text in ((["-b"], ""), ([], "rewind view --no-open\nrewind goto 500\nrewind where\nquit\n")):
    for _ in range(3):
        done = subprocess.run(
            lldb + words + ["-o", "plugin load " + plugin, "-o", "rewind load %s --image %s" % (trace, image),
                            "-o", "rewind view --no-open", "-o", "rewind goto 400"],
            input=text, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and "Stack dump" not in done.stderr, (done.returncode, done.stderr)
        assert re.search(r"http://127\.0\.0\.1:\d+/#t=", done.stdout) and "#400 of" in done.stdout, done.stdout
        assert not text or "#500 of" in done.stdout, done.stdout
print("all of it ends well")
