"""`rewind browse` in LLDB's terminal: takes the screen, gives it back, and LLDB stands where it was left.
lldb.py <plugin> <trace> <elf> <lldb...>"""
import os
import re
import sys
import time

import pexpect
import pyte

plugin, trace, elf = sys.argv[1:4]
lldb = sys.argv[4:]
if os.path.basename(lldb[0]) == "timeout":  # it would take the terminal away
    lldb = lldb[4:]
screen = pyte.Screen(80, 24)
stream = pyte.ByteStream(screen)
child = pexpect.spawn(lldb[0], lldb[1:] + ["-o", "settings set use-color false", "-o", "plugin load " + plugin,
                                          "-o", "settings set show-statusline true", "-o", "rewind load %s --image %s" % (trace, elf)],
                      env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}, dimensions=(24, 80), timeout=20)


def until(pattern):
    child.expect(pattern)
    stream.feed(child.before + child.after)
    return (child.before + child.after).decode(errors="replace")


until(r"rewind load .*\(lldb\) ")
child.send("rewind goto 31408\r")
until(r"31408.*\(lldb\) ")
child.send("rewind browse\r")
until("q quits")
assert any(line.startswith("> Trace") and "#31,408 of" in line for line in screen.display), "\n".join(screen.display)
child.send("\x1b[B\x1b[B\x1b[B")
until("31,411")
child.send("q")
back = until(r"\x1b\[\?1049l.*\(lldb\) ")
assert "31411" in back or "31,411" in back, back
child.send("rewind where\r")
where = until(r"#31411.*\(lldb\) ")
child.send("register read x0\r")
until(r"x0 = 0x.*\(lldb\) ")
child.send("rewind back\r")
until(r"31408.*\(lldb\) ")
child.send("rewind browse\r")
until("q quits")
child.send("q")
until(r"\x1b\[\?1049l.*\(lldb\) ")
# A script holds locks of LLDB's while the command runs.
child.send("script lldb.debugger.HandleCommand('rewind browse')\r")
until("q quits")
child.send("q")
until(r"\x1b\[\?1049l")
child.send("script print('on it', 'goes')\r")
until(r"on it goes.*\(lldb\) ")
# What was on the screen stays, and what is written from now on scrolls above the
# status line.
child.send("rewind browse\r")
until("q quits")
child.send("q")
back = until(r"\x1b\[\?1049l.*\(lldb\) ").split("\x1b[?1049l")[1]
assert "\x1b[2J" not in back and "\x1b[1;23r" in back, back
child.send("script for i in range(40): print(i)\r\r")
until(r"39\r\n.*\(lldb\) ")
child.send("script print('on', 'top')\r")
until(r"on top.*\(lldb\) ")
assert "sample.elf" in screen.display[23], "\n".join(screen.display)
child.send("rewind browse --no-such\r")
said = until(r"error: .*--no-such.*\(lldb\) ")
assert "ended with status" not in said and "\x1b[2J" not in said, said
child.send("rewind browse --help\r")
said = until(r"Syntax: rewind browse.*--ascii.*\(lldb\) ")
assert "error" not in said, said
child.send("settings set auto-confirm true\rquit\r")
child.expect(pexpect.EOF)

# Ctrl-Z stops both, and a shell continues both; LLDB sets the terminal its own way
# then.
child = pexpect.spawn("/bin/bash", ["--norc", "--noprofile", "-i"], dimensions=(24, 80), timeout=20,
                      env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PS1": "ready[$] "})
child.expect("ready.\\$. ")
child.send(" ".join(lldb) + " -o 'plugin load %s' -o 'rewind load %s --image %s' -o 'rewind goto 31408'\r" % (plugin, trace, elf))
child.expect("set_label.*lldb. ")
child.send("rewind browse\r")
child.expect("q quits")
child.send("\x1a")
child.expect("ready.\\$. ")
child.send("fg\r")
for _ in range(2):  # as it continues, and once LLDB has
    child.expect("q quits")
child.send("\x1b[B\x1b[B")
child.expect("31,410")
child.send("q")
child.expect("left rewind browse")
child.close(force=True)
print("it comes and goes")
