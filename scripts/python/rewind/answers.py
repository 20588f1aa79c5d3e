"""What the questions of a Recording answer with.

None is what the trace does not tell; it is never shown as 0. Addresses are
integers, positions count the instructions of a thread from 0, threads from 1,
times are in the trace's unit (`Info.time_unit`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Generic, Iterator, Optional, Sequence, Tuple, TypeVar, Union, overload

from .decode import Value, whole_number
from .errors import RewindError

T = TypeVar("T")


def _at(thread: Optional[int], position: Optional[int]) -> str:
    """As commands take it."""
    if position is None:
        raise RewindError("the trace does not tell the position of this")
    return "#%d" % position if thread is None else "%d:#%d" % (thread, position)


@dataclass(frozen=True)
class Place:
    """An instruction of the trace."""

    position: int
    thread: int
    pc: Optional[int] = None
    time: Optional[int] = None
    line: Optional[int] = None  #: of a text trace
    function: Optional[str] = None
    function_offset: Optional[int] = None
    file: Optional[str] = None
    source_line: Optional[int] = None
    inlined: Tuple[str, ...] = ()  #: functions inlined here, innermost first

    @property
    def at(self) -> str:
        """As commands take it: "1:#42"."""
        return _at(self.thread, self.position)


@dataclass(frozen=True)
class MemoryAccess:
    """What an instruction reads or writes."""

    access: str  #: "read" or "write"
    address: Optional[int] = None
    size: Optional[int] = None
    value: Optional[Value] = None
    inferred: bool = False  #: follows from the code, the trace does not tell it
    real_address: Optional[int] = None
    exclusive: bool = False
    implied: bool = False


@dataclass(frozen=True)
class Where(Place):
    """Where one stands; at the end of the trace there is no instruction."""

    of: int = 0  #: instructions of the thread
    at_end: bool = False
    instruction: Optional[str] = None
    executed: Optional[bool] = None
    taken: Optional[bool] = None
    real_address: Optional[int] = None
    memory: Tuple[MemoryAccess, ...] = ()
    what: Optional[str] = None  #: what was gone to


@dataclass(frozen=True)
class Event:
    """What happened between instructions."""

    kind: str
    thread: Optional[int] = None
    text: Optional[str] = None
    pc: Optional[int] = None


@dataclass(frozen=True)
class Instruction(Place):
    """A row of `list`."""

    instruction: Optional[str] = None
    opcode: Optional[int] = None
    size: Optional[int] = None
    isa: Optional[str] = None
    executed: Optional[bool] = None
    taken: Optional[bool] = None
    registers: Dict[str, Optional[Value]] = field(default_factory=dict)  #: new values
    inferred: Tuple[str, ...] = ()  #: whose values follow from the code
    memory: Tuple[MemoryAccess, ...] = ()
    events: Tuple[Event, ...] = ()  #: before it


@dataclass(frozen=True)
class Thread:
    thread: int
    instructions: int
    name: str = ""
    id: Optional[int] = None


@dataclass(frozen=True)
class Capabilities:
    """What the trace tells."""

    registers: bool = False
    register_writes: bool = False
    memory_addresses: bool = False
    memory_values: bool = False
    real_addresses: bool = False
    opcodes: bool = False
    time: bool = False
    lines: bool = False


@dataclass(frozen=True)
class Info:
    trace: str
    format: str
    architecture: str
    instructions: int
    capabilities: Capabilities
    threads: Tuple[Thread, ...]
    store: Optional[str] = None
    byte_order: Optional[str] = None
    events: int = 0
    first_time: Optional[int] = None
    last_time: Optional[int] = None
    time_unit: Optional[str] = None
    lines: Optional[int] = None


@dataclass(frozen=True)
class Location:
    """A register, or a range of memory."""

    text: str
    size: int
    register: Optional[str] = None
    thread: Optional[int] = None
    address: Optional[int] = None
    real_address: Optional[int] = None
    type: Optional[str] = None
    bits: Optional[str] = None


@dataclass(frozen=True)
class Owner:
    """The activation that a local variable belongs to: positions, `to` not
    included."""

    function: str
    thread: Optional[int] = None
    from_: Optional[int] = field(default=None, metadata={"key": "from"})
    to: Optional[int] = None

    @property
    def at(self) -> str:
        """Its first instruction, as commands take it."""
        return _at(self.thread, self.from_)


@dataclass(frozen=True)
class Access(Place):
    """A write of a location, or a read."""

    instruction: Optional[str] = None
    access: str = "write"
    old: Optional[Value] = None
    new: Optional[Value] = None
    value: Optional[Value] = None  #: of a read
    old_text: Optional[str] = None  #: as the type of the location says
    new_text: Optional[str] = None
    value_text: Optional[str] = None
    bytes: Tuple[int, ...] = ()  #: which of the location's
    changed: Optional[bool] = None  #: of a history
    value_unknown: Optional[str] = None  #: why
    inferred: bool = False
    effective_address: Optional[int] = None


@dataclass(frozen=True)
class Searched:
    """The instructions that were searched, of all threads together; `to` is not
    one of them."""

    from_: int = field(metadata={"key": "from"})
    to: int = 0


@dataclass(frozen=True)
class Listing(Sequence[T], Generic[T]):
    """A list that tells whether it is all there is."""

    items: Tuple[T, ...]
    complete: bool
    cancelled: bool = False  #: interrupted
    searched: Optional[Searched] = None
    #: Of `find`: how many are left out, as it is not known whether they are wanted.
    unknown: Optional[int] = None
    how_many: Optional[int] = field(default=None, metadata={"key": "count"})  #: asked for with how_many=True

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[T, Sequence[T]]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


@dataclass(frozen=True)
class Accesses(Listing[Access]):
    """Writes or reads of a location."""

    location: Optional[Location] = None
    owner: Optional[Owner] = None
    before_trace: bool = False  #: beyond these is what it held before the trace
    note: Optional[str] = None  #: without any: why
    first_seen_by: Optional[Access] = None  #: without any
    initial: Optional[Value] = None  #: of a history: before the first one
    initial_text: Optional[str] = None


@dataclass(frozen=True)
class Holder:
    """What became a value: a register or memory."""

    register: Optional[str] = None
    thread: Optional[int] = None
    address: Optional[int] = None
    size: Optional[int] = None
    symbol: Optional[str] = None


@dataclass(frozen=True)
class Visit(Place):
    """What `find` found."""

    executed: Optional[bool] = None
    taken: Optional[bool] = None
    text: Optional[str] = None  #: of an event
    holders: Tuple[Holder, ...] = ()  #: of a value
    call: Optional[str] = None  #: of a system call: its name
    number: Optional[int] = None
    arguments: Optional[Tuple[str, ...]] = None  #: as far as they are known
    result: Optional[str] = None


@dataclass(frozen=True)
class Evaluated(Place):
    """An expression of the program's language at a visit of a place.

    Its `value` is a text, as the type says, in LLDB as that prints it: "-190",
    "1.5", "{id = 2}"; without a type hexadecimal. It is no `Value`: the bytes are
    not told."""

    value: Optional[str] = None
    error: Optional[str] = None  #: why it has none

    @property
    def integer(self) -> Optional[int]:
        """The number, of a whole number, a character or a pointer; None of all
        else, an enumerator as well."""
        return whole_number(self.value) if self.value else None


@dataclass(frozen=True)
class Activation:
    """A call, with the calls that it made."""

    id: str
    function: str
    start: int
    end: int  #: one past its last position
    instructions: int  #: callees included
    own: int
    pc: Optional[int] = None
    file: Optional[str] = None
    source_line: Optional[int] = None
    count: int = 1  #: neighbours that are folded into it
    kind: Optional[str] = None
    returned: Optional[bool] = None
    remarks: Optional[str] = None
    calls: Tuple["Activation", ...] = ()

    @property
    def thread(self) -> int:
        # "2:@5"; there is no number if the trace has one thread.
        thread, colon, _ = self.id.rpartition(":")
        return int(thread) if colon else 1

    @property
    def at(self) -> str:
        """Its first instruction, as commands take it."""
        return _at(self.thread, self.start)


@dataclass(frozen=True)
class Call:
    """A call of a function that was asked for."""

    id: str
    thread: int
    start: int
    end: int
    instructions: int
    own: int
    returned: Optional[bool] = None
    time: Optional[int] = None
    line: Optional[int] = None
    called_from: Optional[str] = None
    call_pc: Optional[int] = None
    remarks: Optional[str] = None

    @property
    def at(self) -> str:
        """Its first instruction, as commands take it."""
        return _at(self.thread, self.start)


@dataclass(frozen=True)
class Frame:
    """A running call; `position` and `pc` of outer ones are those of their call."""

    frame: int
    id: Optional[str] = None
    position: Optional[int] = None
    pc: Optional[int] = None
    entry: Optional[int] = None
    entry_pc: Optional[int] = None
    end: Optional[int] = None
    returned: Optional[bool] = None
    code: Optional[str] = None
    remarks: Optional[str] = None
    thread: Optional[int] = None

    @property
    def at(self) -> str:
        """As commands take it: "1:#42"."""
        return _at(self.thread, self.position)


@dataclass(frozen=True)
class FunctionCost:
    """A line of `profile functions`."""

    function: str
    calls: int
    instructions: int
    own: int
    address: Optional[int] = None
    time: Optional[int] = None
    own_time: Optional[int] = None
    recursive: bool = False
    file: Optional[str] = None
    source_line: Optional[int] = None


@dataclass(frozen=True)
class End:
    """Where a slice goes no further."""

    kind: str
    location: Optional[str] = None


@dataclass(frozen=True)
class SliceStep(Place):
    """An instruction of a slice: what of it is in the slice, what it needed."""

    instruction: Optional[str] = None
    depth: Optional[int] = None
    made: Optional[str] = None
    needed: Optional[str] = None
    ends: Tuple[End, ...] = ()


@dataclass(frozen=True)
class Slice(Listing[SliceStep]):
    location: Optional[Location] = None
    ends: Tuple[End, ...] = ()  #: of what no instruction made
    limits: Tuple[str, ...] = ()  #: what the trace cannot tell


@dataclass(frozen=True)
class Dependence(Place):
    instruction: Optional[str] = None
    direction: str = "needs"  #: or "feeds"
    kind: str = "raw"  #: "war", "waw", "control" or "call"
    where: Optional[str] = None  #: "register", "stack" or "memory"; not of control and calls
    through: Optional[str] = None


@dataclass(frozen=True)
class Dependences(Listing[Dependence]):
    of: Optional[Place] = None
    instruction: Optional[str] = None
    before_trace: Optional[str] = None  #: what nothing in the trace wrote
    limits: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Layer:
    """A layer of the hierarchical trace representation (docs/htr.md)."""

    layer: int
    pass_: str = field(metadata={"key": "pass"})
    units: int = 0
    top_units: Optional[int] = None
    distinct: Optional[int] = None
    new_blocks: Optional[int] = None
    reduction: Optional[float] = None


@dataclass(frozen=True)
class Hot:
    """Where most instructions are executed."""

    name: str
    kind: str
    position: int
    thread: int
    own: int
    id: Optional[int] = None
    times: Optional[int] = None
    share_instructions: Optional[float] = None
    source: Optional[str] = None

    @property
    def at(self) -> str:
        """The first time, as commands take it."""
        return _at(self.thread, self.position)


@dataclass(frozen=True)
class Bookmark:
    name: str
    thread: int
    position: int
    note: Optional[str] = None

    @property
    def at(self) -> str:
        """As commands take it: "1:#42"."""
        return _at(self.thread, self.position)
