"""What the tests of the command share: running it, making small files, and
reading back what it wrote.  Standard library only; the binary is named by the
environment variable SCANT, and that of the lab by SCANT_LAB (else it is beside it)."""
import concurrent.futures
import functools
import gzip
import json
import math
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest

SCANT = os.environ.get("SCANT")
if not SCANT:
    raise SystemExit("set SCANT to the path of the command")
SCANT = os.path.abspath(SCANT)
LAB = os.path.abspath(os.environ.get("SCANT_LAB") or os.path.join(os.path.dirname(SCANT), "scant-lab"))

# The command syncs what it writes, which takes long on a slow disk.
FAST_FOLDER = "/dev/shm" if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK | os.X_OK) else None

SECONDS = 120  # a command that takes longer hangs

DONE, OTHER, USAGE, DATA, NO_INPUT, IO = 0, 1, 2, 65, 66, 74

SANITIZERS = re.compile(r"AddressSanitizer|LeakSanitizer|ThreadSanitizer|UndefinedBehaviorSanitizer|runtime error:")


# ---- running ----------------------------------------------------------------

class Run:
    """How one run of the command ended."""

    def __init__(self, arguments, code, out, err):
        self.arguments, self.code, self.out, self.err = arguments, code, out, err

    def __str__(self):
        words = " ".join(str(a) for a in self.arguments)
        return f"scant {words}\nexit code {self.code}\nstdout: {self.out[:200]!r}\nstderr: {self.err[:600]!r}"

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def crashed(self):
        return self.code < 0 or SANITIZERS.search(self.err) is not None


def environment(**changes):
    """The environment of this process, without what changes the output."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM") and not k.startswith("LC_")}
    return {**kept, "LC_ALL": "C", "TERM": "xterm", **changes}


def run(*arguments, cwd=None, env=None, stdout=subprocess.PIPE, room=None, program=SCANT):
    """room: files may not grow beyond so many bytes, as on a full disk."""
    words = [str(a) for a in arguments]
    limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))) if room else None
    done = subprocess.run([program, *words], cwd=cwd, env=env or environment(), stdin=subprocess.DEVNULL, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit, restore_signals=not room)
    out = done.stdout.decode("utf-8", "replace") if done.stdout is not None else ""
    return Run(words, done.returncode, out, done.stderr.decode("utf-8", "replace"))


def run_all(commands, cwd):
    """The runs of many commands, as many at once as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda words: run(*words, cwd=cwd), commands))


class CommandTest(unittest.TestCase):
    """A test with a folder of its own, in which the command runs."""

    maxDiff = None
    program = SCANT

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="scant-test-", dir=FAST_FOLDER)
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        """Writes text or bytes; returns the name, which is enough for the command."""
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def model(self, name="model.json"):
        return json.loads(self.read(name))

    def run_command(self, *arguments, **options):
        result = run(*arguments, cwd=self.folder, program=self.program, **options)
        self.assertFalse(result.crashed, f"it crashed: {result}")
        return result

    def succeeds(self, *arguments, **options):
        result = self.run_command(*arguments, **options)
        self.assertEqual(result.code, DONE, str(result))
        return result

    def check_refusal(self, result, code, *words, begins="scant"):
        """The exit code; one sentence with these words; nothing on standard output."""
        self.assertFalse(result.crashed, f"it crashed: {result}")
        self.assertEqual(result.code, code, str(result))
        self.assertEqual(result.out, "", f"it printed a result: {result}")
        sentences = [line for line in result.err.splitlines() if line.startswith(begins)]
        self.assertEqual(len(sentences), 1, f"one sentence is expected: {result}")
        for word in words:
            self.assertIn(word, sentences[0], str(result))
        return sentences[0]

    def refuses(self, code, words, *arguments):
        """As check_refusal, and the folder is as it was before."""
        before = {name: self.read(name) for name in self.files()}
        result = self.run_command(*arguments)
        sentence = self.check_refusal(result, code, *([words] if isinstance(words, str) else words))
        self.assertEqual({name: self.read(name) for name in self.files()}, before, f"it changed files: {result}")
        return sentence

    def files(self):
        return sorted(n for n in os.listdir(self.folder) if os.path.isfile(self.path(n)))

    def fit(self, data, *options, model="model.json"):
        """Fits and returns (the JSON object printed, the model)."""
        printed = self.succeeds("fit", data, "-q", "--json", "-o", model, *options).json
        return printed, self.model(model)

    def weights(self, data, *options):
        return self.fit(data, *options)[1]["weights"]

