/* What was typed and is not saved. It is kept at every key, and survives a reload. */
import * as store from "./store.js";

const nameOf = (study, example, mode) => `draft/${[study, example, mode].map(encodeURIComponent).join("/")}`;

/* {values: {glucose: {text, missing, reason, confirmed}}, problem}; problem is what the service said to the last try. */
export function load(study, example, mode) {
  const draft = store.read(nameOf(study, example, mode));
  return { values: draft?.values ?? {}, problem: draft?.problem ?? null };
}

/* Whether a key of the browser's storage is that of a draft. */
export const isOf = (key, study, example, mode) => key.endsWith(`/${nameOf(study, example, mode)}`);

const isBlank = (value) => !value.missing && !value.text.trim();

export function save(study, example, mode, draft) {
  const name = nameOf(study, example, mode);
  const values = Object.fromEntries(Object.entries(draft.values).filter(([, value]) => !isBlank(value)));
  if (!Object.keys(values).length && !draft.problem) store.remove(name);
  else store.write(name, { values, problem: draft.problem, at: Date.now() });
}

export function remove(study, example, mode) {
  store.remove(nameOf(study, example, mode));
}

/* All drafts of the person: [{study, example, mode, count}]. */
export function list() {
  return store.names("draft/").map((name) => {
    const [study, example, mode] = name.split("/").slice(1).map(decodeURIComponent);
    return { study, example, mode, count: Object.keys(load(study, example, mode).values).length };
  });
}
