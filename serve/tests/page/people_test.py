"""Several people at once: races, second entries, tokens that end, and what stays of whom."""

from playwright.sync_api import expect


def two_people(world, **options):
    clinic = world.clinic(start=False, **options)
    clinic.ask("P-101", "P-102")
    clinic.start()
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-101")
    dora = world.person(clinic, "dora").sign_in("#/clinic/example/P-101")
    for one in (ben, dora):
        expect(one.box("glucose")).to_be_visible()
    return clinic, ben, dora


def tells(clinic, example="P-101"):
    return [(by, values) for kind, by, values in clinic.history(example) if kind == "tell"]


def test_two_race_for_one_value(world):
    """The second one is told so, with both values; nothing is overwritten, and the rest of what was typed is saved."""
    clinic, ben, dora = two_people(world)
    # Dora's page does not look for changes meanwhile: the service has to notice.
    dora.page.route("**/examples/P-101", lambda route: route.abort() if route.request.method == "GET" else route.continue_())
    dora.box("glucose").fill("5,6")
    dora.box("hdl").fill("1,2")
    ben.box("glucose").fill("5,5")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    dora.save()
    expect(dora.says("Somebody else was faster.")).to_be_visible()
    expect(dora.says("is 5.5 already")).to_be_visible()
    dora.page.unroute("**/examples/P-101")
    conflict = dora.page.get_by_role("group", name="Two values of glucose")
    expect(conflict).to_contain_text("ben has entered another value meanwhile.")
    expect(conflict.get_by_role("definition")).to_have_text(["5.5 mmol/l", "5.6 mmol/l"])
    clinic.wait_for_history("P-101", lambda event: event[2] == {"hdl": 1.2})
    assert tells(clinic) == [("ben", {"glucose": 5.5}), ("dora", {"hdl": 1.2})]
    # Both values are still there after a reload.
    dora.page.reload()
    expect(conflict.get_by_role("definition")).to_have_text(["5.5 mmol/l", "5.6 mmol/l"])
    # It keeps nothing else back.
    dora.box("age").fill("50")
    dora.save()
    expect(dora.status).to_contain_text("Saved at")
    expect(conflict).to_be_visible()
    # Ben's value is not Dora's to correct.
    expect(conflict.get_by_role("button", name="Correct to")).to_have_count(0)
    conflict.get_by_role("button", name="Keep 5.5 mmol/l").click()
    expect(conflict).to_have_count(0)
    expect(dora.status).to_have_text("glucose stays 5.5 mmol/l. What you typed is dropped, and nothing of it was recorded.")
    assert tells(clinic) == [("ben", {"glucose": 5.5}), ("dora", {"hdl": 1.2}), ("dora", {"age": 50})], tells(clinic)


def test_others_values_appear(world):
    """Without a reload; what is being typed elsewhere stays, and so does the cursor."""
    clinic, ben, dora = two_people(world)
    dora.box("hdl").press_sequentially("1,")
    ben.box("glucose").fill("5,5")
    ben.save()
    expect(dora.says("entered by ben")).to_be_visible()
    expect(dora.box("hdl")).to_be_focused()
    dora.page.keyboard.type("25")
    expect(dora.box("hdl")).to_have_value("1,25")
    # The same value from two hands is no conflict.
    dora.box("hdl").fill("")
    ben.box("age").fill("50")
    dora.box("age").fill("50,0")
    ben.save()
    expect(dora.page.locator(".entry.told")).to_have_count(2)
    expect(dora.status).to_have_text("")


def test_a_conflict_takes_the_focus(world):
    """Who is typing when somebody else saves is told so at that place, and in words for those who do not see it."""
    clinic, ben, dora = two_people(world)
    dora.box("glucose").press_sequentially("5,6")
    ben.box("glucose").fill("5,5")
    ben.save()
    keep = dora.page.get_by_role("button", name="Keep 5.5 mmol/l")
    expect(keep).to_be_focused()
    expect(dora.page.locator("#assertive")).to_contain_text("ben has entered another value meanwhile.")
    dora.page.keyboard.press("Enter")
    expect(keep).to_have_count(0)
    expect(dora.box("age")).to_be_focused()


def test_a_conflict_of_the_managers_is_corrected(world):
    clinic = world.clinic(start=False)
    clinic.ask("P-101")
    clinic.start()
    anna = world.person(clinic, "anna").sign_in("#/clinic/example/P-101")
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-101")
    anna.box("glucose").fill("5,6")
    ben.box("glucose").fill("5,5")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    anna.page.get_by_role("button", name="Correct to 5.6 mmol/l").click()
    dialog = anna.page.get_by_role("dialog")
    expect(dialog).to_contain_text("It is 5.5 mmol/l now.")
    dialog.get_by_role("button", name="Correct", exact=True).click()
    expect(dialog).to_contain_text("A reason is needed.")
    dialog.get_by_label("Reason").fill("misread")
    dialog.get_by_role("button", name="Correct", exact=True).click()
    expect(anna.says("5.6 mmol/l")).to_be_visible()
    assert clinic.history("P-101")[-1] == ("correct", "anna", {"glucose": 5.6})


