/* How the study stands: progress, money, risk, purchases, staleness, the plan, open discrepancies. */
import { h, fill, fillIf, notice, field, submitButton } from "./dom.js";
import { card, list, number, quiet, remark, row, rowHead, scrolling, strong, table } from "./dom.js";
import { get, getAll, pathOf, watch } from "./api.js";
import { may } from "./session.js";
import { link } from "./routes.js";
import { drawBand, drawBar, drawParts } from "./charts.js";
import { readNumber, showMoney, showRough } from "./numbers.js";
import { t, joinNames } from "./words.js";

const figure = (value, text) =>
  h("div", { class: "figure" }, h("span", { class: "big" }, value), h("span", { class: "quiet" }, text));

function drawProgress(status) {
  const parts = ["learned", "open", "cancelled", "failed", "expired", "erased"].filter(
    (name) => status[name] || name === "learned" || name === "open",
  );
  return card(
    t("overview.progress"),
    h(
      "div",
      { class: "figures" },
      parts.map((name) => figure(status[name], t(`overview.${name}`))),
      status.imported ? figure(status.imported, t("overview.imported")) : null,
    ),
    drawParts(
      { done: status.learned, going: status.open },
      status.orders,
      t("overview.progressLabel", { learned: status.learned, orders: status.orders }),
    ),
    status.unswept ? notice("warn", t("overview.unswept")) : null,
  );
}

function drawMoney(status, study) {
  const budget = study.settings?.budget_cost || null;
  return card(
    t("overview.money"),
    h(
      "div",
      { class: "figures" },
      study.priced
        ? [
            figure(showMoney(status.spent), t("overview.spent")),
            figure(showMoney(status.reserved), t("overview.reserved")),
          ]
        : null,
      status.left === null ? null : figure(showMoney(status.left), t("overview.left")),
      status.attributes_left === null ? null : figure(status.attributes_left, t("overview.attributesLeft")),
    ),
    budget
      ? [
          drawParts(
            { done: status.spent, going: status.reserved },
            budget,
            t("overview.moneyLabel", {
              spent: showMoney(status.spent),
              reserved: showMoney(status.reserved),
              budget: showMoney(budget),
            }),
          ),
          quiet(t("overview.budget", { budget: showMoney(budget) })),
        ]
      : quiet(t("overview.noBudget")),
  );
}

function drawRisk(status, risks) {
  const points = risks
    .map((one) => ({ x: one.examples, y: one.risk, error: one.risk_error }))
    .filter((one) => one.y !== null);
  const now =
    status.risk === null
      ? t("overview.riskUnknown")
      : t("overview.riskNow", { risk: showRough(status.risk, 4), error: showRough(status.risk_error, 2) });
  return card(
    t("overview.risk"),
    h("p", {}, now),
    points.length
      ? [
          drawBand(points, {
            label: `${t("overview.riskLabel")} ${now}`,
            xTitle: t("overview.examples"),
            yTitle: t("overview.risk"),
          }),
          quiet(t("overview.band")),
          h(
            "details",
            {},
            h("summary", {}, t("asTable")),
            scrolling(
              t("overview.risk"),
              table(
                [t("overview.examples"), t("overview.risk"), t("overview.riskError")],
                points.map((p) => row(p.x, showRough(p.y, 4), showRough(p.error, 2))),
              ),
            ),
          ),
        ]
      : null,
  );
}

/* A group bought as one is one row: the money of a group is counted at its first attribute. Where its attributes were not
 * always bought together, they have rows of their own, and a sentence says so. */
function joinGroups(purchases, attributes) {
  const groupOf = Object.fromEntries(attributes.map((one) => [one.name, one.group]));
  const membersOf = (group) => (group ? purchases.filter((one) => groupOf[one.name] === group) : []);
  const isOne = (members) => members.length > 1 && members.every((one) => one.purchases === members[0].purchases);
  const apart = new Set();
  const rows = purchases.flatMap((one) => {
    const group = groupOf[one.name];
    const members = membersOf(group);
    if (!isOne(members)) {
      if (members.length > 1) apart.add(group);
      return [one];
    }
    if (one !== members[0]) return [];
    const money = members.reduce((sum, member) => sum + member.money, 0);
    return [{ name: group, purchases: one.purchases, money, members: members.map((member) => member.name) }];
  });
  return { rows, apart: [...apart] };
}

function drawPurchases(purchases, { priced, attributes }) {
  const { rows, apart } = joinGroups(purchases, attributes);
  const most = Math.max(...rows.map((one) => one.purchases), 1);
  const heads = [
    t("overview.attribute"),
    h("th", { scope: "col", class: "number" }, t("overview.bought")),
    h("td", { class: "wide" }),
    priced ? h("th", { scope: "col", class: "number" }, t("overview.money")) : null,
  ];
  const drawRow = (one) =>
    row(
      rowHead(one.name, one.members ? remark(t("overview.groupOf", { names: one.members.join(", ") })) : null),
      number(one.purchases),
      h("td", { class: "wide" }, drawBar(one.purchases, most)),
      priced ? number(showMoney(one.money)) : null,
    );
  return card(
    t("overview.purchases"),
    scrolling(t("overview.purchases"), table(heads, rows.map(drawRow), { class: "bars" })),
    priced && apart.length ? quiet(t("overview.groupFirst", { groups: joinNames(apart) })) : null,
  );
}

function drawStaleness(status) {
  const text = status.learned
    ? t("overview.staleness", { mean: showRough(status.mean_learned_since, 3), most: status.most_learned_since })
    : t("overview.stalenessNone");
  return card(t("overview.stalenessTitle"), h("p", {}, text), quiet(t("overview.stalenessText")));
}

