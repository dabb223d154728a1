/* New names that look like others: in the study, or in the same list. Each is a question of its own. */
import { get, pathOf, Problem } from "./api.js";
import { h, openDialog, button } from "./dom.js";
import { createError } from "./correct.js";
import { t } from "./words.js";

const AT_ONCE = 6;

export const isNear = (problem) => /differs from it only in/.test(problem.detail ?? "");

/* What the service leaves out when it compares names: case, blanks, the kind of dash. */
const fold = (name) =>
  name
    .replace(/[ \u00a0\u202f]/g, "")
    .replace(/[\u2010\u2013\u2212]/g, "-")
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());

export function alikeWithin(names) {
  return new Set(names.map(fold)).size < names.length;
}

/* {known}, {old: the name it looks like}, or {}. */
async function lookUp(study, name) {
  try {
    await get(pathOf("studies", study, "examples", name));
    return { known: true };
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 404) throw problem;
    return { old: /; there is '(.+)': did you mean that\?$/.exec(problem.detail)?.[1] };
  }
}

/* [{name, old, within}]: those of the names that may be meant for others. */
export async function findDoubts(study, names) {
  const found = new Map();
  const rest = [...names];
  const work = async () => {
    for (let name = rest.shift(); name !== undefined; name = rest.shift()) found.set(name, await lookUp(study, name));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const first = new Map();
  const doubts = [];
  for (const name of names) {
    const { known, old } = found.get(name);
    const before = first.get(fold(name));
    if (known) continue;
    if (old) doubts.push({ name, old, within: false });
    else if (before) doubts.push({ name, old: before, within: true });
    else first.set(fold(name), name);
  }
  return doubts;
}

function drawDoubt({ name, old, within }, i) {
  const choice = (value, text) =>
    h(
      "label",
      { class: "choice", for: `doubt-${i}-${value}` },
      h("input", { type: "radio", name: `doubt-${i}`, id: `doubt-${i}-${value}`, value }),
      h("span", {}, text),
    );
  return h(
    "fieldset",
    { class: "doubt" },
    h("legend", {}, name),
    h("p", { class: "quiet" }, t(within ? "near.within" : "near.inStudy", { old })),
    choice("same", t("near.same", { old })),
    choice("other", t("near.other", { name })),
  );
}

/* Nothing is chosen beforehand. The promise is kept with {same: names, others: names}, or undefined. */
export function askDoubts(doubts) {
  return openDialog(t("near.title", { n: doubts.length }), (close, dialog) => {
    const error = createError();
    const chosen = (i) => dialog.querySelector(`input[name="doubt-${i}"]:checked`)?.value;
    function submit(event) {
      event.preventDefault();
      const open = doubts.findIndex((_, i) => !chosen(i));
      if (open >= 0) {
        error.say(t("near.choose", { name: doubts[open].name }));
        return dialog.querySelector(`#doubt-${open}-same`).focus();
      }
      const of = (value) => doubts.filter((_, i) => chosen(i) === value);
      close({ same: of("same"), others: of("other") });
    }
    return h(
      "form",
      { novalidate: true, onsubmit: submit },
      h("p", {}, t("near.text")),
      doubts.map(drawDoubt),
      error.place,
      h(
        "div",
        { class: "actions" },
        button(t("near.back"), () => close()),
        h("button", { type: "submit", class: "primary" }, t("near.do")),
      ),
    );
  });
}
