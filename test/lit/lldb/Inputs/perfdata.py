"""Makes of an LLDB bundle the perf.data that `perf record -e intel_pt//u` would
have written (--compress: with -z): two events (intel_pt//u and dummy:u, which has the mappings and
context switches), the build ids in the file's header, buffers in several
AUXTRACE records. perfdata.py <bundle> <file> [--compress]

After include/uapi/linux/perf_event.h, perf.data-file-format.txt and
tools/perf/util/intel-pt.h of Linux."""

import ctypes
import ctypes.util
import json
import os
import re
import struct
import sys

bundle, path = sys.argv[1:3]
description = json.load(open(os.path.join(bundle, "trace.json")))
process = description["processes"][0]
pid = process["pid"]
tid = process["threads"][0]["tid"]
packets = open(os.path.join(bundle, process["threads"][0]["iptTrace"]), "rb").read()
conversion = description["tscPerfZeroConversion"]
build_ids = {}
for module in process["modules"]:
    file = os.path.join(bundle, module.get("file", module["systemPath"]))
    build_ids[file] = bytes.fromhex(module["uuid"].replace("-", ""))

PMU, CPU, PT_ID, DUMMY_ID = 9, 0, 11, 12
IP, TID, TIME, CPU_BIT, IDENTIFIER = 1, 2, 4, 1 << 7, 1 << 16
SAMPLE = IP | TID | TIME | CPU_BIT | IDENTIFIER
clock = int(conversion["timeZero"], 0) + 1000


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text, size=8):
    data = text.encode() + b"\0"
    return data + b"\0" * (-len(data) % size)


def ids(event=DUMMY_ID, of=(pid, tid)):
    """The trailer of all records (sample_id_all), by SAMPLE."""
    return struct.pack("<IIQIIQ", of[0], of[1], clock, CPU, 0, event)


def attribute(kind, config, flags, ids_at):
    body = struct.pack("<IIQQQQQ", kind, 128, config, 1, SAMPLE, 4, flags)
    return body.ljust(128, b"\0") + struct.pack("<QQ", ids_at, 8)




