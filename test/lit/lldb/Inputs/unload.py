"""Loads and leaves a trace in all ways and looks at what remains."""
import os
import sys

import lldb
from session import debugger, run
from until import until

plugin, path, index, image = sys.argv[1:]


def load():
    run("rewind load %s --index %s --image %s" % (path, index, image))
    return debugger.GetSelectedTarget()


def maps():
    return sum(index in line for line in open("/proc/self/maps"))


def threads():
    return len(os.listdir("/proc/self/task"))


def settle(base):
    """Threads end in their own time."""
    until(lambda: maps() == 0 and threads() <= base, "threads, maps")
    return "%d threads, %d maps" % (max(threads() - base, 0), maps())


run("plugin load " + plugin)
target = load()
assert maps() > 0
debugger.DeleteTarget(target)
base = threads()
del target

target = load()
run("continue")
debugger.DeleteTarget(target)
del target
print("deleted:", settle(base))
target = load()
run("process kill")
run("rewind where", fails=True)
debugger.DeleteTarget(target)
del target
print("killed:", settle(base))
target = load()
run("process detach")
debugger.DeleteTarget(target)
del target
print("detached:", settle(base))

first = load()
second = load()
assert first != second
second.BreakpointCreateByName("c_entry")
run("continue")
debugger.SetSelectedTarget(first)
first.BreakpointCreateByName("quicksort")
run("continue")
frames = [t.GetProcess().GetSelectedThread().GetFrameAtIndex(0) for t in (first, second)]
print("two targets: stand at", frames[0].GetFunctionName(), "and", frames[1].GetFunctionName())
debugger.DeleteTarget(first)
assert second.GetProcess().GetState() == lldb.eStateStopped
debugger.SetSelectedTarget(second)
run("rewind goto end")
debugger.DeleteTarget(second)
del first, second, frames

counts = []
for _ in range(2):
    for _ in range(10):
        debugger.DeleteTarget(load())
    settle(base)
    counts.append(len(os.listdir("/proc/self/fd")))
assert counts[0] == counts[1], counts
print("loaded 20 times:", counts[0], "descriptors, then as many")

load()
load()
print("left with everything running", flush=True)
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
