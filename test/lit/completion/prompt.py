"""A program on a terminal of 50 lines, whose screen is looked at."""
import os
import time

import pexpect
import pyte


class Prompt:
    def __init__(self, command, environment, prompt):
        self.prompt = prompt
        self.child = pexpect.spawn(
            command[0], command[1:], dimensions=(50, 170), env=environment, timeout=60
        )
        self.screen = pyte.Screen(170, 50)
        self.stream = pyte.ByteStream(self.screen)

    def read(self, seconds):
        try:
            self.stream.feed(self.child.read_nonblocking(65536, timeout=seconds))
            return True
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def send(self, text):
        self.child.send(text)

    def ready(self):
        """Whether the cursor stands at a prompt with nothing typed behind it."""
        line = self.screen.display[self.screen.cursor.y].rstrip()
        return line == self.prompt.rstrip() and self.screen.cursor.x == len(self.prompt)

    def cleared(self):
        """A prompt, and nothing else."""
        return self.ready() and self.text().strip() == self.prompt.rstrip()

    def until(self, holds, seconds=60):
        """Whether the screen comes to be so, the longer the load is high the later."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                return False
            self.read(0.2)
        return True

    def wait(self, *wanted, seconds=60):
        """Whether all of that comes to the screen."""
        return self.until(lambda: all(w in self.text() for w in wanted), seconds)

    def close(self):
        self.child.close(force=True)


def environment(**more):
    return {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **more}
