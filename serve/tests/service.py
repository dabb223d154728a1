"""What the tests of the service share: a server in a scratch folder, requests to it, and hostile bytes.  Standard
library only; the command is named by the environment variable SCANT."""
import contextlib
import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "command", "tests"))
from support import SANITIZERS, SCANT, CommandTest, environment, run  # noqa: E402,F401

CATALOGUE = """name,unit,cost,low,high,usual_low,usual_high,group,known
age,years,0,0,120,,,,yes
glucose,mmol/l,2,0,50,3,11,,
crp,mg/l,3,0,500,,,,
hba1c,%,4,2,20,4,9,,
scan,mm,25,0,100,,,,
"""

ROLES = ("read", "enter", "manage")


class Answer:
    """What came back: status, headers (by their names in small letters), and the body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.body)

    def __str__(self):
        return f"{self.status} {self.headers}\n{self.body[:600]!r}"


def read_answer(response):
    headers = {}
    for name, value in response.getheaders():
        headers[name.lower()] = value
    return Answer(response.status, headers, response.read())


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, path, timeout=60):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Service:
    """A server that listens at any free port.  tmp: a folder.  studies: how many; they are called study1, study2, ...
    in files of theirs, and one that stands alone is called clinic.  tokens: whether there is a file of tokens, with one
    token per role; else whoever has the link may sign in.  wrapper: words before the command, such as valgrind's.
    options: more words for the command.  create: more words for `study create`."""

    def __init__(self, tmp, studies=1, tokens=True, wrapper=None, options=(), create=("-k", "2"), catalogue=CATALOGUE,
                 start=True, env=None, names=None):
        self.folder = str(tmp)
        self.wrapper = list(wrapper or ())
        self.options = list(options)
        self.env = env or {}
        self.names = names or (["clinic"] if studies == 1 else [f"study{i + 1}" for i in range(studies)])
        self.files = [os.path.join(self.folder, f"{name}.study") for name in self.names]
        self.tokens, self.token_file = {}, None
        self.process = None
        self.links, self.lines = [], []
        self.make(catalogue, create)
        if tokens:
            self.token_file = os.path.join(self.folder, "tokens.json")
            for role in ROLES:
                self.add_token(role, role=role)
        if start:
            self.start()

    # ---- what it serves ----

    def make(self, catalogue, create):
        with open(os.path.join(self.folder, "attributes.csv"), "w") as file:
            file.write(catalogue)
        for path in self.files:
            if not os.path.exists(path):
                done = run("study", "create", path, "--attributes", os.path.join(self.folder, "attributes.csv"), *create)
                assert done.code == 0, str(done)

    def add_token(self, name, role, *options):
        """Makes a token for somebody; tokens[name] is it."""
        done = run("token", "add", self.token_file, name, "--role", role, *options)
        assert done.code == 0, str(done)
        self.tokens[name] = done.out.strip()
        return self.tokens[name]

    def revoke_token(self, name):
        done = run("token", "revoke", self.token_file, name)
        assert done.code == 0, str(done)

    # ---- starting and stopping ----

    def start(self, timeout=60):
        """Starts it, and waits until it says where it is."""
        where = [] if {"--listen", "--socket"} & set(self.options) else ["--listen", "127.0.0.1:0"]
        words = [*self.wrapper, SCANT, "serve", *self.files, *where, *self.options]
        if self.token_file:
            words += ["--tokens", self.token_file]
        self.errors = open(os.path.join(self.folder, "stderr.txt"), "ab")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors,
                                        env=environment(**self.env), bufsize=0)
        self.url = None
        self.pending = b""
        deadline = time.monotonic() + timeout
        wanted = len(self.files) + (0 if self.token_file else 1)
        self.lines, self.links = [], []
        while len(self.lines) < wanted:
            self.read_line(deadline)
        return self

    def read_line(self, deadline):
        """The next line that the server prints."""
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            ready = select.select([self.process.stdout], [], [], max(left, 0))[0]
            more = self.process.stdout.read(4096) if ready else b""
            if not more:
                raise AssertionError(f"the server said {self.lines} and no more: {self.stderr()}")
            self.pending += more
        line, self.pending = self.pending.split(b"\n", 1)
        line = line.decode()
        self.lines.append(line)
        if line.startswith("serving "):
            self.url = line.rpartition(" at ")[2]
        if line.startswith("sign in: "):
            self.links.append(line.partition(": ")[2])
        return line

    def new_link(self):
        """A new link to sign in by."""
        self.process.send_signal(signal.SIGUSR1)
        self.read_line(time.monotonic() + 30)
        return self.links[-1]

    def stop(self, timeout=60):
        """Ends it as systemd would; returns its exit code."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.wait(timeout)

    def kill(self):
        """Ends it as a power cut would."""
        if self.process and self.process.poll() is None:
            self.process.kill()
        return self.wait(60)

    def wait(self, timeout=60):
        if not self.process:
            return None
        code = self.process.wait(timeout)
        self.process.stdout.close()
        self.errors.close()
        self.process = None
        if SANITIZERS.search(self.stderr()):
            raise AssertionError(self.stderr())
        return code

    def stderr(self):
        with open(os.path.join(self.folder, "stderr.txt"), errors="replace") as file:
            return file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # ---- requests ----

    @property
    def address(self):
        """(host, port)"""
        parts = urllib.parse.urlsplit(self.url)
        return parts.hostname, parts.port

    @property
    def host(self):
        """What the header Host says."""
        return "localhost" if self.url.startswith("unix:") else urllib.parse.urlsplit(self.url).netloc

    @property
    def base(self):
        """The base path, without a / behind it."""
        return "" if self.url.startswith("unix:") else urllib.parse.urlsplit(self.url).path.rstrip("/")

    def connect(self, timeout=60):
        """A connection of its own."""
        if self.url.startswith("unix:"):
            return UnixConnection(self.url[len("unix:"):], timeout)
        return http.client.HTTPConnection(*self.address, timeout=timeout)

    def full_path(self, path):
        """Paths that begin with / are as they are; others are under BASE/api/v1/studies/NAME of the first study."""
        return path if path.startswith("/") else f"{self.base}/api/v1/studies/{self.names[0]}" + (path and "/" + path)

    def request(self, method, path, body=None, token="enter", headers=None, connection=None):
        """Sends a request and returns the answer.  body: what becomes JSON, or bytes as they are.  token: whose (a key of
        .tokens), or a token itself; None: none."""
        sent = dict(headers or {})
        if token is not None:
            sent.setdefault("Authorization", "Bearer " + self.tokens.get(token, token))
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        own = connection or self.connect()
        try:
            own.request(method, self.full_path(path), body, sent)
            return read_answer(own.getresponse())
        finally:
            if not connection:
                own.close()

    def raw(self, data=b"", timeout=60):
        """A connected socket on which these bytes were sent."""
        if self.url.startswith("unix:"):
            made = socket.socket(socket.AF_UNIX)
            made.settimeout(timeout)
            made.connect(self.url[len("unix:"):])
        else:
            made = socket.create_connection(self.address, timeout)
        with contextlib.suppress(OSError):
            made.sendall(data)
        return made

    def exchange(self, data, timeout=60):
        """Sends bytes and returns everything that comes back until the server closes."""
        with self.raw(data, timeout) as made:
            with contextlib.suppress(OSError):
                made.shutdown(socket.SHUT_WR)
            return read_all(made)


