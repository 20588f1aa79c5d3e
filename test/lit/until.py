"""Waiting in a test: `from until import until`."""
import time


def until(holds, what, seconds=60):
    """Waits for a state that nobody tells of."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "in vain: " + what
        time.sleep(0.005)


def blocked(pid, *calls):
    """Whether the main thread of a process waits in one of these calls of the system: "write",
    "sleep". Their numbers are those of x86-64 and AArch64."""
    numbers = {"write": ("1", "64"), "futex": ("202", "98"), "sleep": ("230", "115")}
    with open("/proc/%d/syscall" % pid) as call:
        number = call.read().split()[0]
    return number in [n for name in calls for n in numbers[name]]


def pending(pid, number):
    """Whether a signal has not yet come to a process."""
    with open("/proc/%d/status" % pid) as status:
        masks = [int(line.split()[1], 16) for line in status if line.startswith(("SigPnd", "ShdPnd"))]
    return any(mask >> number - 1 & 1 for mask in masks)


def listens(socket):
    """Whether somebody listens at a socket in the file system. Whoever tried would
    be its only customer."""
    with open("/proc/net/unix") as table:
        return any(line.endswith(" %s\n" % socket) and " 00010000 " in line for line in table)
