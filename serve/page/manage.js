/* What only coordinators do with an example: end its order, take that back, erase it. These want a connection, since
 * somebody should see what becomes of them. */
import { h, fill, openDialog, field as labelled, button, submitButton, actions, announce, list } from "./dom.js";
import { call, get, newKey, NoConnection, Problem } from "./api.js";
import * as drafts from "./drafts.js";
import { createError, reasonBox } from "./correct.js";
import { lastOrder } from "./fields.js";
import { link } from "./routes.js";
import { showMoney } from "./numbers.js";
import { t, joinNames } from "./words.js";

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
      if (failure instanceof NoConnection) error.say(t("act.noConnection"));
      else if (failure instanceof Problem) error.say(failure.status === 412 ? t("act.changed") : failure.message);
      else throw failure;
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
    const ways = ["cancel", "fail", "expire"].map((how, i) => {
      const id = `end-${how}`;
      return h(
        "label",
        { class: "choice", for: id },
        h("input", { type: "radio", name: "how", id, value: how, checked: i === 0 }),
        h("span", {}, h("strong", {}, t(`end.${how}`)), h("span", { class: "quiet" }, t(`end.${how}Text`))),
      );
    });
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
