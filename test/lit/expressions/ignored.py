"""ignored.py <plugin> <trace> <image> <register>: breakpoints with ignore counts
stop where, and count what, LLDB does if it sees every hit. That it does if
their conditions have sizeof, which the recording leaves to it.
REWIND_TEST_SEEDS multiplies the number of rounds."""
import os
import random
import sys

import lldb

from session import load, position, run

plugin, trace, image, register = sys.argv[1:]
rng = random.Random(16)
rounds = 12 * int(os.environ.get("REWIND_TEST_SEEDS", 1))
target = load(plugin, trace, image, shows=False)
process = target.GetProcess()
CONDITIONS = ["", "", "$%s != 1" % register, "$%s == 1" % register, "$rewind_position & 1",
              "total_hits > 3", "0"]


def plan():
    """What to set, and where to go."""
    names = rng.choices(["dispatch", "note", "on_idle", "on_armed", "on_run"], k=rng.randint(1, 4))
    breakpoints = [(name, rng.choice(CONDITIONS), rng.choice([0, 1, 2, 3, 7, 50]),
                    rng.choice([0, 0, 0, 2, 5]), rng.random() < 0.1) for name in names]
    moves = []
    for _ in range(rng.randint(2, 5)):
        moves += [rng.random() < 0.6] * rng.randint(1, 3)
    anew = [rng.randint(0, 6) if rng.random() < 0.2 else None for _ in moves]
    return breakpoints, moves, anew


def follow(breakpoints, moves, anew, theirs):
    """Each stop, and what all breakpoints count then."""
    run("rewind goto 30%")
    made = []
    for name, condition, ignore, of_location, once in breakpoints:
        breakpoint = target.BreakpointCreateByName(name)
        assert breakpoint.GetNumLocations() == 1, name
        if theirs:
            condition = "(%s) && sizeof(int[1])" % condition if condition else "sizeof(int[1])"
        if condition:
            breakpoint.SetCondition(condition)
        breakpoint.SetIgnoreCount(ignore)
        if of_location:
            breakpoint.GetLocationAtIndex(0).SetIgnoreCount(of_location)
        breakpoint.SetOneShot(once)
        made.append(breakpoint)
    told = []
    for forward, ignore in zip(moves, anew):
        if ignore is not None and made[0].IsValid():
            made[0].SetIgnoreCount(ignore)
        error = process.ContinueInDirection(lldb.eRunForward if forward else lldb.eRunReverse)
        assert error.Success(), error
        thread = process.GetSelectedThread()
        counts = []
        for breakpoint in made:
            if breakpoint.IsValid() and breakpoint.GetNumLocations():
                location = breakpoint.GetLocationAtIndex(0)
                counts.append((breakpoint.GetHitCount(), breakpoint.GetIgnoreCount(),
                               location.GetHitCount(), location.GetIgnoreCount()))
            else:
                counts.append(None)
        told.append((thread.GetStopReason(), thread.GetIndexID(), position(), counts))
    for breakpoint in made:
        if breakpoint.IsValid():
            target.BreakpointDelete(breakpoint.GetID())
    return told


counted = 0
for number in range(rounds):
    what = plan()
    ours, theirs = follow(*what, False), follow(*what, True)
    counted += sum(count[0] for count in ours[-1][3] if count)
    if ours != theirs:
        print("round", number, what)
        for mine, other in zip(ours, theirs):
            print("  ", mine, "" if mine == other else "LLDB: %s" % (other,))
        sys.exit()
print("all as LLDB, in %d rounds, %d hits counted" % (rounds, counted))
