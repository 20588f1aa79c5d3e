"""GDB on a recording, for scripts that run inside of it:

    %gdb -batch -x script.py -ex "python main('%rewind', 'x.tarmac', ...)" 2>&1
"""

import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import gdb

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../.."))
from until import listens, until


def run(command, fails=False):
    """What a command says, or what its error says."""
    try:
        text = gdb.execute(command, to_string=True)
    except gdb.error as error:
        assert fails, "%s: %s" % (command, error)
        return str(error)
    assert not fails, "%s did not fail: %s" % (command, text)
    return text


def connect(rewind, trace, index, *images, options=""):
    """Loads the first image, if there is one, and connects: over a socket, since GDB asks
    for errors of a command behind each character that it reads of it."""
    for setting in ("pagination off", "confirm off", "width 0", "debuginfod enabled off"):
        run("set " + setting)
    if images:
        run("file " + images[0])
    given = " ".join("-i " + image for image in images)
    folder = tempfile.mkdtemp()
    socket = os.path.join(folder, "socket")
    server = subprocess.Popen(shlex.split("%s serve --listen unix:%s %s -q --index %s %s %s" % (rewind, socket, trace, index, given, options)))

    def leave():
        server.kill()
        server.wait()
        shutil.rmtree(folder)

    atexit.register(leave)
    until(lambda: listens(socket) or server.poll() is not None, "a server")
    return run("target remote " + socket)


def position():
    return int(gdb.parse_and_eval("$rewind_position"))


def pc():
    return int(gdb.parse_and_eval("(unsigned long)$pc"))


last = None  # the last stop


def remember(event):
    global last
    last = event


gdb.events.stop.connect(remember)


def end():
    return int(gdb.parse_and_eval("$rewind_end"))


def go(command):
    """Runs; whether a breakpoint or watchpoint has stopped it. What GDB prints of
    a stop goes to its standard output, whatever to_string is. To its Python the
    end of the history may be one more hit of the last watchpoint."""
    run(command)
    return isinstance(last, gdb.BreakpointEvent) and position() not in (0, end())


def collect(command):
    """Runs until the recording ends. Where it stopped."""
    found = []
    while go(command):
        found.append(position())
    return found


def jump(place):
    run("monitor rewind goto " + place)
    run("maintenance flush register-cache")


def accesses(path, address, size=1):
    """The accesses of memory that the text of a Tarmac trace shows: position,
    "R" or "W"."""
    found, count = [], -1
    for line in open(path):
        words = line.split()
        if len(words) < 4 or words[1] != "clk":
            continue
        if words[2] in ("IT", "IS"):
            count += 1
        elif re.fullmatch(r"M[RW]\d+", words[2]):
            start, length = int(words[3].split(":")[0], 16), int(words[2][2:])
            if start < address + size and address < start + length:
                found.append((count, words[2][1]))
    return found


def visits(path, address):
    """The positions at which an address was executed."""
    found, count = [], -1
    for line in open(path):
        words = line.split()
        if len(words) > 4 and words[1] == "clk" and words[2] in ("IT", "IS"):
            count += 1
            if int(words[4].split(":")[0], 16) == address:
                found.append(count)
    return found
