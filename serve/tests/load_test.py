"""Many clients at once, over connections that break: every acknowledged step is there exactly once.

SCANT_SERVE_SECONDS says how long (2); with 60 or more there are 200 clients, and auto must take 500 durable writes per second.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

import loaded

SECONDS = int(os.environ.get("SCANT_SERVE_SECONDS", "2"))
WHOLE = SECONDS >= 60
LEAST = 500


class LoadTest(unittest.TestCase):
    def run_load(self, algorithm):
        folder = tempfile.mkdtemp(prefix="scant-test-")
        self.addCleanup(shutil.rmtree, folder)
        server = loaded.Server(os.environ["SCANT"], folder, algorithm)
        server.start()
        try:
            load = loaded.Load(os.environ["SCANT_SERVE_LOAD"], server, "--clients", 200 if WHOLE else 40, "--seconds", SECONDS)
            found = load.end(seconds=SECONDS + 100)
        finally:
            server.stop()
        steps = loaded.check(server, load.journal)
        self.assertEqual(steps, found["writes"])
        for word in ("doubled", "replayed", "cut"):
            self.assertGreater(found[word], 0, f"nothing was {word}")
        self.assertEqual(found["lost"], 0, "the server ended connections before their answers")
        print(f"# {algorithm}: {found['clients']} clients, {found['seconds']:.0f} s: {found['requests_per_second']} requests and "
              f"{found['writes_per_second']} durable writes per second; write p50 {found['write_p50']:.1f} ms, "
              f"p99 {found['write_p99']:.1f} ms; {found['doubled']} sent twice, {found['cut']} cut, {steps} steps acknowledged")
        return found

    def test_auto_takes_every_step_once(self):
        found = self.run_load("auto")
        if WHOLE:
            self.assertGreaterEqual(found["writes_per_second"], LEAST)

    def test_gaussian_takes_every_step_once(self):
        self.run_load("gaussian")


class ProgramTest(unittest.TestCase):
    """What finds the faults can find them."""

    def check(self, journal, events):
        folder = tempfile.mkdtemp(prefix="scant-test-")
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "journal")
        with open(path, "w") as file:
            file.write(journal)
        head = "event,kind,example,order,name,value\n1,create,,,,\n"
        return list(loaded.differences(*loaded.read_journal(path), loaded.read_events(head + events)))

    JOURNAL = "ack ask p 1 a b\nack tell p a=1.5 b=2\nack cancel p\nack reopen p\nack tell p y=3\nunsure ask q 0\nunsure tell r y=1\n"
    EVENTS = ("2,ask,p,1,a,\n2,ask,p,1,b,\n3,tell,p,1,a,1.5\n3,tell,p,1,b,2\n4,cancel,p,1,,\n5,reopen,p,1,,\n6,tell,p,1,y,3\n")

    def test_what_is_as_acknowledged_passes(self):
        self.assertEqual(self.check(self.JOURNAL, self.EVENTS), [])
        self.assertEqual(self.check(self.JOURNAL, self.EVENTS + "7,ask,q,2,b,\n8,tell,r,3,y,1\n"), [])

    def test_what_is_lost_or_doubled_or_other_is_found(self):
        events = self.EVENTS.splitlines(keepends=True)
        for gone in (events[0:2], events[2:4], events[4:5], events[5:6], events[6:7]):
            self.assertTrue(self.check(self.JOURNAL, "".join(line for line in events if line not in gone)), gone)
            again = "".join(f"9{line}" for line in gone)
            self.assertTrue(self.check(self.JOURNAL, self.EVENTS + again), again)
        self.assertTrue(self.check(self.JOURNAL, self.EVENTS.replace("a,1.5", "a,1.6")))
        self.assertTrue(self.check(self.JOURNAL, self.EVENTS.replace("2,ask,p,1", "2,ask,p,2")))
        self.assertTrue(self.check(self.JOURNAL, self.EVENTS.replace("2,ask,p,1,b", "2,ask,p,1,c")))
        self.assertTrue(self.check(self.JOURNAL, self.EVENTS + "7,tell,r,3,y,2\n"))
        self.assertTrue(self.check(self.JOURNAL, self.EVENTS + "7,ask,q,2,b,\n8,ask,q,3,b,\n"))
        self.assertTrue(self.check(self.JOURNAL, self.EVENTS + "7,ask,z,2,b,\n"))

    def test_the_clients_talk_to_this_machine_alone(self):
        folder = tempfile.mkdtemp(prefix="scant-test-")
        self.addCleanup(shutil.rmtree, folder)
        tokens = os.path.join(folder, "tokens")
        with open(tokens, "w") as file:
            file.write("x\n")
        for at in ("192.0.2.1:80", "128.0.0.1:80", "[2001:db8::1]:80", "localhost:80", "0.0.0.0:80", "127.0.0.1", "127.0.0.1:0"):
            done = subprocess.run([os.environ["SCANT_SERVE_LOAD"], "--at", at, "--tokens", tokens, "--seconds", "1"], capture_output=True,
                                  text=True, timeout=30)
            self.assertEqual((done.returncode, done.stdout), (1, ""), at)
            self.assertIn(at, done.stderr)


if __name__ == "__main__":
    unittest.main()
