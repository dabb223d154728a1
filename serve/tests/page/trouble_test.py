"""A full disk, a proxy without a service behind it, no connection: said at once, in plain words, and mended by itself."""

import json

from playwright.sync_api import expect

FULL = {"status": 503, "content_type": "application/problem+json",
        "body": json.dumps({"status": 503, "code": "storage", "detail": "the disk is full; nothing was changed"})}
GONE = {"status": 502, "content_type": "text/html", "body": "<h1>502 Bad Gateway</h1>"}


def begin(world, *names, hash="#/clinic/example/P-101"):
    clinic = world.clinic(start=False)
    clinic.ask("P-101", "P-102", *names)
    clinic.start()
    return clinic, world.person(clinic, "ben").sign_in(hash)


def tells(clinic, example="P-101"):
    return [values for kind, _, values in clinic.history(example) if kind == "tell"]


def break_writes(ben, answer):
    ben.page.route("**/studies/**", lambda route: route.fulfill(**answer) if route.request.method == "POST" else route.continue_())


def check_saving(world, answer, sentence):
    clinic, ben = begin(world)
    ben.box("glucose").fill("5,4")
    break_writes(ben, answer)
    ben.save()
    expect(ben.status).to_contain_text(f"Not saved yet. {sentence} It is kept here and tried again")
    ben.page.unroute("**/studies/**")
    expect(ben.status).to_contain_text("Saved at")
    assert tells(clinic) == [{"glucose": 5.4}]


def test_full_disk(world):
    check_saving(world, FULL, "The disk is full; nothing was changed.")


def test_proxy_without_a_service(world):
    check_saving(world, GONE, "No connection to the study.")


def check_new(world, answer, sentence):
    clinic, ben = begin(world, hash="#/clinic/new")
    break_writes(ben, answer)
    ben.page.get_by_label("Names").fill("P-110")
    order = ben.page.get_by_role("button", name="Order", exact=True)
    order.click()
    expect(ben.says(f"Not ordered yet. {sentence} It is tried again by itself.")).to_be_visible()
    expect(order).to_be_enabled()
    ben.page.unroute("**/studies/**")
    order.click()
    expect(ben.says("One order is saved.")).to_be_visible()
    assert [kind for kind, _, _ in clinic.history("P-110")] == ["ask"]


def test_new_with_a_full_disk(world):
    check_new(world, FULL, "The disk is full; nothing was changed.")


def test_new_behind_a_proxy_without_a_service(world):
    check_new(world, GONE, "No connection to the study.")


def test_more_names_while_some_wait(world):
    clinic, ben = begin(world, hash="#/clinic/new")
    ben.context.set_offline(True)
    for name in ("P-110", "P-111"):
        ben.page.get_by_label("Names").fill(name)
        ben.page.get_by_role("button", name="Order", exact=True).click()
        expect(ben.says("Not ordered yet. No connection to the study.")).to_be_visible()
    expect(ben.page.get_by_role("button", name="2 not saved yet")).to_be_visible()
    ben.context.set_offline(False)
    expect(ben.says("2 orders are saved.")).to_be_visible()
    for name in ("P-110", "P-111"):
        assert [kind for kind, _, _ in clinic.history(name)] == ["ask"]


def test_the_list_says_that_it_is_not_loaded(world):
    clinic, ben = begin(world)
    ben.page.route("**/orders*", lambda route: route.fulfill(**GONE))
    ben.page.evaluate("localStorage.removeItem(Object.keys(localStorage).find(key => key.includes('cache/orders')) ?? '')")
    ben.go("work")
    expect(ben.says("The list can't be loaded. No connection to the study.")).to_be_visible()
    expect(ben.page.locator("#top").get_by_text("No connection")).to_be_visible()
    ben.page.unroute("**/orders*")
    expect(ben.page.get_by_role("link", name="P-101")).to_be_visible()
    expect(ben.says("The list can't be loaded.")).to_have_count(0)


def test_a_patient_who_was_not_open_is_entered_offline(world):
    clinic, ben = begin(world, hash="#/clinic/work")
    page = ben.page
    expect(page.get_by_role("link", name="P-102")).to_be_visible()
    ben.context.set_offline(True)
    page.get_by_role("link", name="P-102").click()
    expect(ben.says("This is how it was seen last")).to_be_visible()
    ben.box("glucose").fill("5,4")
    ben.save()
    expect(ben.status).to_contain_text("If you are asked to sign in again: then it is saved.")
    assert page.evaluate("document.querySelector('.brand img').naturalWidth > 0")
    # The list is there, too; and what was never seen is said to be so.
    ben.go("work")
    expect(page.get_by_role("row", name="P-102").get_by_text("not saved yet")).to_be_visible()
    expect(ben.says("The list may be old. No connection to the study.")).to_be_visible()
    page.get_by_label("Waits for").select_option("glucose")
    expect(page.get_by_role("link", name="P-101")).to_be_visible()
    ben.go("example", "P-999")
    expect(ben.says("This one was not seen before on this device")).to_be_visible()
    ben.context.set_offline(False)
    expect(ben.says("nothing is known of example 'P-999'")).to_be_visible()
    expect(ben.says("This one was not seen before on this device")).to_have_count(0)
    clinic.wait_for_history("P-102", lambda event: event[2] == {"glucose": 5.4})
    page.get_by_role("button", name="Sign out").click()
    expect(ben.says("You are signed out.")).to_be_visible()
    assert ben.stored() == {}, ben.stored()


