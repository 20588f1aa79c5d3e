"""How long the pages of `rewind view` live in LLDB: nothing of them is left in any order of ends.
lives.py <plugin> <trace> <image>"""
import itertools
import json
import os
import socket
import time

import lldb

from viewer import Served
from session import debugger, run
from until import until

plugin, trace, image = __import__("sys").argv[1:4]
LONELY = 10  # seconds that docs/view.md tells of


def held():
    """Threads and sockets of TCP of this process, which LLDB is a part of. Without the
    workers of LLDB's own pool, which starts them when it has enough to do."""
    with open("/proc/net/tcp") as f:
        tcp = {"socket:[%s]" % line.split()[9] for line in f}
    sockets = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            sockets += os.readlink("/proc/self/fd/" + name) in tcp
        except OSError:
            pass
    threads = 0
    for task in os.listdir("/proc/self/task"):
        try:
            with open("/proc/self/task/%s/comm" % task) as f:
                threads += not f.read().startswith("llvm-worker-")
        except OSError:
            pass  # it has ended
    return threads, sockets


class Recording:
    """Loaded, and with a page that is looked at."""

    def __init__(self):
        run("rewind load %s --image %s" % (trace, image))
        self.target = debugger.GetSelectedTarget()
        self.served = Served(json.loads(run("rewind view --no-open --json"))["url"])
        self.page = self.served.page()
        assert self.page.ask("hello")["debugger"]["state"] == "stopped"

    def close(self):
        self.page.close()

    def kill(self):
        debugger.SetSelectedTarget(self.target)
        run("process kill")

    def delete(self):
        debugger.SetSelectedTarget(self.target)
        run("target delete")


def pages():
    return {p["url"]: p for p in json.loads(run("rewind view --list --json"))["pages"]}


def refused(served):
    try:
        served.connect().close()
    except ConnectionRefusedError:
        pass
    else:
        return False
    # The port is anybody's.
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", served.port))
    return True


run("plugin load " + plugin)
assert "no pages" in run("rewind view --list")
assert "no pages" in run("rewind view --stop", fails=True)
assert "usage" in run("rewind view --stop --list", fails=True)
# What LLDB keeps of a first process, it keeps.
run("rewind load %s --image %s" % (trace, image))
run("rewind goto 5")
run("target delete --all")
before = held()

# Stopped beside a process that lives, and served again.
one = Recording()
others = held()
for _ in range(3):
    listed = run("rewind view --list")
    assert one.served.url in listed and trace in listed and "open in 1 tab" in listed and "ended" not in listed, listed
    said = run("rewind view --stop")
    assert said == listed, (said, listed)
    assert refused(one.served)
    assert "no pages" in run("rewind view --stop", fails=True)
    one.close()
    one.served = Served(json.loads(run("rewind view --no-open --json"))["url"])
    one.page = one.served.page()
    assert held() == others, (held(), others)
# Another recording's page does not stop with this one's.
two = Recording()
assert set(pages()) == {one.served.url, two.served.url}
assert [p["url"] for p in json.loads(run("rewind view --stop --json"))["stopped"]] == [two.served.url]
assert "--list" in run("rewind view --stop", fails=True)
assert one.page.ask("hello")["debugger"]["state"] == "stopped"
# The process has gone, and the target; somebody looks. The next --stop ends it,
# whatever is selected, and if nothing is.
two.close()
two.kill()
one.delete()
assert pages()[one.served.url]["state"] == "gone" and pages()[one.served.url]["connected"] == 1
assert "the process has ended" in run("rewind view --stop")
assert refused(one.served)
one.close()
run("target delete --all")
until(lambda: held() == before, "nothing is held after --stop", 5)
print("--stop leaves nothing")

# All orders at once, each with a recording of its own; the last is looked at again
# before it is too late.
orders = list(itertools.permutations(("close", "kill", "delete")))
orders = [o for o in orders if o.index("kill") < o.index("delete")] + [("close", "delete"), ("delete", "close")]
recordings = [Recording() for _ in orders]
stays, kept = Recording(), Recording()
for step in range(3):
    for recording, order in zip(recordings, orders):
        if step < len(order):
            getattr(recording, order[step])()
stays.kill()
stays.close()
assert len(pages()) == len(orders) + 2, pages()
until(lambda: pages()[stays.served.url]["connected"] == 0, "who closed is not looking")
time.sleep(LONELY / 2)  # it is the time itself that must not end it
stays.page = stays.served.page()
until(lambda: len(pages()) == 2, "the pages of processes that have gone end", 2 * LONELY)
assert set(pages()) == {stays.served.url, kept.served.url}
assert pages()[stays.served.url]["state"] == "gone" and pages()[kept.served.url]["state"] == "running"
assert all(refused(r.served) for r in recordings)
assert stays.page.ask("rows", at=100)["rows"] and kept.page.ask("rows", at=100)["rows"]
stays.close()
kept.close()
run("target delete --all")
assert len(pages()) == 2
# The last that look have gone; no command joins the threads.
until(lambda: held() == before, "nothing is held after the last have left", 2 * LONELY)
assert not pages()
print("%d orders leave nothing" % len(orders))

# A debugger that ends takes its pages along, whatever has ended before.
for ended in ((), ("kill",), ("kill", "close")):
    other = lldb.SBDebugger.Create()
    other.SetAsync(False)
    result = lldb.SBCommandReturnObject()
    for command in ("plugin load " + plugin, "rewind load %s --image %s" % (trace, image), "rewind view --no-open --json"):
        other.GetCommandInterpreter().HandleCommand(command, result)
        assert result.Succeeded(), result.GetError()
    served = Served(json.loads(result.GetOutput()[result.GetOutput().index('{"url"'):])["url"])
    page = served.page()
    assert page.ask("hello")["debugger"]["state"] == "stopped" and not pages()
    for what in ended:
        if what == "kill":
            other.GetCommandInterpreter().HandleCommand("process kill", result)
        else:
            page.close()
    lldb.SBDebugger.Destroy(other)
    assert refused(served)
    page.close()
    until(lambda: held()[1] == before[1], "no socket is held after the debugger's end", 5)
print("3 debuggers leave nothing")
# At exit, one serves.
last = Recording()
last.kill()
