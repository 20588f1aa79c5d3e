"""terminal.py <plugin> <lldb>...: Tab at LLDB's prompt, its status line on."""
import os
import sys

from prompt import Prompt, environment

plugin, *lldb = sys.argv[1:]
# `timeout` would take the debugger away from the terminal.
if os.path.basename(lldb[0]) == "timeout":
    lldb.insert(1, "--foreground")
terminal = Prompt(lldb, environment(), "(lldb) ")
wrong = 0


def expect(seen, typed, wanted):
    global wrong
    if not seen:
        wrong += 1
        print("wrong:", typed, wanted)
        print(terminal.text())


def enter(line, *wanted):
    terminal.send(line + "\r")
    wanted = ("(lldb) " + line[:60], *wanted)
    expect(terminal.until(lambda: terminal.ready() and all(w in terminal.text() for w in wanted)), line, wanted)


def tab(typed, *wanted):
    """Ctrl-U takes back what was typed."""
    terminal.send(typed + "\t")
    expect(terminal.wait(*wanted, seconds=10), typed, wanted)
    terminal.send("\x15")
    expect(terminal.until(terminal.ready), typed, "taken back")


expect(terminal.until(terminal.ready), "", "a prompt")
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
