"""status_line.py <plugin> <trace> <image> <count> <lldb>...: stops at a terminal
with the status line on, forwards and backwards in turn. What the stop shows,
`frame info` and the register agree each time. Before, the status line knows of
what was loaded."""
import os
import re
import sys

import pexpect

plugin, trace, image, count, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")
terminal = pexpect.spawn(lldb[0], lldb[1:], dimensions=(40, 130), encoding="latin1", timeout=60)


def ask(line, pattern):
    terminal.sendline(line)
    terminal.expect(pattern)
    return terminal.match[1]


terminal.expect_exact("(lldb) ")
for line in (
    "settings set use-color false",
    "settings set show-statusline true",
    "settings set stop-line-count-before 0",
    "settings set stop-line-count-after 0",
    "plugin load " + plugin,
):
    ask(line, r"(\(lldb\) )")
# The last line of the terminal, without another command.
load = "rewind load %s --image %s" % (trace, image)
ask(load, r"trace of \d+ instructions.*\x1b\[40;1f(?:\x1b\[7m)?(%s)" % re.escape(os.path.basename(image)))
ask("breakpoint set --name find", r"(Breakpoint 1)")
wrong = 0
for number in range(int(count)):
    frame = r"frame #0: 0x([0-9a-f]+)"
    pcs = [
        ask("continue" if number % 3 else "rc", frame),
        ask("frame info", frame),
        ask("register read pc", r" pc = 0x([0-9a-f]+)"),
    ]
    if len(set(pcs)) != 1:
        wrong += 1
        print("wrong:", number, pcs)
print("%s stops, %d wrong" % (count, wrong))
terminal.sendline("quit")
terminal.expect([pexpect.EOF, r"\[Y/n\]"])
terminal.close(force=True)
