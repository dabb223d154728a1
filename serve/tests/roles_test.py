"""Who may do what: every role with every action, somebody without a token, and somebody with a token of another study.
docs/api.md has the same table."""
import http.client
import os
import unittest

from contract import BY_NAME, OPERATIONS, Described
from service import ServiceTest

# What a role may do; each row is an action, as the description names it.
TABLE = """
listStudies       read enter manage
getStudy          read enter manage
getStatus         read enter manage
getRisks          read enter manage
getPurchases      read enter manage
getModel          read enter manage
getOutlook        read enter manage
getForecast       -    enter manage
predict           -    enter manage
listOrders        -    enter manage
ask               -    enter manage
getExample        -    enter manage
tell              -    enter manage
tellSecond        -    enter manage
tellExtra         -    enter manage
correct           -    own   manage
endOrder          -    -     manage
reopenOrder       -    -     manage
getTraces         -    -     manage
erase             -    -     manage
importRows        -    -     manage
amend             -    -     manage
listEvents        -    -     manage
exportExamples    pseudonyms pseudonyms manage
exportDictionary  pseudonyms pseudonyms manage
exportEvents      pseudonyms pseudonyms manage
exportLedger      pseudonyms pseudonyms manage
exportLooks       pseudonyms pseudonyms manage
exportModel       read enter manage
freeze            -    -     manage
getProof          -    -     manage
getSession        read enter manage
signOut           read enter manage
getMetrics        read enter manage
"""
ROWS = {words[0]: words[1:] for words in (line.split() for line in TABLE.strip().splitlines())}
ROLES = ("read", "enter", "manage")
NOBODY = {"getDescription", "signIn", "getReady"}  # they need no token
VALUES = {"age": 50, "glucose": 5.4, "crp": 3, "hba1c": 6, "scan": 20}
DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "api.md")


