"""A trace without values: frames and steps, and nothing invented."""
from protocol import arguments, attach, console, disconnect, request, stack, stopped, variables

plugin, trace, index = arguments
thread = attach(
    ["plugin load " + plugin, "rewind load %s --index %s" % (trace, index)], ["twice"]
)
request("continue", threadId=thread)
thread = stopped("function breakpoint")
frames = stack(thread)
print("argument x =", variables(frames[0], "Locals")["x"])
for frame in frames[1:]:
    request("scopes", frameId=frame["id"])
    print("caller's f =", variables(frame, "Locals").get("f"))
request("setFunctionBreakpoints", breakpoints=[])
request("stepOut", threadId=thread)
thread = stopped("step out")
stack(thread)
request("next", threadId=thread)
thread = stopped("next")
stack(thread)
request("stepIn", threadId=thread)
thread = stopped("step in")
console("rf")
thread = stopped("reverse-finish")
stack(thread)
disconnect()
