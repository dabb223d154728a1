"""Curves as a table and as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .curves import BudgetCurve, Curve

_AXES = {"attributes": "attributes bought", "examples": "training examples", "money": "money spent"}

# Okabe and Ito's colours, which people who see colours differently can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = "osD^vP"
_REFERENCE_COLOURS = ("#333333", "#888888")
_DASHES = ((0, (6, 3)), (0, (2, 2)), (0, (7, 2, 1.5, 2)))


# ---- the table ---------------------------------------------------------------


def _some(count: int, most: int = 5) -> list[int]:
    """At most this many of the points, the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round((i + 1) * count / most) - 1 for i in range(most)})


def _plus_minus(mean: float, error: float) -> str:
    """To two figures of the error."""
    if np.isnan(mean):
        return ""
    if np.isnan(error) or error <= 1e-9 * abs(mean):
        return f"{mean:.4g}"
    decimals = max(0, 1 - math.floor(math.log10(error)))
    if decimals > 6:
        return f"{mean:.3g} ± {error:.2g}"
    return f"{mean:.{decimals}f} ± {error:.{decimals}f}"


def aligned(rows: list[list[str]]) -> list[str]:
    """A line for each row: the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]


def table(curve: BudgetCurve) -> str:
    """What a BudgetCurve prints."""
    paid = any(curve[label].money is not None for label in curve)
    rows = [["", "examples", "attributes", *(["money"] if paid else []), "test part", "risk estimate"]]
    for label in curve:
        one = curve[label]
        for number, i in enumerate(_some(len(one))):
            row = ["" if number else label, f"{one.examples[i]:,.0f}", f"{one.attributes[i]:,.0f}"]
            if paid:
                row.append("" if one.money is None else f"{one.money[i]:,.2f}")
            row.append(_plus_minus(one.error[i], one.error_se[i]))
            row.append("all attributes" if label in curve.references else _plus_minus(one.risk[i], one.risk_error[i]))
            rows.append(row)
    runs = f"mean of {curve.runs} runs ± one standard error" if curve.runs > 1 else "one run"
    head = f"{curve.metric}, {runs}"
    if any(len(one) > 5 for one in curve.curves.values()):
        head += "; to_frame() has all points"
    return "\n".join([head, *aligned(rows)])


# ---- the picture -------------------------------------------------------------


def _new_axes() -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plots need matplotlib: pip install 'scant-learn[plot]'") from missing
    return pyplot.subplots(figsize=(9, 4.5), layout="constrained")[1]


def _cost(reference: Curve, against: str) -> str:
    """What a reference costs, for the legend."""
    amounts = reference.money if against == "money" else reference.attributes
    if amounts is None:
        return ""
    amount = f"{amounts[0] / 1e6:,.3g} million" if amounts[0] >= 1e6 else f"{amounts[0]:,.0f}"
    return f"\n(all attributes, for {amount})" if against == "money" else f"\n(all attributes: {amount})"


def _draw(curve: BudgetCurve, against: str, ax: Axes) -> Axes:
    ends = []
    for number, (label, one) in enumerate(curve.curves.items()):
        across = getattr(one, against)
        colour = _COLOURS[number % len(_COLOURS)]
        ax.plot(
            across,
            one.error,
            label=label,
            color=colour,
            linewidth=2,
            marker=_MARKERS[number % len(_MARKERS)],
            markersize=5,
            markeredgecolor="white",
            markeredgewidth=0.6,
        )
        if not np.isnan(one.error_se).any():
            ax.fill_between(across, one.error - one.error_se, one.error + one.error_se, color=colour, alpha=0.2, lw=0)
        ends.append(across[-1])
    for number, (label, one) in enumerate(curve.references.items()):
        ax.axhline(
            one.error[0],
            label=label + _cost(one, against),
            color=_REFERENCE_COLOURS[number % len(_REFERENCE_COLOURS)],
            linestyle=_DASHES[number % len(_DASHES)],
            linewidth=1.5,
            zorder=1.5,
        )
    _dress(ax, against, curve.metric, logarithmic=max(ends) >= 5 * min(ends) > 0)
    return ax


def _dress(ax: Axes, against: str, metric: str, logarithmic: bool) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ax.set_xlabel(_AXES[against])
    ax.set_ylabel(f"{metric} on the test part")
    if logarithmic:
        ax.set_xscale("log")
        low, high = ax.get_xlim()
        if high < 1000 * low:  # room for more than the powers of ten
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.xaxis.set_minor_formatter(NullFormatter())
    else:
        ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.grid(color="#e3e3e3", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)  # beside the lines, never on them


def plot(curve: BudgetCurve, against: str, ax: Axes | None) -> Axes:
    """What a BudgetCurve draws."""
    if against not in _AXES:
        raise ValueError(f"against={against!r} is not one of {', '.join(map(repr, _AXES))}")
    for label, one in curve.curves.items():
        if against == "money" and one.money is None:
            raise ValueError(f"there is no money to draw against: {label!r} was fitted without costs=")
    return _draw(curve, against, _new_axes() if ax is None else ax)
