/* Paper: a sheet per example to write on, and labels for tubes. */
import { h, fill, notice, button, field } from "./dom.js";
import { get, pathOf } from "./api.js";
import { attributeOf, fieldsOf, lastOrder } from "./fields.js";
import { hardRange } from "./numbers.js";
import { showStored } from "./entry.js";
import { link } from "./routes.js";
import { drawBarcode, fits } from "./barcode.js";
import { t, joinNames, showDay, showTime } from "./words.js";

async function loadAll(study, names) {
  const { json } = await get(pathOf("studies", study));
  const examples = [];
  for (const name of names) examples.push((await get(pathOf("studies", study, "examples", name))).json);
  return { study: json, examples: examples.filter((example) => lastOrder(example)) };
}

function drawSheet(study, example, title) {
  const order = lastOrder(example);
  const blind = study.second_entry;
  const fields = fieldsOf(study, example).filter((one) => !one.extra);
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
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": t("sheets.table", { example: example.example }) },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["measure", "unit", "range", "value"].map((name) => h("th", { scope: "col" }, t(`sheets.${name}`))),
          ),
        ),
        h(
          "tbody",
          {},
          fields.map((one) =>
            h(
              "tr",
              {},
              h(
                "th",
                { scope: "row" },
                one.name,
                one.target
                  ? h("span", { class: "quiet" }, ` ${t("example.target")}`)
                  : one.group
                    ? h("span", { class: "quiet" }, ` ${t("example.group", { group: one.group })}`)
                    : null,
              ),
              h("td", {}, one.unit ?? ""),
              h("td", {}, hardRange(attributeOf(study, one.name))),
              h(
                "td",
                { class: "write" },
                one.told && !blind ? showStored(one.value, one.missing ? one.note : null, one.unit) : "",
              ),
            ),
          ),
        ),
      ),
    ),
    h("p", {}, t("sheets.missing", { reasons: joinNames(study.missing_reasons, "disjunction") })),
    h(
      "div",
      { class: "signs" },
      ["measured", "entered"].map((name) =>
        h(
          "p",
          {},
          h("span", {}, t(`sheets.${name}`)),
          h("span", { class: "line" }),
          h("span", {}, t("sheets.on")),
          h("span", { class: "line" }),
        ),
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
  const paper = h("div", { class: `papers ${kind}` }, h("p", { class: "quiet" }, t("loading")));
  const print = button(t("print"), () => window.print(), { class: "primary", disabled: true });
  const copies = h("input", { type: "number", min: 1, max: 50, value: 1, inputmode: "numeric" });
  fill(
    place,
    h(
      "div",
      { class: "screen-only" },
      h(
        "p",
        { class: "crumb" },
        h(
          "a",
          { href: names.length === 1 ? link(study, "example", names[0]) : link(study, "work") },
          names.length === 1 ? names[0] : t("nav.work"),
        ),
      ),
      h("h1", {}, t(`${kind}.title`, { n: names.length })),
      h("p", {}, t(`${kind}.text`)),
      kind === "labels" ? field(t("labels.copies"), copies) : null,
      h("div", { class: "actions" }, print),
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

export const showSheets = (place, route) => show(place, route, "sheets", drawSheet);
export const showLabels = (place, route) => show(place, route, "labels", drawLabel);
