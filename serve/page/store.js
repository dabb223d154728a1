/* What this browser keeps until it is saved. Each person has an own shelf, so that nobody sees or sends another's. */
const HOUSE = `scant:${location.pathname}:`;
const DAYS = 30;
const CACHE_DAYS = 2; /* what is only kept for work without a connection */
const memory = new Map(); /* where the browser allows no storage: until the page is closed */
let person = "";

function disk() {
  try {
    const storage = window.localStorage;
    storage.setItem(`${HOUSE}try`, "1");
    storage.removeItem(`${HOUSE}try`);
    return storage;
  } catch {
    return null;
  }
}

const storage = disk();
export const lasts = storage !== null;

const shelf = () => `${HOUSE}${encodeURIComponent(person)}/`;

function get(key) {
  return storage ? storage.getItem(key) : (memory.get(key) ?? null);
}

function set(key, text) {
  if (!storage) return void memory.set(key, text);
  try {
    storage.setItem(key, text);
    memory.delete(key);
  } catch {
    storage.removeItem(key); /* it is full, and the old one must not be read */
    memory.set(key, text);
  }
}

function drop(key) {
  if (storage) storage.removeItem(key);
  memory.delete(key);
}

function keys() {
  const all = storage ? Array.from({ length: storage.length }, (_, i) => storage.key(i)) : [];
  return [...new Set([...all, ...memory.keys()])].filter((key) => key !== null).sort();
}

export function setPerson(name) {
  person = name;
}

export function read(name) {
  try {
    return JSON.parse(get(shelf() + name) ?? memory.get(shelf() + name) ?? "null");
  } catch {
    return null;
  }
}

export function write(name, value) {
  set(shelf() + name, JSON.stringify(value));
}

/* Until the page is closed, and never on the disk. */
export function hold(name, value) {
  memory.set(shelf() + name, JSON.stringify(value));
}

export function remove(name) {
  drop(shelf() + name);
}

export function names(stem) {
  const start = shelf() + stem;
  return keys()
    .filter((key) => key.startsWith(start))
    .map((key) => key.slice(shelf().length));
}

export function clear() {
  for (const key of keys()) if (key.startsWith(shelf())) drop(key);
}

/* What nobody came back for. */
export function dropOld(now = Date.now()) {
  for (const key of keys()) {
    if (!key.startsWith(HOUSE)) continue;
    try {
      const at = JSON.parse(get(key) ?? memory.get(key))?.at;
      if (typeof at === "number" && now - at > (key.includes("/cache/") ? CACHE_DAYS : DAYS) * 86400000) drop(key);
    } catch {
      drop(key);
    }
  }
}

/* Of the browser rather than of a person: settings without a name in them. */
export const readSetting = (name) => get(`scant:${name}`);
export function writeSetting(name, text) {
  if (text === null) drop(`scant:${name}`);
  else set(`scant:${name}`, text);
}

/* Another tab of the same person changed something. Gives what ends it. */
export function onOther(listener) {
  const hear = (event) => {
    if (event.key === null || event.key.startsWith(shelf())) listener(event.key);
  };
  window.addEventListener("storage", hear);
  return () => window.removeEventListener("storage", hear);
}