class TwoTablesTest(CommandTest):
    """A table to learn from in data.csv, and another one in other.csv."""

    def setUp(self):
        super().setUp()
        self.table = Table(40, DIMENSION)
        self.other = Table(25, DIMENSION, seed=3)
        self.write("data.csv", self.table.csv())
        self.write("other.csv", self.other.csv())



class LabTest(CommandTest):
    """The same of the lab's program."""

    program = LAB


# ---- tables -----------------------------------------------------------------

class Table:
    """Rows of attributes with a target, within the bounds of every theorem (the
    norm of 16 attributes is at most 1) and written exactly in few decimal
    digits."""

    def __init__(self, rows, dimension, seed=1):
        draw = random.Random(seed)
        self.names = [f"a{i}" for i in range(dimension)]
        self.x = [[draw.randint(-1024, 1024) / 4096 for _ in range(dimension)] for _ in range(rows)]
        w = [draw.choice((-1, 1)) * draw.random() for _ in range(dimension)]
        norm = sum(abs(v) for v in w)
        self.y = [round(4096 * sum(a * b for a, b in zip(w, x)) / norm) / 1024 for x in self.x]

    def with_labels(self, *labels):
        """The sign of the target as one of two labels."""
        self.y = [labels[y > 0] for y in self.y]
        return self

    def scaled(self, factor):
        self.x = [[v * factor for v in x] for x in self.x]
        return self

    def part(self, first, last):
        cut = Table(0, 0)
        cut.names, cut.x, cut.y = self.names, self.x[first:last], self.y[first:last]
        return cut

    def csv(self, header=True, target="y"):
        lines = [",".join([*self.names, target])] if header else []
        lines += [",".join(str(v) for v in [*x, y]) for x, y in zip(self.x, self.y)]
        return "\n".join(lines) + "\n"

    def libsvm(self, base=1):
        return "".join(str(y) + "".join(f" {i + base}:{v}" for i, v in enumerate(x) if v) + "\n"
                       for x, y in zip(self.x, self.y))


def csv(names, rows):
    return ",".join(names) + "\n" + "".join(",".join(str(v) for v in row) + "\n" for row in rows)


# ---- binary formats, by hand ------------------------------------------------

NPY_CODES = {"f4": "f", "f8": "d", "u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q",
             "i8": "q", "b1": "?"}


def npy_header(text, version=1):
    body = text.encode() + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(body)) + body


def npy(values, descr="<f8", fortran=False, version=1):
    """A list of numbers or a list of rows, as numpy.save writes it."""
    rows = values if values and isinstance(values[0], list) else [[v] for v in values]
    shape = (len(values), len(rows[0])) if rows is values else (len(values),)
    flat = [v for column in zip(*rows) for v in column] if fortran else [v for row in rows for v in row]
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    order = descr[0].replace("|", "<")
    return npy_header(header, version) + struct.pack(f"{order}{len(flat)}{NPY_CODES[descr[1:]]}", *flat)


IDX_CODES = {0x08: "B", 0x09: "b", 0x0B: "h", 0x0C: "i", 0x0D: "f", 0x0E: "d"}


