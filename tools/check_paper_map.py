"""docs/paper-map.md says where every line of the paper's algorithms is in the code: checks that it is there.

- Rows cover every line of an algorithm.
- A function that the page names is in the file that it names, if it names one; tests and paths exist.
- A row's tag, such as [HK12, Alg. 1, l. 9], stands at every function of its column "fast": above it or within it.
  A tag that stands elsewhere in these folders is reported too.
- A row's line numbers stand at the margin of every function of its column "as printed", such as /* l. 9 */, or as tags."""

import functools
import pathlib
import re
import sys

PAGE = pathlib.Path("docs/paper-map.md")
ORACLE = "paper"
# Headings of the tables: the tag without its line, and how many lines the paper prints.
ALGORITHMS = {
    "Algorithm 1": ("HK12, Alg. 1", 14),
    "Algorithm 2": ("HK12, Alg. 2", 18),
    "Procedure 3": ("HK12, Proc. 3", 14),
    "Algorithm 4": ("HK12, Alg. 4", 3),
    "AER": ("CSS11, AER", 0),
}
TAG = re.compile(r"\[((?:HK12, (?:Alg|Proc)\. \d, l\. [\d-]+)|(?:CSS11, AER, \w+))\]")
MARGIN = re.compile(r"/\* (?:l\. )?([\w-]+)")
DEFINITION = re.compile(r"^(?![ }#/]|typedef|struct|extern)[^\n;={]*?\b(\w+)\([^;{]*\) \{$(?:.*?)^\}[^\n]*", re.M | re.S)
COMMENT_ABOVE = re.compile(r"/\*(?:(?!\*/).)*\*/\n\Z", re.S)
NAMED = re.compile(r"((?:`\w+`(?:, )?)+) in `([^`]+)`")
WORD = re.compile(r"`([^`]+)`")


@functools.cache
def read(path: str) -> str:
    return pathlib.Path(path).read_text()


def joined(text: str) -> str:
    """A tag may be broken between two lines of a comment."""
    return re.sub(r"\s*\n \*\s+", " ", text)


@functools.cache
def functions(path: str) -> dict[str, str]:
    """The functions of a C file, with the comments above them."""
    text, found = read(path), {}
    for match in DEFINITION.finditer(text):
        above = COMMENT_ABOVE.search(text[: match.start()])
        found[match.group(1)] = joined((above.group() if above else "") + match.group())
    return found


def numbers(lines: str) -> set[int]:
    first, _, last = lines.partition("-")
    return set(range(int(first), int(last or first) + 1))


def named_in(cell: str) -> list[tuple[str, str]]:
    """The functions that a cell names, each with its file."""
    return [(name, path) for names, path in NAMED.findall(cell) for name in WORD.findall(names)]


def rows(page: str):
    """(heading, the cells) of every row of the tables of algorithms."""
    for part in re.split(r"^### ", page.split("\n## Statements")[0], flags=re.M)[1:]:
        heading = part.splitlines()[0].split(":")[0]
        for line in part.splitlines():
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if cells and cells[0] != "line" and not cells[0].startswith("---"):
                yield heading, cells


# ---- what the page names ---------------------------------------------------------------


def expanded(path: str) -> list[str]:
    """`file.[hc]` is two files."""
    return [path.replace("[hc]", c) for c in "hc"] if path.endswith("[hc]") else [path]


def check_named(page: str) -> list[str]:
    wrong = []
    for path in WORD.findall(page):
        if "/" in path and " " not in path and not all(pathlib.Path(p).exists() for p in expanded(path)):
            wrong.append(f"there is no {path}")
    for name, path in named_in(page):
        files = [p for p in expanded(path) if pathlib.Path(p).is_file()]
        if not any(name in functions(p) or defines(read(p), name) for p in files):
            wrong.append(f"{path} has no {name}")
    return wrong


def defines(text: str, name: str) -> bool:
    """A test in C or a class in Python; for data, its name."""
    return bool(re.search(rf"^(?:TEST\({name}\)|class {name}\b|static .*\b{name}\b)", text, re.M))


def check_unplaced(page: str) -> list[str]:
    """Functions and tests that the page names without a file are somewhere in the tree."""
    known, wrong = set(), []
    for path in sorted(pathlib.Path(".").glob("*/**/*.[ch]")):
        if not path.parts[0].startswith(("build", ".")):
            known |= set(re.findall(r"^TEST\((\w+)\)|\b(\w+)\(", read(str(path)), re.M))
    names = {name for pair in known for name in pair}
    for name in WORD.findall(page):
        if re.fullmatch(r"[a-z]\w*_\w+", name) and name not in names:
            wrong.append(f"there is no {name}")
    tests = {test for test, _ in known}
    for _, cells in rows(page):
        wrong += [f"{name} is not a test" for name in WORD.findall(cells[-1]) if name not in tests]
    return wrong


# ---- tags and margins ------------------------------------------------------------------


def check_margin(tag: str, line: str, name: str, path: str) -> str | None:
    body = functions(path).get(name, "")
    here = re.search(rf"\[{re.escape(tag)}\]", joined(read(path))) is not None  # the file is this algorithm's
    if not line[0].isdigit():
        good = here and line in MARGIN.findall(body)
    else:
        own = [n for m in MARGIN.findall(body) if here and m[0].isdigit() for n in numbers(m)]
        tags = [n for t in re.findall(rf"\[{re.escape(tag)}, l\. ([\d-]+)\]", body) for n in numbers(t)]
        good = numbers(line) <= set(own) | set(tags)
    return None if good else f"{path}: {name} does not show line {line} of [{tag}] at its margin"


def check_rows(page: str) -> list[str]:
    wrong, covered, claimed = [], {h: set() for h in ALGORITHMS}, set()
    for heading, cells in rows(page):
        tag, _ = ALGORITHMS[heading]
        line, printed, fast = cells[0], named_in(cells[2]), named_in(cells[3])
        full = f"{tag}, l. {line}" if line[0].isdigit() else f"{tag}, {line}"
        if line[0].isdigit():
            covered[heading] |= numbers(line)
        if not printed or not fast:
            wrong.append(f"[{full}]: the row names no function")
        wrong += [w for name, path in printed if (w := check_margin(tag, line, name, path))]
        for name, path in fast:
            claimed.add((full, name, path))
            if full not in TAG.findall(functions(path).get(name, "")):
                wrong.append(f"{path}: {name} has no tag [{full}]")
    for heading, (tag, count) in ALGORITHMS.items():
        missing = set(range(1, count + 1)) - covered[heading]
        wrong += [f"no row has line {line} of [{tag}]" for line in sorted(missing)]
    return wrong + check_strays(claimed)


def check_strays(claimed: set[tuple[str, str, str]]) -> list[str]:
    """Tags that no row claims."""
    wrong = []
    for root in sorted({path.split("/")[0] for _, _, path in claimed}):
        for path in sorted(str(p) for p in pathlib.Path(root).rglob("*.[ch]")):
            here = [(tag, name) for name, body in functions(path).items() for tag in TAG.findall(body)]
            if len(here) != len(TAG.findall(joined(read(path)))):
                wrong.append(f"{path}: a tag with a line stands at no function")
            wrong += [f"{path}: the page has no row [{t}] with {n}" for t, n in here if (t, n, path) not in claimed]
    return wrong


def main() -> int:
    page = PAGE.read_text()
    wrong = check_named(page)
    if not wrong:
        wrong = check_unplaced(page) + check_rows(page)
    for sentence in wrong:
        print(f"{PAGE}: {sentence}")
    return 1 if wrong else 0


sys.exit(main())
