"""The whole clinic day: by mouse, by keyboard alone, on a phone."""

from playwright.sync_api import expect


def check_ledger(clinic, example):
    events = clinic.history(example)
    told = {}
    for kind, by, values in events:
        assert by == "ben", events
        if kind == "tell":
            told.update(values)
    assert told == {"age": 52, "glucose": 5.5, "cholesterol": None, "hdl": 1.5, "triglycerides": 24, "score": 9.3}, events
    assert [kind for kind, _, _ in events].count("ask") == 1


def test_by_mouse(world):
    clinic = world.clinic()
    ben = world.person(clinic, "ben").sign_in()
    page = ben.page
    # Two patients come.
    page.get_by_role("link", name="New examples").click()
    page.get_by_label("Names").fill("P-101\nP-102\n")
    page.get_by_role("button", name="What may it cost?").click()
    expect(ben.says("that is enough")).to_be_visible()
    page.get_by_role("button", name="Order", exact=True).click()
    expect(ben.says("2 orders are saved.")).to_be_visible()
    page.get_by_role("link", name="P-102", exact=True).click()
    expect(page.get_by_role("heading", name="P-102", level=1)).to_be_visible()
    # A comma is a decimal comma, and what was understood is said.
    ben.box("age").fill("52")
    ben.box("glucose").fill("5,5")
    ben.box("glucose").blur()
    expect(ben.says("Read as 5.5 mmol/l.")).to_be_visible()
    # A slipped point is refused at once, in words and in the box.
    ben.box("hdl").fill("150")
    expect(ben.says("150 mmol/l is not possible here: 0 to 10.")).to_be_visible()
    expect(ben.box("hdl")).to_have_attribute("aria-invalid", "true")
    ben.save()
    expect(ben.status).to_contain_text("Please look at: hdl")
    assert [kind for kind, _, _ in clinic.history("P-102")] == ["ask"]
    ben.box("hdl").fill("1,5")
    # Unusual: only with "it is right".
    ben.box("triglycerides").fill("24")
    ben.save()
    expect(ben.says("24 mmol/l is unusual: usually 0.3 to 10. Look again.")).to_be_visible()
    expect(ben.status).to_contain_text("Please look at: triglycerides")
    page.get_by_label("It is right").check()
    # Not done, with a reason.
    page.get_by_role("button", name="cholesterol was not done").click()
    ben.save()
    expect(ben.status).to_contain_text("Please look at: cholesterol")
    page.get_by_label("Why cholesterol was not done").select_option("broken")
    expect(ben.status).to_have_text("5 values are not saved yet.")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    expect(page.locator(".entry.told")).to_have_count(5)
    expect(page.locator(".entry").get_by_text("not done: broken")).to_be_visible()
    assert not [key for key in ben.stored() if "draft" in key or "/out/" in key], ben.stored()
    # The result comes last, and the example is complete.
    ben.box("score").fill("9,3")
    ben.save()
    expect(page.locator(".state")).to_have_text("Complete")
    expect(ben.status).to_contain_text("Saved at")
    check_ledger(clinic, "P-102")
    # The other one is still on the list.
    page.get_by_role("link", name="Worklist").first.click()
    expect(page.get_by_role("link", name="P-101")).to_be_visible()
    expect(page.get_by_role("link", name="P-102")).to_have_count(0)
    page.get_by_role("link", name="Complete").click()
    expect(page.get_by_role("link", name="P-102")).to_be_visible()