def test_no_values_are_kept_on_the_disk(world):
    """After a reload there is only what the storage has: what is to come, and no value of anybody."""
    clinic = world.clinic(start=False)
    clinic.ask("P-101", "P-102")
    clinic.tell("P-102", "glucose=5.4321", "hdl=missing:lost", by="dora")
    clinic.tell("P-102", "score=7.6543", by="dora")
    clinic.start()
    ben = world.person(clinic, "ben").sign_in("#/clinic/work?view=all")
    expect(ben.page.get_by_role("link", name="P-102")).to_be_visible()
    assert "P-102" in str(ben.stored()) and "5.4321" not in str(ben.stored()) and "7.6543" not in str(ben.stored())
    ben.go("example", "P-101")
    ben.page.reload()
    expect(ben.box("glucose")).to_be_visible()
    ben.context.set_offline(True)
    ben.go("example", "P-102")
    expect(ben.page.locator(".entry.told").get_by_text("not kept on this device")).to_have_count(2)
    ben.box("age").fill("50")
    ben.save()
    expect(ben.page.locator(".entry.waiting")).to_have_count(1)
    ben.context.set_offline(False)
    expect(ben.says("5.4321 mmol/l")).to_be_visible()
    clinic.wait_for_history("P-102", lambda event: event[2] == {"age": 50})


def correct_offline(ben):
    ben.context.set_offline(True)
    ben.page.get_by_role("button", name="Correct glucose").click()
    dialog = ben.page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Right value").fill("5,4")
    dialog.get_by_label("Reason").fill("digits swapped")
    dialog.get_by_role("button", name="Correct", exact=True).click()
    expect(ben.page.get_by_role("button", name="1 not saved yet")).to_be_visible()


def test_a_correction_survives_other_values(world):
    """Somebody enters another value meanwhile: the correction is sent all the same."""
    clinic, ben = begin(world)
    ben.box("glucose").fill("4,5")
    ben.save()
    expect(ben.says("4.5 mmol/l")).to_be_visible()
    dora = world.person(clinic, "dora").sign_in("#/clinic/example/P-101")
    correct_offline(ben)
    dora.box("hdl").fill("1,2")
    dora.save()
    expect(dora.status).to_contain_text("Saved at")
    ben.context.set_offline(False)
    expect(ben.says("5.4 mmol/l")).to_be_visible()
    assert [(kind, by, values) for kind, by, values in clinic.history("P-101")][1:] == [
        ("tell", "ben", {"glucose": 4.5}), ("tell", "dora", {"hdl": 1.2}), ("correct", "ben", {"glucose": 5.4})]


def test_a_correction_of_what_was_corrected_is_decided(world):
    """The same value was corrected meanwhile: what was typed is shown beside it, with its reason, and can be sent again."""
    clinic, ben = begin(world)
    ben.box("glucose").fill("4,5")
    ben.save()
    expect(ben.says("4.5 mmol/l")).to_be_visible()
    anna = world.person(clinic, "anna").sign_in("#/clinic/example/P-101")
    correct_offline(ben)
    anna.page.get_by_role("button", name="Correct glucose").click()
    anna.page.get_by_role("dialog").get_by_role("textbox", name="Right value").fill("4,9")
    anna.page.get_by_role("dialog").get_by_label("Reason").fill("misread")
    anna.page.get_by_role("button", name="Correct", exact=True).click()
    expect(anna.says("4.9 mmol/l")).to_be_visible()
    ben.context.set_offline(False)
    expect(ben.says("You typed: glucose 5.4. Reason: digits swapped.")).to_be_visible()
    expect(ben.says("It was changed meanwhile, and is now: glucose 4.9 mmol/l.")).to_be_visible()
    assert clinic.history("P-101")[-1] == ("correct", "anna", {"glucose": 4.9})
    ben.page.locator(".problems").get_by_role("button", name="Correct glucose").click()
    dialog = ben.page.get_by_role("dialog")
    expect(dialog.get_by_role("textbox", name="Right value")).to_have_value("5,4")
    expect(dialog.get_by_label("Reason")).to_have_value("digits swapped")


def test_two_tabs_type_side_by_side(world):
    clinic, ben = begin(world)
    other = ben.context.new_page()
    other.goto(clinic.url + "#/clinic/example/P-101")
    glucose, hdl = (other.get_by_role("textbox", name=name) for name in ("glucose", "hdl"))
    expect(hdl).to_be_visible()
    ben.box("glucose").fill("5,4")
    expect(glucose).to_have_value("5,4")
    hdl.fill("1,2")
    expect(ben.box("hdl")).to_have_value("1,2")
    ben.box("age").fill("50")
    other.reload()
    expect(glucose).to_have_value("5,4")
    expect(hdl).to_have_value("1,2")
    expect(other.get_by_role("textbox", name="age")).to_have_value("50")


def test_the_token_can_be_seen(world):
    clinic = world.clinic()
    ben = world.person(clinic, "ben").open()
    box = ben.page.get_by_label("Your token")
    ben.page.get_by_role("button", name="Show the token").click()
    expect(box).to_have_attribute("type", "text")
    expect(box).to_be_focused()
    ben.page.get_by_role("button", name="Hide the token").click()
    expect(box).to_have_attribute("type", "password")
