/* Small helpers over the document: elements, live regions, dialogs. */
import { t } from "./words.js";

/* h("p", {class: "quiet"}, "text", element...): attributes by name, listeners as onclick; null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "checked") element.checked = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

const SAID = 20000; /* after that it is old, and is not found by readers any more */
const signs = new WeakMap();

/* The same, but only if `sign` is another one than the last time: then what has the focus keeps it. */
export function fillIf(element, sign, make) {
  const text = JSON.stringify(sign);
  if (signs.get(element) === text) return;
  signs.set(element, text);
  fill(element, make());
}

/* Hears [target, type, listener] until what it gives is called. */
export function listen(listeners) {
  for (const [from, type, listener] of listeners) from.addEventListener(type, listener);
  return () => {
    for (const [from, type, listener] of listeners) from.removeEventListener(type, listener);
  };
}

/* Says something to those who do not see the screen. The same sentence twice is said twice. */
export function announce(text, assertive = false) {
  const region = document.getElementById(assertive ? "assertive" : "polite");
  clearTimeout(region.timer);
  region.textContent = "";
  region.timer = setTimeout(() => {
    region.textContent = text;
    region.timer = setTimeout(() => (region.textContent = ""), SAID);
  }, 30);
}

/* What was said on another screen is not found on this one. */
export function hush() {
  for (const id of ["polite", "assertive"]) {
    const region = document.getElementById(id);
    if (region.textContent) region.textContent = "";
  }
}

/* The words of an element, apart from each other. */
export function sayAll(element) {
  const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const words = [];
  while (walk.nextNode()) words.push(walk.currentNode.data.trim());
  return words.filter(Boolean).join(" ");
}

let last = 0;
export function newId(stem = "id") {
  return `${stem}-${++last}`;
}

/* A label over a control, with a hint and room for an error sentence. */
export function field(label, control, { hint, error } = {}) {
  const id = control.id || (control.id = newId("f"));
  const described = [];
  const parts = [h("label", { for: id }, label), control];
  if (hint) {
    const at = h("p", { class: "hint", id: `${id}-hint` }, hint);
    described.push(at.id);
    parts.push(at);
  }
  if (error) {
    error.id = `${id}-error`;
    described.push(error.id);
    parts.push(error);
  }
  if (described.length) control.setAttribute("aria-describedby", described.join(" "));
  return h("div", { class: "field" }, parts);
}

/* A modal dialog. `build(close)` gives its content; the promise is kept with what close() was given, or undefined. */
export function openDialog(title, build) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const heading = h("h2", { id: newId("dialog") }, title);
    const dialog = h("dialog", { "aria-labelledby": heading.id });
    let result;
    const close = (value) => {
      result = value;
      dialog.close();
    };
    add(dialog, [
      h(
        "div",
        { class: "dialog-head" },
        heading,
        h("button", { type: "button", class: "plain icon", "aria-label": t("close"), onclick: () => close() }, "×"),
      ),
      build(close, dialog),
    ]);
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before && before.isConnected) before.focus();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    const first = dialog.querySelector("[autofocus], input, select, textarea");
    if (first) first.focus();
  });
}

export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

/* A question with two answers. */
export function ask(title, text, yes, { danger = false, no = t("cancel") } = {}) {
  return openDialog(title, (close) => [
    h("p", {}, text),
    actions(
      button(no, () => close(false), { autofocus: true }),
      button(yes, () => close(true), { class: danger ? "danger" : "primary" }),
    ),
  ]);
}

export function notice(kind, ...children) {
  return h("div", { class: `notice ${kind}` }, children);
}

export function button(text, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, text);
}

export const submitButton = (text, kind = "primary") => h("button", { type: "submit", class: kind }, text);

export const buttonLink = (text, href, kind = "") => h("a", { class: `button ${kind}`.trim(), href }, text);

/* ---- parts that many screens have ---- */

export const actions = (...parts) => h("div", { class: "actions" }, parts);
export const card = (title, ...parts) => h("section", { class: "card" }, h("h2", {}, title), parts);
export const crumb = (text, href) => h("p", { class: "crumb" }, h("a", { href }, text));
export const quiet = (text) => h("p", { class: "quiet" }, text);
export const remark = (text) => h("span", { class: "quiet" }, ` ${text}`); /* beside a name */
export const strong = (text) => h("p", {}, h("strong", {}, text));
export const list = (items) =>
  h(
    "ul",
    {},
    items.map((item) => h("li", {}, item)),
  );

export const grid = (...parts) => h("div", { class: "grid2" }, parts);

/* `options`: [value, text] of each. */
export const select = (options, attributes = {}) =>
  h(
    "select",
    attributes,
    options.map(([value, text]) => h("option", { value }, text)),
  );

/* One of several, with its words beside it. */
export const choice = (attributes, ...words) =>
  h(
    "label",
    { class: "choice", for: attributes.id },
    h("input", { type: "radio", ...attributes }),
    h("span", {}, words),
  );

/* What is no cell of a table yet becomes one; null is left out. */
const cell = (tag, attributes, one) =>
  one === null || one instanceof HTMLTableCellElement ? one : h(tag, attributes, one);
export const row = (...cells) =>
  h(
    "tr",
    {},
    cells.map((one) => cell("td", {}, one)),
  );
export const rowHead = (...parts) => h("th", { scope: "row" }, parts);
export const number = (text) => h("td", { class: "number" }, text);

/* `rows`: the rows of its body, or the body. */
export function table(heads, rows, attributes = {}) {
  const names = heads.map((one) => cell("th", { scope: "col" }, one));
  return h("table", attributes, h("thead", {}, row(...names)), rows instanceof Node ? rows : h("tbody", {}, rows));
}

/* What is too wide for the screen scrolls, and has a name. */
export const scrolling = (label, content, kind = "scroll") =>
  h("div", { class: kind, tabindex: 0, role: "region", "aria-label": label }, content);
