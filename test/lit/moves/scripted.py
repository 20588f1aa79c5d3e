"""scripted.py <plugin> <trace> <image> <lldb>...: one line of Python moves several
times, at a terminal with and without the status line, which LLDB's own thread draws
with the lock that the line's commands hold."""
import os
import sys
import time

import pexpect

plugin, trace, image, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")


def commands(*lines):
    return "script print('all', [lldb.debugger.HandleCommand(x) for x in %s] and 'done')" % str(list(lines))


for shown in "true", "false":
    terminal = pexpect.spawn(lldb[0], lldb[1:], dimensions=(40, 130), encoding="latin1", timeout=60)

    def ask(line, pattern):
        terminal.sendline(line)
        terminal.expect(pattern)
        return terminal.match[1]

    terminal.expect_exact("(lldb) ")
    for line in (
        "settings set use-color false",
        "settings set auto-confirm true",
        "settings set show-statusline " + shown,
        "plugin load " + plugin,
        "rewind load %s --image %s" % (trace, image),
    ):
        ask(line, r"(\(lldb\) )")
    ask("rewind goto 300", r"stop reason = goto(.*\(lldb\) )")
    begun = time.monotonic()
    moves = [400, 500, 600, 700]
    ask(commands(*("rewind goto %d" % to for to in moves)), r"(all done)")
    ask("rewind where", r"#(700) of")
    ask(commands("breakpoint set --name find", "continue", "rewind where", "rc", "rewind where"), r"(all done)")
    ask("rewind where", r"#(0) of")
    # Each of these commands waited for twenty seconds, in vain.
    took = time.monotonic() - begun
    print("status line %s: %s" % (shown, "in time" if took < 15 else "took %.1f s" % took))
    terminal.sendline("quit")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert (terminal.exitstatus, terminal.signalstatus) == (0, None)
