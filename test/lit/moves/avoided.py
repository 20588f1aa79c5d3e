"""A step back goes over what a step goes over: avoided.py <plugin> <trace> <image> <source>"""

import sys

import lldb

plugin, trace, image, source = sys.argv[1:]
end = len(open(source).readlines())
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    assert result.Succeeded(), (line, result.GetError())
    return result.GetOutput()


run("plugin load " + plugin)
run('rewind load "%s" -i "%s"' % (trace, image))
run("breakpoint set -n main")
run("continue")
run("breakpoint delete -f")


def frames():
    return list(debugger.GetSelectedTarget().GetProcess().GetSelectedThread())


def place():
    frame = frames()[0]
    return frame.GetDisplayFunctionName(), frame.GetLineEntry().GetLine(), frame.GetPC(), frame.GetSP()


def ours(name):
    return name.split("(")[0].split("<")[0].split(" ")[-1]


def mirror():
    """All steps from the beginning of main to its end, and back. Forward, a step also
    stops on the line that it left behind a call that it has been in, and in front of
    an inlined call that it enters next, at the same instruction."""
    there, outer = [], []
    for _ in range(100):
        here = place()
        lines = [f.GetLineEntry().GetLine() for f in reversed(frames()) if not f.IsInlined()]
        if there and there[-1][2:] == here[2:]:
            there.pop()
        if not (len(outer) > len(lines) and outer[: len(lines)] == lines):
            there.append(here)
        outer = lines
        if here[1] == end:
            break
        run("step")
    assert there[-1][1] == end
    for here in reversed(there[:-1]):
        run("reverse-step")
        assert place() == here, (place(), here)
    return {ours(name) for name, *_ in there}


assert mirror() == {"main", "own", "clear"}

run("settings set target.process.thread.step-avoid-regexp ^own$")
assert mirror() == {"main", "std::twice", "std::apply", "std::inlined", "clear"}
run("settings set target.process.thread.step-avoid-regexp nothing")
everything = {"main", "own", "std::twice", "std::apply", "std::inlined", "clear"}
assert mirror() == everything
run("settings set target.process.thread.step-avoid-libraries other.so")
assert mirror() == everything
run("settings set target.process.thread.step-avoid-libraries " + image.rsplit("/", 1)[-1])
assert mirror() == {"main"}
run("settings clear target.process.thread.step-avoid-libraries")
run("settings set target.process.thread.step-avoid-regexp ^std::")

# A breakpoint stops a step back inside of what it goes over.
run("breakpoint set -n std::twice")
run("continue")
assert ours(place()[0]) == "std::twice"
run("finish")
for _ in range(4):
    run("next")
for _ in range(9):
    run("reverse-step")
    if ours(place()[0]) != "main":
        break
assert ours(place()[0]) == "std::twice", place()
# There, a step back goes by the lines of that function, and out of it.
run("breakpoint delete -f")
run("reverse-step")
assert ours(place()[0]) == "main", place()

# Where nothing is entered the history still begins at its beginning.
run("settings set target.process.thread.step-avoid-regexp .")
run("reverse-step 1000000")
process = debugger.GetSelectedTarget().GetProcess()
assert "history boundary" in process.GetSelectedThread().GetStopDescription(99), place()
print("mirrored, over what is avoided")