def test_own_corrections(world):
    clinic, ben, dora = two_people(world)
    ben.box("glucose").fill("4,5")
    ben.save()
    ben.page.get_by_role("button", name="Correct glucose").click()
    dialog = ben.page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Right value").fill("540")
    dialog.get_by_label("Reason").fill("digits swapped")
    dialog.get_by_role("button", name="Correct", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("540 mmol/l is not possible here: 0 to 60.")
    dialog.get_by_role("textbox", name="Right value").fill("5,4")
    dialog.get_by_role("button", name="Correct", exact=True).click()
    expect(ben.says("5.4 mmol/l")).to_be_visible()
    assert clinic.history("P-101")[-1] == ("correct", "ben", {"glucose": 5.4})
    expect(dora.says("5.4 mmol/l")).to_be_visible()
    expect(dora.page.get_by_role("button", name="Correct glucose")).to_have_count(0)


def test_second_entries_are_blind(world):
    clinic, ben, dora = two_people(world, second=True)
    for name, text in {"age": "47", "glucose": "6,1", "cholesterol": "5,9", "hdl": "1,2", "triglycerides": "2", "score": "10,2"}.items():
        ben.box(name).fill(text)
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    # Nothing of it is on Dora's screen, nor in what her page is sent.
    expect(dora.says("hidden until the second entry").first).to_be_visible()
    seen = dora.context.request.get(clinic.url + "api/v1/studies/clinic/examples/P-101").text()
    assert "6.1" not in seen and "10.2" not in seen, seen
    dora.page.get_by_role("link", name="Second entry").click()
    expect(dora.page.get_by_role("heading", name="P-101, second entry")).to_be_visible()
    expect(dora.box("age")).to_be_visible()
    assert "6.1" not in dora.page.content() and "10.2" not in dora.page.content()
    for name, text in {"age": "74", "glucose": "6,1", "cholesterol": "5,9", "hdl": "1,2", "triglycerides": "2", "score": "10,2"}.items():
        expect(dora.box(name)).to_have_value("")
        dora.box(name).fill(text)
    dora.page.get_by_role("button", name="Compare and save").click()
    expect(dora.says("age differs from the first entry.")).to_be_visible()
    expect(dora.page.locator(".entry").get_by_text("Both entries agree.")).to_have_count(5)
    assert "47" not in dora.page.locator("#main").inner_text()
    # The sheet says 47: Dora slipped.
    dora.box("age").fill("47")
    dora.page.get_by_role("button", name="Compare and save").click()
    expect(dora.page.locator(".entry").get_by_text("Both entries agree.")).to_have_count(6)
    dora.go("example", "P-101")
    expect(dora.page.locator(".state")).to_have_text("Complete")
    kinds = [kind for kind, _, _ in clinic.history("P-101")]
    assert kinds == ["ask", "tell", "second", "second"], kinds


def test_first_entry_that_came_too_late_becomes_the_second(world):
    clinic, ben, dora = two_people(world, second=True)
    dora.box("glucose").fill("6,1")
    ben.box("glucose").fill("6,1")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    dora.page.get_by_role("button", name="Use it as the second entry").click()
    expect(dora.page.get_by_role("heading", name="P-101, second entry")).to_be_visible()
    expect(dora.box("glucose")).to_have_value("6,1")
    dora.page.get_by_role("button", name="Compare and save").click()
    expect(dora.says("Both entries agree.").first).to_be_visible()
    assert clinic.history("P-101")[-1] == ("second", "dora", {"glucose": 6.1})


def test_a_token_is_revoked_while_open(world):
    clinic, ben, _ = two_people(world)
    ben.box("glucose").fill("5,5")
    clinic.revoke("ben")
    ben.save()
    expect(ben.says("Your access has ended")).to_be_visible()
    assert tells(clinic) == []
    # The old token opens nothing.
    ben.page.get_by_label("Your token").fill(clinic.tokens["ben"])
    ben.page.get_by_role("button", name="Sign in").click()
    expect(ben.says("This token is not known, has ended or was revoked.")).to_be_visible()
    assert tells(clinic) == []
    # With a new one of the same name the work goes on where it stood.
    clinic.tokens["ben"] = clinic.add_token("ben")
    ben.give_token()
    expect(ben.page.locator(".entry.told")).to_have_count(1)
    assert tells(clinic) == [("ben", {"glucose": 5.5})], tells(clinic)


def test_a_token_is_revoked_while_nothing_is_done(world):
    clinic, ben, _ = two_people(world)
    ben.box("glucose").fill("5,5")
    clinic.revoke("ben")
    expect(ben.says("Your access has ended")).to_be_visible()
    assert "5,5" not in ben.page.locator("#main").inner_text()


def test_sign_out_clears(world):
    clinic, ben, dora = two_people(world)
    ben.box("glucose").fill("5,5")
    ben.context.set_offline(True)
    ben.box("hdl").fill("1,2")
    ben.save()
    ben.box("age").fill("50")
    ben.page.get_by_role("button", name="1 not saved yet").wait_for()
    ben.context.set_offline(False)
    ben.page.wait_for_selector(".entry.told")
    ben.page.get_by_role("button", name="Sign out").click()
    dialog = ben.page.get_by_role("dialog")
    expect(dialog).to_contain_text("One entry is not saved yet.")
    dialog.get_by_role("button", name="Stay").click()
    expect(ben.box("age")).to_have_value("50")
    ben.page.get_by_role("button", name="Sign out").click()
    dialog.get_by_role("button", name="Discard and sign out").click()
    expect(ben.says("You are signed out.")).to_be_visible()
    assert ben.stored() == {}, ben.stored()
    answer = ben.context.request.get(clinic.url + "api/v1/session")
    assert answer.status == 401, answer.text()
    ben.page.go_back()
    expect(ben.page.get_by_label("Your token")).to_be_visible()
    # The next one at this machine finds nothing.
    ben.name = "dora"
    ben.give_token()
    ben.go("example", "P-101")
    expect(ben.box("age")).to_have_value("")


def test_sign_out_without_a_connection(world):
    """The browser is cleared at once, and the session ends as soon as the service can be told."""
    clinic, ben, _ = two_people(world)
    ben.box("glucose").fill("5,5")
    ben.context.set_offline(True)
    ben.page.get_by_role("button", name="Sign out").click()
    ben.page.get_by_role("button", name="Discard and sign out").click()
    expect(ben.says("Nothing of yours is left on this device.")).to_be_visible()
    assert not [key for key in ben.stored() if "ben" in key], ben.stored()
    ben.context.set_offline(False)
    ben.page.reload()
    expect(ben.page.get_by_label("Your token")).to_be_visible()
    expect(ben.page.get_by_role("button", name="Sign out")).to_have_count(0)
    assert ben.context.request.get(clinic.url + "api/v1/session").status == 401
    assert ben.stored() == {}, ben.stored()


def test_another_person_in_another_tab(world):
    """One browser has one session. A tab of somebody else notices, and sends nothing under a wrong name."""
    clinic, ben, _ = two_people(world)
    ben.box("glucose").fill("5,5")
    other = ben.context.new_page()
    other.goto(clinic.url)
    expect(other.get_by_role("button", name="Sign out")).to_be_visible()
    other.get_by_role("button", name="Sign out").click()
    other.get_by_role("button", name="Discard and sign out").click()
    other.get_by_label("Your token").fill(clinic.tokens["dora"])
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("button", name="Sign out")).to_be_visible()
    # Ben's tab knows by the next look at the latest.
    if ben.page.get_by_role("button", name="Save", exact=True).is_visible():
        ben.box("hdl").fill("1,2")
        ben.save()
    expect(ben.page.locator(".who .name")).to_have_text("dora")
    assert all(by != "dora" for by, _ in tells(clinic)), tells(clinic)


