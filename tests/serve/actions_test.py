"""What can be done with a study over HTTP: the same as by the command, once, and by those who may."""
import csv
import io
import json
import os
import random
import signal
import threading
import time
import unittest
import urllib.parse

from contract import Described
from service import CATALOGUE, ServiceTest

AUTO = ("-k", "2", "--algorithm", "auto")
VALUES = {"age": 50, "glucose": 5.4, "crp": 3, "hba1c": 6, "scan": 20}
MOMENTS = {"at", "local", "by", "via", "checksum", "asked_at", "asked_local", "asked_by", "told_by", "first_told_at",
           "last_told_at", "learned_at"}


def values_of(number):
    return {name: value + number % 7 * 0.25 for name, value in VALUES.items()}


def rows_of(text):
    """A table without times and hands."""
    return [{name: cell for name, cell in row.items() if name not in MOMENTS} for row in csv.DictReader(io.StringIO(text))]


def quoted(name):
    return urllib.parse.quote(name, safe="")


class ActionsTest(Described, ServiceTest):
    def open(self, create=AUTO, **options):
        self.service = self.serve(create=create, **options)
        return self.service

    def go(self, method, path, body=None, **named):
        return self.done(self.service, method, path, body, **named)

    def refuse(self, status, code, method, path, body=None, *words, **named):
        answer = self.send(self.service, method, path, body, **named)
        return self.check_problem(answer, status, code, *words)

    def ask(self, *examples, **named):
        return self.go("POST", "orders", {"examples": list(examples)}, **named)["orders"]

    def names(self, order):
        return [line["name"] for line in order["lines"]]

    def show(self, example, **named):
        return self.go("GET", f"examples/{quoted(example)}", **named)

    def tag(self, example):
        return self.show(example, token="manage")["etag"]

    def tell(self, example, answers, **named):
        return self.go("POST", f"examples/{quoted(example)}/answers", {"answers": answers}, **named)

    def tell_all(self, example, number=0, **named):
        order, = self.ask(example, **named)
        answers = {name: values_of(number)[name] for name in self.names(order)}
        return self.tell(example, {**answers, "y": number % 5 - 1.5}, **named)

    def events(self):
        return self.go("GET", "status?risk=no", token="read")["events"]

    def command(self, *words):
        done = self.run_command("study", *words)
        self.assertEqual(done.code, 0, str(done))
        return done


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
        self.check_same_fields(status, self.command("status", "other.study", "--json").json)
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


