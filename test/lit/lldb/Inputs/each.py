"""each.py <plugin> <command>...: runs each command and prints what it says;
unlike `lldb -o` it goes on after an error. @<file> stands for the lines of a
file."""
import sys

import lldb

debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.SetErrorFileHandle(sys.stdout, False)
interpreter = debugger.GetCommandInterpreter()
commands = ["plugin load " + sys.argv[1]]
for word in sys.argv[2:]:
    commands += open(word[1:]).read().splitlines() if word[0] == "@" else [word]
for command in commands:
    result = lldb.SBCommandReturnObject()
    print("(lldb) " + command, flush=True)
    interpreter.HandleCommand(command, result)
    sys.stdout.write((result.GetOutput() or "") + (result.GetError() or ""))
    sys.stdout.flush()
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
