"""What can be done with a study over HTTP: the same as by the command, once, and nobody is overwritten."""
import os
import unittest

from actions import AUTO, MOMENTS, VALUES, ActionsTest, quoted, rows_of, values_of


class ClinicDay(ActionsTest):
    """The same day, by the service and by the command."""

    def by_service(self):
        def manage(path, body, example=None):
            return self.go("POST", path, body, token="manage", match=self.tag(example) if example else None)

        for number in range(6):
            self.tell_all(f"P {number}", number)
        a, b = self.ask("A/1", "B")
        first, *rest = self.names(a)
        self.tell("A/1", {first: 51})
        self.tell("A/1", {name: None if name == rest[0] else values_of(0)[name] for name in rest})
        self.tell("B", {name: {"missing": "refused"} if name != "age" else 40 for name in self.names(b)})
        manage("examples/B/end", {"how": "cancel"}, "B")
        manage("examples/B/reopen", {"reason": "it goes on"}, "B")
        manage("examples/B/end", {"how": "fail", "reason": "moved away"}, "B")
        extra = next(name for name in VALUES if name not in self.names(a))
        self.go("POST", "examples/A%2F1/extra", {"answers": {extra: VALUES[extra]}, "reason": "it was there"})
        manage("examples/A%2F1/correction", {"answers": {first: 52}, "reason": "a slip"}, "A/1")
        self.tell("A/1", {"y": 2})
        self.go("POST", "examples/A%2F1/second", {"answers": {first: 53, "y": 2}})
        manage("imports", {"rows": [{"example": f"I{i}", "answers": {"age": 40 + i, "glucose": 5, "y": i}} for i in range(3)]})
        amended = {"reason": "cheaper", "attributes": [{"name": "scan", "cost": 20.5}], "settings": {"max_open": 30}}
        self.go("POST", "amendments", amended, token="manage", match=self.go("GET", "")["terms_etag"])
        c, = self.ask("C")
        self.tell("C", {"age": 61})
        manage("examples/C/end", {"how": "expire"}, "C")
        self.ask("Delia")
        manage("examples/Delia/erase", {"reason": "asked for"}, "Delia")
        self.tell_all("E", 9)

    def by_command(self, file):
        def study(action, *words):
            return self.command(action, file, *words)

        def tell(example, answers, *words):
            study("tell", example, *(f"{name}={value}" for name, value in answers.items()), *words)

        for number in range(6):
            order = study("ask", f"P {number}", "--json").json
            tell(f"P {number}", {**{n: values_of(number)[n] for n in self.names(order)}, "y": number % 5 - 1.5})
        a, b = study("ask", "A/1", "B", "--json").json["orders"]
        first, *rest = self.names(a)
        tell("A/1", {first: 51})
        tell("A/1", {name: "missing" if name == rest[0] else values_of(0)[name] for name in rest})
        tell("B", {name: "missing:refused" if name != "age" else 40 for name in self.names(b)})
        study("cancel", "B", "--yes")
        study("reopen", "B", "--reason", "it goes on")
        study("cancel", "B", "--yes", "--failed", "moved away")
        extra = next(name for name in VALUES if name not in self.names(a))
        tell("A/1", {extra: VALUES[extra]}, "--extra", "--reason", "it was there")
        study("correct", "A/1", f"{first}=52", "--reason", "a slip")
        tell("A/1", {"y": 2})
        self.run_command("study", "tell", file, "A/1", f"{first}=53", "y=2", "--second")  # they differ: another exit code
        for i in range(3):
            self.write("past.csv", f"example,age,glucose,y\nI{i},{40 + i},5,{i}\n")
            study("import", "--csv", "past.csv")
        study("amend", "scan", "cost=20.5", "--max-open", "30", "--reason", "cheaper")
        study("ask", "C")
        tell("C", {"age": 61})
        study("cancel", "C", "--yes", "--expired")
        study("ask", "Delia")
        study("erase", "Delia", "--reason", "asked for", "--yes")
        order = study("ask", "E", "--json").json
        tell("E", {**{n: values_of(9)[n] for n in self.names(order)}, "y": 9 % 5 - 1.5})

    def test_the_same_by_both(self):
        service = self.open()
        self.by_service()
        tables = {name: self.send(service, "GET", f"export/{name}", token="manage").text
                  for name in ("ledger.csv", "examples.csv", "dictionary.csv", "events.csv", "looks.csv", "model.json")}
        status = self.go("GET", "status", token="manage")
        shown = {example: self.show(example) for example in ("P 1", "A/1", "I1")}
        proof = self.go("GET", "proof", token="manage")
        self.assertTrue(proof["same_bits"])
        self.command("create", "other.study", "--attributes", "attributes.csv", *AUTO)
        self.by_command("other.study")
        self.assertEqual(rows_of(tables["ledger.csv"]), rows_of(self.command("ledger", "other.study").out))
        self.command("export", "other.study", "--csv", "-o", "t.csv")
        self.command("export", "other.study", "--events", "-o", "e.csv")
        self.command("export", "other.study", "-o", "m.json", "--looks", "l.csv")
        self.assertEqual(rows_of(tables["examples.csv"]), rows_of(self.read("t.csv").decode()))
        self.assertEqual(tables["dictionary.csv"], self.read("t-dictionary.csv").decode())
        self.assertEqual(rows_of(tables["events.csv"]), rows_of(self.read("e.csv").decode()))
        self.assertEqual(tables["looks.csv"], self.read("l.csv").decode())
        self.assertEqual(tables["model.json"], self.read("m.json").decode())
        other = self.command("status", "other.study", "--json").json
        self.assertIsNone(other.pop("served_at"))  # who asks the service knows where it is
        self.check_same_fields(status, other)
        for example, one in shown.items():
            other, = self.command("show", "other.study", example, "--json").json["examples"]
            self.check_same_fields(one, other)

    def check_same_fields(self, one, other):
        """Every field of the command is there, with the same value."""
        if isinstance(other, dict):
            for name, value in other.items():
                self.assertIn(name, one)
                if name not in MOMENTS:
                    self.check_same_fields(one[name], value)
        elif isinstance(other, list):
            self.assertEqual(len(one), len(other))
            for a, b in zip(one, other):
                self.check_same_fields(a, b)
        else:
            self.assertEqual(one, other)

    def test_events_are_signed(self):
        self.open()
        self.tell_all("P1")
        signed = {(event["by"], event["via"]) for event in self.show("P1")["history"]}
        self.assertEqual(signed, {("enter", "service")})


