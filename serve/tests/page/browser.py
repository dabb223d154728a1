"""People in front of browsers."""

import pathlib

from playwright.sync_api import expect

expect.set_options(timeout=15000)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1280, "height": 900}}


class Person:
    """One browser context of one person. What goes wrong in the page is kept, and fails the test at its end."""

    def __init__(self, browser, clinic, name, theme="light", phone=False, pictures=None):
        self.clinic, self.name, self.pictures = clinic, name, pictures
        self.context = browser.new_context(color_scheme=theme, locale="en-GB", accept_downloads=True, **(PHONE if phone else DESK))
        self.context.set_default_timeout(15000)
        self.page = self.context.new_page()
        self.wrong = []
        self.page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))
        self.page.on("console", lambda said: self.hear(said.text) if said.type == "error" else None)
        self.page.on("request", lambda asked: self.check(asked.url))

    def hear(self, text):
        if "Content Security Policy" in text:
            self.wrong.append(text)

    def check(self, url):
        """Nothing is ever asked of another address."""
        if not url.startswith((self.clinic.url, "blob:" + self.clinic.url)):
            self.wrong.append(f"foreign address: {url}")

    def open(self, hash=""):
        self.page.goto(self.clinic.url + hash)
        return self

    def sign_in(self, hash=""):
        self.open(hash)
        self.give_token()
        return self

    def give_token(self):
        self.page.get_by_label("Your token").fill(self.clinic.tokens[self.name])
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("button", name="Sign out")).to_be_visible()

    def go(self, *parts):
        """To a screen of the study, as its links do."""
        self.page.evaluate("hash => { location.hash = hash; }", "#/clinic/" + "/".join(parts))

    def says(self, text):
        """A sentence on the screen. (What is said to screen readers stands elsewhere.)"""
        return self.page.locator("#main, dialog").get_by_text(text)

    def box(self, name):
        return self.page.get_by_role("textbox", name=name)

    def save(self):
        self.page.get_by_role("button", name="Save", exact=True).click()

    @property
    def status(self):
        return self.page.locator(".savestate")

    def stored(self):
        """Everything that this browser keeps of the clinic."""
        return self.page.evaluate("Object.fromEntries(Object.entries(localStorage).filter(([key]) => key !== 'scant:theme' && key !== 'scant:overdue'))")

    def picture(self, name):
        if self.pictures:
            pathlib.Path(self.pictures).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=f"{self.pictures}/{name}.png", full_page=True)

    def focused(self):
        """The name of what has the focus."""
        return self.page.evaluate("""() => {
            const at = document.activeElement;
            const label = at.labels && at.labels[0];
            return (at.getAttribute('aria-label') || (label && label.textContent) || at.textContent || '').trim();
        }""")

    def tab_to(self, name, most=80, key="Tab"):
        """By the tabulator alone."""
        for _ in range(most):
            self.page.keyboard.press(key)
            if self.focused().startswith(name):
                self.check_focus_is_seen()
                return
        raise AssertionError(f"the tabulator does not come to '{name}'")

    def check_focus_is_seen(self):
        seen = self.page.evaluate("""() => {
            const style = getComputedStyle(document.activeElement);
            return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        }""")
        assert seen, f"the focus on '{self.focused()}' is not seen"

    def close(self):
        self.context.close()
        assert not self.wrong, self.wrong