def idx(values, shape, code=0x08):
    head = bytes([0, 0, code, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    return head + struct.pack(f">{len(values)}{IDX_CODES[code]}", *values)


def gz(content):
    return gzip.compress(content.encode() if isinstance(content, str) else content, mtime=0)


# ---- models -----------------------------------------------------------------

def fnv1a(data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def seal(body):
    """A model file from everything before its checksum."""
    body = body.encode() if isinstance(body, str) else body
    return body + b',\n  "checksum": "%016x"\n}\n' % fnv1a(body)


def sealed(model):
    """A model file from its fields, with a checksum that agrees."""
    fields = {k: v for k, v in model.items() if k != "checksum"}
    return seal(json.dumps(fields, ensure_ascii=False)[:-1])


def predict(model, x):
    if "low" in model:
        x = [min(max(v, low), high) for v, low, high in zip(x, model["low"], model["high"])]
    return math.fsum([model["intercept"], *(w * v for w, v in zip(model["weights"], x))])


def score(predictions, y):
    """What eval should say, computed another way."""
    n = len(y)
    errors = [p - t for p, t in zip(predictions, y)]
    mean = math.fsum(y) / n
    spread = math.fsum((t - mean) ** 2 for t in y)
    signs = all(abs(t) == 1 for t in y)
    return {
        "examples": n,
        "squared_error": math.fsum(e * e for e in errors) / n,
        "absolute_error": math.fsum(abs(e) for e in errors) / n,
        "r2": 1 - math.fsum(e * e for e in errors) / spread if spread else None,
        "accuracy": sum(p * t > 0 for p, t in zip(predictions, y)) / n if signs else None,
    }


# ---- the tables of the command ----------------------------------------------

LEARNER_OPTIONS = {"radius", "eta", "penalty", "loss", "norm", "tube", "smoothing", "residual-looks", "replacement",
                   "center", "average", "x-bound"}


class Row:
    """One row of 'scant algorithms'."""

    def __init__(self, name, facts):
        self.name = name
        self.options = facts["options"].split()
        self.defaults = dict(p.split("=") for p in facts.get("defaults", "").split())
        self.whole = facts["K holds"].startswith("as d")  # looks at everything: takes no K and one pass
        self.dense = "memory" in facts
        self.one_pass = self.whole or self.dense
        self.strict = self.whole or facts["K holds"] == "for every example"
        self.stopped = "stopped" in facts["estimate"]
        self.k = () if self.whole else ROW_K

    def only(self, *words):
        """Those of these flags, with their values, that the row takes, and all that are not the algorithm's."""
        kept, keep = [], True
        for word in map(str, words):
            if word.startswith("--"):
                name = word.removeprefix("--")
                keep = name in self.options or name not in LEARNER_OPTIONS
            if keep:
                kept.append(word)
        return kept


@functools.lru_cache
def algorithms():
    """The rows that learn example by example; reference_test.py has the others."""
    rows = []
    for block in run("algorithms").out.strip().split("\n\n"):
        head, *lines = block.split("\n")
        name = head.split(":")[0]
        if not name.startswith("full-") and name != "default":
            rows.append(Row(name, {line[2:13].strip(): line[13:].strip() for line in lines}))
    return rows


class Option:
    """One option as 'scant help COMMAND' lists it."""

    def __init__(self, group, usage, help_text):
        self.group, self.help = group, help_text
        self.flags = re.findall(r"(?:^|, )(--?[a-z-]+)", usage)
        self.takes_value = " " in usage.split(", ")[-1]
        self.default = m.group(1) if (m := re.search(r"\[([^\]]*?)(?:, or what the algorithm has)?\]$", help_text)) else None

    @property
    def flag(self):
        return self.flags[-1]


def options(command):
    found, group = [], None
    for line in run("help", *command.split()).out.split("\n"):
        if line.endswith(":") and not line.startswith(" "):
            group = line[:-1]
        elif m := re.match(r"  (-\S.*?)(?:  +| (?=\S+$))(.*)$", line) if line.startswith("  -") else None:
            found.append([group, m.group(1), m.group(2)])
        elif line.startswith(" " * 27) and found:
            found[-1][2] += " " + line.strip()
    return [Option(*f) for f in found]


# K that every row takes, with one pass and with two, of tables this wide.
DIMENSION = 16
ROW_K = ("-k", "12")
K = ("--algorithm", "aerr", *ROW_K)  # the paper's first


def for_each_row(test):
    """A test of a row and the words that ask for it, run for every row."""
    @functools.wraps(test)
    def run_rows(self):
        for row in algorithms():
            with self.subTest(algorithm=row.name):
                test(self, row, ("--algorithm", row.name, *row.k))
    return run_rows
