/* One example: what to measure, what came, and what can be done with it. The same screen takes second entries. */
import { h, fill, notice, button, announce } from "./dom.js";
import { get, pathOf, watch, events as net, connection } from "./api.js";
import { may } from "./session.js";
import { link } from "./routes.js";
import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";
import { drawRow, drawTold, kindOf } from "./rows.js";
import { attributeOf, fieldsOf, hasEnded, lastOrder, takesValues } from "./fields.js";
import { showMoney } from "./numbers.js";
import { stateChip } from "./worklist.js";
import { tellExtra } from "./correct.js";
import { endOrder, reopenOrder, eraseExample } from "./manage.js";
import { drawHistory } from "./history.js";
import { describe } from "./unsaved.js";
import { t, showTime, showClock, joinNames } from "./words.js";

const ACTS = { first: "answers", second: "second" };
const isTyped = (value) => Boolean(value && (value.missing || value.text.trim()));

class Screen {
  constructor(place, route) {
    this.name = route.study.name; /* of the study */
    this.id = route.example;
    this.mode = route.screen === "second" ? "second" : "first";
    this.role = route.role;
    this.path = pathOf("studies", this.name, "examples", this.id);
    this.study = null;
    this.example = null;
    this.etag = null;
    this.rows = new Map();
    this.savedAt = null;
    this.compared = null;
    this.stopped = false;
    this.draft = drafts.load(this.name, this.id, this.mode);
    this.build(place);
    this.watching = watch((noneMatch) => get(this.path, { noneMatch }), (json, etag) => this.take(json, etag), (problem) => this.showUnknown(problem));
    this.loadStudy();
    this.listen();
  }

  build(place) {
    const second = this.mode === "second";
    this.place = place;
    this.parts = Object.fromEntries(["summary", "problems", "rows", "below", "details"].map((name) => [name, h("div", { class: name })]));
    this.status = h("p", { class: "savestate", role: "status", tabindex: -1 });
    this.save = h("button", { type: "submit", class: "primary" }, t(second ? "example.saveSecond" : "example.save"));
    this.foot = h("div", { class: "actions savebar", hidden: true }, this.save, this.status);
    this.hint = h("p", { class: "hint keys" }, t("example.keys"));
    this.form = h("form", { class: "card sheet", novalidate: true, hidden: true, "aria-label": t(`example.form.${this.mode}`, { example: this.id }),
      onsubmit: (event) => this.submit(event), onkeydown: (event) => this.press(event) },
      this.parts.rows, this.foot, this.hint);
    fill(place, h("p", { class: "crumb" }, h("a", { href: link(this.name, "work") }, t("nav.work"))),
      h("h1", {}, t(second ? "second.title" : "example.title", { example: this.id })),
      second ? h("p", {}, t("second.text")) : null,
      this.parts.summary, this.parts.problems, this.form, this.parts.below, this.parts.details);
  }

  listen() {
    const listeners = [
      [outbox.events, "change", () => this.reload()],
      [outbox.events, "saved", ({ detail }) => this.isMine(detail.item) && this.onSaved(detail)],
      [outbox.events, "refused", ({ detail }) => this.isMine(detail.item) && this.onRefused(detail.problem)],
      [net, "connection", () => this.drawStatus()],
    ];
    for (const [from, type, listener] of listeners) from.addEventListener(type, listener);
    this.stop = () => {
      this.stopped = true;
      this.watching.stop();
      for (const [from, type, listener] of listeners) from.removeEventListener(type, listener);
    };
  }

  take(json, etag) {
    this.example = json;
    this.etag = etag ?? json.etag;
    this.draw();
  }

  /* The catalogue: limits, reasons, whether everything is entered twice. */
  async loadStudy() {
    try {
      this.study = (await get(pathOf("studies", this.name))).json;
      this.draw();
    } catch {
      setTimeout(() => this.study || this.stopped || this.loadStudy(), 2000);
    }
  }

  /* ---- what was typed ---- */

  isMine(item) {
    return item.study === this.name && item.example === this.id;
  }

  get sent() {
    return outbox.list().filter((item) => this.isMine(item));
  }

  keep() {
    drafts.save(this.name, this.id, this.mode, this.draft);
  }

  reload() {
    this.draft = drafts.load(this.name, this.id, this.mode);
    this.draw();
  }

  type(name, value) {
    this.draft.values[name] = value;
    this.savedAt = null;
    this.keep();
    this.drawStatus();
  }

  drop(name) {
    delete this.draft.values[name];
    const stored = this.draft.problem?.stored;
    if (stored) delete stored[name];
    if (stored && !Object.keys(stored).length) this.draft.problem = null;
    this.keep();
  }

  keepTheirs(field, shown) {
    this.drop(field.name);
    this.draw();
    announce(t("conflict.kept", { name: field.name, value: shown }));
    this.moveOn();
  }

  /* Somebody else made the first entry meanwhile: what was typed is the second. */
  useAsSecond(field) {
    const second = drafts.load(this.name, this.id, "second");
    second.values[field.name] = this.draft.values[field.name];
    drafts.save(this.name, this.id, "second", second);
    this.drop(field.name);
    location.hash = link(this.name, "second", this.id);
  }

