"""two_cpus.py <trace> <output> <seed> [<length>]: makes a trace of two CPUs of
one recording: both run the same program, each in pieces of random length, one
some way behind the other. The first ends after length instructions."""
import random
import re
import sys

source, output, seed = sys.argv[1:4]
pick = random.Random(int(seed))


def steps():
    """The lines of the trace, an instruction and what it does at a time."""
    step = []
    for line in open(source):
        if re.match(r"\d+ clk (IT|IS) ", line) and step:
            yield step
            step = []
        if re.match(r"\d+ clk ", line):
            step.append(line)
    yield step


program = list(steps())[:20000]
ends = [int(sys.argv[4]) if len(sys.argv) > 4 else len(program), len(program)]
done = [0, 0]
clock = 0
with open(output, "w") as out:
    while done != ends:
        cpu = pick.randrange(2)
        if done[cpu] == ends[cpu]:
            cpu = 1 - cpu
        for step in program[done[cpu] : min(done[cpu] + pick.randint(1, 40), ends[cpu])]:
            clock += 1
            for line in step:
                out.write(re.sub(r"^\d+ clk", "%d clk cpu%d" % (clock, cpu), line))
            done[cpu] += 1
