/* What was learned: weights with their errors; and everything to take away. */
import { h, fill, notice, field as labelled, openDialog, button, submitButton } from "./dom.js";
import { actions, card, grid, number, quiet, remark, row, rowHead, scrolling, table } from "./dom.js";
import { address, call, get, pathOf, watch, NoConnection, Problem } from "./api.js";
import { may } from "./session.js";
import { actForm } from "./changes.js";
import { drawInterval } from "./charts.js";
import { createBox, blank } from "./entry.js";
import { showRough } from "./numbers.js";
import { t } from "./words.js";

const TABLES = ["examples.csv", "dictionary.csv", "looks.csv", "events.csv", "ledger.csv"];

/* With errors where there are enough examples for them; else without, and the sentence that says why. */
async function loadModel(study, noneMatch) {
  const path = pathOf("studies", study, "model");
  try {
    return await get(path, { query: { errors: "yes" }, noneMatch, patience: 300000 });
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status === 401 || problem.passes) throw problem;
    const found = await get(path, { noneMatch, patience: 300000 });
    return found.unchanged ? found : { ...found, json: { ...found.json, why: problem.message } };
  }
}

function drawWeights(model) {
  const rows = model.attributes;
  const ends = rows.flatMap((one) => [one.weight, one.low, one.high]).filter((x) => Number.isFinite(x) && x !== null);
  const axis = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const sure = rows.some((one) => one.error !== null && one.error !== undefined);
  const wide = (...parts) => h("td", { class: "wide" }, parts);
  const heads = [
    t("results.attribute"),
    ...["weight", "error", "interval"].map((name) => h("th", { scope: "col", class: "number" }, t(`results.${name}`))),
    wide(),
  ];
  const intercept = row(rowHead(t("results.intercept")), number(showRough(model.intercept, 5)), "", "", wide());
  const drawRow = (one) =>
    row(
      rowHead(one.name, one.unit ? remark(t("results.per", { unit: one.unit })) : null),
      number(showRough(one.weight, 5)),
      number(one.error == null ? "" : showRough(one.error, 3)),
      number(one.low == null ? "" : t("range.both", { low: showRough(one.low, 3), high: showRough(one.high, 3) })),
      wide(drawInterval(one, axis)),
    );
  return [
    h(
      "p",
      {},
      t("results.of", { n: model.examples }),
      model.risk == null
        ? ""
        : ` ${t("results.risk", { risk: showRough(model.risk, 4), error: showRough(model.risk_error, 2) })}`,
    ),
    sure ? null : notice("info", h("p", {}, t("results.noErrors")), model.why ? h("p", {}, model.why) : null),
    scrolling(t("results.weights"), table(heads, [intercept, ...rows.map(drawRow)])),
    quiet(t("results.note")),
  ];
}

/* `more`: a place for what depends on the algorithm. */
function drawDownloads(study, role, more) {
  const at = (file, query) => address(pathOf("studies", study, "export", file), query).href;
  /* The service names the file: that with pseudonyms says so in its name. */
  const anchor = (file, query) => h("a", { href: at(file, query), download: "" }, file);
  const manage = may("manage", role);
  const drawRow = (file) =>
    row(
      rowHead(t(`downloads.${file.split(".")[0]}`), file === "looks.csv" ? more : null),
      anchor(file, { pseudonyms: "yes" }),
      manage ? anchor(file) : null,
    );
  const model = row(rowHead(t("downloads.model")), anchor("model.json"), manage ? "" : null);
  return [
    h("p", {}, t("downloads.text")),
    scrolling(
      t("downloads.title"),
      table(
        [t("downloads.what"), t("downloads.pseudonyms"), manage ? t("downloads.names") : null],
        [...TABLES.map(drawRow), model],
      ),
    ),
  ];
}

