"""Draws error against attributes bought: plot.py TABLE.csv OUT.svg"""

import csv
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 660, 380, 64, 100, 20, 52
COLOURS = {"auto": "#7a4ea3", "aerr": "#1b6e3c", "aelr": "#1f5fa8", "aer": "#b5332e", "coinflip": "#8a8a8a"}


def main(table, out):
    curves = {}
    with open(table, newline="") as f:
        for row in csv.DictReader(f):
            point = (int(row["attributes_bought"]), float(row["squared_error"]))
            curves.setdefault(row["algorithm"], []).append(point)
    xs = [x for curve in curves.values() for x, _ in curve]
    low, high = math.log10(min(xs)), math.log10(max(xs))

    def across(x):
        return LEFT + (math.log10(x) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def down(y):
        return TOP + (1 - min(y, 1.05) / 1.05) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="13" fill="#333">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tick in range(0, 11, 2):
        y = down(tick / 10)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e3e3e3"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick / 10:.1f}</text>')
    for exponent in range(math.floor(low), math.ceil(high) + 1):
        for digit in (1, 2, 5):
            value = digit * 10**exponent
            if min(xs) <= value <= max(xs):
                parts.append(
                    f'<text x="{across(value):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{value:,}</text>'
                )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle">attributes bought: at most 14 of 196 per example (dashed: on average)</text>'
    )
    parts.append(
        f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">test squared error</text>'
    )
    labels = []
    for name, curve in curves.items():
        points = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in curve)
        dashes = ' stroke-dasharray="6 4"' if name == "coinflip" else ""  # K holds on average only
        parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[name]}" stroke-width="2.5"{dashes}/>')
        labels.append([down(curve[-1][1]) + 4, name, across(curve[-1][0]) + 8])
    labels.sort()
    for i, label in enumerate(labels):  # labels that would overlap move apart
        if i and label[0] < labels[i - 1][0] + 15:
            label[0] = labels[i - 1][0] + 15
        y, name, x = label
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{COLOURS[name]}" font-weight="bold">{name}</text>')
    parts.append("</svg>")
    with open(out, "w") as f:
        f.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
