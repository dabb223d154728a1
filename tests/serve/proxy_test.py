"""The service behind a proxy with TLS: the files of docs/serve as they stand there, with other paths and ports.  Each
proxy is skipped where it is not installed."""
import contextlib
import html.parser
import http.client
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import time
import unittest

from service import Browser, ServiceTest

FILES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "serve"
NAME = "study.example.org"
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"


def free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


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
        self.service = self.serve(options=["--behind-proxy", "--base-path", "/scant", "--host", NAME])
        self.certificate, self.key = (os.path.join(self.folder, n) for n in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-keyout", self.key, "-out", self.certificate, "-days", "2", "-subj", f"/CN={NAME}", "-addext",
                        f"subjectAltName=DNS:{NAME}"], check=True, capture_output=True, timeout=60)
        self.begin()
        self.through = Through(self.service, self.tls_port, self.certificate)

    def begin(self):
        """Starts the proxy.  Somebody else may take a port between the choice and the start: then with others."""
        for _ in range(5):
            self.tls_port, self.plain_port = free_port(), free_port()
            words = self.configure()
            with open(os.path.join(self.folder, "proxy.txt"), "ab") as out:
                process = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                           env={**os.environ, "HOME": self.folder, "XDG_DATA_HOME": self.folder,
                                                "XDG_CONFIG_HOME": self.folder})
            if self.answers(process):
                self.addCleanup(self.end, process)
                return
            self.end(process)
        raise AssertionError(f"{words[0]} does not start: " + self.logs())

    def answers(self, process):
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.tls_port), 1):
                return True
            time.sleep(0.02)
        return False

    def end(self, process):
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
            return
        process.kill()
        process.wait()

    def substitute(self, name, changes):
        """A file of docs/serve with other paths and ports.  What is to be changed must be there."""
        lines = [line for line in (FILES / name).read_text().splitlines() if not line.lstrip().startswith("#")]
        text = "\n".join(lines) + "\n"
        common = [("/etc/ssl/scant", self.folder), ("127.0.0.1:8765", f"127.0.0.1:{self.service.address[1]}")]
        for old, new in common + changes:
            self.assertIn(old, text, f"{name} does not say it")
            text = text.replace(old, new)
        return self.write(f"proxy-{name}", text)

    def logs(self):
        """All that the proxy wrote down."""
        found = ""
        for path in pathlib.Path(self.folder).rglob("*"):
            if path.is_file() and (path.suffix in (".log", ".txt") or "temp" in str(path.parent.name)):
                found += path.read_text(errors="replace")
        return found

    # ---- the tests ----

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
        connection = http.client.HTTPConnection("127.0.0.1", self.plain_port, timeout=60)
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
        self.assertNotIn("Zebedee", self.logs())

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_http_2(self):
        """Browsers speak it with the proxy."""
        if "HTTP2" not in subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout:
            self.skipTest("this curl does not know HTTP/2")
        done = subprocess.run(
            ["curl", "-s", "--http2", "--cacert", self.certificate, "--resolve", f"{NAME}:{self.tls_port}:127.0.0.1", "-H",
             f"Host: {NAME}", "-H", "Authorization: Bearer " + self.through.tokens["read"], "-w", "\n%{http_version} %{http_code}",
             f"https://{NAME}:{self.tls_port}/scant/api/v1/studies"], capture_output=True, text=True, timeout=60, check=True)
        self.assertIn('"clinic"', done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "2 200")


NGINX = shutil.which("nginx", path=PATH)


@unittest.skipUnless(NGINX, "nginx is not installed")
@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class Nginx(Proxy, ServiceTest):
    def configure(self):
        file = self.substitute("nginx.conf", [
            ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"), ("listen [::]:80;", ""),
            ("listen 443 ", f"listen 127.0.0.1:{self.tls_port} "), ("listen [::]:443 ssl http2;", ""),
            ("/var/log/nginx", self.folder)])
        places = "".join(f"{name}_temp_path {self.folder}/{name}-temp;\n"
                         for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root root;\n" if os.geteuid() == 0 else ""
        main = self.write("main.conf", f"daemon off;\npid {self.folder}/nginx.pid;\nworker_processes 1;\n{user}"
                          f"error_log {self.folder}/main-error.log;\nevents {{}}\nhttp {{\n{places}"
                          f"access_log {self.folder}/access.log;\ninclude {file};\n}}\n")
        return [NGINX, "-p", self.folder, "-e", os.path.join(self.folder, "main-error.log"), "-c", main]

    def check_foreign_host(self, answer):
        self.check_problem(answer, 421, "host")


CADDY = shutil.which("caddy", path=PATH)


@unittest.skipUnless(CADDY, "caddy is not installed")
@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class Caddy(Proxy, ServiceTest):
    def configure(self):
        file = self.substitute("Caddyfile", [("\thttp_port 80", f"\thttp_port {self.plain_port}"),
                                             ("https_port 443", f"https_port {self.tls_port}")])
        return [CADDY, "run", "--adapter", "caddyfile", "--config", file]

    def check_foreign_host(self, answer):
        """It knows no such site."""
        self.assertEqual((answer.status, answer.body), (200, b""), str(answer))


if __name__ == "__main__":
    unittest.main()
