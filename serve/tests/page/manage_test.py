"""Coordinators and statisticians: how it stands, what changes, what is taken away."""

import re

from playwright.sync_api import expect

from look_test import check_axe


def begin(world, who="anna", **options):
    clinic = world.clinic(start=False, past=True, **options)
    clinic.ask("P-101", "P-102")
    clinic.tell("P-101", "age=61", "glucose=5.4")
    clinic.start()
    return clinic, world.person(clinic, who).sign_in()


def test_overview(world):
    clinic, anna = begin(world)
    page = anna.page
    page.get_by_role("link", name="Overview").click()
    money = page.locator("section").filter(has=page.get_by_role("heading", name="Money"))
    expect(money).to_contain_text("3.50spent")
    expect(money).to_contain_text("23.50reserved")
    expect(money).to_contain_text("873.00left")
    risk = page.locator("section").filter(has=page.get_by_role("heading", name="Risk"))
    expect(risk).to_contain_text("±")
    expect(risk.locator("svg .band, svg .line").first).to_be_attached()
    assert "NaN" not in page.content()
    bought = page.locator("section").filter(has=page.get_by_role("heading", name="Purchases"))
    expect(bought.get_by_role("row", name="glucose")).to_contain_text("3.50")
    expect(bought.get_by_role("row", name="lipids together: cholesterol, hdl, triglycerides")).to_be_visible()
    expect(bought.get_by_role("rowheader")).to_have_count(3)  # age, glucose, and a group as one
    expect(page.get_by_role("heading", name="How late values come")).to_be_visible()
    expect(anna.says("Nothing was learned yet.")).to_be_visible()
    expect(anna.says("No second entry differs from the first.")).to_be_visible()
    page.get_by_label("Wanted squared error").fill("0,9")
    page.get_by_role("button", name="Simulate").click()
    plan = page.locator("section").filter(has=page.get_by_role("heading", name="Plan"))
    expect(plan.locator(".notice")).to_contain_text("simulated", timeout=120000)


def test_plan_says_what_it_costs(world):
    """Every order costs 13.50, and 873.00 are left."""
    clinic, anna = begin(world)
    page = anna.page
    more = {"value": 64}
    page.route("**/outlook?*", lambda route: route.fulfill(json={"error": 1, "more": more["value"], "examples": 80, "learned": 16, "k": 2,
                                                                 "runs": 10, "reached": 9}))
    anna.go("overview")
    plan = page.locator("section").filter(has=page.get_by_role("heading", name="Plan"))
    for value, says in ((64, "They would cost about 864.00, at 13.50 each as orders are now. 873.00 are left: that is enough."),
                        (65, "They would cost about 877.50, at 13.50 each as orders are now. 873.00 are left: that is not enough.")):
        more["value"] = value
        page.get_by_label("Wanted squared error").fill("1")
        page.get_by_role("button", name="Simulate").click()
        expect(plan.locator(".notice")).to_contain_text(says)
    carla = world.person(clinic, "carla").sign_in()  # who only reads has no forecast
    carla.page.route("**/outlook?*", lambda route: route.fulfill(json={"error": 1, "more": 5, "examples": 21, "learned": 16, "k": 2, "runs": 10,
                                                                       "reached": 9}))
    carla.go("overview")
    carla.page.get_by_label("Wanted squared error").fill("1")
    carla.page.get_by_role("button", name="Simulate").click()
    expect(carla.says("About 5 more examples, 21 in all.")).to_be_visible()


def test_overview_follows_and_leaves_the_hands_alone(world):
    """What others do appears without a reload, and who types here goes on typing."""
    clinic, anna = begin(world)
    anna.go("overview")
    wanted = anna.page.get_by_label("Wanted squared error")
    wanted.press_sequentially("0,")
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-102")
    ben.box("glucose").fill("5,5")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    expect(anna.says("7.00").first).to_be_visible()
    expect(wanted).to_be_focused()
    anna.page.keyboard.type("9")
    expect(wanted).to_have_value("0,9")


