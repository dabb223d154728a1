/* What can be measured and what it may cost; changes of both, with a reason, tried before they are made. */
import { h, fill, fillIf, notice, field as labelled, button, openDialog, announce } from "./dom.js";
import { call, get, pathOf, watch, NoConnection, Problem } from "./api.js";
import { reasonBox, createError } from "./correct.js";
import { actForm } from "./manage.js";
import { hardRange, readNumber, showMoney, showNumber, usualRange } from "./numbers.js";
import { sayChange } from "./history.js";
import { t, sayRefusal } from "./words.js";

const NUMBERS = ["cost", "low", "high", "usual_low", "usual_high"];
const SETTINGS = ["k", "spend", "budget", "budget_cost", "max_open"];

const textBox = (value, mode = "text") =>
  h("input", { type: "text", inputmode: mode, autocomplete: "off", value: value ?? "" });

/* The columns that have changed: {column: value, null: taken away}; or {wrong: sentence}. */
function readColumns(boxes, before) {
  const changed = {};
  for (const [column, box] of Object.entries(boxes)) {
    const text = box.value.trim();
    if (NUMBERS.includes(column)) {
      const read = readNumber(text);
      if (read.error) return { wrong: `${t(`columns.${column}`)}: ${read.error}` };
      const now = read.empty ? null : read.value;
      if (now !== (before[column] ?? null) && !(column === "cost" && !now && !before.cost)) changed[column] = now;
    } else if (text !== (before[column] ?? "")) changed[column] = text || null;
  }
  return { changed };
}

/* A change is tried first: the service says in words what it would do, and then it is done. */
async function amend(study, terms, content, done) {
  const path = `${pathOf("studies", study)}/amendments`;
  const trial = await call("POST", path, {
    body: { ...content, reason: content.reason || "-", trial: true },
    match: terms(),
  });
  return openDialog(t("amend.sure"), (close) => {
    const reason = reasonBox();
    return actForm({
      close,
      label: t("amend.do"),
      path,
      match: terms,
      parts: [
        notice("info", trial.json.change ? sayChange(trial.json.change) : t("amend.nothing")),
        h("p", {}, t("amend.text")),
        labelled(t("reason.label"), reason),
      ],
      check: () => (reason.value.trim() ? null : (reason.focus(), t("reason.needed"))),
      body: () => ({ ...content, reason: reason.value.trim() }),
      done: () => {
        announce(t("amend.done"));
        done();
      },
    });
  });
}

/* A dialog with boxes; what it reads is tried, and its error stays in the dialog. */
function changeDialog(title, parts, read, study, terms, done) {
  return openDialog(title, (close) => {
    const error = createError();
    async function submit(event) {
      event.preventDefault();
      const { content, wrong } = read();
      if (wrong) return error.say(wrong);
      try {
        if (await amend(study, terms, content, done)) close(true);
      } catch (failure) {
        if (failure instanceof NoConnection) error.say(t("act.noConnection"));
        else if (failure instanceof Problem)
          error.say(failure.status === 412 ? t("act.changed") : sayRefusal(failure.message));
        else throw failure;
      }
    }
    return h(
      "form",
      { novalidate: true, onsubmit: submit },
      parts,
      error.place,
      h(
        "div",
        { class: "actions" },
        button(t("cancel"), () => close()),
        h("button", { type: "submit", class: "primary" }, t("amend.try")),
      ),
    );
  });
}

function changeAttribute(study, terms, one, done) {
  const boxes = {
    cost: textBox(one.cost ? showMoney(one.cost) : "", "decimal"),
    unit: textBox(one.unit),
    low: textBox(one.low),
    high: textBox(one.high),
    usual_low: textBox(one.usual_low),
    usual_high: textBox(one.usual_high),
    group: textBox(one.group),
  };
  const retired = h("input", { type: "checkbox", id: "retired" });
  retired.checked = Boolean(one.retired);
  const name = textBox("");
  const isNew = !one.name;
  const read = () => {
    const { changed, wrong } = readColumns(boxes, one);
    if (wrong) return { wrong };
    if (isNew && !name.value.trim()) return { wrong: t("amend.needName") };
    if (!isNew && retired.checked !== Boolean(one.retired)) changed.retired = retired.checked;
    if (!isNew && !Object.keys(changed).length) return { wrong: t("amend.nothing") };
    return {
      content: {
        attributes: [isNew ? { name: name.value.trim(), new: true, ...changed } : { name: one.name, ...changed }],
      },
    };
  };
  const parts = [
    isNew ? labelled(t("columns.name"), name) : null,
    h(
      "div",
      { class: "grid2" },
      Object.entries(boxes).map(([column, box]) => labelled(t(`columns.${column}`), box)),
    ),
    isNew ? null : h("label", { class: "tickline", for: "retired" }, retired, t("amend.retired")),
  ];
  return changeDialog(
    isNew ? t("amend.new") : t("amend.attribute", { name: one.name }),
    parts,
    read,
    study,
    terms,
    done,
  );
}

