"""random_loops.py <seed>: a C program of random loops: for, while, do, goto, tested
anywhere, left by break, continue, return, goto and longjmp. Each loop has lines of
its own. With -DCOUNT it counts, and prints for each loop: its first and last line,
kind, entries, rounds, most rounds of one entry. What it does is the same without."""
import random
import sys

HEAD = r"""#include <setjmp.h>
#include <stdio.h>
#ifdef COUNT
static long entries[999], rounds[999], most[999], here[999];
#define ENTER(n) (here[n] = 0, ++entries[n])
#define ROUND(n) (++rounds[n], ++here[n] > most[n] ? (void)(most[n] = here[n]) : (void)0)
#else
#define ENTER(n)
#define ROUND(n)
#endif
#define FUNCTION __attribute__((noinline))
volatile int sink;
static int v[16];
static unsigned state = SEED;
static jmp_buf back;
FUNCTION int get(void) { state = state * 1103515245 + 12345; return state >> 16 & 255; }
FUNCTION int flag(int x) { return (state >> 20 ^ x) & 1; }
FUNCTION void use(int a, int b) { sink = a + b; }
FUNCTION int step(int *i, int n) { return (*i)++ < n; }
FUNCTION void throw(int x) { longjmp(back, x | 1); }"""


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = HEAD.replace("SEED", str(seed * 7919 + 1)).split("\n")
        self.loops = []
        functions = self.random.randrange(3, 6)
        for f in range(functions):
            self.function(f)
        self.thrown()
        self.main(functions)

    def emit(self, depth, *lines):
        self.lines += ["  " * depth + line for line in lines]

    def expression(self):
        return self.random.choice(
            ["x", "y", "z", "v[x & 15]", "v[y & 15]", "x + y", "x ^ 5", "x * 3 + 1", "y >> 1", "get()"]
        )

    def condition(self):
        r = self.random
        c = r.choice(
            [
                f"(x & {r.choice([1, 3, 7])}) == {r.randrange(2)}",
                f"v[x & 15] > {r.randrange(12)}",
                f"y % {r.randrange(2, 9)} == {r.randrange(2)}",
                "x < y",
                f"(get() & 7) < {r.randrange(1, 6)}",
                "flag(x)",
            ]
        )
        kind = r.random()
        if kind < 0.12:
            return f"({c} && v[y & 15] < {r.randrange(3, 15)})"
        return f"({c} || y == {r.randrange(9)})" if kind < 0.2 else c

    def jump(self, depth):
        self.emit(
            depth,
            self.random.choice(["break;"] * 2 + ["continue;", "return x;", "goto out;", "throw(x);"]),
        )

    def statement(self, depth, loops, inside):
        r, kind = self.random, self.random.random()
        if kind < 0.36:
            self.emit(
                depth,
                r.choice(
                    [f"x = {self.expression()};", f"y = {self.expression()};", "x += y;"]
                    + ["v[x & 15] = y & 15;", "sink = x;", "y ^= x;", "use(x, y);"]
                ),
            )
        elif kind < 0.60:
            self.emit(depth, f"if ({self.condition()}) {{")
            if inside and r.random() < 0.7:
                self.jump(depth + 1)
            else:
                self.statement(depth + 1, loops, inside)
            if r.random() < 0.25:
                self.emit(depth, "} else {")
                self.statement(depth + 1, loops, inside)
            self.emit(depth, "}")
        elif kind < 0.66:
            self.emit(depth, "switch (x & 3) {")
            for case in range(r.randrange(1, 4)):
                self.emit(depth, f"case {case}:", r.choice(["  x += 3;", "  y = x;", "  sink = y;"]))
                if r.random() < 0.8:
                    self.emit(depth + 1, "break;")
            self.emit(depth, "}")
        elif loops < 3:
            self.loop(depth, loops + 1)
        else:
            self.emit(depth, "++y;")

    def loop(self, depth, loops):
        n, i, r = len(self.loops), f"i{len(self.loops)}", self.random
        bound = r.randrange(1, 7)
        self.loops.append(None)
        kind = r.choice(
            ["for", "while", "down", "do", "do_and", "break_late", "break_first", "and", "or", "goto", "call", "until"]
        )
        self.emit(depth, f"ENTER({n}); int {i} = {bound if kind == 'down' else 0};")
        first = len(self.lines) + 1
        head = {
            "for": f"for ({i} = 0; {i} < {bound}; ++{i}) {{",
            "while": f"while ({i} < {bound}) {{",
            "down": f"while ({i}-- > 0) {{",
            "and": f"while ({i} < {bound} && {self.condition()}) {{",
            "or": f"while ({i} < {bound} || ({i} < {bound + 4} && {self.condition()})) {{",
            "call": f"while (step(&{i}, {bound})) {{",
            "until": f"for ({i} = 0; {self.condition()}; ++{i}) {{",
            "goto": f"again{n}:",
            "break_late": "for (;;) {",
            "break_first": "while (1) {",
        }.get(kind, "do {")
        self.emit(depth, head)
        self.emit(depth + 1, f"ROUND({n});")
        if kind == "goto":
            self.emit(depth + 1, f"x = {self.expression()};", f"if (++{i} < {bound})", f"  goto again{n};")
        else:
            if kind == "break_late":
                self.statement(depth + 1, loops, True)
                self.emit(depth + 1, f"if (++{i} >= {bound})", "  break;")
            elif kind == "break_first":
                self.emit(depth + 1, f"if ({i} >= {bound})", "  break;", f"++{i};")
            elif kind == "until":
                self.emit(depth + 1, f"if ({i} == {bound + 3})", "  break;")
            elif kind in ("while", "and", "or"):
                self.emit(depth + 1, f"++{i};")
            for _ in range(r.randrange(1, 4)):
                self.statement(depth + 1, loops, True)
            tail = {"do": f" while (++{i} < {bound});", "do_and": f" while (++{i} < {bound} && {self.condition()});"}
            self.emit(depth, "}" + tail.get(kind, ""))
        self.loops[n] = (first, len(self.lines), kind)

    def function(self, f):
        self.emit(0, f"FUNCTION int f{f}(int x, int y) {{", "  int z = x & 3;")
        for _ in range(self.random.randrange(1, 4)):
            self.loop(1, 1)
            self.statement(1, 3, False)
        self.emit(0, "  x += y;", "out: __attribute__((unused));", "  return x + y + z;", "}")

    def thrown(self):
        """A longjmp to the function that the loop is in."""
        n = len(self.loops)
        self.emit(0, "FUNCTION int f99(int x) {", f"  volatile int i = 0; ENTER({n});", "  if (setjmp(back)) return i;")
        first = len(self.lines) + 1
        self.emit(1, "do {", f"  ROUND({n});", "  if (x == i) throw(i);", "  sink = i;", "} while (++i < 9);")
        self.loops.append((first, len(self.lines), "thrown"))
        self.emit(0, "  return 0;", "}")

    def main(self, functions):
        r = self.random
        self.emit(0, "int main(void) {", "  for (int i = 0; i < 16; ++i) v[i] = i * 7 & 15;")
        self.emit(1, f"for (volatile int n = 0; n < {r.randrange(2, 12)}; ++n) {{")
        for f in range(functions):
            self.emit(2, f"if (!setjmp(back)) sink = f{f}(n * 3 + {r.randrange(9)}, n ^ {r.randrange(9)});")
        self.emit(0, "    f99(n);", "  }", "#ifdef COUNT")
        for n, (first, last, kind) in enumerate(self.loops):
            self.emit(1, f'printf("{first} {last} {kind} %ld %ld %ld\\n", entries[{n}], rounds[{n}], most[{n}]);')
        self.emit(0, "#endif", "  return 0;", "}")


if __name__ == "__main__":
    print("\n".join(Program(int(sys.argv[1])).lines))
