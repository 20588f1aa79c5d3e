"""A page of `rewind view` beside an IDE: each goes where the other does."""
import json
import os
import sys
import time

from protocol import arguments, attach, console, disconnect, event, request, stopped

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "view"))
from viewer import Served  # noqa: E402

plugin, trace, index, image = arguments
thread = attach(["plugin load " + plugin, "rewind load %s --index %s --image %s" % (trace, index, image)], ["audit_failed"])
url = json.loads(console("rewind view --no-open --json")["result"])["url"]
page = Served(url).page()
now = page.ask("hello")["debugger"]
# What the IDE does moves the page.
request("continue", threadId=thread)
thread = stopped("function breakpoint")
now = page.news()
assert now["at"] == page.ask("hello")["debugger"]["at"] > 0, now
at_breakpoint = now["at"]
# A click in the page is a stop in the IDE.
slowest = 0
for step, to in enumerate([31408, 7, at_breakpoint, 60000], 1):
    begun = time.monotonic()
    answer = page.ask("go", thread=1, at=to, revision=now["revision"], by=step)
    assert "error" not in answer, answer
    body = event("stopped")["body"]
    slowest = max(slowest, time.monotonic() - begun)
    now = page.news()
    assert now["at"] == to and now["by"] == step, now
    assert "page of rewind view" in body.get("description", ""), body
    assert request("stackTrace", threadId=body["threadId"])["stackFrames"]
    request("next", threadId=body["threadId"])
    event("stopped")
    now = page.news()
    assert now["at"] > to and "by" not in now, now
print("4 clicks are stops")
sys.stderr.write("slowest: %.0f ms\n" % (1e3 * slowest))
disconnect()
