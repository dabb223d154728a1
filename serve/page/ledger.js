/* Everything that happened, the newest first or last, a page at a time; all of it, or what concerns an example, a person
 * or a kind of event. */
import { h, fill, notice, button, field, number, quiet, remark, row, scrolling, table } from "./dom.js";
import { get, pathOf } from "./api.js";
import { link } from "./routes.js";
import { sayEvent } from "./history.js";
import { t, word, wordsOf, showTime } from "./words.js";

const textBox = () => h("input", { type: "text", autocomplete: "off", spellcheck: "false" });

const choice = (options) =>
  h(
    "select",
    {},
    options.map(([value, text]) => h("option", { value }, text)),
  );

function drawRow(study, event) {
  const example = event.example
    ? h("a", { href: link(study, "example", event.example) }, event.example)
    : event.erased
      ? h("span", { class: "quiet" }, t("ledger.erased"))
      : "";
  return row(
    number(event.event),
    h("time", { datetime: event.at }, showTime(event.at)),
    [event.by ?? "", event.via ? remark(word("via", event.via)) : null],
    word("kinds", event.kind),
    example,
    sayEvent(event),
  );
}

export function showLedger(place, route) {
  const study = route.study.name;
  const rows = h("tbody", {});
  const foot = h("div", { class: "actions", role: "status" });
  const boxes = {
    example: textBox(),
    by: textBox(),
    kind: choice([["", t("ledger.anyKind")], ...wordsOf("kinds")]),
    newest: choice([
      ["yes", t("ledger.newest")],
      ["no", t("ledger.oldest")],
    ]),
  };
  let asked = null;
  let after = "";
  let turns = 0;

  const wanted = () =>
    Object.fromEntries(
      Object.entries(boxes)
        .map(([name, box]) => [name, box.value.trim()])
        .filter(([, value]) => value),
    );

  /* A filter may leave nothing of what the service looks at in one go: then it goes on. */
  async function more() {
    const turn = ++turns;
    const had = rows.children.length;
    fill(foot, quiet(t("loading")));
    try {
      do {
        const query = { limit: 100, after, ...asked };
        const { json } = await get(pathOf("studies", study, "events"), { query });
        if (turn !== turns) return;
        rows.append(...json.items.map((event) => drawRow(study, event)));
        after = json.next;
      } while (after && rows.children.length === had);
      const all = rows.children.length ? t("ledger.end") : t("ledger.none");
      fill(foot, after ? button(t("ledger.more"), more) : quiet(all));
      if (had && after) foot.querySelector("button").focus();
    } catch (problem) {
      if (turn !== turns) return;
      fill(foot, notice("error", problem.message || t("act.noConnection")), button(t("again"), more));
    }
  }

  function begin() {
    if (asked && JSON.stringify(asked) === JSON.stringify(wanted())) return;
    asked = wanted();
    after = "";
    fill(rows);
    more();
  }

  const form = h(
    "form",
    {
      class: "filters four",
      role: "search",
      "aria-label": t("ledger.filter"),
      onchange: begin,
      onsubmit: (event) => {
        event.preventDefault();
        begin();
      },
    },
    field(t("history.example"), boxes.example),
    field(t("ledger.person"), boxes.by),
    field(t("history.what"), boxes.kind),
    field(t("ledger.sort"), boxes.newest),
  );
  const heads = ["event", "when", "who", "what", "example", "values"].map((name) => t(`history.${name}`));
  fill(
    place,
    h("h1", {}, t("ledger.title")),
    h("p", {}, t("ledger.text")),
    form,
    scrolling(t("ledger.title"), table(heads, rows, { class: "ledger" }), "card scroll"),
    foot,
  );
  begin();
}
