/* What happened to an example, the last first; and to the whole study, the newest first or last, a page at a time: all of
 * it, or what concerns an example, a person or a kind of event. */
import { h, fill, notice, button, field, number, quiet, remark, row, scrolling, select, table } from "./dom.js";
import { get, pathOf } from "./api.js";
import { showStored } from "./entry.js";
import { link } from "./routes.js";
import { showMoney } from "./numbers.js";
import { t, word, wordsOf, showTime, settingName } from "./words.js";

function sayStored({ value, note }) {
  const shown = showStored(value, value === null ? note : null, "");
  return `${shown}${note === "confirmed" ? ` (${t("example.confirmed")})` : ""}`;
}

/* `was`: what it took the place of, if anything. */
function sayValue(one, hidden, was) {
  if (hidden.has(one.name)) return one.name;
  const now = `${one.name} = ${sayStored(one)}`;
  return was ? t("history.instead", { now, was: sayStored(was) }) : now;
}

/* Money is kept in hundredths. */
function showColumn(column, value) {
  if (column === "cost") return showMoney((value ?? 0) / 100);
  if (value === true || value === false) return t(value ? "yes" : "no");
  return value === null || value === undefined || value === "" ? "–" : String(value);
}

const columnsOf = (attribute) => Object.keys(attribute).filter((column) => !["place", "name"].includes(column));

function sayAttribute(now, before) {
  const name = now.name;
  if (!before) {
    const whole = columnsOf(now).map((column) => `${word("columns", column)} ${showColumn(column, now[column])}`);
    return t("history.newAttribute", { name, columns: whole.join(", ") });
  }
  const changed = columnsOf(now)
    .filter((column) => JSON.stringify(now[column] ?? null) !== JSON.stringify(before[column] ?? null))
    .map((column) => {
      const [was, is] = [before[column], now[column]].map((value) => showColumn(column, value));
      return `${word("columns", column)} ${was} → ${is}`;
    });
  return `${name}: ${changed.join(", ")}`;
}

/* What an amendment changed, in the words of the catalogue: "scan: Cost 80.00 → 60.00". */
export function sayChange(change) {
  if (!change) return "";
  const attributes = (change.attributes ?? []).map((now) =>
    sayAttribute(
      now,
      change.was?.attributes?.find((one) => one.name === now.name),
    ),
  );
  const settings = Object.entries(change.settings ?? {}).map(([name, now]) => {
    const [was, is] = [change.was?.settings?.[name], now].map((value) => showColumn(name, value));
    return `${settingName(name)} ${was} → ${is}`;
  });
  return [...attributes, ...settings].join("; ");
}

/* Values of the names in `hidden` are not shown. */
export function sayEvent(event, hidden = new Set()) {
  const was = (name) => event.was?.find((one) => one.name === name);
  const text = (event.values ?? []).map((one) => sayValue(one, hidden, was(one.name))).join(", ");
  return [
    text,
    event.kind === "amend" ? sayChange(event.change) : "",
    event.learned ? t("history.learned") : "",
    event.reason ? t("history.reason", { reason: event.reason }) : "",
  ]
    .filter(Boolean)
    .join("; ");
}

/* The events of an example, each correction with what was there before it. A second entry is compared, and takes the
 * place of nothing. */
function withWas(history) {
  const last = {};
  return history.map((event) => {
    const names = event.values.map((one) => one.name);
    const was = event.kind === "correct" ? names.map((name) => last[name]).filter(Boolean) : undefined;
    if (event.kind !== "second") for (const one of event.values) last[one.name] = one;
    return { ...event, was };
  });
}

export function drawHistory(example, hidden, open) {
  const drawRow = (event) =>
    row(
      h("time", { datetime: event.at }, showTime(event.at)),
      event.by ?? "",
      word("kinds", event.kind),
      sayEvent(event, hidden),
    );
  const rows = withWas(example.history).reverse().map(drawRow);
  const heads = ["when", "who", "what", "values"].map((name) => t(`history.${name}`));
  return h(
    "details",
    { class: "card", open },
    h("summary", {}, t("history.title", { n: rows.length })),
    scrolling(t("history.region"), table(heads, rows)),
  );
}

/* ---- the ledger ---- */

const textBox = () => h("input", { type: "text", autocomplete: "off", spellcheck: "false" });

function drawEvent(study, event) {
  const example = event.example
    ? h("a", { href: link(study, "example", event.example) }, event.example)
    : event.erased
      ? h("span", { class: "quiet" }, t("ledger.erased"))
      : "";
  return row(
    number(event.event),
    h("time", { datetime: event.at }, showTime(event.at)),
    [event.by ?? "", event.via ? remark(word("via", event.via)) : null],
    word("kinds", event.kind),
    example,
    sayEvent(event),
  );
}

export function showLedger(place, route) {
  const study = route.study.name;
  const rows = h("tbody", {});
  const foot = h("div", { class: "actions", role: "status" });
  const boxes = {
    example: textBox(),
    by: textBox(),
    kind: select([["", t("ledger.anyKind")], ...wordsOf("kinds")]),
    newest: select([
      ["yes", t("ledger.newest")],
      ["no", t("ledger.oldest")],
    ]),
  };
  let asked = null;
  let after = "";
  let turns = 0;

  const wanted = () =>
    Object.fromEntries(
      Object.entries(boxes)
        .map(([name, box]) => [name, box.value.trim()])
        .filter(([, value]) => value),
    );

  /* A filter may leave nothing of what the service looks at in one go: then it goes on. */
  async function more() {
    const turn = ++turns;
    const had = rows.children.length;
    fill(foot, quiet(t("loading")));
    try {
      do {
        const query = { limit: 100, after, ...asked };
        const { json } = await get(pathOf("studies", study, "events"), { query });
        if (turn !== turns) return;
        rows.append(...json.items.map((event) => drawEvent(study, event)));
        after = json.next;
      } while (after && rows.children.length === had);
      const all = rows.children.length ? t("ledger.end") : t("ledger.none");
      fill(foot, after ? button(t("ledger.more"), more) : quiet(all));
      if (had && after) foot.querySelector("button").focus();
    } catch (problem) {
      if (turn !== turns) return;
      fill(foot, notice("error", problem.message || t("act.noConnection")), button(t("again"), more));
    }
  }

  function begin() {
    if (asked && JSON.stringify(asked) === JSON.stringify(wanted())) return;
    asked = wanted();
    after = "";
    fill(rows);
    more();
  }

  const form = h(
    "form",
    {
      class: "filters four",
      role: "search",
      "aria-label": t("ledger.filter"),
      onchange: begin,
      onsubmit: (event) => {
        event.preventDefault();
        begin();
      },
    },
    field(t("history.example"), boxes.example),
    field(t("ledger.person"), boxes.by),
    field(t("history.what"), boxes.kind),
    field(t("ledger.sort"), boxes.newest),
  );
  const heads = ["event", "when", "who", "what", "example", "values"].map((name) => t(`history.${name}`));
  fill(
    place,
    h("h1", {}, t("ledger.title")),
    h("p", {}, t("ledger.text")),
    form,
    scrolling(t("ledger.title"), table(heads, rows, { class: "ledger" }), "card scroll"),
    foot,
  );
  begin();
}
