"""random_conditions.py <plugin> <trace> <image> <function> <leaves> [<count>
[<seed> [<rewind>]]]: a breakpoint with a condition stops at exactly those visits at which
LLDB finds that it holds, or cannot tell, in both directions. Conditions are
random, of registers, or of variables if <leaves> is a file that lists them;
REWIND_TEST_SEEDS multiplies their number (30 unless told). Each
leaf alone is tested by the recording, so that LLDB resumes once for a stop. The shell
<rewind> counts the same visits. Only for every third condition a breakpoint is tried, and `rewind find
--if` asked for the others, which is several times as fast; REWIND_TEST_STOPS=1 tries
all."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import lldb

from conditions_made import Maker, agree, holds_of, printed
from session import debugger, load, position, run

plugin, trace, image, function, leaves, *rest = sys.argv[1:]
count = (int(rest[0]) if rest else 30) * int(os.environ.get("REWIND_TEST_SEEDS", 1))
rng = random.Random(int(rest[1]) if len(rest) > 1 else 20)
shell = rest[2] if len(rest) > 2 else None
maker = Maker(leaves, rng)
leaves = maker.leaves


# LLDB's messages about conditions that cannot be evaluated are not the point.
target = load(plugin, trace, image, shows=False)
process = target.GetProcess()
options = lldb.SBExpressionOptions()
options.SetSuppressPersistentResult(True)
options.SetIgnoreBreakpoints(True)
options.SetTimeoutInMicroSeconds(0)  # none: LLDB gives up after half a second
if ":" in function:
    file, line = function.split(":")
    breakpoint = target.BreakpointCreateByLocation(file, int(line))
else:
    breakpoint = target.BreakpointCreateByName(function)
assert breakpoint.GetNumResolvedLocations() == 1


def stops(direction):
    found = []
    while True:
        assert process.ContinueInDirection(direction).Success()
        if process.GetSelectedThread().GetStopReason() != lldb.eStopReasonBreakpoint:
            return found
        found.append(position())


# Where a long has 32 bits its type depends on the language, which the shell says.
if shell and target.GetAddressByteSize() == 4:
    maker.numbers.remove("2147483648")
plain = dict(maker.condition() for _ in range(count))
conditions = list(plain)


def asked(condition):
    """Where `rewind find` says that it holds."""
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand('rewind find %s --if "%s" --all --json -c 1000' % (function, condition), result)
    if not result.Succeeded():  # it has no value anywhere
        assert re.search("division by zero|Unhandled opcode", result.GetError()), (condition, result.GetError())
        return set()
    return {item["position"] for item in json.loads(result.GetOutput())["items"]}


def compare(condition, holds):
    """How often it is LLDB alone that cannot tell. holds: where it does for LLDB."""
    true, false = asked(condition), asked("!(%s)" % condition)
    alone = 0
    for visit in places:
        ours = True if visit in true else False if visit in false else None
        theirs = None if visit in untold[condition] else visit in holds
        if ours == theirs:
            continue
        run("rewind goto %d" % visit)
        alone += agree(condition, plain[condition], ours, theirs)
    return alone


expected = {condition: [] for condition in conditions}
untold = {condition: set() for condition in conditions}
places, errors = [], 0
while True:
    process.ContinueInDirection(lldb.eRunForward)
    if process.GetSelectedThread().GetStopReason() != lldb.eStopReasonBreakpoint:
        break
    frame = process.GetSelectedThread().GetFrameAtIndex(0)
    here = position()
    places.append(here)
    # What has no value once seldom has one later, and would be asked for with all others.
    for some in (
        [c for c in conditions if not untold[c]],
        [c for c in conditions if untold[c]],
    ):
        size = 16 if some and not untold[some[0]] else 1
        for begin in range(0, len(some), size):
            chunk = some[begin : begin + size]
            for condition, holds in zip(chunk, holds_of(frame, [plain[c] for c in chunk], options)):
                errors += holds is None
                if holds is None or holds:
                    expected[condition].append(here)
                if holds is None:
                    untold[condition].add(here)
visits = len(places)
assert visits > 5, visits
mixed = skipped = refused = 0
every = int(os.environ.get("REWIND_TEST_STOPS", 3))
for number, (condition, wanted) in enumerate(expected.items()):
    if number % every:
        skipped += compare(condition, wanted)
        mixed += 0 < len(wanted) < visits
        continue
    breakpoint.SetCondition(condition)
    run("rewind goto end")
    found = stops(lldb.eRunReverse)[::-1]
    # LLDB reads some of what C does not look at, behind && and ||; p does not.
    decided = untold[condition] - set(found)
    for visit in decided:
        run("rewind goto %d" % visit)
        assert re.search(r"\) (false|0)\s*$", printed(condition)), (condition, visit, printed(condition))
    skipped += len(decided)
    wanted = [visit for visit in wanted if visit not in decided]
    # LLDB's interpreter gives a division by zero a value.
    for visit in set(found) - set(wanted) if set("/%") & set(condition) else ():
        run("rewind goto %d" % visit)
        assert "division by zero" in printed(condition), (condition, visit)
        wanted = sorted(wanted + [visit])
    run("rewind goto start")
    assert found == wanted, (condition, found, wanted)
    before = breakpoint.GetHitCount()
    found = stops(lldb.eRunForward)
    assert found == wanted, (condition, found, wanted)
    # Only where it stops is it hit.
    assert breakpoint.GetHitCount() - before == len(wanted), condition
    mixed += 0 < len(wanted) < visits
    if shell:
        done = subprocess.run(
            [shell, "find", trace, "-i", image, function, "--if", condition, "--all", "--json", "-c", "1000"],
            capture_output=True,
            text=True,
        )
        if done.returncode == 2:
            refused += 1
            continue
        answer = json.loads(done.stdout)
        told = [item["position"] for item in answer["items"]]
        unknown = [visit for visit in wanted if visit not in told]
        assert sorted(told + unknown) == wanted, (condition, told, wanted)
        for visit in set(unknown) - untold[condition]:
            run("rewind goto %d" % visit)
            assert "division by zero" in printed(condition), (condition, visit)
        # LLDB reads, and folds, what C does not look at.
        assert "||" in condition or "&&" in condition or not untold[condition] & set(told), condition
        assert answer.get("unknown", 0) == len(unknown), (condition, answer.get("unknown"), unknown)
log = tempfile.NamedTemporaryFile()
run("log enable -f %s gdb-remote packets" % log.name)
for leaf in leaves:
    breakpoint.SetCondition("%s != %s" % (leaf, leaf))
    run("rewind goto start")
    before = os.path.getsize(log.name)
    found = stops(lldb.eRunForward)
    log.seek(before)
    packets = len(re.findall(rb"\$(?:vCont;c|c#)", log.read()))
    mine = packets <= len(found) + 1 < visits
    assert packets and (len(found) == visits or mine), (leaf, packets, len(found))
run("log disable gdb-remote")
print("%d conditions at %d visits: all as LLDB" % (count, visits))
print("%d of them sometimes true, %d evaluations failed, %d only LLDB's, %d the shell refused" % (mixed, errors, skipped, refused), file=sys.stderr)
assert not refused, refused
assert mixed > count // 20, mixed
lldb.SBDebugger.Destroy(debugger)
