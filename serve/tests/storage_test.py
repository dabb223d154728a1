"""What is under the service: a disk that is full, a file that can't be written, that is gone, or that is another one."""
import concurrent.futures
import contextlib
import glob
import os
import re
import resource
import shutil
import sqlite3
import unittest

from clock import until
from service import ServiceTest

TRY_EVERY = 5  # seconds from one try to write to the next (served_study.c)
SWEEP_EVERY = 10  # and to sweep (workers.c)


class Storage(ServiceTest):
    def setUp(self):
        super().setUp()
        self.service = self.serve()
        self.path = self.service.files[0]
        self.assertEqual(self.ask("before").status, 200)

    def ask(self, name):
        return self.service.request("POST", "orders", {"examples": [name]}, "enter", {"Idempotency-Key": "k" + name})

    def ready(self):
        return self.service.request("GET", "/ready", token=None)

    def tries(self):
        """How often a transaction was begun, or could not be."""
        return int(re.search(r"^scant_groups_total (\d+)", self.service.request("GET", "/metrics", token="read").text, re.M)[1])

    def known(self):
        answer = self.service.request("GET", "orders?state=all&limit=500")
        self.assertEqual(answer.status, 200, str(answer))
        return [order["example"] for order in answer.json["items"]]

    @contextlib.contextmanager
    def full(self):
        """No file of the server grows beyond what the log has now: as if the disk were full."""
        pid = self.service.process.pid
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1024, hard))
        yield
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))

    def test_a_full_disk(self):
        with self.full():
            for name in ("a", "b"):
                problem = self.check_problem(self.ask(name), 503, "storage")
                self.assertTrue(problem["detail"])
            # Its keeper is told once, with the library's sentence, and whoever watches it sees it, too.
            sentence = f"the study 'clinic' can't be written: {problem['detail']}"
            self.assertEqual(self.service.stderr(), f"scant serve: {sentence}\n")
            self.assertEqual(self.check_problem(self.ready(), 503, "storage")["detail"],
                             "a study can't be written: the server has printed which one, and why")
            self.assertEqual(self.known(), ["before"])  # who reads is served meanwhile
            self.assertEqual(self.service.request("GET", "status", token="read").status, 200)
            self.assertEqual(self.service.request("POST", "orders", {"examples": [""]}).status, 422)
            self.check_problem(self.ready(), 503, "storage")  # what is refused says nothing of the disk
        answer = self.ask("a")  # the same key: nothing was remembered of what has not happened
        self.assertEqual(answer.status, 200, str(answer))
        self.assertNotIn("idempotency-replayed", answer.headers)
        self.assertEqual(self.ready().status, 200)
        self.assertEqual(self.service.stderr().splitlines()[1:], ["scant serve: the study 'clinic' can be written again"])
        self.assertEqual(self.known(), ["before", "a"])
        self.service.kill()
        self.service.start()
        self.assertEqual(self.known(), ["before", "a"])
        self.assertEqual(self.service.request("GET", "proof", token="manage").status, 200)

    def test_a_disk_that_has_room_again_is_noticed_while_nobody_writes(self):
        with self.full():
            self.check_problem(self.ask("a"), 503, "storage")
            self.service.clock.advance(TRY_EVERY)
            for _ in range(2):  # the writer tries behind the first of these, and stays refused
                self.assertEqual(self.service.request("GET", "status?risk=no", token="read").status, 200)
            self.check_problem(self.ready(), 503, "storage")
        for _ in range(2):
            self.assertEqual(self.service.request("GET", "status?risk=no", token="read").status, 200)
        self.check_problem(self.ready(), 503, "storage")  # it does not try yet
        self.service.clock.advance(TRY_EVERY)
        until(lambda: self.ready().status == 200, "it is not noticed")
        self.assertEqual(self.known(), ["before"])
        self.assertEqual(len(self.service.stderr().splitlines()), 2)
        self.assertEqual(self.service.request("GET", "proof", token="manage").status, 200)

    def test_another_program_holds_the_file(self):
        """One that knows nothing of the lock, such as a browser of databases."""
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        self.check_problem(self.ask("first"), 503, "busy")
        before = self.tries()
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(self.ask, (f"p{i}" for i in range(20))))
        for answer in answers:
            self.check_problem(answer, 503, "busy")
            self.assertIn("retry-after", answer.headers)
        self.assertIn(self.tries() - before, range(1, 11))  # they wait together, not one after the other
        self.assertEqual(self.service.request("GET", "status", token="read").status, 200)
        other.execute("ROLLBACK")
        other.close()
        self.assertEqual(self.ask("first").status, 200)
        self.assertEqual(self.known(), ["before", "first"])

    def test_an_erasure_while_another_program_reads(self):
        """Others can write meanwhile, and the bytes go when it has ended, though somebody always asks for something."""
        name = "Zebulon"
        self.assertEqual(self.ask(name).status, 200)
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM ledger").fetchone()
        self.assertEqual(self.ask("b").status, 200)
        answer = self.service.request("POST", f"examples/{name}/erase", {"reason": "asked"}, "manage", {"If-Match": "*"})
        self.assertEqual((answer.status, answer.json["unswept"]), (200, True), str(answer))
        self.assertEqual(self.ask("c").status, 200)
        self.assertIn(name.encode(), self.bytes())
        other.execute("ROLLBACK")
        other.close()
        for i in range(2):  # it has tried, and each try keeps all others waiting: the next one comes later
            self.assertEqual(self.ask(f"d{i}").status, 200)
        self.assertTrue(self.is_unswept())
        self.service.clock.advance(SWEEP_EVERY)
        until(lambda: not self.is_unswept(), "the bytes stay")
        self.assertNotIn(name.encode(), self.bytes())

    def is_unswept(self):
        return self.service.request("GET", "status?risk=no", token="read").json["unswept"]

    def bytes(self):
        """Of all files of the study."""
        found = b""
        for file in glob.glob(self.path + "*"):
            with open(file, "rb") as opened:
                found += opened.read()
        return found

    def test_what_is_answered_is_in_the_file_of_that_name(self):
        moved = self.path + ".moved"
        os.rename(self.path, moved)
        self.check_problem(self.ask("a"), 503, "storage", "clinic.study")
        os.rename(moved, self.path)  # it is back
        self.assertEqual(self.ask("a").status, 200)
        self.assertEqual(self.known(), ["before", "a"])

    def test_a_file_that_is_gone_or_another_one(self):
        copy = self.path + ".copy"
        shutil.copy(self.path, copy)
        os.unlink(self.path)
        self.check_problem(self.ask("a"), 503, "storage", "clinic.study")
        self.check_problem(self.service.request("POST", "examples/before/erase", {"reason": "x"}, "manage", {"If-Match": "*"}), 503,
                           "storage", "clinic.study")
        shutil.move(copy, self.path)
        self.check_problem(self.ask("a"), 503, "storage", "clinic.study")
        self.assertNotIn("clinic", self.check_problem(self.ready(), 503, "storage")["detail"])  # anybody may ask


if __name__ == "__main__":
    unittest.main()
