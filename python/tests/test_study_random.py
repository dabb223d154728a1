"""Studies under anything in any order, against a simple model of what they promise."""

from hypothesis import given, settings, strategies as st
from studies import CLINIC, cents, check_money, clinic, everything, needs_studies

import scant

EXAMPLES = [f"p{i}" for i in range(5)]
WORDS = st.one_of(
    st.tuples(st.sampled_from(["ask", "cancel", "expire", "fail", "reopen", "replay"]), st.sampled_from(EXAMPLES)),
    st.tuples(
        st.just("tell"),
        st.sampled_from(EXAMPLES),
        st.lists(st.sampled_from(["age", "glucose", "ldl", "hdl", "scan", "risk"]), unique=True, max_size=6),
        st.sampled_from([0.0, 1.5, 20.0, None, 999.0]),
    ),
    st.tuples(st.just("finish"), st.sampled_from(EXAMPLES)),
    st.tuples(
        st.just("correct"),
        st.sampled_from(EXAMPLES),
        st.sampled_from(["age", "glucose", "scan", "risk"]),
        st.sampled_from([0.0, 3.0]),
    ),
)
OPEN = ("issued", "partly told", "told")
BUDGET, MOST_OPEN = 40000, 3


class Expected:
    """What a study should hold, by the words of the documentation; money in hundredths."""

    def __init__(self):
        self.orders = []  # dicts: example, lines {name: (price, group)}, told {name: value}, y, state, spent
        self.learned = 0

    def last(self, example):
        return next((order for order in reversed(self.orders) if order["example"] == example), None)

    def paid(self, order):
        """Of what was measured; a group as soon as one of it was."""
        groups = {order["lines"][name][1] for name in order["told"]} - {None}
        return sum(p for name, (p, group) in order["lines"].items() if name in order["told"] or group in groups)

    def held(self):
        spent = sum(order["spent"] for order in self.orders)
        going = [order for order in self.orders if order["state"] in OPEN]
        return spent, sum(sum(p for p, _ in o["lines"].values()) - o["spent"] for o in going)

    def issue(self, order):
        group = {attribute.name: attribute.group for attribute in CLINIC}
        lines = {line.name: (cents(line.price), group[line.name]) for line in order.lines}
        self.orders.append(
            {"example": order.example, "lines": lines, "told": {}, "y": None, "state": "issued", "spent": 0}
        )

    def may_ask(self, example):
        order = self.last(example)
        if order and order["state"] in (*OPEN, "learned"):
            return "same"
        if order and not (order["state"] == "cancelled" and not order["told"] and order["y"] is None):
            return "refused"
        return "refused" if sum(o["state"] in OPEN for o in self.orders) >= MOST_OPEN else "new"

    def tell(self, example, values):
        """True if it is taken down."""
        order = self.last(example)
        if not order or not values:
            return False
        fresh = {}
        for name, value in values.items():
            there = order["y"] is not None if name == "risk" else name in order["told"]
            if name != "risk" and name not in order["lines"]:
                return False
            if value == 999 and name in ("age", "glucose") or value is None and name == "risk":
                return False
            if there and value != (order["y"] if name == "risk" else order["told"][name]):
                return False
            if not there:
                fresh[name] = value
        if fresh and order["state"] not in OPEN:
            return False
        if fresh:
            order["y"] = fresh.pop("risk", order["y"])
            order["told"].update(fresh)
            order["spent"] = self.paid(order)
            self.settle(order)
        return True

    def settle(self, order):
        if len(order["told"]) < len(order["lines"]):
            order["state"] = "partly told" if order["told"] or order["y"] is not None else "issued"
        else:
            order["state"] = "told" if order["y"] is None else "learned"
            self.learned += order["state"] == "learned"

    def end(self, example, how):
        order = self.last(example)
        if not order or not (order["state"] in OPEN or (how == "cancel" and order["state"] == "expired")):
            return False
        order["state"] = {"cancel": "cancelled", "expire": "expired", "fail": "failed"}[how]
        order["spent"] = sum(p for p, _ in order["lines"].values()) if how == "expire" else self.paid(order)
        return True

    def correct(self, example, name, value):
        order = self.last(example)
        if not order or (order["y"] is None if name == "risk" else name not in order["told"]):
            return False
        if name == "risk":
            order["y"] = value
        else:
            order["told"][name] = value
        return True


def check_against(study, expected):
    assert study.status().learned == expected.learned
    spent, reserved = expected.held()
    status = check_money(study)
    assert (cents(status.spent), cents(status.reserved)) == (spent, reserved)
    assert spent + reserved <= BUDGET
    for order, ours in zip(study.orders(), expected.orders, strict=True):
        assert (order.example, order.state, order.y) == (ours["example"], ours["state"], ours["y"])
        assert cents(order.spent) == ours["spent"]
        assert {line.name: line.value for line in order.lines if line.state != "ordered"} == ours["told"]


def attempt(study, act, allowed):
    """Acts; if it is refused, nothing has changed."""
    before = everything(study)
    try:
        act()
    except scant.ScantError as refused:
        assert not allowed, refused
        assert everything(study) == before
        return False
    assert allowed
    return True


def tell(study, expected, example, names, value):
    values = dict.fromkeys(names, value)
    allowed = expected.tell(example, values)
    attempt(study, lambda: study.tell(example, values), allowed)


def ask(study, expected, example):
    may, known = expected.may_ask(example), study.status().orders
    try:
        order = study.ask(example)
    except scant.BudgetSpent:
        assert may == "new" and study.status().orders == known
    except scant.MisuseError:
        assert may == "refused" and study.status().orders == known
    else:
        assert may == ("new" if study.status().orders > known else "same")
        if may == "new":
            expected.issue(order)


def finish(study, expected, example):
    """Tells all that is left, if anything is."""
    order = expected.last(example)
    if order is None or order["state"] not in OPEN:
        return
    left = {name: 2.5 for name in order["lines"] if name not in order["told"]}
    left |= {"risk": 1.0} if order["y"] is None else {}
    assert expected.tell(example, left)
    study.tell(example, left)
    assert study.find(example).state == "learned"


def correct(study, expected, example, name, value):
    allowed = expected.correct(example, name, value)
    attempt(study, lambda: study.correct(example, {name: value}, reason="why not"), allowed)


def replay(study, expected, example):
    before = study.model().coef.tobytes()
    study.replay()
    assert study.model().coef.tobytes() == before


def end(how):
    def act(study, expected, example):
        arguments = (example, "why not") if how == "fail" else (example,)
        allowed = expected.end(example, how)
        attempt(study, lambda: getattr(study, how)(*arguments), allowed)

    return act


ACTS = {
    "ask": ask,
    "tell": tell,
    "finish": finish,
    "correct": correct,
    "replay": replay,
    **{how: end(how) for how in ("cancel", "expire", "fail")},
}


@needs_studies
@settings(max_examples=40)
@given(words=st.lists(WORDS, max_size=30), seed=st.integers(0, 3))
def test_any_interleaving(tmp_path_factory, words, seed):
    path = tmp_path_factory.mktemp("study") / "a.study"
    expected = Expected()
    study = clinic(path, budget_cost=BUDGET / 100, max_open=MOST_OPEN, seed=seed)
    try:
        for what, *more in words:
            if what == "reopen":
                study.close()
                study = scant.Study(path)
            else:
                ACTS[what](study, expected, *more)
            check_against(study, expected)
        proof = study.verify()
        assert proof.same_build and proof.same_bits
    finally:
        study.close()
