#!/usr/bin/env python3
"""Takes the two pictures of the page in docs/serve.md, by the clinic and the browser of its tests.

docs/img/page.py BUILD     # needs Python's playwright and Debian's chromium, as `make test-page` does
"""

import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "serve" / "tests" / "page"))

from playwright.sync_api import expect, sync_playwright  # noqa: E402

from browser import Person  # noqa: E402
from clinic import Clinic  # noqa: E402


def take(person, name, height):
    """The upper part of the screen."""
    person.page.set_viewport_size({"width": 1000, "height": height})
    person.page.evaluate("scrollTo(0, 0)")
    person.page.mouse.move(0, 0)
    person.page.screenshot(path=str(HERE / f"{name}.png"), animations="disabled", caret="hide")


def picture(browser, clinic):
    ben = Person(browser, clinic, "ben").sign_in()
    ben.go("work")
    expect(ben.page.get_by_role("link", name="P-104", exact=True)).to_be_visible()
    take(ben, "page-worklist", 740)
    ben.page.get_by_role("link", name="P-102", exact=True).click()
    ben.box("age").fill("52")
    ben.box("glucose").fill("5,5")
    ben.box("triglycerides").fill("24")
    ben.box("triglycerides").blur()
    expect(ben.says("24 mmol/l is unusual: usually 0.3 to 10. Look again.")).to_be_visible()
    take(ben, "page-entry", 1060)
    ben.close()


def main(build):
    folder = tempfile.mkdtemp(prefix="scant-picture-")
    clinic = Clinic(str(pathlib.Path(build).resolve() / "scant"), f"{folder}/clinic", past=True)
    try:
        clinic.ask("P-101", "P-102", "P-103", "P-104")
        clinic.tell("P-101", "age=61", "cholesterol=6.1", "hdl=1.4", "triglycerides=1.8")
        clinic.tell("P-103", "age=47", "glucose=6.1", "cholesterol=5.9", "hdl=1.2", "triglycerides=2.4")
        clinic.start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            picture(browser, clinic)
            browser.close()
    finally:
        clinic.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
