/* Everything that happened, the newest last, a page at a time. */
import { h, fill, notice, button } from "./dom.js";
import { get, pathOf } from "./api.js";
import { link } from "./routes.js";
import { sayEvent } from "./history.js";
import { t, word, showTime } from "./words.js";

export function showLedger(place, route) {
  const study = route.study.name;
  const rows = h("tbody", {});
  const foot = h("div", { class: "actions" });
  let after = "";
  async function more() {
    fill(foot, h("p", { class: "quiet" }, t("loading")));
    try {
      const { json } = await get(pathOf("studies", study, "events"), { query: { limit: 100, after } });
      const first = rows.children.length;
      rows.append(
        ...json.items.map((event) =>
          h(
            "tr",
            {},
            h("td", { class: "number" }, event.event),
            h("td", {}, h("time", { datetime: event.at }, showTime(event.at))),
            h("td", {}, event.by ?? ""),
            h("td", {}, word("kinds", event.kind)),
            h("td", {}, event.example ? h("a", { href: link(study, "example", event.example) }, event.example) : ""),
            h("td", {}, sayEvent(event)),
          ),
        ),
      );
      after = json.next;
      fill(foot, after ? button(t("ledger.more"), more) : h("p", { class: "quiet" }, t("ledger.end")));
      if (first && after) foot.querySelector("button").focus();
    } catch (problem) {
      fill(foot, notice("error", problem.message || t("act.noConnection")), button(t("again"), more));
    }
  }
  fill(
    place,
    h("h1", {}, t("ledger.title")),
    h("p", {}, t("ledger.text")),
    h(
      "div",
      { class: "card scroll", tabindex: 0, role: "region", "aria-label": t("ledger.title") },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["event", "when", "who", "what", "example", "values"].map((name) =>
              h("th", { scope: "col" }, t(`history.${name}`)),
            ),
          ),
        ),
        rows,
      ),
    ),
    foot,
  );
  more();
}
