"""Writes a version script for the linker: what these headers declare is visible, and no more.

visible.py SCRIPT HEADER ...

The libraries beside libscant use some of its insides, so those are exported; but the package has
everything in one library, and nobody else should see them.
"""

import pathlib
import re
import sys


def main(script, *headers):
    text = "".join(pathlib.Path(header).read_text() for header in headers)
    names = re.findall(r"^SCANT_API[^;(]*?(\w+)\(", text, re.MULTILINE)
    names.append("scant_python_*")
    pathlib.Path(script).write_text(
        "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local: *;\n};\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
