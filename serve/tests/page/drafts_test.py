"""What was typed survives a reload, a lost connection, a service that ends, and an answer that is lost."""

from playwright.sync_api import expect


def begin(world, **options):
    clinic = world.clinic(start=False, **options)
    clinic.ask("P-101", "P-102")
    clinic.start()
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-101")
    expect(ben.box("glucose")).to_be_visible()
    return clinic, ben


def tells(clinic, example="P-101"):
    return [values for kind, _, values in clinic.history(example) if kind == "tell"]


def test_reload_in_the_middle(world):
    clinic, ben = begin(world)
    page = ben.page
    ben.box("glucose").fill("5,4")
    ben.box("triglycerides").fill("24")
    page.get_by_label("It is right").check()
    page.get_by_role("button", name="cholesterol was not done").click()
    page.get_by_label("Why cholesterol was not done").select_option("refused")
    page.reload()
    expect(ben.box("glucose")).to_have_value("5,4")
    expect(page.get_by_label("It is right")).to_be_checked()
    expect(page.get_by_label("Why cholesterol was not done")).to_have_value("refused")
    expect(ben.status).to_have_text("3 values are not saved yet.")
    ben.go("work")
    expect(page.get_by_role("row", name="P-101").get_by_text("not saved yet")).to_be_visible()
    ben.go("example", "P-101")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    assert tells(clinic) == [{"glucose": 5.4, "triglycerides": 24, "cholesterol": None}], tells(clinic)
    page.reload()
    expect(page.locator(".entry.told")).to_have_count(3)
    assert not [key for key in ben.stored() if "draft" in key or "/out/" in key], ben.stored()


def test_connection_cut_and_back(world):
    clinic, ben = begin(world)
    page = ben.page
    ben.box("age").fill("61")
    ben.context.set_offline(True)
    ben.box("glucose").fill("5,4")
    ben.save()
    expect(ben.status).to_contain_text("Not saved yet. No connection to the study.")
    expect(page.get_by_role("button", name="1 not saved yet")).to_be_visible()
    expect(page.locator("#top").get_by_text("No connection")).to_be_visible()
    expect(page.locator(".entry.waiting")).to_have_count(2)
    assert tells(clinic) == []
    # Work goes on meanwhile.
    ben.box("hdl").fill("1,5")
    page.get_by_role("button", name="1 not saved yet").click()
    expect(page.get_by_role("dialog")).to_contain_text("P-101: age and glucose")
    page.keyboard.press("Escape")
    ben.context.set_offline(False)
    expect(page.locator(".entry.told")).to_have_count(2)
    expect(page.get_by_role("button", name="not saved yet")).to_have_count(0)
    expect(ben.box("hdl")).to_have_value("1,5")
    expect(ben.status).to_have_text("One value is not saved yet.")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    assert tells(clinic) == [{"age": 61, "glucose": 5.4}, {"hdl": 1.5}], tells(clinic)


def test_saved_while_elsewhere(world):
    """What waits is sent from whatever screen, and nothing of it stays in the browser."""
    clinic, ben = begin(world)
    ben.context.set_offline(True)
    ben.box("glucose").fill("5,4")
    ben.save()
    expect(ben.page.get_by_role("button", name="1 not saved yet")).to_be_visible()
    ben.go("new")
    ben.page.get_by_label("Names").fill("P-110")
    ben.page.get_by_role("button", name="Order", exact=True).click()
    expect(ben.says("Not ordered yet. No connection to the study.")).to_be_visible()
    ben.context.set_offline(False)
    expect(ben.says("One order is saved.")).to_be_visible()
    assert tells(clinic) == [{"glucose": 5.4}]
    assert [kind for kind, _, _ in clinic.history("P-110")] == ["ask"]
    assert not [key for key in ben.stored() if "draft" in key or "/out/" in key], ben.stored()


def test_service_ends_and_begins_again(world):
    """Sessions end with the service, so its people sign in again; what was on its way goes on."""
    clinic, ben = begin(world)
    page = ben.page
    clinic.stop()
    ben.box("glucose").fill("5,4")
    ben.save()
    expect(ben.status).to_contain_text("Not saved yet. No connection to the study.")
    clinic.start()
    expect(ben.says("Sign in again, then it is saved: what ben has not saved yet is kept")).to_be_visible()
    ben.give_token()
    expect(page.get_by_role("heading", name="P-101", level=1)).to_be_visible()
    expect(page.locator(".entry.told")).to_have_count(1)
    assert tells(clinic) == [{"glucose": 5.4}], tells(clinic)


def test_reload_without_a_connection_loses_nothing(world):
    clinic, ben = begin(world)
    page = ben.page
    clinic.stop()
    ben.box("glucose").fill("5,4")
    ben.save()
    ben.box("hdl").fill("1,5")
    expect(page.get_by_role("button", name="1 not saved yet")).to_be_visible()
    clinic.start()
    page.reload()
    ben.give_token()
    expect(page.locator(".entry.told")).to_have_count(1)
    expect(ben.box("hdl")).to_have_value("1,5")
    assert tells(clinic) == [{"glucose": 5.4}], tells(clinic)


def test_lost_answers_double_nothing(world):
    """The service does it, the answer is cut off: the page sends the same key again."""
    clinic, ben = begin(world)
    page = ben.page
    seen = []

    def cut(route):
        if route.request.method != "POST" or "/session" in route.request.url:
            return route.continue_()
        seen.append((route.request.headers["idempotency-key"], route.request.post_data))
        answer = route.fetch()
        assert answer.status == 200, answer.text()
        if len(seen) % 2:
            return route.abort("connectionreset")
        assert answer.headers.get("idempotency-replayed") == "true"
        return route.fulfill(response=answer)

    page.route("**/api/v1/**", cut)
    ben.box("glucose").fill("5,4")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    assert len(seen) == 2 and seen[0] == seen[1], seen
    assert tells(clinic) == [{"glucose": 5.4}], tells(clinic)
    ben.go("new")
    page.get_by_label("Names").fill("P-109")
    page.get_by_role("button", name="Order", exact=True).click()
    expect(ben.says("One order is saved.")).to_be_visible()
    assert len(seen) == 4 and seen[2] == seen[3], seen
    assert [kind for kind, _, _ in clinic.history("P-109")] == ["ask"]


def test_busy_service_is_asked_again(world):
    clinic, ben = begin(world)
    turns = []

    def refuse(route):
        turns.append(1)
        if len(turns) > 2:
            return route.continue_()
        return route.fulfill(status=503, headers={"Retry-After": "1"}, content_type="application/problem+json",
                             body='{"status": 503, "code": "busy", "detail": "try again later"}')

    ben.page.route("**/answers", refuse)
    ben.box("glucose").fill("5,4")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    assert len(turns) == 3 and tells(clinic) == [{"glucose": 5.4}]


def test_two_tabs_keep_one_outbox(world):
    clinic, ben = begin(world)
    other = ben.context.new_page()
    other.goto(clinic.url + "#/clinic/work")
    expect(other.get_by_role("link", name="P-101")).to_be_visible()
    ben.context.set_offline(True)
    ben.box("glucose").fill("5,4")
    ben.save()
    expect(other.get_by_role("button", name="1 not saved yet")).to_be_visible()
    ben.context.set_offline(False)
    expect(other.get_by_role("button", name="1 not saved yet")).to_have_count(0)
    expect(ben.page.locator(".entry.told")).to_have_count(1)
    assert tells(clinic) == [{"glucose": 5.4}]
