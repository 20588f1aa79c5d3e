"""maps.py <rewind> <plugin> <trace> <image>: what the shell and LLDB say of
lvalues where the program is done."""
import re
import subprocess
import sys

import lldb

rewind, plugin, trace, image = sys.argv[1:]
questions = [
    "Ages[1]", "Ages[-3]", "Ages[10]", "Ages[3]", "Hashed[7].y", "Hashed[8]", "ByLetter['c'].y",
    "ByColor[7]", "Values[2]", "Table<int,4>::total", "Table<int, 4>::total",
    "Table<unsigned char,2>::total", "::Table< int , 4 >::total", "Seen[1]", "Row[1]", "Named[1]",
]
REFUSED = {"Seen[1]", "Row[1]", "Named[1]"}
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)
debugger.SetOutputFileHandle(open("/dev/null", "w"), True)


def run(command):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or "") + (result.GetError() or "")


def answer(text):
    """The value behind the place, or the reason."""
    text = text.strip().split("\n")[0]
    return re.sub(r"^(rewind|error): ", "", re.sub(r"^#\S+ +\d+ clk +.* at \S+:\d+  ", "", text))


run("plugin load " + plugin)
run("rewind load %s --image %s" % (trace, image))
run("breakpoint set -n done")
run("continue")
differ = 0
for question in questions:
    done = subprocess.run([rewind, "eval", trace, "-i", image, "--at", "done", question],
                          capture_output=True, text=True)
    shell, debugged = answer(done.stdout or done.stderr), answer(run('rewind eval "%s"' % question))
    if question in REFUSED:
        shell = "refused" if done.returncode else shell
        debugged = "refused" if question in debugged else debugged
    differ += shell != debugged
    print("%s: %s%s" % (question, shell, "" if shell == debugged else "; LLDB: " + debugged))
print("shell and LLDB differ:", differ)
