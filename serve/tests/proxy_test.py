"""The service behind a proxy with TLS: the files of docs/serve as they stand there, with other paths and ports.  Each
proxy is skipped where it is not installed."""
import contextlib
import html.parser
import http.client
import os
import shutil
import socket
import ssl
import subprocess
import unittest

import proxies
from proxies import NAME
from service import Browser, ServiceTest


class TlsConnection(http.client.HTTPSConnection):
    """To the proxy at a port of this machine, as a browser elsewhere would do it."""

    def __init__(self, port, certificate, name=NAME, timeout=60):
        super().__init__(name, timeout=timeout, context=ssl.create_default_context(cafile=certificate))
        self.real_port, self.server_name = port, NAME

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.real_port), self.timeout)
        self.sock = self._context.wrap_socket(plain, server_hostname=self.server_name)


class Through:
    """A service as one sees it through a proxy; enough of it for service.Browser."""

    def __init__(self, service, port, certificate):
        self.service, self.port, self.certificate = service, port, certificate
        self.base, self.tokens = service.base, service.tokens

    def request(self, method, path, body=None, token="enter", headers=None, name=NAME):
        with contextlib.closing(TlsConnection(self.port, self.certificate, name)) as connection:
            return self.service.request(method, path, body, token, headers, connection)