class Refusals(ActionsTest):
    def test_another_value_is_stored(self):
        self.open()
        order, = self.ask("P1")
        bought = [name for name in self.names(order) if name != "age"]
        self.tell("P1", {"age": 50, bought[0]: {"missing": "refused"}})
        before = self.events()
        problem = self.refuse(409, "conflict", "POST", "examples/P1/answers",
                              {"answers": {bought[1]: VALUES[bought[1]], "age": 51, bought[0]: 7}}, "'age'", "is 50 already", token="manage")
        self.assertEqual(problem["stored"], {"age": 50, bought[0]: {"missing": "refused"}})
        self.assertEqual(problem["by"], "enter")
        self.assertEqual(self.events(), before, "all or none")
        self.refuse(422, "data", "POST", "examples/P1/answers", {"answers": {"age": 51, "nobody": 1}}, "no attribute 'nobody'")
        self.refuse(422, "data", "POST", "examples/P1/answers", {"answers": {"age": 510}}, "above its range")

    def test_unusual_values(self):
        self.open(create=("-k", "4", "--algorithm", "auto"))
        self.ask("P1")
        odd = {"glucose": 20, "crp": 3, "hba1c": 15}
        problem = self.refuse(422, "unusual", "POST", "examples/P1/answers", {"answers": odd}, "usually")
        self.assertEqual(problem["names"], ["glucose", "hba1c"])
        half = {**odd, "glucose": {"value": 20, "confirmed": True}}
        self.assertEqual(self.refuse(422, "unusual", "POST", "examples/P1/answers", {"answers": half})["names"], ["hba1c"])
        order = self.tell("P1", {**half, "hba1c": {"value": 15, "confirmed": True}})
        notes = {line["name"]: line["note"] for line in order["lines"]}
        self.assertEqual((notes["glucose"], notes["crp"]), ("confirmed", None))
        self.refuse(422, "data", "POST", "examples/P1/answers", {"answers": {"scan": 101}}, "above its range")

    def test_own_corrections(self):
        self.open()
        self.service.add_token("anna", "enter")
        self.ask("P1")
        self.tell("P1", {"age": 50}, token="anna")
        self.tell("P1", {"y": 1})
        body = {"answers": {"age": 51}, "reason": "a slip"}
        self.refuse(403, "role", "POST", "examples/P1/correction", body, "anna", token="enter", match=self.tag("P1"))
        both = {"answers": {"y": 2, "age": 51}, "reason": "a slip"}
        self.refuse(403, "role", "POST", "examples/P1/correction", both, token="enter", match=self.tag("P1"))
        self.go("POST", "examples/P1/correction", body, token="anna", match=self.tag("P1"))
        self.go("POST", "examples/P1/correction", {"answers": {"age": 52}, "reason": "so"}, token="manage", match=self.tag("P1"))
        self.refuse(403, "role", "POST", "examples/P1/correction", body, "manage", token="anna", match=self.tag("P1"))
        self.refuse(422, "usage", "POST", "examples/P1/correction", {"answers": {"y": 2}}, "reason", match=self.tag("P1"))

    def test_budget_and_names(self):
        self.open(create=(*AUTO, "--budget-cost", "60"))
        self.ask("Anna 1")
        self.refuse(409, "conflict", "POST", "orders", {"examples": ["anna 1"]}, "Anna 1")
        self.go("POST", "orders", {"examples": ["anna 1"], "new_name": True})
        self.refuse(409, "conflict", "POST", "orders", {"examples": ["ANNA 1"]}, "nna 1")
        before = self.events()
        self.refuse(409, "spent", "POST", "orders", {"examples": [f"P{i}" for i in range(30)]})
        self.assertEqual(self.events(), before, "all or none")
        problem = self.refuse(404, "unknown", "GET", "examples/Anna%202")
        self.assertIn("Anna", problem["detail"])

    def test_twice_in_a_list(self):
        self.open()
        orders = self.ask("P1", "P2", "P1")
        self.assertEqual([order["example"] for order in orders], ["P1", "P2", "P1"])
        self.assertEqual(orders[0]["order"], orders[2]["order"])


class Plans(ActionsTest):
    def test_imports_all_or_none(self):
        self.open()
        rows = [{"example": f"I{i}", "answers": {"age": 40 + i, "y": i}} for i in range(5)]
        before = self.events()
        bad = [*rows, {"example": "I9", "answers": {"age": 400, "y": 1}}]
        self.refuse(422, "data", "POST", "imports", {"rows": bad}, "row 6", "'age' is 400", token="manage")
        self.assertEqual(self.events(), before)
        self.refuse(404, "unknown", "GET", "examples/I0")
        self.assertEqual(self.go("POST", "imports", {"rows": rows}, token="manage"), {"learned": 5})
        self.assertEqual(self.go("POST", "imports", {"rows": rows[:2]}, token="manage"), {"learned": 0})
        self.assertEqual(self.events(), before + 5)
        self.assertTrue(self.go("GET", "proof", token="manage")["same_bits"])

    def test_a_trial_changes_nothing(self):
        self.open()
        for i in range(4):
            self.tell_all(f"P{i}", i)
        about = self.go("GET", "")
        body = {"reason": "cheaper", "attributes": [{"name": "scan", "cost": 20.5, "unit": None}, {"name": "mri", "new": True, "cost": 9}],
                "settings": {"k": 3, "budget_cost": 900}}
        tried = self.go("POST", "amendments", {**body, "trial": True}, token="manage", match=about["terms_etag"])
        self.assertEqual(self.go("GET", ""), about)
        done = self.go("POST", "amendments", body, token="manage", match=about["terms_etag"])
        self.assertEqual(done["words"], tried["words"])
        self.assertEqual((tried["trial"], done["trial"]), (True, False))
        after = self.go("GET", "")
        by_name = {one["name"]: one for one in after["attributes"]}
        self.assertEqual((by_name["scan"]["cost"], by_name["scan"]["unit"], by_name["mri"]["cost"]), (20.5, None, 9))
        self.assertEqual((after["settings"]["k"], after["settings"]["budget_cost"]), (3, 900))
        again = self.go("POST", "amendments", {**body, "attributes": body["attributes"][:1]}, token="manage", match=after["terms_etag"])
        self.assertEqual((again["change"], again["words"]), (None, None))

    def test_amendments_that_are_refused(self):
        self.open()
        tag = self.go("GET", "")["terms_etag"]
        for part, word in (({"attributes": [{"name": "mri", "cost": 9}]}, "\"new\": true adds it"),
                           ({"attributes": [{"name": "scan", "new": True}]}, "already"),
                           ({"attributes": [{"name": "scan", "known": True}]}, "can't be amended"),
                           ({"attributes": [{"name": "scan", "cost": 1.234}]}, "two decimals"),
                           ({"attributes": [{"name": "scan", "price": 1}]}, "'price'"),
                           ({"settings": {"seed": 2}}, "'seed'"),
                           ({"settings": {"k": 2.5}}, "k")):
            self.refuse(422, "usage", "POST", "amendments", {"reason": "so", **part}, word, token="manage", match=tag)

    def test_freezes(self):
        self.open()
        self.tell_all("P1")
        frozen = self.go("POST", "freezes", {"name": "paper-1.0"}, token="manage")
        self.assertEqual((frozen["file"], frozen["by"]), ("clinic-paper-1.0.frozen", "manage"))
        checked = self.command("freeze", frozen["file"], "--check", "--json").json
        self.assertEqual((checked["sha256"], checked["ledger"]), (frozen["sha256"], frozen["ledger"]))
        self.refuse(409, "conflict", "POST", "freezes", {"name": "paper-1.0"}, "already", token="manage")
        for name in ("../x", "", "a b", "x" * 101, "a/b", "\u00e9"):
            self.refuse(422, "usage", "POST", "freezes", {"name": name}, token="manage")


