/* New examples: names in, orders out. */
import { h, fill, field, notice, button, announce, ask } from "./dom.js";
import { get, pathOf, connection } from "./api.js";
import * as outbox from "./outbox.js";
import { link } from "./routes.js";
import { showMoney, showRough } from "./numbers.js";
import { t, joinNames } from "./words.js";

const isNear = (problem) =>
  problem.code === "near_name" || problem.code === "near" || /differs from it only in/.test(problem.detail ?? "");

function readNames(text) {
  const names = text
    .split(/[\n;,\t]/)
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
  let mine = null;

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
              `: ${joinNames([...one.lines.map((line) => line.name), one.target])}`,
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

  function send(examples, newName) {
    mine = outbox.put({ kind: "orders", study, example: null, path, body: { examples, new_name: newName } });
    order.disabled = true;
    fill(result, notice("info", t("new.sending")));
  }

  function submit(event) {
    event.preventDefault();
    const read = readNames(names.value);
    if (!read.names.length) {
      names.focus();
      return announce(t("new.none"), true);
    }
    send(read.names, false);
  }

  function onSaved({ detail: { item, answer } }) {
    if (item.key !== mine) return;
    order.disabled = false;
    names.value = "";
    drawCount();
    fill(forecast);
    drawResult(answer.orders);
  }

  async function onRefused({ detail: { item, problem } }) {
    if (item.key !== mine) return;
    order.disabled = false;
    outbox.remove(item);
    fill(result, notice("error", h("p", {}, h("strong", {}, t("new.refused"))), h("p", {}, problem.detail)));
    announce(problem.detail, true);
    if (isNear(problem) && (await ask(t("new.nearTitle"), problem.detail, t("new.nearYes"), { no: t("new.nearNo") })))
      return send(item.body.examples, true);
    names.focus();
  }

  const onChange = () => {
    if (mine && connection.lost && outbox.list().some((item) => item.key === mine))
      fill(result, notice("warn", t("new.waits")));
  };

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
      fill(forecast, notice("error", problem.message || t("act.noConnection")));
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
  outbox.events.addEventListener("change", onChange);
  return {
    stop() {
      outbox.events.removeEventListener("saved", onSaved);
      outbox.events.removeEventListener("refused", onRefused);
      outbox.events.removeEventListener("change", onChange);
    },
  };
}