class Buffer(ctypes.Structure):
    """ZSTD_inBuffer, ZSTD_outBuffer."""

    _fields_ = [("at", ctypes.c_char_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


class Compressor:
    """One zstd stream for all records; each call makes one compressed record."""

    def __init__(self):
        self.zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
        self.zstd.ZSTD_createCStream.restype = ctypes.c_void_p
        self.stream = ctypes.c_void_p(self.zstd.ZSTD_createCStream())
        self.zstd.ZSTD_initCStream(self.stream, 1)

    def __call__(self, data):
        space = ctypes.create_string_buffer(65000)
        to = Buffer(ctypes.cast(space, ctypes.c_char_p), 65000, 0)
        of = Buffer(data, len(data), 0)
        self.zstd.ZSTD_compressStream(self.stream, ctypes.byref(to), ctypes.byref(of))
        self.zstd.ZSTD_flushStream(self.stream, ctypes.byref(to))
        assert of.pos == of.size
        return record(81, space.raw[: to.pos])


data = b""
# type, reserved, then: pmu, time shift, mult, zero, cap; tsc bit, noretcomp bit,
# sched switch, snapshot, per cpu mmaps, mtc bit, mtc freq bits, tsc:ctc n, d, cyc bit,
# max non-turbo ratio, filter length.
data += record(70, struct.pack(
    "<II17Q", 1, 0, PMU, conversion["timeShift"], conversion["timeMult"],
    int(conversion["timeZero"], 0), 1, 1 << 10, 1 << 11, 3, 0, 1, 1 << 9, 0xF << 14,
    0, 0, 1 << 1, 13, 0))
data += record(69, struct.pack("<Q8Q", 2, PT_ID, 0, CPU, 2**64 - 1, DUMMY_ID, 1, CPU, 2**64 - 1))
data += record(73, struct.pack("<QQ16s", 1, pid, b"perf"))
data += record(74, struct.pack("<HHHxx", 0, 1, CPU))
# The kernel, and what perf was before it became the program.
data += record(1, struct.pack("<IIQQQ", 2**32 - 1, 0, 0xFFFFFFFF81000000, 1 << 24,
                              0xFFFFFFFF81000000) + padded("[kernel.kallsyms]_text")
               + ids(0, (0, 0)), misc=1)
data += record(3, struct.pack("<II", pid, tid) + padded("perf-exec") + ids())
data += record(3, struct.pack("<II", pid, tid) + padded("program") + ids(), misc=1 << 13)
for line in open(os.path.join(bundle, "segments.txt")):
    fields = re.match(r"(0x\w+) (0x\w+) (0x\w+) (.*)", line)
    if not fields:
        continue
    start, size, offset = (int(fields[n], 16) for n in (1, 2, 3))
    name = os.path.join(bundle, fields[4])
    # major, minor, inode, generation; PROT_READ | PROT_EXEC, MAP_PRIVATE
    data += record(10, struct.pack("<IIQQQIIQQII", pid, tid, start, size, offset, 8, 1,
                                   4711, 0, 5, 2) + padded(name) + ids(), misc=2)
data += record(12, struct.pack("<II", pid, tid) + ids())
data += record(15, struct.pack("<II", 0, 0) + ids())
compress = Compressor() if "--compress" in sys.argv else None
if compress:
    # What came from ring buffers; two records of it, cut anywhere.
    begin = data.index(padded("perf-exec")) - 16
    kernel = data[begin:]
    data = data[:begin] + compress(kernel[:100]) + compress(kernel[100:])
data += record(68, b"")
index = []
step = len(packets) // 24 * 8 + 8
for at in range(0, len(packets), step):
    part = packets[at : at + step]
    part += b"\0" * (-len(part) % 8)
    # The size of an AUXTRACE record does not count the packets behind it.
    data += record(11, struct.pack("<QQQ", at, len(part), 0) + ids(PT_ID))
    index.append((len(data), 48))
    data += record(71, struct.pack("<QQQIIII", len(part), at, 0, 0, 2**32 - 1, CPU, 0))
    data += part
    clock += 1000
data += record(15, struct.pack("<II", 0, 0) + ids(), misc=1 << 13)
data += record(4, struct.pack("<IIIIQ", pid, pid, tid, tid, clock) + ids())
data += record(68, b"")

HEADER, ATTRIBUTE = 104, 144
ids_at = HEADER + 2 * ATTRIBUTE
data_at = ids_at + 16
SAMPLE_ID_ALL, MMAP, COMM, MMAP2, COMM_EXEC, SWITCH = (1 << n for n in (18, 8, 9, 23, 24, 26))
attributes = attribute(PMU, 0x300E601, SAMPLE_ID_ALL | 1 << 5 | 1 << 6, ids_at)
attributes += attribute(1, 9, SAMPLE_ID_ALL | MMAP | COMM | MMAP2 | COMM_EXEC | SWITCH, ids_at + 8)


def string(text):
    body = padded(text, 64)
    return struct.pack("<I", len(body)) + body


features = {  # by bit
    2: b"".join(
        record(0, struct.pack("<I20sB3x", pid, id, len(id)) + padded(file, 64), misc=2 | 1 << 15)
        for file, id in build_ids.items()),
    3: string("host"),
    6: string("x86_64"),
    9: string("GenuineIntel,%(family)d,%(model)d,%(stepping)d" % description["cpuInfo"]),
    18: struct.pack("<Q", len(index))
    + b"".join(struct.pack("<QQ", data_at + at, size) for at, size in index),
}
if compress:  # version, zstd, level, ratio, length of a buffer
    features[27] = struct.pack("<5I", 1, 1, 1, 4, 1 << 19)
out = b"PERFILE2" + struct.pack(
    "<QQQQQQQQ4Q", HEADER, ATTRIBUTE, HEADER, len(attributes), data_at, len(data), 0, 0,
    sum(1 << bit for bit in features), 0, 0, 0)
out += attributes + struct.pack("<QQ", PT_ID, DUMMY_ID) + data
at = len(out) + 16 * len(features)
for bit in sorted(features):
    out += struct.pack("<QQ", at, len(features[bit]))
    at += len(features[bit])
open(path, "wb").write(out + b"".join(features[bit] for bit in sorted(features)))
