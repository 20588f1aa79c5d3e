"""LLDB for a test: `from session import debugger, load, run`. It waits for each
command to end."""

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
history = []  # what was run


def run(command, fails=False):
    """What a command says; what its error says, if it is one that fails."""
    history.append(command)
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded() != fails, command + ": " + (result.GetError() or "")
    return (result.GetError() if fails else result.GetOutput()) or ""


def load(plugin, trace, image, shows=True):
    """The target that replays the trace. Stops and errors that LLDB tells of out of
    turn are printed if it shows them."""
    run("plugin load " + plugin)
    run("rewind load %s --image %s" % (trace, image))
    if not shows:
        debugger.SetErrorFileHandle(open("/dev/null", "w"), True)
        debugger.SetOutputFileHandle(open("/dev/null", "w"), True)
    return debugger.GetSelectedTarget()


def position():
    """Where the selected thread stands."""
    frame = debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetFrameAtIndex(0)
    return frame.FindRegister("rewind_position").GetValueAsUnsigned()


def stops(command, reason):
    """The positions at which that command stops, again and again, for that reason."""
    found = []
    while True:
        run(command)
        if debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetStopReason() != reason:
            return found
        found.append(position())
