"""Names of new examples: one per line, and whatever looks like another one is asked about, each by itself."""

from playwright.sync_api import expect


def begin(world, *names):
    clinic = world.clinic(start=False)
    clinic.ask(*names)
    clinic.start()
    return clinic, world.person(clinic, "ben").sign_in("#/clinic/new")


def order(ben, *names):
    ben.page.get_by_label("Names").fill("\n".join(names))
    ben.page.get_by_role("button", name="Order", exact=True).click()


def kinds(clinic, example):
    return [kind for kind, _, _ in clinic.history(example)]


def unknown(clinic, example):
    try:
        clinic.history(example)
    except RuntimeError:
        return True
    return False


def test_every_look_alike_is_asked_about(world):
    clinic, ben = begin(world, "P-105", "P-106")
    order(ben, "p-105", "P-200", "p 106", "P-107")
    dialog = ben.page.get_by_role("dialog")
    first = dialog.get_by_role("group", name="p-105")
    second = dialog.get_by_role("group", name="p 106")
    expect(first).to_contain_text("It looks like P-105, which is in the study already.")
    expect(dialog.get_by_role("group")).to_have_count(1)  # 'p 106' has no dash: it is another name
    expect(second).to_have_count(0)
    dialog.get_by_role("button", name="Back to the names").click()
    expect(ben.page.get_by_label("Names")).to_be_focused()
    expect(ben.page.get_by_label("Names")).to_have_value("p-105\nP-200\np 106\nP-107")
    assert unknown(clinic, "P-200") and unknown(clinic, "p-105")
    order(ben, "p-105", "P-200", "P - 106")
    expect(dialog.get_by_role("group")).to_have_count(2)
    second = dialog.get_by_role("group", name="P - 106")
    # Nothing is chosen beforehand, and nothing can be left open.
    first.get_by_label("It is another one").check()
    dialog.get_by_role("button", name="Go on").click()
    expect(dialog.get_by_role("alert")).to_have_text("Choose for P - 106.")
    second.get_by_label("It is the same one: P-106").check()
    text = dialog.inner_text()
    assert "option" not in text and "new-name" not in text, text
    dialog.get_by_role("button", name="Go on").click()
    expect(ben.says("3 orders are saved.")).to_be_visible()
    assert kinds(clinic, "p-105") == kinds(clinic, "P-200") == kinds(clinic, "P-106") == ["ask"]
    assert unknown(clinic, "P - 106")


def test_look_alikes_within_a_list(world):
    clinic, ben = begin(world, "P-105")
    order(ben, "Q-1", "q-1", "Q–1", "p-105")
    dialog = ben.page.get_by_role("dialog")
    expect(dialog.get_by_role("group")).to_have_count(3)
    expect(dialog.get_by_role("group", name="q-1")).to_contain_text("It looks like Q-1, which stands in this list, too.")
    dialog.get_by_role("group", name="q-1").get_by_label("It is the same one: Q-1").check()
    dialog.get_by_role("group", name="Q–1").get_by_label("It is another one").check()
    dialog.get_by_role("group", name="p-105").get_by_label("It is the same one: P-105").check()
    dialog.get_by_role("button", name="Go on").click()
    expect(ben.says("3 orders are saved.")).to_be_visible()
    assert kinds(clinic, "Q-1") == kinds(clinic, "Q–1") == kinds(clinic, "P-105") == ["ask"]
    assert unknown(clinic, "q-1") and unknown(clinic, "p-105")


def test_lines_alone_separate_names(world):
    clinic, ben = begin(world, "P-105")
    order(ben, "Meier, Anna", "a;b", "")
    expect(ben.says("2 orders are saved.")).to_be_visible()
    assert kinds(clinic, "Meier, Anna") == kinds(clinic, "a;b") == ["ask"]


def test_near_names_that_waited_are_mended_later(world):
    """Refused when nobody looked: the names go back to where they were written, and no word is the command's."""
    clinic, ben = begin(world, "P-105")
    ben.context.set_offline(True)
    order(ben, "p-105", "P-108")
    expect(ben.says("Not ordered yet. No connection to the study.")).to_be_visible()
    ben.go("work")
    expect(ben.page.get_by_role("heading", name="Worklist")).to_be_visible()
    ben.context.set_offline(False)
    ben.page.get_by_role("button", name="1 was refused").click()
    dialog = ben.page.get_by_role("dialog")
    expect(dialog).to_contain_text("it has to be decided whether it is new")
    dialog.get_by_role("link", name="Show").click()
    expect(ben.page.get_by_label("Names")).to_have_value("p-105\nP-108")
    expect(ben.page.get_by_role("button", name="1 was refused")).to_have_count(0)
