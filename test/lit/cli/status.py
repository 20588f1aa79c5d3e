"""status.py <rewind> <sample folder>: the exit status of every kind of question, with
and without --json."""
import subprocess
import sys

rewind, sample = sys.argv[1:]
trace, image = sample + "/sample.tarmac", sample + "/sample.elf"
ANSWER, NONE, MISUSE = 0, 1, 2
cases = [
    (ANSWER, "info"),
    (ANSWER, "where 50%"),
    (NONE, "where 99999999"),
    (NONE, "where t:99999999"),
    (MISUSE, "where nonsense"),
    (MISUSE, "where t:x"),
    (MISUSE, "where 101%"),
    (MISUSE, "where 1 2"),
    (ANSWER, "list 5 -c 2"),
    (MISUSE, "list 5 -c x"),
    (MISUSE, "list 5 -c 0"),
    (MISUSE, "list --from 9 --to 5"),
    (MISUSE, "list --frobnicate"),
    (ANSWER, "find set_label -c 1"),
    (NONE, "find 0x10"),
    (NONE, "find 0x10 --all"),
    (NONE, "find 0x10 --next"),
    (NONE, "find --event gap"),
    (MISUSE, "find"),
    (MISUSE, "find --event nonsense"),
    (MISUSE, "find set_label --next --prev"),
    (ANSWER, "last-write x0"),
    (NONE, "last-write 0x10"),
    (NONE, "next-read 0x10"),
    (NONE, "last-write no_such_symbol"),
    (MISUSE, "last-write"),
    (MISUSE, "last-write x0 --size 0"),
    (MISUSE, "last-write x0 --size x"),
    (ANSWER, "history seed -c 2"),
    (NONE, "history 0x10"),
    (MISUSE, "history"),
    (ANSWER, "eval w1 --at find -c 2"),
    (NONE, "eval w1 --at 0x10"),
    (MISUSE, "eval w1"),
    (MISUSE, "eval 1+ --at find"),
    (MISUSE, "find set_label --if (1"),
    (MISUSE, "find set_label --if 1+"),
    (ANSWER, "diff 5 9"),
    (ANSWER, "diff 5 5"),
    (MISUSE, "diff"),
    (ANSWER, "origin x1 --at 40000"),
    (MISUSE, "origin"),
    (ANSWER, "why items --size 20"),
    (MISUSE, "why"),
    (ANSWER, "calls info find -c 2"),
    (NONE, "calls info 0x10"),
    (MISUSE, "calls info"),
    (ANSWER, "calls tree --depth 1"),
    (NONE, "calls tree --function no_such_function"),
    (MISUSE, "calls tree --depth x"),
    (ANSWER, "calls where --at 50%"),
    (ANSWER, "profile functions -c 3"),
    (ANSWER, "profile diff %s --other-image %s" % (trace, image)),
    (NONE, "profile functions --function no_such_function"),
    (MISUSE, "profile functions --sort beauty"),
    (ANSWER, "htr layers"),
    (MISUSE, "htr block nonsense"),
    (NONE, "htr block B99999999"),
    (MISUSE, "htr run loops --min-length x"),
    (MISUSE, "htr run bogus"),
    (MISUSE, "htr expand B1 --depth x"),
    (ANSWER, "critical-path --free find"),
    (NONE, "critical-path --free no_such_function"),
    (MISUSE, "htr goto B1 --next --prev"),
    (ANSWER, "bookmark list"),
    (MISUSE, "bookmark add"),
    (MISUSE, "export htr"),
    (MISUSE, "info --format nonsense"),
    (MISUSE, "info --big-endian --li"),
    (MISUSE, "info --image %s@zz" % image),
    (NONE, "info --image /nowhere"),
]
wrong = 0
for want, text in cases:
    words = text.split()
    two = words[0] in ("calls", "profile", "htr", "bookmark", "export")
    command = [rewind] + words[: 1 + two] + [trace] + words[1 + two :]
    command += [] if "--image" in words else ["-i", image]
    for json in ([], ["--json"]):
        ran = subprocess.run(command + json, capture_output=True, text=True)
        if ran.returncode != want:
            wrong += 1
            print("WRONG:", text, *json, "is", ran.returncode, "not", want, ran.stderr.strip())
        if ran.returncode == MISUSE and ran.stdout:
            wrong += 1
            print("WRONG:", text, *json, "printed", ran.stdout)
print(len(cases), "questions,", wrong, "wrong")
