/* What was seen of a study, so that work goes on without a connection: its catalogue, its open orders, and the examples
 * that were looked at. It is on the person's shelf: signing out removes it. Values stay in memory: on the disk there is
 * only what is to come of which order. */
import * as store from "./store.js";

const nameOf = (what, ...parts) => `cache/${what}/${parts.map(encodeURIComponent).join("/")}`;

export function keepStudy(study, json) {
  store.write(nameOf("study", study), { at: Date.now(), json });
}

export const studyOf = (study) => store.read(nameOf("study", study))?.json ?? null;

const withoutValue = (line) => ({ ...line, value: null, second_value: null, second_note: null });
const withoutValues = (order) => ({
  ...order,
  slim: true,
  y: null,
  second_y: null,
  lines: order.lines.map(withoutValue),
  extras: [],
});

export function keepOrders(study, orders) {
  const at = Date.now();
  store.hold(nameOf("list", study), { at, orders });
  store.write(nameOf("orders", study), { at, orders: orders.map(withoutValues) });
}

/* {at, orders} or null: this tab's own, or what another tab has seen since. */
export function ordersOf(study) {
  const own = store.read(nameOf("list", study));
  const kept = store.read(nameOf("orders", study));
  return own && own.at >= (kept?.at ?? 0) ? own : kept;
}

export function keepExample(study, example, json, etag) {
  store.hold(nameOf("example", study, example), { at: Date.now(), json, etag });
}

/* It was erased. */
export function dropExample(study, example) {
  store.remove(nameOf("example", study, example));
  const list = ordersOf(study);
  if (list?.orders.some((order) => order.example === example))
    keepOrders(
      study,
      list.orders.filter((order) => order.example !== example),
    );
}

/* {at, json, etag}: what was seen of it last, on its own screen or in the list; null: nothing. */
export function exampleOf(study, example) {
  const own = store.read(nameOf("example", study, example));
  const list = ordersOf(study);
  const order = list?.orders.find((one) => one.example === example);
  if (!order || (own && own.at >= list.at)) return own;
  const before = (own?.json.orders ?? []).filter((one) => one.order !== order.order);
  const json = { imported: null, history: [], ...own?.json, example, orders: [...before, order] };
  return { at: list.at, json, etag: order.etag ?? null };
}

/* Whether the person has entered a part of an order, as it stood with this tag. */
const entryName = (order) => nameOf("entry", order.study ?? "", order.example);
export const keepEntry = (order, entry) => store.hold(entryName(order), { at: Date.now(), ...entry });
export const entryOf = (order) => store.read(entryName(order));

/* The open order that comes after this one in the list, and waits for something. */
export function nextAfter(study, example) {
  const orders = ordersOf(study)?.orders ?? [];
  const at = orders.findIndex((order) => order.example === example);
  const others = [...orders.slice(at + 1), ...orders.slice(0, Math.max(at, 0))];
  return others.find((order) => order.example !== example && order.to_come?.length)?.example ?? null;
}