def test_several_studies(world):
    """People choose among those that their token opens; the other one has no prices."""
    clinic = world.clinic(start=False)
    other = clinic.create_plain("school.study")
    clinic.revoke("ben")
    clinic.tokens["ben"] = clinic.add_token("ben", "--study", "clinic")
    clinic.start(other)
    anna = world.person(clinic, "anna").sign_in()
    expect(anna.page.get_by_role("heading", name="Studies")).to_be_visible()
    check_axe(world, anna, "studies-light")
    anna.page.get_by_role("link", name="school").click()
    expect(anna.page.get_by_role("link", name="Other studies")).to_be_visible()
    anna.page.get_by_role("link", name="New", exact=True).click()
    anna.page.get_by_label("Names").fill("S-1")
    anna.page.get_by_role("button", name="What may it cost?").click()
    expect(anna.says("2 attributes per order on average, 2 at most.")).to_be_visible()
    anna.page.get_by_role("button", name="Order", exact=True).click()
    expect(anna.says("One order is saved.")).to_be_visible()
    anna.page.get_by_role("link", name="S-1", exact=True).click()
    expect(anna.box("y")).to_be_visible()
    assert "price" not in anna.page.locator("#main").inner_text()
    anna.page.get_by_role("link", name="Overview").click()
    expect(anna.says("attributes left")).to_be_visible()
    expect(anna.says("reserved for open orders")).to_have_count(0)
    # Ben's token opens one: he is there at once.
    ben = world.person(clinic, "ben").sign_in()
    expect(ben.page.get_by_role("heading", name="Worklist")).to_be_visible()
    expect(ben.page.get_by_role("link", name="Other studies")).to_have_count(0)
    ben.page.goto(clinic.url + "#/school/work")
    expect(ben.says("There is nothing here")).to_be_visible()


def test_discrepancies(world):
    clinic = world.clinic(start=False)
    clinic.ask("P-101")
    clinic.tell("P-101", "age=47")
    clinic.start()
    dora = world.person(clinic, "dora").sign_in("#/clinic/second/P-101")
    dora.box("age").fill("74")
    dora.page.get_by_role("button", name="Compare and save").click()
    expect(dora.says("age differs from the first entry.")).to_be_visible()
    anna = world.person(clinic, "anna").sign_in("#/clinic/overview")
    expect(anna.says("One value differs from its second entry.")).to_be_visible()
    anna.page.get_by_role("link", name="P-101").click()
    expect(anna.says("The entries differ: first 47 years, second 74 years.")).to_be_visible()
    anna.go("work?view=differs")
    expect(anna.page.get_by_role("link", name="P-101")).to_be_visible()


def test_end_and_reopen(world):
    clinic, anna = begin(world)
    anna.go("example", "P-101")
    page = anna.page
    page.get_by_role("button", name="End the order").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("glucose were entered. They would not be learned from, and 3.50 stay spent.")
    dialog.get_by_label("Failed").check()
    dialog.get_by_role("button", name="End the order").click()
    expect(dialog).to_contain_text("A reason is needed.")
    dialog.get_by_label("Reason").fill("no score")
    dialog.get_by_role("button", name="End the order").click()
    expect(page.locator(".state")).to_have_text("Failed")
    expect(page.locator(".notice").get_by_text("Reason: no score")).to_be_visible()
    page.get_by_role("button", name="Reopen").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("it was another one")
    page.get_by_role("dialog").get_by_role("button", name="Reopen").click()
    expect(page.locator(".state")).to_have_text("Partly entered")
    assert [kind for kind, _, _ in clinic.history("P-101")] == ["ask", "tell", "fail", "reopen"]


def end_order(anna, example, reason):
    anna.go("example", example)
    anna.page.get_by_role("button", name="End the order").click()
    dialog = anna.page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill(reason)
    dialog.get_by_role("button", name="End the order").click()
    expect(anna.page.locator(".state")).to_have_text("Cancelled")


