"""Requests that are sent twice are done once; edits of what somebody else has changed are refused."""
import concurrent.futures
import unittest

from service import Browser, Service, ServiceTest, status_of


class Keys(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service = self.serve()

    def post(self, path, body, key, token="enter", **headers):
        return self.service.request("POST", path, body, token, {"Idempotency-Key": key, **headers})

    def events(self):
        return self.service.request("GET", "status?risk=no", token="manage").json["events"]

    def test_the_same_again_is_answered_again(self):
        first = self.post("orders", {"examples": ["a"]}, "k1")
        self.assertEqual(first.status, 200, str(first))
        self.assertNotIn("idempotency-replayed", first.headers)
        events = self.events()
        again = self.post("orders", {"examples": ["a"]}, "k1")
        self.assertEqual((again.status, again.body), (200, first.body))
        self.assertEqual(again.headers["idempotency-replayed"], "true")
        self.assertEqual(self.events(), events)
        answers = {"answers": {line["name"]: 5 for line in first.json["orders"][0]["lines"]}}
        first = self.post("examples/a/answers", answers, "k2")
        again = self.post("examples/a/answers", answers, "k2")
        self.assertEqual((first.status, again.status), (200, 200), str(first))
        self.assertEqual((again.body, again.headers["etag"]), (first.body, first.headers["etag"]))
        self.assertRegex(first.headers["etag"], '^"e[0-9]+"$')

    def test_another_body_is_refused(self):
        self.post("orders", {"examples": ["a"]}, "k")
        events = self.events()
        self.check_problem(self.post("orders", {"examples": ["b"]}, "k"), 422, "key_reused")
        self.check_problem(self.post("examples/a/answers", {"examples": ["a"]}, "k"), 422, "key_reused")
        self.assertEqual(self.events(), events)
        self.assertEqual(self.post("orders", {"examples": ["b"]}, "k", token="manage").status, 200)  # a key of their own

    def test_a_refusal_is_not_remembered(self):
        self.check_problem(self.post("examples/a/answers", {"answers": {"y": 1}}, "k"), 404, "unknown")
        self.post("orders", {"examples": ["a"]}, "k1")
        self.assertEqual(self.post("examples/a/answers", {"answers": {"y": 1}}, "k").status, 200)

    def test_who_may_less_now_does_not_see_the_answer_of_then(self):
        self.service.add_token("anna", "manage")
        first = self.post("orders", {"examples": ["a"]}, "k", token="anna")
        self.service.revoke_token("anna")
        self.service.add_token("anna", "enter")
        events = self.events()
        self.check_problem(self.post("orders", {"examples": ["a"]}, "k", token="anna"), 403, "role", "manage")
        second = self.post("orders", {"examples": ["b"]}, "k2", token="anna")
        self.service.revoke_token("anna")
        self.service.add_token("anna", "manage")
        for body, before, key in (("a", first, "k"), ("b", second, "k2")):
            again = self.post("orders", {"examples": [body]}, key, token="anna")
            self.assertEqual((again.status, again.body, again.headers["idempotency-replayed"]), (200, before.body, "true"))
        self.assertEqual(self.events(), events + 1)

    def test_two_keys_are_none(self):
        body = b'{"examples": ["a"]}'
        head = (f"POST /api/v1/studies/clinic/orders HTTP/1.1\r\nHost: {self.service.host}\r\nContent-Type: application/json\r\n"
                f"Authorization: Bearer {self.service.tokens['enter']}\r\nContent-Length: {len(body)}\r\n"
                "Idempotency-Key: a\r\nIdempotency-Key: b\r\n\r\n").encode()
        got = self.service.exchange(head + body)
        self.assertEqual(status_of(got), 400, got)
        self.assertIn(b"Idempotency-Key", got)

    def test_keys_that_are_none(self):
        for key in ("", "x" * 201, "a\x7fb", "é"):
            with self.subTest(key=key):
                self.check_problem(self.post("orders", {"examples": ["a"]}, key.encode()), 422, "usage", "Idempotency-Key")
        self.assertEqual(self.post("orders", {"examples": ["a"]}, "x" * 200).status, 200)

    def test_a_kill_forgets_nothing_that_was_answered(self):
        first = self.post("orders", {"examples": ["a", "b"]}, "k")
        self.service.kill()
        self.service.start()
        again = self.post("orders", {"examples": ["a", "b"]}, "k")
        self.assertEqual((again.status, again.body), (200, first.body))
        self.assertEqual(again.headers["idempotency-replayed"], "true")

    def test_many_at_once_each_done_once(self):
        def send(i):
            return self.post("orders", {"examples": [f"p{i % 40}"]}, f"k{i % 40}")
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(send, range(120)))
        self.assertEqual({a.status for a in answers}, {200})
        for i, answer in enumerate(answers):
            self.assertEqual(answer.body, answers[i % 40].body)
        status = self.service.request("GET", "status?risk=no", token="manage").json
        self.assertEqual(status["orders"], 40)
        metrics = self.service.request("GET", "/metrics", token="read").text
        count = {line.split()[0]: line.split()[1] for line in metrics.splitlines() if not line.startswith("#")}
        self.assertEqual((count["scant_writes_total"], count["scant_replays_total"]), ("40", "80"))
        self.assertLessEqual(int(count["scant_groups_total"]), 120)

    def test_who_did_it_and_through_what(self):
        self.post("orders", {"examples": ["a"]}, "k")
        browser = Browser(self.service)
        browser.sign_in(token=self.service.tokens["manage"])
        self.assertEqual(browser.request("POST", "orders", {"examples": ["b"]}).status, 200)
        events = self.service.request("GET", "events", token="manage").json["items"]
        self.assertEqual([(e["by"], e["via"]) for e in events[-2:]], [("enter", "service"), ("manage", "page")])


