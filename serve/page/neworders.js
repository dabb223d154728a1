/* New examples: names in, orders out. */
import { h, fill, field, notice, button, announce } from "./dom.js";
import { get, pathOf, events as net } from "./api.js";
import * as outbox from "./outbox.js";
import { link } from "./routes.js";
import { alikeWithin, askDoubts, findDoubts, isNear } from "./lookalikes.js";
import { inOrder } from "./fields.js";
import { showMoney, showRough } from "./numbers.js";
import { t, joinNames } from "./words.js";

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
  const order = h("button", { type: "submit", class: "primary" }, t("new.do"));
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
        h("p", {}, h("strong", {}, t("new.done", { n: orders.length }))),
        h(
          "ul",
          {},
          orders.map((one) =>
            h(
              "li",
              {},
              h("a", { href: link(study, "example", one.example) }, one.example),
              `: ${joinNames(inOrder(catalogue, [...one.lines.map((line) => line.name), one.target]))}`,
            ),
          ),
        ),
        h(
          "div",
          { class: "actions" },
          h(
            "a",
            { class: "button primary", href: link(study, "sheets", null, query) },
            t("work.sheets", { n: orders.length }),
          ),
          h("a", { class: "button", href: link(study, "labels", null, query) }, t("work.labels", { n: orders.length })),
          h("a", { class: "button", href: link(study, "work") }, t("new.toWork")),
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
      return fill(
        result,
        notice("error", h("p", {}, h("strong", {}, t("new.refused"))), h("p", {}, outbox.sayFailure(error))),
      );
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
    fill(
      result,
      notice(
        "error",
        h("p", {}, h("strong", {}, made.length ? t("new.partly", { n: made.length }) : t("new.refused"))),
        h("p", {}, problem.detail),
      ),
    );
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
    fill(forecast, h("p", { class: "quiet" }, t("loading")));
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
    h("p", { class: "crumb" }, h("a", { href: link(study, "work") }, t("nav.work"))),
    h("h1", {}, t("new.title")),
    h("p", {}, t("new.text")),
    h(
      "form",
      { class: "card", onsubmit: submit },
      field(t("new.names"), names, { hint: t("new.hint") }),
      count,
      h("div", { class: "actions" }, order, button(t("new.estimate"), estimate)),
      forecast,
    ),
    result,
  );
  names.addEventListener("input", drawCount);
  drawCount();
  names.focus();
  outbox.events.addEventListener("saved", onSaved);
  outbox.events.addEventListener("refused", onRefused);
  outbox.events.addEventListener("change", drawWaiting);
  net.addEventListener("connection", drawWaiting);
  get(pathOf("studies", study)).then(
    ({ json }) => (catalogue = json),
    () => {},
  );
  return {
    stop() {
      outbox.events.removeEventListener("saved", onSaved);
      outbox.events.removeEventListener("refused", onRefused);
      outbox.events.removeEventListener("change", drawWaiting);
      net.removeEventListener("connection", drawWaiting);
    },
  };
}
