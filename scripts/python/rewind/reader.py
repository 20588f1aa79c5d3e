"""Reads what a command prints while it prints it, so that a listing of any length
takes little memory."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, Iterator

from .errors import RewindError

_DECODER = json.JSONDecoder()


def whole(pieces: Iterable[str]) -> Any:
    """All of it, as one value."""
    text = "".join(pieces)
    try:
        return json.loads(text)
    except ValueError as problem:
        raise RewindError("the command did not print JSON: %s" % problem) from None


def lines(pieces: Iterable[str]) -> Iterator[Dict[str, Any]]:
    """JSON Lines: an object a line."""
    rest = ""
    for piece in pieces:
        rest += piece
        *done, rest = rest.split("\n")
        for line in done:
            if line:
                yield json.loads(line)
    if rest.strip():
        raise RewindError("the command ended in the middle of a line: %r" % rest[:80])


def items(pieces: Iterable[str]) -> Iterator[Dict[str, Any]]:
    """The items of a list envelope, one after the other; what stands around them
    is skipped."""
    source = iter(pieces)
    text = ""
    # Keys are sorted: before "items" there are only short ones. A text in one of
    # them has its quotes escaped, so this is not found within one.
    mark = '\n  "items": ['
    while mark not in text:
        piece = next(source, None)
        if piece is None:
            raise RewindError("the command printed no list")
        text += piece
    text = text[text.index(mark) + len(mark) :]
    while True:
        text = text.lstrip(" \n,")
        if text.startswith("]"):
            break
        # An item has ended when its brace stands in its column, then it is parsed
        # once: not again with every piece that comes.
        end = text.find("\n    }")
        if end < 0:
            piece = next(source, None)
            if piece is None:
                raise RewindError("the command ended in the middle of its list")
            text += piece
            continue
        item, used = _DECODER.raw_decode(text)
        yield item
        text = text[used:]
    for _ in source:  # its status is told at the end
        pass
