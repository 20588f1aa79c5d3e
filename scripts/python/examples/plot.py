"""Plots what a register or variable held over time:

    plot.py sample.tarmac sp --image sample.elf -o sp.svg

An .svg is drawn here; any other picture (.png, .pdf) by matplotlib, if Python has
it. A stretch during which the value is not known is left out of the line."""

from __future__ import annotations

import argparse
import sys
from typing import List, Optional, Tuple
from xml.sax.saxutils import escape

import rewind

# From here on it held that: a time (or position), a value or None.
Step = Tuple[int, Optional[int]]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 900, 300, 150, 30, 20, 40


def steps(trace: rewind.Recording, location: str) -> Tuple[str, List[Step]]:
    """The unit of the axis, and what the location held from each of its writes on,
    up to the end of the trace."""
    info = trace.info()
    timed = info.capabilities.time and info.last_time is not None
    history = trace.history(location)
    initial = history.initial
    start, end = (info.first_time or 0, info.last_time or 0) if timed else (0, info.threads[0].instructions)
    found: List[Step] = [(start, initial.integer if initial else None)]
    for write in history:
        when = write.time if timed else write.position
        if when is not None:
            found.append((when, write.new.integer if write.new else None))
    found.append((end, found[-1][1]))
    return (info.time_unit or "time") if timed else "instructions", found


def svg(title: str, unit: str, found: List[Step]) -> str:
    known = [value for _, value in found if value is not None]
    if not known:
        raise rewind.RewindError("the trace tells no value of " + title)
    (first, _), (last, _) = found[0], found[-1]
    low, high = min(known), max(known)

    def x(when: int) -> int:
        return LEFT + (when - first) * (WIDTH - LEFT - RIGHT) // max(last - first, 1)

    def y(value: int) -> int:
        return HEIGHT - BOTTOM - (value - low) * (HEIGHT - TOP - BOTTOM) // max(high - low, 1)

    # A pixel that has many writes is a vertical line from the least to the greatest.
    path: List[str] = []
    column, before = -1, None  # type: Tuple[int, Optional[int]]
    for when, value in found:
        if value is None:
            if before is not None:
                path.append("H%d" % x(when))
            before = None
            continue
        if before is None:
            path.append("M%d %d" % (x(when), y(value)))
        elif x(when) != column or y(value) != y(before):
            path.append("H%dV%d" % (x(when), y(value)))
        column, before = x(when), value
    pieces = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">' % (WIDTH, HEIGHT),
        '<rect width="100%" height="100%" fill="white"/>',
        '<path d="M%d %dV%dH%d" fill="none" stroke="#888"/>' % (LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT),
        '<text x="%d" y="18" font-weight="bold">%s</text>' % (LEFT, escape(title)),
    ]
    for value in sorted({low, high}):
        pieces.append('<text x="%d" y="%d" text-anchor="end">%#x</text>' % (LEFT - 6, y(value) + 4, value))
    for when, anchor in ((first, "start"), (last, "end")):
        pieces.append(
            '<text x="%d" y="%d" text-anchor="%s">%d %s</text>' % (x(when), HEIGHT - BOTTOM + 18, anchor, when, escape(unit))
        )
    pieces.append('<path d="%s" fill="none" stroke="#06c"/>' % " ".join(path))
    return "\n".join(pieces + ["</svg>", ""])


def draw(path: str, title: str, unit: str, found: List[Step]) -> None:
    """With matplotlib: whatever kind of picture the name says."""
    try:
        import matplotlib  # type: ignore[import]
    except ImportError:
        raise rewind.RewindError("only .svg is drawn without matplotlib, which this Python does not have") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 3))
    values = [float("nan") if value is None else value for _, value in found]
    axes.step([when for when, _ in found], values, where="post")
    axes.set(title=title, xlabel=unit)
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description="Plots what a location held over time.")
    parser.add_argument("trace")
    parser.add_argument("location")
    parser.add_argument("-i", "--image", action="append", default=[])
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()
    try:
        trace = rewind.open(options.trace, options.image)
        unit, found = steps(trace, options.location)
        if options.output.endswith(".svg"):
            with open(options.output, "w") as out:
                out.write(svg(options.location, unit, found))
        else:
            draw(options.output, options.location, unit, found)
    except (rewind.RewindError, OSError) as problem:
        print("plot.py: %s" % problem, file=sys.stderr)
        return 1
    print("%s: %d values from %d to %d %s" % (options.output, len(found) - 1, found[0][0], found[-1][0], unit))
    return 0


if __name__ == "__main__":
    sys.exit(main())
