"""The sample, with exceptions: exceptions.py <trace> <changed trace>"""
import sys

with open(sys.argv[1]) as source, open(sys.argv[2], "w") as out:
    seen = 0
    for line in source:
        words = line.split()
        # Before every 20,000th instruction.
        if words[2:3] in (["IT"], ["IS"]):
            seen += 1
            if seen % 20000 == 0:
                out.write("%s clk E %s 00000083 CoreEvent_CURRENT_SPx_IRQ\n" % (words[0], words[4]))
        out.write(line)
