"""The service starts, says where it is, drains and stops; options that would be unsafe are refused."""
import json
import os
import signal
import stat
import threading
import time
import unittest

from service import Browser, Service, ServiceTest
from support import IO, NO_INPUT, USAGE, DATA

BUSY = 75


class Start(ServiceTest):
    def test_ready_and_problems(self):
        service = self.serve(tokens=False)
        answer = service.request("GET", "/ready", token=None)
        self.assertEqual((answer.status, answer.json), (200, {"ready": True}), str(answer))
        self.check_problem(service.request("GET", "/nothing", token=None), 404, "unknown")
        answer = service.request("DELETE", "/ready", token=None)
        self.check_problem(answer, 405, "method", "GET")
        self.assertEqual(answer.headers["allow"], "GET, HEAD")
        self.assertEqual(service.stop(), 0)
        self.assertEqual(service.stderr(), "")

    def test_what_it_prints(self):
        service = self.serve(studies=2)
        self.assertEqual(service.lines, [f"serving {path} at {service.url}" for path in service.files])
        self.assertRegex(service.url, r"^http://127\.0\.0\.1:[0-9]+/$")

    def test_unsafe_addresses(self):
        service = self.serve(start=False)
        cases = [
            (["--listen", "0.0.0.0:0"], "tokens"),
            (["--listen", "0.0.0.0:0", "--tokens", "tokens.json"], "proxy"),
            (["--listen", "0.0.0.0:0", "--behind-proxy"], "tokens"),
            (["--listen", "[::]:0", "--tokens", "tokens.json"], "proxy"),
        ]
        for words, says in cases:
            with self.subTest(words=words):
                self.refuses(USAGE, says, "serve", "clinic.study", *words)
        service.options = ["--listen", "0.0.0.0:0", "--behind-proxy"]
        service.start()
        self.assertTrue(service.url.startswith("http://0.0.0.0:"))

    def test_options_that_are_wrong(self):
        Service(self.folder, tokens=False, start=False)
        for words, says in ((["--listen", "8765"], "--listen is ADDRESS:PORT"), (["--listen", "127.0.0.1:99999"], "--listen"),
                            (["--listen", "no such host.:1"], "no address"), (["--base-path", "x"], "--base-path"),
                            (["--base-path", "/a//b"], "--base-path"), (["--base-path", "/../a"], "--base-path"),
                            (["--host", "http://a"], "--host"), (["--listen", "127.0.0.1:1", "--socket", "s"], "not both"),
                            (["--socket", "s" * 200], "--socket"), (["--patience", "0"], "patience")):
            with self.subTest(words=words):
                self.refuses(USAGE, says, "serve", "clinic.study", *words)
        self.refuses(NO_INPUT, "none.study", "serve", "none.study", "--listen", "127.0.0.1:0")
        self.refuses(NO_INPUT, "none.json", "serve", "clinic.study", "--tokens", "none.json")
        self.write("bad.json", "{}")
        os.chmod(self.path("bad.json"), 0o600)
        self.refuses(DATA, "bad.json", "serve", "clinic.study", "--tokens", "bad.json")
        self.write("attributes.study", "no study")
        self.refuses(DATA, "attributes.study", "serve", "attributes.study", "--listen", "127.0.0.1:0")

    def test_tokens_that_open_nothing_are_said(self):
        service = self.serve(studies=2, start=False)
        service.add_token("Anna", "enter", "--study", "clinik", "--study", "study3")
        service.add_token("Ben", "enter", "--study", "clinik", "--study", "study2")
        service.start()
        self.assertEqual(service.stderr(), "scant serve: the token of 'Anna' opens none of the studies that are served: "
                         "it is for 'clinik', 'study3'\n")

    def test_two_files_of_one_stem(self):
        os.mkdir(self.path("a"))
        os.mkdir(self.path("b"))
        Service(self.folder, names=["a/clinic", "b/clinic"], tokens=False, start=False)
        self.refuses(USAGE, ["a/clinic.study", "b/clinic.study", "both be called 'clinic'"], "serve", "a/clinic.study",
                     "b/clinic.study", "--listen", "127.0.0.1:0")

    def test_an_address_that_is_taken(self):
        service = self.serve()
        other = Service(self.folder, names=["other"], tokens=False, start=False)
        result = self.run_command("serve", other.files[0], "--listen", "127.0.0.1:%d" % service.address[1])
        self.check_refusal(result, IO, "can't listen at")

    def test_other_commands_meanwhile(self):
        service = self.serve()
        result = self.run_command("study", "ask", "clinic.study", "P-1")
        self.check_refusal(result, BUSY, "is being served at " + service.url)
        self.succeeds("study", "status", "clinic.study")
        other = self.run_command("serve", "clinic.study", "--listen", "127.0.0.1:0")
        self.check_refusal(other, BUSY, service.url)
        service.kill()
        self.succeeds("study", "ask", "clinic.study", "P-1")

    def test_base_path(self):
        service = self.serve(options=["--base-path", "/x/y/"])
        self.assertTrue(service.url.endswith("/x/y/"))
        self.assertEqual(service.request("GET", "/x/y/ready").status, 200)
        self.assertEqual(service.request("GET", "/x/y/").headers["content-type"], "text/html; charset=utf-8")
        answer = service.request("GET", "/x/y")
        self.assertEqual((answer.status, answer.headers["location"]), (308, "/x/y/"))
        for path in ("/ready", "/", "/x", "/x/", "/x/yy/ready", "/api/v1/studies"):
            self.check_problem(service.request("GET", path), 404, "unknown")
        self.assertEqual(service.request("GET", "/x/y/api/v1/studies").json["items"][0]["url"],
                         "/x/y/api/v1/studies/clinic")

    def test_names_of_the_host(self):
        service = self.serve(options=["--host", "study.example.org", "--host", "other.example.org:8443"])
        for host, status in (("study.example.org", 200), ("STUDY.example.org:443", 200), ("study.example.org:8443", 421),
                             ("other.example.org:8443", 200), ("other.example.org", 421), ("example.org", 421),
                             ("study.example.org.evil.org", 421)):
            with self.subTest(host=host):
                self.assertEqual(service.request("GET", "/ready", headers={"Host": host}).status, status)
        answer = service.request("GET", "", headers={"Origin": "https://study.example.org"})
        self.assertEqual(answer.status, 200)

    def test_socket(self):
        path = self.path("s")
        service = self.serve(options=["--socket", path])
        self.assertEqual(service.lines[0], f"serving {service.files[0]} at unix:{path}")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(service.request("GET", "", token="read").status, 200)
        browser = Browser(service)
        self.assertEqual(browser.sign_in(token=service.tokens["enter"]).status, 200)
        self.assertEqual(browser.request("POST", "orders", {"examples": ["a"]}).status, 200)
        service.kill()
        self.assertTrue(os.path.exists(path))
        service.start()  # a dead socket is replaced
        self.assertEqual(service.request("GET", "", token="read").status, 200)
        other = Service(self.folder, names=["other"], tokens=False, start=False)
        self.check_refusal(self.run_command("serve", other.files[0], "--socket", "s"), IO, "can't listen at 's'")
        self.assertEqual(service.stop(), 0)
        self.assertFalse(os.path.exists(path))
        self.write("s", "a file")
        self.refuses(IO, "can't listen at 's'", "serve", "clinic.study", "--socket", "s")


