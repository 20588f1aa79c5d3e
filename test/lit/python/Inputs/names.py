"""names.py <rewind> <plugin> <trace> <image>: what types are called."""

import os
import sys

os.environ["REWIND"], os.environ["REWIND_PLUGIN"], trace, image = sys.argv[1:]

import lldb  # noqa: E402
import rewind  # noqa: E402

NAMES = {
    "ul": "unsigned long", "ll": "long long", "us": "unsigned short", "number": "word", "byte": "uint8_t",
    "text": "const char *", "fixed": "char *const", "still": "const volatile int", "anything": "void *",
    "function": "int (*)(int, const char *)", "toRow": "int (*)[3]", "member": "int Plain::*",
    "row": "int[4]", "table": "int[2][3]", "table[1]": "int[3]", "table[1][2]": "int",
    "plain": "Plain", "pointer": "Plain *", "plains": "Plain[3]", "plain.next": "Plain *", "colour": "Colour",
    "inner": "ns::Inner", "alias": "ns::Alias", "string": "std::string",
    "vector": "std::vector<int, std::allocator<int> >",
}

outside = rewind.open(trace, images=image)
inside = rewind.load(lldb.SBDebugger.Create(), trace, image)
for recording in outside, inside:
    said = {name: recording.json("history", name, count=1)["location"].get("type") for name in NAMES}
    assert said == NAMES, {name: said[name] for name in NAMES if said[name] != NAMES[name]}
print("one name each")
