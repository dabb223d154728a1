"""What others write into names, reasons and values stays text."""

from playwright.sync_api import expect

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
