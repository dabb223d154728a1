#!/usr/bin/env python3
"""Draws mutants at random: every operator, constant, condition and assignment of every
core/, dense/, study/ or serve/ is as likely as any other.

  draw.py SEED COUNT BUILD     prints COUNT of them as JSON, for drawn.json

Those that the compiler refuses (its commands are those of the build folder) are drawn
again.  Each is written down with as much of its surroundings as names it uniquely in
the whole source, so that it is found again when files move.
"""

import importlib.machinery
import importlib.util
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("run", str(HERE / "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*",
         "&&": "||", "||": "&&", "+=": "-=", "-=": "+="}  # fmt: skip
OPERATOR = re.compile(r"(?<=[\w)\]] )(" + "|".join(map(re.escape, sorted(SWAPS, key=len, reverse=True))) + r")(?=\s)")
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.])")
ASSIGNMENT = re.compile(r"(?m)^ +([\w>.\[\]*()-]+(?<!return) [-+*/|&]?= [^;{}]*;)$")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
SOURCE = [p.read_text() for folder in run.SEARCHED for p in sorted((run.TREE / folder).rglob("*.[ch]"))]
HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|^#(?:[^\n]*\\\n)*[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.S | re.M)


def visible(text):
    """The text with comments, directives and strings blanked out, in place."""
    return HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def conditions(code):
    """The insides of if (...) and while (...)."""
    for head in re.finditer(r"\b(?:if|while) \(", code):
        depth, end = 1, head.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        yield head.end(), end - 1


def sites(text):
    """Every (start, end, new text, kind)."""
    code = visible(text)
    for m in OPERATOR.finditer(code):
        yield m.start(), m.end(), SWAPS[m.group()], f"{m.group()} becomes {SWAPS[m.group()]}"
    for m in NUMBER.finditer(code):
        new = "1" if float(m.group()) == 0 else f"(2 * {m.group()})"
        yield m.start(), m.end(), new, f"the constant {m.group()} becomes {new}"
    for start, end in conditions(code):
        yield start, end, f"!({text[start:end]})", "a condition is negated"
    for m in ASSIGNMENT.finditer(code):
        yield m.start(1), m.end(1), ";", "an assignment is dropped"


def surroundings(text, site):
    """(old, new): as few tokens around the site as are unique in the whole source."""
    start, end, new, _ = site
    code = COMMENT.sub(lambda m: " " * len(m.group()), text)
    before = [start] + [m.start() for m in run.TOKEN.finditer(code) if m.end() <= start][::-1]
    after = [end] + [m.end() for m in run.TOKEN.finditer(code) if m.start() >= end]
    for width in range(6, 60):
        for left in sorted(range(width + 1), key=lambda n: abs(2 * n - width)):
            if left >= len(before) or width - left >= len(after):
                continue
            first, last = before[left], after[width - left]
            old = text[first:last]
            if "/*" in old or "\n#" in old:
                continue
            wanted = run.pattern(old)
            if sum(len(wanted.findall(t)) for t in SOURCE) == 1:
                return [re.sub(r"\s+", " ", t) for t in (old, text[first:start] + new + text[end:last])]
    return None


def compiles(command, text):
    """Does the compiler take it, with warnings as errors?"""
    words = shlex.split(command["command"])
    source = pathlib.Path(command["directory"]) / command["file"]
    words[words.index("-o") + 1] = "/dev/null"
    words = [w for w in words if w not in ("-MD", "-MQ", "-MF") and not w.endswith((".o", ".o.d"))]
    words[words.index(command["file"]):] = ["-x", "c", "-I", str(source.parent), "-"]
    words = [w for w in words if w != "-c"]
    words.insert(-5, "-c")
    return subprocess.run(words, input=text, text=True, cwd=command["directory"], stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, check=False).returncode == 0  # fmt: skip


def main():
    seed, count, build = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    commands = {}
    for c in json.loads((build / "compile_commands.json").read_text()):
        commands.setdefault((pathlib.Path(c["directory"]) / c["file"]).resolve(), c)
    every = [(path, site) for product in ("core", "dense", "study", "serve")
             for path in sorted((run.TREE / product).rglob("*.c")) if "tests" not in path.parts for site in sites(path.read_text())]
    random.Random(seed).shuffle(every)
    drawn, refused = [], 0
    for path, site in every:
        text = path.read_text()
        context = path in commands and surroundings(text, site)
        if not context or not compiles(commands[path], text[:site[0]] + site[2] + text[site[1]:]):
            refused += 1
            continue
        line = text.count("\n", 0, site[0]) + 1
        drawn.append({"name": f"drawn-{len(drawn) + 1:02}", "breaks": f"{site[3]} ({path.name}, line {line} when drawn)",
                      "old": context[0], "new": context[1], "tests": []})  # fmt: skip
        if len(drawn) == count:
            break
    print(f"{len(every)} sites, {refused} refused before there were {count}", file=sys.stderr)
    print(json.dumps(drawn, indent=1))


if __name__ == "__main__":
    main()
