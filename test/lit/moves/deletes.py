"""deletes.py <plugin> <trace> <image> <count> <lldb>...: at a terminal, loads two
recordings and deletes both, twice, all typed at once; tells how many of so many
debuggers crash. No .test runs it: LLDB 22.1.8 crashes (docs/lldb.md)."""
import sys

import pexpect

plugin, trace, image, count, *lldb = sys.argv[1:]
crashed = 0
for _ in range(int(count)):
    terminal = pexpect.spawn(lldb[0], lldb[1:], dimensions=(40, 130), timeout=60)
    terminal.expect_exact("(lldb) ")
    once = ["rewind load %s --image %s" % (trace, image), "breakpoint set --name find", "continue"] * 2
    once += ["target delete 0"] * 2
    for line in ["settings set auto-confirm true", "plugin load " + plugin] + once * 2 + ["quit"]:
        terminal.sendline(line)
    try:
        terminal.expect(pexpect.EOF)
    except pexpect.TIMEOUT:
        pass
    terminal.close(force=True)
    crashed += bool(terminal.signalstatus)
print("%d of %s crashed" % (crashed, count))
