"""A clinic with a service: a study in a scratch folder, tokens, and `scant serve` on a port of its own."""

import json
import pathlib
import re
import select
import socket
import subprocess
import time

ATTRIBUTES = """name,unit,cost,low,high,usual_low,usual_high,group,known
age,years,,0,120,18,100,,yes
glucose,mmol/l,3.50,0,60,3,20,,
cholesterol,mmol/l,4,0,30,2,12,lipids,
hdl,mmol/l,4,0,10,0.4,4,lipids,
triglycerides,mmol/l,2,0,50,0.3,10,lipids,
"""
# K = 2 of two items: every order asks for everything, so that the tests know which boxes there are.
NAMES = ["age", "glucose", "cholesterol", "hdl", "triglycerides"]
PAST = """age,glucose,cholesterol,hdl,triglycerides,score
45,5.0,6.6,1.3,1.8,11.3
48,6.2,5.9,1.1,2.6,9.6
36,5.4,7.3,1.8,2.0,9.1
40,5.5,6.4,1.3,0.7,9.3
68,5.0,5.8,1.5,1.2,10.3
65,5.7,5.1,1.3,2.8,10.4
42,4.3,5.8,1.6,2.0,7.7
32,6.7,5.7,1.8,1.9,8.0
39,6.3,5.2,1.2,1.1,9.2
52,4.3,5.7,1.3,1.6,7.7
75,5.8,6.7,1.4,1.6,12.0
59,6.6,5.3,2.1,2.7,10.8
50,6.5,5.3,1.9,1.7,7.7
69,5.1,4.9,0.9,1.0,10.9
68,6.6,5.0,1.5,1.9,13.5
53,7.0,6.1,1.2,2.2,12.3
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Clinic:
    """People: anna manages, ben and dora enter, carla reads."""

    people = {"anna": "manage", "ben": "enter", "dora": "enter", "carla": "read"}

    def __init__(self, scant, folder, second=False, past=False, base=""):
        self.scant, self.folder, self.base = scant, pathlib.Path(folder), base
        self.folder.mkdir(parents=True)
        self.study, self.port, self.process = self.folder / "clinic.study", free_port(), None
        (self.folder / "attributes.csv").write_text(ATTRIBUTES)
        more = ["--second-entry"] if second else []
        self.run("study", "create", self.study, "--attributes", self.folder / "attributes.csv", "-k", "2",
                 "--budget-cost", "900", "--target", "score", "--by", "anna", *more)
        if past:
            (self.folder / "past.csv").write_text(PAST)
            self.run("study", "import", self.study, "--csv", self.folder / "past.csv", "--by", "anna")
        self.tokens = {name: self.add_token(name) for name in self.people}

    def create_plain(self, name):
        """Another study, where nothing has a price."""
        (self.folder / "plain.csv").write_text("name,unit\nheight,cm\nweight,kg\nwaist,cm\n")
        path = self.folder / name
        self.run("study", "create", path, "--attributes", self.folder / "plain.csv", "-k", "2", "--budget", "50", "--by", "anna")
        return path

    def run(self, *words):
        done = subprocess.run([self.scant, *map(str, words)], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"{words}: {done.stderr}")
        return done.stdout

    def add_token(self, name, *more):
        shown = self.run("token", "add", self.folder / "tokens.json", name, "--role", self.people[name], *more)
        return re.search(r"scant_[\w-]{43}", shown)[0]

    def revoke(self, name):
        self.run("token", "revoke", self.folder / "tokens.json", name)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}{self.base}/"

    def start(self, *others):
        """`others` are more studies."""
        self.begin(*others, "--tokens", self.folder / "tokens.json", *(["--base-path", self.base] if self.base else []))
        return self

    def start_alone(self):
        """Without tokens; the link to sign in."""
        line = self.begin()
        while b"#code=" not in line:
            line = self.process.stdout.readline()
            assert line, "no link was printed"
        return line.decode().split("sign in: ")[1].strip()

    def begin(self, *more):
        """The first line that the service prints."""
        words = ["serve", self.study, "--listen", f"127.0.0.1:{self.port}", *more]
        with open(self.folder / "serve.log", "ab") as log:
            self.process = subprocess.Popen([self.scant, *map(str, words)], stdout=subprocess.PIPE, stderr=log)
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            raise RuntimeError("the service does not begin: " + (self.folder / "serve.log").read_text())
        return line

    def stop(self):
        if self.process:
            self.process.terminate()
            code = self.process.wait(60)
            self.process.stdout.close()
            self.process = None
            assert code == 0, f"the service ended with {code}: " + (self.folder / "serve.log").read_text()

    def ask(self, *names, by="anna"):
        """Orders before the service begins."""
        self.run("study", "ask", self.study, *names, "--by", by)

    def tell(self, example, *values, by="ben"):
        self.run("study", "tell", self.study, example, *values, "--by", by)

    def history(self, example):
        """[(kind, by, values)] of an example, from the ledger in the file."""
        found = json.loads(self.run("study", "show", self.study, example, "--json"))["examples"][0]
        return [(e["kind"], e["by"], {v["name"]: v["value"] for v in e["values"]}) for e in found["history"]]

    def wait_for_history(self, example, wanted, seconds=30):
        """Until something is in the ledger: a deadline, no moment, decides."""
        end = time.monotonic() + seconds
        while not any(wanted(event) for event in self.history(example)):
            if time.monotonic() > end:
                raise AssertionError(f"{example}: {self.history(example)}")
            time.sleep(0.1)
