/* What stands around the rows of an example: how it stands, what was refused, and what can be done. `at` is the screen. */
import { h, fill, fillIf, notice, button, buttonLink, actions, quiet, strong } from "./dom.js";
import { may } from "./session.js";
import { link } from "./routes.js";
import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";
import * as cache from "./cache.js";
import { drawTold, sayStored } from "./rows.js";
import { hasEnded, lastOrder, takesValues, toldField } from "./fields.js";
import { showMoney } from "./numbers.js";
import { stateChip } from "./worklist.js";
import { correct, tellExtra, endOrder, reopenOrder, eraseExample } from "./changes.js";
import { drawHistory } from "./history.js";
import { describe, sayTyped } from "./unsaved.js";
import { t, showTime, joinNames } from "./words.js";

/* What is saved now of the values that a correction was typed for. */
function drawNow(at, item) {
  const names = Object.keys(item.body.answers);
  const now = at.fields
    .filter((field) => names.includes(field.name))
    .map((field) => t("unsaved.value", { name: field.name, value: sayStored(field) }));
  return [h("p", {}, t("example.changed", { now: joinNames(now) }))];
}

function drawAgain(at, item) {
  const [name] = Object.keys(item.typed ?? {});
  const field = at.fields.find((one) => one.name === name && one.told);
  if (item.kind !== "correction" || !field) return null;
  return button(t("example.correctOf", { name }), () => correct(at, field, item.typed[name], item));
}

/* Typed for an order that has ended, and not asked for by the one that came after it. */
function drawForeign(at) {
  return at.foreign.map((name) =>
    notice(
      "warn",
      h("p", {}, t("example.foreign", { name, value: at.draft.values[name].text || t("entry.notDone") })),
      actions(
        button(t("conflict.drop"), () => {
          at.drop(name);
          at.draw();
        }),
      ),
    ),
  );
}

export function drawProblems(at) {
  const { problem } = at.draft;
  const refused = at.sent.filter((item) => item.problem);
  fill(
    at.parts.problems,
    problem
      ? notice(
          "error",
          strong(t(problem.stored ? "conflict.heading" : "example.refusedTitle")),
          h("p", {}, problem.detail),
          h("p", {}, t(problem.stored ? "conflict.restKept" : "example.refusedText")),
        )
      : null,
    refused.map((item) =>
      notice(
        "error",
        strong(describe(item)),
        h("p", {}, sayTyped(item)),
        item.problem.status === 412 ? drawNow(at, item) : h("p", {}, item.problem.detail),
        actions(
          drawAgain(at, item),
          button(t("unsaved.dismiss"), () => outbox.remove(item)),
        ),
      ),
    ),
    drawForeign(at),
    at.mode === "second" && at.compared ? drawCompared(at) : null,
  );
}

function drawCompared(at) {
  const names = (at.compared.differences ?? []).map((one) => one.name);
  const { same_hand: sameHand } = at.compared;
  return notice(
    names.length ? "warn" : "ok",
    strong(names.length ? t("second.differ", { names: joinNames(names), n: names.length }) : t("second.agree")),
    names.length ? h("p", {}, t("second.whatNow")) : null,
    sameHand ? h("p", {}, t("second.sameHand", { n: sameHand })) : null,
  );
}

export function drawSummary(at) {
  const order = lastOrder(at.example);
  if (at.mode === "second" && !at.rows.size) return void fill(at.parts.summary, h("p", {}, t("second.nothing")));
  if (!order) return void fill(at.parts.summary, h("p", {}, t("example.imported")), drawImported(at));
  const price = at.study.priced ? ` · ${t("example.price", { price: showMoney(order.price) })}` : "";
  fill(
    at.parts.summary,
    h(
      "p",
      {},
      stateChip(order.state),
      " ",
      t("example.asked", { number: order.order, time: showTime(order.asked_at), by: order.asked_by ?? "" }),
      price,
    ),
    hasEnded(order)
      ? notice(
          "info",
          h("p", {}, t(`ended.${order.state}`)),
          order.reason ? h("p", {}, t("example.reason", { reason: order.reason })) : null,
        )
      : null,
    at.example.orders.length > 1 ? quiet(t("example.again", { n: at.example.orders.length })) : null,
    drawImported(at),
  );
}

/* What is known from before the study. */
function drawImported(at) {
  if (!at.example.imported) return null;
  const fields = at.example.imported.map((one) => ({
    ...toldField(at.study, one),
    target: one.name === at.study.target,
  }));
  return h(
    "div",
    { class: "card rows" },
    fields.map((field) => drawTold(at, field)),
  );
}

function drawActions(at, fields) {
  const order = lastOrder(at.example);
  const manage = may("manage", at.role);
  const first = at.mode === "first";
  const to = (text, ...where) => buttonLink(t(text), link(at.name, ...where));
  const paper = [["e", at.id]];
  const once = fields.some((field) => field.told && !field.extra && field.second !== "agrees");
  const second = first && once ? to("example.toSecond", "second", at.id) : null;
  if (second && at.study.second_entry) second.classList.add("primary");
  return actions(
    first ? second : to("example.toFirst", "example", at.id),
    order ? [to("example.sheet", "sheets", null, paper), to("example.label", "labels", null, paper)] : null,
    order && first && (order.state === "learned" || takesValues(order))
      ? button(t("extra.do"), () => tellExtra(at, fields))
      : null,
    manage && order && takesValues(order) ? button(t("end.do"), () => endOrder(at)) : null,
    manage && order && hasEnded(order) ? button(t("reopen.do"), () => reopenOrder(at)) : null,
    manage ? button(t("erase.do"), () => eraseExample(at), { class: "danger" }) : null,
  );
}

/* Drawn anew only when it has become another, so that the focus stays. */
export function drawBelow(at, fields) {
  const told = fields.map((field) => [field.name, field.told, field.second]);
  fillIf(at.parts.below, [lastOrder(at.example)?.state, told, at.study.second_entry], () => drawActions(at, fields));
  if (at.mode === "second") return; /* the history has the first entry */
  const hidden = new Set(fields.filter((field) => field.hidden).map((field) => field.name));
  const open = at.parts.details.querySelector("details")?.open;
  const known = at.example.history.length > 0; /* not of what was seen in the list alone */
  fillIf(at.parts.details, [at.example.history.length, [...hidden]], () =>
    known ? drawHistory(at.example, hidden, open) : null,
  );
}

export function showUnknown(at, problem) {
  const unknown = problem.status === 404 && problem.code === "unknown";
  const modes = ["first", "second"];
  at.removed ||= unknown && modes.some((mode) => Object.keys(drafts.load(at.name, at.id, mode).values).length);
  /* It was erased: nothing of it may stay, here neither. */
  if (unknown) cache.dropExample(at.name, at.id);
  if (unknown) for (const mode of modes) drafts.remove(at.name, at.id, mode);
  at.form.hidden = true;
  fillIf(at.parts.below, null, () => null);
  fillIf(at.parts.details, null, () => null);
  fill(
    at.parts.summary,
    notice(
      unknown ? "info" : "error",
      h("p", {}, problem.message),
      unknown && at.removed ? h("p", {}, t("example.gone")) : null,
    ),
    unknown
      ? h("p", {}, buttonLink(t("example.order", { example: at.id }), link(at.name, "new", null, { name: at.id })))
      : null,
  );
}
