/* Paper: a sheet per example to write on, and labels for tubes. */
import {
  h,
  fill,
  notice,
  button,
  field,
  actions,
  crumb,
  quiet,
  remark,
  row,
  rowHead,
  scrolling,
  table,
} from "./dom.js";
import { get, pathOf } from "./api.js";
import { attributeOf, fieldsOf, lastOrder } from "./fields.js";
import { hardRange } from "./numbers.js";
import { showStored } from "./entry.js";
import { link } from "./routes.js";
import { t, joinNames, showDay, showTime } from "./words.js";

/* ---- Code 128, set B, as SVG: scanners type a name faster than people do ---- */

const SVG = "http://www.w3.org/2000/svg";
/* Widths of bars and gaps in turn, of values 0 to 105; the stop has seven. */
const WIDTHS = (
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221 " +
  "223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 " +
  "112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 " +
  "311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 " +
  "122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 " +
  "214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 211232"
).split(" ");
const START_B = 104,
  STOP = "2331112",
  QUIET = 10;

/* Printable ASCII, and short enough for a label. */
export const fits = (text) => /^[ -~]{1,24}$/.test(text);

export function encode(text) {
  const values = [...text].map((letter) => letter.charCodeAt(0) - 32);
  const check = values.reduce((sum, value, i) => sum + value * (i + 1), START_B) % 103;
  return [START_B, ...values, check].map((value) => WIDTHS[value]).join("") + STOP;
}

export function drawBarcode(text) {
  const svg = document.createElementNS(SVG, "svg");
  let x = QUIET;
  [...encode(text)].forEach((width, i) => {
    if (i % 2 === 0) {
      const bar = document.createElementNS(SVG, "rect");
      for (const [name, value] of Object.entries({ x, y: 0, width, height: 40 })) bar.setAttribute(name, value);
      svg.append(bar);
    }
    x += Number(width);
  });
  svg.setAttribute("viewBox", `0 0 ${x + QUIET} 40`);
  svg.setAttribute("class", "barcode");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("shape-rendering", "crispEdges");
  return svg;
}

/* ---- what is printed ---- */

async function loadAll(study, names) {
  const { json } = await get(pathOf("studies", study));
  const examples = [];
  for (const name of names) examples.push((await get(pathOf("studies", study, "examples", name))).json);
  return { study: json, examples: examples.filter((example) => lastOrder(example)) };
}

function drawSheetRow(study, one) {
  const note = one.target ? t("example.target") : one.group ? t("example.group", { group: one.group }) : null;
  const known = one.told && !study.second_entry;
  return row(
    rowHead(one.name, note ? remark(note) : null),
    one.unit ?? "",
    hardRange(attributeOf(study, one.name)),
    h("td", { class: "write" }, known ? showStored(one.value, one.missing ? one.note : null, one.unit) : ""),
  );
}

function drawSheet(study, example, title) {
  const order = lastOrder(example);
  const fields = fieldsOf(study, example).filter((one) => !one.extra);
  const heads = ["measure", "unit", "range", "value"].map((name) => t(`sheets.${name}`));
  const line = () => h("span", { class: "line" });
  return h(
    "section",
    { class: "paper sheet-page", "aria-label": t("sheets.of", { example: example.example }) },
    h(
      "div",
      { class: "paper-head" },
      h("div", {}, h("p", { class: "paper-study" }, title), h("h2", {}, example.example)),
      fits(example.example) ? drawBarcode(example.example) : null,
    ),
    h("p", {}, t("sheets.order", { number: order.order, time: showTime(order.asked_at), by: order.asked_by ?? "" })),
    scrolling(
      t("sheets.table", { example: example.example }),
      table(
        heads,
        fields.map((one) => drawSheetRow(study, one)),
      ),
    ),
    h("p", {}, t("sheets.missing", { reasons: joinNames(study.missing_reasons, "disjunction") })),
    h(
      "div",
      { class: "signs" },
      ["measured", "entered"].map((name) =>
        h("p", {}, h("span", {}, t(`sheets.${name}`)), line(), h("span", {}, t("sheets.on")), line()),
      ),
    ),
  );
}

function drawLabel(study, example, title) {
  const order = lastOrder(example);
  const fields = fieldsOf(study, example).filter((one) => !one.extra && !one.target && !one.attribute.known);
  return h(
    "section",
    { class: "label", "aria-label": t("labels.of", { example: example.example }) },
    h("p", { class: "label-study" }, `${title} · ${showDay(order.asked_at)}`),
    h("h2", {}, example.example),
    fits(example.example) ? drawBarcode(example.example) : null,
    h("p", { class: "label-what" }, fields.map((one) => one.name).join(", ")),
  );
}

function show(place, route, kind, draw) {
  const study = route.study.name;
  const names = route.query.getAll("e");
  const paper = h("div", { class: `papers ${kind}` }, quiet(t("loading")));
  const print = button(t("print"), () => window.print(), { class: "primary", disabled: true });
  const copies = h("input", { type: "number", min: 1, max: 50, value: 1, inputmode: "numeric" });
  fill(
    place,
    h(
      "div",
      { class: "screen-only" },
      names.length === 1
        ? crumb(names[0], link(study, "example", names[0]))
        : crumb(t("nav.work"), link(study, "work")),
      h("h1", {}, t(`${kind}.title`, { n: names.length })),
      h("p", {}, t(`${kind}.text`)),
      kind === "labels" ? field(t("labels.copies"), copies) : null,
      actions(print),
    ),
    paper,
  );
  let found = null;
  const drawAll = () => {
    if (!found) return;
    const times = kind === "labels" ? Math.min(50, Math.max(1, Number(copies.value) || 1)) : 1;
    fill(
      paper,
      found.examples.flatMap((example) =>
        Array.from({ length: times }, () => draw(found.study, example, route.study.title || study)),
      ),
    );
    print.disabled = false;
  };
  copies.addEventListener("input", drawAll);
  loadAll(study, names).then(
    (all) => {
      found = all;
      drawAll();
    },
    (problem) => fill(paper, notice("error", problem.message || t("act.noConnection"))),
  );
}

// Functions, not constants: routes.js imports them, and this module imports it by others.
export function showSheets(place, route) {
  return show(place, route, "sheets", drawSheet);
}

export function showLabels(place, route) {
  return show(place, route, "labels", drawLabel);
}
