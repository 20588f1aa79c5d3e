"""Recorded executions, in Python.

    import rewind
    trace = rewind.open("sample.tarmac", images="sample.elf")   # needs no LLDB
    trace = rewind.current()                                    # within LLDB
    trace.last_write("items[0].quantity", at="end")[0].new.integer

A Recording asks the commands of Rewind (docs/commands.md) and answers with
dataclasses. None is what the trace does not tell."""

from .answers import (
    Access,
    Accesses,
    Activation,
    Bookmark,
    Call,
    Capabilities,
    Dependence,
    Dependences,
    End,
    Evaluated,
    Event,
    Frame,
    FunctionCost,
    Holder,
    Hot,
    Info,
    Instruction,
    Layer,
    Listing,
    Location,
    MemoryAccess,
    Owner,
    Place,
    Searched,
    Slice,
    SliceStep,
    Thread,
    Visit,
    Where,
)
from .decode import Value
from .errors import NotFound, RewindError
from .recording import Position, Recording, current, load, open

__all__ = [
    "Access",
    "Accesses",
    "Activation",
    "Bookmark",
    "Call",
    "Capabilities",
    "Dependence",
    "Dependences",
    "End",
    "Evaluated",
    "Event",
    "Frame",
    "FunctionCost",
    "Holder",
    "Hot",
    "Info",
    "Instruction",
    "Layer",
    "Listing",
    "Location",
    "MemoryAccess",
    "NotFound",
    "Owner",
    "Place",
    "Position",
    "Recording",
    "RewindError",
    "Searched",
    "Slice",
    "SliceStep",
    "Thread",
    "Value",
    "Visit",
    "Where",
    "current",
    "load",
    "open",
]
