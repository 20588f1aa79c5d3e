"""pasted.py <plugin> <trace> <image> <terminal|pipe|options> <lldb>...: commands that come
all at once, before the process of the first has stopped, wait their turn."""
import os
import re
import subprocess
import sys

plugin, trace, image, how, *lldb = sys.argv[1:]
setup = [
    "settings set use-color false",
    "plugin load " + plugin,
    "rewind load %s --image %s" % (trace, image),
    "target stop-hook delete 1",
    "breakpoint set --name find",
]
pasted = ["continue", "rc", "continue", "continue", "rc", "register read rewind_position",
          "continue", "thread step-inst", "rsi", "continue", "rc", "rc", "register read rewind_position",
          "continue", "continue", "register read rewind_position", "quit"]
if how == "pipe":
    text = subprocess.run(
        lldb, input="\n".join(setup + pasted) + "\n", capture_output=True, text=True
    ).stdout
elif how == "options":
    options = [word for line in setup + pasted for word in ("-o", line)]
    text = subprocess.run(lldb + options, capture_output=True, text=True).stdout
else:
    import pexpect

    # `timeout` would take the debugger away from the terminal.
    if os.path.basename(lldb[0]) == "timeout":
        lldb.insert(1, "--foreground")
    terminal = pexpect.spawn(lldb[0], lldb[1:], dimensions=(40, 130), encoding="latin1", timeout=60)
    terminal.expect_exact("(lldb) ")
    for line in setup:
        terminal.sendline(line)
        terminal.expect_exact("(lldb) ")
    terminal.expect("Breakpoint 1")
    terminal.send("\n".join(pasted) + "\n")
    # Quitting asks first, at a terminal.
    terminal.expect([pexpect.EOF, r"\[Y/n\]"])
    text = terminal.before
    terminal.close(force=True)
print("at", *re.findall(r"rewind_position = (\d+)", text))
if "error:" in text:
    print(text)
