"""The description of the interface (serve/openapi.json), and whether answers are as it says: a validator for the part
of JSON Schema that it uses, which refuses words that it does not know."""
import json
import os
import re
import urllib.parse

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

with open(os.path.join(SOURCE, "openapi.json"), encoding="utf-8") as _file:
    DESCRIPTION = json.load(_file)

METHODS = ("get", "post", "put", "patch", "delete")
TYPES = {
    "null": lambda x: x is None,
    "boolean": lambda x: isinstance(x, bool),
    "number": lambda x: isinstance(x, (int, float)) and not isinstance(x, bool),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
    "string": lambda x: isinstance(x, str),
    "array": lambda x: isinstance(x, list),
    "object": lambda x: isinstance(x, dict),
}
ANNOTATIONS = {"description", "default"}


def resolve(item):
    """What a $ref is of."""
    while "$ref" in item:
        assert set(item) == {"$ref"}, item
        parts = item["$ref"].split("/")
        assert parts[0] == "#", item
        item = DESCRIPTION
        for part in parts[1:]:
            item = item[part]
    return item


def _type(value, wanted, _schema, at):
    names = wanted if isinstance(wanted, list) else [wanted]
    if not any(TYPES[name](value) for name in names):
        yield f"{at} is {value!r:.80}, not {' or '.join(names)}"


def _properties(value, wanted, _schema, at):
    for name, schema in wanted.items():
        if isinstance(value, dict) and name in value:
            yield from wrong(value[name], schema, f"{at}.{name}")


def _required(value, wanted, _schema, at):
    for name in wanted:
        if isinstance(value, dict) and name not in value:
            yield f"{at} has no {name}"


def _additional(value, wanted, schema, at):
    for name in value if isinstance(value, dict) else ():
        if name in schema.get("properties", {}):
            continue
        if wanted is False:
            yield f"{at} has {name}, which nobody described"
        elif wanted is not True:
            yield from wrong(value[name], wanted, f"{at}.{name}")


def _items(value, wanted, _schema, at):
    for i, item in enumerate(value if isinstance(value, list) else ()):
        yield from wrong(item, wanted, f"{at}[{i}]")


def _one_of(value, wanted, _schema, at):
    fitting = [schema for schema in wanted if not list(wrong(value, schema, at))]
    if len(fitting) != 1:
        yield f"{at} fits {len(fitting)} of {len(wanted)}: {value!r:.200}"


def _compare(fits, word):
    def check(value, wanted, _schema, at):
        if TYPES["number"](value) and not fits(value, wanted):
            yield f"{at} is {value}, not {word} {wanted}"
    return check


def _length(kind, fits, word):
    def check(value, wanted, _schema, at):
        if isinstance(value, kind) and not fits(len(value), wanted):
            yield f"{at} has a length of {len(value)}, not {word} {wanted}"
    return check


def _enum(value, wanted, _schema, at):
    if value not in wanted:
        yield f"{at} is {value!r}, none of {wanted}"


def _pattern(value, wanted, _schema, at):
    if isinstance(value, str) and not re.search(wanted, value):
        yield f"{at} is {value!r}, unlike {wanted}"


AT_LEAST, AT_MOST = (lambda a, b: a >= b), (lambda a, b: a <= b)
KEYWORDS = {
    "type": _type, "properties": _properties, "required": _required, "additionalProperties": _additional,
    "items": _items, "oneOf": _one_of, "enum": _enum, "pattern": _pattern,
    "minimum": _compare(AT_LEAST, "at least"), "maximum": _compare(AT_MOST, "at most"),
    "exclusiveMinimum": _compare(lambda a, b: a > b, "above"), "exclusiveMaximum": _compare(lambda a, b: a < b, "below"),
    "minLength": _length(str, AT_LEAST, "at least"), "maxLength": _length(str, AT_MOST, "at most"),
    "minItems": _length(list, AT_LEAST, "at least"), "maxItems": _length(list, AT_MOST, "at most"),
}


def wrong(value, schema, at="the answer"):
    """Sentences about what does not fit."""
    schema = resolve(schema)
    for word, wanted in schema.items():
        if word not in ANNOTATIONS:
            yield from KEYWORDS[word](value, wanted, schema, at)


class Operation:
    def __init__(self, method, path, item):
        self.method, self.path, self.item = method.upper(), path, item
        self.name, self.role = item["operationId"], item["x-role"]
        self.parameters = [resolve(one) for one in item.get("parameters", [])]
        self.at_root = path in ("/ready", "/metrics")
        names = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))
        self.fits = re.compile(("" if self.at_root else "/api/v1") + names + "$").match

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def body(self):
        """The schema of its body; None: it has none."""
        content = self.item.get("requestBody", {}).get("content", {})
        return resolve(content["application/json"]["schema"]) if content else None

    def queries(self):
        return {one["name"]: one for one in self.parameters if one["in"] == "query"}

    def faults(self, answer):
        """What of an answer is not as described."""
        response = self.item["responses"].get(str(answer.status))
        if response is None:
            yield f"{self}: status {answer.status} is not described: {answer}"
            return
        content = resolve(response).get("content", {})
        kind = answer.headers.get("content-type", "").partition(";")[0]
        if not content:
            if answer.body:
                yield f"{self}: a body that is not described: {answer}"
            return
        if kind not in content:
            yield f"{self}: {kind} is not described: {answer}"
            return
        value = answer.json if kind.endswith("json") else answer.text
        for fault in wrong(value, content[kind]["schema"]):
            yield f"{self}: {fault}"
        for name, header in resolve(response).get("headers", {}).items():
            assert set(header) <= {"description", "schema"}, name


OPERATIONS = [Operation(method, path, item) for path, items in DESCRIPTION["paths"].items()
              for method, item in items.items() if method in METHODS]
BY_NAME = {operation.name: operation for operation in OPERATIONS}


def find(method, path, base=""):
    """The operation that a request is of; None: there is none."""
    plain = urllib.parse.urlsplit(path).path[len(base):]
    for operation in OPERATIONS:
        if operation.method == method and operation.fits(plain):
            return operation
    return None


class Described:
    """For tests of the service: every answer is compared with the description."""

    def send(self, service, method, path, body=None, token="enter", headers=None, key=None, match=None,
             connection=None):
        sent = dict(headers or {})
        if key is not None:
            sent["Idempotency-Key"] = key
        if match is not None:
            sent["If-Match"] = match
        answer = service.request(method, path, body, token, sent, connection)
        operation = find(method, service.full_path(path), service.base)
        self.assertIsNotNone(operation, f"{method} {path} is not described")
        self.assertEqual([], list(operation.faults(answer)))
        return answer

    def done(self, *arguments, **named):
        """The same of what succeeds: its JSON."""
        answer = self.send(*arguments, **named)
        self.assertEqual(answer.status, 200, str(answer))
        return answer.json
