"""Positions that count from where one stands, for the program `rewind`: each run
of it stands at the start of the trace.

It takes what does not depend on that ("3:#1584", "2:end"), so the rest is made of
these: distances, the caller and its kin, what is of the current thread, and where
a question starts if it does not tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple

from . import reader
from .answers import Where
from .errors import RewindError

#: Runs a command as it is given.
Run = Callable[[str, Sequence[str], Sequence[str]], Iterator[str]]

_BLANKS = " \t\n\v\f\r"
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]([0-9a-fA-F_]*[0-9a-fA-F])?|[0-9]([0-9_]*[0-9])?|[0-9][0-9_]{0,2}(,[0-9]{3})+")
_OF_CALL = {"caller": "calls parent", "entry": "calls enter", "return": "calls leave"}
#: Of the current thread, if none is named. Others are bookmarks and lines.
_OF_THREAD = re.compile(r"start|end|t:.*|.+%|#?[0-9].*", re.S)
#: What stands at a moment that need not be that of an instruction of its thread.
_MOMENT = re.compile(r"end|100(\.0*)?%|t:[^+-]*", re.S)
_HERE = re.compile(r"[+-]0+")


def _number(text: str) -> Optional[int]:
    """As the commands read it."""
    if not _NUMBER.fullmatch(text):
        return None
    digits = text.replace(",", "").replace("_", "").lower()
    number = int(digits, 16 if digits.startswith("0x") else 10)
    return number if number < 1 << 64 else None


def _is_address(text: str, of_code: bool) -> bool:
    """Of what may be a place of the code as well."""
    return of_code and text.strip(_BLANKS)[:2].lower() == "0x"


def _of_thread(text: str) -> Tuple[Optional[str], str]:
    """The thread that a position names, and the position in it."""
    text = text.strip(_BLANKS)
    if ":" not in text or text.startswith(("t:", "l:")):
        return None, text
    thread, rest = text.rsplit(":", 1)
    if thread.endswith((":t", ":l")):
        rest = text[len(thread) - 1 :]
        thread = thread[:-2]
    return thread, rest.strip(_BLANKS)


def _distance(text: str) -> Optional[Tuple[str, int]]:
    """What a distance counts from ("": from here), and the distance."""
    cut = max(text.rfind("+"), text.rfind("-"))
    number = _number(text[cut + 1 :].strip(_BLANKS) if cut else text[1:]) if cut >= 0 else None
    if number is None:
        return None
    return text[:cut].strip(_BLANKS), -number if text[cut] == "-" else number


def moment(text: str, there: Where) -> str:
    """A place that was gone to by `text`, as commands take it wherever they stand.
    The end of a trace, or a time, is not that of the thread's next instruction."""
    thread, rest = _of_thread(text)
    if thread is None and _HERE.fullmatch(rest):
        return "%d:+0" % there.thread
    return "%d:%s" % (there.thread, rest) if _MOMENT.fullmatch(rest) else there.at


@dataclass(frozen=True)
class _Stand:
    """A thread at a moment."""

    text: str  #: as commands take it, with its thread
    thread: int
    position: int
    of: int  #: instructions of the thread


@dataclass(frozen=True)
class _Signature:
    """What a command takes, as its help tells it."""

    name: str = ""
    words: Tuple[str, ...] = ()
    options: FrozenSet[str] = frozenset()
    positions: FrozenSet[str] = frozenset()  #: options whose value is one
    places: FrozenSet[str] = frozenset()  #: or a place of the code


