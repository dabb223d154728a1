"""Who may come in: tokens, sessions, the link."""
import ctypes
import os
import re
import signal
import time
import unittest

from service import Browser, ServiceTest, read_all, status_of

TGKILL = {"x86_64": 234, "aarch64": 131}  # sends a signal to one thread


class Tokens(ServiceTest):
    def test_nothing_works_without_a_token(self):
        service = self.serve()
        for path in ("/api/v1/studies", "/api/v1/session", "", "/metrics"):
            answer = service.request("GET", path, token=None)
            self.check_problem(answer, 401, "token")
            self.assertEqual(answer.headers["www-authenticate"].split()[0], "Bearer")
            self.check_problem(service.request("GET", path, token="scant_" + 43 * "A"), 401, "token")
        for path in ("/ready", "/"):
            self.assertEqual(service.request("GET", path, token=None).status, 200)

    def test_roles_and_studies(self):
        service = self.serve(studies=2)
        service.add_token("eve", "manage", "--study", "study2")
        self.assertEqual([s["name"] for s in service.request("GET", "/api/v1/studies", token="read").json["items"]],
                         ["study1", "study2"])
        mine = service.request("GET", "/api/v1/studies", token="eve").json["items"]
        self.assertEqual([(s["name"], s["role"], s["url"], s["open"], s["target"]) for s in mine],
                         [("study2", "manage", "/api/v1/studies/study2", 0, "y")])
        self.check_problem(service.request("GET", "/api/v1/studies/study1", token="eve"), 404, "unknown", "study1")
        self.assertEqual(service.request("GET", "/api/v1/studies/study2", token="eve").status, 200)
        self.assertEqual(service.request("GET", "/api/v1/session", token="eve").json,
                         {"name": "eve", "role": "manage", "studies": ["study2"], "csrf": None})

    def test_a_token_that_is_revoked_or_made_counts_at_once(self):
        service = self.serve()
        browser = Browser(service)
        self.assertEqual(browser.sign_in(token=service.tokens["enter"]).status, 200)
        self.assertEqual(browser.request("GET", "").status, 200)
        service.revoke_token("enter")
        self.check_problem(service.request("GET", "", token="enter"), 401, "token")
        self.check_problem(browser.request("GET", ""), 401, "token")
        self.check_problem(Browser(service).sign_in(token=service.tokens["enter"]), 401, "token")
        service.add_token("enter", "read")
        self.assertEqual(service.request("GET", "", token="enter").status, 200)
        self.check_problem(browser.request("GET", ""), 401, "token")  # another token, though of the same name

    def test_a_token_that_is_revoked_while_a_body_comes(self):
        service = self.serve()
        service.add_token("anna", "manage")
        body = b'{"examples": ["a"]}'
        head = (f"POST /api/v1/studies/clinic/orders HTTP/1.1\r\nHost: {service.host}\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {service.tokens['anna']}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n")
        with service.raw(head.encode() + body[:5]) as made:
            self.assertEqual(service.request("GET", "/ready", token=None).status, 200)  # by now the head was read
            service.revoke_token("anna")
            made.sendall(body[5:])
            got = read_all(made)
        self.assertEqual(status_of(got), 401, got)
        self.assertEqual(service.request("GET", "status?risk=no", token="read").json["orders"], 0)

    def test_a_file_that_cannot_be_read_lets_nobody_in(self):
        service = self.serve()
        self.assertEqual(service.request("GET", "", token="read").status, 200)
        with open(service.token_file) as file:
            kept = file.read()
        for spoil in (lambda: os.unlink(service.token_file),
                      lambda: self.write("tokens.json", "{"),
                      lambda: self.write("tokens.json", kept[:-10]),
                      lambda: os.chmod(service.token_file, 0o666)):
            spoil()
            self.check_problem(service.request("GET", "", token="read"), 401, "token")
            self.write("tokens.json", kept)
            os.chmod(service.token_file, 0o600)
            self.assertEqual(service.request("GET", "", token="read").status, 200)
        self.assertIn("nobody can sign in", service.stderr())

    def test_who_guesses_is_slowed_down(self):
        service = self.serve()
        answers = [service.request("GET", "", token=f"scant_{i:043d}") for i in range(13)]
        self.assertEqual([a.status for a in answers], 10 * [401] + 3 * [429])
        self.check_problem(answers[-1], 429, "throttled")
        self.assertEqual(answers[-1].headers["retry-after"], "60")
        self.check_problem(Browser(service).sign_in(token="nothing"), 429, "throttled")
        self.assertEqual(service.request("GET", "", token="read").status, 200)

    def test_the_address_behind_a_proxy(self):
        service = self.serve(options=["--behind-proxy"])
        for i in range(12):
            answer = service.request("GET", "", token="no", headers={"X-Forwarded-For": "10.0.0.1, 10.0.0.2"})
        self.check_problem(answer, 429, "throttled")
        answer = service.request("GET", "", token="no", headers={"X-Forwarded-For": "10.0.0.2, 10.0.0.3"})
        self.check_problem(answer, 401, "token")


