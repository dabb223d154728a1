/* Talks to the service. Addresses are relative to the page's own, so it works under any base path. */
const ROOT = new URL("api/v1/", location.href.split("#")[0]);
const PATIENCE = 30000;
const PERIOD = 5000; /* between two looks for changes */
const CALM = 10;

/* The service refused, with a sentence. */
export class Problem extends Error {
  constructor(status, body, wait) {
    super(body.detail || `${status}`);
    Object.assign(this, body, { status, wait });
  }
  get passes() {
    return [429, 503].includes(this.status);
  }
}

/* No answer came: it is not known whether what was asked was done. */
export class NoConnection extends Error {}

export const events = new EventTarget(); /* "connection" when it is lost or back, "ended" when the session is over */
export const connection = { lost: false };
let csrf = "";
let renew = null;

export function setCsrf(token, fetchAgain) {
  csrf = token;
  renew = fetchAgain;
}

function setLost(lost) {
  if (connection.lost === lost) return;
  connection.lost = lost;
  events.dispatchEvent(new Event("connection"));
}

/* studies/clinic/examples/P%2F1: each part is encoded. */
export function pathOf(...parts) {
  return parts.map(encodeURIComponent).join("/");
}

export function address(path, query = {}) {
  const url = new URL(path, ROOT);
  for (const [name, value] of Object.entries(query))
    if (value !== "" && value != null) url.searchParams.set(name, value);
  return url;
}

/* A proxy says that the service is away: for people that is no other thing than no answer. The service's own refusals
 * are problems in JSON. */
function isOfProxy(answer) {
  if (![502, 503, 504].includes(answer.status)) return false;
  return answer.status !== 503 || !(answer.headers.get("Content-Type") ?? "").includes("json");
}

async function send(method, url, { body, key, match, noneMatch, patience = PATIENCE }) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  if (key) headers["Idempotency-Key"] = key;
  if (match) headers["If-Match"] = match;
  if (noneMatch) headers["If-None-Match"] = noneMatch;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patience);
  try {
    const answer = await fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: stop.signal,
    });
    const text = await answer.text(); /* a cut connection can show here too */
    if (isOfProxy(answer)) throw new NoConnection();
    setLost(false);
    return { answer, text };
  } catch {
    setLost(true);
    throw new NoConnection();
  } finally {
    clearTimeout(timer);
  }
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/* {json, etag, unchanged}; throws Problem or NoConnection. */
export async function call(method, path, options = {}, again = true) {
  const url = path instanceof URL ? path : address(path, options.query);
  const { answer, text } = await send(method, url, options);
  const json = parse(text);
  if (answer.ok) return { json, etag: answer.headers.get("ETag") };
  if (answer.status === 304) return { unchanged: true, etag: options.noneMatch };
  const problem = new Problem(answer.status, json || {}, Number(answer.headers.get("Retry-After")) || 0);
  /* Another tab has signed in anew: its token, if it is the same person's. */
  if (problem.status === 403 && problem.code === "csrf" && again && renew && (await renew())) {
    return call(method, path, options, false);
  }
  if (problem.status === 401 && !options.signingIn) events.dispatchEvent(new CustomEvent("ended", { detail: problem }));
  throw problem;
}

export const get = (path, options) => call("GET", path, options);

/* A key for a write that may be sent again. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/* Every page of a list. `noneMatch` is of the first page: it changes with any event of the study. */
export async function getAll(path, { query = {}, noneMatch } = {}) {
  const items = [];
  let etag = null;
  for (let after = ""; after !== null;) {
    const page = await get(path, { query: { limit: 500, ...query, after }, noneMatch: after ? undefined : noneMatch });
    if (page.unchanged) return page;
    etag = etag ?? page.etag;
    items.push(...page.json.items);
    after = page.json.next;
  }
  return { json: items, etag };
}

/* Looks for changes while the page is seen. `load(etag)` is get or getAll of something; `seen(json, etag)` is called when it
 * is another one than before, `failed(problem)` when the service refuses, `trouble(error)` when it can't be had just now
 * and is tried again, `trouble(null)` when that is over. */
export function watch(load, seen, failed = () => {}, trouble = () => {}) {
  let etag = null,
    timer = 0,
    stopped = false,
    busy = false,
    again = false;
  async function look() {
    clearTimeout(timer);
    if (stopped) return;
    if (busy) return void (again = true);
    busy = true;
    let wait = PERIOD;
    const begun = performance.now();
    try {
      const found = await load(etag);
      if (!stopped) trouble(null);
      wait = Math.max(wait, CALM * (performance.now() - begun)); /* a large list, or a busy service: not so often */
      if (!stopped && !found.unchanged) {
        etag = found.etag;
        seen(found.json, found.etag);
      }
    } catch (error) {
      if (error instanceof Problem) {
        wait = Math.max(wait, error.wait * 1000);
        if (!stopped && error.passes) trouble(error);
        else if (!stopped && error.status !== 401) {
          trouble(null);
          failed(error);
        }
        if (error.status === 401) stopped = true;
      } else if (!(error instanceof NoConnection)) throw error;
      else if (!stopped) trouble(error);
    } finally {
      busy = false;
      if (again) {
        again = false;
        look();
      } else if (!stopped && !document.hidden) timer = setTimeout(look, wait);
    }
  }
  const shown = () => (document.hidden ? clearTimeout(timer) : look());
  document.addEventListener("visibilitychange", shown);
  window.addEventListener("online", look);
  look();
  return {
    look,
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
      window.removeEventListener("online", look);
    },
  };
}
