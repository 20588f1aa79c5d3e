"""conditions.py <plugin> <trace> <image> <function> <lldb>...: Ctrl-C at LLDB's
terminal, the status line shown, while a condition that is false is tested all
the time: by the recording, and by LLDB. It stops, and typing Ctrl-C again
and again does not end LLDB."""
import re
import sys

from terminal import Terminal

plugin, trace, image, function, *lldb = sys.argv[1:]
terminal = Terminal(lldb, "xterm-256color")
terminal.settle("settings set show-statusline true")
terminal.settle("settings set use-color false")
terminal.settle("settings set stop-line-count-before 0")
terminal.settle("plugin load " + plugin)
terminal.settle("rewind load %s --image %s" % (trace, image))
terminal.settle("breakpoint set --name " + function)


def stops():
    """How often LLDB has seen the process stop."""
    terminal.send("script print('stops:', lldb.process.GetStopID())")
    return int(re.search(rb"stops: (\d+)\s", terminal.expect(rb"stops: \d+\s"))[1])


# sizeof is LLDB's to understand. Unheard it would go on to the end.
terminal.settle("breakpoint modify 1 -c 'sizeof(int[1]) && $x0 == -300'")
for way in ("continue", "process continue -R"):
    for times, apart in (1, 0), (5, 0.05), (2, 0.01), (2, 0.03):
        terminal.settle("rewind goto 50%")
        terminal.send(way)
        terminal.expect(rb"resuming")
        terminal.interrupt()
        for _ in range(times - 1):
            terminal.rest(apart)
            terminal.interrupt()
        # Or where it was: in a step off the breakpoint, at it. LLDB waits for 20 s
        # for a stop that it misses.
        text = terminal.expect(rb"stop reason = [^\r\n]+[\r\n]", 15)
        assert re.search(rb"reason = (signal SIGINT|trace|breakpoint)", text), text
        terminal.calm()
print("LLDB can be stopped")

# 50,000 visits, which LLDB does not see.
terminal.settle("breakpoint modify 1 -c '$x0 == 0x123456789abcdef'")
for way in ("continue", "process continue -R"):
    terminal.settle("rewind goto 50%")
    before = stops()
    terminal.send(way)
    terminal.expect(rb"history boundary")
    seen = stops() - before
    assert seen < 10, (way, seen)
print("the recording is asked")
assert terminal.quit() == 0
print("LLDB goes on")
