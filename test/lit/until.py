"""Waiting in a test: `from until import until`."""
import time


def until(holds, what, seconds=60):
    """Waits for a state that nobody tells of."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "in vain: " + what
        time.sleep(0.005)


def listens(socket):
    """Whether somebody listens at a socket in the file system. Whoever tried would
    be its only customer."""
    with open("/proc/net/unix") as table:
        return any(line.endswith(" %s\n" % socket) and " 00010000 " in line for line in table)
