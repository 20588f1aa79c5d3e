"""LLDB for a test: `from session import debugger, run`. It waits for each command
to end."""

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def run(command, fails=False):
    """What a command says; what its error says, if it is one that fails."""
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    assert result.Succeeded() != fails, command + ": " + (result.GetError() or "")
    return (result.GetError() if fails else result.GetOutput()) or ""
