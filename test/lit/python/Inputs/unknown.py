"""A trace without values: unknown is None, never 0.

unknown.py <rewind> <plugin> <dump>"""

import sys

import lldb
import rewind

program, plugin, dump = sys.argv[1:]
debugger = lldb.SBDebugger.Create()
for trace in (rewind.open(dump, program=program), rewind.load(debugger, dump, plugin=plugin)):
    info = trace.info()
    assert not info.capabilities.registers and not info.capabilities.memory_values, info
    assert info.lines is None and info.first_time is None, info
    unknown = set()
    for row in trace.list("start", count=200):
        for name, value in row.registers.items():
            if name not in row.inferred:
                assert value is None or value.integer is None, row
                unknown.add(name)
        assert all(m.value is None or m.inferred or m.value.integer is None for m in row.memory), row
    assert unknown
    writes = [w for name in unknown if "[" not in name for w in trace.history(name) if not w.inferred]  # some follow from the code
    assert len(writes) > 20, unknown
    for write in writes:
        assert write.line is None and write.function is None
        assert write.new is None or (None in write.new.bytes and write.new.integer is None), write
    # What could not be decided is counted; so is what is only counted.
    pc = next(iter(trace.list("start", count=1))).pc
    visits = trace.find(pc)
    assert visits.unknown is None and visits.how_many is None and len(visits), visits
    undecided = trace.find(pc, if_="$f31 == 5")
    assert not len(undecided) and undecided.unknown == len(visits), undecided
    assert trace.find(pc, how_many=True).how_many == len(visits)
print("unknown is None")

Value = rewind.Value
assert Value("0x00??ab").integer is None and Value("0x00??ab").bytes == (0, None, 0xAB)
assert Value("0x00ab").integer == 0xAB and Value("7").integer == 7 and Value("0x0").known
wide = Value(" ".join(["01"] * 32))
assert wide.known and wide.integer is None and wide.bytes == (1,) * 32
print("values")
