"""Folders depend only downwards: checks every #include against the order below, what the front ends may include,
and that no two source files have the same name."""

import collections
import pathlib
import re
import sys

# From the bottom up; a folder may include what stands before it, and itself.
ORDER = """core sample estimate settings price update look learn data joint model fit plan dense study json serve""".split()
PUBLIC = {path.name for path in pathlib.Path("include").glob("*.h")}
# It includes the public headers and its own alone, as the front ends do, which share it.
SHARED = "json"
# What a front end may include besides the public headers, json/ and its own.  The command includes nothing else, so that
# it can do nothing that a user of the library can't.  The lab is not installed.  It shares the command's words, JSON and
# charts.  It measures what has no public function: the losses of the theorems, the solvers and the moments on their
# own, and jobs on BLAS.  bench.json is laid out as model files are, so it has their writer.
FRONTENDS = {
    "cli": set(),
    "lab": {
        "core/error.h",
        "core/json.h",
        "core/memory.h",
        "dense/blas.h",
        "dense/full/solve.h",
        "estimate/loss.h",
        "model/model.h",
    },
}

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def sources_in(folder: str) -> list[pathlib.Path]:
    return sorted(pathlib.Path(folder).rglob("*.[ch]"))


def includes(path: pathlib.Path) -> list[str]:
    return [name for name in INCLUDE.findall(path.read_text()) if name not in PUBLIC]


def folder_of(path: pathlib.Path) -> str:
    return path.relative_to("src").parts[0]


def is_apart(folder: str, other: str) -> bool:
    """May a folder not know another one although it stands before it?"""
    return {folder, other} == {"dense", "study"} or (folder == SHARED and other != SHARED)


def check_library() -> list[str]:
    wrong = []
    for path in sources_in("src"):
        place = ORDER.index(folder_of(path))
        for name in includes(path):
            other = name.split("/")[0]
            if not pathlib.Path("src", name).exists():
                wrong.append(f"{path}: there is no {name}")
            elif ORDER.index(other) > place or is_apart(ORDER[place], other):
                wrong.append(f"{path}: {folder_of(path)} must not depend on {name}")
    return wrong


def is_own(path: pathlib.Path, frontend: str, name: str) -> bool:
    """Is it a header of the same front end, or one of command/ that the lab shares?"""
    if frontend == "lab" and name.startswith("command/"):
        return pathlib.Path(name).exists()
    found = (path.parent / name).resolve()
    return found.exists() and found.is_relative_to(pathlib.Path(frontend).resolve())


def check_frontends() -> list[str]:
    wrong = []
    for frontend, allowed in FRONTENDS.items():
        for path in sources_in(frontend):
            for name in includes(path):
                shared = name.startswith(f"{SHARED}/") and pathlib.Path("src", name).exists()
                if name not in allowed and not shared and not is_own(path, frontend, name):
                    wrong.append(f"{path}: {frontend} must not include {name}, which is neither public nor its own")
    return wrong


def check_names() -> list[str]:
    places = collections.defaultdict(list)
    for folder in ("src", *FRONTENDS):
        for path in sources_in(folder):
            places[path.name].append(str(path))
    return [f"these have the same name: {', '.join(paths)}" for paths in places.values() if len(paths) > 1]


def main() -> int:
    wrong = check_library() + check_frontends() + check_names()
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


sys.exit(main())
