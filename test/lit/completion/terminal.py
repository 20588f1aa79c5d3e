"""terminal.py <plugin> <lldb>...: Tab at LLDB's prompt, its status line on."""
import os
import sys

from prompt import Prompt, environment

plugin, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")
terminal = Prompt(lldb, environment())
wrong = 0


def enter(line, wanted="(lldb)"):
    terminal.send(line + "\r")
    if not terminal.wait(wanted):
        print("not seen:", line, wanted)
        print(terminal.text())
    terminal.settle()


def tab(typed, *wanted):
    """Ctrl-U takes back what was typed."""
    global wrong
    terminal.send("\x15" + typed + "\t")
    if not terminal.wait(*wanted, seconds=10):
        wrong += 1
        print("wrong:", typed, wanted)
        print(terminal.text())
    terminal.settle()
    terminal.send("\x15")
    terminal.settle()


terminal.wait("(lldb)")
enter("settings set use-color false")
enter("settings set show-statusline true")
enter("plugin load " + plugin)
tab("rewind load sample.t", "rewind load sample.tarmac")
enter("rewind load sample.tarmac --image sample.elf", "73241 instructions")
enter("rewind bookmark add boots 100", "bookmark boots at #100")
enter("breakpoint set -n process", "Breakpoint 1")
enter("continue", "stop reason = breakpoint")
tab("rewind last-write tr", "rewind last-write tree")
tab("rewind last-write tree->qu", "rewind last-write tree->quantity")
tab("rewind goto bo", "rewind goto boots")
tab("rewind find --", "--how-many", "find an event instead of a place")
tab("rewind htr ", "compare", "layers")
tab("rewind find set_l", "rewind find set_label")
tab("reverse-con", "reverse-continue")
enter("rewind lats-write x0", "did you mean 'last-write'?")
enter("rewind last x0", "last write of x0")
print("wrong:", wrong)
terminal.close()