class Links(html.parser.HTMLParser):
    """The files that a page names."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if (name == "src" or (tag == "link" and name == "href")) and value and not value.startswith("data:"):
                self.found.append(value)


class Proxy:
    """What every proxy is tested for."""

    def setUp(self):
        super().setUp()
        if why := self.proxy.lacks():
            self.skipTest(why)
        self.service = self.serve(options=proxies.OPTIONS)
        self.running = self.proxy(os.path.join(self.folder, "proxy"), self.service.address[1])
        self.addCleanup(self.running.end)
        self.through = Through(self.service, self.running.tls_port, self.running.certificate)

    def test_sign_in_ask_and_tell(self):
        browser = Browser(self.through)
        answer = browser.sign_in(token=self.through.tokens["enter"])
        self.assertEqual(answer.status, 200, str(answer))
        self.assertTrue(answer.headers["set-cookie"].endswith("; Path=/scant/; HttpOnly; SameSite=Strict; Secure"), str(answer))
        answer = browser.request("POST", "orders", {"examples": ["P/1"]}, {"Idempotency-Key": "k1"})
        self.assertEqual(answer.status, 200, str(answer))
        order = answer.json["orders"][0]
        again = browser.request("POST", "orders", {"examples": ["P/1"]}, {"Idempotency-Key": "k1"})
        self.assertEqual((again.headers.get("idempotency-replayed"), again.json), ("true", answer.json))
        names = [line["name"] for line in order["lines"]]
        told = browser.request("POST", "examples/P%2F1/answers", {"answers": dict.fromkeys(names, 5)})
        self.assertEqual(told.status, 200, str(told))
        self.assertNotEqual(told.headers["etag"], order["etag"])
        shown = browser.request("GET", "examples/P%2F1")
        self.assertEqual((shown.status, shown.headers["etag"]), (200, told.headers["etag"]), str(shown))
        same = browser.request("GET", "examples/P%2F1", headers={"If-None-Match": shown.headers["etag"]})
        self.assertEqual((same.status, same.body), (304, b""), str(same))
        self.check_problem(browser.request("GET", "examples/P/1"), 404, "unknown")
        kept, browser.csrf = browser.csrf, "no"
        self.check_problem(browser.request("POST", "orders", {"examples": ["P/2"]}), 403, "csrf")
        browser.csrf = kept
        self.assertEqual(browser.request("DELETE", "/scant/api/v1/session").status, 204)
        self.check_problem(browser.request("GET", ""), 401, "token")

    def test_the_page(self):
        answer = self.through.request("GET", "/scant/", token=None)
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "text/html; charset=utf-8"), str(answer))
        self.assertIn("default-src 'none'", answer.headers["content-security-policy"])
        self.assertEqual(answer.headers["strict-transport-security"], "max-age=31536000")
        found = Links(answer.text).found
        self.assertGreater(len(found), 1)
        for name in found:
            self.assertFalse(name.startswith(("/", "http")), name)  # else it would leave the base path
            file = self.through.request("GET", "/scant/" + name, token=None)
            self.assertEqual((file.status, file.headers["x-content-type-options"]), (200, "nosniff"), str(file))
            self.assertGreater(len(file.body), 0)
        for path in ("/", "/scant"):
            answer = self.through.request("GET", path, token=None)
            self.assertIn(answer.status, (301, 302, 308), str(answer))
            self.assertRegex(answer.headers["location"], r"^(https://[^/]*)?/scant/$")
        for path in ("/api/v1/studies", "/metrics", "/scant/../metrics", "/scant/%2e%2e/metrics"):
            self.assertIn(self.through.request("GET", path, token="manage").status, (400, 404), path)

    def test_hosts_and_origins(self):
        answer = self.through.request("GET", "", token="read", name="evil.example.org")
        self.check_foreign_host(answer)
        answer = self.through.request("GET", "", token="read", headers={"Origin": "https://evil.example.org"})
        self.check_problem(answer, 403, "origin")
        answer = self.through.request("GET", "", token="read", headers={"Origin": f"https://{NAME}"})
        self.assertEqual(answer.status, 200, str(answer))

    def test_big_bodies(self):
        answer = self.through.request("POST", "orders", b" " * (1 << 20) + b"{}")
        self.check_problem(answer, 413, "size")
        try:
            answer = self.through.request("POST", "orders", b" " * (3 << 20) + b"{}")
            self.assertEqual(answer.status, 413, str(answer))
        except (ConnectionError, ssl.SSLError):
            pass  # it is closed before all was sent
        self.assertEqual(self.through.request("POST", "orders", {"examples": ["P-1"]}).status, 200)

    def test_a_client_that_says_where_it_comes_from_is_not_believed(self):
        answers = [self.through.request("GET", "", token="no", headers={"X-Forwarded-For": f"10.0.0.{i}"}) for i in range(12)]
        self.assertEqual([a.status for a in answers], 10 * [401] + 2 * [429])

    def test_nothing_goes_in_clear(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.running.plain_port, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", "/scant/api/v1/studies", headers={
                "Host": NAME, "Authorization": "Bearer " + self.through.tokens["read"]})
            answer = connection.getresponse()
            self.assertEqual(answer.status, 308)
            self.assertRegex(answer.headers["location"], rf"^https://{NAME}(:\d+)?/scant/api/v1/studies$")

    def test_names_are_not_written_down(self):
        name = "Zebedee-Zwick"
        ask = ("POST", "orders", {"examples": [name]})
        self.assertEqual(self.through.request(*ask).status, 200)
        self.assertEqual(self.through.request("GET", "examples/" + name).status, 200)
        self.assertEqual(self.through.request("GET", "/scant/api/v1/studies/clinic/export/examples.csv", token="manage").status, 200)
        self.assertEqual(self.service.stop(), 0)
        for request in (("GET", "examples/" + name), ask):
            self.assertEqual(self.through.request(*request).status, 502)
        self.assertNotIn("Zebedee", self.running.logs())

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_http_2(self):
        """Browsers speak it with the proxy."""
        if "HTTP2" not in subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout:
            self.skipTest("this curl does not know HTTP/2")
        port = self.running.tls_port
        done = subprocess.run(
            ["curl", "-s", "--http2", "--cacert", self.running.certificate, "--resolve", f"{NAME}:{port}:127.0.0.1", "-H",
             f"Host: {NAME}", "-H", "Authorization: Bearer " + self.through.tokens["read"], "-w", "\n%{http_version} %{http_code}",
             f"https://{NAME}:{port}/scant/api/v1/studies"], capture_output=True, text=True, timeout=60, check=True)
        self.assertIn('"clinic"', done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "2 200")


class Nginx(Proxy, ServiceTest):
    proxy = proxies.Nginx

    def check_foreign_host(self, answer):
        self.check_problem(answer, 421, "host")


class Caddy(Proxy, ServiceTest):
    proxy = proxies.Caddy

    def check_foreign_host(self, answer):
        """It knows no such site."""
        self.assertEqual((answer.status, answer.body), (200, b""), str(answer))


if __name__ == "__main__":
    unittest.main()