function changeSettings(study, terms, settings, done) {
  const boxes = Object.fromEntries(SETTINGS.map((name) => [name, textBox(settings[name] || "", "decimal")]));
  const read = () => {
    const changed = {};
    for (const [name, box] of Object.entries(boxes)) {
      const found = readNumber(box.value);
      if (found.error) return { wrong: `${t(`settings.${name}`)}: ${found.error}` };
      if ((found.value ?? 0) !== (settings[name] ?? 0)) changed[name] = found.value ?? 0;
    }
    return Object.keys(changed).length ? { content: { settings: changed } } : { wrong: t("amend.nothing") };
  };
  return changeDialog(
    t("amend.settings"),
    h(
      "div",
      { class: "grid2" },
      SETTINGS.map((name) => labelled(t(`settings.${name}`), boxes[name])),
    ),
    read,
    study,
    terms,
    done,
  );
}

export function showCatalogue(place, route) {
  const study = route.study.name;
  const body = h("div", { class: "stack" }, h("p", { class: "quiet" }, t("loading")));
  fill(place, h("h1", {}, t("catalogue.title")), h("p", {}, t("catalogue.text")), body);
  let about = null;
  const terms = () => about.terms_etag;
  const watching = watch(
    (noneMatch) => get(pathOf("studies", study), { noneMatch }),
    (json) => {
      about = json;
      fillIf(body, [json.attributes, json.settings, json.missing_reasons], draw);
    },
    (problem) => fill(body, notice("error", problem.message)),
  );
  const done = () => watching.look();

  function drawRow(one) {
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        one.name,
        one.known ? h("span", { class: "quiet" }, ` ${t("catalogue.known")}`) : null,
        one.retired ? h("span", { class: "chip" }, t("catalogue.retired")) : null,
      ),
      h("td", {}, one.unit ?? ""),
      h("td", { class: "number" }, one.cost ? showMoney(one.cost) : ""),
      h("td", {}, hardRange(one)),
      h("td", {}, usualRange(one)),
      h("td", {}, one.group ?? ""),
      h(
        "td",
        {},
        button(t("catalogue.change"), () => changeAttribute(study, terms, one, done), {
          class: "plain small",
          "aria-label": t("catalogue.changeOf", { name: one.name }),
        }),
      ),
    );
  }

  function draw() {
    const settings = about.settings;
    return [
      h(
        "section",
        { class: "card" },
        h("h2", {}, t("catalogue.attributes")),
        h(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": t("catalogue.attributes") },
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["name", "unit", "cost", "range", "usual", "group"].map((name) =>
                  h("th", { scope: "col" }, t(`columns.${name}`)),
                ),
                h("td", {}),
              ),
            ),
            h("tbody", {}, about.attributes.map(drawRow)),
          ),
        ),
        h(
          "div",
          { class: "actions" },
          button(t("amend.new"), () => changeAttribute(study, terms, {}, done)),
        ),
      ),
      h(
        "section",
        { class: "card" },
        h("h2", {}, t("catalogue.settings")),
        h(
          "dl",
          { class: "pairs" },
          h("dt", {}, t("settings.target")),
          h("dd", {}, about.target),
          h("dt", {}, t("settings.algorithm")),
          h("dd", {}, settings.algorithm),
          SETTINGS.map((name) => [
            h("dt", {}, t(`settings.${name}`)),
            h(
              "dd",
              {},
              settings[name]
                ? ["spend", "budget_cost"].includes(name)
                  ? showMoney(settings[name])
                  : showNumber(settings[name])
                : t("settings.none"),
            ),
          ]),
          h("dt", {}, t("settings.second_entry")),
          h("dd", {}, t(about.second_entry ? "yes" : "no")),
          h("dt", {}, t("settings.reasons")),
          h("dd", {}, about.missing_reasons.join(", ")),
        ),
        h(
          "div",
          { class: "actions" },
          button(t("amend.settings"), () => changeSettings(study, terms, settings, done)),
        ),
      ),
    ];
  }
  return watching;
}
