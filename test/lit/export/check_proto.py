"""check_proto.py profile|timeline <file>: what protoc made of an export, as it
should be. A field that protoc does not know is an error."""
import re
import sys


def message(lines):
    """protoc's text as {field: [values]}, to the closing brace or the end."""
    fields = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        opened = re.fullmatch(r"(\w+) \{", line)
        if opened:
            fields.setdefault(opened[1], []).append(message(lines))
            continue
        name, value = re.fullmatch(r"(\w+): (.*)", line).groups()
        assert not name.isdigit(), "protoc knows no field " + line
        if value.startswith('"'):
            value = eval("b" + value).decode()
        elif re.fullmatch(r"-?\d+", value):
            value = int(value)
        fields.setdefault(name, []).append(value)
    assert not any(name.isdigit() for name in fields), fields.keys()
    return fields


def check_profile(profile):
    strings = profile["string_table"]
    assert strings[0] == ""
    units = [
        (strings[t["type"][0]], strings[t["unit"][0]]) for t in profile["sample_type"]
    ]
    calls, instructions = units.index(("calls", "count")), units.index(("instructions", "count"))
    assert strings[profile["default_sample_type"][0]] == "instructions"
    assert ("bytes-read", "bytes") in units and ("time", "count") in units, units
    mapping = profile["mapping"][0]
    assert strings[mapping["filename"][0]].endswith("/sample.elf"), mapping
    assert mapping["has_line_numbers"] == ["true"], mapping
    functions = {f["id"][0]: strings[f["name"][0]] for f in profile["function"]}
    locations = {
        place["id"][0]: functions[place["line"][0]["function_id"][0]]
        for place in profile["location"]
    }
    stacks = {}
    for sample in profile["sample"]:
        assert len(sample["value"]) == len(units)
        stack = tuple(locations[number] for number in sample["location_id"])
        stacks[stack] = sample["value"]
    assert len(stacks) == len(profile["sample"]), "a chain of callers comes twice"
    total = sum(values[instructions] for values in stacks.values())
    entered = sum(values[calls] for stack, values in stacks.items() if stack[0] == "find")
    print("%d stacks, %d instructions, %d calls of find" % (len(stacks), total, entered))
    print("find is called by", *sorted({stack[1] for stack in stacks if stack[0] == "find"}))


def check_timeline(trace):
    """Slices nest on each track, and time goes forward."""
    names, categories, keys = {}, {}, {}
    tracks, open_slices, last, slices = {}, {}, {}, 0
    for packet in trace["packet"]:
        assert packet["trusted_packet_sequence_id"] == [1]
        for data in packet.get("interned_data", []):
            for table, entries in ((names, "event_names"), (categories, "event_categories"),
                                   (keys, "debug_annotation_names")):
                for entry in data.get(entries, []):
                    table[entry["iid"][0]] = entry["name"][0]
        for track in packet.get("track_descriptor", []):
            tracks[track["uuid"][0]] = track
            parent = track.get("parent_uuid")
            assert not parent or parent[0] in tracks
            if "sibling_order_rank" in track:
                assert tracks[parent[0]]["child_ordering"] == ["EXPLICIT"], track
        for event in packet.get("track_event", []):
            track, time = event["track_uuid"][0], packet["timestamp"][0]
            assert track in tracks and time >= last.get(track, 0)
            last[track] = time
            stack = open_slices.setdefault(track, [])
            if event["type"] == ["TYPE_SLICE_BEGIN"]:
                slices += 1
                stack.append(names[event["name_iid"][0]])
                assert categories[event["category_iids"][0]] in (
                    "call", "exception", "block", "function", "loop"), event
                annotations = {keys[a["name_iid"][0]] for a in event["debug_annotations"]}
                assert "position" in annotations, event
            elif event["type"] == ["TYPE_SLICE_END"]:
                stack.pop()
    assert not any(open_slices.values()), "slices without an end"
    print("%d tracks, %d slices" % (len(open_slices), slices))
    ranked = [track for track in tracks.values() if "sibling_order_rank" in track]
    for track in sorted(ranked, key=lambda track: track["sibling_order_rank"]):
        print(track["name"][0])


with open(sys.argv[2]) as file:
    parsed = message(iter(file.read().splitlines()))
{"profile": check_profile, "timeline": check_timeline}[sys.argv[1]](parsed)