function drawDiscrepancies(study, status, orders) {
  const drawOrder = (order) => {
    const names = [
      ...order.lines.filter((line) => line.second === "differs").map((line) => line.name),
      ...(order.second === "differs" ? [order.target] : []),
    ];
    return [h("a", { href: link(study, "example", order.example) }, order.example), `: ${names.join(", ")}`];
  };
  const parts = status.differ
    ? [h("p", {}, t("overview.differ", { n: status.differ })), orders ? list(orders.map(drawOrder)) : null]
    : h("p", {}, t("overview.noDiffer"));
  return card(t("overview.discrepancies"), h("div", {}, parts));
}

/* What so many more orders would cost as they are drawn now, and whether the budget pays for that. */
function sayCost(forecast, n) {
  const money = forecast.mean > 0;
  const mean = money ? forecast.mean : forecast.attributes_mean;
  const left = money ? forecast.left : forecast.attributes_left;
  const show = money ? showMoney : (value) => showRough(value, 3);
  const limited = left !== null && left !== undefined;
  if (!money && !limited) return "";
  const cost = t(money ? "plan.cost" : "plan.items", { all: show(mean * n), mean: show(mean) });
  return limited ? `${cost} ${t(`plan.covered.${mean * n <= left ? "yes" : "no"}`, { left: show(left) })}` : cost;
}

/* How many more until a wanted error: simulated by the service, which may take a while. */
function drawPlan(study, role) {
  const input = h("input", { type: "text", inputmode: "decimal", autocomplete: "off" });
  const answer = h("div", { role: "status" });
  const run = submitButton(t("plan.do"), null);
  async function submit(event) {
    event.preventDefault();
    const { value, error } = readNumber(input.value);
    if (!(value > 0)) return void fill(answer, notice("error", error ?? t("plan.need")));
    run.disabled = true;
    fill(answer, quiet(t("plan.running")));
    try {
      const { json } = await get(pathOf("studies", study, "outlook"), { query: { error: value }, patience: 600000 });
      const found = json.until_error ?? json;
      const n = Math.round(found.more);
      /* Without a forecast there is its sentence: the budget may be spent. */
      const cost =
        found.examples === null || n < 1 || !may("enter", role)
          ? ""
          : await get(pathOf("studies", study, "forecast"), { patience: 60000 }).then(
              ({ json: forecast }) => sayCost(forecast, n),
              (problem) => problem.detail ?? "",
            );
      fill(
        answer,
        notice(
          "info",
          strong(found.examples === null ? t("plan.beyond") : t("plan.more", { n, all: Math.round(found.examples) })),
          cost ? h("p", {}, cost) : null,
          h("p", {}, t("plan.runs", { k: found.k, reached: found.reached, runs: found.runs })),
        ),
      );
    } catch (problem) {
      fill(answer, notice("error", problem.message || t("act.noConnection")));
    } finally {
      run.disabled = false;
    }
  }
  return card(
    t("plan.title"),
    h(
      "form",
      { onsubmit: submit, novalidate: true },
      h("div", { class: "oneline" }, field(t("plan.error"), input, { hint: t("plan.hint") }), run),
    ),
    answer,
  );
}

/* Each card has a place of its own, which is drawn anew only when its numbers change. */
export function showCoordinator(place, route) {
  const study = route.study.name;
  const at = (...more) => pathOf("studies", study, ...more);
  const slots = Object.fromEntries(
    ["progress", "money", "risk", "purchases", "differ", "stale"].map((name) => [name, h("div", {})]),
  );
  const note = h("div", {}, quiet(t("loading")));
  fill(
    place,
    h("h1", {}, t("overview.title")),
    note,
    h("div", { class: "cards" }, Object.values(slots), drawPlan(study, route.role)),
  );

  async function load(noneMatch) {
    const quick = await get(at("status"), { query: { risk: "no" }, noneMatch });
    if (quick.unchanged) return quick;
    const [about, purchases] = await Promise.all([get(at()), get(at("purchases"))]);
    const differing = quick.json.differ && may("enter", route.role);
    const orders = differing ? await getAll(at("orders"), { query: { differs: "yes" } }) : null;
    const all = { status: quick.json, about: about.json, purchases: purchases.json, orders: orders?.json ?? null };
    return { json: all, etag: quick.etag };
  }

  function draw({ status, about, purchases, orders }) {
    fill(note);
    fillIf(slots.progress, status, () => drawProgress(status));
    const paid = about.priced || about.settings.budget;
    fillIf(slots.money, [status, about.settings, paid], () => (paid ? drawMoney(status, about) : null));
    fillIf(slots.purchases, [purchases, about.attributes], () => drawPurchases(purchases, about));
    fillIf(slots.differ, [status.differ, orders], () => drawDiscrepancies(study, status, orders));
    fillIf(slots.stale, status, () => drawStaleness(status));
    if (!slots.risk.firstChild) fill(slots.risk, card(t("overview.risk"), quiet(t("overview.riskLoading"))));
  }

  /* The risk is slow: it comes when it is there, and that of an older event does not replace it. */
  let turns = 0;
  async function loadRisk() {
    const turn = ++turns;
    const slow = { patience: 300000 };
    try {
      const [status, risks] = await Promise.all([
        get(at("status"), slow),
        get(at("risks"), { query: { points: 24 }, ...slow }),
      ]);
      if (turn === turns)
        fillIf(slots.risk, [status.json.risk, status.json.risk_error, risks.json], () =>
          drawRisk(status.json, risks.json),
        );
    } catch (problem) {
      if (turn === turns && problem.detail) fill(slots.risk, card(t("overview.risk"), notice("info", problem.detail)));
    }
  }

  return watch(
    load,
    (all) => {
      draw(all);
      loadRisk();
    },
    (problem) => fill(note, notice("error", problem.message)),
  );
}
