"""ignored_many.py <plugin> <trace> <image>: the 30,001st hit costs about what the
first does, and so do 40,000 visits at which a condition does not hold."""
import sys
import time

from session import load, run

plugin, trace, image = sys.argv[1:]
target = load(plugin, trace, image, shows=False)
process = target.GetProcess()
breakpoint = target.BreakpointCreateByName("hit")


def spent():
    """CPU time: others may use the machine."""
    begin = time.process_time()
    process.Continue()
    # LLDB needs a millisecond and a half for a hit that it ignores itself.
    return "at once" if time.process_time() - begin < 5 else "slowly"


run("breakpoint modify -i 30000 1")
took = spent()
print("30,000 hits ignored, {:,} counted: {}".format(breakpoint.GetHitCount(), took))
assert breakpoint.GetIgnoreCount() == 0
assert process.GetSelectedThread().GetFrameAtIndex(0).FindVariable("i").GetValueAsSigned() == 30000
run("rewind goto start")
breakpoint.SetCondition("$w0 == -7")
before = breakpoint.GetHitCount()
took = spent()
print("40,000 visits with a false condition, {:,} counted: {}".format(
    breakpoint.GetHitCount() - before, took))
