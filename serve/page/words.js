/* The words that are shown. Another language: copy words/en.js, translate it, and import it here in its place. */
import words from "./words/en.js";

const plural = new Intl.PluralRules(words.locale);

function find(key) {
  return key.split(".").reduce((at, part) => (at && Object.hasOwn(at, part) ? at[part] : undefined), words.texts);
}

/* t("example.saved", {time: "14:03"}): {time} is replaced. Where a text has several forms, the number `n` chooses. */
export function t(key, values = {}) {
  let text = find(key);
  if (text === undefined) return key;
  if (typeof text === "object") text = text[plural.select(values.n)] ?? text.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/* A word of the service, such as a state; itself where there is no other. */
export function word(group, name) {
  return (words.texts[group] && words.texts[group][name]) ?? name ?? "";
}

/* What the page calls a setting of the library: "Money in all" for budget-cost. */
export const settingName = (name) => word("settings", name.replaceAll("-", "_"));

/* A sentence of the library about a setting, in the page's words: it begins with the name of the setting. */
export function sayRefusal(sentence) {
  const found = /^(k|spend|budget|budget-cost|max-open) (.*)$/s.exec(sentence);
  if (!found) return sentence;
  return `“${settingName(found[1])}” ${found[2].replace(/\blooks\b/g, t("settings.looks"))}`;
}

/* All words of such a group: [name, word]. */
export const wordsOf = (group) => Object.entries(words.texts[group]);

export const locale = words.locale;
export const decimal = words.decimal;

/* Formatters are slow to make, and lists need thousands of them. */
const lists = {};
const clocks = {};

/* "a, b and c"; "a, b or c" where they are choices. */
export function joinNames(names, type = "conjunction") {
  lists[type] ??= new Intl.ListFormat(locale, { type });
  return lists[type].format(names);
}

const DAY = { day: "numeric", month: "short", year: "numeric" };
const CLOCK = { hour: "2-digit", minute: "2-digit" };

function show(utc, name, options) {
  const time = new Date(utc);
  if (Number.isNaN(time.getTime())) return String(utc ?? "");
  clocks[name] ??= new Intl.DateTimeFormat(locale, options);
  return clocks[name].format(time);
}

export const showTime = (utc) => show(utc, "time", { ...DAY, ...CLOCK });
export const showDay = (utc) => show(utc, "day", DAY);
export const showClock = (utc) => show(utc, "clock", CLOCK);
