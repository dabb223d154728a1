"""Entries over HTTP: refusals that say all, second entries that are blind, plans that change, and what who reads may see."""
import concurrent.futures
import json
import os
import random
import signal
import time
import unittest

from actions import AUTO, VALUES, ActionsTest, values_of


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
        denied = {**half, "hba1c": {"value": 15, "confirmed": False}}
        self.assertEqual(self.refuse(422, "unusual", "POST", "examples/P1/answers", {"answers": denied})["names"], ["hba1c"])
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

    def test_a_wide_study(self):
        names = [f"x{i}" for i in range(6000)]
        self.open(catalogue="name\n" + "\n".join(names) + "\n")
        row = {"example": "I", "answers": {**dict.fromkeys(names, 1), "y": 1}}
        self.assertEqual(self.go("POST", "imports", {"rows": [row]}, token="manage"), {"learned": 1})
        twice = json.dumps({"rows": [row]}).replace('"x17":', '"x18":').encode()
        self.refuse(400, "body", "POST", "imports", twice, "before at byte", token="manage")

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

    def test_exports_are_no_way_around(self):
        """They have the numbers of orders.  Looks are of what was learned from."""
        self.begin()
        for name, status in (("examples", 403), ("events", 403), ("ledger", 403), ("looks", 200), ("dictionary", 200)):
            for token, expected in (("enter", status), ("read", 200), ("manage", 200)):
                answer = self.send(self.service, "GET", f"export/{name}.csv?pseudonyms=yes", token=token)
                self.assertEqual(answer.status, expected, f"{name} {token}: {answer}")

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

    def walk(self, query="", limit=3):
        """The numbers of all events, page by page."""
        found, after = [], ""
        while after is not None:
            page = self.go("GET", f"events?limit={limit}{query}{after and '&after=' + after}", token="manage")
            self.assertLessEqual(len(page["items"]), limit)
            found += page["items"]
            after = page["next"]
        return found

    def test_the_ledger_from_its_end_and_filtered(self):
        self.open()
        for i in range(4):
            self.tell_all(f"P{i}", i, token="enter" if i % 2 else "manage")
        self.go("POST", "examples/P2/correction", {"answers": {"y": 7}, "reason": "x"}, token="manage", match=self.tag("P2"))
        for limit in (1, 3, 10, 11, 500):
            all_of_it = self.walk(limit=limit)
            self.assertEqual([e["event"] for e in all_of_it], list(range(1, self.events() + 1)))
            self.assertEqual(self.walk("&newest=yes", limit), all_of_it[::-1])
            for query, wanted in (("example=P2", lambda e: e["example"] == "P2"), ("by=enter", lambda e: e["by"] == "enter"),
                                  ("kind=tell", lambda e: e["kind"] == "tell"), ("example=nobody", lambda e: False),
                                  ("example=P2&kind=ask&by=manage", lambda e: (e["example"], e["kind"]) == ("P2", "ask"))):
                kept = [e for e in all_of_it if wanted(e)]
                self.assertEqual(self.walk("&" + query, limit), kept)
                self.assertEqual(self.walk("&newest=yes&" + query, limit), kept[::-1])
        self.assertEqual(self.go("GET", "events?newest=yes&after=1", token="manage"), {"items": [], "next": None})
        self.refuse(422, "usage", "GET", "events?kind=dance", None, "dance", token="manage")

    def test_a_correction_says_what_was_there(self):
        self.open(catalogue="name,cost,usual_high\nage,1,99\ncrp,2,9\n")
        self.ask("P1")
        self.tell("P1", {"age": 50, "crp": {"missing": "refused"}, "y": 1})
        def correct(answers):
            self.go("POST", "examples/P1/correction", {"answers": answers, "reason": "x"}, token="manage", match=self.tag("P1"))
            event = self.go("GET", "events?newest=yes&limit=1", token="manage")["items"][0]
            return {one["name"]: (one["value"], one["note"]) for one in event["was"]}
        self.assertEqual(correct({"age": 51}), {"age": (50, None)})
        self.assertEqual(correct({"crp": {"value": 12, "confirmed": True}, "age": 52}), {"age": (51, None), "crp": (None, "refused")})
        self.assertEqual(correct({"crp": 4, "y": 2}), {"crp": (12, "confirmed"), "y": (1, None)})
        self.go("POST", "examples/P1/second", {"answers": {"age": 25}}, token="manage")  # which is compared, and not stored
        self.assertEqual(correct({"age": 53}), {"age": (52, None)})

    def test_a_download_says_whether_it_has_names(self):
        self.open()
        self.tell_all("P1")
        for name in ("examples", "dictionary", "events", "ledger", "looks"):
            for query, ending in (("", ".csv"), ("?pseudonyms=yes", "-pseudonyms.csv")):
                answer = self.send(self.service, "GET", f"export/{name}.csv{query}", token="manage")
                self.assertEqual(answer.headers["content-type"], "text/csv; charset=utf-8")
                self.assertEqual(answer.headers["content-disposition"], f'attachment; filename="clinic-{name}{ending}"')
        answer = self.send(self.service, "GET", "export/model.json", token="read")
        self.assertEqual(answer.headers["content-type"], "application/json")
        self.assertEqual(answer.headers["content-disposition"], 'attachment; filename="clinic-model.json"')

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
        # One risk everywhere, with one error.
        status = self.go("GET", "status", token="read")
        self.assertGreater(status["risk_error"], 0)
        for one in (model, self.go("GET", "model", token="read")):
            self.assertEqual((one["risk"], one["risk_error"]), (status["risk"], status["risk_error"]))
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

    def test_an_outlook_keeps_nobody_waiting_and_ends_with_the_service(self):
        """It would take most of a minute; what is begun has ten seconds."""
        names = [f"x{i}" for i in range(40)]
        self.open(create=("-k", "5", "--algorithm", "gaussian"), catalogue="name\n" + "\n".join(names) + "\n")
        draw = random.Random(1)
        rows = [{name: draw.gauss(0, 1) for name in names} for _ in range(100)]
        rows = [{"example": f"I{i}", "answers": {**row, "y": sum(row.values()) + draw.gauss(0, 1)}} for i, row in enumerate(rows)]
        self.go("POST", "imports", {"rows": rows}, token="manage")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            outlook = pool.submit(self.send, self.service, "GET", "outlook?error=2", token="read")
            for path in ("status?risk=no", "status", "risks", "model"):
                time.sleep(0.2)
                self.go("GET", path, token="read")
                self.assertFalse(outlook.done(), path)
            begun = time.monotonic()
            self.service.process.send_signal(signal.SIGTERM)
            self.check_problem(outlook.result(), 503, "stopping", "outlook")
        self.assertEqual(self.service.stop(), 0)
        self.assertLess(time.monotonic() - begun, 40)


if __name__ == "__main__":
    unittest.main()
