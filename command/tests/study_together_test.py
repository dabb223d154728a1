"""scant study: several at once with --wait, and what the planner says of a study."""
import fcntl
import csv
import json
import os
import re
import signal
import struct
import subprocess

from studies import FILE, StudyTest
from support import DONE, SCANT, USAGE, environment
from until import until

BUSY = 75


class Together(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2")
        self.go_on(range(3))
        self.ask("open")

    def lock(self):
        """As if another one were writing, until it is closed."""
        lock = open(self.path(FILE + "-lock"), "r+b")
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock

    def start(self, *words):
        return subprocess.Popen([SCANT, "study", *words], cwd=self.folder, env=environment(), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def tickets(self):
        """How many have waited."""
        try:
            with open(self.path(FILE + "-queue"), "rb") as file:
                return int.from_bytes(file.read(8), "little")
        except FileNotFoundError:
            return 0

    def start_waiting(self, *words):
        before = self.tickets()
        process = self.start(*words, "--wait", "250")
        until(lambda: self.tickets() != before or process.poll() is not None, "it does not wait")
        self.assertIsNone(process.poll())
        return process

    def check_waited(self, said):
        """For as long as it was told to, and who knows how much longer."""
        self.assertGreaterEqual(float(re.search(r"waited ([0-9.e+]+) seconds", said)[1]), 0.01, said)

    def test_every_action_that_writes_waits(self):
        before = self.study("ledger", FILE).out
        self.write("answers.csv", "example,age\nopen,50\n")
        with self.lock():
            for words in (["ask", FILE, "x"], ["tell", FILE, "open", "age=50"], ["tell", FILE, "--csv", "answers.csv"],
                          ["cancel", FILE, "open"], ["replay", FILE], ["import", FILE, "--csv", "answers.csv"],
                          ["correct", FILE, "P1", "age=50", "--reason", "r"]):
                result = self.run_command("study", *words, "--wait", "0.01")
                self.check_waited(self.check_refusal(result, BUSY, FILE, "seconds; try again later (nothing was done)"))
            self.assertEqual(self.study("ledger", FILE).out, before)
        self.study("tell", FILE, "open", "age=50", "--wait", "9")  # nobody writes: it does not wait
        self.verified()

    def test_a_study_that_is_served(self):
        address = "http://127.0.0.1:8765/"
        self.assertIsNone(self.status()["served_at"])
        with self.lock() as lock:
            lock.write(address.encode())
            lock.flush()
            mark = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 1 << 62, 1, 0)  # as study/store/lock.c has it
            fcntl.fcntl(lock, fcntl.F_OFD_SETLK, mark)
            for words in (["ask", FILE, "x"], ["tell", FILE, "open", "age=50"], ["cancel", FILE, "open"],
                          ["replay", FILE]):
                result = self.run_command("study", *words)
                self.assertEqual(result.code, BUSY)
                self.assertEqual(result.err, f"scant study: '{FILE}' is being served at {address}: use that address, or end "
                                             "the service\n")
            self.check_waited(self.check_refusal(self.run_command("study", "ask", FILE, "x", "--wait", "0.01"), BUSY,
                                                 f"served at {address}"))
            self.assertEqual(self.status()["served_at"], address)
            self.assertIn(f"\nservice      at {address}: whoever writes goes there\n", self.study("status", FILE).out)
        self.assertIsNone(self.status()["served_at"])  # what a service left that was killed
        self.assertNotIn("service", self.study("status", FILE).out)
        self.ask("x")
        with open(self.path(FILE + "-lock"), "rb") as file:
            self.assertEqual(file.read(), b"")
        self.verified()

    def test_those_that_read_do_not_wait(self):
        for words in (["status", FILE], ["ledger", FILE], ["verify", FILE], ["backup", FILE, "copy"]):
            self.refuses(USAGE, "does not use --wait", "study", *words, "--wait", "3")
        for wrong in ("-1", "nan", "soon", "inf"):
            self.refuses(USAGE, "wait", "study", "ask", FILE, "x", f"--wait={wrong}")

    def test_who_came_first_is_served_first(self):
        names = [f"Q{n}" for n in range(6)]
        with self.lock():
            waiting = [self.start_waiting("ask", FILE, name) for name in names]
            waiting[2].kill()
            waiting[2].communicate()
        for n, process in enumerate(waiting):
            out, err = process.communicate()
            self.assertEqual(process.returncode, -signal.SIGKILL if n == 2 else DONE, err)
        asked = [r["example"] for r in self.ledger() if r["kind"] == "ask"]
        self.assertEqual(asked[-5:], names[:2] + names[3:])
        self.verified()

    def test_a_signal_ends_the_waiting(self):
        with self.lock():
            for number, word in ((signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")):
                process = self.start_waiting("ask", FILE, "never")
                process.send_signal(number)
                out, err = process.communicate()
                self.assertEqual((process.returncode, out), (128 + number, ""))
                self.assertIn(word, err)
        self.assertNotIn("never", self.study("ledger", FILE).out)

    def test_many_at_once(self):
        """Eight processes, each with steps of its own: nobody fails, nothing is lost."""
        loop = f'for i in 1 2 3 4 5; do "{SCANT}" study ask {FILE} "$0-$i" --wait 250 || exit 1; done'
        running = [subprocess.Popen(["sh", "-c", loop, f"R{n}"], cwd=self.folder, env=environment(),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for n in range(8)]
        for process in running:
            _, err = process.communicate()
            self.assertEqual((process.returncode, err), (DONE, ""))
        asked = [r["example"] for r in self.ledger() if r["kind"] == "ask" and r["example"].startswith("R")]
        self.assertEqual(sorted(asked), sorted(f"R{n}-{i}" for n in range(8) for i in range(1, 6)))
        self.verified()

    def test_the_queue_is_no_output(self):
        self.refuses(USAGE, "overwritten", "study", "export", FILE, "-o", FILE + "-queue")


class Planned(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2")
        self.go_on(range(25))

    def test_study_plan_is_plan(self):
        options = ("--reach", "3", "-k", "2,4", "--runs", "2", "-q")
        plain = self.succeeds("plan", FILE, *options)
        self.assertEqual(self.study("plan", FILE, *options).out, plain.out)
        self.assertIn("pilot: 25 examples", plain.out)
        self.assertEqual(self.study("plan", "--help").out, self.succeeds("help", "plan").out)
        self.refuses(USAGE, "give --budget", "study", "plan", FILE)
        self.refuses(USAGE, "write the options behind 'scant study plan': see 'scant help plan'", "study", "--wait", "3", "plan", FILE)
        self.assertRegex(self.succeeds("help", "study").out, "\n  plan +say which K to take")

    def test_what_is_retired_is_not_planned_with(self):
        """The plan is that of a table without these columns, at the same prices; the first of a group is one of them."""
        for name in "scan", "cholesterol":
            self.study("amend", FILE, name, "retired=yes", "--reason", "gone")
        left = ["age", "glucose", "hdl", "triglycerides"]
        self.study("export", FILE, "--csv", "-o", "table.csv")
        with open(self.path("table.csv"), newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        target = self.ask("next")["target"]
        self.write("pilot.csv", "".join(",".join(cells) + "\n" for cells in
                                        [[*left, target], *([row[n] for n in [*left, target]] for row in rows)]))
        self.write("costs.csv", "attribute,cost,group\nage,0,\nglucose,3.5,\nhdl,4,lipids\ntriglycerides,2,lipids\n")
        options = ("--reach", "3", "-k", "2", "--runs", "2", "-q", "--json", "--budget-cost", "300")
        plans = [self.succeeds("plan", *pilot, *options).json
                 for pilot in ([FILE], ["pilot.csv", "--costs", "costs.csv", "--target", target])]
        for plan in plans:
            plan.pop("seconds")
        self.assertEqual(*plans)

    def test_until_error(self):
        words = ("plan", FILE, "--reach", "3", "-k", "2", "--algorithm", "auto", "-q", "--json")
        plan = json.loads(self.succeeds(*words).out)
        reach = plan["entries"][0]["reach"]
        told = json.loads(self.study("status", FILE, "--until-error", "3", "--json").out)
        entry = told["until_error"]
        self.assertEqual((entry["error"], entry["learned"], entry["k"], entry["runs"]), (3, 25, 2, 10))
        self.assertEqual(entry["reached"], reach["runs"])
        if reach["examples"] is None:
            self.assertEqual((entry["examples"], entry["more"]), (None, None))
        else:
            self.assertEqual(entry["examples"], -(-reach["examples"] // 1))
            self.assertEqual(entry["more"], max(0, entry["examples"] - 25))
        words = self.study("status", FILE, "--until-error", "3").out
        self.assertIn("to error 3   ", words)
        self.assertIn(f"{entry['reached']} of 10 simulated studies come to it", words)
        self.assertNotIn("until_error", self.study("status", FILE, "--json").out)

    def test_until_error_refuses(self):
        before = self.study("ledger", FILE).out
        for wrong in ("0", "-1", "nan", "little"):
            self.refuses(USAGE, "until-error", "study", "status", FILE, f"--until-error={wrong}")
        self.refuses(USAGE, "does not use --until-error", "study", "verify", FILE, "--until-error", "1")
        result = self.run_command("study", "status", FILE, "--until-error", "100")
        self.assertNotEqual(result.code, DONE)
        self.assertIn("takes no attribute", result.err)
        self.assertEqual(result.out, "")
        self.create("-k", "2", file="new.study")
        self.assertIn("no example", self.run_command("study", "status", "new.study", "--until-error", "1").err)
        self.assertEqual(self.study("ledger", FILE).out, before)
