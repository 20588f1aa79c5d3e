#!/usr/bin/env python3
"""Counts the tests and lists those that were left out, by reason: skipped.py
<ctest's JUnit file> <build folder>. Exits with 1 if there are any and REWIND_REQUIRE_ALL is set."""

from __future__ import annotations

import glob
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Iterator


def unit_tests(path: str) -> list[tuple[str, str]]:
    """Names and reasons. A skipped GoogleTest test prints where, then why."""
    found = []
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("skipped") is None:
            continue
        output = case.findtext("system-out") or ""
        reason = re.search(r": Skipped\n(.*(?:\n(?!\[|\n).*)*)", output)
        found.append((case.get("name", "?"), reason[1].strip() if reason else "no reason"))
    return found


def counted(path: str) -> str:
    suite = ElementTree.parse(path).getroot()
    return "%s tests by ctest, %s failed." % (suite.get("tests"), suite.get("failures"))


def lit_cases(build: str, result: str) -> Iterator[tuple[str, ElementTree.Element]]:
    """The lit tests that have such a result, and what lit tells of it."""
    for path in sorted(glob.glob(os.path.join(build, "test", "lit", "*.xml"))):
        folder = os.path.splitext(os.path.basename(path))[0]
        for case in ElementTree.parse(path).iter("testcase"):
            told = case.find(result)
            if told is not None:
                yield "%s/%s" % (folder, case.get("name", "?")), told


def lit_tests(build: str) -> list[tuple[str, str]]:
    found = []
    for name, skipped in lit_cases(build, "skipped"):
        message = skipped.get("message", "")
        # What is marked UNSUPPORTED is not meant to run with this build.
        if "equired feature" in message:
            found.append((name, re.sub(r"^.*?: *", "lacks ", message)))
    return found


def main() -> None:
    junit, build = sys.argv[1:]
    print(counted(junit))
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name, reason in unit_tests(junit) + lit_tests(build):
        by_reason[reason].append(name)
    if not by_reason:
        print("No test was left out.")
        return
    print("Left out:")
    for reason, names in sorted(by_reason.items()):
        print("  SKIP %s: %s" % (reason, ", ".join(names)))
    # A processor cannot be installed.
    if all(reason.startswith("this processor has no ") for reason in by_reason):
        return
    if os.environ.get("REWIND_REQUIRE_ALL", "0") not in ("", "0"):
        sys.exit("REWIND_REQUIRE_ALL is set, so that is a failure.")


if __name__ == "__main__":
    main()
