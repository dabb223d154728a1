"""Checks the layout: each product includes its own headers and public headers of the products below it, folders of core
depend only downwards, and no two source files of a product have one name.  Prints the include graph between products."""

import collections
import pathlib
import re
import sys

# Each product, and the products whose public headers it may include.
BELOW = {
    "paper": [],
    "core": [],
    "dense": ["core"],
    "study": ["core"],
    "serve": ["core", "study"],
    "command": ["core", "dense", "study", "serve"],
    "lab": ["core", "dense", "study", "command"],
}
# Folders of core, from the bottom up: a folder may include those before it, and itself.
CORE = "base sample estimate settings price update look learn data joint model fit plan".split()
# The laboratory is not installed.  It draws charts and prints as the command does, so it shares these folders.
SHARED = {"lab": ["command/front/", "command/chart/"]}

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
PUBLIC = {path.name: path.parts[0] for product in BELOW for path in pathlib.Path(product, "include").glob("*.h")}


def sources_of(product):
    return [path for path in sorted(pathlib.Path(product).rglob("*.[ch]")) if "tests" not in path.parts]


def resolve(path, name, product):
    """The file that an #include means: beside the source, in its product, or from the root; None: a public header."""
    for base in (path.parent, pathlib.Path(product), pathlib.Path()):
        found = base / name
        if found.exists():
            return pathlib.Path(*[part for part in found.parts if part != "."])
    return None


def check_include(path, name, product, graph):
    if name in PUBLIC:
        other = PUBLIC[name]
        if other != product:
            graph[product, other] += 1
        if other != product and other not in BELOW[product]:
            return f"{path}: {product} must not include {name}, which is {other}'s"
        return None
    found = resolve(path, name, product)
    if found is None:
        return f"{path}: {name} is neither a header of {product} nor public"
    inside = found.resolve().relative_to(pathlib.Path().resolve())
    if inside.parts[0] != product:
        graph[product, inside.parts[0]] += 1
        if not str(inside).startswith(tuple(SHARED.get(product, ["-"]))):
            return f"{path}: {product} must not include {name}, an inside of {inside.parts[0]}"
    elif product == "core" and path.parts[1] in CORE and inside.parts[1] in CORE:
        if CORE.index(inside.parts[1]) > CORE.index(path.parts[1]):
            return f"{path}: {path.parts[1]} must not depend on {name}"
    return None


def check_names(product):
    places = collections.defaultdict(list)
    for path in sources_of(product):
        places[path.name].append(str(path))
    return [f"these have one name: {', '.join(paths)}" for paths in places.values() if len(paths) > 1]


def main():
    wrong, graph = [], collections.Counter()
    for product in BELOW:
        for path in sources_of(product):
            found = (check_include(path, name, product, graph) for name in INCLUDE.findall(path.read_text()))
            wrong += [sentence for sentence in found if sentence]
        wrong += check_names(product)
    for product in BELOW:
        others = [f"{other} ({graph[product, other]})" for other in BELOW if graph[product, other]]
        print(f"  {product} includes headers of: {', '.join(others) or 'no other product'}")
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


sys.exit(main())
