"""Folders depend only downwards: checks every #include against the order below, and that no two
source files have the same name."""

import collections
import pathlib
import re
import sys

# From the bottom up; a folder may include what stands before it, and itself.
ORDER = """core sample estimate settings price update look learn data joint model fit dense study""".split()
# What the frontends may include besides their own: the public headers alone.
PUBLIC = {path.name for path in pathlib.Path("include").glob("*.h")}
FRONTENDS = ["cli"]

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def folder_of(path: pathlib.Path) -> str:
    return path.relative_to("src").parts[0]


def main() -> int:
    wrong = []
    sources = sorted(path for path in pathlib.Path("src").rglob("*.[ch]"))
    for path in sources:
        place = ORDER.index(folder_of(path))
        for name in INCLUDE.findall(path.read_text()):
            if name in PUBLIC:
                continue
            other = name.split("/")[0]
            if not pathlib.Path("src", name).exists():
                wrong.append(f"{path}: there is no {name}")
            elif ORDER.index(other) > place or {ORDER[place], other} == {"dense", "study"}:
                wrong.append(f"{path}: {folder_of(path)} must not depend on {name}")
    for frontend in FRONTENDS:
        for path in sorted(pathlib.Path(frontend).rglob("*.[ch]")):
            for name in INCLUDE.findall(path.read_text()):
                if name not in PUBLIC and not name.startswith("..") and pathlib.Path("src", name).exists():
                    wrong.append(f"{path}: the command sees public headers alone, not {name}")
    names = collections.Counter(path.name for path in sources)
    for name, count in names.items():
        if count > 1:
            wrong.append(f"{count} files in src are called {name}")
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


sys.exit(main())
