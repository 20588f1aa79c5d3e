"""Ctrl-C in GDB while it tests a condition at each hit: it is told of the hit, and
goes on by itself, so an interrupt mostly comes when nothing runs.

    interrupt.py <gdb> <rewind> <trace> <program> <index>
"""

import os
import sys
import time

import pexpect

gdb, rewind, trace, program, index = sys.argv[1:]
child = pexpect.spawn(gdb, ["-nx", "-q", program], encoding="utf-8", timeout=60, env=dict(os.environ, TERM="dumb"))
child.expect_exact("(gdb) ")


asked = 100000


def say(command):
    child.sendline(command)
    child.expect_exact("(gdb) ")
    return child.before + settle()


def settle():
    """GDB itself may take an interrupt for one of its next command, too."""
    global asked
    said = ""
    for _ in range(5):
        asked += 1
        child.sendline("print %d + 0" % asked)
        heard = child.expect_exact(["= %d" % asked, "Quit"])
        said += child.before
        child.expect_exact("(gdb) ")
        if heard == 0:
            return said
    raise AssertionError("GDB hears nothing but the interrupt")


for command in "set pagination off", "set confirm off", "target remote | %s serve --stdio -q --index %s %s" % (rewind, index, trace), "break main":
    say(command)
assert "Breakpoint 1, main" in say("continue"), child.before
for stop in "break 6 if x == 12345678901", "watch x if x == 12345678901":
    say("delete")
    assert "point " in say(stop)
    # Once forwards into the middle, then both ways from there.
    for direction in "continue", "reverse-continue", "continue", "reverse-continue":
        child.sendline(direction)
        child.expect_exact("Continuing.")
        time.sleep(0.2)
        child.sendintr()
        child.expect_exact("(gdb) ")
        assert "received signal SIGINT" in child.before or (direction[0] == "r" and "history" in child.before), (direction, child.before)
        settle()
    # Who has stopped is not stopped again.
    time.sleep(1.5)
    assert "SIGINT" not in say("stepi"), child.before
    print(stop.split()[0] + ": interrupted, both ways")
say("delete")
assert "history" in say("continue"), child.before
child.sendline("kill")
child.close(force=True)
