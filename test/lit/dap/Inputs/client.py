"""Stops, frames, variables, and the way back from the console."""
from protocol import arguments, attach, console, disconnect, request, stack, stopped, variables

plugin, trace, index, image = arguments
thread = attach(
    [
        "plugin load " + plugin,
        "rewind load %s --index %s --image %s" % (trace, index, image),
    ],
    ["audit_failed"],
)
request("continue", threadId=thread)
thread = stopped("function breakpoint")
frames = stack(thread)
print("variable should_be =", variables(frames[0], "Locals")["should_be"])
console("reverse-finish")
thread = stopped("reverse-finish")
stack(thread)
console("rewind goto start")
stopped("goto")
console("process continue -R")
stopped("process continue -R")
disconnect()
