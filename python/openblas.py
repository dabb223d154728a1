"""Prepares a build on the OpenBLAS of the Python package scipy-openblas32.

openblas.py HEADER

Every function there has the prefix scipy_, so that it meets no other BLAS in the process.  HEADER is
written; a compiler that includes it first makes our sources call those names.  So the sources keep the
plain names, and no list of what they call has to be kept.  Prints, a line each, the folder of the headers,
the folder of the libraries, and the file of the licence.

The package is found and not imported: to import it would load its library for the whole process.
"""

import importlib.metadata
import importlib.util
import pathlib
import re
import sys

TOP = """\
/* Written by python/openblas.py: the names that functions have in scipy-openblas32. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* its headers need cpu_set_t */
#endif
"""


def names(folder):
    """What its headers declare, without the prefix (which some of its versions leave to us)."""
    text = "".join((folder / header).read_text() for header in ("cblas.h", "lapacke.h"))
    return sorted(set(re.findall(r"\b(?:scipy_)?((?:cblas|openblas|LAPACKE)_\w+)\s*\(", text)))


def main(header):
    found = importlib.util.find_spec("scipy_openblas32")
    if not found:
        sys.exit(f"there is no scipy-openblas32 for {sys.executable}: install it with pip")
    folder = pathlib.Path(found.submodule_search_locations[0])
    licence = next(file for file in importlib.metadata.files("scipy-openblas32") if file.name == "LICENSE.txt")
    lines = (f"#define {name} scipy_{name}\n" for name in names(folder / "include"))
    pathlib.Path(header).write_text(TOP + "".join(lines))
    print(folder / "include", folder / "lib", licence.locate(), sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
