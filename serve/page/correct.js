/* A value that was told is put right, with a reason; and what was measured without being ordered. */
import { h, fill, openDialog, field as labelled, button, submitButton, actions, newId } from "./dom.js";
import * as outbox from "./outbox.js";
import { createBox, blank, showStored } from "./entry.js";
import { markOf } from "./fields.js";
import { t } from "./words.js";

export const reasonBox = () => h("input", { type: "text", maxlength: 300, autocomplete: "off", required: true });

/* An error sentence in a dialog. */
export function createError() {
  const place = h("p", { class: "errorline", role: "alert", id: newId("error") });
  return { place, say: (text) => fill(place, text) };
}

/* The answer of a form with a reason; undefined: something is missing, which it says, and the focus is there. */
function readAnswer(box, reason, error) {
  const { answer, problem, blank: empty } = box.read();
  box.say();
  if (problem || empty) {
    error.say(problem ?? t("correct.needValue"));
    box.focus();
    return undefined;
  }
  if (!reason.value.trim()) {
    error.say(t("reason.needed"));
    reason.focus();
    return undefined;
  }
  return answer;
}

/* The end of such a form: the reason, what is wrong, and the buttons. */
const drawEnd = (reason, hint, error, close, save) => [
  labelled(t("reason.label"), reason, { hint }),
  error.place,
  actions(
    button(t("cancel"), () => close()),
    submitButton(save),
  ),
];

/* `at` is the screen of the example; `before` is a correction that was refused, and is typed anew. */
export function correct(at, field, typed = null, before = null) {
  const value = { ...blank(), ...typed };
  const shown = field.hidden
    ? t("example.secret")
    : showStored(field.value, field.missing ? field.note : null, field.unit);
  return openDialog(t("correct.title", { name: field.name, example: at.id }), (close) => {
    const box = createBox({
      name: t("correct.new"),
      unit: field.unit,
      attribute: field.attribute,
      reasons: field.target ? null : at.study.missing_reasons,
      value,
      changed: (now) => Object.assign(value, now),
    });
    const reason = reasonBox();
    reason.value = before?.body.reason ?? "";
    const error = createError();
    function submit(event) {
      event.preventDefault();
      const answer = readAnswer(box, reason, error);
      if (answer === undefined) return;
      if (at.mode === "first") at.drop(field.name);
      outbox.put({
        kind: "correction",
        study: at.name,
        example: at.id,
        path: `${at.path}/correction`,
        body: { answers: { [field.name]: answer }, reason: reason.value.trim() },
        etag: at.etag,
        seen: { [field.name]: markOf(at.example, field.name) },
        typed: { [field.name]: { ...value } },
      });
      if (before) outbox.remove(before);
      close(true);
    }
    return h(
      "form",
      { novalidate: true, onsubmit: submit },
      h("p", {}, t("correct.now", { value: shown })),
      box.element,
      drawEnd(reason, t("correct.reasonHint"), error, close, t("correct.do")),
    );
  });
}

export function tellExtra(at, fields) {
  const taken = new Set(fields.map((one) => one.name));
  const free = at.study.attributes.filter((one) => !taken.has(one.name));
  return openDialog(t("extra.title", { example: at.id }), (close) => {
    if (!free.length) return h("p", {}, t("extra.none"));
    const which = h(
      "select",
      {},
      free.map((one) => h("option", { value: one.name }, one.name)),
    );
    const place = h("div", {});
    const reason = reasonBox();
    const error = createError();
    let box;
    const drawBox = () => {
      const attribute = free.find((one) => one.name === which.value);
      const value = blank();
      box = createBox({
        name: t("extra.value"),
        unit: attribute.unit,
        attribute,
        reasons: null,
        value,
        changed: (now) => Object.assign(value, now),
      });
      fill(place, box.element);
    };
    which.addEventListener("change", drawBox);
    drawBox();
    function submit(event) {
      event.preventDefault();
      const answer = readAnswer(box, reason, error);
      if (answer === undefined) return;
      outbox.put({
        kind: "extra",
        study: at.name,
        example: at.id,
        path: `${at.path}/extra`,
        body: { answers: { [which.value]: answer }, reason: reason.value.trim() },
      });
      close(true);
    }
    return h(
      "form",
      { novalidate: true, onsubmit: submit },
      h("p", {}, t("extra.text")),
      labelled(t("extra.which"), which),
      place,
      drawEnd(reason, t("extra.reasonHint"), error, close, t("extra.save")),
    );
  });
}
