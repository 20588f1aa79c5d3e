"""Ctrl-C while LLDB writes to a terminal that nobody reads: LLDB's handler takes
the lock of the output, which the thread that the signal interrupts holds."""
import os
import select
import sys
import time

from terminal import Terminal

plugin, trace = sys.argv[1:3]
lldb = sys.argv[3:]

with open(trace, "w") as f:
    for n in range(100000):
        f.write(f"{n} clk IT ({n}) {0x1000 + n % 1000 * 4:08x} d503201f O EL1h_n : NOP\n")


def drain(terminal, word):
    """Reads until the word comes, and forgets what was before."""
    end = time.monotonic() + 60
    while word not in terminal.seen:
        assert time.monotonic() < end, terminal.seen
        terminal.seen = terminal.seen[-len(word) :]
        if select.select([terminal.fd], [], [], 1)[0]:
            terminal.seen += os.read(terminal.fd, 65536)


for n in range(3):
    t = Terminal(lldb + ["-x", "-o", "settings set use-color false",
                         "-o", "settings set show-statusline false",
                         "-o", "plugin load " + plugin])
    t.settle("rewind load " + trace)
    t.send("rewind list -c 100000")
    t.expect(rb"#%d0 " % (n + 1))
    # Slowly: LLDB is in write() most of the time.
    for _ in range(60):
        t.seen = t.seen[-100:] + os.read(t.fd, 4096)
        time.sleep(0.005)
    t.interrupt()
    drain(t, b"Interrupted")
    t.settle("rewind where")
    assert t.quit() == 0
print("every Ctrl-C was heard")
