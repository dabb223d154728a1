/* One example: what to measure, what came, and what can be done with it. The same screen takes second entries. */
import { h, fill, fillIf, notice, announce, buttonLink, crumb, listen, sayAll, submitButton } from "./dom.js";
import { get, pathOf, watch, connection, events as net } from "./api.js";
import { link } from "./routes.js";
import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";
import * as cache from "./cache.js";
import { onOther } from "./store.js";
import { drawRow, kindOf } from "./rows.js";
import { drawBelow, drawProblems, drawSummary, showUnknown } from "./examplepanels.js";
import { fieldsOf, lastOrder } from "./fields.js";
import { t, showClock, showTime, joinNames } from "./words.js";

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
    this.fields = [];
    this.foreign = []; /* names that something was typed for, and that are not asked for now */
    this.seenAt = null; /* it is shown as it was seen then, without a connection */
    this.changes = {}; /* how often another tab has changed a box */
    this.removed = false; /* a draft of what was erased */
    this.draft = drafts.load(this.name, this.id, this.mode);
    this.build(place);
    this.watching = watch(
      (noneMatch) => get(this.path, { noneMatch }),
      (json, etag) => this.take(json, etag),
      (problem) => showUnknown(this, problem),
      (error) => this.onTrouble(error),
    );
    this.loadStudy();
    this.listen();
  }

  build(place) {
    const second = this.mode === "second";
    this.place = place;
    this.parts = Object.fromEntries(
      ["stale", "summary", "problems", "rows", "below", "details"].map((name) => [name, h("div", { class: name })]),
    );
    this.status = h("p", { class: "savestate", role: "status", tabindex: -1 });
    this.save = submitButton(t(second ? "example.saveSecond" : "example.save"));
    this.next = h("span", { class: "next" });
    this.more = h("button", { type: "button", class: "plain small below-bar", hidden: true });
    this.more.addEventListener("click", () => this.hidden[0]?.control?.focus());
    this.foot = h("div", { class: "actions savebar", hidden: true }, this.save, this.status, this.more, this.next);
    this.hint = h("p", { class: "hint keys" }, t("example.keys"));
    this.form = h(
      "form",
      {
        class: "card sheet",
        novalidate: true,
        hidden: true,
        "aria-label": t(`example.form.${this.mode}`, { example: this.id }),
        onsubmit: (event) => this.submit(event),
        onkeydown: (event) => this.press(event),
      },
      this.parts.rows,
      this.foot,
      this.hint,
    );
    fill(
      place,
      crumb(t("nav.work"), link(this.name, "work")),
      h("h1", {}, t(second ? "second.title" : "example.title", { example: this.id })),
      second ? h("p", {}, t("second.text")) : null,
      this.parts.stale,
      this.parts.summary,
      this.parts.problems,
      this.form,
      this.parts.below,
      this.parts.details,
    );
  }

  listen() {
    const listeners = [
      [outbox.events, "change", () => this.reload()],
      [outbox.events, "saved", ({ detail }) => this.isMine(detail.item) && this.onSaved(detail)],
      [outbox.events, "refused", ({ detail }) => this.isMine(detail.item) && this.onRefused(detail.problem)],
      [net, "connection", () => this.drawStatus()],
    ];
    const look = () => this.drawMore();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    this.form.addEventListener("focusin", (event) => this.clear(event.target));
    const forget = [listen(listeners), onOther((key) => this.onOtherTab(key))];
    this.stop = () => {
      this.stopped = true;
      this.watching.stop();
      for (const one of forget) one();
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
    };
  }

  take(json, etag) {
    this.example = json;
    this.etag = etag ?? json.etag;
    this.seenAt = null;
    cache.keepExample(this.name, this.id, json, this.etag);
    this.draw();
  }

  /* Without a connection: as it was seen last. */
  onTrouble(error) {
    const kept = error && !this.example ? cache.exampleOf(this.name, this.id) : null;
    if (kept) {
      Object.assign(this, { example: kept.json, etag: kept.etag, seenAt: kept.at });
      this.draw();
    }
    if (!error && this.seenAt) this.seenAt = null;
    const trouble = error ? outbox.sayFailure(error) : "";
    const text = !error
      ? ""
      : !this.example
        ? t("example.notSeen", { trouble })
        : this.seenAt
          ? t("example.asSeen", { trouble, time: showTime(this.seenAt) })
          : "";
    fillIf(this.parts.stale, text, () => (text ? notice("warn", text) : null));
  }

  /* The catalogue: limits, reasons, whether everything is entered twice. */
  async loadStudy() {
    try {
      this.study = (await get(pathOf("studies", this.name))).json;
      cache.keepStudy(this.name, this.study);
      this.draw();
    } catch {
      this.study ??= cache.studyOf(this.name);
      this.draw();
      setTimeout(() => this.stopped || this.loadStudy(), 2000);
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

  /* Another tab of the same person has typed: its values come here, but for the box that is typed in. */
  onOtherTab(key) {
    if (key !== null && !drafts.isOf(key, this.name, this.id, this.mode)) return;
    const now = drafts.load(this.name, this.id, this.mode);
    const held = [...this.rows.values()].find((row) => row.element.contains(document.activeElement))?.field.name;
    for (const name of new Set([...Object.keys(now.values), ...Object.keys(this.draft.values)])) {
      if (JSON.stringify(now.values[name]) === JSON.stringify(this.draft.values[name])) continue;
      if (name === held && isTyped(this.draft.values[name])) now.values[name] = this.draft.values[name];
      else this.changes[name] = (this.changes[name] ?? 0) + 1;
    }
    this.draft = now;
    this.draw();
  }

  reload() {
    this.draft = drafts.load(this.name, this.id, this.mode);
    this.draw();
  }

  type(name, value) {
    this.draft = drafts.load(this.name, this.id, this.mode); /* another tab may have typed elsewhere */
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
    this.moveOn();
    this.foot.hidden = false;
    this.sayStatus("", t("conflict.kept", { name: field.name, value: shown }));
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
    if (!Object.keys(answers).length) bad.push(...[...this.rows.values()].filter((row) => row.kind === "conflict"));
    if (bad.length) {
      (bad[0].control ?? bad[0].element.querySelector("button")).focus();
      return this.sayStatus("error", t("example.lookAt", { names: joinNames(bad.map((row) => row.field.name)) }));
    }
    if (!Object.keys(answers).length) return this.sayStatus("", t("example.nothing"));
    if (!this.draft.problem?.stored) this.draft.problem = null;
    this.compared = null;
    this.keep();
    if (this.parts.rows.contains(document.activeElement)) this.save.focus();
    const act = ACTS[this.mode];
    outbox.put({
      kind: act,
      study: this.name,
      example: this.id,
      path: `${this.path}/${act}`,
      body: { answers },
      mode: this.mode,
      values,
    });
  }

  onSaved({ item, answer }) {
    this.savedAt = Date.now();
    const order = answer?.order?.lines ? answer.order : answer;
    if (this.example?.orders.length && order?.lines)
      this.example.orders.splice(-1, 1, { ...lastOrder(this.example), ...order });
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

  /* To what has become of the row that was typed in, to the next box, or to what was said of the saving. */
  moveOn(row = null) {
    if (row?.kind === "conflict") return row.element.querySelector("button").focus();
    const next = [...this.rows.values()].find(
      (row) => row.kind === "open" && !isTyped(this.draft.values[row.field.name]),
    );
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
    this.fields = all;
    this.findForeign(all);
    this.drawRows(fields);
    drawSummary(this);
    drawProblems(this);
    const open = [...this.rows.values()].some((row) => ["open", "waiting", "conflict"].includes(row.kind));
    this.foot.hidden = !open && !this.savedAt;
    this.save.hidden = !open;
    this.hint.hidden = !open;
    this.form.hidden = !fields.length;
    this.drawStatus();
    drawBelow(this, all);
    this.drawMore();
  }

  /* Typed for an order that has ended meanwhile, and is not asked for by the new one. */
  findForeign(fields) {
    const asked = new Set(fields.map((field) => field.name));
    this.foreign = Object.keys(this.draft.values).filter(
      (name) => !asked.has(name) && isTyped(this.draft.values[name]),
    );
  }

  /* Only rows that have become others are drawn anew: the one that is typed in stays as it is. */
  drawRows(fields) {
    const place = this.parts.rows;
    const onTheWay = new Set(
      this.sent
        .filter((item) => !item.problem && item.kind === ACTS[this.mode])
        .flatMap((item) => Object.keys(item.body.answers)),
    );
    const held = [...this.rows.values()].find((row) => row.element.contains(document.activeElement));
    const old = this.rows;
    this.rows = new Map();
    for (const field of fields) {
      const kind = kindOf(this, field, onTheWay);
      const typed = ["waiting", "conflict", "late"].includes(kind) ? this.draft.values[field.name] : null;
      const sign = JSON.stringify([kind, field, typed, this.study.missing_reasons, this.changes[field.name]]);
      const before = old.get(field.name);
      const row = before?.sign === sign ? before : Object.assign(drawRow(this, field, kind), { sign, kind, field });
      if (kind === "conflict" && before && before.kind !== kind) announce(sayAll(row.element), true);
      if (before && before !== row) before.element.replaceWith(row.element);
      else if (!before) place.append(row.element);
      this.rows.set(field.name, row);
      old.delete(field.name);
    }
    for (const gone of old.values()) gone.element.remove();
    if (held && !place.contains(document.activeElement)) this.moveOn(this.rows.get(held.field.name));
  }

  /* Boxes under the bar, or below the window. */
  get hidden() {
    const edge = this.foot.getBoundingClientRect().top;
    return [...this.rows.values()].filter(
      (row) => row.kind === "open" && row.control.getBoundingClientRect().bottom > edge,
    );
  }

  /* The bar covers what is below it: it names the boxes that are there. */
  drawMore() {
    const names = this.foot.hidden ? [] : this.hidden.map((row) => row.field.name);
    this.foot.classList.toggle("over", names.length > 0);
    this.more.hidden = !names.length;
    const text = names.length ? t("example.below", { names: joinNames(names), n: names.length }) : "";
    if (this.more.textContent !== text) this.more.textContent = text;
  }

  /* What has the focus is never under the bar, its hint and sentence neither. */
  clear(control) {
    const row = control.closest(".entry");
    if (!row || this.foot.hidden) return;
    const under = row.getBoundingClientRect().bottom - this.foot.getBoundingClientRect().top;
    if (under > 0) window.scrollBy(0, under);
  }

  sayStatus(kind, text) {
    this.status.className = `savestate ${kind}`;
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  drawStatus() {
    const typed = [...this.rows.values()].filter(
      (row) => row.kind === "open" && isTyped(this.draft.values[row.field.name]),
    ).length;
    const next = this.savedAt && !typed ? cache.nextAfter(this.name, this.id) : null;
    fillIf(this.next, next, () =>
      next ? buttonLink(t("example.next", { example: next }), link(this.name, "example", next)) : null,
    );
    const trouble = outbox.sayTrouble();
    if (this.sent.some((item) => !item.problem))
      this.sayStatus(
        "warn",
        trouble ? t(connection.lost ? "example.waitsLost" : "example.waits", { trouble }) : t("example.saving"),
      );
    else if (typed) this.sayStatus("warn", t("example.typed", { n: typed }));
    else if (this.savedAt) this.sayStatus("ok", t("example.saved", { time: showClock(this.savedAt) }));
    else this.sayStatus("", "");
  }
}

export const showExample = (place, route) => new Screen(place, route);
