"""SIGINT and SIGTERM: a sentence, an exit code that tells which, and nothing left running."""
import ctypes
import json
import os
import pty
import signal
import subprocess
import unittest

from support import DIMENSION, K, LAB, SCANT, SECONDS, CommandTest, Table, environment

SIGNALS = ((signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated"))


def is_running(process):
    """A process that has ended may still wait for somebody who asks how."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class Interrupt(CommandTest):
    def start(self, *words):
        return self.start_program(SCANT, *words)

    def start_program(self, program, *words):
        return subprocess.Popen([program, *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def feed(self, process, name):
        """The other end of a pipe, as soon as the command reads it; fails if it ends before."""
        while process.poll() is None:
            try:
                return os.fdopen(os.open(self.path(name), os.O_WRONLY | os.O_NONBLOCK), "wb")
            except OSError:  # nobody reads it yet
                pass
        self.fail(process.communicate()[1])

    def check_end(self, process, number, code, word):
        process.send_signal(number)
        out, said = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, out), (code, ""), said)
        self.assertEqual(len(said.splitlines()[-1].split(": ")), 2)
        self.assertTrue(said.startswith("\nscant "), said)
        self.assertTrue(said.endswith(f": {word}\n"), said)

    def test_every_command_that_waits_for_its_data(self):
        self.write("data.csv", Table(30, DIMENSION).csv())
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json")
        os.mkfifo(self.path("pipe.csv"))
        before = self.files()
        for words in (["fit", "pipe.csv", *K, "-o", "out.json"], ["tune", "pipe.csv", "-k", "4", "-o", "out.json"],
                      ["predict", "model.json", "pipe.csv", "-o", "out.csv"], ["eval", "model.json", "pipe.csv"],
                      ["fit", "data.csv", *K, "--costs", "pipe.csv"], ["show", "pipe.csv"],
                      ["fit", "pipe.csv", "--algorithm", "full-ridge", "--radius", "1"],
                      ["curve", "pipe.csv", "-k", "4"]):
            for number, code, word in SIGNALS:
                with self.subTest(words=words, signal=number):
                    process = self.start(*words)
                    with self.feed(process, "pipe.csv"):
                        self.check_end(process, number, code, word)
                    self.assertEqual(self.files(), before)

    def test_a_folder_that_was_made_for_nothing_goes(self):
        self.write("data.csv", Table(2000, DIMENSION).csv())
        for number, code, word in SIGNALS:
            with self.subTest(signal=number):
                process = self.start("curve", "data.csv", "-k", "4", "--runs", "10000", "--out", "new")
                while not os.path.exists(self.path("new")) and process.poll() is None:
                    pass
                process.send_signal(number)
                said = process.communicate(timeout=SECONDS)[1]
                self.assertEqual(process.returncode, code, said)
                self.assertFalse(os.path.exists(self.path("new")))

    def test_a_peer_of_a_benchmark_does_not_outlive_it(self):
        self.write("peer", "echo somebody\nread question\nsleep 1000 &\necho $$ $! > running.tmp\n"
                           "mv running.tmp running\nwait\n")
        for number, code, word in SIGNALS:
            with self.subTest(signal=number):
                process = self.start_program(LAB, "bench", "--dimensions", "20", "--looks", "4", "--rounds", "1", "--size", "1", "--peer",
                                     "sh peer")
                while not os.path.exists(self.path("running")) and process.poll() is None:
                    pass
                peers = [int(word) for word in self.read("running").split()]
                self.assertTrue(all(map(is_running, peers)))
                process.send_signal(number)
                _, said = process.communicate(timeout=SECONDS)
                self.assertEqual(process.returncode, code, said)
                self.assertTrue(said.endswith(f"scant-lab bench: {word}\n"), said)
                while any(map(is_running, peers)):  # they are killed; the time limit is the test's
                    pass
                os.remove(self.path("running"))

    def test_a_signal_that_is_ignored_stays_ignored(self):
        """As by nohup, or in the background of a shell."""
        self.write("data.csv", Table(30, DIMENSION).csv())
        self.succeeds("fit", "data.csv", *K, "-q", "-o", "model.json")
        os.mkfifo(self.path("pipe.csv"))
        process = subprocess.Popen([SCANT, "predict", "model.json", "pipe.csv"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        with self.feed(process, "pipe.csv") as pipe:
            process.send_signal(signal.SIGINT)
            pipe.write(self.read("data.csv"))
        out, said = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, len(out.splitlines())), (0, 30), said)

    def test_an_ignored_signal_is_ignored_after_the_learning_too(self):
        self.write("wide.csv", Table(6, 8000).csv())
        os.mkfifo(self.path("out"))
        process = subprocess.Popen([SCANT, "fit", "wide.csv", "-k", "4", "-q", "-o", "out"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        with open(self.path("out"), "rb") as model:  # as soon as it is written; it does not fit into the pipe
            process.send_signal(signal.SIGINT)
            written = model.read()
        _, said = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 0, said)
        self.assertGreater(len(written), 1 << 17)

    def stop_while_it_writes(self, process):
        """Stops it at moments of its own choice until there is a temporary file; False if it ends before."""
        while True:
            process.send_signal(signal.SIGSTOP)
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                process.returncode = os.waitstatus_to_exitcode(status)
                return False
            if set(os.listdir(self.folder)) - {"c.json", "data.csv"}:
                return True
            process.send_signal(signal.SIGCONT)

    def test_no_signal_leaves_a_temporary_file(self):
        """Though it comes to threads of OpenBLAS while the main one writes: the first waits, the second ends it."""
        self.write("data.csv", Table(3000, DIMENSION).csv())
        for _ in range(5):
            process = subprocess.Popen([SCANT, "fit", "data.csv", *K, "-q", "--checkpoint", "c.json", "--every", "1"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=environment(OPENBLAS_NUM_THREADS="4"))
            while not os.path.exists(self.path("c.json")) and process.poll() is None:
                pass
            if self.stop_while_it_writes(process):
                for thread in os.listdir(f"/proc/{process.pid}/task"):
                    if int(thread) != process.pid:
                        ctypes.CDLL(None).tgkill(process.pid, int(thread), signal.SIGTERM)
                process.send_signal(signal.SIGTERM)
                process.send_signal(signal.SIGCONT)
                process.wait(timeout=SECONDS)
                self.assertIn(process.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM))
            self.assertEqual(sorted(os.listdir(self.folder)), ["c.json", "data.csv"])
            self.succeeds("show", "c.json")
            os.remove(self.path("c.json"))

    # ---- while it thinks --------------------------------------------------------------

    def thinking(self, number, marker, *words, before=None):
        """Runs on a terminal, with a signal as soon as the line says what it thinks about; (code, what was said)."""
        try:
            ours, theirs = pty.openpty()
        except OSError as reason:
            raise unittest.SkipTest(f"no terminal to be had here: {reason}") from None
        process = subprocess.Popen([SCANT, *words], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=theirs, preexec_fn=before)
        os.close(theirs)
        shown, sent = b"", False
        try:
            while part := os.read(ours, 4096):
                shown += part
                if marker in shown and not sent:
                    process.send_signal(number)
                    sent = True
        except OSError:  # the other side is closed
            pass
        os.close(ours)
        self.assertTrue(sent, shown)
        return process.wait(timeout=SECONDS), shown.decode().replace("\r\n", "\n")

    def cut_short(self, number, code, marker, *words):
        """Until a signal comes in time: a fit that was faster has ended as if there had been none."""
        for _ in range(50):
            got, shown = self.thinking(number, marker, *words)
            if got == code:
                return shown
            self.assertEqual(got, 0, shown)
            self.assertEqual(self.read("model.json"), self.read("whole.json"))
        return self.fail("no signal came in time")

    def test_the_model_is_kept_when_errors_are_told_to_stop(self):
        # one thread, so that groups come in order; auto is quick and needs more examples to be met at it
        for algorithm, examples, dimension in (("gaussian", 800, 60), ("auto", 20000, 16)):
            self.write("data.csv", Table(examples, dimension).csv())
            fit = ["fit", "data.csv", "-k", "12", "--algorithm", algorithm, "--threads", "1"]
            self.succeeds(*fit, "-q", "-o", "plain.json")
            self.succeeds(*fit, "-q", "--errors", "-o", "whole.json")
            for number, code, _ in SIGNALS:
                with self.subTest(signal=number, algorithm=algorithm):
                    marker = f"{algorithm}: errors, without group 1 of 20".encode()
                    shown = self.cut_short(number, code, marker, *fit, "--errors", "-o", "model.json")
                    self.assertIn("interrupted while errors were made: the model has none", shown.splitlines()[-1])
                    self.assertEqual(self.read("model.json"), self.read("plain.json"))

    def test_what_was_learned_is_kept_when_it_is_told_to_stop_thinking(self):
        self.write("data.csv", Table(800, 60).csv())
        fit = ["fit", "data.csv", "-k", "12", "--algorithm", "gaussian"]
        self.succeeds(*fit, "-q", "-o", "whole.json")
        for number, code, _ in SIGNALS:
            for kept in ([], ["--checkpoint", "c.json"]):
                with self.subTest(signal=number, kept=kept):
                    shown = self.cut_short(number, code, b"gaussian: weighing priors, 2 of 7", *fit, "-o", "model.json", *kept)
                    self.assertIn("stopping soon", shown)
                    self.assertIn("interrupted while it was thinking", shown.splitlines()[-1])
                    bought = [json.loads(self.read(name))["ledger"] for name in ("model.json", "whole.json")]
                    self.assertEqual(bought[0], bought[1])
                    self.assertNotEqual(self.read("model.json"), self.read("whole.json"))
                    scores = [self.succeeds("eval", name, "data.csv", "--json").json["squared_error"]
                              for name in ("model.json", "whole.json")]
                    self.assertLess(scores[0], 2 * scores[1])
                    if kept:
                        self.assertIn("--resume 'c.json' thinks to the end", shown)
                        self.succeeds("fit", "data.csv", "--resume", "c.json", "-q", "-o", "model.json")
                        self.assertEqual(self.read("model.json"), self.read("whole.json"))
                        os.remove(self.path("c.json"))
                    os.remove(self.path("model.json"))

    def test_an_ignored_signal_stops_no_thinking(self):
        self.write("data.csv", Table(800, 60).csv())
        fit = ["fit", "data.csv", "-k", "12", "--algorithm", "gaussian"]
        self.succeeds(*fit, "-q", "-o", "whole.json")
        for marker in (b"for its next looks: weighing priors, 2 of 7", b"gaussian: weighing priors, 2 of 7"):
            code, shown = self.thinking(signal.SIGINT, marker, *fit, "-o", "model.json",
                                        before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
            self.assertEqual(code, 0, shown)
            self.assertEqual(self.read("model.json"), self.read("whole.json"))

    def test_a_choice_of_looks_that_is_stopped_is_made_again(self):
        self.write("data.csv", Table(800, 60).csv())
        fit = ["fit", "data.csv", "-k", "12", "--algorithm", "gaussian"]
        self.succeeds(*fit, "-q", "-o", "whole.json")
        shown = self.cut_short(signal.SIGINT, 130, b"for its next looks: weighing priors, 2 of 7", *fit, "--checkpoint",
                               "c.json", "-o", "model.json")
        self.assertRegex(shown.splitlines()[-1], r"interrupted after [1-9]\d* examples; --resume 'c.json' goes on")
        self.assertNotIn("model.json", self.files())
        self.succeeds("predict", "c.json", "data.csv", "-o", "p.csv")
        self.succeeds("fit", "data.csv", "--resume", "c.json", "-q", "-o", "model.json")
        self.assertEqual(self.read("model.json"), self.read("whole.json"))

    # ---- links -------------------------------------------------------------------------

    def test_an_output_through_a_link_that_leads_to_nothing_yet(self):
        self.write("data.csv", Table(30, DIMENSION).csv())
        os.mkdir(self.path("kept"))
        os.symlink("kept/model.json", self.path("link.json"))
        for _ in range(2):  # it is there the second time
            self.succeeds("fit", "data.csv", *K, "-q", "-o", "link.json")
            self.assertTrue(os.path.islink(self.path("link.json")))
            self.assertEqual(os.readlink(self.path("link.json")), "kept/model.json")
            self.succeeds("show", "kept/model.json")
        os.symlink("none/model.json", self.path("nowhere.json"))
        os.symlink("circle.json", self.path("circle.json"))
        for name, word in (("nowhere.json", "there is no such folder"), ("circle.json", "its links lead in a circle")):
            result = self.run_command("fit", "data.csv", *K, "-q", "-o", name)
            self.check_refusal(result, 74, name, word)
            self.assertTrue(os.path.islink(self.path(name)))
