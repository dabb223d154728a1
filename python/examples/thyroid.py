#!/usr/bin/env python3
"""Thyroid disease from tests that cost money.

FOLDER holds train.csv and test.csv, whose last column, class, is 1 for a healthy patient and
-1 for others, and costs.csv with the lines `attribute,cost`.  The data are UCI's
ann-thyroid, the costs those of Turney (1995): a question costs 1 dollar, a blood test 11 to 26.

Two looks at each patient, until the money is spent: where did it go?  And does it last longer
if looks follow prices (thrift, the default)?
"""

import argparse
import pathlib

import pandas as pd

import scant


def read(path):
    table = pd.read_csv(path)
    return table.drop(columns="class"), table["class"]


def show_money(model, costs):
    """Which attributes the money was spent on."""
    price = pd.read_csv(costs).set_index("attribute")["cost"][model.feature_names_in_]
    table = pd.DataFrame({"cost": price, "purchases": model.purchases_, "spent": model.purchases_ * price})
    print(table.sort_values("spent", ascending=False).head(8).to_string(float_format="{:,.2f}".format))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path, help="where the three files are")
    parser.add_argument("--money", type=float, default=19000, help="dollars to spend in all (default: 19000)")
    parser.add_argument("--plot", metavar="FILE", help="draw the curves into this file (.png, .svg, .pdf)")
    parser.add_argument("--runs", type=int, default=20, help="runs, with seeds 0, 1, 2 ... (default: 20)")
    parser.add_argument("--jobs", type=int, help="runs at once")
    arguments = parser.parse_args()
    costs = arguments.folder / "costs.csv"
    for path in (arguments.folder / "train.csv", arguments.folder / "test.csv", costs):
        if not path.exists():
            parser.error(f"there is no {path}")

    X, y = read(arguments.folder / "train.csv")
    X_test, y_test = read(arguments.folder / "test.csv")
    limits = {"algorithm": "auto", "k": 2, "costs": costs, "budget_cost": arguments.money}
    model = scant.LimitedRegressor(**limits, random_state=0).fit(X, y)
    print(
        f"{model.cost_spent_:,.2f} of {arguments.money:,.2f} dollars bought {model.attributes_bought_:,} values of "
        f"{model.n_iter_:,} of the {len(y):,} patients.\nMost of it went into\n"
    )
    show_money(model, costs)

    print("\nThe squared error on other patients as the money goes, with thrift and without:\n")
    curve = scant.budget_curve(
        {
            "thrift": scant.LimitedRegressor(**limits),
            "no thrift": scant.LimitedRegressor(**limits, thrift=False),
        },
        X,
        y,
        X_test=X_test,
        y_test=y_test,
        runs=arguments.runs,
        n_jobs=arguments.jobs,
    )
    print(curve)
    print(
        f"\nFor the same money thrift looked at {curve['thrift'].examples[-1]:,.0f} patients, and "
        f"{curve['no thrift'].examples[-1]:,.0f} were looked at without."
    )
    if arguments.plot:
        curve.plot(against="money").figure.savefig(arguments.plot, dpi=150)
        print(f"The curves are in {arguments.plot}.")


if __name__ == "__main__":
    main()