def test_an_order_ends_while_somebody_types(world):
    clinic, anna = begin(world)
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-102")
    ben.box("glucose").fill("5,5")
    end_order(anna, "P-102", "went home")
    expect(ben.says("You typed 5.5 mmol/l, but the order has ended meanwhile")).to_be_visible()
    ben.page.get_by_role("button", name="Drop what I typed").click()
    expect(ben.page.get_by_role("button", name="Drop what I typed")).to_have_count(0)
    assert not [key for key in ben.stored() if "draft" in key or "/out/" in key], ben.stored()


def test_an_order_ends_before_the_value_comes(world):
    """Ben's page has not seen it: the service refuses, and what he typed is not lost from sight."""
    clinic, anna = begin(world)
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-102")
    ben.box("glucose").fill("5,5")
    ben.page.route("**/examples/P-102", lambda route: route.abort() if route.request.method == "GET" else route.continue_())
    end_order(anna, "P-102", "went home")
    ben.save()
    expect(ben.says("This was not saved.")).to_be_visible()
    expect(ben.box("glucose")).to_have_value("5,5")


def test_erased_while_somebody_types(world):
    clinic, anna = begin(world)
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-101")
    ben.box("hdl").fill("1,5")
    anna.go("example", "P-101")
    anna.page.get_by_role("button", name="Erase").click()
    dialog = anna.page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("consent withdrawn")
    dialog.get_by_label("Type P-101 to confirm").fill("P-101")
    dialog.get_by_role("button", name="Erase").click()
    expect(ben.says("What you had typed for it was removed.")).to_be_visible()
    assert not re.search(r"P-10\d|draft|/out/", str(ben.stored())), ben.stored()


def test_what_changed_meanwhile_is_not_ended(world):
    clinic, anna = begin(world)
    anna.go("example", "P-101")
    anna.page.get_by_role("button", name="End the order").click()
    dialog = anna.page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("went home")
    # Her page has not seen yet what Ben does.
    anna.page.route("**/examples/P-101", lambda route: route.abort() if route.request.method == "GET" else route.continue_())
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-101")
    ben.box("hdl").fill("1,2")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    dialog.get_by_role("button", name="End the order").click()
    expect(dialog).to_contain_text("Somebody has changed something meanwhile.")
    assert [kind for kind, _, _ in clinic.history("P-101")] == ["ask", "tell", "tell"]


def test_erase(world):
    clinic = world.clinic(start=False, past=True)
    clinic.ask("P-101", "P-102")
    clinic.tell("P-101", "age=61", "glucose=5.4")
    clinic.tell("P-102", "age=52")
    clinic.run("study", "correct", clinic.study, "P-102", "age=53", "--reason", "mixed up with P-101", "--by", "ben")
    clinic.start()
    anna = world.person(clinic, "anna").sign_in()
    anna.go("example", "P-101")
    page = anna.page
    page.get_by_role("button", name="Erase").click()
    dialog = page.get_by_role("dialog")
    for says in ("2 events lose the name and their values.", "Its order goes.", "It is still open.", "3.50 stay spent, 10.00 are refunded.",
                 "One look of another example was drawn after it came.", "The reason of one other event holds the name",
                 "Backups, frozen copies, exports and printed sheets are other files"):
        expect(dialog).to_contain_text(says)
    dialog.get_by_label("Reason").fill("consent withdrawn")
    dialog.get_by_label("Type P-101 to confirm").fill("P-102")
    dialog.get_by_role("button", name="Erase").click()
    expect(dialog).to_contain_text("This is not its name.")
    dialog.get_by_label("Type P-101 to confirm").fill("P-101")
    dialog.get_by_role("button", name="Erase").click()
    expect(page.get_by_role("heading", name="Worklist")).to_be_visible()
    anna.go("example", "P-101")
    expect(anna.says("nothing is known of example")).to_be_visible()
    assert not any("P-101" in key + value for key, value in anna.stored().items()), anna.stored()


