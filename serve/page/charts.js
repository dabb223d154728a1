/* Charts, drawn as SVG by hand. Colours are classes of the style sheet, so they follow light and dark; every chart has a
 * sentence for those who do not see it, and stands beside a table with the same numbers. */
import { showRough } from "./numbers.js";

const SVG = "http://www.w3.org/2000/svg";

function s(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const picture = (width, height, label) =>
  s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": label });

/* About `count` round numbers from 0 or `low` up to `high`. */
function ticks(low, high, count = 5) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 5, 10].map((m) => m * power).find((one) => span / one <= count) ?? 10 * power;
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++)
    found.push(Number((i * step).toPrecision(12)));
  return found;
}

/* A line with a band around it: points [{x, y, error}], the band two standard errors wide on each side. */
export function drawBand(points, { label, xTitle, yTitle }) {
  const width = 640,
    height = 300,
    left = 72,
    right = 16,
    top = 12,
    bottom = 54;
  const known = points.filter((p) => Number.isFinite(p.y) && p.y !== null);
  const svg = picture(width, height, label);
  const xs = known.map((p) => p.x);
  const most = Math.max(...known.map((p) => p.y + 2 * (p.error ?? 0)), 0);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const ys = ticks(0, most * 1.02);
  const high = Math.max(most * 1.02, ys[ys.length - 1]);
  const px = (x) => (x1 > x0 ? left + ((x - x0) / (x1 - x0)) * (width - left - right) : (left + width - right) / 2);
  const py = (y) => height - bottom - (Math.max(0, y) / high) * (height - top - bottom);
  for (const y of ys) {
    svg.append(
      s("line", { class: "grid", x1: left, x2: width - right, y1: py(y), y2: py(y) }),
      s("text", { class: "tick", x: left - 8, y: py(y) + 4, "text-anchor": "end" }, showRough(y)),
    );
  }
  for (const x of x1 > x0 ? ticks(x0, x1, 6).filter(Number.isInteger) : xs.slice(0, 1))
    svg.append(
      s("text", { class: "tick", x: px(x), y: height - bottom + 22, "text-anchor": "middle" }, showRough(x, 6)),
    );
  const upper = known.map((p) => `${px(p.x)},${py(p.y + 2 * (p.error ?? 0))}`);
  const lower = known.map((p) => `${px(p.x)},${py(p.y - 2 * (p.error ?? 0))}`).reverse();
  if (known.length > 1)
    svg.append(
      s("polygon", { class: "band", points: [...upper, ...lower].join(" ") }),
      s("polyline", { class: "line", points: known.map((p) => `${px(p.x)},${py(p.y)}`).join(" ") }),
    );
  else
    for (const p of known)
      svg.append(
        s("line", {
          class: "line",
          x1: px(p.x),
          x2: px(p.x),
          y1: py(p.y + 2 * (p.error ?? 0)),
          y2: py(p.y - 2 * (p.error ?? 0)),
        }),
      );
  const end = known[known.length - 1];
  if (end) svg.append(s("circle", { class: "dot", cx: px(end.x), cy: py(end.y), r: 4 }));
  svg.append(
    s("text", { class: "axis", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, xTitle),
    s(
      "text",
      {
        class: "axis",
        x: 14,
        y: (height - bottom + top) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 14 ${(height - bottom + top) / 2})`,
      },
      yTitle,
    ),
  );
  return svg;
}

/* One bar of parts {name: value}; the names are classes. */
export function drawParts(parts, total, label) {
  const svg = picture(600, 22, label);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.classList.add("parts");
  let x = 0;
  svg.append(s("rect", { class: "rest", x: 0, y: 0, width: 600, height: 22 }));
  for (const [name, value] of Object.entries(parts)) {
    const width = total > 0 ? (600 * Math.max(0, value)) / total : 0;
    svg.append(s("rect", { class: name, x, y: 0, width, height: 22 }));
    x += width;
  }
  return svg;
}

/* A bar in a cell of a table; the number stands beside it. */
export function drawBar(value, most) {
  const svg = s("svg", {
    viewBox: "0 0 200 14",
    class: "chart amounts",
    "aria-hidden": "true",
    preserveAspectRatio: "none",
  });
  svg.append(s("rect", { class: "amount", x: 0, y: 0, width: most > 0 ? (200 * value) / most : 0, height: 14 }));
  return svg;
}

/* An estimate with its interval, on an axis that all rows share. */
export function drawInterval({ weight, low, high }, [from, to]) {
  const svg = s("svg", { viewBox: "0 0 240 18", class: "chart interval", "aria-hidden": "true" });
  const px = (x) => 6 + (228 * (x - from)) / (to - from || 1);
  svg.append(s("line", { class: "zero", x1: px(0), x2: px(0), y1: 0, y2: 18 }));
  if (Number.isFinite(low) && low !== null && high !== null)
    svg.append(s("line", { class: "range", x1: px(low), x2: px(high), y1: 9, y2: 9 }));
  svg.append(s("circle", { class: "dot", cx: px(weight), cy: 9, r: 4 }));
  return svg;
}
