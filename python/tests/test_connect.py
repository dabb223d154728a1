"""A study that a service has behaves as one in a file: the same script gives the same records, from both."""

import contextlib
import dataclasses
import importlib
import math
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest
from studies import needs_studies

import scant
from scant import _library
from scant.remote import _wire

pytestmark = needs_studies

CATALOGUE = """name,unit,cost,low,high,usual_low,usual_high,group,known
age,years,,0,120,,,,yes
glucose,mmol/l,3.50,0,60,3,11,,
ldl,mmol/l,5,,,,,lipids,
hdl,mmol/l,5.25,,,,,lipids,
scan,,80.10,,,,,,
"""
PLAN = (
    "--algorithm",
    "auto",
    "-k",
    "2",
    "--spend",
    "100",
    "--target",
    "risk",
    "--budget-cost",
    "5000",
    "--budget",
    "300",
)


@pytest.fixture(scope="session")
def services(project):
    """The module with which the service's own tests start one; skips where there is none."""
    command = os.environ.get("SCANT")
    if not command:
        pytest.skip("the environment variable SCANT does not name the command")
    if "scant serve" not in subprocess.run([command, "help"], capture_output=True, text=True).stdout:
        pytest.skip("this build has no service")
    ours, path = sys.modules.pop("support", None), list(sys.path)  # its helper has the name of that of these tests
    sys.path.insert(0, str(project / "serve" / "tests"))
    try:
        return importlib.import_module("service")
    finally:
        sys.path[:] = path
        sys.modules.pop("support", None)
        if ours:
            sys.modules["support"] = ours


@pytest.fixture
def serve(services, tmp_path):
    """Starts a service on a new study: (service, the path of a copy of the file as it was before)."""
    running = []

    def start(create=PLAN, catalogue=CATALOGUE, **keywords):
        folder = tmp_path / f"service{len(running)}"
        folder.mkdir()
        service = services.Service(folder, create=create, catalogue=catalogue, start=False, **keywords)
        running.append(service)
        copy = folder / "copy.study"
        shutil.copyfile(service.files[0], copy)
        service.start()
        return service, copy

    yield start
    for service in running:
        service.stop()


def opened(service, role="manage", **keywords):
    return scant.connect(service.url, service.tokens[role], **keywords)


@pytest.fixture
def both(serve):
    """The same study in a file and behind a service, for the same person."""
    service, copy = serve()
    with scant.Study(copy, by="manage") as file, opened(service) as remote:
        yield file, remote


# ---- what is compared: everything but the clock, and what goes by it


