/* One box for one value: its unit beside it, limits said at once, "it is right", and "not done" with a reason. */
import { h, fill, newId, button, remark } from "./dom.js";
import { readNumber, judge, sayRanges, hardRange, usualRange, showNumber, inputMode } from "./numbers.js";
import { t } from "./words.js";

const PAUSE = 500; /* of a typist: 5 on the way to 52 is not called unusual */
const NO_REASON = "\u0000";
const NOT_DONE = "not done"; /* one of the reasons that studies have if nobody chooses others */

/* A sentence that appears between the press and the release of a button would move the button away from under the
 * pointer, and the click would be lost. It waits for the release. */
let pressed = false;
const later = new Set();
document.addEventListener("pointerdown", () => (pressed = true), true);
for (const type of ["pointerup", "pointercancel"]) {
  document.addEventListener(
    type,
    () => {
      pressed = false;
      setTimeout(() => {
        for (const say of later) say();
        later.clear();
      });
    },
    true,
  );
}

export const blank = () => ({ text: "", missing: false, reason: "", confirmed: false });

/* {blank}, {answer} as the interface takes it, or {problem, kind}. */
export function toAnswer(value, attribute, unit) {
  if (value.missing) {
    if (!value.reason) return { problem: t("entry.sayWhy"), kind: "why" };
    return { answer: value.reason === NO_REASON ? null : { missing: value.reason } };
  }
  const read = readNumber(value.text);
  if (read.empty) return { blank: true };
  if (read.error) return { problem: read.error, kind: "number" };
  const verdict = judge(read.value, attribute);
  const number = withUnit(showNumber(read.value), unit);
  if (verdict === "refused")
    return { problem: t("entry.refused", { number, range: hardRange(attribute) }), kind: "refused" };
  if (verdict !== "unusual") return { answer: read.value, said: read.said };
  if (value.confirmed) return { answer: { value: read.value, confirmed: true }, kind: "confirmed", said: read.said };
  return { problem: t("entry.unusual", { number, range: usualRange(attribute) }), kind: "unusual" };
}

const withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);

/* The reason "not done" says no more than that, and is not said twice. */
const sayMissing = (reason) => (reason && reason !== NOT_DONE ? t("entry.notDoneWhy", { reason }) : t("entry.notDone"));

/* What an answer is called in a sentence. */
export function showAnswer(answer, unit) {
  if (answer === null) return t("entry.notDone");
  if (typeof answer !== "object") return withUnit(showNumber(answer), unit);
  if ("missing" in answer) return sayMissing(answer.missing);
  return withUnit(showNumber(answer.value), unit);
}

/* A stored value in words. */
export function showStored(value, note, unit) {
  if (value === null) return sayMissing(note);
  return withUnit(showNumber(value), unit);
}

/* what: name, unit, attribute (its limits), reasons (null: it can't be missing), value, which is written to; changed(value)
 * at every key. */
