"""What documentation shows is what happens."""

import doctest
import pathlib
import re

import pytest

import scant
from scant import _library

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_pages(page):
    if page == "docs/python.md" and not _library.HAS_STUDY:
        pytest.skip("the page shows studies, which this build leaves out")
    failed, tried = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried and not failed


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
