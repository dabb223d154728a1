"""Connections to a service that fail: what is sent again is done once, and what is refused has its sentence."""

import inspect
import json
import os
import pickle
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
import traceback

import pytest
from pretended import TOKEN, pretend

import scant
from scant import _library
from scant.remote import _address, _out, _wire


@pytest.fixture
def service():
    with pretend() as own:
        yield own


@pytest.fixture
def waits(monkeypatch):
    """How long the client waits between tries; it does not."""
    waited = []
    monkeypatch.setattr(_wire, "_sleep", waited.append)
    return waited


@pytest.fixture
def study(service, waits):
    with scant.connect(service.url, TOKEN) as opened:
        yield opened


def sent(service, method="POST"):
    return [request for request in service.requests if request[0] == method]


# ---- the same until there is an answer, and once


@pytest.mark.parametrize("fault", ["cut before", "cut after", "half"])
@pytest.mark.parametrize("times", [1, 3])
def test_a_lost_answer_is_asked_for_again_and_done_once(service, study, waits, fault, times):
    study.ask("x")
    service.faults = times * [fault]
    study.tell("x", age=61)
    assert service.done == [("ask", "x"), ("answers", "x", {"answers": {"age": 61.0}})]
    keys = [headers["Idempotency-Key"] for _, path, headers, _ in sent(service) if path.endswith("/answers")]
    assert len(set(keys)) == 1 and len(keys) >= times + 1
    bodies = {body for _, path, _, body in sent(service) if path.endswith("/answers")}
    assert bodies == {b'{"answers": {"age": 61.0}}'}
    assert study.find("x").lines[0].value == 61
    assert times - 1 <= len(waits) <= times


def test_every_write_has_a_key_of_its_own(service, study):
    study.ask("x")
    study.ask("x")
    study.tell("x", age=1)
    study.correct("x", age=2, reason="typo")
    study.amend({"glucose": {"cost": 9}}, reason="dearer")
    study.import_rows({"old": {"age": 3}})
    keys = [headers["Idempotency-Key"] for _, _, headers, _ in sent(service)]
    assert len(keys) == len(set(keys)) == 6
    assert all(re.fullmatch("[0-9a-f-]{36}", key) for key in keys)
    assert not any("Idempotency-Key" in headers for _, _, headers, _ in sent(service, "GET"))


def test_the_tries_end(service, study, waits):
    service.faults = 99 * ["cut after"]
    with pytest.raises(scant.ServiceError, match="after 6 tries.*whether it was done is not known") as raised:
        study.ask("x")
    assert raised.value.status is None and service.done == [("ask", "x")]
    assert len(waits) == 5 and all(0.05 * 2**i <= wait <= 0.1 * 2**i for i, wait in enumerate(waits))


def test_it_says_if_a_try_may_have_been_done(service, waits):
    busy = (503, {"code": "busy", "detail": "another one writes"})
    with scant.connect(service.url, TOKEN, retries=2) as study:
        service.faults = 3 * [busy]
        with pytest.raises(scant.StudyBusy, match="^another one writes$"):
            study.ask("x")
        study._wire.close()
    with scant.connect(service.url, TOKEN, retries=2) as study:
        study._wire._kept.clear()
        service.faults = ["cut after", busy, busy]
        with pytest.raises(
            scant.ServiceError, match="^another one writes; whether it was done is not known$"
        ) as raised:
            study.ask("x")
        assert raised.value.status == 503 and service.done == [("ask", "x")]
        service.faulty, service.faults = "GET", 9 * ["cut before"]
        with pytest.raises(scant.ServiceError) as raised:
            study.find("x")
        assert "not known" not in str(raised.value)


def test_retries_may_be_none(service, waits):
    service.faults, service.faulty = ["cut before"], "POST"
    with scant.connect(service.url, TOKEN, retries=0) as study:
        with scant.connect(service.url, TOKEN, retries=0) as fresh:
            fresh._wire._kept.clear()
            with pytest.raises(scant.ServiceError, match="after 1 try:"):
                fresh.ask("x")
        study.ask("x")
    assert not waits and service.done == [("ask", "x")]


