/* What happened to an example, the last first. */
import { h, row, scrolling, table } from "./dom.js";
import { showStored } from "./entry.js";
import { showMoney } from "./numbers.js";
import { t, word, showTime, settingName } from "./words.js";

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
