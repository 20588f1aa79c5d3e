"""Who runs the commands: the program `rewind`, or LLDB with the plugin."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Protocol, Sequence

from .answers import Where
from .errors import NotFound, RewindError
from .positions import Standing

if TYPE_CHECKING:
    import lldb


class Backend(Protocol):
    """Runs commands on one recording."""

    #: What is printed comes while the command runs.
    streams: bool

    def run(self, command: str, options: Sequence[str], words: Sequence[str]) -> Iterator[str]:
        """What `rewind <command>` prints, asked from where the recording stands, in
        pieces. A RewindError comes when the command has failed, after what it had
        printed."""
        ...

    def goto(self, text: str, there: Where) -> None:
        """To stand there: `text` names it, wherever one stands."""
        ...


def message(text: str) -> str:
    """An error as the command tells it, without who says it."""
    lines = text.strip().splitlines() or ["the command failed and did not say why"]
    for prefix in ("error: ", "rewind: "):
        if lines[0].startswith(prefix):
            lines[0] = lines[0][len(prefix) :]
    return "\n".join(lines)


def find_program() -> str:
    """$REWIND; the program that this module was installed with; or one in the
    path."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "bin", "rewind")
    for path in (os.environ.get("REWIND"), os.path.normpath(own), shutil.which("rewind")):
        if path and os.access(path, os.X_OK):
            return path
    raise NotFound("there is no program rewind in the path; $REWIND may name it")


class Shell:
    """Each question is a run of the program, which reads the trace's index."""

    streams = True

    def __init__(self, trace: str, load: Sequence[str], program: Optional[str]):
        self.program = program or find_program()
        self.trace = trace
        self.load = list(load)
        self.standing = Standing(self.run_as_is)

    def run(self, command: str, options: Sequence[str], words: Sequence[str]) -> Iterator[str]:
        return self.run_as_is(command, *self.standing.placed(command, options, words))

    def run_as_is(self, command: str, options: Sequence[str], words: Sequence[str]) -> Iterator[str]:
        """From the start of the trace, if neither options nor words tell from where."""
        line = [self.program, *command.split()]
        if not command.startswith("help "):
            line += ["--quiet", *self.load, *options, "--", self.trace, *words]
        # A pipe that nobody reads would stop it, so what it complains of has a file.
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            try:
                process = subprocess.Popen(
                    line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8", errors="replace"
                )
            except OSError as problem:
                raise NotFound("cannot run %s: %s" % (self.program, problem.strerror)) from None
            assert process.stdout
            try:
                while piece := process.stdout.read(1 << 16):
                    yield piece
                status = process.wait()
            finally:
                # Whoever reads may have enough before the end.
                process.stdout.close()
                if process.poll() is None:
                    process.terminate()
                process.wait()
            errors.seek(0)
            complaint = errors.read()
            # A search that finds nothing says so by its status, and is no error.
            if status < 0 or status > 1 or (status == 1 and complaint.strip()):
                raise RewindError(message(complaint))

    def goto(self, text: str, there: Where) -> None:
        self.standing.goto(text, there)


def quoted(word: str) -> str:
    """A word of one of LLDB's command lines."""
    if "\n" in word or "\0" in word:
        raise RewindError("%r has a line break, which no command takes" % word)
    return '"%s"' % "".join("\\" + c if c in '"\\`' else c for c in word)


class Debugger:
    """The recording of a target of LLDB."""

    streams = False

    def __init__(self, target: lldb.SBTarget):
        self.target = target

    def command(self, line: str) -> str:
        import lldb

        debugger = self.target.GetDebugger()
        result = lldb.SBCommandReturnObject()
        # Commands ask the selected target, and a move has ended when its command has.
        selected, asynchronous = debugger.GetSelectedTarget(), debugger.GetAsync()
        debugger.SetSelectedTarget(self.target)
        debugger.SetAsync(False)
        try:
            debugger.GetCommandInterpreter().HandleCommand(line, result)
        finally:
            debugger.SetAsync(asynchronous)
            debugger.SetSelectedTarget(selected)
        if not result.Succeeded():
            raise RewindError(message(result.GetError() or ""))
        return result.GetOutput() or ""

    def run(self, command: str, options: Sequence[str], words: Sequence[str]) -> Iterator[str]:
        return iter([self.command(" ".join(["rewind " + command, *map(quoted, options), "--", *map(quoted, words)]))])

    def goto(self, text: str, there: Where) -> None:
        self.command("rewind goto " + quoted(text))


def find_plugin(program: Optional[str] = None) -> str:
    """$REWIND_PLUGIN; or the plugin beside the program."""
    path = os.environ.get("REWIND_PLUGIN")
    if not path:
        folder = os.path.dirname(os.path.realpath(program or find_program()))
        path = os.path.normpath(os.path.join(folder, os.pardir, "lib", "librewind-lldb.so"))
    if not os.path.isfile(path):
        raise NotFound("there is no %s; $REWIND_PLUGIN may name the plugin" % path)
    return path


def load_in_debugger(debugger: lldb.SBDebugger, line: List[str], plugin: Optional[str]) -> Debugger:
    """Loads the plugin, if it is not there, and a trace."""
    import lldb

    interpreter = debugger.GetCommandInterpreter()

    def answer(command: str) -> Any:
        result: Any = lldb.SBCommandReturnObject()
        interpreter.HandleCommand(command, result)
        return result

    def run(command: str) -> None:
        result = answer(command)
        if not result.Succeeded():
            raise RewindError(message(result.GetError() or ""))

    # A plugin's group of commands is none of those that CommandExists and
    # UserCommandExists know.
    if not answer("rewind help").Succeeded():
        run("plugin load " + quoted(plugin or find_plugin()))
    asynchronous = debugger.GetAsync()
    debugger.SetAsync(False)
    try:
        run("rewind load " + " ".join(map(quoted, line)))
    finally:
        debugger.SetAsync(asynchronous)
    return Debugger(debugger.GetSelectedTarget())
