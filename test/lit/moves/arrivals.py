"""arrivals.py <plugin> <trace> <image> <seed> <count>: single steps and runs,
forward and backward, from wherever it stands, in a trace of one or two CPUs with
breakpoints close together, some with conditions and ignore counts. Where each
ends and what LLDB counts is compared with a walk through the trace: one visit is
one hit, whether a step came to it or a run."""
import random
import re
import sys

import lldb
from session import debugger, history, load, run

plugin, trace, image, seed, count = sys.argv[1:]
pick = random.Random(int(seed))
order = []  # (thread, position, pc)
places = {}
for line in open(trace):
    step = re.match(r"\d+ clk (?:cpu(\d) )?I[TS] \(\d+\) (\w+)", line)
    if step:
        thread = int(step[1] or 0) + 1
        mine = places.setdefault(thread, [])
        order.append((thread, len(mine), int(step[2], 16)))
        mine.append(len(order) - 1)
load(plugin, trace, image)
target = debugger.GetSelectedTarget()
process = target.GetProcess()
hot = sorted({pc for _, _, pc in order})


class Break:
    """What LLDB should have counted of a breakpoint."""

    def __init__(self, pc):
        self.it = target.BreakpointCreateByAddress(pc)
        self.hits = self.ignored = 0
        self.modulus = 1
        if pick.random() < 0.4:
            self.modulus = pick.choice([2, 3])
            text = "$rewind_position %% %d == 0" % self.modulus
            # The recording tests the first, LLDB the second.
            self.it.SetCondition(text if pick.random() < 0.5 else "(0, %s)" % text)
        if pick.random() < 0.4:
            self.ignored = pick.randrange(1, 4)
            self.it.SetIgnoreCount(self.ignored)

    def would(self, moment):
        return order[moment][1] % self.modulus == 0 and self.ignored <= 0

    def stops(self, position):
        if position % self.modulus:
            return False
        self.hits += 1
        self.ignored -= 1
        return self.ignored < 0


breaks = {}
when = 0
stopped = order[0][0]
told = {0}


def next_of(thread):
    return next((m for m in places[thread] if m >= when), None)


def scatter():
    """Adjacent ones, so that a step off one comes to another."""
    target.DeleteAllBreakpoints()
    breaks.clear()
    at = pick.randrange(len(order) - 5)
    near = [pc for _, _, pc in order[at : at + 6]]
    for pc in {*pick.sample(near, 3), *pick.sample(hot, 2)}:
        breaks[pc] = Break(pc)
    # What is set where one stands does not stop there.
    if next_of(stopped) == when:
        told.add(when)


def hit(moment):
    _, position, pc = order[moment]
    return pc in breaks and breaks[pc].stops(position)


wrong = 0
for number in range(int(count)):
    if number % 12 == 0:
        scatter()
    before = (when, stopped)
    kind = pick.choice(["continue", "continue", "stepi", "stepi", "stepi", "rc", "goto"])
    if kind == "continue":
        wanted = next((m for m in range(when, len(order)) if m not in told and hit(m)), None)
        run("continue")
    elif kind == "rc":
        wanted = next((m for m in range(when - 1, -1, -1) if hit(m)), None)
        run("rc")
    elif kind == "goto":
        wanted = pick.randrange(len(order) - 1)
        run("rewind goto %d:#%d" % order[wanted][:2])
    else:
        thread = pick.choice(list(places))
        here = next_of(thread)
        if here is None or here == places[thread][-1]:
            continue
        arrived = places[thread][order[here][1] + 1]
        # LLDB may step on from a breakpoint that does not stop.
        if order[arrived][2] in breaks and not breaks[order[arrived][2]].would(arrived):
            continue
        run("thread select %d" % thread)
        run("stepi")
        when = here + 1
        hit(arrived)
        told.add(arrived)
        stopped = thread
        wanted = when
    if kind != "stepi":
        if wanted is None:  # an end of the recording
            wanted = 0 if kind == "rc" else len(order)
        if wanted < when or kind in ("goto", "rc"):
            told.clear()
        when = wanted
        stopped = order[min(when, len(order) - 1)][0]
        told.add(when)
    frames = [process.GetThreadByIndexID(t).GetFrameAtIndex(0) for t in places]
    at = sum(f.FindRegister("rewind_position").GetValueAsUnsigned() for f in frames)
    counts = {b.it.GetID(): (b.it.GetHitCount(), b.hits) for b in breaks.values()}
    selected = process.GetSelectedThread().GetIndexID()
    history.append("# %s from %s: %d in %d" % (kind, before, at, selected))
    ended = when in (0, len(order))
    if at != when or any(a != b for a, b in counts.values()) or (not ended and selected != stopped):
        wrong += 1
        print("wrong:", kind, "from", before, "ends at", at, "in", selected)
        print("  not", when, "in", stopped, "counts", counts, "of", [hex(p) for p in breaks])
        print("after:", *history[-12:], sep="\n  ")
        break
print("%s moves, %d wrong" % (count, wrong))
lldb.SBDebugger.Destroy(debugger)
lldb.SBDebugger.Terminate()
