"""Requests that nobody sends by accident: each is refused with the right problem, and others are served meanwhile."""
import contextlib
import http.client
import json
import re
import resource
import socket
import unittest

from clock import SECONDS, until
from service import Browser, ServiceTest, read_all, status_of


def head(*lines, method="GET", path="/ready", host=None, version="HTTP/1.1"):
    text = f"{method} {path} {version}\r\n"
    if host:
        text += f"Host: {host}\r\n"
    return (text + "".join(line + "\r\n" for line in lines) + "\r\n").encode("latin-1")


class Hostile(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service = self.serve()

    def tearDown(self):
        """Whatever was sent, the next one is served."""
        self.assertEqual(self.service.request("GET", "", token="read").status, 200)

    def send(self, data, status, code=None, closes=True):
        """The bytes are answered by this status, and by a problem of this code; nothing behind them is read."""
        got = self.service.exchange(data + (head(host=self.service.host) if closes else b""))
        self.assertEqual(status_of(got), status, repr(got[:400]))
        if code:
            self.assertIn(b"application/problem+json", got)
            body = got.split(b"\r\n\r\n", 1)[1]
            self.assertEqual(json.JSONDecoder().raw_decode(body.decode())[0]["code"], code, repr(got[:400]))
        if closes:
            self.assertEqual(got.count(b"HTTP/1.1 "), 1, f"it read on: {got!r}")
        return got

    def bearer(self, role="enter"):
        return "Authorization: Bearer " + self.service.tokens[role]

    # ---- the head ----

    def test_heads_that_can_be_read_in_two_ways(self):
        host = self.service.host
        post = {"method": "POST", "path": "/api/v1/studies/clinic/orders", "host": host}
        typed = "Content-Type: application/json"
        cases = [
            (self.bearer(), typed, "Content-Length: 4", "Transfer-Encoding: chunked"),
            (self.bearer(), typed, "Content-Length: 4", "Content-Length: 5"),
            (self.bearer(), typed, "Content-Length: 4", "content-length: 4"),
            (self.bearer(), typed, "Transfer-Encoding: gzip, chunked"),
            (self.bearer(), typed, "Transfer-Encoding: identity"),
            (self.bearer(), typed, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
            (self.bearer(), typed, f"Host: {host}", "Content-Length: 2"),
            (self.bearer(), self.bearer("manage"), typed, "Content-Length: 2"),
            (self.bearer(), typed, "Content-Length : 2"),
        ]
        for lines in cases:
            with self.subTest(lines=lines[1:]):
                self.send(head(*lines, **post), 400, "head")
        for length in ("-1", "+4", "4 4", "0x4", "99999999999999999999999", "4,4"):
            with self.subTest(length=length):
                got = self.service.exchange(head(self.bearer(), typed, f"Content-Length: {length}", **post) +
                                            head(host=host))
                self.assertIn(status_of(got), (400, 413), repr(got[:300]))
                self.assertNotIn(b"200 OK", got)

    def test_a_host_is_needed(self):
        self.send(head(), 400, "head")
        self.send(head(version="HTTP/1.0"), 400, "head")

    def test_foreign_hosts(self):
        port = self.service.address[1]
        for host in ("example.org", f"example.org:{port}", "127.0.0.1", "localhost", f"127.0.0.1:{port + 1}",
                     f"localhost.example.org:{port}", f"127.0.0.1:{port}@example.org", "[::1]"):
            with self.subTest(host=host):
                self.send(head(host=host), 421, "host", closes=False)
        for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
            with self.subTest(host=host):
                self.send(head(host=host), 200, closes=False)

    def test_foreign_origins(self):
        port = self.service.address[1]
        for origin in ("http://example.org", "null", f"http://127.0.0.1:{port + 1}", "http://localhost", "file://",
                       f"http://127.0.0.1:{port}.example.org", f"ftp://127.0.0.1:{port}"):
            for method in ("GET", "POST"):
                with self.subTest(origin=origin, method=method):
                    answer = self.service.request(method, "/api/v1/session", {} if method == "POST" else None,
                                                  headers={"Origin": origin})
                    self.check_problem(answer, 403, "origin")
        self.assertEqual(self.service.request("GET", "", headers={"Origin": f"http://localhost:{port}"}).status, 200)

    def test_huge_heads(self):
        host = self.service.host
        for data in (head("X-A: " + "a" * 40000, host=host), head(*[f"X-{i}: {'b' * 100}" for i in range(400)], host=host),
                     head(path="/" + "c" * 40000, host=host), b"GET /" + b"d" * 200000):
            got = self.service.exchange(data)
            self.assertIn(status_of(got), (400, 413, 414, 431, None), repr(got[:200]))
        got = self.service.exchange(head("X-A: " + "a" * 20000, host=host))
        self.assertEqual(status_of(got), 200)

    def test_lines_that_are_none(self):
        host = self.service.host
        for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /ready\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n", b"\x16\x03\x01\x02\x00",
                     b"GET /ready HTTP/2.0\r\nHost: x\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                     head("no colon", host=host), head("a\x00b: c", host=host)):
            with self.subTest(data=data[:40]):
                got = self.service.exchange(data)
                self.assertIn(status_of(got), (400, 505, None), repr(got[:200]))

    # ---- addresses ----

    def test_path_tricks(self):
        host = self.service.host
        for path in ("/../etc/passwd", "/%2e%2e/etc/passwd", "/words/../index.html", "//ready", "/ready//", "/./ready",
                     "/a%00b", "/a%0ab", "/%zz", "/%4", "/%", "/a%7fb", "/%c3%28", "/%ff", "/%ed%a0%80", "ready", "*",
                     "http://127.0.0.1/ready", "/a\\b", "/a#b", "/\xff", "/ready?a=%zz", "/ready?=1", "/ready?a=1&a=2",
                     "/" + "/".join("abcdefghijklmnop")):
            with self.subTest(path=path):
                got = self.send(head(path=path, host=host), 400, closes=False)
                self.assertIn(b"application/problem+json", got)
        for path in ("/words", "/words/", "/Index.html", "/index.html%2f", "/words%2fen.js", "/api", "/api/v1", "/api/v1/",
                     "/api/v2/studies", "/ready/", "/%72eady/x", "/.git/config", "/src/serve/http.c"):
            with self.subTest(path=path):
                self.check_problem(self.service.request("GET", path), 404, "unknown")
        self.assertEqual(self.service.request("GET", "/%72eady").status, 200)

    def test_names_may_hold_anything_that_a_name_may(self):
        for name in ("P/1", "a b", "..", "%2F", "ä€😀", "a?b#c&d=e+f"):
            with self.subTest(name=name):
                from urllib.parse import quote
                answer = self.service.request("POST", "orders", {"examples": [name]}, "enter")
                self.assertEqual(answer.status, 200, str(answer))
                answer = self.service.request("GET", "examples/" + quote(name, safe=""))
                if name == "..":  # it can't be told from a step upwards
                    self.check_problem(answer, 400, "path")
                else:
                    self.assertEqual(answer.status, 200, str(answer))
                    self.assertIn(json.dumps(name, ensure_ascii=False), answer.text)

    def test_wrong_methods(self):
        for path, allowed in (("/ready", "GET, HEAD"), ("", "GET, HEAD"), ("orders", "GET, HEAD, POST"),
                              ("examples/a/answers", "POST"), ("/api/v1/session", "GET, HEAD, POST, DELETE"),
                              ("/index.html", "GET, HEAD")):
            for method in ("PUT", "PATCH", "OPTIONS", "TRACE", "BREW"):
                with self.subTest(path=path, method=method):
                    answer = self.service.request(method, path, token="manage")
                    self.check_problem(answer, 405, "method", method)
                    self.assertEqual(answer.headers["allow"], allowed)
        answer = self.service.request("HEAD", "", token="read")
        self.assertEqual((answer.status, answer.body), (200, b""))

    def test_unknown_queries(self):
        self.check_problem(self.service.request("GET", "orders?nothing=1"), 422, "usage", "nothing")

    # ---- bodies ----

    def test_wrong_types(self):
        for kind in ("text/plain", "multipart/form-data; boundary=x", "application/xml", "application/jsonx", ""):
            with self.subTest(kind=kind):
                answer = self.service.request("POST", "orders", b'{"examples": ["a"]}', headers={"Content-Type": kind})
                self.check_problem(answer, 415, "type")
        answer = self.service.request("POST", "orders", b'{"examples": ["a"]}',
                                      headers={"Content-Type": "application/json; charset=utf-8"})
        self.assertEqual(answer.status, 200, str(answer))

    def test_bodies_that_are_no_json(self):
        for body in (b"{", b"[]x", b'{"a": 1,}', b"\xff\xfe", b'{"a": "\xff"}', b'{"a": "\\ud800"}', b'{"a": 01}', b"nan",
                     b'{"a": 1, "a": 2}', b'{"a": "\\u0000"}', b"\x00", b'{"a": "\x01"}', b"[" * 100000):
            with self.subTest(body=body[:30]):
                self.check_problem(self.service.request("POST", "orders", body), 400, "body")
        for body in (b"[]", b"1", b"null", b'"a"'):
            self.check_problem(self.service.request("POST", "orders", body), 422, "usage")
        self.check_problem(self.service.request("POST", "orders", b"{" * 100000), 400, "body")
        many = b'{"a": 1' + b"".join(b', "b%d": 1' % i for i in range(60000))
        self.check_problem(self.service.request("POST", "orders", many + b', "b17": 1}'), 400, "body", "before")
        answer = self.service.request("POST", "orders", many + b"}")
        self.check_problem(answer, 422, "usage")
        self.assertNotIn("allow", answer.headers)

    def test_oversized_bodies(self):
        for size, role in (((1 << 20) + 1, "enter"), (8 << 20, "enter"), ((1 << 20) + 1, None)):
            answer = self.service.request("POST", "orders", b" " * size, role)
            self.check_problem(answer, *((413, "size") if role else (401, "token")))
        answer = self.service.request("POST", "/api/v1/session", b" " * 5000, None)
        self.check_problem(answer, 413, "size")
        # It is not even sent.
        lines = (self.bearer(), "Content-Type: application/json", "Content-Length: 99999999")
        where = {"method": "POST", "path": "/api/v1/studies/clinic/orders", "host": self.service.host}
        self.send(head(*lines, **where), 413, "size")
        self.send(head(*lines[:2], "Content-Length: 2000000", "Expect: 100-continue", **where), 413, "size")
        # In parts whose sum nobody says before.
        part = b"10000\r\n" + b" " * 65536 + b"\r\n"
        got = self.service.exchange(head(*lines[:2], "Transfer-Encoding: chunked", **where) + 20 * part + b"0\r\n\r\n")
        self.assertEqual(status_of(got), 413, repr(got[:300]))
        # As large as it may be.
        body = b'{"examples": ["a"]}'
        answer = self.service.request("POST", "orders", body + b" " * ((1 << 20) - len(body)))
        self.assertEqual(answer.status, 200, str(answer))
        got = self.service.exchange(head(*lines[:2], "Transfer-Encoding: chunked", "Connection: close", **where) +
                                    b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        self.assertEqual(status_of(got), 200, repr(got[:300]))

    def test_a_get_has_no_body(self):
        got = self.send(head("Content-Length: 4", host=self.service.host) + b"abcd", 400, "body", closes=False)
        self.assertEqual(got.count(b"HTTP/1.1 "), 1)

    def test_csrf(self):
        browser = Browser(self.service)
        browser.sign_in(token=self.service.tokens["enter"])
        right, body = browser.csrf, {"examples": ["a"]}
        for wrong in (None, "", "x", right[:-1], right + "x", right.swapcase()):
            browser.csrf = wrong
            with self.subTest(wrong=wrong):
                self.check_problem(browser.request("POST", "orders", body), 403, "csrf")
        self.assertEqual(browser.request("GET", "orders").json["items"], [])
        browser.csrf = right
        self.assertEqual(browser.request("POST", "orders", body).status, 200)

    # ---- every answer ----

    def test_headers_of_every_answer(self):
        service, seen = self.service, set()
        for answer in (service.request("GET", "/"), service.request("GET", "/none"), service.request("GET", ""),
                       service.request("GET", "/ready"), service.request("GET", "", token=None),
                       service.request("POST", "orders", b"{")):
            self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
            self.assertEqual(answer.headers["referrer-policy"], "no-referrer")
            policy = answer.headers["content-security-policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertNotIn("*", policy)
            kept = "no-cache" if answer.headers.get("content-type", "").startswith("text/html") else "no-store"
            self.assertEqual(answer.headers["cache-control"], kept)
            self.assertRegex(answer.headers["x-request-id"], "^[0-9a-f]{16}$")
            seen.add(answer.headers["x-request-id"])
        self.assertEqual(len(seen), 6)

    def test_the_files_of_the_page(self):
        kinds = {"index.html": "text/html; charset=utf-8", "main.js": "text/javascript; charset=utf-8",
                 "style.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml", "words/en.js":
                 "text/javascript; charset=utf-8"}
        for name, kind in kinds.items():
            answer = self.service.request("GET", "/" + name, token=None)
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, kind), str(answer))
            again = self.service.request("GET", "/" + name, token=None,
                                         headers={"If-None-Match": 'W/"x", ' + answer.headers["etag"]})
            self.assertEqual((again.status, again.body, again.headers["etag"]), (304, b"", answer.headers["etag"]))
        self.assertEqual(self.service.request("GET", "/", token=None).body,
                         self.service.request("GET", "/index.html", token=None).body)
        answer = self.service.request("GET", "/api/v1/openapi.json", token=None)
        self.assertEqual(answer.json["openapi"][:3], "3.1")

    def test_metrics(self):
        answer = self.service.request("GET", "/metrics", token="read")
        self.assertEqual(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        for line in answer.text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) scant_\w+ .+|scant_\w+(\{\w+="[^"]*"\})? [0-9.]+)$')
        self.assertIn('scant_open_orders{study="clinic"} 0', answer.text)
        self.assertEqual(len(re.findall(r"^scant_answer_seconds_bucket", answer.text, re.M)), 11)


class Slow(ServiceTest):
    """Clients that send a byte now and then.  The server is patient for a second of its clock."""

    def setUp(self):
        super().setUp()
        self.service = self.serve(options=["--patience", "1"])

    def drip(self, made, byte):
        """Sends bytes while time passes, until the server closes the connection; returns what came back."""
        made.settimeout(0)
        got = []

        def is_closed():
            try:
                made.sendall(byte)
                got.append(made.recv(65536))
            except BlockingIOError:
                return False
            except OSError:
                return True
            return not got[-1]
        for _ in range(10):
            self.assertFalse(is_closed(), "it was cut though no time has passed")
        self.service.clock.run_until(is_closed, "it was never cut")
        made.close()
        return b"".join(got)

    def test_slow_heads(self):
        host = self.service.host.encode()
        others = [self.service.raw(b"GET /re") for _ in range(200)]
        for start, byte in ((b"GET /ready HTTP/1.1\r\nHost: " + host + b"\r\nX-A: ", b"a"), (b"", b"G")):
            self.assertEqual(self.drip(self.service.raw(start), byte), b"")
        self.assertEqual(self.service.request("GET", "/ready").status, 200)
        for made in others:
            self.assertEqual(read_all(made), b"")
            made.close()
        cut = self.service.request("GET", "/metrics", token="read").text
        self.assertGreaterEqual(int(re.search(r"^scant_cut_total (\d+)", cut, re.M).group(1)), 202)

    def test_slow_bodies(self):
        start = head("Authorization: Bearer " + self.service.tokens["enter"], "Content-Type: application/json",
                     "Content-Length: 100000", method="POST", path="/api/v1/studies/clinic/orders",
                     host=self.service.host)
        self.assertEqual(self.drip(self.service.raw(start + b"{"), b" "), b"")
        self.assertEqual(self.service.request("GET", "/ready").status, 200)

    def test_a_slow_head_after_a_quick_one(self):
        connection = self.service.connect()
        self.assertEqual(self.service.request("GET", "/ready", connection=connection).status, 200)
        connection.sock.sendall(b"GET /ready HTTP/1.1\r\n")
        self.assertEqual(self.drip(connection.sock, b"X"), b"")
        connection.close()


class Many(ServiceTest):
    def test_clients_that_leave_give_up_their_places(self):
        service = self.serve()
        data = head("Authorization: Bearer " + service.tokens["read"], path="/api/v1/studies/clinic", host=service.host)
        for _ in range(100):  # they leave without waiting for the answer
            service.raw(data).close()
        for _ in range(100):  # they say at once that they will send no more
            self.assertEqual(status_of(service.exchange(head(host=service.host))), 200)

        def count():
            text = service.request("GET", "/metrics", token="read").text
            return int(re.search(r"^scant_connections (\d+)", text, re.M).group(1))
        until(lambda: count() <= 2, "connections that nobody has any more")

    def test_more_connections_than_there_are_places(self):
        service = self.serve(options=["--patience", "1"])
        allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if 0 <= most < 1200:
            self.skipTest(f"only {most} files may be open here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(allowed, 1200), most))
        made = [socket.create_connection(service.address, SECONDS) for _ in range(1010)]

        def is_served():
            """When the first of them were cut.  Time may pass before they are accepted: then they are cut later."""
            service.clock.advance(1)
            connection = service.connect(timeout=5)
            with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
                return service.request("GET", "/ready", connection=connection).status == 200
        until(is_served, "it serves nobody")
        for one in made:
            one.close()


class CutTest(ServiceTest):
    def connections(self, service):
        text = service.request("GET", "/metrics", token="read").text
        return int(re.search(r"^scant_connections (\d+)", text, re.M).group(1))

    def cut(self, service, data, count=40):
        """The bytes and the end of the connection come at the same moment, or nearly so."""
        for _ in range(count):
            with socket.create_connection(tuple(service.host.rsplit(":", 1))) as client:
                client.sendall(data)

    def test_places_are_free_soon(self):
        service = self.serve()
        head = f"POST /api/v1/studies/clinic/orders HTTP/1.1\r\nHost: {service.host}\r\n".encode()
        typed = f"Authorization: Bearer {service.tokens['enter']}\r\nContent-Type: application/json\r\n".encode()
        for data in (head[:20], head, head + typed + b"Content-Length: 30\r\n\r\n{\"examples\"",
                     head + typed + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"ex"):
            with self.subTest(data=data[-20:]):
                self.cut(service, data)
        # The clock stands still, so none of them is cut for being slow.
        until(lambda: self.connections(service) <= 1, "connections that nobody has any more")
        self.assertEqual(service.request("GET", "/api/v1/studies/clinic/orders", token="enter").json["items"], [])

    def test_the_server_ends_soon(self):
        service = self.serve()
        self.cut(service, f"GET /ready HTTP/1.1\r\nHost: {service.host}\r\n".encode())
        self.assertEqual(service.stop(), 0)

    def test_what_the_library_forgets_is_freed(self):
        """Under the sanitizers the end says what leaked; without them it never ends, since something is begun."""
        service = self.serve()
        for _ in range(3):
            service.exchange(f"POST /ready HTTP/1.1\r\nHost: {service.host}\r\nCookie: a=; =; ;;; b=\"\r\nContent-Length:`1\r\n\r\n".encode())
        self.assertEqual(service.stop(), 0)
