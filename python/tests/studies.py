"""What the tests of studies share: catalogues, and all that a study holds."""

import pytest

import scant
from scant import _library

needs_studies = pytest.mark.skipif(not _library.HAS_STUDY, reason="this build has no studies")
needs_lapack = pytest.mark.skipif(not _library.HAS_LAPACK, reason="this build has no LAPACK")

CLINIC = [
    scant.Attribute("age", "years", known=True, low=0, high=120),
    scant.Attribute("glucose", "mmol/l", 3.5, low=0, high=60),
    scant.Attribute("ldl", "mmol/l", 5, group="lipids"),
    scant.Attribute("hdl", "mmol/l", 5.25, group="lipids"),
    scant.Attribute("scan", cost=80.1),
]


def plain(path, dimension=6, **keywords):
    """A study of attributes a0, a1 ... that cost nothing."""
    return scant.Study.create(path, [f"a{i}" for i in range(dimension)], **{"algorithm": "auto", "k": 3, **keywords})


def clinic(path, **keywords):
    return scant.Study.create(path, CLINIC, **{"algorithm": "auto", "spend": 100, "target": "risk", **keywords})


def values_of(order, x):
    """What there is to tell of an order, if x holds the attributes a0, a1 ..."""
    return {name: x[int(name[1:])] for name in order.names}


def everything(study):
    """All that a study holds, to see whether it changed."""
    status = study.status()
    return (
        [repr(event) for event in study.ledger()],
        [repr(order) for order in study.orders()],
        repr(status),
        study.purchases(),
        study.model().coef.tobytes(),
    )


def cents(amount):
    whole = round(100 * amount)
    assert abs(100 * amount - whole) < 1e-6
    return whole


def check_money(study):
    """What status says is the sum of the ledger, and that of the orders."""
    status, ledger, orders = study.status(), list(study.ledger()), list(study.orders())
    assert cents(status.spent) == sum(cents(event.spent) for event in ledger)
    assert cents(status.reserved) == sum(cents(event.reserved) for event in ledger)
    assert cents(status.spent) == sum(cents(order.spent) for order in orders)
    going = [order for order in orders if order.state in ("issued", "partly told", "told")]
    assert cents(status.reserved) == sum(cents(order.price) - cents(order.spent) for order in going)
    assert [event.sequence for event in ledger] == list(range(1, len(ledger) + 1))
    return status
