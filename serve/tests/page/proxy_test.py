"""The page through a proxy with TLS, under a base path: the files of docs/serve in a browser that speaks HTTP/2."""

import pathlib
import shutil
import sys
import unittest

from playwright.sync_api import expect

from browser import Person

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import proxies  # noqa: E402


class Elsewhere:
    """The clinic as browsers on other machines see it."""

    url = f"https://{proxies.NAME}/scant/"

    def __init__(self, clinic):
        self.tokens = clinic.tokens


def work(world, proxy):
    if why := proxy.lacks():
        raise unittest.SkipTest(why)
    clinic = world.clinic(start=False)
    options = ["--tokens", clinic.folder / "tokens.json", *proxies.OPTIONS]
    clinic.begin(*options)
    running = proxy(f"{world.folder}/proxy", clinic.port)
    browser = world.browser.browser_type.launch(executable_path=shutil.which("chromium"), args=[
        "--no-sandbox", "--ignore-certificate-errors", f"--host-resolver-rules=MAP {proxies.NAME}:443 127.0.0.1:{running.tls_port}"])
    try:
        ben = Person(browser, Elsewhere(clinic), "ben").sign_in()
        ben.page.get_by_role("link", name="New examples").click()
        ben.page.get_by_label("Names").fill("P/101 ä\n")
        ben.page.get_by_role("button", name="Order", exact=True).click()
        expect(ben.says("One order is saved.")).to_be_visible()
        ben.page.get_by_role("link", name="P/101 ä", exact=True).click()
        ben.box("age").fill("52")
        ben.save()
        expect(ben.status).to_contain_text("Saved at")
        # The proxy says 502 while the service is away: what is entered waits.
        clinic.stop()
        ben.box("hdl").fill("1,5")
        ben.save()
        expect(ben.page.get_by_text("1 not saved yet")).to_be_visible()
        clinic.begin(*options)
        ben.give_token()
        clinic.wait_for_history("P/101 ä", lambda event: event[2] == {"hdl": 1.5})
        assert [(kind, by) for kind, by, _ in clinic.history("P/101 ä")] == [("ask", "ben"), ("tell", "ben"), ("tell", "ben")]
        ben.page.get_by_role("button", name="Sign out").click()
        expect(ben.page.get_by_label("Your token")).to_be_visible()
        assert not ben.context.cookies()
        ben.close()
    finally:
        browser.close()
        running.end()


def test_nginx(world):
    work(world, proxies.Nginx)


def test_caddy(world):
    work(world, proxies.Caddy)
