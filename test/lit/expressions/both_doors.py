"""both_doors.py <plugin> <rewind> <trace> <image> <place> <expression>...: `rewind eval` of
each expression at all visits of the place tells the same in LLDB as in the shell."""
import subprocess
import sys

import lldb
from session import debugger, load

plugin, rewind, trace, image, place = sys.argv[1:6]
load(plugin, trace, image, shows=False)
visits = set()
for expression in sys.argv[6:]:
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(
        'rewind eval -c 1000 --at %s -- "%s"' % (place, expression), result)
    shell = subprocess.run([rewind, "eval", trace, "-i", image, "-c", "1000", "--at", place, "--", expression],
                           capture_output=True, text=True)
    ours, theirs = shell.stdout.splitlines(), (result.GetOutput() or "").splitlines()
    assert len(ours) > 2, (expression, shell.stderr)
    assert ours == theirs, (expression, next((p for p in zip(ours, theirs) if p[0] != p[1]), theirs[-1:] or result.GetError()))
    visits.add(len(ours) - 1)
print("%d expressions at %s visits: the same" % (len(sys.argv) - 6, visits))
lldb.SBDebugger.Destroy(debugger)
