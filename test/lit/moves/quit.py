"""quit.py <plugin> <trace> <image> <lldb>...: leaves LLDB while it tests a condition
that never holds, ten times at each function's entry; and at a stop, after having said
no. A status line is away before LLDB is asked to quit, else its threads may wait for
each other (1 of 12 on a busy machine)."""
import os
import sys
import time

import pexpect

plugin, trace, image, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")

PROMPT = r"\(lldb\) "
ROWS = 40


def start(*lines):
    terminal = pexpect.spawn(
        lldb[0], lldb[1:], dimensions=(ROWS, 130), encoding="latin1", timeout=60
    )
    terminal.expect(PROMPT)
    for line, told in (
        ("settings set use-color false", PROMPT),
        ("plugin load " + plugin, PROMPT),
        ("rewind load %s --image %s" % (trace, image), r"instructions.*\(lldb\) "),
        *lines,
    ):
        terminal.sendline(line)
        terminal.expect(told)
    return terminal


for shown in "true", "false":
    terminal = start(
        ("settings set auto-confirm true", PROMPT),
        ("settings set show-statusline " + shown, PROMPT),
        *[("breakpoint set -r . -c 'sizeof(int[1]) == $pc + 0.5'", r"locations.*\(lldb\) ")] * 10,
        ("continue", "resuming"),
    )
    begun = time.monotonic()
    terminal.sendline("quit")
    terminal.expect(pexpect.EOF)
    took = time.monotonic() - begun
    terminal.close()
    assert (terminal.exitstatus, terminal.signalstatus) == (0, None)
    print("status line %s: %s" % (shown, "in time" if took < 8 else "took %.1f s" % took))

terminal = start(("breakpoint set -n find", PROMPT), ("continue", r"stopped.*\(lldb\) "))
terminal.sendline("quit")
terminal.expect(r"\[Y/n\]")
# The lines that scroll are all of the screen, or all but one.
print("line at the question:", "no" if "\x1b[1;%dr" % ROWS in terminal.before else "yes")
terminal.sendline("n")
terminal.expect_exact("\x1b[1;%dr" % (ROWS - 1))
terminal.expect("breakpoint 1.1")
print("line after it: yes")
terminal.sendline("exit 7")
terminal.expect(r"\[Y/n\]")
terminal.sendline("y")
terminal.expect(pexpect.EOF)
terminal.close()
print("exit status:", terminal.exitstatus)