  /* ---- saving ---- */

  /* What the boxes hold: {answers, values, bad} */
  read() {
    const found = { answers: {}, values: {}, bad: [] };
    for (const row of this.rows.values()) {
      if (row.kind === "conflict") found.bad.push(row);
      if (row.kind !== "open") continue;
      const { answer, problem, blank } = row.read();
      row.say();
      if (problem) found.bad.push(row);
      if (problem || blank) continue;
      found.answers[row.field.name] = answer;
      found.values[row.field.name] = this.draft.values[row.field.name];
    }
    return found;
  }

  submit(event) {
    event?.preventDefault();
    const { answers, values, bad } = this.read();
    if (bad.length) {
      (bad[0].control ?? bad[0].element.querySelector("button")).focus();
      return this.sayStatus("error", t("example.lookAt", { names: joinNames(bad.map((row) => row.field.name)) }));
    }
    if (!Object.keys(answers).length) return this.sayStatus("", t("example.nothing"));
    this.draft.problem = null;
    this.compared = null;
    this.keep();
    if (this.parts.rows.contains(document.activeElement)) this.save.focus();
    const act = ACTS[this.mode];
    outbox.put({ kind: act, study: this.name, example: this.id, path: `${this.path}/${act}`, body: { answers }, mode: this.mode, values });
  }

  onSaved({ item, answer }) {
    this.savedAt = Date.now();
    const order = answer?.order?.lines ? answer.order : answer;
    if (this.example?.orders.length && order?.lines) this.example.orders.splice(-1, 1, { ...lastOrder(this.example), ...order });
    if (item.kind === "second") this.compared = answer;
    this.reload();
    this.sayStatus("ok", t("example.saved", { time: showClock(this.savedAt) }));
    this.watching.look();
  }

  onRefused(problem) {
    announce(problem.detail, true);
    this.loadStudy(); /* limits may be others by now */
    this.watching.look();
    this.reload();
  }

  /* To the next box, or to what was said of the saving. */
  moveOn() {
    const next = [...this.rows.values()].find((row) => row.kind === "open" && !isTyped(this.draft.values[row.field.name]));
    if (next) next.control.focus();
    else if (!this.foot.hidden) this.status.focus();
    else this.place.querySelector("h1").focus();
  }

