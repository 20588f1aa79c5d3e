"""shells.py <shell> <script>: Tab in a real shell that has read the script, with
sample.tarmac, sample.elf and rewind at hand."""
import os
import sys

from prompt import Prompt, environment

shell, script = sys.argv[1:]
script = os.path.abspath(script)  # bash looks into PATH first
name = os.path.basename(shell)
home = os.path.abspath("home")
os.makedirs(home, exist_ok=True)
variables = environment(HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home, XDG_CACHE_HOME=home)
settings = {
    "bash": "PS1='> '; bind 'set bell-style none'; bind 'set page-completions off'; bind 'set completion-query-items 0'; bind 'set show-all-if-ambiguous on'",
    "zsh": "PS1='> '; autoload -Uz compinit; compinit -u -D; LISTMAX=1000; setopt no_beep",
    "fish": "set fish_greeting; function fish_prompt; echo -n '> '; end",
}
with open("settings", "w") as f:
    f.write("%s\nsource %s\n" % (settings[name], script))
commands = {
    "bash": ["--noprofile", "--rcfile", "settings", "-i"],
    "zsh": ["-d", "-i"],
    "fish": ["--no-config", "--init-command", "source settings"],
}
if name == "zsh":
    os.replace("settings", os.path.join(home, ".zshrc"))
    variables["ZDOTDIR"] = home
terminal = Prompt([shell] + commands[name], variables, "> ")
wrong = 0


def expect(seen, typed, wanted):
    global wrong
    if not seen:
        wrong += 1
        print("wrong:", typed, wanted)
        print(terminal.text())


def take_back(typed):
    # The line is thrown away, and what was listed under it.
    for key, state in (("\x03", terminal.ready), ("\x0c", terminal.cleared)):
        terminal.send(key)
        expect(terminal.until(state), typed, "taken back by %r" % key)


def tab(typed, *wanted):
    terminal.send(typed + "\t")
    expect(terminal.wait(*wanted, seconds=8), typed, wanted)
    take_back(typed)


expect(terminal.until(terminal.cleared), "", "a prompt")
tab("rewind last-w", "rewind last-write")
tab("rewind boo", "rewind bookmark")
tab("rewind bookmark d", "rewind bookmark delete")
tab("rewind htr ", "dump", "layers")
tab("rewind find --fir", "rewind find --first")
tab("rewind find sample.t", "rewind find sample.tarmac")
tab("rewind list sample.tarmac --image sample.e", "--image sample.elf")
tab("rewind list sample.tarmac --image=sample.e", "--image=sample.elf")
tab("rewind slice sample.tarmac x0 --control=ex", "--control=exact")
tab("rewind profile diff sample.tarmac oth", "other.tarmac")
tab("rewind completion fi", "rewind completion fish")
tab("rewind where sample.tarmac bo", "sample.tarmac boots")
tab("rewind bookmark delete sample.tarmac bo", "sample.tarmac boots")
tab("rewind last-write sample.tarmac cps", "sample.tarmac cpsr")
# Once the program is there, its names.
program = "rewind find sample.tarmac -i sample.elf "
tab(program + "set_l", "sample.elf set_label")
tab(program + "sys", "syscall", "system_call")
at = "rewind last-write sample.tarmac -i sample.elf --at 40000 "
tab(at + "expe", "40000 expected")
tab(at + "'&orde", "'&orders")
tab(at + "'items[0].quan", "'items[0].quantity")
# Types lead on where values are not known, indexes are computed, or a pointer is in brackets.
tab("rewind last-write sample.tarmac -i sample.elf 'items[orders[1].sku + 1].left->qua", "left->quantity")
place = "rewind eval sample.tarmac -i sample.elf --at set_label "
tab(place + "'item->ri", "'item->right")
tab(place + "'(*item).ri", "'(*item).right")
tab(place + "'1 + item->left->ri", "item->left->right")
# A bracket that is not quoted.
tab("rewind last-write sample.tarmac -i sample.elf items[1].ri", "[1" if name == "fish" else "[1", ".right")
# As the shell itself has escaped it before.
tab("rewind last-write sample.tarmac -i sample.elf items\\[1\\].ri", "].right")
if name == "bash":
    # An arrow that is not quoted would lead to a file to write over.
    terminal.send(place + "item->ri\t")
    terminal.wait("item->right", seconds=3)
    if "item->right" in terminal.text():
        wrong += 1
        print("wrong: item->ri", terminal.text())
    take_back("item->ri")
# Files with blanks and a line's end in their names.
open("my trace.tarmac", "w").close()
open("two\nlines.tarmac", "w").close()
tab("rewind list my", "trace.tarmac")
tab("rewind list 'my", "trace.tarmac'" if name != "zsh" else "trace.tarmac")
tab("rewind list two", "lines.tarmac")
print("wrong:", wrong)
terminal.close()
