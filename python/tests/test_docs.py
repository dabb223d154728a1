"""What docstrings show is what happens (`make test-docs` runs the pages), and the page on Python is whole."""

import doctest
import pathlib
import re

import pytest

import scant
from scant import _library

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("thing", [scant.Learner, scant.MeteredSource, scant.Study])
def test_docstrings(thing):
    if thing is scant.Study and not _library.HAS_STUDY:
        pytest.skip("this build has no studies")
    runner = doctest.DocTestRunner()
    for test in doctest.DocTestFinder(recurse=False).find(thing, globs={}):
        runner.run(test)
    assert runner.summarize().attempted and not runner.failures


def test_python_page_names_every_public_name():
    page = (ROOT / "docs" / "python.md").read_text()
    for name in scant.__all__:
        assert re.search(rf"\b{name}\b", page), name
