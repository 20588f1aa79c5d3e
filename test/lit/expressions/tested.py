"""tested.py <plugin> <trace> <image> <register>: conditions with floating-point
numbers and ?:, which LLDB does not interpret; <register> has the second argument.
What is unknown stops, and is told."""
import sys

from session import debugger, run

plugin, trace, image, register = sys.argv[1:]
run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
target = debugger.GetSelectedTarget()
process = target.GetProcess()
breakpoint = target.BreakpointCreateByName("visit")
end = int(run("p $rewind_end").rsplit(None, 1)[-1])


def stops():
    found = []
    while True:
        run("continue")
        frame = process.GetSelectedThread().GetFrameAtIndex(0)
        if frame.FindRegister("rewind_position").GetValueAsUnsigned() >= end - 1 or frame.GetFunctionName() != "visit":
            return found
        found.append(frame.FindVariable("d").GetValueAsSigned())


for condition, wanted in (
    ("t && t->w > 5.5", [4, 6, 7]),
    ("!t || t->w > 9.25", [2, 5, 7]),
    ("(d ^ 3) == 2 ? 1 : 0", [1]),
    ("t ? t->w == 4.5 : 0", [3]),
    ("d / 2.0 > 3.0", [7]),
    ("d * 0.25f", [1, 2, 3, 4, 5, 6, 7]),
    ("t != 0 && d > 5", [6, 7]),
    ("$%s > 3 && (float)$%s > 5.5" % (register, register), [6, 7]),
    # Nothing is known of what null points to.
    ("t->w > 5.5", [2, 4, 5, 6, 7]),
):
    run("rewind goto start")
    breakpoint.SetCondition(condition)
    found = stops()
    print(condition, "stops as it should" if found == wanted else "stops at %s, not %s" % (found, wanted))