class Blind(ActionsTest):
    """Where second entries are demanded, who enters sees no first entry before."""

    def begin(self):
        self.open(create=(*AUTO, "--second-entry"))
        self.service.add_token("anna", "enter")
        order, = self.ask("P1")
        self.first = {**{name: values_of(1)[name] for name in self.names(order)}, "y": 1.75}
        return self.tell("P1", self.first, token="anna")

    def secrets(self, text):
        """First entries that a text shows as values."""
        return [value for value in self.first.values() if f'"value": {json.dumps(value)},' in text or f'"y": {json.dumps(value)},' in text]

    def test_first_entries_are_hidden(self):
        told = self.begin()
        self.assertEqual({(line["state"], line["value"]) for line in told["lines"]}, {("told", None)})
        for path in ("examples/P1", "orders"):
            for token in ("enter", "anna"):
                self.assertEqual([], self.secrets(self.send(self.service, "GET", path, token=token).text), path)
            self.assertNotEqual([], self.secrets(self.send(self.service, "GET", path, token="manage").text), path)
        shown, = self.show("P1")["orders"]
        self.assertIsNone(shown["y"])
        self.assertEqual(set(shown["second_to_come"]), set(self.first))
        problem = self.refuse(409, "conflict", "POST", "examples/P1/answers", {"answers": {"age": 99}}, "waits for its second entry")
        self.assertEqual((problem["stored"], problem["by"]), ({}, "anna"))
        self.assertNotIn(str(self.first["age"]), problem["detail"])

    def test_second_entries(self):
        self.begin()
        wrong = {**self.first, "age": 99}
        found = self.go("POST", "examples/P1/second", {"answers": wrong})
        self.assertEqual((found["agree"], found["differ"], found["same_hand"]), (len(wrong) - 1, 1, 0))
        self.assertEqual(found["differences"], [{"name": "age"}])
        self.assertEqual(found["order"]["state"], "told")
        self.assertNotIn(str(self.first["age"]), json.dumps(found))
        seen = self.go("GET", "orders?differs=yes", token="manage")["items"][0]["lines"]
        age = next(line for line in seen if line["name"] == "age")
        self.assertEqual((age["value"], age["second_value"]), (self.first["age"], 99))
        found = self.go("POST", "examples/P1/second", {"answers": {"age": self.first["age"]}})
        self.assertEqual((found["differ"], found["order"]["state"]), (0, "learned"))
        shown, = self.show("P1")["orders"]
        self.assertEqual({line["name"]: line["value"] for line in shown["lines"]}, {n: v for n, v in self.first.items() if n != "y"})

    def test_who_manages_sees_both(self):
        self.begin()
        found = self.go("POST", "examples/P1/second", {"answers": {"age": 99}}, token="manage")
        self.assertEqual(found["differences"], [{"name": "age", "value": self.first["age"], "note": None, "second_value": 99, "second_note": None}])

    def test_without_the_demand_nothing_is_hidden(self):
        self.open()
        self.ask("P1")
        self.tell("P1", {"age": 50})
        shown, = self.show("P1")["orders"]
        self.assertEqual(shown["lines"][0]["value"], 50)