def test_busy_and_throttled_are_waited_for(service, study, waits):
    busy = (503, {"code": "busy", "detail": "another one writes"}, {"Retry-After": "7"})
    throttled = (429, {"code": "throttled", "detail": "too many tries"}, {"Retry-After": "31536000"})
    service.faults = [busy, throttled, (502, b"<html>", {"Content-Type": "text/html", "Retry-After": "soon"})]
    study.ask("x")
    assert service.done == [("ask", "x")]
    assert waits[:2] == [7, 120] and 0.2 <= waits[2] <= 0.4


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (422, "usage", scant.UsageError),
        (422, "data", scant.DataError),
        (422, "unusual", scant.DataError),
        (404, "unknown", scant.ServiceError),
        (409, "conflict", scant.MisuseError),
        (409, "spent", scant.BudgetSpent),
        (503, "busy", scant.StudyBusy),
        (503, "storage", scant.FileError),
        (400, "request", scant.ServiceError),
        (401, "token", scant.ServiceError),
        (403, "role", scant.ServiceError),
        (413, "size", scant.ServiceError),
        (421, "host", scant.ServiceError),
        (422, "key_reused", scant.ServiceError),
        (428, "precondition_required", scant.ServiceError),
        (429, "throttled", scant.ServiceError),
        (412, "changed", scant.StudyChanged),
        (500, "fault", scant.ServiceError),
    ],
)
def test_every_problem_is_the_library_s_exception(service, study, waits, status, code, kind):
    service.faults = 6 * [(status, {"code": code, "detail": "one sentence"})]
    with pytest.raises(scant.ScantError, match="^one sentence$") as raised:
        study.ask("x")
    assert type(raised.value) is kind
    again = status in (429, 503)
    assert len(sent(service)) == (6 if again else 1) == len(waits) + 1
    if kind in (scant.ServiceError, scant.StudyChanged):
        assert (raised.value.status, raised.value.code, raised.value.request) == (status, code, "r1")
        copy = pickle.loads(pickle.dumps(raised.value))
        assert (str(copy), copy.status, copy.code) == ("one sentence", status, code)


def test_what_can_never_be_is_asked_for_once(service, study, waits):
    service.faulty = "GET"
    service.faults = [(503, {"code": "too_long", "detail": "the outlook would take more than 120 seconds"})]
    with pytest.raises(scant.ServiceError, match="120 seconds"):
        study.status(until_error=1)
    assert not waits and not service.faults


def test_an_address_that_is_not_there_is_no_fault_of_the_data(service, study):
    service.faulty, service.faults = "GET", 2 * [(404, {"code": "unknown", "detail": "there is nothing here"})]
    with pytest.raises(scant.ServiceError, match="^there is nothing here$") as raised:
        scant.connect(service.url + "/elsewhere", TOKEN)
    assert raised.value.status == 404
    with pytest.raises(scant.ServiceError, match="nothing here"):
        list(study.orders())
    assert study.history("nobody") == []
    with pytest.raises(scant.DataError, match="nothing is known of example 'nobody'"):
        study.find("nobody")


def test_weak_tags_are_taken(service, study):
    study.ask("x")
    order = service.order("x")
    service.faults = [(200, {"orders": [{**order, "etag": None}]})]
    study.ask("x")  # so that nothing is seen of it
    tag = 'W/"e1"'
    service.faulty, service.faults = "GET", [(200, {"orders": [order], "history": []}, {"ETag": tag})]
    study.find("x")
    study.correct("x", age=2, reason="typo")
    assert sent(service)[-1][2]["If-Match"] == '"e1"'


