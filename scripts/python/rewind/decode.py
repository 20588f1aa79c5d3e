"""From the JSON of the commands (docs/json.md) to dataclasses.

A field is read from the key of its name, or from `key` in its metadata. A key that
is absent, or null, is None: the trace does not tell it. Keys that a dataclass has
no field for are left: commands may add some."""

from __future__ import annotations

import dataclasses
import functools
import re
import typing
from typing import Any, Callable, Dict, Optional, Tuple, Type, TypeVar, Union

T = TypeVar("T")

# What LLDB adds to a number: the character, a symbol or a text.
_WHOLE = re.compile(r"""(-?[0-9]+|0x[0-9a-fA-F]+)( ['"<(].*)?""", re.S)


def whole_number(text: str) -> Optional[int]:
    """The number that a text is, with what is added to explain it."""
    match = _WHOLE.fullmatch(text)
    return int(match[1], 0 if match[1].startswith("0x") else 10) if match else None


@dataclasses.dataclass(frozen=True)
class Value:
    """What a location held, as far as the trace tells it.

    `text` is as docs/json.md says: "0x00ab" with "??" for a byte that is not
    known; decimal for a field of a register; more than 16 bytes are listed in the
    order of memory, with blanks between them."""

    text: str
    #: The same as the type of the location says ("-190"), if the answer tells it.
    shown: Optional[str] = dataclasses.field(default=None, compare=False, repr=False)

    @property
    def known(self) -> bool:
        """Whether all of it is known."""
        return "?" not in self.text

    @property
    def integer(self) -> Optional[int]:
        """The number; None if a byte of it is not known, or if it is more than 16
        bytes, which are no number.

        It has a sign if the answer tells so: where its text (`new_text`) is a
        negative number, as of an `int`. The values of registers, of `list`, of an
        enumeration, and those that were asked for with format="x" or raw=True have
        none: `signed` is for these."""
        if not self.known or " " in self.text:
            return None
        number = int(self.text, 0)
        shown = whole_number(self.shown) if self.shown else None
        if shown is None or shown >= 0:
            return number
        # The text of a floating-point number is another one.
        span = number - shown
        fits = span == 1 << self._bits if self._bits else span & (span - 1) == 0
        return shown if fits and number < span <= 2 * number else number

    @property
    def signed(self) -> Optional[int]:
        """The number as one with a sign, of the size of the value. None where
        `integer` is; and of a field, whose size is not told, unless the answer
        tells its sign."""
        number = self.integer
        if number is None or number < 0:
            return number
        if not self._bits:
            return None if self.shown is None or whole_number(self.shown) is None else number
        return number - (number >> (self._bits - 1) << self._bits)

    @property
    def _bits(self) -> int:
        """0: not told."""
        return 4 * len(self.text[2:]) if self.text.startswith("0x") else 0

    @property
    def bytes(self) -> Tuple[Optional[int], ...]:
        """Byte by byte, None where it is not known: a number's most significant
        byte comes first, more than 16 bytes come in the order of memory."""
        if " " in self.text:
            pairs = self.text.split()
        elif self.text.startswith("0x"):
            digits = self.text[2:]
            digits = "0" * (len(digits) % 2) + digits
            pairs = [digits[i : i + 2] for i in range(0, len(digits), 2)]
        else:
            number = int(self.text)
            size = max(1, (number.bit_length() + 7) // 8)
            return tuple(number.to_bytes(size, "big"))
        return tuple(None if "?" in pair else int(pair, 16) for pair in pairs)

    def __str__(self) -> str:
        return self.text


# What makes a field's value of what the JSON has; None if that is not one.
Converter = Callable[[Any], Any]


def _integer(value: Any) -> Any:
    # An address is a string, as it may not fit a double.
    return int(value, 0) if isinstance(value, str) else value if type(value) is int else None


def _float(value: Any) -> Any:
    return float(value) if type(value) in (int, float) else None


def _value(value: Any) -> Any:
    return Value(value) if isinstance(value, str) else None


@functools.lru_cache(maxsize=None)
def _converter(hint: Any) -> Converter:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Union:
        (wanted,) = [a for a in arguments if a is not type(None)]
        return _converter(wanted)
    if origin is tuple:
        one = _converter(arguments[0])
        return lambda value: tuple(map(one, value)) if isinstance(value, list) else None
    if origin is dict:
        of = _converter(arguments[1])
        return lambda value: {k: v if v is None else of(v) for k, v in value.items()} if isinstance(value, dict) else None
    if hint is Value:
        return _value
    if dataclasses.is_dataclass(hint):
        return lambda value: decode(typing.cast(Type[Any], hint), value) if isinstance(value, dict) else None
    if hint is int:
        return _integer
    if hint is float:
        return _float
    return lambda value: value if isinstance(value, hint) else None


@functools.lru_cache(maxsize=None)
def _fields(cls: Any) -> Dict[str, Tuple[str, Converter]]:
    hints = typing.get_type_hints(cls)
    return {f.metadata.get("key", f.name): (f.name, _converter(hints[f.name])) for f in dataclasses.fields(cls) if f.name != "items"}


def decode(cls: Type[T], data: Dict[str, Any], **values: Any) -> T:
    """An object of the JSON as an instance of a dataclass; `values` are fields that
    are made already (the items of a listing)."""
    fields = _fields(typing.cast(typing.Hashable, cls))
    for key, value in data.items():
        if value is None or key not in fields:
            continue
        name, convert = fields[key]
        values[name] = convert(value)
        if values[name] is None:
            raise TypeError("%s.%s: %r is not what docs/json.md says" % (cls.__name__, key, value))
    for name, of in values.items():
        shown = values.get(name + "_text")
        if shown is not None and isinstance(of, Value):
            values[name] = Value(of.text, shown)
    return cls(**values)
