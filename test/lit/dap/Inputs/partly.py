"""What the watches, hovers and the console say of a structure known in part."""
from protocol import arguments, attach, disconnect, request, stack, stopped, variables

plugin, trace, index, image = arguments
thread = attach(["plugin load " + plugin, "rewind load %s --index %s --image %s" % (trace, index, image)], ["look"])
request("continue", threadId=thread)
frame = stack(stopped("function breakpoint"))[0]
for context in ("watch", "hover", "repl"):
    for text in ("*(item *)p", "*i", "i->b + 0.5"):
        body = request("evaluate", expression=text, context=context, frameId=frame["id"])
        result = body["result"]
        if body["variablesReference"]:
            parts = request("variables", variablesReference=body["variablesReference"])["variables"]
            result = "{" + ", ".join("%s = %s" % (v["name"], v["value"]) for v in parts) + "}"
        print("%s %s: %s" % (context, text, result))
disconnect()