def test_another_value_is_no_misuse(service, study):
    service.faults = [(409, {"code": "conflict", "detail": "is 5 already", "stored": {"age": 5}, "by": "ann"})]
    with pytest.raises(scant.DataError, match="^is 5 already$"):
        study.ask("x")


def test_sentences_pass_unchanged(service, study):
    service.faults = [(409, {"code": "spent", "detail": "budget-cost does not cover it"})]
    with pytest.raises(scant.BudgetSpent, match="^budget-cost does not cover it$"):
        study.ask("x")


# ---- answers that are none


@pytest.mark.parametrize("content", [b"", b"{", b"<html>", b"[1, 2", b"\xff\xfe"])
def test_wrong_json(service, study, content):
    service.faults = [(200, content)]
    with pytest.raises(scant.ServiceError, match="is not JSON: is that the address of a Scant service"):
        study.ask("x")
    assert len(sent(service)) == 1


@pytest.mark.parametrize("content", [None, 5, [], {}, {"orders": None}, {"orders": [{}]}, {"orders": []}])
def test_json_of_another_shape(service, study, content):
    service.faults = [(200, json.dumps(content).encode())]
    with pytest.raises(scant.ServiceError, match="not as expected.*another version"):
        study.ask("x")


@pytest.mark.parametrize("page", [{}, [], {"items": 5, "next": None}, {"items": []}])
def test_pages_of_another_shape(service, study, page):
    service.faulty, service.faults = "GET .*/orders", [(200, page)]
    with pytest.raises(scant.ServiceError, match="has no items"):
        list(study.orders())


def test_pages_that_never_end(service, study):
    service.faulty, service.faults = "GET .*/orders", 9 * [(200, {"items": [], "next": "again"})]
    with pytest.raises(scant.ServiceError, match="leads nowhere"):
        list(study.orders())


def test_a_page_that_is_no_problem_of_ours(service, study):
    service.faults = [(403, b"<h1>nginx</h1>", {"Content-Type": "text/html"})]
    with pytest.raises(scant.ServiceError, match=r"answers with status 403 \(Forbidden\)$") as raised:
        study.ask("x")
    assert raised.value.code is None
    service.faults = [(499, b"{}")]
    with pytest.raises(scant.ServiceError, match=r"answers with status 499 \(which is none\)$"):
        study.ask("x")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_token_follows_no_redirect(service, study, status):
    with pretend() as elsewhere:
        service.faults = [(status, None, {"Location": elsewhere.url + "/api/v1/studies/clinic/orders"})]
        with pytest.raises(scant.ServiceError, match=f"leads elsewhere .status {status}., and the token does not") as r:
            study.ask("x")
        assert r.value.status == status and not elsewhere.requests and len(sent(service)) == 1
        service.faulty, service.faults = "GET", [(status, None, {"Location": elsewhere.url})]
        with pytest.raises(scant.ServiceError, match="leads elsewhere"):
            study.find("x")
        assert not elsewhere.requests


def test_slow_answers_time_out_and_are_asked_for_again(service, monkeypatch):
    """Only the first try is impatient, and it gets no answer at all."""
    with scant.connect(service.url, TOKEN) as study:

        def sleep(_):
            while service.faults:  # until the first try has arrived
                time.sleep(0.001)
            study._wire._timeout = 600

        monkeypatch.setattr(_wire, "_sleep", sleep)
        study._wire._timeout = 0.001
        service.faults = ["slow"]
        study.ask("x")
        assert study._wire._timeout == 600
    assert service.done == [("ask", "x")]


def test_a_slow_service_is_no_answer(service, waits):
    with scant.connect(service.url, TOKEN, retries=1) as study:
        study._wire._timeout = 0.001
        service.faults = 2 * ["slow"]
        with pytest.raises(scant.ServiceError, match="after 2 tries: timed out; whether it was done is not known"):
            study.ask("x")


