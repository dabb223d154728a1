"""What the tests of the actions share: requests whose answers are compared with the description, and a small clinic."""
import csv
import io
import urllib.parse

from contract import Described
from service import ServiceTest

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
