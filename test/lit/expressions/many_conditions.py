"""many_conditions.py <plugin> <trace> <image> <function> <leaves> <count>
[<seed>]: random conditions, each tested at one of the visits of the function: what
`rewind find --if` says of it is what LLDB evaluates there. Conditions are as those
of random_conditions.py; REWIND_TEST_SEEDS multiplies their number."""
import json
import os
import random
import sys

import lldb

from conditions_made import Maker, agree, holds_of
from session import debugger, load, run

plugin, trace, image, function, leaves, count, *rest = sys.argv[1:]
count = int(count) * int(os.environ.get("REWIND_TEST_SEEDS", 1))
maker = Maker(leaves, random.Random(int(rest[0]) if rest else 1))
target = load(plugin, trace, image, shows=False)
options = lldb.SBExpressionOptions()
options.SetSuppressPersistentResult(True)
options.SetTimeoutInMicroSeconds(0)


def found(words):
    """Positions that `rewind find` answers; none where nothing has a value."""
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand("rewind find %s %s --json" % (function, words), result)
    if not result.Succeeded():
        assert "division by zero" in result.GetError(), (words, result.GetError())
        return []
    return [item["position"] for item in json.loads(result.GetOutput())["items"]]


visits = found("--all -c 100000")
assert len(visits) > 5, visits
# Later ones, before which more is known. A few: to go to each for one condition would
# take most of the time.
visits = visits[len(visits) // 2 :]
visits = visits[:: max(1, len(visits) // 20)]
true = unknown = alone = 0
for number, visit in enumerate(visits):
    run("rewind goto %d" % visit)
    frame = target.GetProcess().GetSelectedThread().GetFrameAtIndex(0)
    made = [maker.condition() for _ in range(count * (number + 1) // len(visits) - count * number // len(visits))]
    for begin in range(0, len(made), 32):
        some = made[begin : begin + 32]
        for (condition, plain), theirs in zip(some, holds_of(frame, [plain for _, plain in some], options)):
            here = "--next --at %d" % (visit - 1)
            if found('--if "%s" %s' % (condition, here))[:1] == [visit]:
                ours = True
            elif found('--if "!(%s)" %s' % (condition, here))[:1] == [visit]:
                ours = False
            else:
                ours = None
            alone += agree(condition, plain, ours, theirs, partly=True)
            true += ours is True
            unknown += ours is None
print("%d conditions: all as LLDB" % count)
print("%d true, %d without a value, %d that LLDB alone cannot tell" % (true, unknown, alone), file=sys.stderr)
assert count // 10 < true < count, true
lldb.SBDebugger.Destroy(debugger)
