"""Another language needs one file: every word that is shown comes from it, and numbers follow it.  What others write stays text."""
import re

from clinic import NAMES
from playwright.sync_api import expect

# What is not of the page: names, units, files, and what the service calls things.
DATA = ["clinic", "anna", "ben", "P-101", "P-102", "P-999", "past.csv", "score", "years", "mmol/l", "lipids", "gaussian", "refused", "broken", "lost", "not done",
        *NAMES, "examples.csv", "dictionary.csv", "looks.csv", "events.csv", "ledger.csv", "model.json"]

SEEN = """() => {
    const texts = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const parent = walk.currentNode.parentElement;
        if (!parent.closest('noscript, script, time, .server') && parent.checkVisibility()) texts.push(walk.currentNode.data);
    }
    for (const one of document.querySelectorAll('[aria-label], [placeholder], [title], [alt]'))
        for (const name of ['aria-label', 'placeholder', 'title', 'alt']) if (one.hasAttribute(name) && one.tagName !== 'TIME') texts.push(one.getAttribute(name));
    return texts.concat(document.title);
}"""


def translate(person, mark):
    """A language of its own: each text in brackets, and decimals with a comma."""

    def answer(route):
        text = route.fetch().text().replace("export default {", "const words = {", 1).replace('decimal: "."', 'decimal: ","')
        text += f"""
            const mark = (at) => typeof at === "string" ? {mark} : Object.fromEntries(Object.entries(at).map(([k, v]) => [k, mark(v)]));
            words.texts = mark(words.texts);
            export default words;"""
        route.fulfill(content_type="text/javascript", body=text)

    person.page.route("**/words/en.js", answer)


def check_words(person, screen):
    person.page.wait_for_load_state("networkidle")
    for text in person.page.evaluate(SEEN):
        left, before = text, None
        while left != before:
            before, left = left, re.sub(r"⟦[^⟦⟧]*⟧", "", left)
        # The browser's own words for lists and dates, and a sentence of the service.
        left = re.sub(r"\b(and|or)\b|\d+ \w+ \d{4}|errors need at least 40 examples.*", "", left)
        for name in sorted(DATA, key=len, reverse=True):
            left = left.replace(name, "")
        assert not re.search(r"[^\W\d_]", left), f"{screen}: '{left.strip()}' of '{text}' is not in words/en.js"


def test_all_words_are_in_one_file(world):
    clinic = world.clinic(start=False, past=True)
    clinic.ask("P-101", "P-102")
    clinic.tell("P-101", "age=52", "glucose=5.5", "hdl=missing:broken")
    clinic.start()
    anna = world.person(clinic, "anna")
    translate(anna, "`⟦${at}⟧`")
    anna.open()
    page = anna.page
    expect(page.locator("#token")).to_be_visible()
    check_words(anna, "signin")
    page.locator("#token").fill(clinic.tokens["anna"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="P-101")).to_be_visible()
    for screen, ready in {"work": "table.work", "work?view=overdue": ".empty", "new": "textarea", "example/P-101": ".entry.told", "second/P-101": ".entry",
                          "overview": ".chart.amounts", "results": ".chart.interval", "catalogue": ".pairs", "sheets?e=P-101": ".paper table", "labels?e=P-101": ".label"}.items():
        anna.go(screen)
        expect(page.locator(ready).first).to_be_visible()
        check_words(anna, screen)
    anna.go("example/P-101")
    for name in ("End", "Erase", "Not ordered", "Correct age"):
        page.get_by_role("button", name=name).click()
        expect(page.locator("dialog")).to_be_visible()
        check_words(anna, name)
        page.keyboard.press("Escape")
    page.get_by_role("textbox", name="cholesterol").fill("5,5")
    page.get_by_role("textbox", name="triglycerides").fill("24")
    page.get_by_role("textbox", name="score").fill("1.2.3")
    page.locator("button[type=submit]").click()
    check_words(anna, "messages")


def test_decimals_follow_the_language(world):
    clinic = world.clinic(start=False)
    clinic.ask("P-101")
    clinic.tell("P-101", "glucose=5.5")
    clinic.start()
    ben = world.person(clinic, "ben")
    translate(ben, "at")
    ben.sign_in("#/clinic/example/P-101")
    expect(ben.says("5,5 mmol/l").first).to_be_visible()
    expect(ben.says("0 to 10, usually 0,4 to 4")).to_be_visible()
    ben.box("hdl").fill("1.25")
    ben.save()
    expect(ben.page.locator(".entry.told").get_by_text("1,25 mmol/l")).to_be_visible()
    assert clinic.history("P-101")[-1][2] == {"hdl": 1.25}


BAD = '<img src=x onerror="document.title=1"><script>alert(1)</script>'


def test_text_is_no_script(world):
    clinic = world.clinic(start=False)
    clinic.ask(BAD)
    clinic.ask("P-1")
    clinic.tell("P-1", "age=50", by=BAD)
    clinic.run("study", "correct", clinic.study, "P-1", "age=51", "--reason", BAD, "--by", BAD)
    clinic.start()
    anna = world.person(clinic, "anna")
    opened = []
    anna.page.on("dialog", lambda dialog: (opened.append(dialog.message), dialog.dismiss()))
    anna.sign_in()
    expect(anna.page.get_by_role("link", name=BAD, exact=True)).to_be_visible()
    anna.page.get_by_role("link", name=BAD, exact=True).click()
    expect(anna.page.get_by_role("heading", name=BAD, level=1)).to_be_visible()
    for parts in (["example", "P-1"], ["ledger"], ["sheets"], ["overview"], ["results"]):
        anna.go(*parts)
        expect(anna.page.locator("#main h1")).to_be_visible()
        anna.page.wait_for_load_state("networkidle")
        assert anna.page.locator("#main img[src=x], #main script").count() == 0, parts
    anna.go("ledger")
    expect(anna.page.locator("#main").get_by_text(BAD).first).to_be_visible()
    assert not opened and anna.page.title() != "1"
