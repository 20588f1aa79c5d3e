"""waiting.py <plugin> <trace> <image> <lldb>...: commands that are piped in straight
behind one that resumes say what they say when the process stands."""
import subprocess
import sys

plugin, trace, image, *lldb = sys.argv[1:]
setup = ["settings set use-color false", "settings set stop-line-count-before 0", "plugin load " + plugin,
         "rewind load %s --image %s" % (trace, image), "breakpoint set --name find"]
looks = ["p $pc", "print $pc", "po $pc", "call $pc", "expr -- $pc", "x/2x $pc", "memory read $pc", "v", "frame variable",
         "frame info", "f", "up", "bt 1", "thread list", "thread info", "thread plan list", "register read pc",
         "disassemble -c 1", "list", "source info", "target variable", "image lookup -a $pc", "watchpoint list",
         "memory find -s abc $pc $pc+8", "script print('pc', hex(lldb.frame.pc))", "thread backtrace -c 1",
         "process status", "rewind where"]


def answers(lines):
    out = subprocess.run(lldb, input="\n".join(lines) + "\n", capture_output=True, text=True)
    return out.stdout + out.stderr


wrong = 0
for look in looks:
    # Without a prompt between them: both come at once.
    text = answers(setup + ["continue", look, "quit"])
    reference = answers(setup + ["script lldb.debugger.SetAsync(False)", "continue", look, "quit"])
    said = [l for l in reference.split("(lldb) " + look)[-1].splitlines() if l.strip() and "(lldb)" not in l]
    missing = [l for l in said if l not in text]
    if not said or missing or "is running" in text:
        wrong += 1
        print("wrong: %s:\n%s\nnot\n%s" % (look, text, reference))
print("%d commands, %d wrong" % (len(looks), wrong))
