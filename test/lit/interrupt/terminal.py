"""LLDB at a terminal, as a user has it."""
import os
import pty
import re
import select
import termios
import time


class Terminal:
    def __init__(self, lldb, term="dumb"):
        # `timeout -k 5 240` would take the debugger away from the terminal, and
        # kill it some seconds after a Ctrl-C.
        if os.path.basename(lldb[0]) == "timeout":
            lldb = lldb[4:]
        self.child, self.fd = pty.fork()
        if self.child == 0:
            # Else a Ctrl-C takes away what has been written and not been read yet.
            modes = termios.tcgetattr(0)
            modes[3] |= termios.NOFLSH
            termios.tcsetattr(0, termios.TCSANOW, modes)
            os.environ["TERM"] = term
            os.execvp(lldb[0], lldb)
        self.seen = b""
        self.settled = 0
        self.expect(rb"\(lldb\) ")

    def expect(self, pattern, seconds=60):
        """Reads until the pattern comes; returns what came until then."""
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.seen, re.S)
            if found:
                text, self.seen = self.seen[: found.end()], self.seen[found.end() :]
                return text
            assert time.monotonic() < end, (pattern, self.seen)
            if select.select([self.fd], [], [], 1)[0]:
                self.seen += os.read(self.fd, 65536)

    def send(self, line):
        os.write(self.fd, line.encode() + b"\r")

    def ask(self, line):
        self.send(line)
        return self.expect(rb"\(lldb\) ")

    def settle(self, line):
        """What comes until all of it has been done, by LLDB's own thread, too:
        where a prompt is drawn several times."""
        self.settled += 1
        self.send(line)
        self.send("script print('settled', %d)" % self.settled)
        return self.expect(rb"settled %d" % self.settled)

    def rest(self, seconds):
        """For so long, and reads what comes."""
        end = time.monotonic() + seconds
        while select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
            self.seen += os.read(self.fd, 65536)

    def interrupt(self):
        os.write(self.fd, b"\x03")

    def calm(self):
        """Until LLDB has taken all that was typed: a Ctrl-C that it takes late, when
        nothing runs any more, takes the line away that is typed after it."""
        while True:
            self.settled += 1
            self.send("script print('calm', %d)" % self.settled)
            self.rest(0.5)
            if b"calm %d" % self.settled in self.seen:
                return

    def quit(self):
        """Returns the exit status."""
        self.settle("settings set auto-confirm true")
        self.send("quit")
        while True:
            child, status = os.waitpid(self.child, os.WNOHANG)
            if child:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    os.read(self.fd, 65536)
                except OSError:
                    pass
