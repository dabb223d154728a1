/* The orders that wait: today's, overdue ones, mine, all of them. */
import {
  h,
  fill,
  fillIf,
  field,
  notice,
  button,
  actions,
  buttonLink,
  listen,
  quiet,
  row,
  rowHead,
  table,
} from "./dom.js";
import { getAll, pathOf, get, watch } from "./api.js";
import { session } from "./session.js";
import { link } from "./routes.js";
import { readSetting, writeSetting } from "./store.js";
import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";
import * as cache from "./cache.js";
import { inOrder } from "./fields.js";
import { t, word, joinNames, showTime } from "./words.js";

const VIEWS = ["today", "overdue", "mine", "all", "differs", "done"];
const AFTER_DAYS = [1, 2, 3, 7, 14, 30];

const FIRST_ROWS = 200; /* more are drawn if somebody asks */
const MOST_LOOKED_UP = 200;
const DONE_DAYS = 30; /* complete ones of before are found by their name */

const daysAgo = (days) => new Date(Date.now() - days * 86400000).toISOString().slice(0, 10);
const midnight = () => new Date().setHours(0, 0, 0, 0);
const overdueDays = () => Number(readSetting("overdue")) || 7;

/* Who has entered a part of what somebody else ordered stands in its history alone. It is looked up once per change. */
const mayHaveEntered = (order) => order.asked_by !== session.name && ["partly told", "told"].includes(order.state);
const hasEntered = (order) => mayHaveEntered(order) && cache.entryOf(order)?.mine === true;

async function findEntered(study, orders) {
  const rest = orders.filter((order) => mayHaveEntered(order) && cache.entryOf(order)?.etag !== order.etag);
  rest.splice(0, Math.max(0, rest.length - MOST_LOOKED_UP));
  const found = rest.length > 0;
  const work = async () => {
    for (let order = rest.pop(); order; order = rest.pop()) {
      const { json } = await get(pathOf("studies", study, "examples", order.example));
      const mine = json.history.some((event) => event.by === session.name && event.kind !== "ask");
      cache.keepEntry(order, { etag: order.etag, mine });
    }
  };
  await Promise.all([work(), work()]).catch(() => {}); /* it is looked up again with the next change */
  return found;
}

/* Whether an open order belongs to a view. */
const belongs = {
  today: (order) => new Date(order.asked_at).getTime() >= midnight(),
  overdue: (order) => Date.now() - new Date(order.asked_at).getTime() >= overdueDays() * 86400000,
  mine: (order) => order.asked_by === session.name || hasEntered(order),
  all: () => true,
};

const plain = (text) =>
  text
    .toLocaleLowerCase()
    .normalize("NFKD")
    .replace(/[\s\p{Pd}]+/gu, "");

export const stateChip = (state) => h("span", { class: `chip state ${state.split(" ")[0]}` }, word("states", state));

function drawWaiting(order, catalogue) {
  const parts = [];
  const names = (list) => joinNames(inOrder(catalogue, list));
  if (order.to_come?.length) parts.push(names(order.to_come));
  if (order.second_to_come?.length) parts.push(t("work.second", { names: names(order.second_to_come) }));
  return parts.join("; ") || "–";
}

function drawRow(order, study, unsaved, { chosen, catalogue }, changed) {
  const box = h("input", {
    type: "checkbox",
    "aria-label": t("work.choose", { example: order.example }),
    checked: chosen.has(order.example),
    onchange: () => {
      if (box.checked) chosen.add(order.example);
      else chosen.delete(order.example);
      changed();
    },
  });
  const onlySecond = !order.to_come?.length && order.second_to_come?.length;
  const labelled = (name, attributes, ...parts) => h("td", { "data-label": t(`work.${name}`), ...attributes }, parts);
  return row(
    h("td", { class: "tick" }, box),
    rowHead(
      h("a", { href: link(study, onlySecond ? "second" : "example", order.example) }, order.example),
      unsaved.has(order.example) ? h("span", { class: "chip warn" }, t("work.draft")) : null,
    ),
    labelled("state", {}, stateChip(order.state)),
    labelled("waits", { class: "waits" }, drawWaiting(order, catalogue)),
    labelled(
      "since",
      {},
      h(
        "time",
        { datetime: order.asked_at, title: showTime(order.asked_at) },
        order.days ? t("work.days", { n: order.days }) : t("work.today"),
      ),
    ),
    labelled("by", {}, order.asked_by ?? ""),
  );
}