def plain(thing):
    if isinstance(thing, scant.study.Order):
        return dataclasses.replace(thing, asked_at=None)
    if isinstance(thing, scant.study.Event):
        return dataclasses.replace(thing, at=None, via=None, checksum=0)
    if isinstance(thing, scant.study.Frozen):
        return dataclasses.replace(thing, at=None, checksum=0, sha256="")
    if isinstance(thing, scant.study.Forecast):
        return dataclasses.replace(thing, mean=round(thing.mean, 3))
    if isinstance(thing, float) and math.isnan(thing):
        return "NaN"
    if dataclasses.is_dataclass(thing):
        return {field.name: plain(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
    if isinstance(thing, dict):
        return {key: plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [plain(item) for item in thing]
    return thing


def attempt(act):
    """What it gives, or how it is refused."""
    try:
        return plain(act())
    except scant.ScantError as refused:
        return type(refused).__name__


def same(both, script):
    """Runs a script on both, step by step."""
    file, remote = (script(study) for study in both)
    steps = 0
    for ours, theirs in zip(file, remote, strict=True):
        assert ours == theirs, steps
        steps += 1
    return steps


def everything(study):
    return plain(
        [
            list(study.orders()),
            list(study.waiting()),
            list(study.ledger()),
            study.status(),
            study.purchases(),
            study.attributes,
            study.target,
            {
                name: study.settings[name]
                for name in ("algorithm", "k", "spend", "budget", "budget_cost", "max_open", "seed")
            },
            study.settings["missing_reasons"],
            study.settings["second_entry"],
        ]
    )


VALUES = {"age": 61, "glucose": 5.9, "ldl": 3.1, "hdl": 0.1 + 0.2, "scan": 1 / 3}


def told_of(order, scale=1.0):
    return {name: VALUES[name] * scale for name in order.names}


# ---- the same script


def clinic_day(study):
    """Every method, and most refusals; each step is something to compare."""
    yield attempt(lambda: [study.looks().tobytes(), study.looks().dtype])
    yield everything(study)
    yield attempt(
        lambda: study.import_rows({"old 1": {"age": 50, "scan": 1 / 3, "risk": 2}, "old/2": {"age": 40, "risk": 1}})
    )
    yield attempt(lambda: study.ask("a"))
    yield attempt(lambda: study.ask("a"))
    yield attempt(lambda: study.ask_all(["b", "c/d", "é %2F", "b"]))
    for wrong in ([], ["", "e"], ["A"], ["new\nline"]):
        yield attempt(lambda wrong=wrong: study.ask_all(wrong))
    yield attempt(lambda: study.ask("A", new_name=True))
    for name in ("a", "old 1", "nobody", "", "a\nb"):
        yield attempt(lambda name=name: study.find(name))
        yield attempt(lambda name=name: study.history(name))
        yield attempt(lambda name=name: study.traces(name))
        yield attempt(lambda name=name: study.cancel(name) if name != "a" else None)
        yield attempt(lambda name=name: study.reopen(name, "why"))
        yield attempt(lambda name=name: study.erase(name, "wish") if name in ("", "nobody") else None)
        yield attempt(lambda name=name: study.tell(name, {} if name in ("a", "old 1") else {"age": 1}))
        yield attempt(lambda name=name: study.correct(name, age=1, reason="" if name in ("a", "old 1") else "why"))
    for name in ('😀 \\ "', "x" * 300):
        yield attempt(lambda name=name: study.ask(name))
        yield attempt(lambda name=name: study.find(name))
        yield attempt(lambda name=name: study.cancel(name))
    yield attempt(lambda: study.tell("a", {"age": 1}, age=1))
    yield attempt(lambda: study.tell("a", {5: 1}))
    yield attempt(lambda: study.tell("a", 5))
    yield attempt(lambda: study.fail("a", "line\nbreak"))
    yield attempt(lambda: study.ask("b" * 5))
    yield attempt(lambda: study.ask_all("bc"))
    yield attempt(lambda: study.preview(100))
    yield attempt(lambda: study.preview(0))
    order = study.find("a")
    ordered = next(name for name in order.names if name != "age")
    other = next(name for name in VALUES if name not in order.names)
    for values in (
        {"age": "61"},
        {"age": math.nan},
        {"age": math.inf},
        {"age": -1},
        {"age": 1e200},
        {"nothing": 1},
        {other: 1},
        {"risk": None},
        {"age": "missing:no such reason"},
    ):
        yield attempt(lambda values=values: study.tell("a", values))
    yield attempt(lambda: study.tell("a", age=61))
    yield attempt(lambda: study.tell("a", age=61))
    yield attempt(lambda: study.tell("a", age=62))
    yield attempt(lambda: study.find("a"))
    yield attempt(lambda: study.tell("a", {ordered: "missing:refused"}))
    yield attempt(lambda: study.tell("a", {other: 7}, extra=True, reason="done by mistake"))
    yield attempt(lambda: study.tell("a", {other: 7}, reason="no extra"))
    rest = {name: VALUES[name] for name in study.find("a").left}
    yield attempt(lambda: study.tell("a", {**rest, "risk": 11.2}))
    yield attempt(lambda: study.find("a"))
    yield attempt(lambda: study.history("a"))
    yield attempt(lambda: study.correct("a", age=62.5, reason="read from the wrong line"))
    yield attempt(lambda: study.correct("old 1", age=51, reason="likewise"))
    yield attempt(lambda: study.tell("b", glucose=20) if "glucose" in study.find("b").names else None)
    yield attempt(lambda: study.tell("b", glucose=20, confirm=True) if "glucose" in study.find("b").names else None)
    yield attempt(lambda: study.tell("b", age=1, confirm="scan"))
    yield attempt(lambda: study.tell("c/d", told_of(study.find("c/d")), confirm=True))
    yield attempt(lambda: study.tell_second("c/d", age=61))
    yield attempt(lambda: study.tell_second("c/d", age=63))
    yield attempt(lambda: study.find("c/d"))
    yield attempt(lambda: study.correct("c/d", age=63, reason="the second entry is right"))
    yield attempt(lambda: study.cancel("b"))
    yield attempt(lambda: study.cancel("b"))
    yield attempt(lambda: study.reopen("b", "by mistake"))
    yield attempt(lambda: study.expire("b"))
    yield attempt(lambda: study.ask("b"))
    yield attempt(lambda: study.fail("é %2F", "went home"))
    yield attempt(lambda: study.fail("é %2F", ""))
    yield attempt(lambda: study.find("é %2F"))
    yield attempt(lambda: study.amend({"glucose": {"cost": 4, "usual_high": None}}, reason="dearer", dry_run=True))
    yield attempt(lambda: study.amend({"glucose": {"cost": 4, "usual_high": None}}, reason="dearer", budget_cost=6000))
    yield attempt(lambda: study.amend({"glucose": {"cost": 4}}, reason="nothing"))
    yield attempt(
        lambda: study.amend({"scan": {"retired": True}}, new=[scant.Attribute("crp", "mg/l", 2)], reason="new", k=3)
    )
    yield attempt(lambda: study.amend({"glucose": {"cost": "4.50", "unit": " "}}, new=["plain"], reason="words"))
    for wrong in ({"known": True}, {"name": "q"}, {"cost": 0.001}, {"cost": -1}, {"low": 5, "high": 4}, {"unit": 5}):
        yield attempt(lambda wrong=wrong: study.amend({"glucose": wrong}, reason="wrong"))
    yield attempt(lambda: study.amend({"none": {"cost": 1}}, reason="wrong"))
    yield attempt(lambda: study.amend(new=["age"], reason="wrong"))
    yield attempt(lambda: study.amend(k="x", reason="wrong"))
    yield attempt(lambda: study.amend(k=1000, reason="wrong"))
    yield attempt(lambda: study.amend({"glucose": {"cost": 4}}, reason=""))
    yield everything(study)
    for i in range(30):
        name = f"e{i}"
        order = study.ask(name)
        study.tell(name, {**{n: math.sin(i + len(n)) ** 2 + 4 for n in order.names}, "risk": math.cos(i)})
    yield attempt(lambda: study.erase("a", "on the wish of a"))
    yield attempt(lambda: study.erase("c/d", "on their wish"))
    yield attempt(lambda: study.find("a"))
    yield attempt(
        lambda: study.import_rows(
            {"p": {"age": 1, "risk": 1}, "q": {"age": 999, "risk": 1}, "r": {"age": 2, "risk": 1}}
        )
    )
    yield attempt(lambda: study.import_rows([1, 2]))
    yield attempt(lambda: study.import_rows({"s": 5}))
    yield attempt(lambda: study.freeze("paper 1/2") if isinstance(study, scant.RemoteStudy) else "UsageError")
    yield everything(study)
    proof = study.verify()
    yield proof.events, proof.orders, proof.same_bits
    yield study.frozen, study.algorithm_why, study.closed
    model = study.model()
    yield model.coef.tobytes(), model.intercept, model.names, model.purchases.tobytes(), model.settings
    yield attempt(lambda: study.model(errors=True).coef_error.tolist())
    looks = study.looks()
    yield looks.dtype, looks.tobytes()


def test_the_same_script(both):
    assert same(both, clinic_day) > 100


@pytest.mark.parametrize(("limit", "kind"), [("--budget", "BudgetSpent"), ("--max-open", "MisuseError")])
def test_limits(serve, limit, kind):
    service, copy = serve(("--algorithm", "auto", "-k", "2", limit, "5" if limit == "--budget" else "2"))

    def script(study):
        for name in ("a", "b", "c", "d"):
            yield attempt(lambda name=name: study.ask(name))
        yield attempt(lambda: study.ask_all(["e", "f"]))
        study.cancel("a")
        yield attempt(lambda: study.reopen("a", "by mistake"))
        study.cancel("a")
        yield attempt(lambda: study.ask("c"))
        yield attempt(lambda: study.reopen("a", "by mistake"))
        yield everything(study)

    with scant.Study(copy, by="manage") as file, opened(service) as remote:
        results = [list(script(study)) for study in (file, remote)]
        assert results[0] == results[1] and results[0].count(kind) == 4


def test_second_entries(serve):
    service, copy = serve((*PLAN, "--second-entry"))

    def script(study):
        study.ask("a")
        values = {**told_of(study.find("a")), "risk": 3}
        yield attempt(lambda: study.tell("a", values))
        yield attempt(lambda: study.find("a"))
        yield attempt(lambda: study.tell_second("a", {**values, "age": 60, "risk": 4}))
        yield attempt(lambda: study.find("a"))
        yield attempt(lambda: study.tell_second("a", age=61, risk=3))
        yield everything(study)

    with scant.Study(copy, by="manage") as file, opened(service) as remote:
        assert same((file, remote), script) == 6
        with opened(service, "enter") as blind:  # who enters does not see the first entry
            values = {**told_of(blind.ask("b")), "risk": 3}
            blind.tell("b", values)
            assert {line.value for line in blind.find("b").lines} == {None}
            found = blind.tell_second("b", {**values, "age": 60})
            assert found.differences == (scant.study.Difference("age", "not shown", "not shown"),)
            assert (found.agree, found.once, found.same_hand) == (len(values) - 1, 0, len(values))


def test_tables_are_those_of_the_file(both, tmp_path):
    file, remote = both
    for study in both:
        study.import_rows({"=old": {"age": 50, "scan": 1 / 3, "risk": 2 / 7}})
        order = study.ask("Ann")
        study.tell("Ann", {**told_of(order), "risk": 0.1 + 0.2}, confirm=True)
        study.ask("Bob")
        study.fail("Bob", "Bob went home")
    times = ("asked_at", "told_at", "learned_at", "ended_at", "imported_at", "target_at", "corrected_at")
    for pseudonyms in (False, True):
        frames = [study.to_frame(pseudonyms=pseudonyms).reset_index() for study in both]
        assert list(frames[0].columns) == list(frames[1].columns)
        for name in frames[0].columns:
            if name not in times and not name.endswith("_at"):
                ours, theirs = ([repr(cell) for cell in frame[name]] for frame in frames)
                assert pseudonyms or ours == theirs, name
    for study, name in ((file, "file"), (remote, "remote")):
        study.export_csv(tmp_path / f"{name}.csv")
        study.export_events(tmp_path / f"{name}-events.csv", pseudonyms=True)
        study.write_looks(tmp_path / f"{name}-looks.csv")
        study.write_looks(tmp_path / f"{name}-looks.npy")
    for name in ("-dictionary.csv", "-looks.csv"):
        assert (tmp_path / f"file{name}").read_text() == (tmp_path / f"remote{name}").read_text()
    ours, theirs = (np.load(tmp_path / f"{name}-looks.npy") for name in ("file", "remote"))
    assert ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes() and len(ours) > 1
    ours, theirs = (len((tmp_path / f"{name}-events.csv").read_text().splitlines()) for name in ("file", "remote"))
    assert ours == theirs > 5
    assert "Ann" not in (tmp_path / "remote-events.csv").read_text()
    with pytest.raises(scant.UsageError, match="neither in .csv nor in .npy"):
        remote.write_looks(tmp_path / "looks.txt")


@pytest.mark.skipif(not _library.HAS_LAPACK, reason="this build has no LAPACK")
def test_predictions_and_outlooks(serve):
    service, copy = serve(("--algorithm", "gaussian", "-k", "3", "--target", "risk"))
    draw = random.Random(1)
    rows = {}
    for i in range(60):
        values = {name: draw.uniform(1, 5) for name in VALUES}
        rows[f"p{i}"] = {**values, "risk": values["age"] + draw.gauss(0, 0.1)}
    with scant.Study(copy, by="manage") as file, opened(service) as remote:
        for study in (file, remote):
            assert study.import_rows(rows, confirm=True) == 60
        ours, theirs = (study.predict(age=3, level=0.5) for study in (file, remote))
        assert theirs == pytest.approx(ours, rel=1e-6) and theirs.low < theirs.mean < theirs.high
        assert remote.model().coef == pytest.approx(file.model().coef, rel=1e-6, abs=1e-9)
        assert remote.model(errors=True).coef_error == pytest.approx(file.model(errors=True).coef_error, rel=1e-4)
        both = [study.model(errors_of=["age"]) for study in (file, remote)]
        assert both[0].unpenalised.tolist() == both[1].unpenalised.tolist() and both[1].unpenalised.any()
        table = np.array([[3.0, math.nan, math.nan, math.nan, math.nan]])
        assert remote.gaussian().predict_interval(table)[0] == pytest.approx(
            file.gaussian().predict_interval(table)[0], rel=1e-6
        )
        status = remote.status(until_error=0.5)
        assert status.outlook.error == 0.5 and status.outlook.runs > 0 and status.imported == 60
        assert attempt(lambda: remote.status(until_error=0)) == "UsageError"
        assert attempt(lambda: remote.predict(age=1, level=2)) == "UsageError"
        for wrong in ({"nothing": 1}, {"age": "x"}):
            assert attempt(lambda w=wrong: remote.predict(w)) == attempt(lambda w=wrong: file.predict(w)) == "DataError"


def test_frozen_copies(serve, tmp_path):
    service, _ = serve()
    with opened(service) as study:
        study.ask("a")
        frozen = study.freeze("paper-1")
        assert frozen.by == "manage" and frozen.name == "paper-1" and frozen.at is not None
        copy = pathlib.Path(service.files[0]).parent / "clinic-paper-1.frozen"
        with scant.Study(copy, "read") as there:
            assert dataclasses.replace(there.check_frozen(), at=None) == dataclasses.replace(frozen, at=None)
        with pytest.raises(scant.MisuseError, match="already"):
            study.freeze("paper-1")
        with pytest.raises(scant.UsageError):
            study.freeze("../out")


# ---- roles and tokens


ACTS = {
    "read": {
        "status": lambda s, _: s.status(),
        "purchases": lambda s, _: s.purchases(),
        "attributes": lambda s, _: s.attributes,
        "model": lambda s, _: s.model(),
        "pseudonyms": lambda s, path: s.export_csv(path, pseudonyms=True),
    },
    "enter": {
        "ask": lambda s, _: s.ask("new"),
        "tell": lambda s, _: s.tell("a", age=61),
        "find": lambda s, _: s.find("a"),
        "history": lambda s, _: s.history("a"),
        "orders": lambda s, _: list(s.orders()),
        "preview": lambda s, _: s.preview(10),
    },
    "manage": {
        "ledger": lambda s, _: list(s.ledger()),
        "names": lambda s, path: s.export_csv(path),
        "amend": lambda s, _: s.amend({"scan": {"cost": 81}}, reason="dearer"),
        "import": lambda s, _: s.import_rows({"old": {"age": 1, "risk": 1}}),
        "verify": lambda s, _: s.verify(),
        "freeze": lambda s, _: s.freeze("one"),
        "traces": lambda s, _: s.traces("a"),
        "cancel": lambda s, _: s.cancel("b"),
        "reopen": lambda s, _: s.reopen("b", "by mistake"),
        "erase": lambda s, _: s.erase("a", "wish"),
    },
}


@pytest.mark.parametrize("role", ["read", "enter", "manage"])
def test_each_role_may_what_it_may(serve, tmp_path, role):
    service, _ = serve()
    with opened(service) as manager:
        manager.ask_all(["a", "b"])
    roles = list(ACTS)
    with opened(service, role) as study:
        for needed, acts in ACTS.items():
            for name, act in acts.items():
                if roles.index(role) >= roles.index(needed):
                    act(study, tmp_path / "t.csv")
                    continue
                with pytest.raises(scant.ServiceError) as refused:
                    act(study, tmp_path / "none.csv")
                assert (refused.value.status, refused.value.code) == (403, "role"), name
                assert refused.value.request and not (tmp_path / "none.csv").exists()


def test_one_corrects_what_one_told(serve):
    service, _ = serve()
    service.add_token("ann", "enter")
    with opened(service, "ann") as ann, opened(service, "enter") as other:
        ann.ask("a")
        ann.tell("a", age=61)
        with pytest.raises(scant.ServiceError, match="told by ann") as refused:
            other.correct("a", age=62, reason="typo")
        assert refused.value.status == 403
        ann.correct("a", age=62, reason="typo")
        assert {event.by for event in ann.history("a")} == {"ann"}
        assert {event.via for event in ann.history("a")} == {"service"}


def test_a_token_that_is_revoked(serve):
    service, _ = serve()
    service.add_token("ann", "enter")
    with opened(service, "ann") as ann:
        ann.ask("a")
        service.revoke_token("ann")
        with pytest.raises(scant.ServiceError) as refused:
            ann.find("a")
        assert (refused.value.status, refused.value.code) == (401, "token")
        assert service.tokens["ann"] not in str(refused.value)


def test_which_study(serve):
    service, _ = serve(studies=2)
    service.add_token("one", "enter", "--study", "study2")
    with opened(service, "one") as study:
        assert study.name == "study2" and "study2" in repr(study)
    with pytest.raises(scant.UsageError, match="say which study: the token opens study1, study2"):
        opened(service)
    with opened(service, study="study1") as study:
        assert study.ask("a").number == 1
    with pytest.raises(scant.UsageError, match="no study 'study1' for this token"):
        opened(service, "one", study="study1")


def test_a_socket_and_a_base_path(serve, tmp_path):
    path = tmp_path / "s"
    service, _ = serve(options=["--socket", str(path)])
    with scant.connect(f"unix://{path}", service.tokens["manage"]) as study:
        assert study.ask("a").example == "a" and len(list(study.ledger())) == 2
    service, _ = serve(options=["--base-path", "/x/y"])
    with opened(service) as study:
        assert study.ask("a").example == "a" and study.url.endswith("/x/y")


# ---- together


def test_two_people(serve):
    service, _ = serve()
    service.add_token("bob", "manage")
    with opened(service) as ann, opened(service, "bob") as bob:
        ann.ask("a")
        ann.tell("a", age=61)
        assert bob.find("a").lines[0].value == 61
        with pytest.raises(scant.DataError, match="is 61 already"):
            bob.tell("a", age=62)
        bob.correct("a", age=62, reason="typo")
        with pytest.raises(scant.StudyChanged, match="'a' was changed by somebody else.*look at it again"):
            ann.correct("a", age=63, reason="typo")
        assert ann.find("a").lines[0].value == 62
        ann.correct("a", age=63, reason="typo")
        assert ann.attributes[1].cost == bob.attributes[1].cost == 3.5
        bob.amend({"glucose": {"cost": 4}}, reason="dearer")
        with pytest.raises(scant.StudyChanged, match="amended by somebody else"):
            ann.amend({"glucose": {"cost": 5}}, reason="dearer")
        assert ann.attributes[1].cost == 4
        ann.amend({"glucose": {"cost": 5}}, reason="dearer")
        ann.amend({"glucose": {"cost": 6}}, reason="dearer")
        assert bob.settings["k"] == ann.settings["k"] and bob.attributes[1].cost == 6


def test_a_file_that_is_served_says_where(serve):
    service, _ = serve()
    with opened(service) as study:
        study.ask("a")
        with pytest.raises(scant.StudyBusy, match="is being served at http://127.0.0.1"):
            scant.Study(service.files[0]).ask("b")


class Cutter:
    """Stands between client and service, and cuts connections: before a request is passed on, or before its answer."""

    def __init__(self, service, seed):
        self.address, self.host = service.address, service.host.encode()
        self.draw, self.lock, self.cuts = random.Random(seed), threading.Lock(), 0
        self.ear = socket.create_server(("127.0.0.1", 0))
        self.own = f"127.0.0.1:{self.ear.getsockname()[1]}"
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.ear.accept()
                threading.Thread(target=self.pass_on, args=(client,), daemon=True).start()

    def cut(self):
        with self.lock:
            cut = self.draw.random() < 0.25
            self.cuts += cut
        return cut

    def pass_on(self, client):
        with contextlib.suppress(OSError), client, socket.create_connection(self.address) as service:
            while request := message(client):
                if self.cut():
                    return
                service.sendall(request.replace(self.own.encode(), self.host, 1))  # in the header Host
                answer = message(service)
                if self.cut():
                    return
                client.sendall(answer)


def message(source):
    """A request or an answer, with its body; nothing at the end."""
    got = b""
    while b"\r\n\r\n" not in got:
        if not (more := source.recv(65536)):
            return b""
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
    while length and len(body) < int(length[1]):
        if not (more := source.recv(65536)):
            return b""
        body += more
    return head + b"\r\n\r\n" + body


def test_connections_that_are_cut_double_nothing(serve, monkeypatch):
    monkeypatch.setattr(_wire, "_sleep", lambda _: None)
    service, _ = serve(("--algorithm", "auto", "-k", "2", "--target", "risk"))
    cutter = Cutter(service, 1)
    names = [[f"{thread}-{i}" for i in range(12)] for thread in range(3)]

    def work(mine):
        with scant.connect("http://" + cutter.own, service.tokens["manage"], retries=60) as study:
            for i, name in enumerate(mine):
                order = study.ask(name)
                study.tell(name, {n: 4.0 for n in order.names}, confirm=True)
                study.tell(name, risk=i)
                study.correct(name, risk=i + 0.5, reason="typo")
                study.import_rows({f"old {name}": {"age": 1, "risk": 1}})
                if i % 4 == 0:
                    study.erase(f"old {name}", "on their wish")

    threads = [threading.Thread(target=work, args=(mine,)) for mine in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cutter.ear.close()
    every = sorted(name for mine in names for name in mine)
    with opened(service) as study:
        events = list(study.ledger())
        status = study.status()
    for kind, times in (("ask", 1), ("tell", 2), ("correct", 1)):
        assert sorted(event.example for event in events if event.kind == kind) == sorted(times * every), kind
    assert [event.kind for event in events].count("import") == len(every)
    assert [event.kind for event in events].count("erase") == len(every) // 4
    assert status.learned == len(every) and status.imported == len(every) - len(every) // 4
    assert cutter.cuts > 50


def test_a_service_that_is_killed_loses_and_doubles_nothing(serve, tmp_path, monkeypatch):
    up, steps = threading.Event(), threading.Semaphore(0)
    monkeypatch.setattr(_wire, "_sleep", lambda _: up.wait())
    path = tmp_path / "s"
    service, _ = serve(("--algorithm", "auto", "-k", "2", "--target", "risk"), options=["--socket", str(path)])
    names = [f"e{i}" for i in range(40)]
    failed = []

    def work():
        try:
            with scant.connect(f"unix://{path}", service.tokens["manage"], retries=100) as study:
                for i, name in enumerate(names):
                    order = study.ask(name)
                    study.tell(name, {**{n: 4.0 for n in order.names}, "risk": i}, confirm=True)
                    study.correct(name, risk=i + 0.5, reason="typo")
                    steps.release()
        except BaseException as raised:
            failed.append(raised)
        finally:
            steps.release(len(names))

    worker = threading.Thread(target=work)
    up.set()
    worker.start()
    for _ in range(5):
        for _ in range(5):
            steps.acquire()
        up.clear()
        service.kill()
        service.start()
        up.set()
    worker.join()
    assert not failed
    with scant.connect(f"unix://{path}", service.tokens["manage"]) as study:
        kinds = [(event.kind, event.example) for event in study.ledger()]
        assert sorted(kinds[1:]) == sorted((kind, name) for kind in ("ask", "tell", "correct") for name in names)
        assert study.verify().same_bits
