"""callback.py <plugin> <trace> <image> <lldb>...: a command that is typed while a
callback of a breakpoint keeps LLDB's own thread busy says what it has waited for
instead of waiting for ever, answers Ctrl-C before, and works afterwards."""
import os
import sys
import time

from terminal import Terminal
from until import blocked, until

plugin, trace, image, *lldb = sys.argv[1:]
with open("busy.py", "w") as f:
    f.write("import os, time\n\ndef busy(frame, location, values):\n"
            "    open('begun', 'w').close()\n"
            "    while not os.path.exists('enough'):\n        time.sleep(0.1)\n    return True\n")
t = Terminal(lldb)
t.ask("plugin load " + plugin)
t.ask("rewind load %s --image %s" % (trace, image))
t.ask("command script import busy.py")
t.ask("breakpoint set -n main")
t.ask("breakpoint command add -F busy.busy 1")
t.send("continue")
until(lambda: os.path.exists("begun"), "the callback begins")
t.send("rewind where")
until(lambda: blocked(t.child, "futex", "sleep"), "the command waits for LLDB")
begin = time.monotonic()
os.write(t.fd, b"\x03")
t.expect(rb"Interrupted")
print("Ctrl-C", time.monotonic() - begin < 2)
begin = time.monotonic()
t.send("rewind where")
t.expect(rb"error: LLDB has not told of the last stop for 20 s: [^\n]*try again")
print("told", 19 < time.monotonic() - begin < 40)
open("enough", "w").close()
t.expect(rb"stop reason = breakpoint 1")
t.send("rewind where")
t.expect(rb"#\d+ of \d+")
print("answered")
