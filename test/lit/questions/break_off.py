"""break_off.py <image> <out>: a copy whose debug information ends in the middle of an entry,
and one, "relocations", of which the size of a section of relocations is wrong."""
import struct
import sys

image, out = sys.argv[1:]
data = open(image, "rb").read()
start, _, _, _, _, size, number, names = struct.unpack_from("<QIHHHHHH", data, 40)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + n * size) for n in range(number)]
text = data[sections[names][4] :]


def named(name):
    for n, section in enumerate(sections):
        if text[section[0] :].split(b"\0")[0] == name:
            return n, section
    raise SystemExit("there is no " + name.decode())


_, info = named(b".debug_info")
broken = bytearray(data)
broken[info[4] + info[5] - 1] = 0xF6
open(out, "wb").write(broken)
number, relocations = named(b".rela.plt")
broken = bytearray(data)
struct.pack_into("<Q", broken, start + number * size + 32, relocations[5] - 1)
open("relocations", "wb").write(broken)