def test_nobody_there(waits):
    with pretend() as gone:
        url = gone.url
    with pytest.raises(
        scant.ServiceError, match=f"no answer from {re.escape(url)}, after 3 tries: .*refused"
    ) as raised:
        scant.connect(url, TOKEN, retries=2)
    assert isinstance(raised.value, OSError) and "not known" not in str(raised.value)


def test_an_idle_connection_that_was_closed_costs_no_try(service, study, waits):
    service.faulty, service.faults = "", ["close"]
    study.ask("x")
    study.tell("x", age=1)  # on a connection that the service has closed
    assert not waits and [what[0] for what in service.done] == ["ask", "answers"]


def test_an_interrupted_answer_is_not_taken_for_the_next_one_s(service, study, monkeypatch):
    study.ask("x")
    read = _wire._read

    def interrupted(response, file):
        monkeypatch.setattr(_wire, "_read", read)
        raise KeyboardInterrupt

    monkeypatch.setattr(_wire, "_read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study.preview()
    assert study.find("x").example == "x"


# ---- looks and changes


def other_changes(service, example="x"):
    service.step(example, ("other", example))


def test_a_change_goes_by_the_last_look(service, study):
    study.ask("x")
    other_changes(service)
    for change in (
        lambda: study.correct("x", age=2, reason="typo"),
        lambda: study.cancel("x"),
        lambda: study.expire("x"),
        lambda: study.fail("x", "gone"),
        lambda: study.reopen("x", "mistake"),
        lambda: study.erase("x", "wish"),
    ):
        for _ in range(2):  # it does not go through the second time either
            with pytest.raises(
                scant.StudyChanged, match="example 'x' was changed by somebody else.*look at it again"
            ) as r:
                change()
            assert r.value.status == 412 and isinstance(r.value, scant.ServiceError)
    assert service.done == [("ask", "x"), ("other", "x")]
    study.find("x")
    study.correct("x", age=2, reason="typo")
    study.correct("x", age=3, reason="typo")  # one's own changes are known
    assert service.values["x"] == {"age": 3}


@pytest.mark.parametrize("look", ["find", "orders", "waiting", "history", "ask"])
def test_what_counts_as_a_look(service, study, look):
    study.ask("x")
    other_changes(service)
    found = getattr(study, look)(*(["x"] if look in ("find", "history", "ask") else []))
    list(found) if look in ("orders", "waiting") else None
    study.correct("x", age=2, reason="typo")
    assert service.values["x"] == {"age": 2}


def test_without_a_look_one_is_taken(service, study):
    study.ask("x")
    other_changes(service)
    with scant.connect(service.url, TOKEN) as fresh:
        service.faults = [lambda: other_changes(service)]  # between its look and its change
        fresh.correct("x", age=2, reason="typo")
    assert service.values["x"] == {"age": 2}


def test_telling_minds_no_change_of_others_but_does_not_hide_it(service, study):
    study.ask("x")
    other_changes(service)
    study.tell("x", age=1)
    study.tell("x", glucose=5)
    assert service.values["x"] == {"age": 1, "glucose": 5}
    with pytest.raises(scant.StudyChanged):
        study.correct("x", age=2, reason="typo")
    study.find("x")
    study.correct("x", age=2, reason="typo")


def test_amendments_go_by_the_last_look_at_the_plan(service, study):
    assert study.attributes[1].cost == 1.5
    service.terms += 1
    with pytest.raises(scant.StudyChanged, match="amended by somebody else.*attributes and settings"):
        study.amend({"glucose": {"cost": 9}}, reason="dearer")
    assert study.settings["k"] == 2
    assert study.amend({"glucose": {"cost": 9}}, reason="dearer", k=2, dry_run=True) == "glucose costs more"
    body = service.done[-1][1]
    assert body["attributes"] == [{"name": "glucose", "cost": 9}] and body["settings"] == {"k": 2} and body["trial"]
    for wrong in ({"nothing": {"cost": 1}}, {"glucose": {"color": 1}}):
        with pytest.raises(scant.UsageError):
            study.amend(wrong, reason="r")
    with pytest.raises(scant.UsageError, match="already"):
        study.amend(new=[scant.Attribute("age")], reason="r")


# ---- lists and rows


def test_lists_are_paged(service, study):
    names = [f"e{i}" for i in range(7)]
    study.ask_all(names)
    assert [order.example for order in study.orders()] == names == [order.example for order in study.waiting()]
    assert [order.example for order in study.ask_all(["e3", "e1", "e3"])] == ["e3", "e1", "e3"]
    service.faulty, service.faults = "GET .*/orders", ["cut after", "half"]
    assert len(list(study.orders())) == 7


def test_rows_of_the_past_up_to_one_that_is_refused(service, study):
    rows = {f"e{i}": {"age": i, "glucose": None} for i in range(450)}
    assert study.import_rows(rows) == 450
    assert len(sent(service)) == 3 and service.done == [("import", name) for name in rows]
    service.done.clear()
    with pytest.raises(scant.DataError, match="example 'e250' is 666"):
        study.import_rows({**rows, "e250": {"age": 666}})
    assert service.done == [("import", f"e{i}") for i in range(250)]
    service.requests.clear()
    study.import_rows({f"e{i}": {"age": 1, "n" * 100_000: 2} for i in range(5)})
    assert max(len(body) for *_, body in sent(service)) < 1 << 20 and len(sent(service)) > 1


def test_requests_that_are_too_large_are_not_sent(service, study):
    with pytest.raises(
        scant.UsageError, match="too much for one request: [0-9,]* bytes, and a service takes 1,048,576"
    ):
        study.ask_all([f"{i:0200}" for i in range(6000)])
    assert not sent(service)


def test_names_are_parts_of_paths(service, study):
    for name in ("a/b", "..", ".", "%2F", "a b?c#d", "ä", "x;y", "a\\b"):
        study.ask(name)
        assert study.find(name).example == name
        study.tell(name, age=1)
    for bad in ("", "a\nb", "a\0b", "\x7f", 5, "\ud800"):
        for use in (study.find, study.cancel, lambda name: study.tell(name, age=1)):
            with pytest.raises(scant.DataError):
                use(bad)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_values_that_are_none(service, study, value):
    with pytest.raises(scant.DataError, match="'age' is (NaN|infinite), which is not a value"):
        study.tell("x", age=value)
    for wrong in ("61", b"61", [1]):
        with pytest.raises(scant.DataError, match="not a number"):
            study.tell("x", age=wrong)


# ---- files


def test_files_are_whole_or_stay(service, study, tmp_path, waits):
    path, table = tmp_path / "t.csv", b"example,age\nx,1\n" * 9000
    path.write_bytes(b"before")
    path.chmod(0o640)
    csv = {"Content-Type": "text/csv"}
    service.faulty = "GET .*/export"
    service.faults = ["cut before", (200, table, csv)]
    study.export_events(path)
    assert path.read_bytes() == table and path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["t.csv"]
    service.faults = [(403, {"code": "role", "detail": "the role read does not see names"})]
    with pytest.raises(scant.ServiceError, match="does not see names"):
        study.export_events(path)
    assert path.read_bytes() == table and os.listdir(tmp_path) == ["t.csv"]
    service.faults = [(200, b"new", csv), (403, {"code": "role", "detail": "no"})]
    with pytest.raises(scant.ServiceError):
        study.export_csv(path)  # the table came, its dictionary did not
    assert path.read_bytes() == table and os.listdir(tmp_path) == ["t.csv"]


def test_a_file_that_is_cut_is_begun_again(service, study, tmp_path):
    service.faulty = "GET .*/export"

    def answers():
        return 200, {"long": "x" * 300_000}, None

    service.look, look = lambda path, query: answers() if "/export/" in path else look(path, query), service.look
    service.faults = ["half", "half"]
    study.export_events(tmp_path / "e")
    assert json.loads((tmp_path / "e").read_bytes()) == answers()[1]


def test_the_library_does_not_take_a_file_for_one_left_behind(tmp_path):
    model = scant.LimitedRegressor(k=2).fit([[1, 2], [2, 1]], [1, 2]).model_
    left = tmp_path / "model.json.scant-1-0.tmp"
    left.write_text("left behind")
    with _out.Replacing(tmp_path / "model.json") as ours:
        ours.file.write(b"ours")
        model.save(tmp_path / "model.json")
        assert not left.exists()
        ours.end()
    assert (tmp_path / "model.json").read_bytes() == b"ours" and os.listdir(tmp_path) == ["model.json"]


def test_files_that_can_t_be_written(service, study, tmp_path):
    (tmp_path / "only").write_text("kept")
    (tmp_path / "only").chmod(0o444)
    for path, why in (
        (tmp_path, "it is a folder"),
        (tmp_path / "no" / "such", "No such file"),
        (tmp_path / "only", "the file is read-only"),
    ):
        with pytest.raises(scant.FileError, match=f"can't write '{path}': {why}"):
            study.export_events(path)
    with pytest.raises(scant.UsageError, match="can't both be in"):
        study.export_csv(tmp_path / "t", tmp_path / "." / "t")
    with pytest.raises(scant.UsageError, match="null character"):
        study.export_events("a\0b")
    assert os.listdir(tmp_path) == ["only"]


def test_links_are_followed_and_pipes_are_written_to(service, study, tmp_path):
    service.faulty, service.faults = "GET .*/export", [(200, b"a,b\n"), (200, b"c,d\n")]
    (tmp_path / "link").symlink_to(tmp_path / "target")
    study.export_events(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_bytes() == b"a,b\n"
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    study.export_events(tmp_path / "pipe")
    reader.join()
    assert read == [b"c,d\n"]


# ---- threads and processes


def test_threads_share_it(service, waits):
    study = scant.connect(service.url, TOKEN, retries=50)
    names = [[f"{t}-{i}" for i in range(20)] for t in range(6)]

    def work(mine):
        for name in mine:
            study.ask(name)
            study.tell(name, age=1)
            assert study.find(name).example == name

    threads = [threading.Thread(target=work, args=(mine,)) for mine in names]
    with service.lock:
        service.faults = 40 * ["cut after", None, "cut before"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(what[:2] for what in service.done) == sorted(
        (act, name) for mine in names for name in mine for act in ("ask", "answers")
    )
    assert len(study._wire._kept) <= 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_has_connections_of_its_own(service, study):
    study.ask("x")
    code = (
        "import os, sys, scant\n"
        "study = scant.connect(sys.argv[1], sys.argv[2])\n"
        "kept = [id(c) for c, _ in study._wire._kept]\n"
        "child = os.fork()\n"
        "study.find('x')\n"
        "if not child:\n"
        "    os._exit(bool(set(kept) & {id(c) for c, _ in study._wire._kept}))\n"
        "sys.exit(os.waitpid(child, 0)[1])\n"
    )
    subprocess.run([sys.executable, "-c", code, service.url, TOKEN], check=True)


def test_a_closed_one(service, study):
    study.close()
    study.close()
    assert study.closed and "closed" in repr(study)
    with pytest.raises(scant.MisuseError, match="the study is closed"):
        study.find("x")
    assert study.attributes and study.target == "y"


# ---- the token


def test_the_token_is_never_shown(service, study):
    shown = [repr(study), str(vars(study)), str(vars(study._wire)), str(vars(study._wire.address)), study.url]
    failures = []
    echo = (403, {"code": "role", "detail": f"Bearer {TOKEN} may not"})
    service.faults = [echo, (200, b"<" + TOKEN.encode()), (302, None, {"Location": "/" + TOKEN}), *(9 * ["cut after"])]
    for _ in range(4):
        with pytest.raises(scant.ServiceError) as raised:
            study.ask("x")
        failures.append(raised.value)
    for failure in failures:
        shown += [repr(failure), str(vars(failure)), "".join(traceback.format_exception(failure))]
    assert not [text for text in shown if TOKEN in text]
    with pytest.raises(TypeError, match="connect again"):
        pickle.dumps(study)


@pytest.mark.parametrize("token", ["", "a b", "secret\r\nX: 1", "sécret", None, b"secret", "secret\0"])
def test_tokens_that_are_none(token):
    with pytest.raises(scant.UsageError, match="a token is a text") as raised:
        scant.connect("http://127.0.0.1:1", token)
    assert "ecret" not in str(raised.value)


def test_a_wrong_token(service, waits):
    with pytest.raises(scant.ServiceError, match="no such token") as raised:
        scant.connect(service.url, "scant_wrong")
    assert raised.value.status == 401 and raised.value.code == "token" and not waits


# ---- addresses


@pytest.mark.parametrize(
    "url",
    [
        *("", "clinic", "ftp://a", "http://", "//host", "http://127.0.0.1:x", "http://127.0.0.1:99999", "http://[::1"),
        *("http://a b", "http://a\nb", "http://127.0.0.1/?a=1", "http://127.0.0.1/#part", "unix://run/x", "unix:"),
        *("http://me:hidden@127.0.0.1", "http://hidden@127.0.0.1", "http://127.0.0.1:8765/#code=hidden", 5, None),
    ],
)
def test_addresses_that_are_none(url):
    with pytest.raises(scant.UsageError) as raised:
        scant.connect(url, TOKEN)
    assert "hidden" not in str(raised.value)


def test_in_clear_only_if_it_is_wanted():
    with pytest.raises(scant.UsageError, match="to clinic.example in clear: use https, or in_clear=True"):
        scant.connect("http://clinic.example:8765", TOKEN)
    for url in ("http://127.0.0.1:8765", "http://127.3.2.1", "http://[::1]:8765", "http://LOCALHOST", "https://x"):
        assert _address.Address(url, False).text == url.lower()
    for url in ("http://127.0.0.1.evil.example", "http://localhost.example", "http://10.0.0.1", "http://[::2]"):
        with pytest.raises(scant.UsageError, match="in clear"):
            _address.Address(url, False)


@pytest.mark.parametrize(
    "keywords", [{"timeout": 0}, {"timeout": -1}, {"retries": -1}, {"retries": 1.5}, {"retries": 1000}]
)
def test_keywords_that_are_wrong(keywords):
    with pytest.raises(scant.UsageError, match=next(iter(keywords))):
        scant.connect("http://127.0.0.1:1", TOKEN, **keywords)


def test_which_study(service, waits):
    assert scant.connect(service.url + "/", TOKEN).name == "clinic"
    assert scant.connect(service.url, TOKEN, "clinic").name == "clinic"
    with pytest.raises(scant.UsageError, match="no study 'ward' for this token: it opens clinic"):
        scant.connect(service.url, TOKEN, "ward")
    service.studies = ["clinic", "ward"]
    with pytest.raises(scant.UsageError, match="say which study: the token opens clinic, ward"):
        scant.connect(service.url, TOKEN)
    service.studies = []
    with pytest.raises(scant.UsageError, match="opens none"):
        scant.connect(service.url, TOKEN)


def test_a_base_path(service):
    with scant.connect(service.url + "/deep/er/", TOKEN) as study:
        study.ask("x")
    assert {path.split("/api/v1/")[0] for _, path, _, _ in service.requests} == {"/deep/er"}
    assert study.url == service.url + "/deep/er"


def test_a_socket(tmp_path, waits):
    with pretend(tmp_path / "s.sock") as service:
        with scant.connect(f"unix://{tmp_path}/s.sock", TOKEN) as study:
            service.faults = ["cut after"]
            assert study.ask("x").example == "x"
            assert study.url == f"unix://{tmp_path}/s.sock"
        assert service.requests[0][2]["Host"] == "localhost"
    with pytest.raises(scant.ServiceError, match="no answer from unix:///nowhere, after 2 tries: .*No such file"):
        scant.connect("unix:///nowhere", TOKEN, retries=1)


def test_proxies_of_the_environment(service, monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", service.url.replace("//", "//me:wo%40rd@"))
    monkeypatch.setenv("https_proxy", "proxy.example:3128")
    with scant.connect("http://clinic.example/x", TOKEN, in_clear=True) as study:  # the proxy answers for it
        study.ask("x")
    _, path, headers, _ = service.requests[-1]
    assert path == "http://clinic.example/x/api/v1/studies/clinic/orders" and headers["Host"] == "clinic.example"
    assert headers["Proxy-Authorization"] == "Basic bWU6d29AcmQ="
    tunnel = _address.Address("https://clinic.example", False).connection(1)
    assert (tunnel.host, tunnel.port, tunnel._tunnel_host, tunnel._tunnel_port) == (
        "proxy.example",
        3128,
        "clinic.example",
        443,
    )
    monkeypatch.setenv("no_proxy", "clinic.example")
    assert _address.Address("https://clinic.example", False).connection(1).host == "clinic.example"
    monkeypatch.delenv("no_proxy")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with scant.connect(service.url, TOKEN, retries=0) as study:  # a service on this machine is reached directly
        study.ask("y")
    assert service.requests[-1][1].startswith("/api/v1")
    monkeypatch.setenv("https_proxy", "socks5://proxy.example")
    with pytest.raises(scant.UsageError, match="none that speaks http"):
        scant.connect("https://clinic.example", TOKEN)


def test_certificates_are_checked(tmp_path, monkeypatch, waits):
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl")
    files = ["-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "cert")]
    words = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *words], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    with pretend(context=context) as service:
        with pytest.raises(scant.ServiceError, match="after 1 try: .*certificate"):
            scant.connect(service.url, TOKEN)
        assert not service.requests and not waits
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
        with scant.connect(service.url, TOKEN) as study:
            assert study.ask("x").example == "x"


# ---- the interface


def test_the_interface_is_that_of_a_study():
    """Each method takes what that of a file takes; what is not there says who can do it."""
    absent = {"backup", "check_frozen", "create", "replay", "sweep"}
    public = {name for name in dir(scant.Study) if not name.startswith("_")}
    assert public - {name for name in dir(scant.RemoteStudy)} == absent
    for name in public - absent:
        ours, theirs = getattr(scant.RemoteStudy, name), getattr(scant.Study, name)
        assert inspect.getdoc(ours), name
        if callable(theirs) and name != "freeze":
            mine, other = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
            assert [(p.name, p.kind, p.default) for p in mine.values()] == [
                (p.name, p.kind, p.default) for p in other.values()
            ], name


def test_what_needs_the_file_says_so(study):
    for name in ("backup", "check_frozen", "create", "replay", "sweep"):
        assert not hasattr(study, name)
        with pytest.raises(AttributeError, match="`scant study "):
            getattr(study, name)
    with pytest.raises(AttributeError, match="'RemoteStudy' has no attribute 'nonsense'"):
        study.nonsense  # noqa: B018
    for refused in (lambda: study.freeze("paper", "copy.frozen"), lambda: study.write_looks("l.csv", "pairs.csv")):
        with pytest.raises(scant.UsageError, match="a service"):
            refused()
    with pytest.raises(scant.UsageError, match="scant.connect"):
        scant.RemoteStudy("http://127.0.0.1:8765", TOKEN)


def test_it_needs_no_sqlite(service, monkeypatch):
    monkeypatch.setattr(_library, "HAS_STUDY", False)
    with scant.connect(service.url, TOKEN) as study:
        study.ask("x")
        study.tell("x", age=1)
        assert study.find("x").lines[0].value == 1
