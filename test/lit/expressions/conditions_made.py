"""Random conditions, and what LLDB finds of them."""
import os
import re

import lldb

from session import debugger


class Maker:
    """Makes conditions of the registers in `leaves`, or of variables if that is a file
    that lists them."""

    types = ["int", "unsigned", "char", "unsigned char", "signed char", "bool", "short", "unsigned short", "long", "unsigned long", "long long"]

    def __init__(self, leaves, rng):
        self.rng = rng
        self.numbers = "0 1 -1 2 3 7 -8 31 0x7fffffff 0x80000000 0xffffffff 2147483648 1u 5ul 3ll 0x8000000000000000 017 'a' '\\n' '\\xff' sizeof(long)".split()
        self.variables = os.path.exists(leaves)
        if self.variables:
            self.leaves = open(leaves).read().split("\n")[:-1]
        else:
            self.leaves = ["$" + name for name in leaves.split(",")]
            self.leaves += ["$rewind_position", "$rewind_end", "$pc", "$sp"]

    def expression(self, depth):
        """One, and the same without ?:, which LLDB's interpreter does not know."""
        rng = self.rng
        pick = rng.random()
        if depth == 0 or pick < 0.15:
            return [rng.choice(self.leaves) if rng.random() < 0.6 else rng.choice(self.numbers)] * 2

        def of(form, count):
            parts = [self.expression(depth - 1) for _ in range(count)]
            return [form.format(*side) for side in zip(*parts)]

        if pick < 0.25:
            # A space, so that no "--" comes about.
            return of(rng.choice(["- ", "~", "!", "+ "]) + "({})", 1)
        if pick < 0.35:
            return of("(%s)({})" % rng.choice(self.types), 1)
        if pick < 0.42 and not self.variables:
            memory = rng.choice([t for t in self.types if t != "bool"])  # of which LLDB looks at one bit
            return ["*(%s *)($sp + %d)" % (memory, rng.randrange(0, 64, 8))] * 2
        if pick < 0.47:
            test, yes, no = (self.expression(depth - 1) for _ in range(3))
            return [
                "(%s ? %s : %s)" % (test[0], yes[0], no[0]),
                "(!!(%s) * (%s) + !(%s) * (%s))" % (test[1], yes[1], test[1], no[1]),
            ]
        if pick < 0.57:
            return of("({} %s %d)" % (rng.choice(["<<", ">>"]), rng.randrange(32)), 1)
        return of("({} %s {})" % rng.choice("+ - * / % & | ^ < <= > >= == != && ||".split()), 2)

    def condition(self):
        left, right = self.expression(3), self.expression(2)
        form = "(%%s) %s (%%s)" % self.rng.choice(["==", "!=", "<", ">", "&&", "||", "&"])
        return form % (left[0], right[0]), form % (left[1], right[1])


def holds_of(frame, conditions, options):
    """Whether each holds for LLDB, or None where it cannot tell: all at once if it can."""
    if len(conditions) == 1:
        value = frame.EvaluateExpression(conditions[0], options)
        return [None if value.GetError().Fail() else value.GetValueAsUnsigned() != 0]
    together = " | ".join("((unsigned long long)!!(%s) << %d)" % (c, bit) for bit, c in enumerate(conditions))
    value = frame.EvaluateExpression(together, options)
    if value.GetError().Success():
        return [bool(value.GetValueAsUnsigned() >> bit & 1) for bit in range(len(conditions))]
    middle = len(conditions) // 2
    return holds_of(frame, conditions[:middle], options) + holds_of(frame, conditions[middle:], options)


def printed(condition):
    """What p says of it: the value, or the error."""
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand("p " + condition, result)
    return result.GetOutput() if result.Succeeded() else result.GetError()


def agree(condition, plain, ours, theirs, partly=False):
    """Fails if LLDB, which stands there, finds something else; whether it alone cannot
    tell. `plain` is the same without ?:. `partly`: of what a bit-field lies in, only its
    own bits may be known."""
    if ours == theirs:
        return False
    # LLDB reads what C does not look at, and divides by zero.
    told = printed(condition)
    if ours is None:
        # LLDB says only that it does not know ?:, or has a value all the same.
        assert "division by zero" in told + printed(plain), (condition, told)
        return False
    # What ?: does not choose may be unknown, and LLDB reads it. So does it read the bits
    # beside a bit-field: then it names no operand that has no value.
    unchosen = "?" in condition and told.startswith("error: unknown:")
    beside = partly and told.startswith("error: unknown: the trace does not tell the memory of '") and "." in condition
    same = bool(re.search(r"\) (false|0)\s*$", told)) != ours
    assert theirs is None and (same or unchosen or beside), (condition, told)
    return True
