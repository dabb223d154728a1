/* The rows of an example's screen: one per value, in whatever state it is. `at` is the screen: see example.js. */
import { h, notice, button, actions, remark, strong } from "./dom.js";
import { may, session } from "./session.js";
import { createBox, blank, showAnswer, showStored, toAnswer } from "./entry.js";
import { isSame, lastOrder, takesValues } from "./fields.js";
import { correct } from "./changes.js";
import { t } from "./words.js";

const mayCorrect = (at, field) => !field.slim && (may("manage", at.role) || field.by === session.name);

/* What the first entry was, in words. */
export const sayStored = (field) =>
  field.hidden
    ? t(field.slim ? "example.notKept" : "example.secret")
    : showStored(field.value, field.missing ? field.note : null, field.unit);

/* open: a box. waiting: on its way. told, hidden, agrees: saved. conflict: saved, and something else was typed.
 * never: nothing is expected any more. late: and something was typed. */
export function kindOf(at, field, onTheWay) {
  if (onTheWay.has(field.name)) return "waiting";
  if (at.mode === "second") return field.second === "agrees" ? "agrees" : "open";
  const value = at.draft.values[field.name];
  if (!field.told && takesValues(lastOrder(at.example))) return "open";
  if (!field.told) return value ? "late" : "never";
  const saved = field.hidden ? "hidden" : "told";
  if (!value || field.slim) return saved;
  const { answer, blank: isBlank } = toAnswer({ ...value, confirmed: true }, field.attribute, field.unit);
  if (!isBlank && (answer === undefined || !isSame(answer, field))) return "conflict";
  at.drop(field.name);
  return saved;
}

function remarkOf(field) {
  if (field.target) return t("example.target");
  if (field.extra) return t("example.extra");
  return field.group ? t("example.group", { group: field.group }) : null;
}

function drawCaption(field) {
  const text = remarkOf(field);
  return h("span", { class: "caption" }, field.name, text ? remark(text) : null);
}

function drawBox(at, field, kind) {
  const box = createBox({
    name: field.name,
    unit: field.unit,
    attribute: field.attribute,
    value: { ...blank(), ...at.draft.values[field.name] },
    reasons: field.target ? null : at.study.missing_reasons,
    note: remarkOf(field),
    changed: (value) => at.type(field.name, value),
  });
  if (kind === "waiting") {
    box.element.classList.add("waiting");
    for (const control of box.element.querySelectorAll("input, select, button")) control.disabled = true;
    box.element.append(h("span", { class: "chip warn" }, t("example.notSavedYet")));
  }
  if (at.mode === "second" && field.second === "differs") box.element.append(notice("warn", t("example.differsBlind")));
  return box;
}

function drawCorrect(at, field) {
  if (!mayCorrect(at, field)) return null;
  return button(t("example.correct"), () => correct(at, field), {
    class: "plain small",
    "aria-label": t("example.correctOf", { name: field.name }),
  });
}

function drawDiffering(at, field) {
  if (field.second !== "differs") return null;
  if (field.hidden) return notice("warn", t("example.differsBlind"));
  const second = showStored(field.secondValue, field.secondNote, field.unit);
  return notice("warn", t("example.differs", { first: sayStored(field), second }));
}

export function drawTold(at, field) {
  return h(
    "div",
    { class: "entry told" },
    drawCaption(field),
    h(
      "div",
      { class: "box" },
      field.hidden
        ? h("span", { class: "quiet" }, t(field.slim ? "example.notKept" : "example.hidden"))
        : h("span", { class: "stored" }, sayStored(field)),
      field.note === "confirmed" ? h("span", { class: "quiet" }, t("example.confirmed")) : null,
      h("span", { class: "chip ok" }, t("example.stored")),
      field.second === "agrees" ? h("span", { class: "chip ok" }, t("example.twice")) : null,
      field.by ? h("span", { class: "hint" }, t("example.toldBy", { by: field.by })) : null,
      drawCorrect(at, field),
    ),
    drawDiffering(at, field),
  );
}

function sayConflict(at, field) {
  if (field.hidden) return "conflict.hidden";
  return mayCorrect(at, field) ? "conflict.canCorrect" : "conflict.cantCorrect";
}

function drawConflict(at, field) {
  const value = at.draft.values[field.name];
  const mine = sayTyped(at, field);
  const theirs = sayStored(field);
  const own = field.by === session.name;
  return h(
    "div",
    { class: "entry conflict" },
    drawCaption(field),
    h(
      "div",
      { class: "notice error", role: "group", "aria-label": t("conflict.title", { name: field.name }) },
      strong(t(own ? "conflict.own" : "conflict.text", { by: field.by ?? t("conflict.somebody") })),
      h(
        "dl",
        { class: "both" },
        h("dt", {}, t("conflict.theirs")),
        h("dd", {}, theirs),
        h("dt", {}, t("conflict.mine")),
        h("dd", {}, mine),
      ),
      h("p", {}, t(sayConflict(at, field))),
      actions(
        button(t(field.hidden ? "conflict.drop" : "conflict.keep", { value: theirs }), () =>
          at.keepTheirs(field, theirs),
        ),
        field.hidden ? button(t("conflict.asSecond"), () => at.useAsSecond(field)) : null,
        mayCorrect(at, field) ? button(t("conflict.correct", { value: mine }), () => correct(at, field, value)) : null,
      ),
    ),
  );
}

/* What was typed, as it is said in a sentence. */
function sayTyped(at, field) {
  const value = at.draft.values[field.name];
  const { answer } = toAnswer({ ...value, confirmed: true }, field.attribute, field.unit);
  return answer === undefined ? value.text : showAnswer(answer, field.unit);
}

/* The order has ended while somebody was typing. */
function drawLate(at, field) {
  return h(
    "div",
    { class: "entry conflict" },
    drawCaption(field),
    notice(
      "warn",
      h("p", {}, t("example.late", { value: sayTyped(at, field) })),
      actions(button(t("conflict.drop"), () => at.keepTheirs(field, t("example.never")))),
    ),
  );
}

function drawQuiet(field, text, chip) {
  return h(
    "div",
    { class: "entry told" },
    drawCaption(field),
    h(
      "div",
      { class: "box" },
      h("span", { class: "quiet" }, text),
      chip ? h("span", { class: "chip ok" }, chip) : null,
    ),
  );
}

/* {element}; boxes also have read, say and focus. */
export function drawRow(at, field, kind) {
  if (kind === "told" || kind === "hidden") return { element: drawTold(at, field) };
  if (kind === "conflict") return { element: drawConflict(at, field) };
  if (kind === "late") return { element: drawLate(at, field) };
  if (kind === "agrees") return { element: drawQuiet(field, t("example.agrees"), t("example.twice")) };
  if (kind === "never") return { element: drawQuiet(field, t("example.never")) };
  return drawBox(at, field, kind);
}
