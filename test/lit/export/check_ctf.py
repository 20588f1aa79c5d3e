"""check_ctf.py <file>...: Chrome trace events have all that viewers ask for,
nest on each track, and go forward in time."""
import json
import sys

for path in sys.argv[1:]:
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    names, stacks, last, slices, categories = {}, {}, {}, 0, set()
    for event in events:
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                names[event["pid"], event["tid"]] = event["args"]["name"]
            continue
        track = event["pid"], event["tid"]
        assert track in names, event
        # The events of a thread come after its calls.
        order = track, event["cat"] == "event"
        assert event["ts"] >= last.get(order, 0), event
        assert event["cat"] and event["name"] and "position" in event["args"], event
        last[order] = event["ts"]
        categories.add(event["cat"])
        stack = stacks.setdefault(track, [])
        if event["ph"] == "B":
            stack.append(event)
            slices += 1
        elif event["ph"] == "E":
            begun = stack.pop()
            assert (begun["name"], begun["args"], begun["cat"]) == (
                event["name"], event["args"], event["cat"]), event
        else:
            assert event["ph"] == "i", event
    assert not any(stacks.values()), "slices without an end"
    print("%s: %d tracks, %d slices: %s"
          % (path, len(stacks), slices, " ".join(sorted(categories))))
