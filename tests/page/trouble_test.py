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
    expect(ben.status).to_have_text(f"Not saved yet. {sentence} It is kept here and tried again by itself.")
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


def test_the_list_says_that_it_is_not_loaded(world):
    clinic, ben = begin(world)
    ben.page.route("**/orders*", lambda route: route.fulfill(**GONE))
    ben.page.evaluate("localStorage.removeItem(Object.keys(localStorage).find(key => key.includes('seen/orders')) ?? '')")
    ben.go("work")
    expect(ben.says("The list can't be loaded. No connection to the study.")).to_be_visible()
    expect(ben.page.locator("#top").get_by_text("No connection")).to_be_visible()
    ben.page.unroute("**/orders*")
    expect(ben.page.get_by_role("link", name="P-101")).to_be_visible()
    expect(ben.says("The list can't be loaded.")).to_have_count(0)