class Tags(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service = self.serve()
        answer = self.service.request("POST", "orders", {"examples": ["a"]})
        self.tag = self.service.request("GET", "examples/a").headers["etag"]
        self.names = [line["name"] for line in answer.json["orders"][0]["lines"]]

    def test_polling(self):
        for path in ("examples/a", "orders", "status?risk=no", "status", "", "purchases"):
            with self.subTest(path=path):
                first = self.service.request("GET", path)
                again = self.service.request("GET", path, headers={"If-None-Match": first.headers["etag"]})
                self.assertEqual((again.status, again.body), (304, b""), str(again))
                self.assertEqual(again.headers["etag"], first.headers["etag"])
        orders = self.service.request("GET", "orders").headers["etag"]
        self.service.request("POST", "orders", {"examples": ["b"]})
        self.assertEqual(self.service.request("GET", "orders", headers={"If-None-Match": orders}).status, 200)
        self.assertEqual(self.service.request("GET", "examples/a", headers={"If-None-Match": self.tag}).status, 304)

    def test_a_tag_is_never_newer_than_what_it_is_of(self):
        """Else who polls would be told for ever that nothing has changed."""
        def write(n):
            return self.service.request("POST", "orders", {"examples": [f"w{n}"]}, "manage").status
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            writes = [pool.submit(write, n) for n in range(150)]
            while not all(one.done() for one in writes):
                answer = self.service.request("GET", "status", token="read")
                self.assertLessEqual(int(answer.headers["etag"][2:-2]), answer.json["events"])
        self.assertEqual({one.result() for one in writes}, {200})

    def test_polling_what_is_slow(self):
        tags = []
        for n in range(3):
            self.assertEqual(self.service.request("POST", "orders", {"examples": [f"p{n}"]}, "manage").status, 200)
            for tag in (None, *tags, "W/" + tags[-1] if tags else '"x"'):
                answer = self.service.request("GET", "status", token="read", headers={"If-None-Match": tag} if tag else {})
                self.assertEqual((answer.status, answer.json["open"]), (200, n + 2), str(answer))
            tags.append(answer.headers["etag"])
            for list_ in (tags[-1], "*", '"x", W/' + tags[-1]):
                same = self.service.request("GET", "status", token="read", headers={"If-None-Match": list_})
                self.assertEqual((same.status, same.body, same.headers["etag"]), (304, b"", tags[-1]))
            other = self.service.request("GET", "status", token="enter", headers={"If-None-Match": tags[-1]})
            self.assertEqual((other.status, len(other.json["open_orders"])), (200, n + 2))

    def test_an_edit_of_what_has_changed(self):
        told = {"answers": {self.names[0]: 5}}
        first = self.service.request("POST", "examples/a/answers", told, headers={"If-Match": self.tag})
        self.assertEqual(first.status, 200, str(first))
        self.assertNotEqual(first.headers["etag"], self.tag)
        late = self.service.request("POST", "examples/a/answers", {"answers": {self.names[1]: 6}},
                                    headers={"If-Match": self.tag})
        self.assertEqual(self.check_problem(late, 412, "changed")["etag"], first.headers["etag"])
        right = {"answers": {self.names[0]: 6}, "reason": "slip"}
        self.check_problem(self.service.request("POST", "examples/a/correction", right), 428, "precondition_required")
        self.check_problem(self.service.request("POST", "examples/a/correction", right,
                                                headers={"If-Match": "W/" + first.headers["etag"]}), 412, "changed")
        answer = self.service.request("POST", "examples/a/correction", right,
                                      headers={"If-Match": '"x", ' + first.headers["etag"]})
        self.assertEqual(answer.status, 200, str(answer))

    def test_a_key_goes_before_a_tag(self):
        told = {"answers": {self.names[0]: 5}}
        headers = {"If-Match": self.tag, "Idempotency-Key": "k"}
        first = self.service.request("POST", "examples/a/answers", told, headers=headers)
        again = self.service.request("POST", "examples/a/answers", told, headers=headers)
        self.assertEqual((first.status, again.status), (200, 200))

    def test_an_answer_goes_with_the_example(self):
        headers = {"Idempotency-Key": "erased-key"}
        tag = self.service.request("GET", "examples/a").headers["etag"]
        body = {"answers": {self.names[0]: 5}}
        self.assertEqual(self.service.request("POST", "examples/a/answers", body, headers=headers).status, 200)
        tag = self.service.request("GET", "examples/a").headers["etag"]
        answer = self.service.request("POST", "examples/a/erase", {"reason": "left us"}, "manage",
                                      {"If-Match": tag, "Idempotency-Key": "e"})
        self.assertEqual(answer.status, 200, str(answer))
        again = self.service.request("POST", "examples/a/erase", {"reason": "left us"}, "manage",
                                     {"If-Match": tag, "Idempotency-Key": "e"})
        self.assertEqual((again.status, again.body), (200, answer.body))
        self.check_problem(self.service.request("POST", "examples/a/answers", body, headers=headers), 404, "unknown")
        self.service.stop()
        self.assertNotIn(b"erased-key", self.read("clinic.study"))


class Groups(ServiceTest):
    def test_what_fails_in_a_group_leaves_the_others(self):
        """Good and bad requests at once: each good one is there, no bad one is."""
        service = self.serve(create=("-k", "2", "--budget", "1000"))
        def send(i):
            if i % 3 == 0:
                return service.request("POST", "orders", {"examples": [f"g{i}"]}).status
            if i % 3 == 1:
                return service.request("POST", "orders", {"examples": [f"b{i}", "x" * 300]}).status
            return service.request("POST", f"examples/none{i}/answers", {"answers": {"y": 1}}).status
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            statuses = list(pool.map(send, range(150)))
        self.assertEqual(statuses, [(200, 422, 404)[i % 3] for i in range(150)])
        items = service.request("GET", "orders?limit=500").json["items"]
        self.assertEqual(sorted(o["example"] for o in items), sorted(f"g{i}" for i in range(0, 150, 3)))
        self.assertEqual(service.request("GET", "proof", token="manage").status, 200)

    def test_half_of_a_request_is_none(self):
        """The first row of an import is good and the second is not: nothing of it stays, and others of the same moment do."""
        service = self.serve()
        good = {"example": "good", "answers": {"age": 50, "glucose": 5, "y": 1}}
        bad = {"example": "bad", "answers": {"age": 999, "y": 1}}
        def send(i):
            if i % 2:
                return service.request("POST", "imports", {"rows": [good, bad]}, "manage").status
            return service.request("POST", "orders", {"examples": [f"p{i}"]}).status
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            self.assertEqual(list(pool.map(send, range(40))), 20 * [200, 422])
        self.check_problem(service.request("GET", "examples/good"), 404, "unknown")
        status = service.request("GET", "status?risk=no", token="manage").json
        self.assertEqual((status["orders"], status["imported"]), (20, 0))
        self.assertEqual(service.request("POST", "imports", {"rows": [good]}, "manage").status, 200)
        self.assertEqual(service.request("GET", "proof", token="manage").status, 200)


if __name__ == "__main__":
    unittest.main()
