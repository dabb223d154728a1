/* What can be measured and what it may cost; changes of both, with a reason, tried before they are made. */
import { h, fill, fillIf, notice, field as labelled, button, submitButton, openDialog, announce } from "./dom.js";
import { actions, card, grid, number, quiet, remark, row, rowHead, scrolling, table } from "./dom.js";
import { call, get, pathOf, watch } from "./api.js";
import { actForm, createError, reasonBox, sayFailed } from "./changes.js";
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

/* `at`: the study, the tag of its terms, and what is done behind a change. A dialog with boxes; what it reads is tried, and its error stays in the dialog. */
function changeDialog({ study, terms, done }, title, parts, read) {
  return openDialog(title, (close) => {
    const error = createError();
    async function submit(event) {
      event.preventDefault();
      const { content, wrong } = read();
      if (wrong) return error.say(wrong);
      try {
        if (await amend(study, terms, content, done)) close(true);
      } catch (failure) {
        sayFailed(failure, error, sayRefusal);
      }
    }
    return h(
      "form",
      { novalidate: true, onsubmit: submit },
      parts,
      error.place,
      actions(
        button(t("cancel"), () => close()),
        submitButton(t("amend.try")),
      ),
    );
  });
}

function changeAttribute(at, one) {
  const boxes = Object.fromEntries(
    ["cost", "unit", "low", "high", "usual_low", "usual_high", "group"].map((column) => [
      column,
      column === "cost" ? textBox(one.cost ? showMoney(one.cost) : "", "decimal") : textBox(one[column]),
    ]),
  );
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
    grid(Object.entries(boxes).map(([column, box]) => labelled(t(`columns.${column}`), box))),
    isNew ? null : h("label", { class: "tickline", for: "retired" }, retired, t("amend.retired")),
  ];
  return changeDialog(at, isNew ? t("amend.new") : t("amend.attribute", { name: one.name }), parts, read);
}

function changeSettings(at, settings) {
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
  const parts = grid(SETTINGS.map((name) => labelled(t(`settings.${name}`), boxes[name])));
  return changeDialog(at, t("amend.settings"), parts, read);
}

export function showCatalogue(place, route) {
  const study = route.study.name;
  const body = h("div", { class: "stack" }, quiet(t("loading")));
  fill(place, h("h1", {}, t("catalogue.title")), h("p", {}, t("catalogue.text")), body);
  let about = null;
  const watching = watch(
    (noneMatch) => get(pathOf("studies", study), { noneMatch }),
    (json) => {
      about = json;
      fillIf(body, [json.attributes, json.settings, json.missing_reasons], draw);
    },
    (problem) => fill(body, notice("error", problem.message)),
  );
  const at = { study, terms: () => about.terms_etag, done: () => watching.look() };

  function drawRow(one) {
    return row(
      rowHead(
        one.name,
        one.known ? remark(t("catalogue.known")) : null,
        one.retired ? h("span", { class: "chip" }, t("catalogue.retired")) : null,
      ),
      one.unit ?? "",
      number(one.cost ? showMoney(one.cost) : ""),
      hardRange(one),
      usualRange(one),
      one.group ?? "",
      button(t("catalogue.change"), () => changeAttribute(at, one), {
        class: "plain small",
        "aria-label": t("catalogue.changeOf", { name: one.name }),
      }),
    );
  }

  const pair = (name, value) => [h("dt", {}, t(`settings.${name}`)), h("dd", {}, value)];

  function showSetting(name, value) {
    if (!value) return t("settings.none");
    return ["spend", "budget_cost"].includes(name) ? showMoney(value) : showNumber(value);
  }

  function draw() {
    const settings = about.settings;
    const heads = ["name", "unit", "cost", "range", "usual", "group"].map((name) => t(`columns.${name}`));
    return [
      card(
        t("catalogue.attributes"),
        scrolling(t("catalogue.attributes"), table([...heads, h("td", {})], about.attributes.map(drawRow))),
        actions(button(t("amend.new"), () => changeAttribute(at, {}))),
      ),
      card(
        t("catalogue.settings"),
        h(
          "dl",
          { class: "pairs" },
          pair("target", about.target),
          pair("algorithm", settings.algorithm),
          SETTINGS.map((name) => pair(name, showSetting(name, settings[name]))),
          pair("second_entry", t(about.second_entry ? "yes" : "no")),
          pair("reasons", about.missing_reasons.join(", ")),
        ),
        actions(button(t("amend.settings"), () => changeSettings(at, settings))),
      ),
    ];
  }
  return watching;
}
