"""A served study under the load of build/lab/serve_load (lab/bench/serve.c), and the check that every acknowledged step is there once.

lab/bench/serve and tests share it.
"""
import collections
import csv
import io
import json
import os
import re
import select
import signal
import subprocess
import time

FILE = "load.study"
SECONDS = 60  # a server that takes longer to begin or to end hangs


def catalogue(dimension):
    return "name,cost,low,high\n" + "".join(f"a{i},{1 + i % 3},-100,100\n" for i in range(dimension))


class Server:
    """`scant serve` of one study in a folder; it comes back at the same address."""

    def __init__(self, scant, folder, algorithm="auto", dimension=20, k=4, options=(), people=(("mia", "manage"), ("ole", "manage")),
                 environment=None):
        self.scant, self.folder, self.environment = os.path.abspath(scant), folder, environment
        self.port, self.process, self.errors = 0, None, os.path.join(folder, "errors.txt")
        with open(os.path.join(folder, "catalogue.csv"), "w") as file:
            file.write(catalogue(dimension))
        self.run("study", "create", FILE, "--attributes", "catalogue.csv", "--algorithm", algorithm, "-k", k, "--seed", 1, *options)
        self.tokens = {name: self.run("token", "add", "tokens.json", name, "--role", role).split()[-1] for name, role in people}
        self.token_file = os.path.join(folder, "tokens.txt")
        with open(self.token_file, "w") as file:
            file.write("".join(f"{token}\n" for token in self.tokens.values()))

    def run(self, *words):
        """What the command prints."""
        done = subprocess.run([self.scant, *map(str, words)], cwd=self.folder, capture_output=True, text=True, env=self.environment)
        if done.returncode:
            raise AssertionError(f"scant {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    @property
    def at(self):
        return f"127.0.0.1:{self.port}"

    def start(self):
        with open(self.errors, "ab") as errors:
            self.process = subprocess.Popen([self.scant, "serve", FILE, "--listen", self.at, "--tokens", "tokens.json"], cwd=self.folder,
                                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=self.environment)
        said, end = b"", time.monotonic() + SECONDS
        while not (found := re.search(rb"serving \S+ at http://127\.0\.0\.1:(\d+)/.*\n", said)):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            part = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not part:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"the server does not begin: {said!r}\n{self.said()}")
            said += part
        self.port = int(found.group(1))

    def said(self):
        with open(self.errors, errors="replace") as file:
            return file.read()

    def end(self, how):
        self.process.send_signal(how)
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server does not end\n{self.said()}") from None
        finally:
            self.process.stdout.close()

    def kill(self):
        self.end(signal.SIGKILL)

    def stop(self):
        code = self.end(signal.SIGTERM)
        if code:
            raise AssertionError(f"the server ended with exit code {code}\n{self.said()}")


class Load:
    """One run of serve_load against a server."""

    def __init__(self, program, server, *words):
        self.journal = os.path.join(server.folder, "journal.txt")
        self.process = subprocess.Popen([program, "--at", server.at, "--study", "load", "--tokens", server.token_file, "--journal",
                                         self.journal, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, stop=False, seconds=1000):
        """Its numbers."""
        if stop:
            self.process.terminate()
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise AssertionError("serve_load does not end") from None
        if self.process.returncode:
            raise AssertionError(f"serve_load: exit code {self.process.returncode}\n{out}{err[:5000]}")
        return json.loads(out)


# ---- what was acknowledged, and what is there ---------------------------------------------

def read_journal(path):
    """{(example, kind): [what it says]} of what was acknowledged, and of what may have been done."""
    sure, unsure = collections.defaultdict(list), collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            word, kind, example, *rest = line.split()
            if kind == "ask":
                what = (rest[0], tuple(rest[1:]))
            else:
                what = frozenset((name, float(value)) for name, value in (part.split("=") for part in rest))
            (sure if word == "ack" else unsure)[example, kind].append(what)
    return sure, unsure


def read_events(text):
    """The same of `study export --events`."""
    events = {}
    for row in csv.DictReader(io.StringIO(text)):
        event = events.setdefault(row["event"], {"kind": row["kind"], "example": row["example"], "order": row["order"], "rows": []})
        event["rows"].append(row)
    found = collections.defaultdict(list)
    for event in events.values():
        if event["kind"] == "ask":
            what = (event["order"], tuple(row["name"] for row in event["rows"]))
        else:
            what = frozenset((row["name"], float(row["value"])) for row in event["rows"] if row["name"] and row["value"])
        found[event["example"], event["kind"]].append(what)
    return found


def differences(sure, unsure, found):
    """What was acknowledged and is not there once, and what is there and nobody asked for."""
    for key in sorted(set(sure) | set(found)):
        if key[1] == "create":
            continue
        promised, there = list(sure.get(key, [])), list(found.get(key, []))
        for what in promised:
            if what not in there:
                yield f"{key}: {what} was acknowledged and is not there; there is {there}"
            else:
                there.remove(what)
        # of an ask without an answer nobody knows the number
        maybe = [what for what in unsure.get(key, [])]
        for what in there:
            match = next((m for m in maybe if key[1] == "ask" or m == what), None)
            if match is None:
                yield f"{key}: {what} is there and was not acknowledged, or is there twice"
            else:
                maybe.remove(match)


def check(server, journal):
    """Raises unless the study has every acknowledged step exactly once, and no other; the number of steps."""
    server.run("study", "export", FILE, "--events", "-o", "events.csv")
    with open(os.path.join(server.folder, "events.csv"), newline="") as file:
        found = read_events(file.read())
    sure, unsure = read_journal(journal)
    wrong = list(differences(sure, unsure, found))
    if wrong:
        raise AssertionError(f"{len(wrong)} steps are wrong:\n" + "\n".join(wrong[:20]))
    ledger = list(csv.DictReader(io.StringIO(server.run("study", "ledger", FILE))))
    steps, there = sum(map(len, sure.values())), sum(map(len, found.values()))
    if len(ledger) != there or not steps <= there - 1 <= steps + sum(map(len, unsure.values())):
        raise AssertionError(f"{steps} steps were acknowledged, and the ledger has {len(ledger)} events")
    people = collections.Counter((row["by"], row["via"]) for row in ledger if row["kind"] != "create")
    if set(people) - {(name, "service") for name in server.tokens}:
        raise AssertionError(f"others than those with tokens have written: {people}")
    proof = json.loads(server.run("study", "verify", FILE, "--json"))
    if not (proof["same_bits"] and proof["same_build"] and proof["events"] == len(ledger)):
        raise AssertionError(f"the proof does not go through: {proof}")
    return steps
