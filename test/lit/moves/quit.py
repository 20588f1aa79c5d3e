"""quit.py <plugin> <trace> <image> <lldb>...: leaves LLDB while it tests a condition
that never holds, ten times at each function's entry."""
import os
import sys
import time

import pexpect

plugin, trace, image, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")

for shown in "true", "false":
    terminal = pexpect.spawn(lldb[0], lldb[1:], dimensions=(40, 130), encoding="latin1", timeout=60)
    terminal.expect_exact("(lldb) ")
    for line, told in (
        ("settings set use-color false", r"\(lldb\) "),
        ("settings set auto-confirm true", r"\(lldb\) "),
        ("settings set show-statusline " + shown, r"\(lldb\) "),
        ("plugin load " + plugin, r"\(lldb\) "),
        ("rewind load %s --image %s" % (trace, image), r"instructions.*\(lldb\) "),
        *[("breakpoint set -r . -c 'sizeof(int) == $pc + 0.5'", r"locations.*\(lldb\) ")] * 10,
        ("continue", "resuming"),
    ):
        terminal.sendline(line)
        terminal.expect(told)
    begun = time.monotonic()
    terminal.sendline("quit")
    terminal.expect(pexpect.EOF)
    took = time.monotonic() - begun
    terminal.close()
    assert (terminal.exitstatus, terminal.signalstatus) == (0, None)
    print("status line %s: %s" % (shown, "in time" if took < 8 else "took %.1f s" % took))
