"""Lists names that two files of a library define for themselves: static functions and
variables, types of anonymous namespaces. A first build compiles several files as one,
where they would clash.

local_names.py <source folder> <build folder>: exit status 1 if there are any. The build
folder knows which files a library has (compile_commands.json)."""

import collections
import json
import pathlib
import re
import sys

from one_definition import NAMESPACE, TOKEN, TYPE

ALONE = re.compile(r"(?:rewind_alone|rewind_hot)\(([^)]*)\)|SKIP_UNITY", re.S)
TARGET = re.compile(r"(\S*CMakeFiles/[^/\s]+\.dir)/")
UNITY = re.compile(r'^#include "([^"]+)"', re.M)


def without_angles(words):
    """With other brackets for < and > of templates, which may have parentheses and
    commas between them."""
    inner = re.compile(r"(?<![<\s])<([^<>]*)>|^template\s*<[^<>]*>")
    hidden = str.maketrans("(),", "{};")
    while inner.search(words):
        words = inner.sub(lambda m: "[%s]" % m.group(1).translate(hidden) if m.group(1) is not None else "", words)
    return words


def parameters(words):
    """Their types: functions with others may have one name."""
    depth, end = 1, 0
    while end < len(words) and depth:
        depth += {"(": 1, ")": -1}.get(words[end], 0)
        end += 1
    types = []
    for word in words[: end - 1].split(","):
        word = re.sub(r"\s+", " ", word.split("=")[0]).strip()
        types.append(re.sub(r"(?<=[\w\]&*]) ?(?<=[ &*\]])[A-Za-z_]\w*$", "", word).strip())
    return "(%s)" % ", ".join(types)


def declared(head, anonymous):
    """(kind, name) of a local definition that begins so; None if it is none."""
    words = without_angles(re.sub(r"\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)", "", head.strip(), flags=re.S))
    named = TYPE.search(words)
    if named and "(" not in words.split(named.group(1))[0]:
        return ("type", named.group(1)) if anonymous else None
    words = re.sub(r"\b(?:decltype|alignas)\s*\([^()]*\)", "", words)
    if re.match(r"(?:using|typedef|extern|friend|namespace|return|static_assert|template|enum)\b", words):
        return None
    if not anonymous and not re.match(r"(?:static|inline\s+static|constexpr\s|const\s)", words):
        return None
    function = re.match(r"[^=(]*?([A-Za-z_]\w*)\s*\(", words)
    if function:
        before = words[: function.start(1)].rstrip()
        return None if before.endswith("::") or not before else ("function", function.group(1) + parameters(words[function.end() :]))
    variable = re.match(r"[^=]*?([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:=|$)", words)
    if variable and not words[: variable.start(1)].rstrip().endswith("::"):
        return "variable", variable.group(1)
    return None


def local(text):
    """(name with its namespaces, line) of each."""
    scopes = []  # a namespace's name, "" if it has none, None for other braces
    head, at = "", 0
    for match in TOKEN.finditer(text):
        token = match.group()
        if token in "{;":
            namespace = NAMESPACE.match(head.strip()) if token == "{" else None
            if head.strip() and not namespace and None not in scopes:
                found = declared(head, "" in scopes)
                # A declaration in front of the definition is not another one.
                if found and not (token == ";" and found[0] == "function"):
                    yield "::".join(filter(None, [*scopes, found[1]])), text.count("\n", 0, at) + 1
            if token == "{":
                scopes.append(namespace.group(1) if namespace else None)
            head = ""
        elif token == "}":
            if scopes:
                scopes.pop()
            head = ""
        elif token[0] not in "\"'#" and not token.startswith(("//", "/*", 'R"')):
            if not head.strip():
                at = match.start() + len(token) - len(token.lstrip())
            head += token


def libraries(source, build):
    """The files of each target, but those that are compiled alone."""
    alone = set()
    for path in source.rglob("CMakeLists.txt"):
        for words in ALONE.findall(path.read_text()):
            alone.update((path.parent / word).resolve() for word in words.split())
    files = collections.defaultdict(set)
    for command in json.loads((build / "compile_commands.json").read_text()):
        target = TARGET.search(command["command"].split(" -o ")[1]).group(1)
        file = pathlib.Path(command["directory"], command["file"]).resolve()
        batch = UNITY.findall(file.read_text()) if "/Unity/unity_" in str(file) else [file]
        for path in map(pathlib.Path, batch):
            if source in path.parents and build not in path.parents and path not in alone and path.exists():
                files[target].add(path)
    return files


def main():
    source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    known = {}
    clashes, names = set(), 0
    for files in libraries(source, build).values():
        places = collections.defaultdict(dict)
        for path in sorted(files):
            if path.suffix != ".cpp":
                continue
            if path not in known:
                known[path] = list(local(path.read_text()))
                names += len(known[path])
            for name, line in known[path]:
                places[name].setdefault(path, line)
        for name, at in places.items():
            if len(at) > 1:
                clashes.add((name, ", ".join(f"{p.relative_to(source)}:{line}" for p, line in at.items())))
    for name, at in sorted(clashes):
        print(f"{name} is several files' own: {at}")
    print(f"{names} names of {len(known)} files, {len(clashes)} of them twice in a library")
    return 1 if clashes or names < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