export function showWorklist(place, route) {
  const study = route.study.name;
  const state = {
    open: null,
    other: null,
    view: route.query.get("view"),
    text: "",
    due: "",
    chosen: new Set(),
    catalogue: null,
    most: FIRST_ROWS,
    target: route.study.target,
  };
  const tabs = h("ul", { class: "tabs" });
  const body = h("div", {});
  const stale = h("div", { role: "status" });
  const live = h("p", { class: "quiet", role: "status" });
  const search = h("input", {
    type: "search",
    id: "search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: t("work.searchHint"),
  });
  const due = h("select", { id: "due" });
  const days = h(
    "select",
    { id: "days" },
    AFTER_DAYS.map((n) => h("option", { value: n, selected: n === overdueDays() }, t("work.olderThan", { n }))),
  );
  const daysField = field(t("work.overdueAfter"), days);
  const prints = h("div", { class: "actions inline" });

  const current = () => (["differs", "done"].includes(state.view) ? state.other : state.open);
  const inView = () => (current() ?? []).filter(belongs[state.view] ?? (() => true));
  const matches = (order) =>
    plain(order.example).includes(plain(state.text)) &&
    (!state.due || order.to_come?.includes(state.due) || order.second_to_come?.includes(state.due));

  function drawTabs() {
    fill(
      tabs,
      VIEWS.map((view) => {
        const count = belongs[view] && state.open ? state.open.filter(belongs[view]).length : null;
        return h(
          "li",
          {},
          h(
            "a",
            { href: link(study, "work", null, { view }), "aria-current": view === state.view ? "true" : null },
            t(`views.${view}`),
            count === null ? null : h("span", { class: "count" }, count),
          ),
        );
      }),
    );
  }

  function drawPrints() {
    const shown = inView()
      .filter(matches)
      .map((order) => order.example);
    const names = state.chosen.size ? shown.filter((name) => state.chosen.has(name)) : shown;
    const query = names.map((name) => ["e", name]);
    fill(
      prints,
      names.length && names.length <= 200
        ? ["sheets", "labels"].map((kind) =>
            buttonLink(t(`work.${kind}`, { n: names.length }), link(study, kind, null, query)),
          )
        : null,
    );
  }

  function drawMore(count) {
    return actions(
      button(t("work.more", { n: count }), () => {
        state.most = Infinity;
        draw();
        body.querySelectorAll("tbody a")[FIRST_ROWS].focus();
      }),
    );
  }

  function drawEmpty() {
    const text = state.text.trim();
    const parts = state.text
      ? [
          h("p", {}, t("empty.search", { text: state.text })),
          h("p", {}, buttonLink(t("work.lookUp", { text }), link(study, "example", text))),
        ]
      : h("p", {}, t(`empty.${state.view}`));
    return h("div", { class: "empty" }, parts);
  }

  function drawTable(rows, unsaved) {
    const heads = [
      h("th", { scope: "col" }, h("span", { class: "unseen" }, t("work.chosen"))),
      ...["example", "state", "waits", "since", "by"].map((name) => t(`work.${name}`)),
    ];
    const shown = rows.slice(0, state.most).map((order) => drawRow(order, study, unsaved, state, drawPrints));
    const drawn = table(heads, shown, { class: "work" });
    drawn.prepend(h("caption", { class: "unseen" }, t(`views.${state.view}`)));
    return h("div", { class: "scroll", tabindex: -1 }, drawn);
  }

  function draw() {
    drawTabs();
    daysField.hidden = state.view !== "overdue";
    if (!current()) return void fill(body, quiet(t("loading")));
    const rows = inView().filter(matches);
    const unsaved = new Set(
      [...drafts.list(), ...outbox.list()].filter((one) => one.study === study).map((one) => one.example),
    );
    const focused = body.contains(document.activeElement)
      ? document.activeElement.getAttribute("href") || document.activeElement.getAttribute("aria-label")
      : null;
    live.textContent = t("work.count", { n: rows.length });
    fill(body, rows.length ? drawTable(rows, unsaved) : drawEmpty());
    if (rows.length > state.most) body.append(drawMore(rows.length));
    drawPrints();
    if (focused)
      [...body.querySelectorAll("a, input")]
        .find((one) => [one.getAttribute("href"), one.getAttribute("aria-label")].includes(focused))
        ?.focus();
  }

  function find(event) {
    event.preventDefault();
    const rows = inView().filter(matches);
    const exact = (state.open ?? []).find((order) => plain(order.example) === plain(state.text));
    const name = exact?.example ?? (rows.length === 1 ? rows[0].example : null);
    if (name !== null && state.text) location.hash = link(study, "example", name);
  }

  search.addEventListener("input", () => {
    state.text = search.value;
    draw();
  });
  due.addEventListener("change", () => {
    state.due = due.value;
    draw();
  });
  days.addEventListener("change", () => {
    writeSetting("overdue", days.value);
    draw();
  });

  fill(
    place,
    h("div", { class: "head" }, h("h1", {}, t("work.title")), buttonLink(t("work.new"), link(study, "new"), "primary")),
    h("nav", { "aria-label": t("views.label") }, tabs),
    h(
      "form",
      { class: "filters", role: "search", onsubmit: find },
      field(t("work.search"), search),
      field(t("work.dueFor"), due),
      daysField,
    ),
    h("div", { class: "head small" }, live, prints),
    stale,
    body,
  );

  const takeCatalogue = (json) => {
    const names = [...json.attributes.filter((one) => !one.retired).map((one) => one.name), json.target];
    fill(
      due,
      h("option", { value: "" }, t("work.anything")),
      names.map((name) => h("option", { value: name }, name)),
    );
    state.catalogue = json;
    if (current()) draw();
  };
  get(pathOf("studies", study)).then(
    ({ json }) => {
      cache.keepStudy(study, json);
      takeCatalogue(json);
    },
    () => cache.studyOf(study) && takeCatalogue(cache.studyOf(study)),
  );

  const path = pathOf("studies", study, "orders");
  const take = (orders) => {
    state.open = orders;
    if (!VIEWS.includes(state.view)) state.view = ["today", "mine"].find((view) => orders.some(belongs[view])) ?? "all";
    draw();
  };
  const failed = (problem) => fill(body, notice("error", problem.message));
  const trouble = (error) => {
    if (error && !state.open && cache.ordersOf(study)) take(cache.ordersOf(study).orders);
    const text = error ? t(current() ? "work.stale" : "work.notLoaded", { trouble: outbox.sayFailure(error) }) : "";
    fillIf(stale, text, () => (text ? notice("warn", text) : null));
    if (text && !current()) fill(body);
  };
  const watches = [
    watch(
      (noneMatch) => getAll(path, { noneMatch }),
      (orders) => {
        for (const order of orders) order.study = study;
        cache.keepOrders(study, orders);
        take(orders);
        findEntered(study, orders).then((found) => found && draw());
      },
      failed,
      trouble,
    ),
  ];
  if (state.view === "differs" || state.view === "done") {
    const query = state.view === "differs" ? { differs: "yes" } : { state: "learned", since: daysAgo(DONE_DAYS) };
    watches.push(
      watch(
        (noneMatch) => getAll(path, { noneMatch, query }),
        (orders) => {
          state.other = state.view === "done" ? orders.reverse() : orders;
          draw();
        },
        failed,
      ),
    );
  }
  const redraw = () => current() && draw();
  const keys = (event) => {
    if (
      event.key !== "/" ||
      /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) ||
      document.querySelector("dialog[open]")
    )
      return;
    event.preventDefault();
    search.focus();
  };
  const forget = listen([
    [outbox.events, "change", redraw],
    [document, "keydown", keys],
  ]);
  if (VIEWS.includes(state.view)) draw();
  return {
    stop() {
      watches.forEach((one) => one.stop());
      forget();
    },
  };
}
