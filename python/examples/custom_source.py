#!/usr/bin/env python3
"""Values that are looked up one by one, and paid for: here in an SQLite database.

First a fit does the looking-up, through scant.MeteredSource and within a budget.  Then
the same by hand, with ask and tell, as for a laboratory whose results come back late
and out of order.
"""

import argparse
import pathlib
import random
import sqlite3
import tempfile

import numpy as np

import scant

COSTS = {
    "age": 0,
    "weight": 0.5,
    "pulse": 0.5,
    "glucose": 3.5,
    "cholesterol": (4, "lipids"),  # one tube of blood: bought together, as one look
    "hdl": (4, "lipids"),
    "calcium": 3,
    "sodium": 3,
    "iron": 6,
    "scan": 20,
}
NAMES = list(COSTS)
TRUTH = {"age": 0.5, "glucose": 1.0, "hdl": -0.7, "scan": 1.5}


def make_database(path, patients):
    """A made-up clinic: values in standard units, and how ill each patient is."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(patients, len(NAMES)))
    illness = values @ [TRUTH.get(name, 0) for name in NAMES] + rng.normal(scale=0.5, size=patients)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE result (patient INTEGER, test TEXT, value REAL, PRIMARY KEY (patient, test))")
        rows = (
            (i, name, value) for i, row in enumerate(values.tolist()) for name, value in zip(NAMES, row, strict=True)
        )
        database.executemany("INSERT INTO result VALUES (?, ?, ?)", rows)
    database.close()
    return illness


def make_source(database, patients, money):
    """A guard before the database: it answers what was paid for, and never spends more than this."""

    def fetch(patient, tests):
        marks = ", ".join("?" * len(tests))
        rows = database.execute(
            f"SELECT test, value FROM result WHERE patient = ? AND test IN ({marks})", (patient, *tests)
        )
        found = dict(rows.fetchall())
        return [found.get(test, float("nan")) for test in tests]  # NaN: there is no such result

    return scant.MeteredSource(fetch, names=NAMES, examples=patients, costs=COSTS, budget_cost=money)


def by_hand(source, illness, at_once):
    """Ask, buy, and tell whenever a result arrives: at most `at_once` are on their way."""
    learner = scant.Learner(
        "auto",
        dimension=len(NAMES),
        names=NAMES,
        costs=COSTS,
        k=3,
        budget_cost=source.budget_cost,  # so that looks follow prices
        horizon=len(illness),
        max_open=at_once,
        seed=1,
    )
    laboratory = random.Random(1)
    on_the_way = []
    for patient in range(len(illness)):
        if len(on_the_way) == at_once:  # some result arrives, not always the oldest
            learner.tell(*on_the_way.pop(laboratory.randrange(at_once)))
        look = learner.ask()
        try:
            values = source.buy(patient, look)
        except scant.BudgetSpent as spent:
            learner.cancel(look)
            print(f"  stopped at patient {patient}: {spent}")
            break
        on_the_way.append((look, values, illness[patient]))
    for result in on_the_way:
        learner.tell(*result)
    return learner


def show(weights):
    print("  weights  " + "  ".join(f"{name} {weight:+.2f}" for name, weight in zip(NAMES, weights, strict=True)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patients", type=int, default=3000)
    parser.add_argument("--money", type=float, default=20000, help="what may be spent (default: 20000)")
    parser.add_argument("--at-once", type=int, default=8, help="results that may be on their way (default: 8)")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "clinic.db"
        illness = make_database(path, arguments.patients)
        database = sqlite3.connect(path)
        print("the truth")
        show([TRUTH.get(name, 0) for name in NAMES])

        print("\na fit that looks up what it needs, three tests of each patient")
        source = make_source(database, arguments.patients, arguments.money)
        model = scant.LimitedRegressor(algorithm="auto", k=3, random_state=1).fit(source, illness)
        show(model.coef_)
        print(f"  {source.cost_spent:,.2f} spent on {source.attributes_bought:,} tests of {model.n_iter_:,} patients")
        print(f"  squared error, estimated from the same looks: {model.risk_estimate_:.2f} ± {model.risk_error_:.2f}")

        print(f"\nthe same by hand, with up to {arguments.at_once} results on their way")
        source = make_source(database, arguments.patients, arguments.money)
        learner = by_hand(source, illness, arguments.at_once)
        show(learner.coef)
        print(f"  {source.cost_spent:,.2f} spent on {source.attributes_bought:,} tests of {learner.told:,} patients")
        risk, error = learner.risk
        print(f"  squared error, estimated from the same looks: {risk:.2f} ± {error:.2f}")
        database.close()


if __name__ == "__main__":
    main()
