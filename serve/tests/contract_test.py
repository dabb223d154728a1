"""The service does what its description says (serve/openapi.json): the same routes, statuses, bodies and roles; and
bodies that it does not allow are refused."""
import copy
import json
import os
import re
import unittest

from contract import BY_NAME, DESCRIPTION, KEYWORDS, ANNOTATIONS, METHODS, OPERATIONS, SOURCE, Described, find, resolve, wrong
from service import ServiceTest

VALUES = {"age": 50, "glucose": 5.4, "crp": 3, "hba1c": 6, "scan": 20, "y": 1.5}
EXPORTS = ("examples.csv", "dictionary.csv", "events.csv", "ledger.csv", "looks.csv")


def read_source(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def table_of_routes():
    """(method, path, role, names of the query) of every row of actions/routes.c."""
    text = read_source("actions/routes.c")
    macros = {}
    for name, words in re.findall(r'^#define (\w+) (.*)$', text, re.M):
        macros[name] = "".join(word[1:-1] if word[0] == '"' else macros[word] for word in re.findall(r'"[^"]*"|\w+', words)
                               if word[0] == '"' or word in macros)
    rows = set()
    for row in re.findall(r'^    \{("\w+".*)\},$', text, re.M):
        method, path, role, _flags, _tag, query, _action = [part.strip() for part in row.split(", ")]
        whole = "".join(word[1:-1] if word[0] == '"' else macros[word] for word in re.findall(r'"[^"]*"|\w+', path))
        names = "" if query == "NULL" else query[1:-1] if query[0] == '"' else macros[query]
        rows.add((method[1:-1], whole, role.lower(), tuple(sorted(names.split()))))
    return rows


class Description(ServiceTest):
    """The file itself."""

    def schemas(self, item):
        """Every schema in a part of the description."""
        if isinstance(item, list):
            for one in item:
                yield from self.schemas(one)
        elif isinstance(item, dict):
            for name, one in item.items():
                if name == "schema":
                    yield one
                else:
                    yield from self.schemas(one)

    def check_schema(self, schema):
        schema = resolve(schema) if "$ref" in schema else schema
        self.assertLessEqual(set(schema), set(KEYWORDS) | ANNOTATIONS)
        for name in schema.get("required", ()):
            self.assertIn(name, schema["properties"])
        inner = [*schema.get("properties", {}).values(), *schema.get("oneOf", ())]
        inner += [schema[name] for name in ("items", "additionalProperties") if isinstance(schema.get(name), dict)]
        for one in inner:
            if "$ref" not in one:
                self.check_schema(one)
            else:
                resolve(one)

    def test_is_whole(self):
        self.assertEqual(DESCRIPTION["openapi"], "3.1.0")
        self.assertEqual(len(BY_NAME), len(OPERATIONS), "two operations have the same name")
        for schema in self.schemas(DESCRIPTION["paths"]):
            self.check_schema(schema)
        for schema in DESCRIPTION["components"]["schemas"].values():
            self.check_schema(schema)
        for items in DESCRIPTION["paths"].values():
            self.assertLessEqual(set(items), {*METHODS, "servers"})
        for operation in OPERATIONS:
            declared = {one["name"] for one in operation.parameters if one["in"] == "path"}
            self.assertEqual(declared, set(re.findall(r"\{(\w+)\}", operation.path)), str(operation))
            for response in operation.item["responses"].values():
                resolve(response)

    def test_every_part_is_used(self):
        text = json.dumps(DESCRIPTION)
        for kind in ("schemas", "responses", "parameters"):
            for name in DESCRIPTION["components"][kind]:
                self.assertIn(f'"#/components/{kind}/{name}"', text)

    def test_routes_are_those_of_the_table(self):
        described = {(one.method, one.path, one.role, tuple(sorted(one.queries()))) for one in OPERATIONS
                     if one.path.startswith("/studies/")}
        self.assertEqual(table_of_routes(), described)

    def test_own_routes(self):
        """What the server answers without a study, but for the files of the page."""
        text = read_source("http/head.c")
        own = set(re.findall(r'^    \{"(\w+)", "(/[^"]*)"', text, re.M))
        described = {(one.method, ("" if one.at_root else "/api/v1") + one.path) for one in OPERATIONS
                     if not one.path.startswith("/studies/")}
        self.assertEqual({row for row in own if row[1].startswith("/api/") or row[1] in ("/ready", "/metrics")}, described)

    def test_the_validator_finds_faults(self):
        schema = BY_NAME["getStatus"].item["responses"]["200"]["content"]["application/json"]["schema"]
        self.assertTrue(list(wrong({}, schema)))
        problem = {"type": "about:blank", "title": "x", "status": 409, "detail": "x", "code": "conflict"}
        schema = DESCRIPTION["components"]["schemas"]["Problem"]
        self.assertEqual([], list(wrong({**problem, "stored": {"a": 1, "b": None, "c": {"missing": "x"}}}, schema)))
        for fault in ({"status": 200}, {"status": True}, {"detail": None}, {"more": 1}, {"stored": {"a": "x"}}, {"names": [1]}):
            self.assertEqual(len(list(wrong({**problem, **fault}, schema))), 1, fault)


class Contract(Described, ServiceTest):
    def setUp(self):
        super().setUp()
        self.service = self.serve(create=("-k", "2", "--algorithm", "auto"))
        self.seen = set()

    def send(self, service, method, path, *arguments, **named):
        answer = super().send(service, method, path, *arguments, **named)
        if answer.status < 300:
            self.seen.add(find(method, service.full_path(path), service.base).name)
        return answer

    def go(self, method, path, body=None, **named):
        named.setdefault("token", "manage")
        return self.done(self.service, method, path, body, **named)

    def tag(self, example):
        return self.go("GET", f"examples/{example}")["etag"]

    def ask(self, *examples):
        return self.go("POST", "orders", {"examples": list(examples)})["orders"]

    def tell_all(self, example, order):
        answers = {line["name"]: VALUES[line["name"]] for line in order["lines"]}
        return self.go("POST", f"examples/{example}/answers", {"answers": {**answers, "y": VALUES["y"]}})

    def test_every_operation(self):
        """One good request of each; the answers fit."""
        go = self.go
        go("GET", "/api/v1/openapi.json", token=None)
        go("GET", "/api/v1/studies")
        go("GET", "/ready", token=None)
        go("GET", "/api/v1/session")
        self.assertEqual(self.send(self.service, "GET", "/metrics", token="read").status, 200)
        go("POST", "/api/v1/session", {"token": self.service.tokens["read"]}, token=None)
        self.assertEqual(self.send(self.service, "DELETE", "/api/v1/session", token="read").status, 204)
        first, second = self.ask("P1", "P/2")
        self.tell_all("P1", first)
        go("GET", "")
        go("GET", "status")
        go("GET", "status?risk=no", token="read")
        for path in ("risks?points=3", "purchases", "model", "forecast?count=2&draws=10", "orders?state=all&limit=1",
                     "examples/P1", "examples/P%2F2/traces", "events?limit=2", "proof", "export/model.json"):
            go("GET", path)
        for name in EXPORTS:
            self.assertEqual(self.send(self.service, "GET", f"export/{name}", token="manage").status, 200)
        name = second["lines"][-1]["name"]
        go("POST", "examples/P%2F2/answers", {"answers": {name: VALUES[name]}})
        go("POST", "examples/P%2F2/second", {"answers": {name: VALUES[name]}})
        other = next(name for name in VALUES if name not in [line["name"] for line in second["lines"]])
        go("POST", "examples/P%2F2/extra", {"answers": {other: VALUES[other]}, "reason": "it was there"})
        go("POST", "examples/P%2F2/correction", {"answers": {name: VALUES[name] + 1}, "reason": "a slip"}, match=self.tag("P%2F2"))
        go("POST", "examples/P%2F2/end", {"how": "cancel"}, match=self.tag("P%2F2"))
        go("POST", "examples/P%2F2/reopen", {"reason": "it goes on"}, match=self.tag("P%2F2"))
        go("POST", "imports", {"rows": [{"example": f"I{i}", "answers": {"age": 30 + i, "y": i}} for i in range(3)]})
        go("POST", "examples/I1/correction", {"answers": {"y": 9}, "reason": "a slip"}, match=self.tag("I1"))
        go("GET", "examples/I1")
        go("POST", "predictions", {"answers": {"age": 40}})
        go("POST", "amendments", {"reason": "cheaper", "attributes": [{"name": "scan", "cost": 20}]}, match=go("GET", "")["terms_etag"])
        go("POST", "examples/P%2F2/erase", {"reason": "asked for"}, match=self.tag("P%2F2"))
        go("POST", "freezes", {"name": "paper"})
        go("GET", "events?limit=500")
        self.assertEqual({one.name for one in OPERATIONS} - self.seen, {"getOutlook"})

    # ---- bodies that are not allowed ----

    OTHERS = (None, True, 7, -1.5, "text", [], {}, [1], {"x": 1})

    def wrong_values(self, schema):
        """Values that a schema does not allow."""
        schema = resolve(schema)
        tried = [*self.OTHERS, "", "x" * 2000, 0, 1e300, [None], [{}], ["x", 3], [{"name": 3}], [{"example": "E"}],
                 {"missing": 1}, {"a": "text"}, {"a": True}, {"a": []}, {"a": {}}, {"a": {"missing": 1}},
                 {"a": {"value": "x"}}, {"a": {"value": None}}, {"a": {"value": 1, "more": 1}},
                 {"a": {"value": 1, "missing": "lost"}}, {"a": {"value": 1, "confirmed": "yes"}}]
        return [value for value in tried if list(wrong(value, schema))]

    def wrong_bodies(self, schema, good):
        """Bodies with one fault each."""
        yield from ([], "text", 7, None, [good])
        yield {**good, "more": 1}
        for name in schema["required"]:
            yield {other: value for other, value in good.items() if other != name}
        for name, part in schema["properties"].items():
            for value in self.wrong_values(part):
                if value is not None or name in schema["required"]:  # null is as good as nothing
                    yield {**good, name: value}

    def raw_bodies(self, good):
        text = json.dumps(good).encode()
        yield from (b"", b"{", text[:-1], text + b"}", b"\xff\xfe" + text, text.replace(b'"', b"'"), b"\0" * 10, b"[" * 5000,
                    text[:-1] + b', "x": "\xc3"}', text[:-1] + b', "x": "\\ud800"}', text[:-1] + b', "x": 01}', b"nul")

    def check_refused(self, path, good, schema, **named):
        before = self.go("GET", "")["events"]
        bodies = [json.dumps(body).encode() for body in self.wrong_bodies(schema, good)]
        for body in bodies + list(self.raw_bodies(good)):
            answer = self.send(self.service, "POST", path, body, token="manage", **named)
            self.assertIn(answer.status, (400, 415, 422), f"{path} {body[:200]}: {answer}")
            self.assertEqual(answer.headers["content-type"], "application/problem+json")
            self.assertTrue(answer.json["detail"], str(answer))
        self.assertEqual(self.go("GET", "")["events"], before)
        return len(bodies)

    def test_wrong_bodies(self):
        order, = self.ask("P1")
        self.tell_all("P1", order)
        self.ask("P2")
        tags = {example: self.tag(example) for example in ("P1", "P2")}
        good = {
            "predict": ("predictions", {"answers": {"age": 50}}, None),
            "ask": ("orders", {"examples": ["P3"]}, None),
            "tell": ("examples/P2/answers", {"answers": {"age": 51}}, None),
            "tellSecond": ("examples/P1/second", {"answers": {"age": 50}}, None),
            "tellExtra": ("examples/P2/extra", {"answers": {"scan": 50}, "reason": "so"}, None),
            "correct": ("examples/P1/correction", {"answers": {"age": 51}, "reason": "so"}, tags["P1"]),
            "endOrder": ("examples/P2/end", {"how": "fail", "reason": "so"}, tags["P2"]),
            "reopenOrder": ("examples/P2/reopen", {"reason": "so"}, tags["P2"]),
            "erase": ("examples/P2/erase", {"reason": "so"}, tags["P2"]),
            "importRows": ("imports", {"rows": [{"example": "I1", "answers": {"age": 3, "y": 1}}]}, None),
            "amend": ("amendments", {"reason": "so", "attributes": [{"name": "scan", "cost": 3}]}, self.go("GET", "")["terms_etag"]),
            "freeze": ("freezes", {"name": "paper"}, None),
        }
        self.assertEqual(set(good), {one.name for one in OPERATIONS if one.body and one.path.startswith("/studies/")})
        count = 0
        for name, (path, body, match) in good.items():
            self.assertEqual([], list(wrong(body, BY_NAME[name].body)))
            with self.subTest(name):
                count += self.check_refused(path, body, BY_NAME[name].body, match=match)
        self.assertGreater(count, 300)

    def test_wrong_queries(self):
        self.ask("P1")
        for operation in OPERATIONS:
            if operation.method != "GET" or not operation.path.startswith("/studies/"):
                continue
            path = "/api/v1" + operation.path.replace("{study}", "clinic").replace("{example}", "P1")
            queries = ["nobody=1"]
            for name, one in operation.queries().items():
                schema = resolve(one["schema"])
                if schema.get("type") in ("integer", "number"):
                    queries += [f"{name}={text}" for text in ("x", "", "nan", "-1", "1e400", "99999999999999999999")]
                elif "enum" in schema:
                    queries += [f"{name}={text}" for text in ("x", "", "YES")]
            if operation.name in ("listOrders", "listEvents"):
                queries += ["after=x", "after=-1", "after=", "after=99999999999999999999"]
            if operation.name == "listOrders":
                queries += ["state=nobody", "state=", "due=nobody", "since=yesterday", "before=2026-13-45"]
            for query in queries:
                with self.subTest(f"{path}?{query}"):
                    answer = self.send(self.service, "GET", f"{path}?{query}", token="manage")
                    self.assertEqual(answer.status, 422, str(answer))

    def test_unknown_examples_and_studies(self):
        for operation in OPERATIONS:
            if not operation.path.startswith("/studies/"):
                continue
            path = operation.path.replace("{example}", "nobody")
            body = None if operation.method == "GET" else {"answers": {"age": 1}, "reason": "so", "how": "cancel"}
            if body:
                body = {name: body[name] for name in operation.body["properties"] if name in body}
            with self.subTest(str(operation)):
                other = self.send(self.service, operation.method, "/api/v1" + path.replace("{study}", "nothing"), copy.copy(body), token="manage", match='"e1"')
                self.check_problem(other, 404, "unknown")
                if "{example}" in operation.path:
                    own = self.send(self.service, operation.method, "/api/v1" + path.replace("{study}", "clinic"), body, token="manage", match='"e1"')
                    self.check_problem(own, 404, "unknown")


if __name__ == "__main__":
    unittest.main()