class Sessions(ServiceTest):
    def test_sign_in_and_out(self):
        service = self.serve()
        browser = Browser(service)
        answer = browser.sign_in(token=service.tokens["enter"])
        self.assertEqual(answer.status, 200, str(answer))
        self.assertEqual({k: v for k, v in answer.json.items() if k != "csrf"},
                         {"name": "enter", "role": "enter", "studies": ["clinic"]})
        cookie = answer.headers["set-cookie"]
        self.assertRegex(cookie, rf"^scant-session-{service.address[1]}=[-_A-Za-z0-9]{{43}}; Path=/; HttpOnly; "
                                 r"SameSite=Strict$")
        self.assertEqual(browser.request("GET", "/api/v1/session").json, answer.json)
        kept = browser.cookie, browser.csrf
        self.check_problem(browser.request("DELETE", "/api/v1/session", headers={"X-CSRF-Token": "no"}), 403, "csrf")
        answer = browser.request("DELETE", "/api/v1/session")
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertIn("Max-Age=0", answer.headers["set-cookie"])
        browser.cookie, browser.csrf = kept
        self.check_problem(browser.request("GET", "/api/v1/session"), 401, "token")

    def test_a_password_that_a_proxy_asks_for(self):
        """It goes on to the service, and says nothing there."""
        service = self.serve()
        browser = Browser(service)
        browser.sign_in(token=service.tokens["enter"])
        basic = {"Authorization": "Basic bnVyc2U6c2VjcmV0"}
        self.assertEqual(browser.request("GET", "/api/v1/session", headers=basic).status, 200)
        self.check_problem(service.request("GET", "status", token=None, headers=basic), 401, "token")

    def test_bodies_that_are_none(self):
        service = self.serve()
        for body in (b"{", b'{"token": 1}', b"[]"):
            answer = service.request("POST", "/api/v1/session", body, None)
            self.check_problem(answer, *{b"{": (400, "body")}.get(body, (422, "usage")))

    def test_a_form_signs_in_too(self):
        service = self.serve()
        form = f"token={service.tokens['read']}".encode()
        answer = service.request("POST", "/api/v1/session", form, None,
                                 {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"})
        self.assertEqual((answer.status, answer.json["name"]), (200, "read"))
        for body in ({}, {"token": 5}, {"token": "a", "code": "b"}):
            self.check_problem(service.request("POST", "/api/v1/session", body, None), 422, "usage")

    def test_the_cookie_is_for_tls_alone_behind_a_proxy(self):
        service = self.serve(options=["--behind-proxy", "--base-path", "/scant"])
        self.assertEqual(service.url.rsplit("/", 2)[1], "scant")
        answer = Browser(service).sign_in(token=service.tokens["read"])
        self.assertIn("; Path=/scant/; HttpOnly; SameSite=Strict; Secure", answer.headers["set-cookie"])

    def test_the_link_works_once(self):
        service = self.serve(tokens=False)
        url, _, code = service.links[0].partition("#code=")
        self.assertEqual(url, service.url)
        browser = Browser(service)
        self.check_problem(browser.sign_in(code=code[:-1] + "_"), 401, "token")
        self.assertEqual(browser.sign_in(code=code).json["role"], "manage")
        self.check_problem(Browser(service).sign_in(code=code), 401, "token", "link")
        self.assertEqual(browser.request("GET", "").status, 200)
        first = service.new_link().partition("#code=")[2]
        second = service.new_link().partition("#code=")[2]
        self.check_problem(Browser(service).sign_in(code=first), 401, "token")
        self.assertEqual(Browser(service).sign_in(code=second).status, 200)
        self.assertEqual(browser.request("GET", "").status, 200)  # the first one goes on
        self.check_problem(service.request("GET", "", token="scant_" + 43 * "A"), 401, "token")

    @unittest.skipUnless(os.uname().machine in TGKILL, "its number of tgkill is not known here")
    def test_threads_of_libraries_pass_signals_on(self):
        """Some are there before the program, and block nothing; a signal that one of them gets must not end it."""
        service = self.serve(tokens=False)
        pid = service.process.pid
        for tid in map(int, os.listdir(f"/proc/{pid}/task")):
            with open(f"/proc/{pid}/task/{tid}/status") as file:
                blocked = int(re.search(r"SigBlk:\s*(\w+)", file.read()).group(1), 16)
            if tid != pid and not blocked >> (signal.SIGUSR1 - 1) & 1:
                self.assertEqual(ctypes.CDLL(None).syscall(TGKILL[os.uname().machine], pid, tid, signal.SIGUSR1), 0)
                service.read_line(time.monotonic() + 30)
        self.assertEqual(service.stop(), 0)


if __name__ == "__main__":
    unittest.main()
