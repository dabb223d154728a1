"""A service that fails on demand: it speaks enough of the interface for what a real one does not do when asked to."""

import contextlib
import http.server
import json
import re
import socket
import socketserver
import threading
import urllib.parse

TOKEN = "scant_" + "T" * 43
NAMES = ("age", "glucose")


def attribute(name):
    empty = dict.fromkeys(("unit", "low", "high", "usual_low", "usual_high", "group"))
    return {"name": name, "cost": 1.5, "known": False, "retired": False, **empty}


class Pretended:
    """What the service holds.  ``faults`` are taken from its front, one for each request that ``faulty`` matches."""

    def __init__(self):
        self.lock = threading.RLock()
        self.events = 0
        self.values = {}  # example -> name -> value
        self.etags = {}  # example -> number of its last event
        self.answered = {}  # key -> body, status, answer and etag
        self.requests = []  # method, path, headers and body of each
        self.done = []  # what was done, each once
        self.faults = []
        self.faulty = "^POST"
        self.released = threading.Event()
        self.studies = ["clinic"]
        self.terms = 1

    def order(self, example):
        lines = [
            {
                **{"name": name, "unit": None, "group": None, "known": False, "price": 1.50},
                **{"state": "told" if name in self.values[example] else "ordered", "probability": 0.5, "note": None},
                **{"value": self.values[example].get(name), "second": None, "second_value": None, "second_note": None},
            }
            for name in NAMES
        ]
        return {
            **{"order": list(self.values).index(example) + 1, "example": example, "state": "issued", "lines": lines},
            **{"asked_at": "2026-11-15T09:30:00Z", "asked_by": "ann", "learned_since": 0, "price": 3.00, "spent": 0.00},
            **{"y": None, "second": None, "second_y": None, "second_needed": False, "extras": [], "reason": None},
            "etag": f'"e{self.etags[example]}"',
        }

    def step(self, example, what):
        """An event."""
        self.events += 1
        self.etags[example] = self.events
        self.done.append(what)

    def look(self, path, query):
        if path == "/studies":
            return 200, {"items": [{"name": name} for name in self.studies], "next": None}, None
        if path == "/studies/clinic":
            settings = {
                "algorithm": "auto",
                "k": 2,
                "spend": 0,
                "budget": 0,
                "budget_cost": 0,
                "max_open": 9,
                "seed": 1,
            }
            return (
                200,
                {
                    **{"name": "clinic", "target": "y", "settings": settings, "missing_reasons": ["lost"]},
                    **{"second_entry": False, "priced": True, "attributes": [attribute(name) for name in NAMES]},
                    **{"terms_etag": f'"t{self.terms}"', "events": self.events},
                },
                f'"t{self.terms}"',
            )
        if path == "/studies/clinic/orders":
            after, limit = int(query.get("after", 0)), min(2, int(query.get("limit", 100)))
            rows = list(self.values)[after : after + limit]
            more = after + limit < len(self.values)
            return 200, {"items": [self.order(row) for row in rows], "next": str(after + limit) if more else None}, None
        found = re.fullmatch("/studies/clinic/examples/([^/]+)", path)
        example = urllib.parse.unquote(found[1]) if found else None
        if example in self.values:
            data = {"example": example, "orders": [self.order(example)], "imported": None, "history": []}
            return 200, data, f'"e{self.etags[example]}"'
        detail = f"nothing is known of example '{example}'"
        return 404, {"code": "unknown" if found else "path", "detail": detail, "status": 404}, None

    def act(self, path, body, match):
        if path == "/studies/clinic/orders":
            for example in body["examples"]:
                if example not in self.values:
                    self.values[example] = {}
                    self.step(example, ("ask", example))
            return 200, {"orders": [self.order(example) for example in body["examples"]]}, None
        if path == "/studies/clinic/imports":
            for row in body["rows"]:
                if row["answers"].get("age") == 666:
                    return 422, {"code": "data", "detail": f"'age' of example '{row['example']}' is 666"}, None
            self.done += [("import", row["example"]) for row in body["rows"]]
            return 200, {"learned": len(body["rows"])}, None
        if path == "/studies/clinic/amendments":
            if match != f'"t{self.terms}"':
                return 412, {"code": "changed", "detail": "the study was amended"}, None
            self.terms += not body["trial"]
            self.done.append(("amend", body))
            return 200, {"change": {}, "words": "glucose costs more"}, None
        example, act = re.fullmatch("/studies/clinic/examples/([^/]+)/([a-z]+)", path).groups()
        example = urllib.parse.unquote(example)
        etag = f'"e{self.etags[example]}"'
        if match is None and act in ("correction", "end", "reopen", "erase"):
            return 428, {"code": "precondition_required", "detail": "say which it was"}, None
        if match not in (None, etag):
            return 412, {"code": "changed", "detail": "it was changed"}, None
        self.values[example].update(body.get("answers", {}))
        self.step(example, (act, example, body))
        return 200, self.order(example), f'"e{self.etags[example]}"'


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def address_string(self):
        return "here"

    def do_GET(self):
        self.serve()

    def do_POST(self):
        self.serve()

    def serve(self):
        own = self.server.own
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urllib.parse.urlsplit(self.path)
        with own.lock:
            own.requests.append((self.command, self.path, dict(self.headers.items()), body))
            faulty = re.search(own.faulty, f"{self.command} {parts.path}") and own.faults
            fault = own.faults.pop(0) if faulty else None
            if callable(fault):
                fault()
            if fault == "cut before":
                return self.cut()
            if isinstance(fault, tuple):
                return self.answer(*fault)
            answer = self.do(own, parts, body)
        if fault == "cut after":
            return self.cut()
        if fault == "half":
            text = json.dumps(answer[1]).encode()
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + text[: len(text) // 2])
            return self.cut()
        if fault == "slow":
            own.released.wait()
            return self.cut()
        if fault == "close":  # as a service closes a connection that is idle: after the answer, and silently
            self.close_connection = True
        self.answer(*answer)

    def do(self, own, parts, body):
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, {"code": "token", "detail": "there is no such token", "status": 401}, {}
        path = parts.path.split("/api/v1", 1)[1]
        if self.command == "GET":
            status, data, etag = own.look(path, dict(urllib.parse.parse_qsl(parts.query)))
            if etag and etag == self.headers.get("If-None-Match"):
                return 304, None, {"ETag": etag}
            return status, data, {"ETag": etag} if etag else {}
        key = self.headers["Idempotency-Key"]
        if key in own.answered:
            said, status, data, etag = own.answered[key]
            if said != body:
                return 422, {"code": "key_reused", "detail": "the key was used before"}, {}
            return status, data, {"ETag": etag, "Idempotency-Replayed": "true"}
        status, data, etag = own.act(path, json.loads(body), self.headers.get("If-Match"))
        if status == 200:
            own.answered[key] = body, status, data, etag
        return status, data, {"ETag": etag} if etag else {}

    def answer(self, status, data, headers=None):
        text = b"" if data is None else data if isinstance(data, bytes) else json.dumps(data).encode()
        self.send_response(status)
        kinds = "application/json" if status < 400 else "application/problem+json"
        for name, value in {"Content-Type": kinds, "X-Request-Id": "r1", **(headers or {})}.items():
            if value is not None:
                self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def cut(self):
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_):
        pass  # the client went away


class _UnixHandler(_Handler):
    disable_nagle_algorithm = False  # which is of TCP


class _UnixServer(_Server):
    address_family = socket.AF_UNIX

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)


@contextlib.contextmanager
def pretend(path=None, context=None):
    """A service on loopback, or on a socket of this name; its address is ``url``."""
    server = _UnixServer(str(path), _UnixHandler) if path else _Server(("127.0.0.1", 0), _Handler)
    server.own = own = Pretended()
    own.url = f"unix://{path}" if path else f"http://127.0.0.1:{server.server_address[1]}"
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        own.url = f"https://localhost:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield own
    finally:
        own.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
