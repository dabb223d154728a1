/* What stands above every screen: where to go, what is not saved yet, light or dark, and the way out. */
import { h, fill, ask, announce, button, list } from "./dom.js";
import { connection, events as net } from "./api.js";
import * as outbox from "./outbox.js";
import * as drafts from "./drafts.js";
import { lasts, readSetting, writeSetting } from "./store.js";
import { may, session, signOut } from "./session.js";
import { link } from "./routes.js";
import { showOutbox } from "./unsaved.js";
import { t } from "./words.js";

const top = document.getElementById("top");
/* One for all screens: without a connection another could not be fetched. */
const logo = h("img", { src: "icon.svg", alt: "", width: 28, height: 28 });
let pill = null,
  route = null;

const pages = [
  ["work", "enter"],
  ["new", "enter"],
  ["overview", "read"],
  ["results", "read"],
  ["catalogue", "manage"],
  ["ledger", "manage"],
];
const parents = { example: "work", second: "work", sheets: "work", labels: "work" };

function drawNav() {
  if (!route?.study) return null;
  const here = parents[route.screen] ?? route.screen;
  const drawPage = ([name]) =>
    h("a", { href: link(route.study.name, name), "aria-current": here === name ? "page" : null }, t(`nav.${name}`));
  const shown = pages.filter(([, role]) => may(role, route.role));
  return h("nav", { "aria-label": t("nav.label") }, list(shown.map(drawPage)));
}

/* Light, dark, or what the system says. */
function drawTheme() {
  const choices = ["system", "light", "dark"];
  const chosen = () => readSetting("theme") ?? "system";
  const turn = h("button", { type: "button", class: "plain" });
  const name = () =>
    fill(
      turn,
      h("span", { class: `theme-sign ${chosen()}`, "aria-hidden": "true" }),
      h("span", { class: "wide" }, t(`theme.${chosen()}`)),
      h("span", { class: "unseen" }, t("theme.now", { theme: t(`theme.${chosen()}`) })),
    );
  turn.addEventListener("click", () => {
    const next = choices[(choices.indexOf(chosen()) + 1) % choices.length];
    writeSetting("theme", next === "system" ? null : next);
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    name();
    announce(t("theme.now", { theme: t(`theme.${next}`) }));
  });
  name();
  return turn;
}

/* Values behind an unsent write and drafts are counted alike: none of them is on the server. */
async function leave() {
  const unsaved = outbox.list().length + drafts.list().length;
  if (
    unsaved &&
    !(await ask(t("signout.title"), t("signout.text", { n: unsaved }), t("signout.discard"), {
      danger: true,
      no: t("signout.stay"),
    }))
  )
    return;
  outbox.stop();
  const known = await signOut();
  location.hash = "";
  window.dispatchEvent(new CustomEvent("scant-signed-out", { detail: t(known ? "signout.done" : "signout.later") }));
}

function drawPill() {
  if (!pill) return;
  const items = outbox.list();
  const refused = items.filter((item) => item.problem).length;
  const parts = [];
  if (session.name && !lasts) parts.push(h("span", { class: "chip warn" }, t("connection.forgets")));
  if (connection.lost) parts.push(h("span", { class: "chip warn" }, t("connection.chip")));
  if (items.length)
    parts.push(
      button(
        refused ? t("unsaved.refused", { n: refused }) : t("unsaved.count", { n: items.length }),
        () => showOutbox(),
        { class: `chip ${refused ? "error" : "warn"}` },
      ),
    );
  fill(pill, parts);
}

export function drawHeader(now, studies) {
  route = now;
  const name = route?.study ? route.study.title || route.study.name : "";
  pill = h("div", { class: "pills" });
  fill(
    top,
    h(
      "header",
      {},
      h(
        "div",
        { class: "bar" },
        h("a", { class: "brand", href: "#/" }, logo, h("span", {}, name || t("app"))),
        route?.study && studies.length > 1 ? h("a", { class: "wide", href: "#/" }, t("studies.other")) : null,
        pill,
        h(
          "div",
          { class: "who" },
          drawTheme(),
          session.name
            ? [
                h("span", { class: "name", title: t(`roles.${route?.role ?? session.role}`) }, session.name),
                button(t("signout.do"), leave, { class: "plain" }),
              ]
            : null,
        ),
      ),
      drawNav(),
    ),
  );
  drawPill();
}

outbox.events.addEventListener("change", drawPill);
net.addEventListener("connection", drawPill);
