#!/usr/bin/env python3
"""Runs what the pages show and compares it with what they print.

    tools/test_docs.py BUILD [--python PYTHON] [--renew] [PAGE ...]

A block is run if the line before it says so:

    <!-- run -->
    ```console
    $ scant fit clinic.csv -k 2 -q
    what it prints, standard error included
    ```

- All blocks of a page run in order in one scratch folder, which is removed afterwards.  BUILD is first in PATH, and the
  folder `build` there holds its programs too.
- `$ cat FILE` with a FILE that no command has made writes it: a page shows the files that it uses.
- The text must be the same, but for blanks at the ends of lines, times (2026-11-15T16:19:34Z, 2026-11-15T17:19:34+01:00) and the scratch folder's path,
  tokens (scant_ and 43 letters), codes (#code=) and ports of this machine (127.0.0.1:8765).
- `<!-- run tolerance=1e-6 -->`: numbers may differ by this share of their size, and blanks by their number; numbers below
  1e-12 in size are 0.  It is for algorithms on LAPACK, whose last bits depend on the BLAS.
- `<!-- run data=heart,thyroid -->`: the folders `heart` and `thyroid` of the folder named by the environment variable
  SCANT_DATA are in the scratch folder.  Where they are not to be had, the block is skipped and counted.
- `<!-- run files=costs.md -->`: the files that this other page shows by `$ cat FILE` are there.
- `<!-- run needs=study -->`: skipped where scant was built without SQLite.
- `<!-- run needs=serve -->`: skipped where scant was built without libmicrohttpd, or there is no curl or jq.
- A block of ```python is a doctest; those of a page share their names, and --python names the interpreter that has the
  package.  Without it they are skipped.

--renew writes what the commands print into the pages where it is not what they say: read the difference before it is
committed.  (Not of Python.)

A block with lines that begin with `$ ` or `>>> ` and is not marked is a failure, and so is a link to a page, a heading or a
file that is not there, or `src/none.c` in backquotes.  The last line counts: commands, pages of Python, and pages of links.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SECONDS = 600  # a command that takes longer hangs
MARK = re.compile(r"<!-- run((?: [a-z]+=\S+)*) -->")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)")
VARYING = ((TIME, "TIME"), (re.compile(r"\bscant_[\w-]{43}(?![\w-])"), "TOKEN"),
           (re.compile(r"#code=[\w-]{43}(?![\w-])"), "#code=CODE"), (re.compile(r"\b127\.0\.0\.1:\d+"), "127.0.0.1:PORT"))
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
FOLDERS = ("command", "core", "demo", "dense", "docs", "lab", "paper", "python", "serve", "study", "tools")  # of the repository
OPTIONS = {"tolerance", "data", "files", "needs"}
SHOWN = re.compile(r"cat ([\w.-]+)")


class BadPage(Exception):
    """A page that breaks the rules above."""


@dataclasses.dataclass
class Block:
    line: int  # of its first line of text, from 1
    language: str
    options: dict
    text: list


def blocks(text):
    """The marked blocks of a page."""
    found, mark, inside = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        if inside is not None:
            if line.startswith("```"):
                if inside.options is None and any(t.startswith(("$ ", ">>> ")) for t in inside.text):
                    raise BadPage(f"line {inside.line}: a block with commands that is not marked by <!-- run -->")
                if inside.options is not None:
                    found.append(inside)
                inside, mark = None, None
            else:
                inside.text.append(line)
        elif match := MARK.fullmatch(line):
            mark = dict(word.split("=", 1) for word in match[1].split())
            if set(mark) - OPTIONS:
                raise BadPage(f"line {number}: unknown option of a mark: {', '.join(sorted(set(mark) - OPTIONS))}")
        elif line.startswith("<!-- run"):
            raise BadPage(f"line {number}: a mark that is none: {line}")
        elif line.startswith("```"):
            inside = Block(number + 1, line[3:].strip(), mark, [])
        elif mark is not None:
            raise BadPage(f"line {number}: <!-- run --> is not followed by a block")
        elif line.startswith("    $ "):
            raise BadPage(f"line {number}: commands with their output are in a block of ```console, marked by <!-- run -->")
    if inside is not None or mark is not None:
        raise BadPage("a block does not end")
    return found


def steps(block):
    """(line, command, what it should print) of a block of ```console.  A command ending in a backslash goes on."""
    found = []
    lines = iter(enumerate(block.text, block.line))
    for number, line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command += "\n" + next(lines)[1]
            found.append((number, command, []))
        elif found:
            found[-1][2].append(line)
        else:
            raise BadPage(f"line {number}: output before the first command")
    return [(number, command, "\n".join(shown)) for number, command, shown in found]


def plain(text, folder):
    """Text without blanks at the ends of lines and without the scratch folder's path."""
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return "\n".join(lines).replace(str(folder), "FOLDER")


def steady(text):
    """Text without what is another one each time."""
    for pattern, word in VARYING:
        text = pattern.sub(word, text)
    return text


def same(printed, expected, tolerance=None):
    """Is it the same text, numbers within the tolerance?"""
    if tolerance is None:
        return printed == expected
    words = [" ".join(NUMBER.sub("#", text).split()) for text in (printed, expected)]
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (printed, expected)]
    return words[0] == words[1] and all(
        abs(a - b) <= max(tolerance * max(abs(a), abs(b)), 1e-12) for a, b in zip(*numbers, strict=True))


class Counts:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def fail(self, where, what):
        self.failed += 1
        print(f"FAILED {where}\n{what}\n", flush=True)

    def skip(self, where, why, count=1):
        self.skipped += count
        print(f"skipped {where}: {why}", flush=True)


class Folder:
    """The scratch folder of a page."""

    def __init__(self, path, build, root):
        self.path, self.root = path, root
        programs = path / "build"
        programs.mkdir()
        for entry in build.iterdir():
            if entry.name == "demo" or (entry.is_file() and os.access(entry, os.X_OK)):
                (programs / entry.name).symlink_to(entry)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "NO_COLOR"}
        self.environment = {**kept, "LC_ALL": "C.UTF-8", "PATH": f"{programs}:{os.environ['PATH']}"}

    def run(self, words, **options):
        done = subprocess.run(words, cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, **options)
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def has_studies(self):
        return "without SQLite" not in self.run(["scant", "study", "status", "none"])[1]

    def has_service(self):
        return (shutil.which("curl") and shutil.which("jq")
                and "without" not in self.run(["scant", "token", "list", "none"])[1])

    def lacks(self, options):
        """Why a block can't be run here, or None."""
        if options.get("needs") == "study" and not self.has_studies():
            return "this scant has no studies"
        if options.get("needs") == "serve" and not self.has_service():
            return "this scant has no service, or there is no curl or jq"
        for name in options.get("data", "").split(",") if "data" in options else []:
            data = os.environ.get("SCANT_DATA")
            if not data:
                return "SCANT_DATA does not name a folder of data sets"
            place = pathlib.Path(data, name).resolve()
            if not place.exists():
                return f"SCANT_DATA has no '{name}'"
            if not (self.path / name).exists():
                (self.path / name).symlink_to(place)
        return None


def show(command, printed, expected):
    def indent(text):
        return "\n".join("    " + line for line in text.splitlines()) or "    (nothing)"
    return f"  $ {command}\n  the page says\n{indent(expected)}\n  it prints\n{indent(printed)}"


def borrow(page, folder):
    """Writes the files that a page shows, unless they are there."""
    for block in blocks(page.read_text()):
        for _, command, shown in steps(block) if block.language == "console" else []:
            name = SHOWN.fullmatch(command)
            if name and not (folder.path / name[1]).exists():
                (folder.path / name[1]).write_text(shown.rstrip() + "\n")


def run_block(page, block, folder, counts, renewed):
    found = steps(block)
    if why := folder.lacks(block.options):
        counts.skip(f"{page}:{block.line}", why, len(found))
        return
    if "files" in block.options:
        borrow((folder.root / page).parent / block.options["files"], folder)
    tolerance = float(block.options["tolerance"]) if "tolerance" in block.options else None
    for number, command, expected in found:
        name = SHOWN.fullmatch(command)
        if name and not (folder.path / name[1]).exists():
            (folder.path / name[1]).write_text(expected.rstrip() + "\n")
        try:
            printed = folder.run(["sh", "-c", command])[1]
        except subprocess.TimeoutExpired:
            counts.fail(f"{page}:{number}", f"  $ {command}\n  takes more than {SECONDS} seconds")
            continue
        said, printed = plain(expected, folder.path), plain(printed, folder.path)
        if same(steady(printed), steady(said), tolerance):
            counts.passed += 1
        elif renewed is not None:
            first = number + command.count("\n")  # from 0: the line after the command
            renewed.append((first, len(expected.splitlines()), printed.splitlines()))
            counts.passed += 1
        else:
            counts.fail(f"{page}:{number}", show(command, printed, said))


def run_python(page, found, folder, python, counts):
    """The blocks of Python, each on its own lines, as one doctest."""
    if not python:
        counts.skip(page, "its Python is run where --python names an interpreter that has the package")
        return
    lines = [""] * max(b.line + len(b.text) for b in found)
    for block in found:
        lines[block.line - 1:block.line - 1 + len(block.text)] = block.text
    script = folder.path / "page.txt"
    script.write_text("\n".join(lines) + "\n")
    code, printed = folder.run([python, "-m", "doctest", "-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE", script.name])
    if code:
        counts.fail(page, printed)
    else:
        counts.passed += 1


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for line in re.sub(r"^```.*?^```", "", text, flags=re.M | re.S).splitlines():
        if match := re.match(r"#+ +(.*)", line):
            words = re.sub(r"[^\w\- ]", "", match[1].lower())
            found.add(words.replace(" ", "-"))
    return found


def dead_links(page, root):
    """The links of a page to what is not in the repository."""
    text = (root / page).read_text()
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (root / page).parent / path if path else root / page
        if not file.exists() or (anchor and anchor not in anchors(file.read_text())):
            dead.append(target)
    return dead


def renew(path, renewed):
    """Puts what was printed into a page, from its end on so that the numbers of lines hold."""
    lines = path.read_text().splitlines()
    for first, count, printed in reversed(renewed):
        lines[first:first + count] = printed
    path.write_text("\n".join(lines) + "\n")


def dead_paths(page, root):
    """Files that a page names in backquotes, `core/base/rng.c` or `core/base/rng.[hc]`, and that are not there."""
    named = re.findall(r"`((?:%s)/[\w./\[\]-]+)`" % "|".join(FOLDERS), (root / page).read_text())
    return [name for name in named if not any(root.glob(name.rstrip("/")))]


def run_page(page, root, build, python, counts, renewed):
    if dead := dead_links(page, root) + dead_paths(page, root):
        counts.fail(page, "  it names what is not there: " + ", ".join(dead))
    else:
        counts.passed += 1
    try:
        found = blocks((root / page).read_text())
        with tempfile.TemporaryDirectory(prefix="scant-docs-") as scratch:
            folder = Folder(pathlib.Path(scratch).resolve(), build, root)
            for block in found:
                if block.language != "python":
                    run_block(page, block, folder, counts, renewed)
            code = [block for block in found if block.language == "python"]
            if code and (why := next(filter(None, (folder.lacks(block.options) for block in code)), None)):
                counts.skip(page, why)
            elif code:
                run_python(page, code, folder, python, counts)
        if renewed:
            renew(root / page, renewed)
            print(f"renewed {page}: {len(renewed)}")
    except BadPage as error:
        counts.fail(page, f"  {error}")


def pages(root):
    return ["README.md", "CONTRIBUTING.md"] + sorted(f"docs/{path.name}" for path in (root / "docs").glob("*.md"))


def main(words):
    parser = argparse.ArgumentParser(description="Runs what the pages show.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--python", help="an interpreter that has the package")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="where the pages are")
    parser.add_argument("--renew", action="store_true", help="put what is printed into the pages")
    parser.add_argument("pages", nargs="*")
    given = parser.parse_intermixed_args(words)
    python = os.path.abspath(given.python) if given.python else None
    counts = Counts()
    for page in given.pages or pages(given.root):
        run_page(page, given.root.resolve(), given.build.resolve(), python, counts,
                 [] if given.renew else None)
    print(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    return 1 if counts.failed or not counts.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