def test_extra(world):
    """What nobody ordered; here a new attribute that the orders do not have."""
    clinic, anna = begin(world)
    page = anna.page
    anna.go("catalogue")
    page.get_by_role("button", name="New attribute").click()
    page.get_by_label("Name").fill("crp")
    page.get_by_label("Cost").fill("5,00")
    page.get_by_label("Unit").fill("mg/l")
    page.get_by_role("button", name="Go on").click()
    sure = page.get_by_role("dialog", name="Change the study?")
    expect(sure).to_contain_text("crp")
    sure.get_by_label("Reason").fill("new in the laboratory")
    sure.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_role("row", name="crp")).to_contain_text("5.00")
    anna.go("example", "P-101")
    page.get_by_role("button", name="Not ordered, but measured").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("What").select_option("crp")
    dialog.get_by_label("Value").fill("8,5")
    dialog.get_by_label("Reason").fill("measured by the ward")
    dialog.get_by_role("button", name="Save").click()
    expect(anna.says("8.5 mg/l")).to_be_visible()
    assert clinic.history("P-101")[-1] == ("extra", "anna", {"crp": 8.5})


def test_amend(world):
    clinic, anna = begin(world)
    page = anna.page
    anna.go("catalogue")
    page.get_by_role("button", name="Change glucose").click()
    page.get_by_label("Cost").fill("4,25")
    page.get_by_label("Usually to").fill("")
    page.get_by_role("button", name="Go on").click()
    sure = page.get_by_role("dialog", name="Change the study?")
    expect(sure).to_contain_text("glucose: Cost 3.50 → 4.25, Usually to 20 → –")
    sure.get_by_label("Reason").fill("new contract")
    sure.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_role("row", name="glucose")).to_contain_text("4.25")
    page.get_by_role("button", name="Change the settings").click()
    page.get_by_label("Money in all").fill("1.2")
    page.get_by_role("button", name="Go on").click()
    expect(anna.says("“Money in all” 1.20 ")).to_be_visible()
    page.get_by_label("Money in all").fill("1200")
    page.get_by_role("button", name="Go on").click()
    sure.get_by_label("Reason").fill("second grant")
    sure.get_by_role("button", name="Change", exact=True).click()
    expect(anna.says("1200.00")).to_be_visible()
    page.get_by_role("link", name="Ledger").click()
    expect(page.get_by_role("row").filter(has_text="changed the study")).to_have_count(2)
    expect(anna.says("reason: second grant")).to_be_visible()
    expect(anna.says("glucose: Cost 3.50 → 4.25, Usually to 20 → –")).to_be_visible()
    expect(anna.says("Money in all 900 → 1200")).to_be_visible()


def test_ledger(world):
    """The newest first; a correction with what was there; a new attribute whole; by whom, through what; filtered."""
    clinic = world.clinic(start=False)
    clinic.ask("P-101", "P-102")
    clinic.tell("P-101", "age=61", "glucose=5.4")
    clinic.run("study", "correct", clinic.study, "P-101", "glucose=5.6", "--reason", "a slip", "--by", "dora")
    clinic.run("study", "amend", clinic.study, "crp", "cost=3", "low=0", "unit=mg/l", "--new", "--reason", "wanted", "--by", "anna")
    clinic.start()
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-102")
    ben.box("age").fill("52")
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    ben.go("example", "P-101")
    ben.page.get_by_text("History: ").click()
    expect(ben.says("glucose = 5.6, before: 5.4; reason: a slip")).to_be_visible()
    anna = world.person(clinic, "anna").sign_in()
    page = anna.page
    anna.go("ledger")
    rows = page.get_by_role("region", name="Ledger").locator("tbody tr")
    expect(rows).to_have_count(7)
    expect(rows.first).to_contain_text("ben (page)")
    expect(rows.last).to_contain_text("made the study")
    expect(rows.nth(1)).to_contain_text("new: crp, Unit mg/l, Cost 3.00, Lowest possible 0, Highest possible –")
    expect(rows.nth(2)).to_contain_text("dora (command)")
    expect(rows.nth(2)).to_contain_text("glucose = 5.6, before: 5.4; reason: a slip")
    page.get_by_label("Order", exact=True).select_option("Oldest first")
    expect(rows.first).to_contain_text("made the study")
    page.get_by_label("Example").fill("P-101")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(3)
    page.get_by_label("What").select_option("corrected")
    expect(rows).to_have_count(1)
    page.get_by_label("Person").fill("nobody")
    page.keyboard.press("Tab")
    expect(anna.says("There is no such event.")).to_be_visible()
    check_axe(world, anna, "ledger-filtered")