class Once(ActionsTest):
    """A request that is sent twice is done once."""

    def test_same_key(self):
        self.open()
        body = {"examples": ["P1"]}
        first = self.send(self.service, "POST", "orders", body, key="k1")
        before = self.events()
        again = self.send(self.service, "POST", "orders", body, key="k1")
        self.assertEqual((first.status, first.body), (200, again.body))
        self.assertNotIn("idempotency-replayed", first.headers)
        self.assertEqual(again.headers["idempotency-replayed"], "true")
        age = {"answers": {"age": 50}}
        first = self.send(self.service, "POST", "examples/P1/answers", age, key="k2")
        self.tell("P1", {"y": 1})
        again = self.send(self.service, "POST", "examples/P1/answers", age, key="k2")
        self.assertEqual((again.status, again.body, again.headers["etag"]), (200, first.body, first.headers["etag"]))
        self.assertEqual(self.events(), before + 2)

    def test_other_body_path_or_person(self):
        self.open()
        self.ask("P1", "P2")
        self.send(self.service, "POST", "examples/P1/answers", {"answers": {"age": 50}}, key="k")
        before = self.events()
        self.refuse(422, "key_reused", "POST", "examples/P1/answers", {"answers": {"age": 51}}, key="k")
        self.refuse(422, "key_reused", "POST", "examples/P2/answers", {"answers": {"age": 50}}, key="k")
        self.assertEqual(self.events(), before)
        self.go("POST", "examples/P2/answers", {"answers": {"age": 50}}, key="k", token="manage")
        self.assertEqual(self.events(), before + 1)

    def test_refusals_are_not_remembered(self):
        self.open()
        self.ask("P1")
        self.refuse(422, "data", "POST", "examples/P1/answers", {"answers": {"age": 500}}, "above its range", key="k")
        self.go("POST", "examples/P1/answers", {"answers": {"age": 50}}, key="k")

    def test_wrong_keys(self):
        self.open()
        for key in ("", "x" * 201, "a\tb", "\xe9"):
            answer = self.send(self.service, "POST", "orders", {"examples": ["P1"]}, key=key)
            self.assertIn(answer.status, (400, 422), repr(key))
        self.assertEqual(self.events(), 1)

    def test_they_outlive_the_server(self):
        self.open()
        first = self.send(self.service, "POST", "orders", {"examples": ["P1"]}, key="k")
        self.service.kill()
        self.service.start()
        again = self.send(self.service, "POST", "orders", {"examples": ["P1"]}, key="k")
        self.assertEqual((again.body, again.headers.get("idempotency-replayed")), (first.body, "true"))

    def test_erasing_forgets(self):
        self.open()
        name = "Nobody Knows"
        self.send(self.service, "POST", "orders", {"examples": [name, "Other"]}, key="k")
        answer = self.send(self.service, "POST", f"examples/{quoted(name)}/erase", {"reason": "asked for"}, token="manage",
                           key="e", match=self.tag(name))
        self.assertEqual(answer.status, 200)
        self.assertFalse(answer.json["unswept"])
        again = self.send(self.service, "POST", f"examples/{quoted(name)}/erase", {"reason": "asked for"}, token="manage",
                          key="e", match='"e2"')
        self.assertEqual((again.status, again.body), (200, answer.body), "an erasure that is sent twice")
        for file in os.listdir(self.folder):
            with open(os.path.join(self.folder, file), "rb") as content:
                self.assertNotIn(name.encode(), content.read(), file)
        before = self.events()
        asked = self.send(self.service, "POST", "orders", {"examples": [name, "Other"]}, key="k")
        self.assertNotIn("idempotency-replayed", asked.headers)
        self.assertEqual((asked.status, self.events()), (200, before + 1))