def read_all(made):
    """Everything until the other side closes."""
    got = b""
    with contextlib.suppress(ConnectionError):
        while True:
            more = made.recv(65536)
            if not more:
                break
            got += more
    return got


def status_of(data):
    """The status in the first line of an answer; None: there is no answer."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", data)
    return int(found.group(1)) if found else None


class Browser:
    """What a page does: it keeps the cookie and sends the CSRF token."""

    def __init__(self, service):
        self.service, self.cookie, self.csrf = service, None, None

    def sign_in(self, **fields):
        answer = self.request("POST", f"{self.service.base}/api/v1/session", fields)
        if answer.status == 200:
            self.csrf = answer.json["csrf"]
        return answer

    def request(self, method, path, body=None, headers=None):
        sent = dict(headers or {})
        if self.cookie:
            sent.setdefault("Cookie", self.cookie)
        if self.csrf:
            sent.setdefault("X-CSRF-Token", self.csrf)
        answer = self.service.request(method, path, body, None, sent)
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer


class ServiceTest(CommandTest):
    """A test with a folder of its own, and servers that end with it."""

    def serve(self, **options):
        service = Service(self.folder, **options)
        self.addCleanup(service.stop)
        return service

    def check_problem(self, answer, status, code, *words):
        self.assertEqual(answer.status, status, str(answer))
        self.assertEqual(answer.headers.get("content-type"), "application/problem+json", str(answer))
        problem = answer.json
        self.assertEqual(problem["status"], status, str(answer))
        self.assertEqual(problem["code"], code, str(answer))
        for word in words:
            self.assertIn(word, problem["detail"], str(answer))
        return problem
