/* What is changed of an example, with a reason: a value that was told is put right, one that was measured without being
 * ordered is told; coordinators end its order, take that back, and erase it. */
import {
  h,
  fill,
  openDialog,
  field as labelled,
  button,
  submitButton,
  actions,
  announce,
  choice,
  list,
  newId,
  select,
} from "./dom.js";
import { call, get, newKey, NoConnection, Problem } from "./api.js";
import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";
import { createBox, blank, showStored } from "./entry.js";
import { lastOrder, markOf } from "./fields.js";
import { link } from "./routes.js";
import { showMoney } from "./numbers.js";
import { t, joinNames } from "./words.js";

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
    const which = select(free.map((one) => [one.name, one.name]));
    const place = h("div", {});
    const reason = reasonBox();
    const error = createError();
    let box;
    const drawBox = () => {
      const attribute = free.find((one) => one.name === which.value);
      box = createBox({ name: t("extra.value"), unit: attribute.unit, attribute, value: blank() });
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

/* ---- what only coordinators do. These want a connection, since somebody should see what becomes of them ---- */

/* Why an act failed, in its dialog. */
export function sayFailed(failure, error, sayMessage = (message) => message) {
  if (failure instanceof NoConnection) error.say(t("act.noConnection"));
  else if (failure instanceof Problem)
    error.say(failure.status === 412 ? t("act.changed") : sayMessage(failure.message));
  else throw failure;
}

/* A form that sends one write. Its key stays the same while it is open, so a second try can't do it twice. */
export function actForm({ close, parts, check, path, body, match, label, no = t("cancel"), danger, done }) {
  const error = createError();
  const key = { last: "", now: newKey() };
  const send = submitButton(label, danger ? "danger" : "primary");
  async function submit(event) {
    event.preventDefault();
    const wrong = check?.();
    if (wrong) return error.say(wrong);
    const content = body();
    const text = JSON.stringify(content);
    if (key.last && key.last !== text) key.now = newKey();
    key.last = text;
    send.disabled = true;
    try {
      const { json } = await call("POST", path, { body: content, key: key.now, match: match?.() });
      close(json ?? true);
      done?.(json);
    } catch (failure) {
      sayFailed(failure, error);
    } finally {
      send.disabled = false;
    }
  }
  return h(
    "form",
    { novalidate: true, onsubmit: submit },
    parts,
    error.place,
    actions(
      button(no, () => close()),
      send,
    ),
  );
}

const needReason = (reason) => () => {
  if (reason.value.trim()) return null;
  reason.focus();
  return t("reason.needed");
};

/* It is done with the example as it was seen; then the screen looks at it again. */
const goesOn = (at, said) => ({
  match: () => at.etag,
  done: () => {
    announce(t(said, { example: at.id }));
    at.watching.look();
  },
});

export function endOrder(at) {
  const example = at.id;
  const order = lastOrder(at.example);
  const told = order.lines.filter((line) => line.state !== "ordered" && !line.known).map((line) => line.name);
  return openDialog(t("end.title", { example }), (close) => {
    const reason = reasonBox();
    const ways = ["cancel", "fail", "expire"].map((how, i) =>
      choice(
        { name: "how", id: `end-${how}`, value: how, checked: i === 0 },
        h("strong", {}, t(`end.${how}`)),
        h("span", { class: "quiet" }, t(`end.${how}Text`)),
      ),
    );
    const group = h("fieldset", {}, h("legend", {}, t("end.how")), ways);
    const chosen = () => group.querySelector("input:checked").value;
    return actForm({
      close,
      label: t("end.now"),
      no: t("end.keep"),
      danger: true,
      path: `${at.path}/end`,
      parts: [
        told.length
          ? h("div", { class: "notice warn" }, t("end.lost", { names: joinNames(told), spent: showMoney(order.spent) }))
          : null,
        group,
        labelled(t("reason.label"), reason),
      ],
      check: needReason(reason),
      body: () => ({ how: chosen(), reason: reason.value.trim() }),
      ...goesOn(at, "end.done"),
    });
  });
}

export function reopenOrder(at) {
  const example = at.id;
  return openDialog(t("reopen.title", { example }), (close) => {
    const reason = reasonBox();
    return actForm({
      close,
      label: t("reopen.do"),
      path: `${at.path}/reopen`,
      parts: [h("p", {}, t("reopen.text")), labelled(t("reason.label"), reason)],
      check: needReason(reason),
      body: () => ({ reason: reason.value.trim() }),
      ...goesOn(at, "reopen.done"),
    });
  });
}

/* What goes, what stays and what is lost, as `scant study erase` says it. */
function drawTraces(traces) {
  const lines = [
    t("erase.events", { n: traces.events }),
    traces.orders ? t("erase.orders", { n: traces.orders }) : null,
    traces.open ? t("erase.open", { n: traces.open }) : null,
    traces.imported ? t("erase.imported") : null,
    traces.spent || traces.refunded
      ? t("erase.money", { spent: showMoney(traces.spent), refunded: showMoney(traces.refunded) })
      : null,
    traces.looks ? t("erase.looks", { n: traces.looks }) : null,
    traces.unknown ? t("erase.unknown", { n: traces.unknown }) : null,
    traces.mentions ? t("erase.mentions", { n: traces.mentions }) : null,
  ];
  return list(lines.filter(Boolean));
}

export function eraseExample(at) {
  const example = at.id;
  return openDialog(t("erase.title", { example }), (close) => {
    const reason = reasonBox();
    const again = h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    const traces = h("div", { role: "status" }, h("p", {}, t("loading")));
    get(`${at.path}/traces`).then(
      ({ json }) => fill(traces, drawTraces(json)),
      (problem) => fill(traces, h("p", {}, problem.message || t("act.noConnection"))),
    );
    return actForm({
      close,
      label: t("erase.do"),
      danger: true,
      path: `${at.path}/erase`,
      parts: [
        h("div", { class: "notice error" }, t("erase.text")),
        traces,
        h("p", {}, t("erase.elsewhere")),
        labelled(t("reason.label"), reason, { hint: t("erase.reasonHint") }),
        labelled(t("erase.again", { example }), again),
      ],
      check: () => needReason(reason)() ?? (again.value.trim() === example ? null : t("erase.other")),
      body: () => ({ reason: reason.value.trim() }),
      match: () => at.etag,
      done: () => {
        for (const mode of ["first", "second"]) drafts.remove(at.name, example, mode);
        announce(t("erase.done"));
        location.hash = link(at.name, "work");
      },
    });
  });
}
