"""live_steps.py <plugin> <trace> <image> <index> <qemu> <steps> <function>: random
steps of a recording, from main or a function, end where those of the same program
end that LLDB debugs in QEMU: in the same function, line and inlined call, at the
same pc."""
import json
import os
import random
import subprocess
import sys
import tempfile

import lldb
from until import listens, until

plugin, trace, image, index, qemu, steps, function = sys.argv[1:]


class Debugger:
    def __init__(self, start):
        self.debugger = lldb.SBDebugger.Create()
        self.debugger.SetAsync(False)
        self.load()
        self.process = self.debugger.GetSelectedTarget().GetProcess()
        self.run("breakpoint set -n " + start)
        self.run("continue")

    def run(self, command):
        result = lldb.SBCommandReturnObject()
        self.debugger.GetCommandInterpreter().HandleCommand(command, result)
        assert result.Succeeded(), command + ": " + (result.GetError() or "")
        return result.GetOutput() or ""

    def stop(self):
        """The frames from the pc's to main's: function, line, inlined, pc."""
        if self.process.GetState() != lldb.eStateStopped:
            return None
        frames = []
        for f in self.process.GetSelectedThread():
            frames.append((f.GetFunctionName(), f.GetLineEntry().GetLine(), f.IsInlined(), f.GetPC()))
            if frames[-1][0] == "main":
                return frames
        return None  # behind the end of main


class Recording(Debugger):
    def load(self):
        self.run("plugin load " + plugin)
        self.run("rewind load %s --image %s --index %s" % (trace, image, index))
        self.run("target stop-hook disable")

    def position(self):
        return json.loads(self.run("rewind where --json"))["position"]


class Live(Debugger):
    def load(self):
        folder = tempfile.mkdtemp()
        socket = os.path.join(folder, "gdb")
        self.qemu = subprocess.Popen([qemu, "-g", socket, image], stdout=subprocess.DEVNULL)
        until(lambda: listens(socket), "QEMU listens")
        try:
            self.run("target create " + image)
            self.run("process connect -p gdb-remote unix-connect://" + socket)
        finally:
            os.unlink(socket)
            os.rmdir(folder)

    def end(self):
        self.qemu.kill()
        self.qemu.wait()


random.seed(1)
verbs = ["step"] * 6 + ["next"] * 3 + ["finish"] + ["stepi"] + ["thread step-inst-over"]
taken = inlined = entered = wrong = 0
tries = 0
while taken < int(steps) and tries < 20:
    tries += 1
    start = "main" if tries % 2 else function
    recording, live = Recording(start), Live(start)
    # The first way is steps alone: through all the inlined calls.
    mine = verbs if tries > 1 else ["step"]
    before, at = recording.stop(), recording.position()
    history = []
    for _ in range(80):
        verb = random.choice(mine)
        if verb == "finish" and len(before) == 1:
            verb = "step"  # main's caller is not compared
        history.append(verb)
        recording.run(verb)
        live.run(verb)
        shown, expected = recording.stop(), live.stop()
        now = recording.position()
        if shown != expected:
            print("wrong: %s at #%d %s: #%d %s, live %s" % (history[-6:], at, before, now, shown, expected))
            wrong += 1
            break
        if not shown:
            break
        if (shown, now) == (before, at):
            print("wrong: %s at #%d %s does not move" % (verb, at, before))
            wrong += 1
        taken += 1
        inlined += shown[0][2]
        entered += now == at
        before, at = shown, now
    live.end()
    for d in recording, live:
        lldb.SBDebugger.Destroy(d.debugger)
print("%d steps, %d in inlined calls, %d only into or out of them; %d wrong" % (taken, inlined, entered, wrong))
