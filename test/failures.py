#!/usr/bin/env python3
"""Shows the end of what each failed lit test printed: failures.py <build folder>...
Those who get only the last lines of a log can tell from them what went wrong."""

from __future__ import annotations

import sys

from skipped import lit_cases

LINES = 12


def main() -> None:
    for build in sys.argv[1:]:
        for name, failure in lit_cases(build, "failure"):
            output = failure.text or ""
            said = [line for line in output.splitlines() if line.strip(" *")]
            print("%s: %s ended in:" % (build, name))
            for line in said[-LINES:]:
                print("  " + line[:200])


if __name__ == "__main__":
    main()
