/* What is not saved yet: writes on their way, and those that were refused. */
import { h, fill, openDialog, button, notice, actions, listen, quiet } from "./dom.js";
import * as outbox from "./outbox.js";
import { showAnswer } from "./entry.js";
import { isNear } from "./neworders.js";
import { link } from "./routes.js";
import { t, showTime, joinNames } from "./words.js";

export function describe(item) {
  if (item.kind === "orders") return t("unsaved.orders", { names: joinNames(item.body.examples) });
  return t(`unsaved.${item.kind}`, { example: item.example, names: joinNames(Object.keys(item.body.answers)) });
}

/* What was typed, in full: nothing of it is thrown away unseen. */
export function sayTyped(item) {
  const values = Object.entries(item.body.answers).map(([name, answer]) =>
    t("unsaved.value", { name, value: showAnswer(answer, "") }),
  );
  const { reason } = item.body;
  return t(reason ? "unsaved.typedWhy" : "unsaved.typed", { values: joinNames(values), reason });
}

const drawShow = (href, onclick) => h("a", { class: "button", href, onclick }, t("unsaved.show"));

/* The names go back to where they were written. */
function drawMend(item, close) {
  const again = () => {
    outbox.remove(item);
    close();
  };
  const href = link(item.study, "new", null, { name: item.body.examples.join("\n") });
  return drawShow(href, again);
}

function drawItem(item, close) {
  return h(
    "li",
    { class: "card" },
    h("p", {}, h("strong", {}, describe(item)), " ", h("span", { class: "quiet" }, showTime(item.at))),
    item.body.answers ? h("p", {}, sayTyped(item)) : null,
    item.problem
      ? notice("error", isNear(item.problem) ? t("near.refused") : item.problem.detail)
      : quiet(outbox.sayTrouble() || t("unsaved.waiting")),
    actions(
      item.example ? drawShow(link(item.study, "example", item.example), () => close()) : null,
      item.problem && item.kind === "orders" ? drawMend(item, close) : null,
      item.problem ? button(t("unsaved.dismiss"), () => outbox.remove(item)) : null,
    ),
  );
}

export function showOutbox() {
  return openDialog(t("unsaved.title"), (close, dialog) => {
    const list = h("ul", { class: "plainlist" });
    const draw = () => {
      const items = outbox.list();
      if (!items.length && dialog.open) return close();
      fill(
        list,
        items.map((item) => drawItem(item, close)),
      );
    };
    dialog.addEventListener("close", listen([[outbox.events, "change", draw]]));
    draw();
    return [
      h("p", {}, t("unsaved.text")),
      list,
      actions(button(t("unsaved.now"), () => outbox.flush(), { class: "primary", autofocus: true })),
    ];
  });
}
