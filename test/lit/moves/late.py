"""late.py <plugin> <trace> <image> <lldb>...: LLDB's own thread takes its time for a
stop: it runs a breakpoint's script, then a stop hook. Commands that are piped in
behind the one that resumes are answered when it has told of the stop, not at one
that it goes on from."""
import re
import subprocess
import sys

plugin, trace, image, *lldb = sys.argv[1:]
setup = """settings set use-color false
plugin load {}
rewind load {} --image {}
breakpoint set --name find
breakpoint command add -s python -o "import time; time.sleep(1); return frame.FindRegister('x1').GetValueAsUnsigned() == 187" 1
target stop-hook add -o "script import time; time.sleep(1); print('the hook', 'is over')"
""".format(plugin, trace, image)
# What the second visit shows; the first is gone on from.
looks = {
    "bt 1": r"frame #0: .*sku=187",
    "register read x1": r" x1 = 0x0*bb",
    "rewind where": r" find\+0x\w+ at inventory",
    "process status": r"frame #0: .*sku=187",
    "p $x1": r"\(unsigned long\) (0x0*bb|\$0 = 187)",
}
wrong = 0
for look, answer in looks.items():
    lines = setup + "continue\n%s\nquit\n" % look
    out = subprocess.run(lldb, input=lines, capture_output=True, text=True)
    text = out.stdout.partition("(lldb) " + look + "\n")[2]
    early, hook, late = text.partition("the hook is over")
    if not hook or re.search(answer, early) or not re.search(answer, late) or "error:" in out.stderr:
        wrong += 1
        print("wrong: %s:\n%s%s" % (look, out.stdout, out.stderr))
print("%d commands, %d wrong" % (len(looks), wrong))
