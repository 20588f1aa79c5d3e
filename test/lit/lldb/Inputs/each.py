"""each.py <plugin> <command>...: runs each command and prints what it says;
unlike `lldb -o` it goes on after an error."""
import sys

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.SetErrorFileHandle(sys.stdout, False)
interpreter = debugger.GetCommandInterpreter()
for command in ["plugin load " + sys.argv[1]] + sys.argv[2:]:
    result = lldb.SBCommandReturnObject()
    print("(lldb) " + command, flush=True)
    interpreter.HandleCommand(command, result)
    sys.stdout.write((result.GetOutput() or "") + (result.GetError() or ""))
    sys.stdout.flush()
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
