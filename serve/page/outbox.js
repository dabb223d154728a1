/* Writes on their way. Each has a key, so one that is sent again after a lost answer is done once. What can't be sent
 * now is kept, also over a reload, and is sent when the service is there again. */
import { call, connection, get, newKey, NoConnection, Problem } from "./api.js";
import * as store from "./store.js";
import * as drafts from "./drafts.js";
import { isAsSeen, markOf } from "./fields.js";
import { t } from "./words.js";

export const events = new EventTarget(); /* "change"; "saved" and "refused" with {item, answer} or {item, problem} */
const SHORTEST = 1000,
  LONGEST = 15000;
let lastFailure = null; /* why the last try did not come through, until one does */
let running = false,
  more = false,
  timer = 0,
  wait = SHORTEST,
  latest = 0;

function tell(type, detail) {
  events.dispatchEvent(new CustomEvent(type, { detail }));
}

const nameOf = (item) => `out/${String(item.at).padStart(15, "0")}-${item.key}`;

export function list() {
  return store
    .names("out/")
    .map((name) => store.read(name))
    .filter(Boolean);
}

export const waiting = () => list().filter((item) => !item.problem);

/* item: kind, study, example, path, body, etag (of If-Match), mode (of the draft that it is made of) */
export function put(item) {
  latest = Math.max(Date.now(), latest + 1); /* what is put first is sent first */
  const kept = { ...item, key: newKey(), at: latest };
  store.write(nameOf(kept), kept);
  tell("change");
  flush();
  return kept.key;
}

export function remove(item) {
  store.remove(nameOf(item));
  tell("change");
}

/* The draft loses what was saved and is as it was sent; what was typed since stays. */
function clearDraft(item) {
  const draft = drafts.load(item.study, item.example, item.mode);
  for (const [name, value] of Object.entries(item.values ?? {}))
    if (JSON.stringify(draft.values[name]) === JSON.stringify(value)) delete draft.values[name];
  const problem = draft.problem?.stored ? draft.problem : null; /* of other values, and not decided yet */
  drafts.save(item.study, item.example, item.mode, { ...draft, problem });
}

/* Others have entered something else for some of the values: the rest is not kept back by that. */
function sendRest(item, stored) {
  const rest = (all) => Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(stored, name)));
  const answers = rest(item.body.answers);
  if (!Object.keys(answers).length || Object.keys(answers).length === Object.keys(item.body.answers).length) return;
  put({ ...item, body: { ...item.body, answers }, values: rest(item.values) });
}

function refuse(item, problem) {
  if (!store.read(nameOf(item))) return; /* the person has signed out meanwhile */
  const { detail, code, stored, by, names, status } = problem;
  const kept = { detail: detail || problem.message, code, stored, by, names, status };
  if (item.mode) {
    /* Back to the boxes, with both values beside them. */
    const draft = drafts.load(item.study, item.example, item.mode);
    drafts.save(item.study, item.example, item.mode, { values: { ...item.values, ...draft.values }, problem: kept });
    store.remove(nameOf(item));
    if (stored) sendRest(item, stored);
  } else store.write(nameOf(item), { ...item, problem: kept });
  tell("change");
  tell("refused", { item, problem: kept });
}

function later(seconds = 0) {
  clearTimeout(timer);
  timer = setTimeout(flush, Math.max(wait, seconds * 1000));
  wait = Math.min(2 * wait, LONGEST);
}

/* Somebody has changed the example since the correction was typed. If what it corrects is as it was seen, it is sent
 * again; if not, who typed it decides. */
async function post(item, tries = 5) {
  try {
    return await call("POST", item.path, { body: item.body, key: item.key, match: item.etag });
  } catch (error) {
    if (error.status !== 412 || !item.seen || !tries) throw error;
    const { json, etag } = await get(item.path.replace(/\/correction$/, ""));
    const same = Object.entries(item.seen).every(([name, mark]) => isAsSeen(mark, markOf(json, name)));
    if (!same) throw error;
    return post({ ...item, etag: etag ?? json.etag }, tries - 1);
  }
}

/* True: go on with the next one. */
async function sendOne(item) {
  try {
    const { json, etag } = await post(item);
    wait = SHORTEST;
    lastFailure = null;
    store.remove(nameOf(item));
    if (item.mode) clearDraft(item);
    tell("change");
    tell("saved", { item, answer: json, etag });
    return true;
  } catch (error) {
    lastFailure = error instanceof NoConnection || error.passes ? error : null;
    if (error instanceof NoConnection) later();
    else if (!(error instanceof Problem)) throw error;
    else if (error.passes) later(error.wait);
    else if (error.status !== 401) {
      refuse(item, error);
      return true;
    }
    tell("change");
    return false;
  }
}

async function sendAll() {
  for (const item of waiting()) if (store.read(nameOf(item)) && !(await sendOne(item))) return;
}

/* One tab sends at a time where the browser can see to that; where it can't, the keys do. */
export async function flush() {
  if (running) return void (more = true);
  running = true;
  clearTimeout(timer);
  try {
    do {
      more = false;
      if (navigator.locks) await navigator.locks.request("scant-outbox", sendAll);
      else await sendAll();
    } while (more && !connection.lost);
  } finally {
    running = false;
  }
}

let started = false;
export function start() {
  flush();
  if (started) return;
  started = true;
  window.addEventListener("online", () => {
    wait = SHORTEST;
    flush();
  });
  store.onOther((key) => key?.includes("/out/") && tell("change"));
}

export function stop() {
  clearTimeout(timer);
}

/* ---- why something can't be saved or loaded just now, in a sentence ---- */

/* The service's sentences begin small and have no stop. */
const asSentence = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1).replace(/\.?$/, ".");

export function sayFailure(error) {
  if (error instanceof NoConnection) return t("connection.none");
  return error.detail ? asSentence(error.detail) : t("connection.status", { status: error.status });
}

/* Of what is on its way; "": nothing is known to be wrong. */
export function sayTrouble() {
  if (connection.lost) return t("connection.none");
  return lastFailure ? sayFailure(lastFailure) : "";
}
