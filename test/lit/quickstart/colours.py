"""colours.py <commands> <lldb>...: the session as it is in a terminal, with colours.
What LLDB says of a stop is in colour, also while it reads commands from a file, and no
escape sequence is spelt out."""
import os
import sys

import pexpect

commands, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")
terminal = pexpect.spawn(lldb[0], [*lldb[1:], "-s", commands], dimensions=(40, 130), encoding="latin1",
                         timeout=60, env={**os.environ, "TERM": "xterm-256color"})
terminal.expect(r"goto 31408.*\(lldb\) process continue -F.*audit_failed")
told = terminal.before + terminal.after
terminal.sendline("quit")
terminal.expect_exact("[Y/n]")
terminal.sendline("y")
terminal.expect(pexpect.EOF)
goto = next(line for line in told.splitlines() if "stop reason = " in line and "goto 31408" in line)
print("spelt out: %d, in colour: %s" % (told.count("\\x1b"), "\x1b[3" in goto))