export function createBox({
  name,
  unit,
  attribute,
  reasons = null,
  value,
  changed = () => {},
  hint = true,
  note = null,
}) {
  const id = newId("box");
  const input = h("input", {
    id,
    type: "text",
    inputmode: inputMode(attribute),
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    value: value.text,
    "data-name": name,
  });
  const message = h("div", { id: `${id}-message`, class: "message", "aria-live": "polite" });
  const ranges = hint ? sayRanges(attribute) : "";
  const hintAt = h("p", { class: "hint", id: `${id}-hint` }, ranges);
  const place = h("div", { class: "box" });
  const element = h("div", { class: "entry" });
  let timer = 0,
    shown = "";

  function keep() {
    changed({ ...value });
  }

  function tick() {
    const box = h("input", {
      type: "checkbox",
      id: `${id}-right`,
      onchange: () => {
        value.confirmed = box.checked;
        keep();
        say();
      },
    });
    box.checked = value.confirmed;
    return h("label", { class: "tickline", for: box.id }, box, t("entry.right"));
  }

  /* The sentence below the box. It is drawn anew only if it is another one, so that a tick keeps the focus. */
  function say() {
    clearTimeout(timer);
    const found = toAnswer(value, attribute, unit);
    const kind = value.missing && found.kind === "why" ? "" : (found.kind ?? "");
    const text =
      found.problem ??
      (found.kind === "confirmed"
        ? t("entry.confirmed")
        : found.said
          ? t("entry.readAs", {
              number: withUnit(showNumber(typeof found.answer === "object" ? found.answer.value : found.answer), unit),
            })
          : "");
    const soft = kind === "unusual" || kind === "confirmed";
    const now = `${kind === "confirmed" ? "unusual" : kind}|${soft ? value.text : text}`;
    input.setAttribute("aria-invalid", found.problem && kind ? "true" : "false");
    element.dataset.kind = kind;
    if (now === shown) return;
    shown = now;
    const sentence = soft ? toAnswer({ ...value, confirmed: false }, attribute, unit).problem : text;
    fill(
      message,
      sentence && kind !== ""
        ? h("p", {}, sentence)
        : sentence && found.said
          ? h("p", { class: "quiet" }, sentence)
          : null,
      soft ? tick() : null,
    );
  }

  input.addEventListener("input", () => {
    value.text = input.value;
    value.confirmed = false;
    keep();
    clearTimeout(timer);
    const kind = toAnswer(value, attribute, unit).kind;
    if (!kind || (kind === "refused" && readNumber(value.text).value > 0)) say();
    else timer = setTimeout(say, PAUSE);
  });
  input.addEventListener("change", () => (pressed ? later.add(say) : say()));

  function drawMeasured(focus) {
    fill(
      place,
      input,
      unit ? h("span", { class: "unit", id: `${id}-unit` }, unit) : null,
      reasons
        ? button(
            t("entry.notDoneButton"),
            () => {
              value.missing = true;
              keep();
              drawMissing(true);
            },
            { class: "plain small", "aria-label": t("entry.notDoneOf", { name }) },
          )
        : null,
    );
    input.setAttribute(
      "aria-describedby",
      [unit ? `${id}-unit` : "", ranges ? hintAt.id : "", message.id].filter(Boolean).join(" "),
    );
    hintAt.hidden = !ranges;
    say();
    if (focus) input.focus();
  }

  function drawMissing(focus) {
    const select = h(
      "select",
      {
        id: `${id}-why`,
        "aria-label": t("entry.whyOf", { name }),
        onchange: () => {
          value.reason = select.value;
          keep();
          say();
        },
      },
      h("option", { value: "" }, t("entry.chooseWhy")),
      reasons.filter((reason) => reason !== NOT_DONE).map((reason) => h("option", { value: reason }, reason)),
      h("option", { value: reasons.includes(NOT_DONE) ? NOT_DONE : NO_REASON }, t("entry.noReason")),
    );
    select.value = value.reason;
    fill(
      place,
      h("span", { class: "notdone" }, t("entry.notDone")),
      select,
      button(
        t("entry.measured"),
        () => {
          Object.assign(value, { missing: false, reason: "" });
          keep();
          drawMeasured(true);
        },
        { class: "plain small", "aria-label": t("entry.measuredOf", { name }) },
      ),
    );
    hintAt.hidden = true;
    say();
    if (focus) select.focus();
  }

  if (value.missing && reasons) drawMissing();
  else drawMeasured();
  fill(element, h("label", { for: id, class: "caption" }, name, note ? remark(note) : null), place, hintAt, message);
  return {
    element,
    say,
    get control() {
      return place.querySelector("input, select");
    },
    read: () => toAnswer(value, attribute, unit),
    focus: () => place.querySelector("input, select").focus(),
    setReadOnly: (readonly) => {
      input.readOnly = readonly;
    },
  };
}