def test_wrong_tokens_are_slowed_down(world):
    clinic = world.clinic()
    ben = world.person(clinic, "ben").open()
    throttled = ben.says("Too many wrong tokens.")
    for i in range(30):
        ben.page.get_by_label("Your token").fill(f"scant_{i:043}")
        with ben.page.expect_response("**/session"):
            ben.page.get_by_role("button", name="Sign in").click()
        expect(ben.page.get_by_role("button", name="Sign in")).to_be_enabled()
        if throttled.is_visible():
            break
    expect(throttled).to_be_visible()
    ben.give_token()  # who has one is let in all the same


def test_reading_shows_no_names(world):
    clinic = world.clinic(start=False, past=True)
    clinic.ask("P-101")
    clinic.start()
    carla = world.person(clinic, "carla").sign_in()
    expect(carla.page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(carla.page.get_by_role("link", name="Worklist")).to_have_count(0)
    for hash in ("work", "example/P-101", "new", "catalogue", "ledger", "sheets?e=P-101"):
        carla.go(hash)
        expect(carla.says("There is nothing here")).to_be_visible()
    carla.go("overview")
    expect(carla.says("Purchases")).to_be_visible()
    carla.page.wait_for_load_state("networkidle")
    assert "P-101" not in carla.page.content() and "anna" not in carla.page.locator("#main").inner_text()