class Stop(ServiceTest):
    def test_what_is_begun_ends(self):
        """A request whose body is still coming when the server is told to end is answered, and then it ends."""
        service = self.serve()
        body = json.dumps({"examples": ["a"]}).encode()
        begun = service.raw((f"POST /api/v1/studies/clinic/orders HTTP/1.1\r\nHost: {service.host}\r\n"
                             f"Authorization: Bearer {service.tokens['enter']}\r\nContent-Type: application/json\r\n"
                             f"Content-Length: {len(body)}\r\n\r\n").encode() + body[:5])
        idle = service.connect()
        self.assertEqual(service.request("GET", "/ready", connection=idle).status, 200)
        service.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 30
        while True:  # it takes no new connections
            try:
                service.raw(timeout=5).close()
            except OSError:
                break
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        answer = service.request("GET", "/ready", connection=idle)
        self.check_problem(answer, 503, "stopping")
        self.assertEqual(answer.headers["connection"], "close")
        begun.sendall(body[5:])
        self.assertTrue(begun.recv(65536).startswith(b"HTTP/1.1 200 "))
        begun.close()
        self.assertEqual(service.wait(), 0)
        shown = self.succeeds("study", "list", "clinic.study", "--json").json
        self.assertIn('"a"', json.dumps(shown))

    def test_it_stops_under_load(self):
        service = self.serve(create=("-k", "2", "--max-open", "100000"))
        answers, going = [], True

        def send(i):
            n = 0
            while going:
                try:
                    answers.append((f"c{i}n{n}", service.request("POST", "orders", {"examples": [f"c{i}n{n}"]}).status))
                except OSError:
                    return
                except Exception:  # half an answer, when it is cut
                    return
                n += 1
        threads = [threading.Thread(target=send, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        while len(answers) < 40:
            time.sleep(0.01)
        self.assertEqual(service.stop(), 0)
        going = False
        for thread in threads:
            thread.join()
        there = {o["example"] for o in self.succeeds("study", "list", "clinic.study", "--json").json["orders"]}
        self.assertEqual({s for _, s in answers} - {200, 503}, set())
        self.assertLessEqual({e for e, s in answers if s == 200}, there)
        self.assertEqual({e for e, s in answers if s != 200} & there, set())
        self.succeeds("study", "verify", "clinic.study")


class Tokens(ServiceTest):
    """The command `scant token`."""

    def test_add_list_revoke(self):
        first = self.succeeds("token", "add", "t.json", "Anna K.", "--role", "enter", "--study", "a", "--study", "b",
                              "--days", "3").out
        self.assertRegex(first, "^scant_[-_A-Za-z0-9]{43}\n$")
        self.succeeds("token", "add", "t.json", "Bob", "--role", "read")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("t.json")).st_mode), 0o600)
        self.assertNotIn(first.strip().encode(), self.read("t.json"))
        rows = self.succeeds("token", "list", "t.json", "--json").json["tokens"]
        self.assertEqual([(r["name"], r["role"], r["studies"], r["ended"], r["ends_at"] is None) for r in rows],
                         [("Anna K.", "enter", ["a", "b"], False, False), ("Bob", "read", [], False, True)])
        text = self.succeeds("token", "list", "t.json").out
        self.assertRegex(text, r"^Anna K\.: enter, a b, since \S+, until \S+\nBob: read, all studies, since \S+\n$")
        self.refuses(DATA, "'Bob' has a token already", "token", "add", "t.json", "Bob", "--role", "manage")
        self.succeeds("token", "revoke", "t.json", "Bob")
        self.refuses(DATA, "nobody called 'Bob'", "token", "revoke", "t.json", "Bob")
        self.succeeds("token", "add", "t.json", "Bob", "--role", "manage")

    def test_what_is_wrong(self):
        for words, says in ((["add", "t", "a"], "--role"), (["add", "t", "a", "--role", "x"], "--role is"),
                            (["add", "t", "", "--role", "read"], "the name of a person"),
                            (["add", "t", "a\nb", "--role", "read"], "the name of a person"),
                            (["add", "t", "a"[:0] + " a", "--role", "read"], "the name of a person"),
                            (["list", "t", "a"], "takes FILE"), (["revoke", "t"], "NAME"), (["make", "t"], "add, list"),
                            (["list", "t", "--role", "read"], "does not take --role"),
                            (["add", "t", "a", "--role", "read", "--days", "0"], "days")):
            with self.subTest(words=words):
                self.refuses(USAGE, says, "token", *words)
        self.refuses(NO_INPUT, "none", "token", "list", "none")
        self.refuses(NO_INPUT, "none", "token", "revoke", "none", "a")
        self.write("bad", '{"format": "scant tokens 1", "tokens": [{"name": "a"}]}')
        os.chmod(self.path("bad"), 0o600)
        self.refuses(DATA, ["'bad'", "field 'role' is missing"], "token", "list", "bad")
        self.refuses(DATA, "bad", "token", "add", "bad", "b", "--role", "read")
        os.chmod(self.path("bad"), 0o620)
        self.refuses(DATA, "can be written by others", "token", "list", "bad")

    def test_many_at_once(self):
        from support import run_all
        done = run_all([["token", "add", "t.json", f"p{i}", "--role", "read"] for i in range(20)], self.folder)
        self.assertEqual({d.code for d in done}, {0})
        rows = self.succeeds("token", "list", "t.json", "--json").json["tokens"]
        self.assertEqual(sorted(r["name"] for r in rows), sorted(f"p{i}" for i in range(20)))


if __name__ == "__main__":
    unittest.main()
