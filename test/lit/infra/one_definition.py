"""Lists types that are defined twice under one name: two of different shape in
one program are undefined behaviour, and no linker tells.

one_definition.py <source folder>...: exit status 1 if there are any."""

import pathlib
import re
import sys

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<raw>[^(]*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'
    |^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*|[{};]|[^{};"'/#]+|.""",
    re.S | re.X | re.M,
)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)\s*$")
TYPE = re.compile(
    r"(?:^|>\s*|\s)(?:struct|class|union|enum(?:\s+class)?)\s+([A-Za-z_][\w:]*)"
    r"\s*(?:final\b\s*)?(?::[^:].*)?$",
    re.S,
)


def definitions(text):
    """Qualified names of types at namespace scope, with their lines."""
    scopes = []  # a namespace's name, "" if it has none, None for other braces
    head = ""
    at = 0
    for match in TOKEN.finditer(text):
        token = match.group()
        if token == "{":
            words = head.strip()
            namespace = NAMESPACE.match(words)
            named = TYPE.search(words)
            if namespace:
                scopes.append(namespace.group(1))
            else:
                is_type = named and "(" not in words.split(named.group(1))[0]
                if is_type and all(scopes):
                    name = "::".join(scopes + [named.group(1)])
                    yield name, text.count("\n", 0, at) + 1
                scopes.append(None)
            head = ""
        elif token == "}":
            if scopes:
                scopes.pop()
            head = ""
        elif token == ";":
            head = ""
        elif token[0] not in "\"'#" and not token.startswith(("//", "/*", 'R"')):
            if not head.strip():
                at = match.start() + len(token) - len(token.lstrip())
            head += token


def main():
    places = {}
    for folder in sys.argv[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            for name, line in definitions(path.read_text()):
                places.setdefault(name, []).append(f"{path}:{line}")
    twice = {name: at for name, at in places.items() if len(at) > 1}
    for name, at in sorted(twice.items()):
        print(f"{name} is defined {len(at)} times: {', '.join(at)}")
    print(f"{len(places)} types, {len(twice)} of them defined twice")
    return 1 if twice or len(places) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