def test_limits_that_change_are_said(world):
    """A value that was usual when the page read the catalogue: the service asks, and so does the page."""
    clinic, anna = begin(world)
    ben = world.person(clinic, "ben").sign_in("#/clinic/example/P-102")
    ben.box("glucose").fill("15")
    anna.go("catalogue")
    anna.page.get_by_role("button", name="Change glucose").click()
    anna.page.get_by_label("Usually to").fill("12")
    anna.page.get_by_role("button", name="Go on").click()
    sure = anna.page.get_by_role("dialog", name="Change the study?")
    sure.get_by_label("Reason").fill("better known")
    sure.get_by_role("button", name="Change", exact=True).click()
    expect(anna.page.get_by_role("row", name="glucose")).to_contain_text("3 to 12")
    ben.save()
    expect(ben.says("This was not saved.")).to_be_visible()
    expect(ben.box("glucose")).to_have_value("15")
    ben.page.get_by_label("It is right").check()
    ben.save()
    expect(ben.status).to_contain_text("Saved at")
    assert clinic.history("P-102")[-1][2] == {"glucose": 15}


def test_results_and_downloads(world):
    clinic, carla = begin(world, "carla")
    page = carla.page
    page.get_by_role("link", name="Results").click()
    weights = page.get_by_role("region", name="Weights").get_by_role("row")
    expect(weights).to_have_count(7)  # the head, the intercept, five attributes
    assert "NaN" not in page.content()
    for file in ("examples.csv", "dictionary.csv", "looks.csv", "events.csv", "ledger.csv", "model.json"):
        with page.expect_download() as got:
            page.get_by_role("link", name=file).click()
        assert got.value.suggested_filename == f"clinic-{file}".replace(".csv", "-pseudonyms.csv")
        text = open(got.value.path(), encoding="utf-8").read()
        assert len(text) > 20 and "P-101" not in text and "anna" not in text, (file, text[:300])
    expect(page.get_by_role("columnheader", name="With names")).to_have_count(0)
    expect(carla.says("With the algorithm gaussian attributes are drawn without replacement.")).to_be_visible()
    said = page.locator("section").filter(has=page.get_by_role("heading", name="Weights")).inner_text()
    shown = re.search(r"Risk (\S+ ± \S+),", said).group(1)
    carla.go("overview")
    expect(page.locator("section").filter(has=page.get_by_role("heading", name="Risk"))).to_contain_text(f"{shown}: the squared error")


def test_for_the_record(world):
    clinic, anna = begin(world)
    page = anna.page
    anna.go("results")
    with page.expect_download() as got:
        page.get_by_role("link", name="examples.csv").nth(1).click()
    assert "P-101" in open(got.value.path(), encoding="utf-8").read()
    page.get_by_role("button", name="Verify").click()
    expect(anna.says("the same bit for bit")).to_be_visible()
    page.get_by_role("button", name="Freeze a copy").click()
    page.get_by_label("Name of the copy").fill("first")
    page.get_by_role("dialog").get_by_role("button", name="Freeze a copy").click()
    expect(page.get_by_role("dialog")).to_contain_text("sha256")
    page.keyboard.press("Escape")
    for name, text in {"age": "50", "glucose": "6"}.items():
        anna.box(name).fill(text)
    page.get_by_role("button", name="Predict").click()
    expect(anna.says("with probability 0.9")).to_be_visible()
