"""An LLDB bundle of one call of a function without branches, up to its return:
straight.py <program> <function> <folder>. The program is not relocatable."""

import json
import os
import struct
import sys

import lldb

program, function, folder = sys.argv[1:4]
debugger = lldb.SBDebugger.Create()
target = debugger.CreateTarget(program)
found = target.FindFunctions(function)
assert found.GetSize() == 1, found.GetSize()
code = found[0].GetSymbol().GetInstructions(target)
first, last = (code[n].GetAddress().GetFileAddress() for n in (0, code.GetSize() - 1))
module = target.GetModuleAtIndex(0)
lowest = min(
    section.GetFileAddress()
    for section in module.section_iter()
    if section.GetPermissions() and section.GetName() == "PT_LOAD[0]"
)


def address(value):  # FUP with all of it
    return b"\xdd" + struct.pack("<Q", value)


packets = b"\x02\x82" * 8  # PSB
packets += b"\x19" + struct.pack("<Q", 1000)[:7]  # TSC
packets += b"\x99\x01" + address(first) + b"\x02\x23"  # 64-bit code, FUP, PSBEND
packets += address(last) + b"\x01"  # interrupted there: FUP, TIP.PGD
os.makedirs(folder, exist_ok=True)
open(os.path.join(folder, "1.ipt"), "wb").write(packets)
uuid = module.GetUUIDString()
json.dump(
    {
        "type": "intel-pt",
        "cpuInfo": {"vendor": "GenuineIntel", "family": 6, "model": 143, "stepping": 8},
        "processes": [
            {
                "pid": 1,
                "triple": "x86_64-*-linux",
                "threads": [{"tid": 1, "iptTrace": "1.ipt"}],
                "modules": [
                    {
                        "systemPath": os.path.abspath(program),
                        "uuid": uuid,
                        "loadAddress": hex(lowest),
                    }
                ],
            }
        ],
    },
    open(os.path.join(folder, "trace.json"), "w"),
)
print("%d instructions" % (code.GetSize() - 1))