class Tags(ActionsTest):
    """Nobody overwrites what somebody else has changed."""

    CHANGES = (("correction", {"answers": {"age": 51}, "reason": "a slip"}), ("end", {"how": "cancel"}),
               ("reopen", {"reason": "so"}), ("erase", {"reason": "so"}))

    def test_if_match(self):
        self.open()
        self.ask("P1")
        old = self.tag("P1")
        self.tell("P1", {"age": 50})
        now, before = self.tag("P1"), self.events()
        for act, body in self.CHANGES:
            path = f"examples/P1/{act}"
            self.refuse(428, "precondition_required", "POST", path, body, token="manage")
            self.refuse(412, "changed", "POST", path, body, token="manage", match=old)
        for act in ("answers", "second", "extra"):
            self.refuse(412, "changed", "POST", f"examples/P1/{act}", {"answers": {"age": 50}}, match=old)
        self.assertEqual((self.events(), self.tag("P1")), (before, now))
        changed = self.send(self.service, "POST", "examples/P1/correction", self.CHANGES[0][1], match=now)
        self.assertEqual((changed.status, changed.headers["etag"]), (200, self.tag("P1")))
        self.assertEqual(changed.json["etag"], self.tag("P1"))

    def test_amendments(self):
        self.open()
        body = {"reason": "so", "attributes": [{"name": "scan", "cost": 20}]}
        self.refuse(428, "precondition_required", "POST", "amendments", body, token="manage")
        old = self.go("GET", "")["terms_etag"]
        self.tell_all("P1")
        self.assertEqual(self.go("GET", "")["terms_etag"], old, "what is told changes no terms")
        answer = self.send(self.service, "POST", "amendments", body, token="manage", match=old)
        self.assertEqual((answer.status, answer.headers["etag"]), (200, self.go("GET", "")["terms_etag"]))
        self.refuse(412, "changed", "POST", "amendments", body, token="manage", match=old)

    def test_polling(self):
        self.open()
        self.tell_all("P1")
        for path in ("", "status", "orders", "examples/P1", "purchases", "status?risk=no"):
            first = self.send(self.service, "GET", path)
            tag = {"If-None-Match": first.headers["etag"]}
            self.assertEqual(self.send(self.service, "GET", path, headers=tag).status, 304, path)
            self.tell_all(f"more after {path}.")
            if path == "examples/P1":
                self.assertEqual(self.send(self.service, "GET", path, headers=tag).status, 304, "others do not change it")
            else:
                self.assertEqual(self.send(self.service, "GET", path, headers=tag).status, 200, path)


