"""The boxes of an example: their order, what is read, what the bar covers, and where one goes from there."""

import re

from playwright.sync_api import expect

from clinic import NAMES


def begin(world, names=("P-101", "P-102", "P-103"), hash="#/clinic/work", **options):
    clinic = world.clinic(start=False)
    clinic.ask(*names)
    clinic.start()
    return clinic, world.person(clinic, "ben", **options).sign_in(hash)


def test_the_order_is_the_catalogues(world):
    """Orders are drawn in any order; the boxes, the list and the paper have always the same one."""
    names = [f"P-{i}" for i in range(101, 109)]
    clinic, ben = begin(world, names)
    page = ben.page
    drawn = [[line["name"] for line in one["lines"]] for one in
             page.evaluate("async () => (await (await fetch('api/v1/studies/clinic/orders')).json()).items")]
    assert any(one != NAMES for one in drawn), "the test needs an order that was drawn otherwise"
    expect(page.locator("td.waits")).to_have_text(["age, glucose, cholesterol, hdl, triglycerides and score"] * 8)
    for name in names:
        ben.go("example", name)
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        expect(page.locator("input[data-name]")).to_have_count(6)
        assert page.evaluate("[...document.querySelectorAll('input[data-name]')].map(one => one.dataset.name)") == [*NAMES, "score"]
    ben.go("sheets?" + "&".join(f"e={name}" for name in names))
    expect(page.locator(".paper")).to_have_count(8)
    for i in range(8):
        rows = page.locator(".paper").nth(i).locator("tbody th").all_inner_texts()
        assert [row.split(" ")[0] for row in rows] == [*NAMES, "score"], rows
    ben.go("labels?e=P-101&e=P-102")
    expect(page.locator(".label-what")).to_have_text(["glucose, cholesterol, hdl, triglycerides"] * 2)


def test_blanks_and_thousands(world):
    clinic, ben = begin(world, hash="#/clinic/example/P-101")
    for text in ("1 2", "1 200"):
        ben.box("score").fill(text)
        ben.box("score").blur()
        expect(ben.says(f"“{text}” has a blank in it.")).to_be_visible()
        ben.save()
        expect(ben.status).to_contain_text("Please look at: score")
    ben.box("score").fill("1.200")
    expect(ben.says("Read as 1.2.")).to_be_visible()
    ben.box("score").fill("1.234,5")
    ben.box("score").blur()
    expect(ben.says("nothing between thousands")).to_be_visible()
    assert [kind for kind, _, _ in clinic.history("P-101")] == ["ask"]


def covered(ben, name):
    return ben.page.evaluate("""name => {
        const box = document.querySelector(`input[data-name="${name}"]`).getBoundingClientRect();
        return box.bottom > document.querySelector('.savebar').getBoundingClientRect().top;
    }""", name)


def check_bar(world, **options):
    _, ben = begin(world, hash="#/clinic/example/P-101", **options)
    page = ben.page
    expect(ben.box("score")).to_be_visible()
    page.evaluate("window.scrollTo(0, 0)")
    if covered(ben, "score"):
        expect(page.get_by_role("button", name="Below:")).to_contain_text(re.compile(r"score|\d boxes"))
        page.get_by_role("button", name="Below:").dispatch_event("click")  # a click of Playwright would scroll first
        expect(page.locator("input[data-name]:focus")).to_have_count(1)
    for name in [*NAMES, "score"]:
        page.evaluate("window.scrollTo(0, 0)")
        ben.box(name).focus()
        assert not covered(ben, name), name
    page.keyboard.type("5,5")
    expect(ben.says("Read as 5.5.")).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_role("button", name="Below:")).to_have_count(0)


def test_the_bar_hides_no_box(world):
    check_bar(world)


def test_the_bar_hides_no_box_on_a_phone(world):
    check_bar(world, phone=True)


def test_not_done_is_said_once(world):
    clinic, ben = begin(world, hash="#/clinic/example/P-101")
    ben.page.get_by_role("button", name="hdl was not done").click()
    why = ben.page.get_by_label("Why hdl was not done")
    expect(why).to_have_value("")
    assert "not done" not in why.inner_text(), why.inner_text()
    why.select_option("no reason known")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    expect(ben.page.locator(".entry.told .stored")).to_have_text("not done")