function freeze(study) {
  return openDialog(t("freeze.title"), (close) => {
    const name = h("input", { type: "text", autocomplete: "off", pattern: "[A-Za-z0-9._\\-]+" });
    return actForm({
      close: (json) => {
        close();
        if (json)
          openDialog(t("freeze.done"), () => [
            h("p", {}, t("freeze.print")),
            h(
              "dl",
              { class: "pairs" },
              Object.entries(json)
                .filter(([, value]) => value !== null && typeof value !== "object")
                .map(([key, value]) => [h("dt", {}, key), h("dd", { class: "code" }, value)]),
            ),
          ]);
      },
      label: t("freeze.do"),
      path: `${pathOf("studies", study)}/freezes`,
      parts: [h("p", {}, t("freeze.text")), labelled(t("freeze.name"), name, { hint: t("freeze.hint") })],
      check: () => (/^[\w.-]+$/.test(name.value.trim()) ? null : (name.focus(), t("freeze.hint"))),
      body: () => ({ name: name.value.trim() }),
    });
  });
}

async function prove(study, place) {
  fill(place, quiet(t("proof.running")));
  try {
    const { json } = await get(pathOf("studies", study, "proof"), { patience: 600000 });
    fill(
      place,
      notice("ok", t(json.same_bits ? "proof.same" : "proof.near", { events: json.events, orders: json.orders })),
    );
  } catch (problem) {
    fill(place, notice("error", problem.message || t("act.noConnection")));
  }
}

/* A prediction for somebody of whom something is known; nothing of it is kept. */
function drawPredict(study, about) {
  const boxes = about.attributes
    .filter((one) => !one.retired)
    .map((one) => [
      one.name,
      createBox({ name: one.name, unit: one.unit, attribute: one, value: blank(), hint: false }),
    ]);
  const answer = h("div", { role: "status" });
  async function submit(event) {
    event.preventDefault();
    const answers = {};
    for (const [name, box] of boxes) {
      const read = box.read();
      box.say();
      if (read.problem) return box.focus();
      if (!read.blank) answers[name] = read.answer;
    }
    try {
      const { json } = await call("POST", `${pathOf("studies", study)}/predictions`, { body: { answers, level: 0.9 } });
      fill(
        answer,
        notice(
          "info",
          t("predict.is", {
            target: about.target,
            value: showRough(json.prediction, 4),
            low: showRough(json.low, 4),
            high: showRough(json.high, 4),
          }),
        ),
      );
    } catch (problem) {
      fill(answer, notice("error", problem instanceof NoConnection ? t("act.noConnection") : problem.message));
    }
  }
  return h(
    "form",
    { novalidate: true, onsubmit: submit },
    h("p", {}, t("predict.text")),
    grid(boxes.map(([, box]) => box.element)),
    actions(submitButton(t("predict.do"), null)),
    answer,
  );
}

export function showStatistician(place, route) {
  const study = route.study.name;
  const weights = h("div", {}, quiet(t("results.loading")));
  const predict = h("section", { class: "card" });
  const proof = h("div", { role: "status" });
  const looks = h("span", {});
  fill(
    place,
    h("h1", {}, t("results.title")),
    card(t("results.weights"), weights),
    may("enter", route.role) ? predict : null,
    card(t("downloads.title"), drawDownloads(study, route.role, looks)),
    may("manage", route.role)
      ? card(
          t("proof.title"),
          h("p", {}, t("proof.text")),
          actions(
            button(t("proof.do"), () => prove(study, proof)),
            button(t("freeze.do"), () => freeze(study)),
          ),
          proof,
        )
      : null,
  );
  get(pathOf("studies", study)).then(
    ({ json }) => {
      if (json.settings.algorithm === "gaussian") fill(looks, h("p", { class: "hint" }, t("downloads.looksGaussian")));
      if (may("enter", route.role)) fill(predict, h("h2", {}, t("predict.title")), drawPredict(study, json));
    },
    () => {},
  );
  return watch(
    (noneMatch) => loadModel(study, noneMatch),
    (model) => fill(weights, drawWeights(model)),
    (problem) => fill(weights, notice("info", problem.message)),
  );
}
