"""random_values.py make <seed> <count> > program.c
random_values.py check <seed> <count> <plugin> <trace> <image> < what it printed:
`p` of random expressions of C gives the values that the program computes of
them itself. None has undefined behaviour."""
import random
import sys

names = "c i u ch sh l d f dp[1] q->k q->w *dp".split()
floats = {"d", "f", "dp[1]", "q->w", "*dp"}


def expressions(seed, count):
    rng = random.Random(seed)

    def whole(depth):
        """Of an integer type, and small."""
        pick = rng.random()
        if depth == 0 or pick < 0.2:
            return rng.choice([n for n in names if n not in floats] + ["3", "-7", "'a'", "0", "2u", "40l"])
        if pick < 0.3:
            return rng.choice(["- ", "~", "!", "+ "]) + "(" + whole(depth - 1) + ")"
        if pick < 0.4:
            return "(%s)(%s)" % (rng.choice(["int", "unsigned char", "short", "long", "unsigned"]), whole(depth - 1))
        if pick < 0.48:
            return "(int)" + rng.choice(sorted(floats))
        if pick < 0.56:
            return "(%s %s %s)" % (real(depth - 1), rng.choice(["<", ">", "<=", ">=", "==", "!="]), real(depth - 1))
        if pick < 0.7:
            return "(%s ? %s : %s)" % (any_kind(depth - 1), whole(depth - 1), whole(depth - 1))
        if pick < 0.78:
            return "(%s %s %d)" % (whole(depth - 1), rng.choice(["<<", ">>", "/", "%"]), rng.randrange(1, 9))
        operator = rng.choice("+ - * & | ^ < <= > >= == != && ||".split())
        return "(%s %s %s)" % (whole(depth - 1), operator, whole(depth - 1))

    def real(depth):
        pick = rng.random()
        if depth == 0 or pick < 0.2:
            return rng.choice(sorted(floats) + ["1.5", "-.25f", "2e1"])
        if pick < 0.35:
            return "- (" + real(depth - 1) + ")"
        if pick < 0.45:
            return "(%s)(%s)" % (rng.choice(["float", "double"]), any_kind(depth - 1))
        if pick < 0.6:
            return "(%s ? %s : %s)" % (whole(depth - 1), real(depth - 1), any_kind(depth - 1))
        return "(%s %s %s)" % (real(depth - 1), rng.choice("+ - * /".split()), any_kind(depth - 1))

    def any_kind(depth):
        return whole(depth) if rng.random() < 0.5 else real(depth)

    return [any_kind(3) for _ in range(count)]


def make(texts):
    print("#include <stdio.h>")
    print("struct node { int k; double w; };")
    print("static void whole(long long v) { printf(\"%lld\\n\", v); }")
    print("static void real(double v) { printf(\"%a\\n\", v); }")
    print("#define SHOW(e) _Generic((e), float: real, double: real, default: whole)(e)")
    print("int main(int c, char **v) {")
    print("  int i = 5; unsigned u = 7; unsigned char ch = 200; short sh = -3; long l = -4000000000l;")
    print("  double d = 2.75, dp[2] = {-1.5, 6.0}; float f = 0.1f; struct node n = {9, -0.5}, *q = &n; (void)v;")
    for text in texts:
        print("  SHOW(%s);" % text)
    print("  return 0; /* HERE */")
    print("}")


def check(texts, plugin, trace, image):
    import lldb

    wanted = sys.stdin.read().split()
    assert len(wanted) == len(texts)
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)

    def run(command):
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, result)
        return (result.GetOutput() or "") + (result.GetError() or "")

    run("plugin load " + plugin)
    run("rewind load %s --image %s" % (trace, image))
    run("breakpoint set -p HERE")
    assert "stop reason = breakpoint" in run("continue")
    run("settings set target.max-children-count 4")
    wrong = 0
    for text, value in zip(texts, wanted):
        answer = run("p/%s %s" % ("d" if "x" not in value and "n" not in value else "f", text)).strip()
        told = answer.split(" ")[-1]
        if "x" in value or "n" in value:
            model = float(value) if "n" in value else float.fromhex(value)
            told = told.replace("+Inf", "inf").replace("-Inf", "-inf").replace("NaN", "nan")
            try:
                same = model == float(told) or model != model and told.endswith("nan") or abs(model - float(told)) <= 1e-5 * abs(model)
            except ValueError:
                same = False
        else:
            # LLDB shows unsigned ones as signed when asked for decimal digits.
            same = told in (value, {"1": "true", "0": "false"}.get(value))
            bits = {"(unsigned char)": 8, "(unsigned int)": 32}.get(answer[: answer.find(")") + 1])
            if bits and not same:
                same = (int(told) - int(value)) % (1 << bits) == 0
        if not same:
            wrong += 1
            print("wrong:", text, "is", value, "told", run("p " + text))
    print("%d expressions, %d wrong" % (len(texts), wrong))


mode, seed, count, *rest = sys.argv[1:]
texts = expressions(int(seed), int(count))
make(texts) if mode == "make" else check(texts, *rest)
