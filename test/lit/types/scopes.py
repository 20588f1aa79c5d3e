"""Asks the shell what names mean at places: scopes.py REWIND TRACE IMAGE."""

import subprocess
import sys

# Where, the name, its value or what the error says.
CASES = [
    ("use", "d->x", "44"),
    ("use", "d->B::x", "1"),
    ("use", "d->bx", "2"),
    ("use", "o->bx", "6"),
    ("use", "o->B::bx", "2"),
    ("use", "m->x", "is ambiguous: B::x, Other::x"),
    ("use", "m->Other::x", "5"),
    ("use", "m->B::x", "1"),
    ("use", "m->None::x", "no member"),
    ("use", "m->made", "9"),
    ("use", "same", "78"),
    ("use", "::same", "78"),
    ("use", "a::same", "12"),
    ("use", "a::fresh", "21"),
    ("use", "a::v2::fresh", "21"),
    ("use", "fresh", "is ambiguous: "),
    ("use", "::fresh", "is no variable in 'use'"),
    ("use", "own2", "92"),
    ("use", "far", "93"),
    ("D::get", "x", "44"),
    ("D::get", "this->x", "44"),
    ("D::get", "B::x", "1"),
    ("D::get", "this->B::x", "1"),
    ("a::f", "same", "12"),
    ("a::f", "b::same", "14"),
    ("a::f", "fresh", "21"),
    ("a::f", "hidden", "31"),
    ("a::f", "far", "93"),
    ("ofHidden", "hidden", "31"),
    ("ofHidden", "same", "12"),
    ("c::f", "same", "13"),
    ("c::f", "::same", "78"),
    ("c::f", "a::b::same", "14"),
    ("c::f", "hidden", "33"),
    ("c::K::g", "same", "16"),
    ("c::L::h", "same", "16"),
    ("c::used", "same", "13"),
    ("c::used", "fresh", "21"),
    ("file2", "same", "91"),
    ("file2", "a::same", "12"),
    ("file2", "fresh", "is ambiguous: "),
]


def run(*words):
    done = subprocess.run([rewind, *words], capture_output=True, text=True)
    return done.stdout + done.stderr


rewind, trace, image = sys.argv[1:]
differ = 0
for place, name, wanted in CASES:
    said = run("eval", trace, "-i", image, name, "--at", place, "-c", "1")
    first = said.split("\n")[0]
    good = first.split()[-1:] == [wanted] or (
        not wanted.isdigit() and wanted in said
    )
    # A condition sees the same.
    if good and wanted.isdigit():
        found = run("find", trace, "-i", image, place, "--if", f"{name} == {wanted}")
        good = found.startswith("#")
        said += found
    if not good:
        differ += 1
        print(f"{name} at {place}: {wanted} wanted, but: {said}")
print(f"{len(CASES)} asked, {differ} differ")
