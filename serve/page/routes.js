/* Addresses are in the hash, as in #/clinic/example/P-101, so the page needs no other address than its own. */
import { h, fill, notice } from "./dom.js";
import { may, session } from "./session.js";
import { showWorklist } from "./worklist.js";
import { showNew } from "./neworders.js";
import { showExample } from "./example.js";
import { showSheets, showLabels } from "./sheets.js";
import { showCoordinator } from "./coordinator.js";
import { showCatalogue } from "./catalogue.js";
import { showStatistician } from "./statistician.js";
import { showLedger } from "./history.js";
import { t } from "./words.js";

const screens = {
  work: { role: "enter", show: showWorklist },
  new: { role: "enter", show: showNew },
  example: { role: "enter", show: showExample },
  second: { role: "enter", show: showExample },
  sheets: { role: "enter", show: showSheets },
  labels: { role: "enter", show: showLabels },
  overview: { role: "read", show: showCoordinator },
  catalogue: { role: "manage", show: showCatalogue },
  results: { role: "read", show: showStatistician },
  ledger: { role: "manage", show: showLedger },
};

export function link(study, screen, example = null, query = {}) {
  const path = [study, screen, ...(example === null ? [] : [example])].map(encodeURIComponent).join("/");
  const search = new URLSearchParams(query).toString();
  return `#/${path}${search ? `?${search}` : ""}`;
}

const decode = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/* Where somebody of this role begins. */
const firstOf = (study) => (may("enter", study.role) ? "work" : "overview");
export const home = (study) => link(study.name, firstOf(study));

export function readRoute(hash, studies) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name, screen, example] = path.split("/").map(decode);
  const study = studies.find((one) => one.name === name) ?? (name || studies.length !== 1 ? null : studies[0]);
  return {
    study,
    example,
    studies,
    wanted: name,
    screen: screen || (study && firstOf(study)),
    role: study?.role ?? session.role,
    query: new URLSearchParams(search),
  };
}

/* Which study, where somebody may see several. */
function showStudies(place, route) {
  const items = route.studies.map((study) =>
    h(
      "li",
      {},
      h(
        "a",
        { class: "card tile", href: home(study) },
        h("strong", {}, study.title || study.name),
        h("span", { class: "quiet" }, t("studies.open", { n: study.open ?? 0 })),
      ),
    ),
  );
  fill(
    place,
    h("h1", {}, t("studies.title")),
    items.length ? h("ul", { class: "tiles" }, items) : notice("info", t("studies.none")),
  );
}

/* There is nothing at this address, or nothing for this role. */
function showNowhere(place, route) {
  const back = route.study ? home(route.study) : "#/";
  fill(
    place,
    h("h1", {}, t("nowhere.title")),
    h("p", {}, t("nowhere.text")),
    h("p", {}, h("a", { href: back }, t("nowhere.back"))),
  );
}

export function findScreen(route) {
  if (!route.study) return route.wanted ? showNowhere : showStudies;
  const found = Object.hasOwn(screens, route.screen) ? screens[route.screen] : null;
  if (!found || !may(found.role, route.role)) return showNowhere;
  return found.show;
}
