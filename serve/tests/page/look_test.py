"""How it looks: axe on every screen in light and dark and on a phone; the switch; paper; other addresses."""

import re

from playwright.sync_api import expect

AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def check_axe(world, person, name):
    person.page.wait_for_load_state("networkidle")
    person.picture(name)
    # As a string of the test's own world: the page's policy stays as it is.
    person.page.evaluate(world.axe)
    found = person.page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", AXE_TAGS)
    wrong = [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]]
    assert not wrong, f"{name}: {wrong}"
    assert len(found["passes"]) > 10, "axe has looked at nothing"


def ward(world):
    clinic = world.clinic(start=False, past=True)
    clinic.ask("P-101", "P-102", "P-103", "P-104")
    clinic.tell("P-102", "age=52", "glucose=5.5")
    clinic.tell("P-103", "age=17!", "glucose=5.5", "cholesterol=missing:broken", "hdl=missing:broken",
                "triglycerides=missing:broken", "score=8")
    return clinic.start()


def walk(world, theme, phone):
    clinic = ward(world)
    anna = world.person(clinic, "anna", theme=theme, phone=phone)
    ben = world.person(clinic, "ben", theme=theme, phone=phone).sign_in("#/clinic/example/P-102")
    tag = theme + ("-phone" if phone else "")
    anna.open()
    expect(anna.page.get_by_label("Your token")).to_be_visible()
    check_axe(world, anna, f"signin-{tag}")
    anna.give_token()
    expect(anna.page.get_by_role("link", name="P-101")).to_be_visible()
    check_axe(world, anna, f"worklist-{tag}")
    for name, hash, ready in (
        ("overdue", "work?view=overdue", "Nothing is overdue."),
        ("new", "new", "Names"),
        ("overview", "overview", "two standard errors"),
        ("results", "results", "Weights are shrunk"),
        ("catalogue", "catalogue", "triglycerides"),
        ("ledger", "ledger", "That is all."),
        ("sheets", "sheets?e=P-101&e=P-102", "Measured by"),
        ("labels", "labels?e=P-101&e=P-102", "P-102"),
        ("complete", "example/P-103", "not done: broken"),
        ("unknown", "example/P-999", "nothing is known"),
        ("nowhere", "nothing", "There is nothing here"),
    ):
        anna.go(hash)
        expect(anna.says(ready).first).to_be_visible()
        check_axe(world, anna, f"{name}-{tag}")
    walk_example(world, ben, tag)
    walk_dialogs(world, anna, tag)
    walk_conflict(world, anna, ben, tag)


def walk_example(world, ben, tag):
    page = ben.page
    expect(ben.box("hdl")).to_be_visible()
    check_axe(world, ben, f"example-{tag}")
    ben.box("hdl").fill("150")
    ben.box("triglycerides").fill("24")
    page.get_by_role("button", name="cholesterol was not done").click()
    expect(ben.says("is not possible here")).to_be_visible()
    expect(ben.says("is unusual")).to_be_visible()
    ben.save()
    check_axe(world, ben, f"limits-{tag}")
    ben.box("hdl").fill("1,5")
    page.get_by_label("It is right").check()
    page.get_by_label("Why cholesterol was not done").select_option("lost")
    ben.context.set_offline(True)
    ben.save()
    expect(ben.status).to_contain_text("Not saved yet")
    check_axe(world, ben, f"waiting-{tag}")
    page.get_by_role("button", name="1 not saved yet").click()
    check_axe(world, ben, f"outbox-{tag}")
    page.keyboard.press("Escape")
    ben.context.set_offline(False)
    expect(page.locator(".entry.told")).to_have_count(5)
    expect(ben.status).to_contain_text("Saved at")
    check_axe(world, ben, f"saved-{tag}")
    ben.go("second", "P-102")
    ben.box("age").fill("25")
    page.get_by_role("button", name="Compare and save").click()
    expect(ben.says("age differs")).to_be_visible()
    check_axe(world, ben, f"second-{tag}")


def walk_dialogs(world, anna, tag):
    page = anna.page
    anna.go("example", "P-102")
    for button in ("Correct age", "Not ordered, but measured", "End the order", "Erase"):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        check_axe(world, anna, f"{button.split(' ')[0].lower()}-{tag}")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    anna.go("catalogue")
    page.get_by_role("button", name="Change glucose").click()
    check_axe(world, anna, f"amend-{tag}")
    page.keyboard.press("Escape")


def walk_conflict(world, anna, ben, tag):
    for one in (anna, ben):
        one.go("example", "P-104")
        expect(one.box("glucose")).to_be_visible()
    anna.box("glucose").fill("5,6")
    ben.box("glucose").fill("5,5")
    ben.save()
    expect(anna.page.get_by_role("group", name="Two values of glucose")).to_be_visible()
    check_axe(world, anna, f"conflict-{tag}")


def test_axe_light(world):
    walk(world, "light", False)


def test_axe_dark(world):
    walk(world, "dark", False)


def test_axe_phone(world):
    walk(world, "light", True)


def ground(person):
    red, green, blue = map(int, re.findall(r"\d+", person.page.evaluate("getComputedStyle(document.body).backgroundColor"))[:3])
    return (red + green + blue) / 3