class Lists(ActionsTest):
    def walk(self, path, limit, token="manage"):
        items, after, pages = [], None, 0
        while True:
            page = self.go("GET", f"{path}{'&' if '?' in path else '?'}limit={limit}" + (f"&after={after}" if after else ""), token=token)
            items += page["items"]
            pages += 1
            self.assertLessEqual(len(page["items"]), limit)
            after = page["next"]
            if after is None:
                return items, pages

    def test_pages_of_a_thousand(self):
        self.open()
        names = [f"P{i:04}" for i in range(1000)]
        self.ask(*names)
        for limit, pages in ((100, 10), (500, 2), (333, 4)):
            items, seen = self.walk("orders", limit)
            self.assertEqual([item["example"] for item in items], names)
            self.assertEqual(seen, pages)
        self.assertEqual(len(self.go("GET", "orders")["items"]), 100)
        events, _ = self.walk("events", 400)
        self.assertEqual([event["event"] for event in events], list(range(1, 1002)))
        page = self.go("GET", "orders?limit=10")
        tags = {item["example"]: item["etag"] for item in page["items"]}
        self.assertEqual(tags["P0003"], self.tag("P0003"))
        self.tell("P0500", {"age": 50})
        told, = self.go("GET", "orders?state=partly")["items"]
        self.assertEqual(told["example"], "P0500")

    def test_few_among_many(self):
        """Who looks for a few gets pages with few items, and all of them in the end."""
        self.open(create=(*AUTO, "--max-open", "5000"))
        for part in range(5):
            self.ask(*(f"P{part}-{i}" for i in range(1000)))
        for example in ("P0-3", "P2-0", "P4-999"):
            order, = self.ask(example)
            self.tell(example, {**{name: VALUES[name] for name in self.names(order)}, "y": 1})
        items, pages = self.walk("orders?state=learned", 2)
        self.assertEqual([item["example"] for item in items], ["P0-3", "P2-0", "P4-999"])
        self.assertGreater(pages, 2)
        self.assertEqual(self.walk("orders?state=learned&by=nobody", 500)[0], [])
        open_ones, _ = self.walk("orders", 500)
        self.assertEqual(len(open_ones), 4997)

    def test_filters(self):
        self.open()
        self.ask("P1")
        self.ask("P2", token="manage")
        self.tell_all("P3")
        def names(query):
            return [item["example"] for item in self.go("GET", f"orders?{query}")["items"]]
        self.assertEqual(names(""), ["P1", "P2"])
        self.assertEqual(names("state=all"), ["P1", "P2", "P3"])
        self.assertEqual(names("state=open"), ["P1", "P2"])
        self.assertEqual(names("state=learned"), ["P3"])
        self.assertEqual(names("by=manage"), ["P2"])
        self.assertEqual(names("due=y"), ["P1", "P2"])
        self.assertEqual(names("since=2999-01-01"), [])
        self.assertEqual(names("before=2999-01-01&state=issued,learned"), ["P1", "P2", "P3"])
        self.assertEqual(names("differs=yes"), [])


if __name__ == "__main__":
    unittest.main()
