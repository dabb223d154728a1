/* Which study, where somebody may see several; and what is said where there is nothing. */
import { h, fill, notice } from "./dom.js";
import { home } from "./routes.js";
import { t } from "./words.js";

export function showStudies(place, route) {
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

export function showNowhere(place, route) {
  const back = route.study ? home(route.study) : "#/";
  fill(
    place,
    h("h1", {}, t("nowhere.title")),
    h("p", {}, t("nowhere.text")),
    h("p", {}, h("a", { href: back }, t("nowhere.back"))),
  );
}