class Reading(ActionsTest):
    def test_who_reads_sees_no_names(self):
        self.open()
        self.service.add_token("Schwester Anna", "enter")
        for i in range(3):
            self.tell_all(f"Patient {i}", i, token="Schwester Anna")
        self.ask("Patient open", token="Schwester Anna")
        for path in ("", "status", "status?risk=no", "risks", "purchases", "model", "export/model.json",
                     *(f"export/{name}.csv?pseudonyms=yes" for name in ("examples", "dictionary", "events", "ledger", "looks"))):
            answer = self.send(self.service, "GET", path, token="read")
            self.assertEqual(answer.status, 200, str(answer))
            for word in ("Patient", "Schwester", "Anna"):
                self.assertNotIn(word, answer.text, path)
            if "pseudonyms" in path:
                self.assertEqual(answer.text.count("\n") > 1, True, path)
        self.assertNotIn("open_orders", self.go("GET", "status", token="read"))
        self.assertEqual(len(self.go("GET", "status")["open_orders"]), 1)

    def test_exports_leave_nothing_behind(self):
        place = os.path.join(self.folder, "scratch")
        os.mkdir(place)
        self.open(env={"TMPDIR": place})
        self.tell_all("P1")
        for name in ("examples", "dictionary", "events", "ledger", "looks"):
            answer = self.send(self.service, "GET", f"export/{name}.csv", token="manage")
            self.assertEqual(answer.headers["content-disposition"], f'attachment; filename="clinic-{name}.csv"')
        self.assertEqual(os.listdir(place), [])

    def test_results(self):
        self.open()
        for i in range(45):
            self.tell_all(f"P{i}", i)
        model = self.go("GET", "model?errors=yes&level=0.5", token="read")
        self.assertEqual(model["examples"], 45)
        for one in model["attributes"]:
            if one["error"] is not None:
                self.assertLessEqual(one["low"], one["weight"])
                self.assertGreaterEqual(one["high"], one["weight"])
        self.assertEqual(model["level"], 0.5)
        risks = self.go("GET", "risks?points=4", token="read")
        self.assertEqual((len(risks), risks[-1]["examples"]), (4, 45))
        bought = self.go("GET", "purchases", token="read")
        self.assertEqual(sum(one["purchases"] for one in bought if one["name"] != "age"), 90)
        forecast = self.go("GET", "forecast?count=3&draws=20")
        self.assertEqual((forecast["new_orders"], forecast["draws"]), (3, 20))
        self.assertEqual(self.go("POST", "predictions", {"answers": {"age": 50}, "level": 0.5})["level"], 0.5)
        before = self.events()
        outlook = self.send(self.service, "GET", "outlook?error=1.5", token="read")
        self.assertIn(outlook.status, (200, 422), str(outlook))
        self.assertEqual(self.events(), before)

    def test_an_outlook_ends_with_the_service(self):
        """It would take most of a minute; what is begun has ten seconds."""
        names = [f"x{i}" for i in range(40)]
        self.open(create=("-k", "5", "--algorithm", "gaussian"), catalogue="name\n" + "\n".join(names) + "\n")
        draw = random.Random(1)
        rows = [{name: draw.gauss(0, 1) for name in names} for _ in range(100)]
        rows = [{"example": f"I{i}", "answers": {**row, "y": sum(row.values()) + draw.gauss(0, 1)}} for i, row in enumerate(rows)]
        self.go("POST", "imports", {"rows": rows}, token="manage")
        stops = threading.Timer(1, self.service.process.send_signal, [signal.SIGTERM])
        stops.start()
        begun = time.monotonic()
        self.refuse(503, "stopping", "GET", "outlook?error=2", None, "outlook", token="read")
        self.assertEqual(self.service.stop(), 0)
        self.assertLess(time.monotonic() - begun, 40)


if __name__ == "__main__":
    unittest.main()
