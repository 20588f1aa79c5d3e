"""statics.py <plugin> <rewind> <trace> <image>...: asks for the last write of data
of statics.cpp, in LLDB and in the shell."""
import subprocess
import sys

import lldb

plugin, rewind, trace = sys.argv[1:4]
expected = {
    "Counter<int>::total": "4 bytes]",
    "Counter< int >::total": "4 bytes]",
    "Counter<int>::small": "2 bytes]",
    "Counter<int>::last": "4 bytes]",
    "Counter<char>::last": "1 byte]",
    "_ZN7CounterIcE4lastE": "1 byte]",
    "Counter<Pair<int, char> >::total": "4 bytes]",
    "Counter<Pair<int,char>>::total": "4 bytes]",
    "hidden": "4 bytes]",
    "shop::(anonymous namespace)::hidden": "4 bytes]",
    "Item::tag": "1 byte]",
    "shop::Item::tag": "1 byte]",
    "next(int)::count": "4 bytes]",
    "next(char)::count": "2 bytes]",
    "made<int>(int)::times": "1 byte]",
    "times": "1 byte]",
    "weighed": "4 bytes]",
    "shop::Item::weigh() const::weighed": "4 bytes]",
    "shop::Item::weigh::weighed": "4 bytes]",
    "count": "is ambiguous: next(int)::count at ",
    "next::count": "is ambiguous: next(int)::count at ",
}
for image in sys.argv[4:]:
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    interpreter = debugger.GetCommandInterpreter()

    def ask(line):
        result = lldb.SBCommandReturnObject()
        interpreter.HandleCommand(line, result)
        return (result.GetOutput() or "") + (result.GetError() or "")

    ask("plugin load " + plugin)
    print(ask("rewind load %s -i %s" % (trace, image)))
    ask("rewind goto end")
    for name, size in expected.items():
        ran = subprocess.run(
            [rewind, "last-write", trace, name, "-i", image], capture_output=True, text=True
        )
        for answer in (ran.stdout + ran.stderr, ask("rewind last-write " + name)):
            assert size in answer.splitlines()[0], (image, name, answer)
    lldb.SBDebugger.Destroy(debugger)
    print("right:", image, len(expected))
lldb.SBDebugger.Terminate()
