"""debugger.py <plugin> <trace> <lldb>...: Ctrl-C, typed at LLDB's terminal,
while a command of Rewind is in the middle of something. Pipes keep it there;
the prompt must come back, nothing be left behind, and LLDB go on working."""
import os
import pty
import re
import select
import sys
import threading
import time

plugin, trace, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")

child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(lldb[0], lldb)

seen = b""


def expect(pattern):
    """Reads until the pattern comes; returns what came until then."""
    global seen
    end = time.monotonic() + 60
    while True:
        found = re.search(pattern, seen, re.S)
        if found:
            text, seen = seen[: found.end()], seen[found.end() :]
            return text
        assert time.monotonic() < end, (pattern, seen)
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536)


def send(line):
    os.write(terminal, line.encode() + b"\r")


def ask(line):
    send(line)
    return expect(rb"\(lldb\) ")


def interrupt():
    os.write(terminal, b"\x03")


expect(rb"\(lldb\) ")
ask("settings set show-statusline false")
ask("settings set use-color false")
ask("plugin load " + plugin)

# A trace that comes through a pipe and does not end.
os.mkfifo("endless.tarmac")
before = sorted(os.listdir("."))
send("rewind load endless.tarmac --format tarmac")


def feed():
    number = 0
    try:
        with open("endless.tarmac", "w") as pipe:
            while True:
                number += 1
                pipe.write("%d clk IT (%d) 00001000 d503201f O EL1h_s : NOP\n" % (number, number))
                if number == 20000:
                    under_way.set()
    except BrokenPipeError:
        pass


under_way = threading.Event()
feeder = threading.Thread(target=feed, daemon=True)
feeder.start()
assert under_way.wait(60), "the trace is not read"
interrupt()
expect(rb"error: [^\n]*interrupted")
expect(rb"\(lldb\) ")
feeder.join(60)
assert not feeder.is_alive(), "the trace is still read"
assert sorted(os.listdir(".")) == before, os.listdir(".")
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
    # LLDB has to see it before the command ends.
    time.sleep(2)
    length = len(pipe.read())
expect(rb"error: interrupted")
expect(rb"\(lldb\) ")
# All of it would be 25 MB.
assert length < 10 << 20, "it ran to its end"
assert sorted(os.listdir(".")) == before, os.listdir(".")
print("rewind export stopped")

text = ask("rewind where")
assert b"#0 of" in text, text
send("quit")
while os.waitpid(child, os.WNOHANG) == (0, 0):
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            os.read(terminal, 65536)
        except OSError:
            pass
print("LLDB goes on")
