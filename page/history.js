/* What happened to an example, the last first. */
import { h } from "./dom.js";
import { showStored } from "./entry.js";
import { showMoney } from "./numbers.js";
import { t, word, showTime } from "./words.js";

function sayValue({ name, value, note }, hidden) {
  if (hidden.has(name)) return name;
  const shown = showStored(value, value === null ? note : null, "");
  return `${name} = ${shown}${note === "confirmed" ? ` (${t("example.confirmed")})` : ""}`;
}

const showSetting = (value) => (value === null || value === undefined || value === "" ? "–" : String(value));

/* Money is kept in hundredths. */
const showColumn = (column, value) =>
  column === "cost" && value !== undefined ? showMoney((value ?? 0) / 100) : showSetting(value);

/* What an amendment changed: "scan: cost 80.00 → 60.00". */
function sayChange(change) {
  if (!change) return "";
  const was = (name) => change.was?.attributes?.find((one) => one.name === name) ?? {};
  const attributes = (change.attributes ?? []).map((now) => {
    const before = was(now.name);
    const columns = Object.keys(now).filter(
      (column) =>
        !["place", "name"].includes(column) &&
        JSON.stringify(now[column]) !== JSON.stringify(before[column] ?? null) &&
        (now[column] || before[column]),
    );
    return `${now.name}: ${columns.map((column) => `${column} ${showColumn(column, before[column])} → ${showColumn(column, now[column])}`).join(", ")}`;
  });
  const settings = Object.entries(change.settings ?? {}).map(
    ([name, now]) => `${name} ${showSetting(change.was?.settings?.[name])} → ${showSetting(now)}`,
  );
  return [...attributes, ...settings].join("; ");
}

/* Values of the names in `hidden` are not shown. */
export function sayEvent(event, hidden = new Set()) {
  const text = (event.values ?? []).map((one) => sayValue(one, hidden)).join(", ");
  return [
    text,
    event.kind === "amend" ? sayChange(event.change) : "",
    event.learned ? t("history.learned") : "",
    event.reason ? t("history.reason", { reason: event.reason }) : "",
  ]
    .filter(Boolean)
    .join("; ");
}

export function drawHistory(example, hidden, open) {
  const rows = [...example.history]
    .reverse()
    .map((event) =>
      h(
        "tr",
        {},
        h("td", {}, h("time", { datetime: event.at }, showTime(event.at))),
        h("td", {}, event.by ?? ""),
        h("td", {}, word("kinds", event.kind)),
        h("td", {}, sayEvent(event, hidden)),
      ),
    );
  return h(
    "details",
    { class: "card", open },
    h("summary", {}, t("history.title", { n: rows.length })),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": t("history.region") },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["when", "who", "what", "values"].map((name) => h("th", { scope: "col" }, t(`history.${name}`))),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  );
}
