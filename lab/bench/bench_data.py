"""What the benches share: their command lines, running scant, results that are kept, the tables of a folder of data sets,
and made-up data with common factors."""
import argparse
import array
import csv
import gzip
import json
import pathlib
import random
import subprocess
import threading

SPLIT = {"communities", "melting-point", "heart"}  # one file each, of which a tenth is held out
FACTORS = 10
splitting = threading.Lock()


def parser_of(doc, *places, **options):
    """A parser whose help is the text of a bench: places are texts, and options are of the type of their defaults."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for place in places:
        parser.add_argument(place)
    for name, default in options.items():
        flag = ("--" if len(name) > 1 else "-") + name.replace("_", "-")
        if default is False:
            parser.add_argument(flag, action="store_true")
        else:
            parser.add_argument(flag, type=str if default is None else type(default), default=default)
    return parser


def scant(build, *words):
    """What the command prints; its complaint ends the bench."""
    done = subprocess.run([f"{build}/scant", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"scant {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def read_kept(path):
    """Results that were kept in a file, by what they are of."""
    kept = json.loads(path.read_text()) if path and path.exists() else {}
    return {tuple(json.loads(key)): result for key, result in kept.items()}


def keep(path, results):
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({json.dumps(key): result for key, result in results.items()}))


# ---- tables ---------------------------------------------------------------


def read_rows(path):
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        return list(csv.reader(file))


def write_rows(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def write_npy(path, shape, values=None):
    """Without values, zeros that take no room."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        if values:
            values.tofile(out)
        else:
            out.truncate(out.tell() + 8 * shape[0] * shape[1])


def find_table(folder, *names):
    """The first of the names that the folder has, as CSV or NPY."""
    for name in names:
        for ending in (".csv", ".csv.gz", ".npy"):
            if (folder / (name + ending)).exists():
                return folder / (name + ending)
    raise SystemExit(f"there is no {names[0]}.csv in {folder}")


def split_table(data, name, seed, scratch):
    """The training and the test file of a set; those that come as one file are split by the seed."""
    folder = pathlib.Path(data) / name
    if name not in SPLIT:
        return find_table(folder, "train"), find_table(folder, "test")
    made = [scratch / f"{name}-{seed}-{part}.csv" for part in ("train", "test")]
    with splitting:
        if not made[1].exists():
            head, *rows = read_rows(find_table(folder, name, "train"))
            random.Random(seed).shuffle(rows)
            for path, some in zip(made, (rows[len(rows) // 10 :], rows[: len(rows) // 10])):
                write_rows(path, [head] + some)
    return made


def read_targets(path):
    if path.suffix == ".npy":
        import numpy

        return numpy.load(path.with_name(path.stem + "-y.npy")).tolist()
    return [float(row[-1]) for row in read_rows(path)[1:]]


# ---- made-up data ---------------------------------------------------------


def write_factors(folder, name, rows, columns, seed):
    """Common factors and noise: FOLDER/x-NAME.npy and FOLDER/y-NAME.npy."""
    rng = random.Random(seed)
    loads = [[rng.gauss(0, 1) for _ in range(FACTORS)] for _ in range(columns)]
    x, y = array.array("d"), array.array("d")
    for _ in range(rows):
        f = [rng.gauss(0, 1) for _ in range(FACTORS)]
        x.extend(sum(a * b for a, b in zip(row, f)) + rng.gauss(0, 2) for row in loads)
        y.append(f[0] + f[1] + rng.gauss(0, 0.5))
    write_npy(f"{folder}/x-{name}.npy", (rows, columns), x)
    write_npy(f"{folder}/y-{name}.npy", (rows,), y)
