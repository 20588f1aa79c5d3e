"""A bundle of hand-written packets: packets.py <program> <folder> <packet>...
<tid>: begins the packets of a thread. The program lies at 0x400000."""

import json
import os
import struct
import sys

program, folder = sys.argv[1:3]


def address(header, text):  # with all of it
    return bytes([header]) + struct.pack("<Q", int(text, 16))


PACKETS = {
    "psb": lambda: b"\x02\x82" * 8 + b"\x99\x01",  # and 64-bit code
    "psbend": lambda: b"\x02\x23",
    "tsc": lambda text: b"\x19" + struct.pack("<Q", int(text))[:7],
    "fup": lambda text: address(0xDD, text),
    "tip": lambda text: address(0xCD, text),
    "pgd": lambda: b"\x01",
    "ptw": lambda text: b"\x02\x32" + struct.pack("<Q", int(text, 16)),
    "pwre": lambda text: b"\x02\x22" + struct.pack("<H", int(text, 16)),
}
threads = {}
for word in sys.argv[3:]:
    name, _, argument = word.partition("=")
    if name.endswith(":"):
        packets = threads[int(name[:-1])] = bytearray()
    else:
        packets += PACKETS[name](*([argument] if argument else []))
os.makedirs(folder, exist_ok=True)
for tid, packets in threads.items():
    with open(os.path.join(folder, "%d.ipt" % tid), "wb") as f:
        f.write(packets)
with open(os.path.join(folder, "trace.json"), "w") as f:
    json.dump(
        {
            "type": "intel-pt",
            # Raptor Lake, which libipt 2.0 does not know.
            "cpuInfo": {"vendor": "GenuineIntel", "family": 6, "model": 183, "stepping": 1},
            "processes": [
                {
                    "pid": 1,
                    "triple": "x86_64-*-linux",
                    "threads": [{"tid": t, "iptTrace": "%d.ipt" % t} for t in threads],
                    "modules": [
                        {"systemPath": os.path.abspath(program), "loadAddress": "0x400000"}
                    ],
                }
            ],
        },
        f,
    )
