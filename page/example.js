/* One example: what to measure, what came, and what can be done with it. */
import { h, fill, notice, button, announce } from "./dom.js";
import { get, pathOf, watch, events as net, connection } from "./api.js";
import { may, session } from "./session.js";
import { link } from "./routes.js";
import * as drafts from "./drafts.js";
import * as outbox from "./outbox.js";
import { createBox, blank, showAnswer, showStored, toAnswer } from "./entry.js";
import { fieldsOf, hasEnded, isSame, lastOrder, takesValues } from "./fields.js";
import { showMoney } from "./numbers.js";
import { stateChip } from "./worklist.js";
import { correct, tellExtra } from "./correct.js";
import { endOrder, reopenOrder, eraseExample } from "./manage.js";
import { drawHistory } from "./history.js";
import { describe } from "./unsaved.js";
import { t, showTime, showClock, joinNames } from "./words.js";

const kindOf = { first: "answers", second: "second" };

export function showExample(place, route) {
  const study = route.study.name, name = route.example;
  const mode = route.screen === "second" ? "second" : "first";
  const path = pathOf("studies", study, "examples", name);
  const at = { study: null, example: null, etag: null, draft: drafts.load(study, name, mode), rows: new Map(), saved: null };

  const summary = h("div", { class: "summary" });
  const problems = h("div", {});
  const form = h("form", { class: "card sheet", novalidate: true, "aria-label": t(`example.form.${mode}`, { example: name }) });
  const status = h("p", { class: "savestate", role: "status", tabindex: -1 });
  const save = h("button", { type: "submit", class: "primary" }, t(mode === "second" ? "example.saveSecond" : "example.save"));
  const foot = h("div", { class: "actions savebar" }, save, status);
  const rows = h("div", { class: "rows" });
  const below = h("div", {});
  const details = h("div", {});

  /* ---- what the rows show ---- */

  const mayCorrect = (field) => may("manage", route.role) || field.by === session.name;
  /* Second entries are blind: who will make one does not see the first. */
  const isHidden = (field) => at.study.second_entry && field.told && !field.extra && field.second !== "agrees" && field.by !== session.name && !may("manage", route.role);

  const sent = () => outbox.list().filter((item) => item.study === study && item.example === name);
  const onTheWay = () => new Set(sent().filter((item) => !item.problem && item.kind === kindOf[mode]).flatMap((item) => Object.keys(item.body.answers)));

  function keepDraft() {
    drafts.save(study, name, mode, at.draft);
  }

  function dropDraft(field) {
    delete at.draft.values[field.name];
    if (at.draft.problem?.stored) {
      delete at.draft.problem.stored[field.name];
      if (!Object.keys(at.draft.problem.stored).length) at.draft.problem = null;
    }
    keepDraft();
  }

  /* open, waiting, told, hidden, conflict; of second entries: open, waiting, agrees */
  function kindOfRow(field, waiting) {
    if (waiting.has(field.name)) return "waiting";
    if (mode === "second") return field.second === "agrees" ? "agrees" : "open";
    if (!field.told) return takesValues(lastOrder(at.example)) ? "open" : "never";
    const value = at.draft.values[field.name];
    if (!value) return isHidden(field) ? "hidden" : "told";
    const { answer, blank: empty } = toAnswer({ ...value, confirmed: true }, field.attribute, field.unit);
    if (empty || (answer !== undefined && isSame(answer, field))) {
      dropDraft(field);
      return isHidden(field) ? "hidden" : "told";
    }
    return "conflict";
  }

  function drawBox(field, kind) {
    const value = { ...blank(), ...at.draft.values[field.name] };
    const box = createBox({
      name: field.name, unit: field.unit, attribute: field.attribute, value,
      reasons: field.target ? null : at.study.missing_reasons,
      note: field.target ? t("example.target") : field.group ? t("example.group", { group: field.group }) : null,
      changed: (now) => {
        at.draft.values[field.name] = now;
        at.saved = null;
        keepDraft();
        drawStatus();
      },
    });
    if (kind === "waiting") {
      box.element.classList.add("waiting");
      for (const control of box.element.querySelectorAll("input, select, button")) control.disabled = true;
      box.element.append(h("span", { class: "chip warn" }, t("example.notSavedYet")));
    }
    if (mode === "second" && field.second === "differs") box.element.append(notice("warn", t("example.differsBlind")));
    return box;
  }

  function drawCaption(field) {
    return h("span", { class: "caption" }, field.name, field.target ? h("span", { class: "quiet" }, ` ${t("example.target")}`) : field.extra ? h("span", { class: "quiet" }, ` ${t("example.extra")}`) : field.group ? h("span", { class: "quiet" }, ` ${t("example.group", { group: field.group })}`) : null);
  }

  function drawTold(field) {
    const shown = showStored(field.value, field.missing ? field.note : null, field.unit);
    return h("div", { class: "entry told" }, drawCaption(field),
      h("div", { class: "box" },
        h("span", { class: "stored" }, shown),
        field.note === "confirmed" ? h("span", { class: "quiet" }, t("example.confirmed")) : null,
        h("span", { class: "chip ok" }, t("example.stored")),
        field.second === "agrees" ? h("span", { class: "chip ok" }, t("example.twice")) : null,
        mayCorrect(field) ? button(t("example.correct"), () => correct(study, at, field), { class: "plain small", "aria-label": t("example.correctOf", { name: field.name }) }) : null),
      field.by ? h("p", { class: "hint" }, t("example.toldBy", { by: field.by })) : null,
      field.second === "differs" ? notice("warn", may("manage", route.role) || !at.study.second_entry
        ? t("example.differs", { first: shown, second: showStored(field.secondValue, field.secondNote, field.unit) }) : t("example.differsBlind")) : null);
  }

  function drawConflict(field) {
    const value = at.draft.values[field.name];
    const { answer } = toAnswer({ ...value, confirmed: true }, field.attribute, field.unit);
    const mine = answer === undefined ? value.text : showAnswer(answer, field.unit);
    const theirs = showStored(field.value, field.missing ? field.note : null, field.unit);
    return h("div", { class: "entry conflict" }, drawCaption(field),
      h("div", { class: "notice error", role: "group", "aria-label": t("conflict.title", { name: field.name }) },
        h("p", {}, h("strong", {}, t(field.by === session.name ? "conflict.own" : "conflict.text", { by: field.by ?? t("conflict.somebody") }))),
        h("dl", { class: "both" }, h("dt", {}, t("conflict.theirs")), h("dd", {}, theirs), h("dt", {}, t("conflict.mine")), h("dd", {}, mine)),
        h("p", {}, t(mayCorrect(field) ? "conflict.canCorrect" : "conflict.cantCorrect")),
        h("div", { class: "actions" },
          button(t("conflict.keep", { value: theirs }), () => {
            dropDraft(field);
            draw();
            announce(t("conflict.kept", { name: field.name, value: theirs }));
            moveOn();
          }),
          mayCorrect(field) ? button(t("conflict.correct", { value: mine }), () => correct(study, at, field, value), {}) : null)));
  }

  function drawQuiet(field, text, chip) {
    return h("div", { class: "entry told" }, drawCaption(field), h("div", { class: "box" }, h("span", { class: "quiet" }, text), chip ? h("span", { class: "chip ok" }, chip) : null));
  }

  function drawRow(field, kind) {
    if (kind === "told") return { element: drawTold(field) };
    if (kind === "conflict") return { element: drawConflict(field) };
    if (kind === "hidden") return { element: drawQuiet(field, t("example.hidden", { by: field.by ?? "" }), t("example.stored")) };
    if (kind === "agrees") return { element: drawQuiet(field, t("example.agrees"), t("example.twice")) };
    if (kind === "never") return { element: drawQuiet(field, t("example.never")) };
    return drawBox(field, kind);
  }

  /* Only rows that have become others are drawn anew: the one that is typed in stays as it is. */
  function drawRows(fields) {
    const waiting = onTheWay();
    const held = rows.contains(document.activeElement);
    const old = at.rows;
    at.rows = new Map();
    for (const field of fields) {
      const kind = kindOfRow(field, waiting);
      const sign = JSON.stringify([kind, field, kind === "waiting" || kind === "conflict" ? at.draft.values[field.name] : null]);
      const before = old.get(field.name);
      const row = before?.sign === sign ? before : { ...drawRow(field, kind), sign, kind, field };
      if (before && before !== row) before.element.replaceWith(row.element);
      else if (!before) rows.append(row.element);
      at.rows.set(field.name, row);
      old.delete(field.name);
    }
    for (const gone of old.values()) gone.element.remove();
    if (held && !rows.contains(document.activeElement)) moveOn();
  }

  /* To the next box, or to what was said of the saving. */
  function moveOn() {
    const next = [...at.rows.values()].find((row) => row.kind === "open" && !at.draft.values[row.field.name]?.text);
    if (next) next.control.focus();
    else if (!save.hidden) status.focus();
    else place.querySelector("h1").focus();
  }

  /* ---- saving ---- */

  function submit(event) {
    event?.preventDefault();
    const answers = {}, values = {}, bad = [];
    for (const row of at.rows.values()) {
      if (row.kind === "conflict") bad.push(row);
      if (row.kind !== "open") continue;
      const { answer, problem, blank: empty } = row.read();
      row.say();
      if (problem) bad.push(row);
      else if (!empty) {
        answers[row.field.name] = answer;
        values[row.field.name] = at.draft.values[row.field.name];
      }
    }
    if (bad.length) {
      (bad[0].control ?? bad[0].element.querySelector("button")).focus();
      return sayStatus("error", t("example.lookAt", { names: joinNames(bad.map((row) => row.field.name)) }));
    }
    if (!Object.keys(answers).length) return sayStatus("", t("example.nothing"));
    at.draft.problem = null;
    keepDraft();
    const inForm = rows.contains(document.activeElement);
    outbox.put({ kind: kindOf[mode], study, example: name, path: `${path}/${kindOf[mode]}`, body: { answers }, mode, values });
    if (inForm) save.focus();
  }

  function sayStatus(kind, text) {
    status.className = `savestate ${kind}`;
    if (status.textContent !== text) status.textContent = text;
  }

  function drawStatus() {
    const typed = [...at.rows.values()].filter((row) => row.kind === "open" && (at.draft.values[row.field.name]?.text.trim() || at.draft.values[row.field.name]?.missing)).length;
    const waiting = sent().filter((item) => !item.problem).length;
    if (waiting) sayStatus("warn", t(connection.lost ? "example.waits" : "example.saving"));
    else if (typed) sayStatus("warn", t("example.typed", { n: typed }));
    else if (at.saved) sayStatus("ok", t("example.saved", { time: showClock(at.saved) }));
    else sayStatus("", "");
  }

  function onSaved({ detail: { item, answer } }) {
    if (item.study !== study || item.example !== name) return;
    at.saved = Date.now();
    at.draft = drafts.load(study, name, mode);
    const order = answer?.order?.lines ? answer.order : answer;
    if (at.example && order?.lines) at.example.orders[at.example.orders.length - 1] = { ...lastOrder(at.example), ...order };
    if (item.kind === "second" && answer) at.compared = answer;
    draw();
    sayStatus("ok", t("example.saved", { time: showClock(at.saved) }));
    watching.look();
  }

  function onRefused({ detail: { item, problem } }) {
    if (item.study !== study || item.example !== name) return;
    at.draft = drafts.load(study, name, mode);
    announce(problem.detail, true);
    loadStudy(); /* limits may have changed */
    watching.look();
    draw();
  }

  /* ---- around the rows ---- */

  function drawProblem() {
    const problem = at.draft.problem;
    const parts = [];
    if (problem) {
      parts.push(notice("error", h("p", {}, h("strong", {}, t(problem.stored ? "conflict.heading" : "example.refusedTitle"))), h("p", {}, problem.detail),
        h("p", {}, t(problem.stored ? "conflict.restKept" : "example.refusedText"))));
    }
    for (const item of sent().filter((one) => one.problem))
      parts.push(notice("error", h("p", {}, h("strong", {}, describe(item))), h("p", {}, item.problem.detail), item.problem.status === 412 ? h("p", {}, t("example.changed")) : null,
        h("div", { class: "actions" }, button(t("unsaved.dismiss"), () => outbox.remove(item)))));
    if (mode === "second" && at.compared) parts.push(drawCompared(at.compared));
    fill(problems, parts);
  }

  function drawCompared(result) {
    const names = (result.differences ?? []).map((one) => one.name);
    return notice(names.length ? "warn" : "ok",
      h("p", {}, h("strong", {}, names.length ? t("second.differ", { names: joinNames(names), n: names.length }) : t("second.agree"))),
      names.length ? h("p", {}, t("second.whatNow")) : null,
      result.same_hand ? h("p", {}, t("second.sameHand", { n: result.same_hand })) : null);
  }

  function drawSummary() {
    const order = lastOrder(at.example);
    if (!order) return void fill(summary, h("p", {}, t("example.imported")));
    fill(summary, h("p", {}, stateChip(order.state), " ", t("example.asked", { number: order.order, time: showTime(order.asked_at), by: order.asked_by ?? "" }),
      at.study.priced ? ` · ${t("example.price", { price: showMoney(order.price) })}` : ""),
      hasEnded(order) ? notice("info", h("p", {}, t(`ended.${order.state}`)), order.reason ? h("p", {}, t("example.reason", { reason: order.reason })) : null) : null,
      at.example.orders.length > 1 ? h("p", { class: "quiet" }, t("example.again", { n: at.example.orders.length })) : null);
  }

  function drawBelow(fields) {
    const order = lastOrder(at.example);
    const manage = may("manage", route.role);
    const names = [["e", name]];
    const twice = fields.some((field) => field.told && !field.extra && field.second !== "agrees");
    const can = order && (order.state === "learned" || takesValues(order));
    fill(below, h("div", { class: "actions wrap" },
      mode === "second" ? h("a", { class: "button", href: link(study, "example", name) }, t("example.toFirst")) : null,
      mode === "first" && twice ? h("a", { class: "button", href: link(study, "second", name) }, t("example.toSecond")) : null,
      order ? h("a", { class: "button", href: link(study, "sheets", null, names) }, t("example.sheet")) : null,
      order ? h("a", { class: "button", href: link(study, "labels", null, names) }, t("example.label")) : null,
      can && mode === "first" ? button(t("extra.do"), () => tellExtra(study, at, fields)) : null,
      manage && order && takesValues(order) ? button(t("end.do"), () => endOrder(study, at, watching)) : null,
      manage && order && hasEnded(order) ? button(t("reopen.do"), () => reopenOrder(study, at, watching)) : null,
      manage ? button(t("erase.do"), () => eraseExample(study, at), { class: "danger" }) : null));
    const blind = mode === "second" || (at.study.second_entry && !manage);
    const open = details.querySelector("details")?.open;
    fill(details, mode === "second" ? null : drawHistory(at.example, blind, open));
  }

  function draw() {
    if (!at.study || !at.example) return;
    const all = fieldsOf(at.study, at.example);
    const fields = mode === "second" ? all.filter((field) => field.told && !field.extra) : all;
    drawSummary();
    drawProblem();
    drawRows(fields);
    if (!fields.length && mode === "second") fill(rows, h("p", {}, t("second.nothing")));
    const open = [...at.rows.values()].some((row) => ["open", "waiting", "conflict"].includes(row.kind));
    foot.hidden = !open && !at.saved;
    save.hidden = !open;
    form.hidden = !fields.length && mode === "first";
    drawStatus();
    drawBelow(all);
    drawImported();
  }

  function drawImported() {
    if (!at.example.imported) return;
    const fields = at.example.imported.map((one) => ({ name: one.name, unit: at.study.attributes.find((a) => a.name === one.name)?.unit, attribute: at.study.attributes.find((a) => a.name === one.name) ?? {},
      target: one.name === at.study.target, told: true, value: one.value, note: one.note, missing: one.value === null, second: null, by: null }));
    summary.append(h("div", { class: "card rows" }, fields.map(drawTold)));
  }

  function showUnknown(problem) {
    const unknown = problem.status === 404;
    form.hidden = true;
    fill(below);
    fill(details);
    fill(summary, notice(unknown ? "info" : "error", h("p", {}, problem.message)),
      unknown ? h("p", {}, h("a", { class: "button", href: link(study, "new", null, { name }) }, t("example.order", { example: name }))) : null);
  }

  function keys(event) {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.ctrlKey || event.metaKey) return submit(event);
    if (!event.target.matches("input[data-name]")) return;
    event.preventDefault();
    const boxes = [...rows.querySelectorAll("input[data-name]:not(:disabled), select:not(:disabled)")];
    (boxes[boxes.indexOf(event.target) + 1] ?? save).focus();
  }

  form.addEventListener("submit", submit);
  form.addEventListener("keydown", keys);
  fill(form, rows, foot, h("p", { class: "hint keys" }, t("example.keys")));
  fill(place, h("p", { class: "crumb" }, h("a", { href: link(study, "work") }, t("nav.work"))),
    h("h1", {}, t(mode === "second" ? "second.title" : "example.title", { example: name })),
    mode === "second" ? h("p", {}, t("second.text")) : null,
    summary, problems, form, below, details);

  const loadStudy = () => get(pathOf("studies", study)).then(({ json }) => {
    at.study = json;
    draw();
  }).catch(() => setTimeout(() => at.study || stopped || loadStudy(), 2000));
  let stopped = false;
  const watching = watch((noneMatch) => get(path, { noneMatch }), (json, etag) => {
    Object.assign(at, { example: json, etag: etag ?? json.etag });
    draw();
  }, showUnknown);
  loadStudy();
  const redraw = () => {
    if (mode === "second" || !sent().length) at.draft = drafts.load(study, name, mode);
    draw();
  };
  outbox.events.addEventListener("change", redraw);
  outbox.events.addEventListener("saved", onSaved);
  outbox.events.addEventListener("refused", onRefused);
  net.addEventListener("connection", drawStatus);
  return {
    stop() {
      stopped = true;
      watching.stop();
      outbox.events.removeEventListener("change", redraw);
      outbox.events.removeEventListener("saved", onSaved);
      outbox.events.removeEventListener("refused", onRefused);
      net.removeEventListener("connection", drawStatus);
    },
  };
}
