"""A test of the tests of the pages: what tools/test_docs.py says of pages that are right, wrong, or
break its rules."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "test_docs.py"
BUILD = pathlib.Path(os.environ["SCANT"]).resolve().parent


def block(*lines, mark="<!-- run -->", language="console"):
    return "\n".join([mark, "```" + language, *lines, "```", ""])


class Docs(unittest.TestCase):
    def check(self, text, counts, *words, data=None, python=None, other=None):
        """The counts of a page with this text, and words that the report holds."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "page.md").write_text(text)
            if other:
                pathlib.Path(folder, "other.md").write_text(other)
            env = {k: v for k, v in os.environ.items() if k != "SCANT_DATA"}
            if data:
                env["SCANT_DATA"] = folder
                pathlib.Path(folder, data).mkdir()
                pathlib.Path(folder, data, "a.csv").write_text("x,y\n")
            done = subprocess.run(
                [sys.executable, SCRIPT, BUILD, "--root", folder, *(["--python", python] if python else []), "page.md"],
                env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        passed, failed, skipped = counts
        self.assertEqual(done.stdout.splitlines()[-1], f"{passed} passed, {failed} failed, {skipped} skipped", done.stdout)
        self.assertEqual(done.returncode, 1 if failed or not passed else 0)
        for word in words:
            self.assertIn(word, done.stdout)

    # every page has one test more: that of its links

    def test_a_page_that_is_right(self):
        self.check(block("$ echo one", "one", "$ printf 'a\\n\\nb\\n'", "a", "", "b"), (3, 0, 0))

    def test_a_page_that_is_wrong(self):
        self.check(block("$ echo one", "two"), (1, 1, 0), "page.md:3", "$ echo one", "the page says")
        self.check(block("$ echo one"), (1, 1, 0))
        self.check(block("$ true", "one"), (1, 1, 0), "(nothing)")

    def test_tokens_codes_and_ports_vary(self):
        secret = 42 * "a" + "-"
        self.check(block(f"$ echo scant_{secret}", "scant_" + 43 * "B"), (2, 0, 0))
        self.check(block(f"$ echo http://127.0.0.1:4711/#code={secret}", f"http://127.0.0.1:8765/#code={43 * 'C'}"), (2, 0, 0))
        self.check(block(f"$ echo scant_{secret}b", f"scant_{secret}a"), (1, 1, 0))
        self.check(block("$ echo http://10.0.0.1:4711/", "http://10.0.0.1:8765/"), (1, 1, 0))

    def test_standard_error_is_printed_too(self):
        self.check(block("$ echo one >&2", "one"), (2, 0, 0))

    def test_the_command_is_found(self):
        self.check(block("$ scant nonsense | head -1", "$ build/scant version | wc -l", "1"), (2, 1, 0), "nonsense")

    def test_a_command_of_two_lines(self):
        self.check(block("$ echo one \\", "    two", "one two"), (2, 0, 0))

    def test_a_page_shows_its_files(self):
        self.check(block("$ cat a.csv", "x,y", "1,2", "$ wc -l < a.csv", "2"), (3, 0, 0))
        self.check(block("$ echo 1 > a", "$ cat a", "2"), (2, 1, 0))  # a file that a command made is compared

    def test_blocks_of_a_page_share_a_folder(self):
        self.check(block("$ echo 1 > a") + block("$ cat a", "1"), (3, 0, 0))

    def test_files_of_another_page(self):
        other = block("$ cat a.csv", "x,y", "1,2")
        self.check(block("$ wc -l < a.csv", "2", mark="<!-- run files=other.md -->"), (2, 0, 0), other=other)
        self.check(block("$ test -e a.csv || echo none", "none"), (2, 0, 0), other=other)

    def test_times_and_the_folder_are_masked(self):
        self.check(block("$ date -u +%Y-%m-%dT%H:%M:%SZ", "2001-01-01T00:00:00Z", "$ pwd", "FOLDER"), (3, 0, 0))

    def test_numbers_are_exact_unless_a_tolerance_is_given(self):
        self.check(block("$ echo 1.0000001", "1.0000002"), (1, 1, 0))
        loose = "<!-- run tolerance=1e-6 -->"
        self.check(block("$ echo a 1.0000001  2,000 -3e-5", "a 1.0000002 2,000 -3e-5", mark=loose), (2, 0, 0))
        self.check(block("$ echo 1.00001", "1.00002", mark=loose), (1, 1, 0))
        self.check(block("$ echo 0", "1e-9", mark=loose), (1, 1, 0))
        self.check(block("$ echo 3e-16", "0", mark=loose), (2, 0, 0))
        self.check(block("$ echo nan", "1", mark=loose), (1, 1, 0))
        self.check(block("$ echo a 1", "b 1", mark=loose), (1, 1, 0))
        self.check(block("$ echo 1 2", "1", mark=loose), (1, 1, 0))

    def test_data_that_are_not_there_are_skipped_and_counted(self):
        page = block("$ cat heart/a.csv", "x,y", "$ echo 1", "1", mark="<!-- run data=heart -->")
        self.check(page, (1, 0, 2), "SCANT_DATA")
        self.check(page, (1, 0, 2), "has no 'heart'", data="thyroid")
        self.check(page, (3, 0, 0), data="heart")

    def test_python_is_a_doctest_of_the_page(self):
        page = block(">>> a = 1", language="python") + block(">>> a + 1", "2", language="python")
        self.check(page, (2, 0, 0), python=sys.executable)
        self.check(page.replace("2", "3"), (1, 1, 0), "page.txt", python=sys.executable)
        self.check(page, (1, 0, 1))

    def test_renewing(self):
        page = block("$ echo one", "$ printf '1\\n2\\n'", "1", "$ echo \\", "  three", "3", "4", "$ echo 5", "5") + "the end\n"
        right = block("$ echo one", "one", "$ printf '1\\n2\\n'", "1", "2", "$ echo \\", "  three", "three", "$ echo 5",
                      "5") + "the end\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "page.md")
            for before in (page, right):
                path.write_text(before)
                subprocess.run([sys.executable, SCRIPT, BUILD, "--root", folder, "--renew", "page.md"], check=True,
                               stdout=subprocess.DEVNULL)
                self.assertEqual(path.read_text(), right)

    def test_commands_that_are_not_marked_are_a_failure(self):
        self.check("```console\n$ echo one\none\n```\n", (1, 1, 0), "not marked")
        self.check("```python\n>>> 1\n1\n```\n", (1, 1, 0), "not marked")
        self.check("    $ echo one\n    one\n", (1, 1, 0), "marked")
        self.check("```sh\necho one\n```\n\n    make demo\n", (1, 0, 0))

    def test_marks_that_are_none(self):
        self.check(block("$ true", mark="<!-- run tolerence=1 -->"), (1, 1, 0), "tolerence")
        self.check(block("$ true", mark="<!-- run twice -->"), (1, 1, 0), "a mark that is none")
        self.check("<!-- run -->\nprose\n", (1, 1, 0), "not followed")
        self.check("<!-- run -->\n```console\n$ true\n", (1, 1, 0), "does not end")
        self.check(block("output", "$ true"), (1, 1, 0), "before the first command")

    def test_links(self):
        self.check("# A `row`, two words\n[a](#a-row-two-words) [b](https://example.org/none) [c](page.md)\n", (1, 0, 0))
        self.check("[a](#nothing)\n", (0, 1, 0), "#nothing")
        self.check("[a](none.md)\n", (0, 1, 0), "none.md")

    def test_files_in_backquotes(self):
        self.check("`docs/page.md` `docs/page.[mh]d`\n", (0, 1, 0), "docs/page.md, docs/page.[mh]d")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "docs").mkdir()
            pathlib.Path(folder, "docs", "page.md").write_text("`docs/page.[mh]d` `docs/` `other/none`\n")
            done = subprocess.run([sys.executable, SCRIPT, BUILD, "--root", folder, "docs/page.md"], stdout=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