def test_light_and_dark(world):
    clinic = ward(world)
    anna = world.person(clinic, "anna", theme="dark").sign_in()
    page = anna.page
    assert ground(anna) < 60
    switch = page.get_by_role("button", name="Colours:")
    expect(switch).to_contain_text("Auto")
    switch.click()
    expect(switch).to_contain_text("Light")
    assert ground(anna) > 200
    page.reload()
    expect(switch).to_contain_text("Light")
    assert ground(anna) > 200
    switch.click()
    page.emulate_media(color_scheme="light")
    assert ground(anna) < 60
    switch.click()
    assert ground(anna) > 200


def count_pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def test_sheets_and_labels(world):
    clinic = ward(world)
    ben = world.person(clinic, "ben").sign_in()
    page = ben.page
    expect(page.get_by_role("link", name="P-101")).to_be_visible()
    for name in ("P-101", "P-102", "P-104"):
        page.get_by_label(f"Choose {name} for printing").check()
    page.get_by_role("link", name="Print 3 sheets").click()
    expect(page.locator(".paper")).to_have_count(3)
    expect(page.locator(".paper").nth(1)).to_contain_text("5.5 mmol/l")
    expect(page.locator(".paper").first).to_contain_text("0 to 60")
    assert count_pages(page.pdf(prefer_css_page_size=True)) == 3
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    expect(page.get_by_role("banner")).to_be_hidden()
    page.emulate_media(media="null")
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
    ben.go("labels?e=P-101&e=P-102")
    expect(page.locator(".label")).to_have_count(2)
    assert count_pages(page.pdf(prefer_css_page_size=True)) == 1
    page.get_by_label("Labels of each").fill("13")
    expect(page.locator(".label")).to_have_count(26)
    assert count_pages(page.pdf(prefer_css_page_size=True)) == 2  # 24 go on a sheet
    size = page.locator(".label").first.bounding_box()
    assert abs(size["width"] - 70 / 25.4 * 96) < 1 and abs(size["height"] - 37 / 25.4 * 96) < 1, size


def test_under_a_base_path(world):
    clinic = world.clinic(start=False, base="/ward/one")
    clinic.ask("P/1 ä")
    clinic.start()
    ben = world.person(clinic, "ben").sign_in()
    ben.page.get_by_role("link", name="P/1 ä").click()
    expect(ben.page.get_by_role("heading", name="P/1 ä")).to_be_visible()
    ben.box("glucose").fill("5,5")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    ben.page.reload()
    expect(ben.page.locator(".entry.told")).to_have_count(1)
    cookies = ben.context.cookies()
    assert [(c["path"], c["httpOnly"], c["sameSite"]) for c in cookies] == [("/ward/one/", True, "Strict")], cookies


def test_one_time_link(world):
    """Without tokens the one who begins the service gets a link, which works once."""
    clinic = world.clinic(start=False)
    clinic.ask("P-101")
    link = clinic.start_alone()
    one = world.person(clinic, "anna")
    one.page.goto(link)
    expect(one.page.get_by_role("link", name="P-101")).to_be_visible()
    assert "code" not in one.page.url, one.page.url
    one.page.reload()
    expect(one.page.get_by_role("link", name="P-101")).to_be_visible()
    two = world.person(clinic, "anna")
    two.page.goto(link)
    expect(two.says("This link was used already or has ended.")).to_be_visible()


def walk_trouble(world, theme, phone):
    """What stands there when something goes wrong."""
    tag = theme + ("-phone" if phone else "")
    clinic = ward(world)
    ben = world.person(clinic, "ben", theme=theme, phone=phone).sign_in("#/clinic/work?view=all")
    page = ben.page
    expect(page.get_by_role("link", name="P-101")).to_be_visible()
    ben.go("new")
    page.get_by_label("Names").fill("p-101\nQ-1\nq-1")
    page.get_by_role("button", name="Order", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("group")).to_have_count(2)
    page.get_by_role("button", name="Go on").click()
    check_axe(world, ben, f"doubts-{tag}")
    page.keyboard.press("Escape")
    ben.context.set_offline(True)
    ben.go("work?view=all")
    expect(ben.says("The list may be old.")).to_be_visible()
    check_axe(world, ben, f"list-offline-{tag}")
    ben.go("example", "P-104")
    expect(ben.says("This is how it was seen last")).to_be_visible()
    ben.box("glucose").fill("1 200")
    expect(ben.says("has a blank in it")).to_be_visible()
    check_axe(world, ben, f"example-offline-{tag}")
    ben.box("glucose").fill("5,5")
    ben.save()
    expect(ben.status).to_contain_text("Not saved yet.")
    check_axe(world, ben, f"waiting-offline-{tag}")
    ben.go("example", "P-999")
    expect(ben.says("was not seen before on this device")).to_be_visible()
    check_axe(world, ben, f"unseen-{tag}")
    ben.context.set_offline(False)
    clinic.wait_for_history("P-104", lambda event: event[2] == {"glucose": 5.5})


def test_axe_of_trouble_light(world):
    walk_trouble(world, "light", False)


def test_axe_of_trouble_dark_phone(world):
    walk_trouble(world, "dark", True)
