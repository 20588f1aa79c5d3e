"""check_utf8.py <rewind>: merges a profile with strings that are no UTF-8, and
lists those of the result.
"""
import gzip
import subprocess
import sys


def number(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)


def text(field, value):
    return number(field << 3 | 2) + number(len(value)) + value


def value(field, n):
    return number(field << 3) + number(n)


strings = [b"", b"instructions", b"count", b"f\xff", b"f\xfe", "\u00fcber\ng".encode()]
profile = text(1, value(1, 1) + value(2, 2))
for function in 1, 2, 3:
    profile += text(5, value(1, function) + value(2, function + 2))
    profile += text(4, value(1, function) + text(4, value(1, function)))
    profile += text(2, text(1, number(function)) + text(2, number(5)))
profile += b"".join(text(6, s) for s in strings)
with open("in.pb", "wb") as f:
    f.write(profile)
subprocess.run([sys.argv[1], "profile", "merge", "in.pb", "-o", "out.pb.gz"], check=True, stdout=subprocess.DEVNULL)
data = gzip.open("out.pb.gz").read()


def varint(at):
    n = shift = 0
    while True:
        n |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return n, at


at, found = 0, []
while at < len(data):
    tag, at = varint(at)
    n, at = varint(at)
    if tag & 7 == 2:
        if tag >> 3 == 6:
            found.append(data[at : at + n].decode("utf-8"))
        at += n
print(", ".join(s.replace("\n", "|") for s in found if s))