def test_by_keyboard_alone(world):
    clinic = world.clinic()
    ben = world.person(clinic, "ben")
    ben.open()
    page, keys = ben.page, ben.page.keyboard
    expect(page.get_by_label("Your token")).to_be_focused()
    keys.type(clinic.tokens["ben"])
    keys.press("Enter")
    expect(page.get_by_role("heading", name="Worklist")).to_be_visible()
    ben.tab_to("New examples")
    keys.press("Enter")
    expect(page.get_by_label("Names")).to_be_focused()
    keys.type("P-102")
    ben.tab_to("Order")
    keys.press("Enter")
    expect(ben.says("One order is saved.")).to_be_visible()
    ben.tab_to("To the worklist")
    keys.press("Enter")
    expect(page.get_by_role("link", name="P-102")).to_be_visible()
    # The search has a key of its own; Enter opens the one that is left.
    keys.press("/")
    expect(page.get_by_label("Search")).to_be_focused()
    keys.type("p 102")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="P-102", level=1)).to_be_focused()
    ben.tab_to("age")
    keys.type("52")
    keys.press("Enter")  # goes to the next box, whichever item was drawn first
    values = {"glucose": "5.5", "hdl": "1,5", "triglycerides": "24", "cholesterol": ""}
    for _ in range(4):
        name = ben.focused().split(" ")[0]
        keys.type(values.pop(name))
        keys.press("Enter")
    assert not values, values
    expect(ben.box("score")).to_be_focused()
    keys.type("9.3")
    keys.press("Control+Enter")
    expect(ben.status).to_contain_text("Please look at: triglycerides")
    expect(ben.box("triglycerides")).to_be_focused()
    for _ in range(3):
        keys.press("Tab")
        if ben.focused() == "It is right":
            break
    keys.press("Space")
    expect(page.get_by_label("It is right")).to_be_checked()
    expect(page.get_by_label("It is right")).to_be_focused()
    page.get_by_role("heading", level=1).focus()
    ben.tab_to("cholesterol was not done")
    keys.press("Enter")
    expect(page.get_by_label("Why cholesterol was not done")).to_be_focused()
    keys.type("bro")
    keys.press("Control+Enter")
    expect(ben.status).to_contain_text("Saved at")
    expect(page.locator(".state")).to_have_text("Complete")
    check_ledger(clinic, "P-102")
    # The first stop of every screen leads past what is above it.
    page.reload()
    expect(page.get_by_role("heading", name="P-102", level=1)).to_be_visible()
    ben.tab_to("Skip to the content", 30, "Shift+Tab")
    keys.press("Enter")
    expect(page.get_by_role("heading", name="P-102", level=1)).to_be_focused()
    ben.tab_to("Sign out", 30, "Shift+Tab")
    keys.press("Enter")
    expect(page.get_by_label("Your token")).to_be_focused()


def test_many_orders(world):
    """Long lists are drawn in part; the search looks at all of them."""
    clinic = world.clinic(start=False)
    clinic.run("study", "amend", clinic.study, "--budget-cost", "20000", "--reason", "more money")
    clinic.ask(*[f"P-{i:04}" for i in range(620)])
    clinic.start()
    ben = world.person(clinic, "ben").sign_in("#/clinic/work?view=all")
    page = ben.page
    expect(ben.says("620 orders")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(200)
    page.get_by_label("Search").fill("p0 61")
    expect(page.locator("tbody tr th a")).to_have_text([f"P-061{i}" for i in range(10)])
    page.get_by_label("Search").fill("")
    page.get_by_role("button", name="Show all 620").click()
    expect(page.locator("tbody tr")).to_have_count(620)
    expect(page.get_by_role("link", name="P-0200")).to_be_focused()


def check_width(ben):
    wide = ben.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{ben.page.url} is {wide} too wide"


def test_on_a_phone(world):
    clinic = world.clinic(past=True, start=False)
    clinic.ask("P-103")
    clinic.start()
    ben = world.person(clinic, "ben", phone=True).sign_in()
    page = ben.page
    check_width(ben)
    page.get_by_role("link", name="New examples").tap()
    page.get_by_label("Names").fill("P-102")
    page.get_by_role("button", name="Order", exact=True).tap()
    check_width(ben)
    page.get_by_role("link", name="P-102", exact=True).tap()
    for name, text in {"age": "52", "glucose": "5,5", "hdl": "1,5", "triglycerides": "24", "score": "9,3"}.items():
        ben.box(name).fill(text)
    page.get_by_label("It is right").tap()
    page.get_by_role("button", name="cholesterol was not done").tap()
    page.get_by_label("Why cholesterol was not done").select_option("lost")
    check_width(ben)
    # The button stays in sight, whatever is typed.
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_in_viewport()
    small = page.evaluate("""() => [...document.querySelectorAll('main button, main a.button, main input')].filter(one => {
        const box = (one.closest('label') || one).getBoundingClientRect();
        return box.width > 0 && (box.height < 24 || box.width < 24);
    }).map(one => one.outerHTML)""")
    assert not small, small
    page.get_by_role("button", name="Save", exact=True).tap()
    expect(ben.status).to_contain_text("Saved at")
    # Digits only where nothing is below zero: pads of phones have no minus.
    ben.go("example", "P-103")
    expect(ben.box("glucose")).to_have_attribute("inputmode", "decimal")
    expect(ben.box("score")).to_have_attribute("inputmode", "text")
    for screen in ("work", "overview", "results", "sheets?e=P-103", "labels?e=P-103", "second/P-102"):
        ben.go(screen)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_load_state("networkidle")
        check_width(ben)
    # The narrowest that has to do, as when a desk is zoomed to 400 %.
    page.set_viewport_size({"width": 320, "height": 700})
    for screen in ("work", "example/P-103", "overview", "results", "new", "second/P-102"):
        ben.go(screen)
        page.wait_for_load_state("networkidle")
        check_width(ben)
    told = clinic.history("P-102")
    assert told[-1][2]["triglycerides"] == 24 and told[-1][2]["cholesterol"] is None, told
