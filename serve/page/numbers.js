/* Numbers as people write them, and what the catalogue says to them. */
import { t, decimal } from "./words.js";

const FORM = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$/;

/* {empty}, {value, said} or {error}. Comma and point are both decimal; thousands have neither. `said`: what was typed is
 * not what is shown of the number, so that has to be shown, too: 1.200 is 1.2. */
export function readNumber(text) {
  const trimmed = text.trim();
  const plain = trimmed.replace(/[\u2212\u2013]/g, "-");
  if (!plain) return { empty: true };
  if (/^[+-]?[\d.,'’]+(\s+[\d.,'’]+)+$/.test(plain)) return { error: t("number.blanks", { text: trimmed }) };
  if (!FORM.test(plain)) {
    const several = /^[+-]?[\d.,'’]+$/.test(plain);
    return { error: several ? t("number.separators") : t("number.none", { text: trimmed }) };
  }
  const value = Number(plain.replace(",", "."));
  if (!Number.isFinite(value)) return { error: t("number.large") };
  return { value, said: plain !== showNumber(value).replace("\u2212", "-") };
}

/* As few digits as read back to the same number. */
export function showNumber(value) {
  if (value === null || value === undefined) return "";
  return String(value).replace(".", decimal).replace("-", "\u2212");
}

/* For an estimate, where more digits would say nothing. */
export function showRough(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return t("unknown");
  return showNumber(Number(value.toPrecision(digits)));
}

export function showMoney(value) {
  if (value === null || value === undefined) return "";
  return value.toFixed(2).replace(".", decimal).replace("-", "\u2212");
}

const has = (x) => x !== null && x !== undefined;

function showRange(low, high) {
  if (has(low) && has(high)) return t("range.both", { low: showNumber(low), high: showNumber(high) });
  if (has(low)) return t("range.from", { low: showNumber(low) });
  if (has(high)) return t("range.to", { high: showNumber(high) });
  return "";
}

export const hardRange = (attribute) => showRange(attribute.low, attribute.high);
export const usualRange = (attribute) => showRange(attribute.usual_low, attribute.usual_high);

/* "0 to 60, usually 3 to 20" */
export function sayRanges(attribute) {
  const hard = hardRange(attribute);
  const usual = usualRange(attribute);
  if (hard && usual) return t("range.hardAndUsual", { hard, usual });
  return usual ? t("range.usually", { usual }) : hard;
}

const outside = (value, low, high) => (has(low) && value < low) || (has(high) && value > high);

/* "refused", "unusual" or "": what the service will say to it. */
export function judge(value, attribute) {
  if (outside(value, attribute.low, attribute.high)) return "refused";
  if (outside(value, attribute.usual_low, attribute.usual_high)) return "unusual";
  return "";
}

/* Phones show digits; their decimal pads have no minus sign, so they are for what is never below 0. */
export const inputMode = (attribute) => (has(attribute.low) && attribute.low >= 0 ? "decimal" : "text");
