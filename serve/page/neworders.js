/* New examples: names in, orders out. */
import { h, fill, field, notice, button, submitButton, buttonLink, announce, listen, openDialog } from "./dom.js";
import { actions, choice, crumb, list, quiet, strong } from "./dom.js";
import { get, pathOf, events as net, Problem } from "./api.js";
import * as outbox from "./outbox.js";
import { link } from "./routes.js";
import { createError } from "./changes.js";
import { inOrder } from "./fields.js";
import { showMoney, showRough } from "./numbers.js";
import { t, joinNames } from "./words.js";

/* ---- new names that look like others: in the study, or in the same list ---- */

const AT_ONCE = 6;

export const isNear = (problem) => /differs from it only in/.test(problem.detail ?? "");

/* What the service leaves out when it compares names: case, blanks, the kind of dash. */
const fold = (name) =>
  name
    .replace(/[ \u00a0\u202f]/g, "")
    .replace(/[\u2010\u2013\u2212]/g, "-")
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function alikeWithin(names) {
  return new Set(names.map(fold)).size < names.length;
}

/* {known}, {old: the name it looks like}, or {}. */
async function lookUp(study, name) {
  try {
    await get(pathOf("studies", study, "examples", name));
    return { known: true };
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
    return { old: /; there is '(.+)': did you mean that\?$/.exec(problem.detail)?.[1] };
  }
}

