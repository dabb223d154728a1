/* Begins: who is here, which screen the address names, and what stands above every screen. */
import * as api from "./api.js";
import * as outbox from "./outbox.js";
import { actions, announce, closeDialogs, field, fill, h, hush, notice, submitButton } from "./dom.js";
import { resume, session, signIn } from "./session.js";
import { locale, t } from "./words.js";
import { drawHeader } from "./header.js";
import { findScreen, readRoute } from "./routes.js";

const main = document.getElementById("main");
let screen = null; /* the one that is shown: {stop} */
let studies = [];

/* A screen in place of the last one; its heading gets the focus, so that a reader begins there. */
async function show() {
  if (!session.name) return;
  closeDialogs();
  hush();
  screen?.stop?.();
  screen = null;
  const route = readRoute(location.hash, studies);
  drawHeader(route, studies);
  const place = h("div", { class: "screen" });
  fill(main, place);
  window.scrollTo(0, 0);
  screen = findScreen(route)(place, route) || {};
  const heading = place.querySelector("h1");
  if (!heading) return;
  document.title = `${heading.textContent} · ${t("app")}`;
  heading.tabIndex = -1;
  if (!place.contains(document.activeElement)) heading.focus({ preventScroll: true });
}

async function begin() {
  studies = (await api.getAll("studies")).json;
  outbox.start();
  await show();
}

/* ---- signing in ---- */

function explainRefusal(error) {
  if (error instanceof api.NoConnection) return t("signin.noConnection");
  if (error.status === 429) return t("signin.throttled", { n: error.wait || 60 });
  if (error.status === 401) return t("signin.unknown");
  return error.message;
}

/* The first screen: a token is typed once. */
function showSignIn(message) {
  const problem = h("div", {});
  const token = h("input", {
    type: "password",
    id: "token",
    autocomplete: "current-password",
    spellcheck: "false",
    required: true,
  });
  const show = h("button", { type: "button", class: "plain", "aria-controls": "token" }, t("signin.show"));
  show.addEventListener("click", () => {
    const hidden = token.type === "password";
    token.type = hidden ? "text" : "password";
    show.textContent = t(hidden ? "signin.hide" : "signin.show");
    token.focus();
  });
  const submit = submitButton(t("signin.do"));
  async function go(event) {
    event.preventDefault();
    if (!token.value.trim()) return token.focus();
    submit.disabled = true;
    try {
      await signIn({ token: token.value.trim() });
      token.value = "";
      await begin();
    } catch (error) {
      if (!(error instanceof api.NoConnection || error instanceof api.Problem)) throw error;
      fill(problem, notice("error", explainRefusal(error)));
      announce(explainRefusal(error), true);
      token.focus();
      token.select();
    } finally {
      submit.disabled = false;
    }
  }
  fill(
    main,
    h(
      "div",
      { class: "screen narrow" },
      h("h1", {}, t("signin.title")),
      message ? notice("info", message) : null,
      h(
        "form",
        { class: "card signin", onsubmit: go },
        field(t("signin.token"), token, { hint: t("signin.hint") }),
        problem,
        actions(submit, show),
      ),
    ),
  );
  document.title = `${t("signin.title")} · ${t("app")}`;
  token.focus();
  if (message) announce(message);
}

/* The session is over: what was typed stays, under the person's name. */
function askAgain(message) {
  if (!session.name && main.querySelector("form.signin")) return;
  outbox.stop();
  screen?.stop?.();
  screen = null;
  closeDialogs();
  session.name = "";
  drawHeader(null, []);
  showSignIn(message);
}

async function waitForService() {
  fill(
    main,
    h("div", { class: "screen narrow" }, h("h1", { tabindex: -1 }, t("wait.title")), h("p", {}, t("wait.text"))),
  );
  drawHeader(null, []);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  return boot();
}

/* The code of a one-time link leaves the address at once: nobody finds it in the history. */
function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

async function boot(code = takeCode()) {
  try {
    if (code) await signIn({ code });
    else if (!(await resume())) return askAgain();
    await begin();
  } catch (error) {
    if (error instanceof api.NoConnection || error.passes)
      return code ? askAgain(t("signin.noConnection")) : waitForService();
    if (!(error instanceof api.Problem)) throw error;
    if (error.status === 401) return askAgain(code ? t("signin.codeUsed") : null);
    askAgain(error.message);
  }
}

document.documentElement.lang = locale;
document.getElementById("skip").textContent = t("skip");
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  (main.querySelector("h1") || main).focus();
});
api.events.addEventListener("ended", () =>
  askAgain(t(outbox.waiting().length ? "signin.endedUnsaved" : "signin.ended", { name: session.name })),
);
api.events.addEventListener("connection", () => {
  announce(t(api.connection.lost ? "connection.lost" : "connection.back"));
  if (!api.connection.lost) outbox.flush();
});
window.addEventListener("hashchange", () => {
  const code = takeCode();
  if (code) boot(code);
  else show();
});
window.addEventListener("scant-signed-out", (event) => askAgain(event.detail));
boot();
