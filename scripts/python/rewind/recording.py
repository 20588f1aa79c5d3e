"""A recording, and what can be asked of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import reader
from .answers import (
    Access,
    Accesses,
    Activation,
    Bookmark,
    Call,
    Dependence,
    Dependences,
    Evaluated,
    Frame,
    FunctionCost,
    Hot,
    Info,
    Instruction,
    Layer,
    Listing,
    Owner,
    Place,
    Slice,
    SliceStep,
    Visit,
    Where,
)
from .backends import Backend, Debugger, Shell, load_in_debugger
from .decode import decode
from .errors import NotFound, RewindError
from .positions import moment

if TYPE_CHECKING:
    import lldb

L = TypeVar("L", bound=Listing[Any])

#: What a position may be: a number, what commands take ("50%", "t:2044", "end",
#: "+10", "2:#1234", the name of a bookmark), or what an answer tells: of a call, its
#: first instruction.
Position = Union[int, str, Place, Frame, Hot, Call, Activation, Owner, Bookmark]
_ANSWERS = (Place, Frame, Hot, Call, Activation, Owner, Bookmark)

# A debugger lists some for the eye unless it is told how many are wanted.
_ALL = {"count": 10**12}
_SOME = 5000

#: What a location may be: what commands take ("x0", "items[2].quantity"), or an
#: address of memory, as answers tell it.
Location = Union[int, str]


def _position(position: Position) -> str:
    if isinstance(position, _ANSWERS):
        return position.at
    if isinstance(position, int) and not isinstance(position, bool):
        return "#%d" % position
    return _text(position, "a position is a number, a text or what an answer tells")


def _address(place: Union[int, str], wanted: str) -> str:
    if isinstance(place, int) and not isinstance(place, bool):
        return hex(place)
    return _text(place, wanted)


def _location(location: Location) -> str:
    return _address(location, "a location is a text or an address")


def _text(word: Any, wanted: str) -> str:
    """A word of a command line, which is checked here: whoever runs the command
    would say what is wrong with it in his words."""
    if not isinstance(word, str):
        raise RewindError("%s, not %r" % (wanted, word))
    if "\0" in word:
        raise RewindError("%r has a zero byte, which no command takes" % word)
    return word


class Recording:
    """A trace that is loaded: made by open(), load() or current().

    Questions are asked from where the recording stands, at first its start, or
    from `at`. A position such as "+10" or "caller" counts from where it stands, and
    a number is of the thread that it stands in. Everything that goes wrong is a
    RewindError with the message of the command."""

    def __init__(self, backend: Backend):
        self.backend = backend

    # Asking ------------------------------------------------------------------

    def text(self, command: str, *words: Union[int, str], **options: Any) -> str:
        """What `rewind <command> <words>` prints, asked from where one stands, for
        what has no method here: text("why", "x0", at=5). An option is named as on
        the command line, with _ for -; True is a flag, None is left out."""
        return "".join(self._run(command, words, options))

    def json(self, command: str, *words: Union[int, str], **options: Any) -> Any:
        """The same, as JSON (docs/json.md). A command that prints JSON Lines gives
        a list."""
        text = self.text(command, *words, json=True, **options)
        if command in ("list", "htm dump", "qtrace dump"):
            return list(reader.lines([text]))
        return reader.whole([text])

    @staticmethod
    def _words(words: Sequence[Union[int, str]]) -> List[str]:
        """A number is an address."""
        return [_address(word, "an argument is a text or an address") for word in words]

    @staticmethod
    def _options(options: Dict[str, Any]) -> List[str]:
        words = []
        for name, value in options.items():
            if value is None or value is False:
                continue
            flag = "--" + name.strip("_").replace("_", "-")
            if name in ("at", "from_", "to") and not isinstance(value, bool):
                value = _position(value)
            words.append(flag if value is True else "%s=%s" % (flag, _text(str(value), "an option's value is a text")))
        return words

    def _run(self, command: str, words: Sequence[Union[int, str]], options: Dict[str, Any]) -> Iterator[str]:
        return self.backend.run(command, self._options(options), self._words(words))

    def _pieces(self, command: str, words: Sequence[Union[int, str]], options: Dict[str, Any]) -> Iterator[str]:
        return self._run(command, words, {"json": True, **options})

    def _listing(self, kind: Type[L], row: Type[Any], command: str, words: Sequence[Union[int, str]], options: Dict[str, Any]) -> L:
        data = reader.whole(self._pieces(command, words, options))
        return decode(kind, data, items=tuple(decode(row, item) for item in data["items"]))

    @staticmethod
    def _at(at: Optional[Position]) -> Optional[str]:
        """None: from here."""
        return None if at is None else _position(at)

    # Where -------------------------------------------------------------------

    def info(self) -> Info:
        """What was loaded, and what it can tell."""
        return decode(Info, reader.whole(self._pieces("info", (), {})))

    def where(self, at: Optional[Position] = None) -> Where:
        """The instruction where one stands, or of another position."""
        return decode(Where, reader.whole(self._pieces("where", [] if at is None else [_position(at)], {})))

    def goto(self, position: Position) -> Where:
        """Goes there: in LLDB the debugger does."""
        there = self.where(position)
        self.backend.goto(moment(_position(position), there), there)
        return there

    def list(self, position: Optional[Position] = None, *, count: Optional[int] = None, **options: Any) -> Iterator[Instruction]:
        """Instructions with what they read and wrote, as they come: from
        `position` on, or from_=, or from here, `count` of them, or all up to to=.
        Other options are those of `rewind list`: function="main", writes="x0",
        depth=3."""
        if position is not None and options.get("from_") is not None:
            raise RewindError("a list begins at `position` or at from_=, not at both")
        start = options.pop("from_", None) if position is None else position
        if start is None:
            start = "+0"
        left = _ALL["count"] if count is None else count
        last: Optional[Instruction] = None
        while left:
            # What LLDB prints comes in one piece: it is asked for some at a time. They
            # begin with the one that ended those before.
            again = 0 if last is None else 1
            some = left if self.backend.streams else min(left, _SOME)
            got = 0
            for row in reader.lines(self._pieces("list", [], {"count": some + again, **options, "from_": last or start})):
                if "position" not in row:  # it tells of the list, or of its end
                    continue
                got += 1
                if got > again:
                    last = decode(Instruction, row)
                    yield last
            left -= some
            if got < some + again:
                return

    def find(self, place: Union[int, str], *words: Union[int, str], at: Optional[Position] = None, **options: Any) -> Listing[Visit]:
        """All visits of a function, line ("file.c:12") or address (the pc of
        an answer), or with next=True, prev=True, first=True, last=True or nth=3 one of them;
        find("value", "0x2a"), find("syscall", "write") and the other forms of
        `rewind find`, with its options: count=5, if_="n > 4"."""
        one = options.keys() & {"next", "prev", "first", "last", "nth", "how_many"}
        limit: Dict[str, Any] = {} if one else {"all": True, **_ALL}
        return self._listing(Listing, Visit, "find", [place, *words], {**limit, "at": self._at(at), **options})

    # Values ------------------------------------------------------------------

    def _access(self, command: str, location: Location, at: Optional[Position], options: Dict[str, Any]) -> Accesses:
        return self._listing(Accesses, Access, command, [_location(location)], {"at": self._at(at), **options})

    def last_write(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Accesses:
        """The last write before here of a register ("x0"), a variable
        ("items[2].quantity") or memory (0x420000, size=8). count=5 asks for
        five, newest first. If there is none, `before_trace` and `note` say why."""
        return self._access("last-write", location, at, options)

    def next_write(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Accesses:
        """The first write from here on."""
        return self._access("next-write", location, at, options)

    def first_write(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Accesses:
        """The first write in the trace."""
        return self._access("first-write", location, at, options)

    def last_read(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Accesses:
        """The last read of memory before here."""
        return self._access("last-read", location, at, options)

    def next_read(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Accesses:
        """The first read of memory from here on."""
        return self._access("next-read", location, at, options)

    def history(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Accesses:
        """Every write, oldest first; reads=True for reads, too. from_=, to= and
        count= bound it."""
        return self._access("history", location, at, {**_ALL, **options})

    def each_write(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Iterator[Access]:
        """The same, one after the other: for a history of millions."""
        pieces = self._pieces("history", [_location(location)], {**_ALL, "at": self._at(at), **options})
        return (decode(Access, item) for item in reader.items(pieces))

    def eval(self, expression: str, place: Position, **options: Any) -> Listing[Evaluated]:
        """An expression of the program's language at every visit of a place:
        eval("item->quantity", "inventory.c:133", count=10). A number is the
        place's address; of a position, eval("item->quantity", "#8024"), or "+0" for
        where one stands."""
        at = place.at if isinstance(place, _ANSWERS) else _address(place, "a place is a text or an address")
        return self._listing(Listing, Evaluated, "eval", [expression], {**_ALL, "_at": at, **options})

    # Calls -------------------------------------------------------------------

    def calls(self, **options: Any) -> Tuple[Activation, ...]:
        """The call tree: the outermost activation of each thread. depth=, from_=,
        to= and function="glob" bound it."""
        tree = reader.whole(self._pieces("calls tree", (), options))
        return tuple(decode(Activation, root) for root in tree)

    def calls_of(self, function: str, **options: Any) -> Listing[Call]:
        """Every call of a function."""
        return self._listing(Listing, Call, "calls info", [function], {**_ALL, **options})

    def frames(self, at: Optional[Position] = None) -> Listing[Frame]:
        """The calls that are running, innermost first."""
        data = reader.whole(self._pieces("calls where", [], {"at": self._at(at)}))
        return decode(Listing, data, items=tuple(decode(Frame, frame, thread=data["thread"]) for frame in data["items"]))

    def profile(self, **options: Any) -> Listing[FunctionCost]:
        """What functions cost, the most expensive first; sort="inclusive" and the
        other options of `rewind profile functions`."""
        return self._listing(Listing, FunctionCost, "profile functions", [], {**_ALL, **options})

    # Structure ---------------------------------------------------------------

    def layers(self) -> Tuple[Layer, ...]:
        """The layers of the HTR. They are computed if they are not there yet."""
        data = reader.whole(self._pieces("htr layers", (), {}))
        return tuple(decode(Layer, row) for row in data["layers"])

    def hot(self, **options: Any) -> Tuple[Hot, ...]:
        """Loops and functions that execute most instructions themselves."""
        data = reader.whole(self._pieces("htr hot", (), {**_ALL, **options}))
        return tuple(decode(Hot, row) for row in data["items"])

    # Dataflow ----------------------------------------------------------------

    def slice(self, location: Location, *, at: Optional[Position] = None, **options: Any) -> Slice:
        """The instructions that made a value, newest first; forward=True: what it
        went on into, oldest first."""
        return self._listing(Slice, SliceStep, "slice", [_location(location)], {**_ALL, "at": self._at(at), **options})

    def deps(self, of: Position, *, at: Optional[Position] = None, **options: Any) -> Dependences:
        """What an instruction, or the value of a location, needs and feeds
        directly."""
        return self._listing(Dependences, Dependence, "deps", [_position(of)], {**_ALL, "at": self._at(at), **options})

    def bookmarks(self) -> Listing[Bookmark]:
        """The names that positions have."""
        return self._listing(Listing, Bookmark, "bookmark list", [], {})


_Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def _load_words(images: Union[_Path, Sequence[_Path]], options: Dict[str, Any]) -> List[str]:
    words = ["--image=" + os.fsdecode(i) for i in ([images] if isinstance(images, (str, bytes, os.PathLike)) else images)]
    return words + Recording._options(options)


def open(trace: _Path, images: Union[_Path, Sequence[_Path]] = (), *, program: Optional[str] = None, **options: Any) -> Recording:
    """Opens a trace without LLDB: questions are answered by the program `rewind`
    (`program`, $REWIND, or the one in the path). `images` are the program and its
    libraries, "elf@0x1000" if moved. Options are those of `rewind load`:
    index="x.rewind", big_endian=True. The trace is indexed, if it is not yet."""
    recording = Recording(Shell(os.fsdecode(trace), _load_words(images, options), program))
    recording.info()
    return recording


def load(
    debugger: lldb.SBDebugger,
    trace: _Path,
    images: Union[_Path, Sequence[_Path]] = (),
    *,
    plugin: Optional[str] = None,
    **options: Any,
) -> Recording:
    """Loads a trace into LLDB, and the plugin (`plugin`, $REWIND_PLUGIN, or the
    one that belongs to the program) if LLDB does not have it. Options are those of
    `rewind load`."""
    line = [*_load_words(images, options), "--", os.fsdecode(trace)]
    return Recording(load_in_debugger(debugger, line, plugin))


def current(debugger: Optional[lldb.SBDebugger] = None) -> Recording:
    """The recording that LLDB has selected: within LLDB's `script`, that of its
    debugger."""
    try:
        import lldb
    except ImportError:
        raise NotFound("this Python has no LLDB: open() needs none") from None
    if debugger is None:
        debugger = lldb.debugger
    if not debugger or not debugger.GetSelectedTarget().IsValid():
        raise NotFound("LLDB has no target: load a trace first")
    recording = Recording(Debugger(debugger.GetSelectedTarget()))
    recording.info()
    return recording