  press(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.ctrlKey || event.metaKey) return void this.submit(event);
    if (!event.target.matches("input[data-name]")) return;
    event.preventDefault();
    const boxes = [...this.parts.rows.querySelectorAll("input[data-name]:not(:disabled), .box select:not(:disabled)")];
    (boxes[boxes.indexOf(event.target) + 1] ?? this.save).focus();
  }

  /* ---- drawing ---- */

  draw() {
    if (!this.study || !this.example || this.stopped) return;
    const all = fieldsOf(this.study, this.example);
    const fields = this.mode === "second" ? all.filter((field) => field.told && !field.extra) : all;
    this.dropForeign(all);
    this.drawSummary();
    this.drawRows(fields);
    this.drawProblems();
    const open = [...this.rows.values()].some((row) => ["open", "waiting", "conflict"].includes(row.kind));
    this.foot.hidden = !open && !this.savedAt;
    this.save.hidden = !open;
    this.hint.hidden = !open;
    this.form.hidden = !fields.length;
    this.drawStatus();
    this.drawBelow(all);
    if (!fields.length && this.mode === "second") fill(this.parts.summary, h("p", {}, t("second.nothing")));
  }

  /* Typed for an order that has ended meanwhile, and is not asked for by the new one. */
  dropForeign(fields) {
    const asked = new Set(fields.map((field) => field.name));
    for (const name of Object.keys(this.draft.values)) if (!asked.has(name)) this.drop(name);
  }

  /* Only rows that have become others are drawn anew: the one that is typed in stays as it is. */
  drawRows(fields) {
    const place = this.parts.rows;
    const onTheWay = new Set(this.sent.filter((item) => !item.problem && item.kind === ACTS[this.mode]).flatMap((item) => Object.keys(item.body.answers)));
    const held = place.contains(document.activeElement);
    const old = this.rows;
    this.rows = new Map();
    for (const field of fields) {
      const kind = kindOf(this, field, onTheWay);
      const typed = kind === "waiting" || kind === "conflict" ? this.draft.values[field.name] : null;
      const sign = JSON.stringify([kind, field, typed, this.study.missing_reasons]);
      const before = old.get(field.name);
      const row = before?.sign === sign ? before : Object.assign(drawRow(this, field, kind), { sign, kind, field });
      if (before && before !== row) before.element.replaceWith(row.element);
      else if (!before) place.append(row.element);
      this.rows.set(field.name, row);
      old.delete(field.name);
    }
    for (const gone of old.values()) gone.element.remove();
    if (held && !place.contains(document.activeElement)) this.moveOn();
  }

  sayStatus(kind, text) {
    this.status.className = `savestate ${kind}`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  drawStatus() {
    const typed = [...this.rows.values()].filter((row) => row.kind === "open" && isTyped(this.draft.values[row.field.name])).length;
    if (this.sent.some((item) => !item.problem)) this.sayStatus("warn", t(connection.lost ? "example.waits" : "example.saving"));
    else if (typed) this.sayStatus("warn", t("example.typed", { n: typed }));
    else if (this.savedAt) this.sayStatus("ok", t("example.saved", { time: showClock(this.savedAt) }));
    else this.sayStatus("", "");
  }

  drawProblems() {
    const { problem } = this.draft;
    const refused = this.sent.filter((item) => item.problem);
    fill(this.parts.problems,
      problem ? notice("error", h("p", {}, h("strong", {}, t(problem.stored ? "conflict.heading" : "example.refusedTitle"))), h("p", {}, problem.detail),
        h("p", {}, t(problem.stored ? "conflict.restKept" : "example.refusedText"))) : null,
      refused.map((item) => notice("error", h("p", {}, h("strong", {}, describe(item))), h("p", {}, item.problem.detail),
        item.problem.status === 412 ? h("p", {}, t("example.changed")) : null,
        h("div", { class: "actions" }, button(t("unsaved.dismiss"), () => outbox.remove(item))))),
      this.mode === "second" && this.compared ? this.drawCompared() : null);
  }

  drawCompared() {
    const names = (this.compared.differences ?? []).map((one) => one.name);
    const { same_hand: sameHand } = this.compared;
    return notice(names.length ? "warn" : "ok",
      h("p", {}, h("strong", {}, names.length ? t("second.differ", { names: joinNames(names), n: names.length }) : t("second.agree"))),
      names.length ? h("p", {}, t("second.whatNow")) : null,
      sameHand ? h("p", {}, t("second.sameHand", { n: sameHand })) : null);
  }

  drawSummary() {
    const order = lastOrder(this.example);
    if (!order) return void fill(this.parts.summary, h("p", {}, t("example.imported")), this.drawImported());
    const price = this.study.priced ? ` · ${t("example.price", { price: showMoney(order.price) })}` : "";
    fill(this.parts.summary,
      h("p", {}, stateChip(order.state), " ", t("example.asked", { number: order.order, time: showTime(order.asked_at), by: order.asked_by ?? "" }), price),
      hasEnded(order) ? notice("info", h("p", {}, t(`ended.${order.state}`)), order.reason ? h("p", {}, t("example.reason", { reason: order.reason })) : null) : null,
      this.example.orders.length > 1 ? h("p", { class: "quiet" }, t("example.again", { n: this.example.orders.length })) : null,
      this.drawImported());
  }

  /* What is known from before the study. */
  drawImported() {
    if (!this.example.imported) return null;
    const fields = this.example.imported.map((one) => ({
      name: one.name, unit: attributeOf(this.study, one.name).unit, attribute: attributeOf(this.study, one.name), target: one.name === this.study.target,
      told: true, value: one.value, note: one.note, missing: one.value === null, hidden: false, second: null, by: null,
    }));
    return h("div", { class: "card rows" }, fields.map((field) => drawTold(this, field)));
  }

  drawBelow(fields) {
    const order = lastOrder(this.example);
    const manage = may("manage", this.role);
    const first = this.mode === "first";
    const names = [["e", this.id]];
    const once = fields.some((field) => field.told && !field.extra && field.second !== "agrees");
    const taking = order && (order.state === "learned" || takesValues(order));
    fill(this.parts.below, h("div", { class: "actions" },
      first ? null : h("a", { class: "button", href: link(this.name, "example", this.id) }, t("example.toFirst")),
      first && once ? h("a", { class: this.study.second_entry ? "button primary" : "button", href: link(this.name, "second", this.id) }, t("example.toSecond")) : null,
      order ? h("a", { class: "button", href: link(this.name, "sheets", null, names) }, t("example.sheet")) : null,
      order ? h("a", { class: "button", href: link(this.name, "labels", null, names) }, t("example.label")) : null,
      taking && first ? button(t("extra.do"), () => tellExtra(this, fields)) : null,
      manage && order && takesValues(order) ? button(t("end.do"), () => endOrder(this)) : null,
      manage && order && hasEnded(order) ? button(t("reopen.do"), () => reopenOrder(this)) : null,
      manage ? button(t("erase.do"), () => eraseExample(this), { class: "danger" }) : null));
    const open = this.parts.details.querySelector("details")?.open;
    const hidden = new Set(fields.filter((field) => field.hidden).map((field) => field.name));
    fill(this.parts.details, first ? drawHistory(this.example, hidden, open) : null);
  }

  showUnknown(problem) {
    const unknown = problem.status === 404;
    this.form.hidden = true;
    fill(this.parts.below);
    fill(this.parts.details);
    fill(this.parts.summary, notice(unknown ? "info" : "error", h("p", {}, problem.message)),
      unknown ? h("p", {}, h("a", { class: "button", href: link(this.name, "new", null, { name: this.id }) }, t("example.order", { example: this.id }))) : null);
  }
}

export const showExample = (place, route) => new Screen(place, route);
