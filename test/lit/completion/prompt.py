"""A program on a terminal of 50 lines, whose screen is looked at."""
import os
import time

import pexpect
import pyte


class Prompt:
    def __init__(self, command, environment):
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

    def wait(self, *wanted, seconds=60):
        """Whether all of that comes to the screen, the longer the load is high
        the later."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if all(w in self.text() for w in wanted):
                return True
            self.read(0.2)
        return False

    def settle(self):
        """Nothing more comes for a while."""
        while self.read(0.4):
            pass

    def close(self):
        self.child.close(force=True)


def environment(**more):
    return {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **more}