def shown():
    """The table as docs/api.md has it."""
    words = {"-": "no", "own": "own values", "pseudonyms": "with pseudonyms"}
    lines = ["| what | path | read | enter | manage |", "|---|---|---|---|---|"]
    for name, cells in ROWS.items():
        one = BY_NAME[name]
        path = one.path.replace("/studies/{study}", "") if one.path.startswith("/studies/{") else one.path
        lines.append(f"| {one.item['summary']} | `{one.method} {path or '.'}` | " + " | ".join(words.get(cell, "yes") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


class Roles(Described, ServiceTest):
    """Each cell is a test, of one server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.keeper = cls("nothing")
        ServiceTest.setUp(cls.keeper)
        cls.service = cls.keeper.serve(studies=2, names=["clinic", "ward"], create=("-k", "2", "--algorithm", "auto"))
        cls.service.add_token("other", "manage", "--study", "ward")
        for i in range(12):
            cls.keeper.tell_all(f"P{i}", i)

    @classmethod
    def tearDownClass(cls):
        cls.keeper.doCleanups()
        super().tearDownClass()

    def nothing(self):
        pass

    def go(self, *arguments, token="manage", **named):
        return self.done(self.service, *arguments, token=token, **named)

    def ask(self, example, token="manage"):
        return self.go("POST", "orders", {"examples": [example]}, token=token)["orders"][0]

    def tell_all(self, example, number):
        answers = {line["name"]: VALUES[line["name"]] + number / 8 for line in self.ask(example)["lines"]}
        self.go("POST", f"examples/{example}/answers", {"answers": {**answers, "y": number * 2}})

    def tag(self, example):
        return self.go("GET", f"examples/{example}")["etag"]

    def prepare(self, name, who):
        """The body and the tag with which this action is done, of an example of its own."""
        example = f"{name}-{who}"
        if name in ("ask", "importRows"):
            return example, {"examples": [example], "rows": [{"example": example, "answers": {"age": 30, "y": 2}}]}, None
        order = self.ask(example)
        free = next(one for one in VALUES if one not in [line["name"] for line in order["lines"]])
        if name in ("correct", "tellSecond"):
            teller = who if who == "enter" else "manage"
            self.go("POST", f"examples/{example}/answers", {"answers": {"age": 50}}, token=teller)
        if name == "reopenOrder":
            self.go("POST", f"examples/{example}/end", {"how": "cancel"}, match=self.tag(example))
        values = {free: VALUES[free]} if name == "tellExtra" else {"age": 50}
        body = {"answers": values, "reason": "it must be", "how": "cancel", "name": example, "trial": True}
        match = self.go("GET", "")["terms_etag"] if name == "amend" else self.tag(example)
        return example, body, match

    def do(self, name, who, token, query="", connection=None):
        """Tries an action."""
        operation = BY_NAME[name]
        example, body, match = self.prepare(name, who)
        path = operation.path.replace("{study}", "clinic").replace("{example}", example)
        if name == "getOutlook":
            query = "?error=1e9"  # no number of examples is needed for that, or too few are there to say so
        if operation.body:
            body = {one: body[one] for one in operation.body["properties"] if one in body}
        else:
            body = None
        path = path if operation.at_root else "/api/v1" + path
        match = match if operation.body else None
        return self.send(self.service, operation.method, path + query, body, token=token, match=match, connection=connection)

    def check_cell(self, name, role):
        cell = ROWS[name][ROLES.index(role)]
        answer = self.do(name, role, role)
        if cell in ("-", "pseudonyms"):
            self.check_problem(answer, 403, "role")
        else:
            self.assertIn(answer.status, (200, 204, 422) if name == "getOutlook" else (200, 204), str(answer))
        if name.startswith("export") and name != "exportModel":
            self.assertEqual(self.do(name, role + "-again", role, "?pseudonyms=yes").status, 200)
        if cell == "own":
            self.check_problem(self.do(name, role + "-of-others", role), 403, "role")

    def check_without(self, name):
        """Each time from another address: who fails often is throttled."""
        address = f"127.1.0.{1 + list(ROWS).index(name)}"
        connection = http.client.HTTPConnection(*self.service.address, timeout=60, source_address=(address, 0))
        self.addCleanup(connection.close)
        self.check_problem(self.do(name, "nobody", None, connection=connection), 401, "token")
        self.check_problem(self.do(name, "stranger", "scant_" + "A" * 43, connection=connection), 401, "token")

    def check_other_study(self, name):
        answer = self.do(name, "other", "other")
        if "{study}" in BY_NAME[name].path:
            self.check_problem(answer, 404, "unknown")
        else:
            self.assertNotIn("clinic", answer.text if answer.body else "")

    def test_the_table_is_whole(self):
        self.assertEqual(set(ROWS) | NOBODY, {one.name for one in OPERATIONS})
        for name, cells in ROWS.items():
            least = next(role for role, cell in zip(ROLES, cells) if cell != "-")
            self.assertEqual(BY_NAME[name].role, least, name)
        for name in NOBODY:
            self.assertIsNone(BY_NAME[name].role)

    def test_the_page_has_the_table(self):
        with open(DOCS, encoding="utf-8") as file:
            self.assertIn(shown(), file.read(), "print it with: SCANT=x python3 serve/tests/roles_test.py --table")

    def test_refusals_changed_nothing(self):
        """No event is of somebody who only reads, or of nobody."""
        events = self.go("GET", "events?limit=500")["items"]
        self.assertLessEqual({event["by"] for event in events if event["via"] == "service"}, {"enter", "manage"})


def cell(name, role):
    return lambda self: self.check_cell(name, role)


for _name in ROWS:
    for _role in ROLES:
        setattr(Roles, f"test_{_name}_{_role}", cell(_name, _role))
    setattr(Roles, f"test_{_name}_without_a_token", lambda self, name=_name: self.check_without(name))
    setattr(Roles, f"test_{_name}_token_of_another_study", lambda self, name=_name: self.check_other_study(name))

if __name__ == "__main__":
    import sys
    if sys.argv[1:] == ["--table"]:
        print(shown(), end="")
    else:
        unittest.main()
