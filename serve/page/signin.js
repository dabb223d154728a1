/* The first screen: a token is typed once. */
import { h, fill, notice, field, announce } from "./dom.js";
import { signIn } from "./session.js";
import { NoConnection, Problem } from "./api.js";
import { t } from "./words.js";

function explain(error) {
  if (error instanceof NoConnection) return t("signin.noConnection");
  if (error.status === 429) return t("signin.throttled", { n: error.wait || 60 });
  if (error.status === 401) return t("signin.unknown");
  return error.message;
}

export function showSignIn(main, message, done) {
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
  const submit = h("button", { type: "submit", class: "primary" }, t("signin.do"));
  async function go(event) {
    event.preventDefault();
    if (!token.value.trim()) return token.focus();
    submit.disabled = true;
    try {
      await signIn({ token: token.value.trim() });
      token.value = "";
      await done();
    } catch (error) {
      if (!(error instanceof NoConnection || error instanceof Problem)) throw error;
      fill(problem, notice("error", explain(error)));
      announce(explain(error), true);
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
        h("div", { class: "actions" }, submit, show),
      ),
    ),
  );
  document.title = `${t("signin.title")} · ${t("app")}`;
  token.focus();
  if (message) announce(message);
}
