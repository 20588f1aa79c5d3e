"""behind.py <plugin> <trace> <image> <lldb>...: what changes a breakpoint behind a
`continue` finds the process stopped at the end: no visit fulfils the condition."""
import subprocess
import sys

plugin, trace, image, *lldb = sys.argv[1:]
setup = """settings set use-color false
plugin load {}
rewind load {} --image {}
breakpoint set --name push --condition 'n->id == 4000000000'
continue
"""
changes = ("breakpoint delete 1", "breakpoint disable 1", "breakpoint modify -c 1 1", "breakpoint list")
wrong = count = 0
for _ in range(3):
    for change in changes:
        lines = setup.format(plugin, trace, image) + change + "\nprocess status\nquit\n"
        out = subprocess.run(lldb, input=lines, capture_output=True, text=True)
        # LLDB's threads print the stop before or after the echo of the change, so the
        # process is asked.
        status = out.stdout.partition("(lldb) process status\n")[2]
        count += 1
        if out.returncode or "history boundary" not in status or "lost connection" in out.stdout:
            wrong += 1
            print("wrong: %s:\n%s%s" % (change, out.stdout, out.stderr))
print("%d commands, %d wrong" % (count, wrong))