def test_the_next_patient(world):
    clinic, ben = begin(world)
    page = ben.page
    page.get_by_role("link", name="P-102").click()
    ben.box("age").fill("50")
    ben.save()
    page.get_by_role("link", name="Next: P-103").click()
    expect(page.get_by_role("heading", name="P-103", level=1)).to_be_visible()
    ben.box("age").fill("50")
    ben.save()
    expect(page.get_by_role("link", name="Next: P-101")).to_be_visible()


def test_old_words_are_gone_from_other_screens(world):
    clinic, ben = begin(world, hash="#/clinic/new")
    ben.page.get_by_role("button", name="Order", exact=True).click()
    expect(ben.page.locator("#assertive")).to_have_text("Write at least one name.")
    ben.go("work")
    expect(ben.page.locator("#assertive")).to_have_text("")


def test_labels_have_room(world):
    clinic, ben = begin(world, hash="#/clinic/labels?e=P-101")
    expect(ben.page.locator(".label")).to_be_visible()
    room = ben.page.evaluate("""() => {
        const label = document.querySelector('.label').getBoundingClientRect();
        const parts = [...document.querySelector('.label').children].map(one => one.getBoundingClientRect());
        const mm = 96 / 25.4;
        return {
            gaps: parts.slice(1).map((one, i) => (one.top - parts[i].bottom) / mm),
            margins: parts.flatMap(one => [one.left - label.left, label.right - one.right, one.top - label.top, label.bottom - one.bottom]).map(x => x / mm),
        };
    }""")
    assert min(room["gaps"]) >= 0.7 and min(room["margins"]) >= 4.9, room
    ben.picture("labels-room")


def test_mine_is_ordered_or_entered_by_me(world):
    clinic = world.clinic(start=False)
    clinic.ask("P-101", "P-102", "P-103", by="anna")
    clinic.ask("P-104", by="ben")
    clinic.tell("P-102", "age=50", by="ben")
    clinic.tell("P-103", "age=50", by="dora")
    clinic.start()
    ben = world.person(clinic, "ben").sign_in("#/clinic/work?view=mine")
    expect(ben.page.locator("tbody tr th a")).to_have_text(["P-102", "P-104"])


def test_ending_an_order_is_not_called_cancel(world):
    clinic = world.clinic(start=False)
    clinic.ask("P-101")
    clinic.start()
    anna = world.person(clinic, "anna").sign_in("#/clinic/example/P-101")
    anna.page.get_by_role("button", name="End the order …").click()
    dialog = anna.page.get_by_role("dialog")
    expect(dialog.get_by_role("radio", name="Called off")).to_be_checked()
    expect(dialog.get_by_text("Cancel", exact=True)).to_have_count(0)
    dialog.get_by_role("button", name="Keep it").click()
    assert [kind for kind, _, _ in clinic.history("P-101")] == ["ask"]
    anna.page.get_by_role("button", name="End the order …").click()
    dialog.get_by_label("Reason").fill("moved away")
    dialog.get_by_role("button", name="End the order", exact=True).click()
    expect(anna.page.locator(".state")).to_have_text("Cancelled")


def test_what_was_typed_for_an_order_that_ended_is_shown(world):
    """Another order asks for other things: what was typed before is said, and goes only when somebody says so."""
    clinic, ben = begin(world, hash="#/clinic/example/P-101")
    expect(ben.box("glucose")).to_be_visible()
    ben.page.evaluate("""() => localStorage.setItem(`scant:${location.pathname}:ben/draft/clinic/P-101/first`,
        JSON.stringify({values: {waist: {text: '90', missing: false, reason: '', confirmed: false}}, problem: null, at: Date.now()}))""")
    ben.page.reload()
    expect(ben.says("You typed 90 for waist, but its order has ended meanwhile")).to_be_visible()
    ben.page.get_by_role("button", name="Drop what I typed").click()
    expect(ben.says("You typed 90 for waist")).to_have_count(0)
