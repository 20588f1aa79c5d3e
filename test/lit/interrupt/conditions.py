"""conditions.py <plugin> <trace> <image> <function> <lldb>...: Ctrl-C at LLDB's
terminal, the status line shown, while a condition that is false is tested all
the time: by the recording, and by LLDB. It stops soon, and typing Ctrl-C again
and again does not end LLDB."""
import sys
import time

from terminal import Terminal

plugin, trace, image, function, *lldb = sys.argv[1:]
terminal = Terminal(lldb, "xterm-256color")
terminal.settle("settings set show-statusline true")
terminal.settle("settings set use-color false")
terminal.settle("settings set stop-line-count-before 0")
terminal.settle("plugin load " + plugin)
terminal.settle("rewind load %s --image %s" % (trace, image))
terminal.settle("breakpoint set --name " + function)


def typed(way, times):
    """How long it takes until it stops."""
    terminal.settle("rewind goto 50%")
    terminal.send(way)
    time.sleep(0.5)
    begin = time.monotonic()
    terminal.interrupt()
    for _ in range(times - 1):
        time.sleep(0.05)
        terminal.interrupt()
    # Or where it was: in a step off the breakpoint, at it.
    terminal.expect(rb"stop reason = (signal SIGINT|trace|breakpoint)", 10)
    return time.monotonic() - begin


# A cast to char is LLDB's to understand.
terminal.settle("breakpoint modify 1 -c '(char)$x0 == 300'")
for way in ("continue", "process continue -R"):
    for times in (1, 5):
        took = typed(way, times)
        assert took < 5, (way, times, took)
print("LLDB can be stopped")

# 50,000 visits: LLDB would take half a minute.
terminal.settle("breakpoint modify 1 -c '$x0 == 0x123456789abcdef'")
for way in ("continue", "process continue -R"):
    terminal.settle("rewind goto 50%")
    begin = time.monotonic()
    terminal.send(way)
    terminal.expect(rb"history boundary", 10)
    print(way, "%.2f s" % (time.monotonic() - begin), file=sys.stderr)
print("the recording is asked")
assert terminal.quit() == 0
print("LLDB goes on")