/* [{name, old, within}]: those of the names that may be meant for others. */
async function findDoubts(study, names) {
  const found = new Map();
  const rest = [...names];
  const work = async () => {
    for (let name = rest.shift(); name !== undefined; name = rest.shift()) found.set(name, await lookUp(study, name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const first = new Map();
  const doubts = [];
  for (const name of names) {
    const { known, old } = found.get(name);
    const before = first.get(fold(name));
    if (known) continue;
    if (old) doubts.push({ name, old, within: false });
    else if (before) doubts.push({ name, old: before, within: true });
    else first.set(fold(name), name);
  }
  return doubts;
}

function drawDoubt({ name, old, within }, i) {
  const drawChoice = (value, text) => choice({ name: `doubt-${i}`, id: `doubt-${i}-${value}`, value }, text);
  return h(
    "fieldset",
    { class: "doubt" },
    h("legend", {}, name),
    quiet(t(within ? "near.within" : "near.inStudy", { old })),
    drawChoice("same", t("near.same", { old })),
    drawChoice("other", t("near.other", { name })),
  );
}

/* Nothing is chosen beforehand. The promise is kept with {same: names, others: names}, or undefined. */
function askDoubts(doubts) {
  return openDialog(t("near.title", { n: doubts.length }), (close, dialog) => {
    const error = createError();
    const chosen = (i) => dialog.querySelector(`input[name="doubt-${i}"]:checked`)?.value;
    function submit(event) {
      event.preventDefault();
      const open = doubts.findIndex((_, i) => !chosen(i));
      if (open >= 0) {
        error.say(t("near.choose", { name: doubts[open].name }));
        return dialog.querySelector(`#doubt-${open}-same`).focus();
      }
      const of = (value) => doubts.filter((_, i) => chosen(i) === value);
      close({ same: of("same"), others: of("other") });
    }
    return h(
      "form",
      { novalidate: true, onsubmit: submit },
      h("p", {}, t("near.text")),
      doubts.map(drawDoubt),
      error.place,
      actions(
        button(t("near.back"), () => close()),
        submitButton(t("near.do")),
      ),
    );
  });
}

/* ---- the screen ---- */

/* One per line; a name may have commas in it. */
function readNames(text) {
  const names = text
    .split(/[\r\n]+/)
    .map((name) => name.trim())
    .filter(Boolean);
  return { names: [...new Set(names)], twice: names.length - new Set(names).size };
}

function sayCost(forecast, n) {
  const [least, most, mean, all] = [forecast.least, forecast.most, forecast.mean, forecast.mean * n].map(showMoney);
  return t("new.forecast", { n, least, most, mean, all });
}

/* Where nothing has a price. */
function sayItems(forecast) {
  return t("new.forecastItems", {
    mean: showRough(forecast.attributes_mean),
    most: showRough(forecast.attributes_most),
  });
}

export function showNew(place, route) {
  const study = route.study.name;
  const path = pathOf("studies", study, "orders");
  const names = h("textarea", { rows: 6, autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  const count = h("p", { class: "quiet", role: "status" });
  const forecast = h("div", { role: "status" });
  const result = h("div", {});
  const order = submitButton(t("new.do"));
  names.value = route.query.get("name") ?? "";
  const mine = new Map(); /* keys of what is on its way, and its names */
  let made = [],
    catalogue = null;

  const drawCount = () => {
    const read = readNames(names.value);
    count.textContent = read.names.length
      ? t("new.count", { n: read.names.length }) + (read.twice ? ` ${t("new.twice", { n: read.twice })}` : "")
      : "";
  };

  function drawResult(orders) {
    const query = orders.map((one) => ["e", one.example]);
    fill(
      result,
      notice(
        "ok",
        strong(t("new.done", { n: orders.length })),
        list(
          orders.map((one) => [
            h("a", { href: link(study, "example", one.example) }, one.example),
            `: ${joinNames(inOrder(catalogue, [...one.lines.map((line) => line.name), one.target]))}`,
          ]),
        ),
        actions(
          buttonLink(t("work.sheets", { n: orders.length }), link(study, "sheets", null, query), "primary"),
          buttonLink(t("work.labels", { n: orders.length }), link(study, "labels", null, query)),
          buttonLink(t("new.toWork"), link(study, "work")),
        ),
      ),
    );
    result.querySelector("a").focus();
    announce(t("new.done", { n: orders.length }));
  }

  /* Each part is a write of its own; what is done of them is shown when all are answered. */
  function send(parts) {
    for (const one of parts.filter(({ examples }) => examples.length)) {
      const body = { examples: one.examples, new_name: one.newName };
      mine.set(outbox.put({ kind: "orders", study, example: null, path, body }), one.examples);
    }
    drawWaiting();
  }

  /* Everything that looks like something else is asked about, each by itself. */
  async function settle(examples, refused = false) {
    let doubts;
    order.disabled = true;
    fill(result, notice("info", t("new.sending")));
    try {
      doubts = await findDoubts(study, examples);
    } catch (error) {
      return fill(result, notice("error", strong(t("new.refused")), h("p", {}, outbox.sayFailure(error))));
    } finally {
      order.disabled = false;
    }
    fill(result);
    /* What it looked like is gone meanwhile: the next try may be taken. */
    if (refused && !doubts.length) return void fill(result, notice("error", t("new.refused"), " ", t("near.refused")));
    const decided = doubts.length ? await askDoubts(doubts) : { same: [], others: [] };
    if (!decided) {
      fill(result, notice("info", t("new.refused")));
      return names.focus();
    }
    const doubtful = new Set(doubts.map((one) => one.name));
    const sure = examples.filter((name) => !doubtful.has(name));
    send([
      { examples: [...new Set([...sure, ...decided.same.map((one) => one.old)])], newName: false },
      { examples: decided.others.map((one) => one.name), newName: true },
    ]);
  }

  function submit(event) {
    event.preventDefault();
    const read = readNames(names.value);
    if (!read.names.length) {
      names.focus();
      return announce(t("new.none"), true);
    }
    const sent = new Set([...mine.values()].flat());
    const fresh = read.names.filter((name) => !sent.has(name));
    if (!fresh.length) return outbox.flush(); /* they are on their way: now rather than in a while */
    if (!mine.size) made = [];
    if (alikeWithin(fresh)) settle(fresh);
    else send([{ examples: fresh, newName: false }]);
  }

  function onSaved({ detail: { item, answer } }) {
    if (!mine.delete(item.key)) return;
    made.push(...answer.orders);
    if (mine.size) return drawWaiting();
    names.value = "";
    drawCount();
    fill(forecast);
    drawResult(made);
  }

  function onRefused({ detail: { item, problem } }) {
    if (!mine.delete(item.key)) return;
    outbox.remove(item);
    if (isNear(problem)) return settle(item.body.examples, true);
    names.value = item.body.examples.join("\n");
    drawCount();
    const heading = made.length ? t("new.partly", { n: made.length }) : t("new.refused");
    fill(result, notice("error", strong(heading), h("p", {}, problem.detail)));
    announce(problem.detail, true);
    names.focus();
  }

  function drawWaiting() {
    if (!mine.size) return;
    const trouble = outbox.sayTrouble();
    const text = trouble ? t("new.waits", { trouble }) : t("new.sending");
    if (result.textContent === text) return;
    fill(result, notice(trouble ? "warn" : "info", text));
    if (trouble) announce(text);
  }

  async function estimate() {
    const n = readNames(names.value).names.length || 1;
    fill(forecast, quiet(t("loading")));
    try {
      const { json } = await get(pathOf("studies", study, "forecast"), { query: { count: n } });
      fill(
        forecast,
        notice(
          "info",
          h("p", {}, json.most ? sayCost(json, n) : sayItems(json)),
          json.left === null ? null : h("p", {}, t(`new.covered.${json.covered}`, { left: showMoney(json.left) })),
          h(
            "ul",
            { class: "chances" },
            json.chances.map((one) =>
              h("li", {}, t("new.chance", { name: one.name, percent: Math.round(100 * one.chance) })),
            ),
          ),
        ),
      );
    } catch (problem) {
      fill(forecast, notice("error", outbox.sayFailure(problem)));
    }
  }

  fill(
    place,
    crumb(t("nav.work"), link(study, "work")),
    h("h1", {}, t("new.title")),
    h("p", {}, t("new.text")),
    h(
      "form",
      { class: "card", onsubmit: submit },
      field(t("new.names"), names, { hint: t("new.hint") }),
      count,
      actions(order, button(t("new.estimate"), estimate)),
      forecast,
    ),
    result,
  );
  names.addEventListener("input", drawCount);
  drawCount();
  names.focus();
  const stop = listen([
    [outbox.events, "saved", onSaved],
    [outbox.events, "refused", onRefused],
    [outbox.events, "change", drawWaiting],
    [net, "connection", drawWaiting],
  ]);
  get(pathOf("studies", study)).then(
    ({ json }) => (catalogue = json),
    () => {},
  );
  return { stop };
}
