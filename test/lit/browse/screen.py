"""`rewind browse` on a terminal that is a program: keys in, screen out."""
import array
import fcntl
import os
import re
import signal
import sys
import termios
import time

import pexpect
import pyte

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from until import pending, until

KEYS = {
    "Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D", "Home": "\x1b[H", "End": "\x1b[F",
    "PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "Tab": "\t", "Shift-Tab": "\x1b[Z", "Return": "\r", "Esc": "\x1b",
    "Backspace": "\x7f", "Delete": "\x1b[3~", "F1": "\x1bOP", "F6": "\x1b[17~", "F7": "\x1b[18~", "F8": "\x1b[19~", "F10": "\x1b[21~",
    "Alt-Left": "\x1b[1;3D", "Alt-Right": "\x1b[1;3C",
}


def bytes_of(key):
    """What a terminal sends for "Ctrl-L", "PgUp", "q"."""
    if key.startswith("Ctrl-"):
        return chr(ord(key[5]) & 0x1F)
    return KEYS.get(key, key)


class Screen:
    def __init__(self, rewind, *arguments, size=(80, 24), term="xterm-256color", **environment):
        variables = {"LC_ALL": "C.UTF-8", **os.environ, "TERM": term, **environment}
        variables.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
        width, height = size
        self.screen = pyte.Screen(width, height)
        # pyte takes the sequence that sets a colour scheme for text.
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.child = pexpect.spawn(rewind, ["browse", *arguments], env=variables, dimensions=(height, width), timeout=20)
        self.child.delaybeforesend = None
        self.child.ptyproc.delayafterclose = 0
        assert self.read(20) or self.ended, "it draws nothing"
        self.finish()

    def __del__(self):
        """Without the pauses that pexpect makes after each gentle signal."""
        if hasattr(self, "child") and self.child.isalive():
            self.child.kill(signal.SIGKILL)
            self.child.wait()

    def read(self, seconds):
        """What comes in that time; False if nothing does."""
        try:
            data = self.child.read_nonblocking(65536, seconds)
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            self.ended = True
            return False
        self.raw += data
        self.stream.feed(data)
        return True

    ended = False

    def taken(self):
        """How many bytes it has read, of files and of keys."""
        try:
            with open("/proc/%d/io" % self.child.pid) as f:
                return int(re.match(r"rchar: (\d+)", f.read()).group(1))
        except (OSError, AttributeError):
            return self.wanted

    wanted = 0

    def send(self, text):
        """A terminal hands over what is typed when it comes to it."""
        self.wanted = self.taken() + len(text.encode())
        self.child.send(text)

    def idle(self):
        """(whether it waits for keys and has taken all, its processor time)"""
        spent, asleep = 0, True
        left = array.array("i", [0])
        try:
            process = "/proc/%d/" % self.child.pid
            for task in os.listdir(process + "task"):
                with open(process + "task/" + task + "/stat") as f:
                    asleep = asleep and f.read().rsplit(")", 1)[1].split()[0] == "S"
                with open(process + "task/" + task + "/schedstat") as f:
                    spent += int(f.read().split()[0])
            fd = os.open(process + "fd/0", os.O_RDONLY | os.O_NOCTTY)
            try:
                fcntl.ioctl(fd, termios.FIONREAD, left)
            finally:
                os.close(fd)
        except (OSError, IndexError):
            return True, 0
        return asleep and left[0] == 0 and self.taken() >= self.wanted, spent

    def finish(self, seconds=30):
        """Until all keys are taken and drawn."""
        end = time.monotonic() + seconds
        before, times = None, 0
        while time.monotonic() < end and not self.ended:
            now = self.idle()
            if self.read(0.005):
                before = None
                continue
            times = times + 1 if now[0] and now == before else 0
            if times == 2:
                return
            before = now
        assert self.ended, "it is not done after %d s" % seconds

    def strike(self, keys):
        self.send("".join(map(bytes_of, keys)))
        if keys[-1] == "Esc":
            time.sleep(0.05)  # it waits so long for more of the key
        self.finish()

    def press(self, *keys):
        """Keys one after the other: "Down", "Ctrl-L", "q"; the screen then."""
        for key in keys:
            self.strike([key])
        return self.lines()

    def type(self, key, text):
        """A key that asks, what is typed, Return."""
        return self.press(key, *([text] if text else []), "Return")

    def hurry(self, keys):
        """The keys at once, and what is on the screen when all are done."""
        self.raw = b""
        self.strike(keys)
        return self.lines()

    def redrawn(self, seconds=20):
        """Whether all of the screen was drawn since the keys; waits for it."""
        while not re.search(rb"\x1b\[H\x1b\[2?J", self.raw):
            if not self.read(seconds):
                return False
        self.finish()
        return True

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def resize(self, width, height):
        self.screen.resize(height, width)
        self.child.setwinsize(height, width)
        until(lambda: not pending(self.child.pid, signal.SIGWINCH), "it hears of its size")
        self.finish()

    def bottom(self):
        return self.lines()[-1]

    def status(self, pane="Trace"):
        """The line under a pane."""
        for line in self.lines():
            found = re.match(r"(?:.*[│|])?[> ] " + re.escape(pane) + "  (.*)", line)
            if found:
                return found.group(1)
        return None

    def position(self):
        return int(re.search(r"#([\d,]+) of", self.status()).group(1).replace(",", ""))

    def rows(self):
        """Positions of the instructions that are to be seen."""
        return [int(n) for n in re.findall(r"^[-+ ] +#(\d+) ", self.text(), re.M)]

    def look(self, y, x):
        """(colour, bold, reverse, underscore) of a character."""
        cell = self.screen.buffer[y][x]
        return cell.fg, cell.bold, cell.reverse, cell.underscore

    def find(self, text):
        """(y, x) of a text on the screen."""
        for y, line in enumerate(self.screen.display):
            if text in line:
                return y, line.index(text)
        raise AssertionError("%r is not on the screen:\n%s" % (text, self.text()))

    def quit(self):
        """q, and the exit status."""
        self.child.send("q")
        self.child.expect(pexpect.EOF)
        self.child.wait()
        self.child.close()
        return self.child.exitstatus


if __name__ == "__main__":  # screen.py <rewind> <width>x<height> <arguments> -- <keys>: prints the screen
    rest = sys.argv[3:]
    at = rest.index("--")
    w, h = map(int, sys.argv[2].split("x"))
    s = Screen(sys.argv[1], *rest[:at], size=(w, h))
    for k in rest[at + 1:]:
        s.press(k)
    print(s.text())
    s.child.terminate(force=True)
