"""debugger.py <plugin> <trace> <lldb>...: Ctrl-C, typed at LLDB's terminal,
while a command of Rewind is in the middle of something that does not end; the
prompt must come back, nothing be left behind, and LLDB go on working."""
import os
import sys
import threading
import time

from terminal import Terminal
from until import until

plugin, trace, *lldb = sys.argv[1:]
terminal = Terminal(lldb)
expect, send, ask = terminal.expect, terminal.send, terminal.ask
interrupt = terminal.interrupt

ask("settings set show-statusline false")
ask("settings set use-color false")
ask("plugin load " + plugin)

# A trace that is written faster than it is read, and so does not end.
before = ["endless.tarmac"] + os.listdir(".")
piece = b"".join(
    b"%d clk IT (%d) 00001000 d503201f O EL1h_s : NOP\n" % (n, n) for n in range(1, 100000)
)
ended = threading.Event()


def feed():
    while not ended.wait(0.002):
        endless.write(piece)


def under_way():
    return any(name.startswith(".rewind-") for name in os.listdir("."))


with open("endless.tarmac", "wb", buffering=0) as endless:
    endless.write(piece * 10)
    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    send("rewind load endless.tarmac --format tarmac")
    until(under_way, "the trace is read")
    interrupt()
    expect(rb"error: [^\n]*interrupted")
    expect(rb"\(lldb\) ")
    ended.set()
    feeder.join(60)
assert sorted(os.listdir(".")) == sorted(before), os.listdir(".")
print("rewind load stopped")
os.remove("endless.tarmac")

text = ask("rewind load " + trace)
assert b"instructions" in text, text
os.mkfifo("out.vcd")
before = sorted(os.listdir("."))
send("rewind export vcd -o out.vcd")
with open("out.vcd", "rb") as pipe:
    pipe.read(1000)
    interrupt()
    # It goes on as the pipe is read: slowly, so that LLDB sees the Ctrl-C before
    # the command comes to its end.
    length = 0
    while piece := os.read(pipe.fileno(), 4096):
        length += len(piece)
        time.sleep(0.002)
expect(rb"error: interrupted")
expect(rb"\(lldb\) ")
# All of it would be 25 MB.
assert length < 10 << 20, "it ran to its end"
assert sorted(os.listdir(".")) == before, os.listdir(".")
print("rewind export stopped")

text = ask("rewind where")
assert b"#0 of" in text, text
terminal.quit()
print("LLDB goes on")
