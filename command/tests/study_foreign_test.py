"""scant study: files of others, edited and damaged ones, several at once, and disks that fail."""
import errno
import fcntl
import os
import random
import sqlite3
import subprocess

from studies import FILE, StudyTest
from support import DATA, DONE, IO, NO_INPUT, OTHER, SCANT, Run, environment

BUSY = 75


class Foreign(StudyTest):
    def setUp(self):
        super().setUp()
        self.create("-k", "2", "--budget-cost", "900")
        self.go_on(range(4))
        self.ask("open")

    def refused_by_all(self, code, words, file=FILE, actions=("ask", "status")):
        before = sorted(os.listdir(self.folder)), self.read(file)
        for action in actions:
            result = self.run_command("study", action, file, *(["x"] if action == "ask" else []))
            self.check_refusal(result, code, *([words] if isinstance(words, str) else words))
        files = [n for n in sorted(os.listdir(self.folder)) if n not in (f"{file}-wal", f"{file}-shm")]
        self.assertEqual((files, self.read(file)), ([n for n in before[0] if n in files], before[1]))

    def test_files_that_are_no_studies(self):
        self.write("text", "hello\n")
        self.write("empty", "")
        self.edit("CREATE TABLE t(x)", file="other.db")
        for name in ("text", "empty", "other.db", "attributes.csv"):
            with self.subTest(name=name):
                self.refused_by_all(DATA, [f"'{name}'", "not a study"], name)
        for action in ("ask", "status"):
            self.refuses(NO_INPUT, "'none'", "study", action, "none", *(["x"] if action == "ask" else []))
        self.assertNotIn("none", os.listdir(self.folder))

    def test_triggers_views_and_other_tables(self):
        for statement, undo in (
                ("CREATE TRIGGER t AFTER INSERT ON ledger BEGIN DELETE FROM told; END", "DROP TRIGGER t"),
                ("CREATE VIEW v AS SELECT * FROM ledger", "DROP VIEW v"), ("CREATE TABLE mine(x)", "DROP TABLE mine")):
            with self.subTest(statement=statement):
                self.edit(statement)
                self.refused_by_all(DATA, ["triggers, views or tables"])
                self.edit(undo)
        self.verified()

    def test_another_schema(self):
        for version in (1, 3):
            self.edit(f"PRAGMA user_version = {version}")
            self.refused_by_all(DATA, [f"version {version}", "knows version 2"])

    def put_back(self, content):
        for end in ("-wal", "-shm"):
            if os.path.exists(self.path(FILE + end)):
                os.remove(self.path(FILE + end))
        self.write(FILE, content)

    def turn_key(self, table, key, other):
        """Makes the key of a row another one, as a flipped bit does: SQLite itself would not."""
        database = sqlite3.connect(self.path(FILE))
        root, = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        size, = database.execute("PRAGMA page_size").fetchone()
        database.close()
        data = bytearray(self.read(FILE))

        def cells(page):
            at = (page - 1) * size
            first = at + (8 if data[at] == 0x0d else 12)
            return [at + int.from_bytes(data[first + 2 * i:first + 2 * i + 2], "big")
                    for i in range(int.from_bytes(data[at + 3:at + 5], "big"))]

        leaf = data[(root - 1) * size] == 0x0d
        last = (root - 1) * size + 8  # the page behind the last cell
        pages = [root] if leaf else [int.from_bytes(data[at:at + 4], "big") for at in [*cells(root), last]]
        for at in (at for page in pages for at in cells(page)):
            while data[at] & 0x80:  # the length of the row
                at += 1
            if data[at + 1] == key:
                data[at + 1] = other
                self.write(FILE, bytes(data))
                return
        self.fail(f"{table} has no key {key} on its leaves")

    def test_keys_that_go_back_end_what_walks_by_them(self):
        good = self.read(FILE)
        for table, key, other, words, actions in (
                ("ledger", 7, 0, "the ledger is damaged: event 0 comes after event 6",
                 (["ledger"], ["status", "--plot", "risk.svg"])),
                ("orders", 4, 0, "the orders are damaged: order 0 comes after order 3",
                 (["predict"], ["export", "-o", "m"]))):
            self.turn_key(table, key, other)
            for action, *more in actions:
                with self.subTest(table=table, action=action):
                    result = self.run_command("study", action, FILE, *more)
                    self.assertEqual(result.code, DATA, result)
                    self.assertIn(words, result.err)
            if table == "orders":  # JSON is printed whole or not at all; the risk follows the ledger, which has an order 4
                self.refuses(DATA, "there is no order 4", "study", "status", FILE, "--json")
            self.put_back(good)
        self.verified()

    def test_an_edited_ledger_is_found_at_its_event(self):
        good = self.read(FILE)
        for statement, words in (
                ("UPDATE ledger SET spent = spent + 100 WHERE sequence = 3", "event 3"),
                ("UPDATE ledger SET at = '2020-01-01T00:00:00Z' WHERE sequence = 6", "event 6"),
                ("UPDATE ledger SET example = 'P7' WHERE sequence = 2", "event 2"),
                ("UPDATE told SET value = value + 1 WHERE sequence = 5 AND place = 0", "event 5"),
                ("UPDATE ledger SET by = 'me' WHERE sequence = 9", "event 9"),
                ("UPDATE ledger SET at = '2020-01-01T00:00:00Z' WHERE sequence = 1", "event 1 "),
                ("UPDATE setting SET value = '3' WHERE name = 'k'", ["setting", "value"]),
                ("UPDATE attribute SET cost = 0 WHERE place = 1", ["attribute", "cost"]),
                ("DELETE FROM told WHERE sequence = 7", "event 7"),
                ("UPDATE orders SET spent = spent + 1 WHERE number = 2", ["row 2", "orders", "spent"]),
                ("UPDATE line SET value = 1.25 WHERE number = 1 AND place = 0", ["row 1", "line", "value"]),
                ("UPDATE line SET price = 0 WHERE number = 5", ["line", "price"]),
                ("DELETE FROM orders WHERE number = 5", ["orders", "fewer rows"]),
                ("DELETE FROM ledger WHERE sequence = 4", "event 4")):
            with self.subTest(statement=statement):
                self.edit(statement)
                result = self.run_command("study", "verify", FILE)
                self.put_back(good)
                self.check_refusal(result, DATA, *([words] if isinstance(words, str) else words))
        self.verified()

    def test_replay_mends_what_follows_from_the_ledger(self):
        before = self.study("ledger", FILE).out, self.status()
        self.edit("UPDATE orders SET spent = 1, state = 1", "UPDATE line SET price = 7", "DELETE FROM snapshot")
        self.check_refusal(self.run_command("study", "verify", FILE), DATA, "orders")
        self.assertEqual(self.study("replay", FILE).out, "10 events replayed: orders, amounts and learner are made anew\n")
        self.assertEqual((self.study("ledger", FILE).out, self.status()), before)
        self.verified()

    def test_damaged_bytes_are_refused_or_found(self):
        good = self.read(FILE)
        draw = random.Random(5)
        for _ in range(40):
            bad = bytearray(good)
            at = draw.randrange(100, len(bad))
            bad[at:at + 8] = bytes(draw.randrange(256) for _ in range(8))
            self.put_back(bytes(bad))
            for words in (["verify", FILE], ["status", FILE], ["ask", FILE, "new"]):
                result = self.run_command("study", *words)  # never a crash
                self.assertIn(result.code, (DONE, OTHER, DATA, IO), str(result))

    def test_one_writer_at_a_time(self):
        before = self.study("ledger", FILE).out
        with open(self.path(FILE + "-lock"), "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.write("answers.csv", "example,age\nopen,50\n")
            for words in (["ask", FILE, "x"], ["tell", FILE, "open", "age=50"], ["tell", FILE, "--csv", "answers.csv"],
                          ["cancel", FILE, "open"], ["replay", FILE], ["import", FILE, "--csv", "answers.csv"],
                          ["correct", FILE, "P1", "age=50", "--reason", "r"]):
                self.check_refusal(self.run_command("study", *words), BUSY, FILE, "try again later, or with --wait (nothing was done)")
            self.assertEqual(self.study("ledger", FILE).out, before)  # reading goes on
            self.verified()
            self.study("backup", FILE, "copy")
        self.study("tell", FILE, "open", "age=50")

    def test_many_at_once_lose_nothing(self):
        names = [f"R{n}" for n in range(12)]
        running = {n: subprocess.Popen([SCANT, "study", "ask", FILE, n], cwd=self.folder, env=environment(),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE) for n in names}
        ended = {n: (p.communicate(), p.returncode) for n, p in running.items()}
        self.assertLessEqual({code for _, code in ended.values()}, {DONE, BUSY, OTHER})
        asked = {r["example"] for r in self.ledger() if r["kind"] == "ask"}
        self.assertEqual({n for n, (_, code) in ended.items() if code == DONE}, asked & set(names))
        self.verified()

    def test_a_file_that_is_read_only(self):
        os.chmod(self.path(FILE), 0o444)
        os.chmod(self.folder, 0o755)
        for end in ("-wal", "-shm", "-lock"):
            if os.path.exists(self.path(FILE + end)):
                os.remove(self.path(FILE + end))
        other = {"user": 65534} if os.getuid() == 0 else {}
        before = self.read(FILE)
        try:
            done = subprocess.run([SCANT, "study", "ask", FILE, "x"], cwd=self.folder, env=environment(),
                                  capture_output=True, text=True, **other)
        except PermissionError:
            self.skipTest("another user can't run the command")
        result = Run(["study", "ask", FILE, "x"], done.returncode, done.stdout, done.stderr)
        self.check_refusal(result, IO, FILE, "can't be written to")
        self.assertEqual(self.read(FILE), before)

    READERS = (["status"], ["status", "--json"], ["ledger"], ["verify"], ["predict", "age=50"])

    def read_by_all(self, **options):
        return [self.run_command("study", action, FILE, *more, **options) for action, *more in self.READERS]

    def leave_unclosed(self):
        """As it is when the power fails: the last event is in the log alone."""
        holder = sqlite3.connect(self.path(FILE))  # nobody puts the log into the file as long as another one reads
        holder.execute("BEGIN")
        holder.execute("SELECT count(*) FROM ledger").fetchone()
        self.ask("late")
        for end in ("", "-wal"):
            self.write(f"copy{end}", self.read(FILE + end))
        holder.close()
        for end in ("-wal", "-shm"):
            if os.path.exists(self.path(FILE + end)):
                os.remove(self.path(FILE + end))
        os.replace(self.path("copy"), self.path(FILE))
        os.replace(self.path("copy-wal"), self.path(f"{FILE}-wal"))
        self.assertTrue(self.read(f"{FILE}-wal"))

    def remove_index(self):
        if os.path.exists(self.path(f"{FILE}-shm")):
            os.remove(self.path(f"{FILE}-shm"))

    def test_readers_need_no_room(self):
        for unclosed in (False, True):
            with self.subTest(unclosed=unclosed):
                if unclosed:
                    self.leave_unclosed()
                self.remove_index()
                found = self.read_by_all(room=1)  # no file may have more than one byte
                wanted = self.read_by_all()
                for without, result in zip(found, wanted):
                    self.assertEqual((without.code, without.out), (DONE, result.out), without)
                self.assertEqual("late" in found[2].out, unclosed)

    def test_readers_on_a_disk_without_room(self):
        """The same on a disk that is full, and what a writer says there."""
        small = self.path("small")
        os.mkdir(small)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "scant", small], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        if mounted.returncode != 0:
            self.skipTest("a small disk can't be mounted here")
        try:
            self.leave_unclosed()
            for end in ("", "-wal"):
                self.write(f"small/{FILE}{end}", self.read(FILE + end))
            wanted = self.read_by_all()
            self.write(f"small/{FILE}-lock", "")
            with open(os.path.join(small, "rest"), "wb", buffering=0) as rest:
                try:
                    while True:
                        rest.write(bytes(4096))
                except OSError as full:
                    self.assertEqual(full.errno, errno.ENOSPC)
            for (action, *more), result in zip(self.READERS, wanted):
                found = self.run_command("study", action, f"small/{FILE}", *more)
                self.assertEqual((found.code, found.out.replace("small/", "")), (DONE, result.out), found)
            for words in (["ask", f"small/{FILE}", "x"], ["tell", f"small/{FILE}", "open", "age=50"],
                          ["create", "small/new", "--attributes", "attributes.csv", "-k", "2"],
                          ["backup", FILE, "small/backup"]):
                self.check_refusal(self.run_command("study", *words), IO, "the disk is full")
            os.remove(os.path.join(small, "rest"))
            self.verified(f"small/{FILE}")
        finally:
            subprocess.run(["umount", small], check=True)

    def test_a_full_disk(self):
        before = self.study("ledger", FILE).out
        result = self.run_command("study", "ask", FILE, "x", room=4096)
        self.check_refusal(result, IO)
        self.assertEqual(self.study("ledger", FILE).out, before)
        self.study("ask", FILE, "x")
        self.verified()
