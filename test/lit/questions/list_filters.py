"""list_filters.py <rewind> <trace> <image> <seed>: the filters of `list`, one and
several at a time, against a model that reads the whole list and the whole tree of
calls."""
import fnmatch
import json
import random
import re
import subprocess
import sys

rewind, trace, image, seed = sys.argv[1:]
pick = random.Random(int(seed))
problems = []


def run(*words):
    got = subprocess.run([rewind, *words, "-i", image, "--quiet"], capture_output=True, text=True)
    if got.stderr:
        problems.append((words, got.stderr))
    return got.stdout


def rows(text):
    """(heading, lines) of each instruction of a list as text."""
    found, heading = [], ""
    for line in text.splitlines():
        if re.match(r"   (\d+:)?#", line):
            found.append((heading, [line.strip()]))
        elif line.startswith(" " * 14):
            found[-1][1].append(line.strip())
        elif not line.startswith((" ", "--", "a variable of ")):
            heading = line
    return found


whole = [json.loads(line) for line in run("list", trace, "--json").splitlines()]
assert "kind" not in whole[-1], "the trace is to be one that ends with an instruction"
shown = rows(run("list", trace))
assert len(whole) == len(shown), (len(whole), len(shown))
threads = sorted({i["thread"] for i in whole})

# How deep each instruction is: the innermost of the tree's calls that holds it.
depths = {}


def dive(node, thread, depth):
    for position in range(node["start"], node["end"]):
        depths[thread, position] = depth
    for call in node["calls"]:
        dive(call, thread, depth + 1)


sys.setrecursionlimit(10000)
for thread in threads:
    for root in json.loads(run("calls", "tree", trace, "--no-fold", "--json", "-t", str(thread))):
        dive(root, thread, 0)
deepest = max(depths.values())


def functions_of(insn):
    names = [insn["function"]] if "function" in insn else []
    return names + insn.get("inlined", [])


def wrote(insn, where):
    if isinstance(where, str):  # a register that has no parts but these
        return any(re.fullmatch(r"[xw]%s(\[.*\])?" % where[1:], name) for name in insn["registers"])
    first, size = where
    return any(
        m["access"] == "write" and int(m["address"], 16) < first + size and first < int(m["address"], 16) + m["size"]
        for m in insn["memory"]
    )


def random_filter(options, tests):
    kind = pick.choice(("depth", "function", "writes", "grep"))
    if "--" + kind in options:
        return
    if kind == "depth":
        a = pick.randrange(deepest + 2)
        b = min(a + pick.randrange(4), deepest + 1)
        text = pick.choice((str(a), "%d..%d" % (a, b), "%d.." % a, "..%d" % b))
        low = a if not text.startswith("..") else 0
        high = {str(a): a, "%d.." % a: 1 << 40}.get(text, b)
        tests.append(lambda n: low <= depths[whole[n]["thread"], whole[n]["position"]] <= high)
        options += ["--depth", text]
    elif kind == "function":
        name = pick.choice(functions_of(pick.choice(whole)) or ["main"])
        glob = pick.choice((name, name[:2] + "*", "*" + name[-3:], name[:-1] + "?", "[" + name[0] + "a]*"))
        tests.append(lambda n: any(fnmatch.fnmatchcase(f, glob) for f in functions_of(whole[n])))
        options += ["--function", glob]
    elif kind == "writes":
        insn = pick.choice(whole)
        writes = [m for m in insn["memory"] if m["access"] == "write"]
        if writes and pick.random() < 0.8:
            where = (int(writes[0]["address"], 16), pick.choice((1, 2, 4, 8, 64)))
            options += ["--writes", hex(where[0]), "--size", str(where[1])]
            tests.append(lambda n: wrote(whole[n], where))
        else:
            # Without -t a register is that of the first thread.
            name = "x%d" % pick.randrange(31) if pick.random() < 0.5 else "x%d" % pick.randrange(4)
            if name in ("x29", "x30"):
                return
            options += ["--writes", name]
            tests.append(lambda n: wrote(whole[n], name))
            if len(threads) > 1 and "-t" not in options:
                tests.append(lambda n: whole[n]["thread"] == 1)
    else:
        regex = pick.choice(
            (r"str", r"^x[0-3] = 0x", r"b\.(eq|ne)", r"^(read|write) .*\((1|8)\)", r"not taken", r"[a-z_]+\+0x",
             r" at .*:1[0-9]*$", r"0x0+[1-9a-f]$", r"^main|^process", r"ldr .*\[sp", r"= 0x0+ *$", r"#.*00 ")
        )
        there = re.compile(regex)
        tests.append(lambda n: any(there.search(line) for line in shown[n][1] + [shown[n][0]]))
        options += ["--grep", regex]


empty = full = 0
for question in range(16):
    options, tests = [], []
    if len(threads) > 1 and pick.random() < 0.5:
        thread = pick.choice(threads)
        options += ["-t", str(thread)]
        tests.append(lambda n, thread=thread: whole[n]["thread"] == thread)
    plain = len(options)
    while len(options) == plain or pick.random() < 0.5:
        random_filter(options, tests)
    first, last = 0, len(whole)
    if len(threads) == 1 and pick.random() < 0.5:  # positions are moments
        first, last = sorted((pick.randrange(len(whole)), pick.randrange(len(whole))))
        options += [*pick.choice((["--from", str(first)], [str(first)])), "--to", str(last)]
    wanted = [n for n in range(first, last) if all(t(n) for t in tests)]
    limit = pick.choice((None, None, 1, 7, max(1, len(wanted)), len(wanted) + 1))
    if limit:
        options += ["-c", str(limit)]
    listed = wanted[:limit]
    complete = len(listed) == len(wanted)
    told = [json.loads(line) for line in run("list", trace, *options, "--json").splitlines()]
    end = {"complete": complete, "searched": {"from": first, "to": last if complete else wanted[limit]}}
    if told[:-1] != [{k: v for k, v in whole[n].items() if k != "events"} for n in listed]:
        problems.append((options, [i["position"] for i in told[:-1]][:9], listed[:9], len(told) - 1, len(listed)))
    if told[-1] != end:
        problems.append((options, told[-1], end))
    text = run("list", trace, *options)
    if rows(text) != [shown[n] for n in listed]:
        problems.append((options, "text", len(rows(text)), len(listed)))
    tail = "-- %d instruction%s, searched #%d to #%d%s; %s" % (
        len(listed), "" if len(listed) == 1 else "s", first, end["searched"]["to"],
        " of all threads together" if len(threads) > 1 else "", "that is all" if complete else "there are more (--count)")
    if text.splitlines()[-1] != tail:
        problems.append((options, text.splitlines()[-1], tail))
    empty += not wanted
    full += bool(wanted)
for problem in problems[:20]:
    print(problem)
print("%d threads, %d instructions, depth %d: %d answers, %d of them empty, %d problems"
      % (len(threads), len(whole), deepest, empty + full, empty, len(problems)))
