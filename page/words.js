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

export const locale = words.locale;
export const decimal = words.decimal;

/* "a, b and c"; "a, b or c" where they are choices. */
export function joinNames(names, type = "conjunction") {
  return new Intl.ListFormat(locale, { type }).format(names);
}

function at(utc, options) {
  const time = new Date(utc);
  return Number.isNaN(time.getTime()) ? String(utc ?? "") : new Intl.DateTimeFormat(locale, options).format(time);
}

export function showTime(utc) {
  return at(utc, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

export function showDay(utc) {
  return at(utc, { day: "numeric", month: "short", year: "numeric" });
}

export function showClock(utc) {
  return at(utc, { hour: "2-digit", minute: "2-digit" });
}
