/* What an order asks for, as one list: its attributes and the target, with what is known of each. */

const TOLD_BY = ["tell", "correct", "extra", "import"];

/* Who told the value of a name last. */
function tellerOf(history, name) {
  for (let i = history.length - 1; i >= 0; i--)
    if (TOLD_BY.includes(history[i].kind) && history[i].values.some((value) => value.name === name))
      return history[i].by;
  return null;
}

/* What is stored of a name, and by which event: to see later whether it is still the same. */
export function markOf(example, name) {
  const isOf = (event) => TOLD_BY.includes(event.kind) && event.values.some((value) => value.name === name);
  const order = lastOrder(example);
  const line = [...(order?.lines ?? []), ...(order?.extras ?? [])].find((one) => one.name === name);
  const { value, note } = line ?? { value: order?.y ?? null };
  return { event: example.history.findLast(isOf)?.event ?? null, value, note: note ?? null };
}

export function isAsSeen(mark, now) {
  if (mark.event !== null && now.event !== null) return mark.event === now.event;
  return mark.value !== null && mark.value === now.value && mark.note === now.note;
}

export function attributeOf(study, name) {
  return study.attributes.find((one) => one.name === name) ?? {};
}

/* Names in the order of the catalogue, which is the same for every example; the result comes last. */
export function inOrder(study, names, nameOf = (name) => name) {
  const place = new Map((study?.attributes ?? []).map((one, i) => [one.name, i]));
  const rank = (one) => place.get(nameOf(one)) ?? Infinity;
  return [...names].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

export const lastOrder = (example) => example.orders[example.orders.length - 1] ?? null;

/* The result is there although it is hidden: then it is not among what is to come. */
const hasResult = (order) =>
  order.y !== null || (isOpen(order) && Boolean(order.to_come) && !order.to_come.includes(order.target));

/* Most fields share these. `hidden`: it was told, and the role enter does not see it before the second entry. `slim`: from
 * the browser's storage, where no values are. */
const common = {
  unit: null,
  group: null,
  attribute: {},
  target: false,
  told: true,
  slim: false,
  value: null,
  note: null,
  missing: false,
  hidden: false,
  second: null,
  by: null,
};

/* What was told of an attribute without being ordered, or before the study. */
export function toldField(study, { name, value, note = null }) {
  const attribute = attributeOf(study, name);
  return { ...common, name, unit: attribute.unit, attribute, value, note, missing: value === null };
}

export function fieldsOf(study, example) {
  const order = lastOrder(example);
  if (!order) return [];
  const by = (name) => tellerOf(example.history, name);
  const slim = Boolean(order.slim);
  const lines = inOrder(study, order.lines, (line) => line.name).map((line) => ({
    ...common,
    name: line.name,
    unit: line.unit,
    group: line.group,
    attribute: attributeOf(study, line.name),
    told: line.state !== "ordered",
    slim,
    value: line.value,
    note: line.note,
    missing: line.state === "missing",
    hidden: line.state === "told" && line.value === null,
    second: line.second,
    secondValue: line.second_value,
    secondNote: line.second_note,
    by: by(line.name),
  }));
  const target = {
    ...common,
    name: order.target,
    target: true,
    told: hasResult(order),
    slim,
    value: order.y,
    hidden: hasResult(order) && order.y === null,
    second: order.second,
    secondValue: order.second_y,
    secondNote: null,
    by: by(order.target),
  };
  const extras = order.extras.map(({ name, value }) => ({
    ...toldField(study, { name, value }),
    extra: true,
    by: by(name),
  }));
  return [...lines, target, ...extras];
}

/* Whether an answer is what is stored already. */
export function isSame(answer, field) {
  if (field.hidden) return false;
  if (answer === null) return field.missing;
  if (typeof answer !== "object") return !field.missing && field.value === answer;
  if ("missing" in answer) return field.missing && field.note === answer.missing;
  return !field.missing && field.value === answer.value;
}

export const takesValues = (order) => ["issued", "partly told", "told", "expired"].includes(order.state);
const isOpen = (order) => ["issued", "partly told", "told"].includes(order.state);
export const hasEnded = (order) => ["cancelled", "failed", "expired"].includes(order.state);