class Standing:
    """Where a recording stands. `run` asks the program."""

    #: The start, which is at no thread's instruction but at the first of all.
    _START = "1:+0"

    def __init__(self, run: Run):
        self._run = run
        self._here: Optional[_Stand] = None
        self._signatures: Dict[str, _Signature] = {}

    def goto(self, text: str, there: Where) -> None:
        """To stand where `text`, a moment(), is."""
        if not text.endswith(":+0"):
            self._here = _Stand(text, there.thread, there.position, there.of)

    def placed(self, command: str, options: Sequence[str], words: Sequence[str]) -> Tuple[List[str], List[str]]:
        """Options and words for the program that ask what these ask from here."""
        takes = self._signature(command)
        given = dict(option[2:].partition("=")[::2] for option in options)
        thread = given.get("thread")
        # Those of a slice count from its --at.
        leave = ("from", "to") if takes.name == "slice" else ()
        placed: List[str] = []
        for option in options:
            name, equals, value = option[2:].partition("=")
            if equals and name in takes.positions and name not in leave and not _is_address(value, name in takes.places):
                named, rest = _of_thread(value)
                if self._here and _HERE.fullmatch(rest) and self._is_moment(takes, name):
                    # Another thread stands at this moment, not at its next instruction.
                    value = self._here.text
                    if name == "at" and named and thread is None and takes.name != "find":
                        placed.append("--thread=" + named)
                option = "--%s=%s" % (name, self._absolute(value, thread))
            placed.append(option)
        words = list(words)
        told = False
        for i, wanted in enumerate(takes.words[: len(words)]):
            if "position" in wanted:
                location = "location" in wanted
                words[i] = self._word(words[i], thread, location and given)
                told |= not location
        # A list is of the whole trace; --at of a list is that of a location.
        if "at" in takes.positions and "at" not in given and not told and (takes.name != "list" or "writes" in given):
            placed.append("--at=" + self._text())
        elif "at" not in takes.positions and takes.words[len(words) :] == ("[<position>]",):
            words.append(self._text())
        return placed, words

    @staticmethod
    def _is_moment(takes: _Signature, option: str) -> bool:
        """Whether an option's position is a moment of all threads: --thread, or
        nothing, tells whose."""
        return "thread" in takes.options and takes.name != "htr dump" and (takes.name, option) != ("list", "at")

    def _text(self) -> str:
        return self._here.text if self._here else self._START

    def _ask(self, command: str, options: Sequence[str], words: Sequence[str]) -> Dict[str, Any]:
        answer: Dict[str, Any] = reader.whole(self._run(command, ["--json", *options], words))
        return answer

    def _signature(self, command: str) -> _Signature:
        known = self._signatures.get(command)
        if known:
            return known
        try:
            text = "".join(self._run("help " + command, (), ()))
        except RewindError:
            text = ""  # the command itself says what is wrong with it
        usage = re.search(r"^Usage: rewind (.+?) <trace> ?(.*?) ?\[options\]$", text, re.M)
        takes = _Signature()
        if usage:
            positions, places = (frozenset(re.findall(r"^ .*--(\S+) <%s>  " % what, text, re.M)) for what in ("position", "place"))
            options = frozenset(re.findall(r"^ .*--([a-z-]+) ", text, re.M))
            takes = _Signature(usage[1], tuple(usage[2].split()), options, positions | places, places)
        self._signatures[command] = takes
        return takes

    def _word(self, word: str, thread: Optional[str], location: Any) -> str:
        """An argument that may be a position, or, with the options `location`, the
        name of a location, which it is before it is a position."""
        if "@" in word:  # an activation of the current thread
            return "%d:%s" % (self._here.thread, word) if self._here and ":" not in word else word
        there = self._absolute(word, thread)
        if there == word or not location or re.match(r"[#+-]|[tl]:|[0-9,%]+$", _of_thread(word)[1]):
            return there
        options = ["--%s=%s" % (name, location[name]) for name in ("at", "thread", "size") if name in location]
        try:
            self._ask("last-write", options, [word])
        except RewindError:
            return there
        return word

    def _absolute(self, text: str, thread: Optional[str]) -> str:
        """A position as it is understood wherever one stands; of `thread`, if that
        is asked about."""
        here = self._here
        if not here:
            return text
        named, rest = _of_thread(text)
        counted = self._counted(rest, named if named is not None else thread)
        if counted:
            return counted.text
        base = rest
        while distance := _distance(base):
            base = distance[0]
        if named is None and thread is None and _OF_THREAD.fullmatch(base):
            return "%d:%s" % (here.thread, rest)
        return text

    def _counted(self, text: str, thread: Optional[str]) -> Optional[_Stand]:
        """What a position that counts from here leads to; None: it does not."""
        if text in _OF_CALL:
            return self._of_call(text, thread)
        parts = _distance(text)
        if not parts:
            return None
        origin, distance = parts
        base = self._counted(origin, thread) if origin else self._of(thread)
        if not base:
            return None
        if not distance and not origin:
            return base
        position = base.position + distance
        if not 0 <= position <= base.of:
            whose = "%s is" % origin if origin else "you are at"
            raise RewindError("position %s is out of range: %s #%d of #0 to #%d" % (text, whose, base.position, base.of))
        return _Stand("%d:#%d" % (base.thread, position), base.thread, position, base.of)

    def _of(self, thread: Optional[str]) -> _Stand:
        """Where a thread stands at this moment."""
        here = self._here
        assert here
        if thread is None or thread == str(here.thread):
            return here
        end = self._ask("where", (), [thread + ":end"])
        position = end["position"]
        rows = self._run("list", ["--json", "--from=" + here.text, "--thread=" + thread, "--count=1"], ())
        for row in reader.lines(rows):
            position = row.get("position", position)
        return _Stand("%d:#%d" % (end["thread"], position), end["thread"], position, end["of"])

    def _of_call(self, word: str, thread: Optional[str]) -> _Stand:
        """A place of the call of the function that runs here."""
        here = self._of(thread)
        if here.position >= here.of:
            raise RewindError("'%s': no function runs at the end of the trace" % word)
        try:
            there = self._ask(_OF_CALL[word], ["--at=" + here.text], ())
        except RewindError as problem:
            if not str(problem).startswith("the call of "):
                raise
            raise RewindError(
                "'%s': the function that runs at #%d was called before the trace, or what follows a gap, begins" % (word, here.position)
            ) from None
        return _Stand("%d:#%d" % (there["thread"], there["position"]), there["thread"], there["position"], there["of"])
