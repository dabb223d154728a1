/* Who is here: a token or a one-time code is exchanged once for a session, whose cookie no script sees. */
import { call, get, setCsrf, NoConnection, Problem } from "./api.js";
import * as store from "./store.js";

export const session = { name: "", role: "", studies: [] };
const LEAVING = "leaving"; /* somebody signed out without a connection: it is made good at the next start */
const rank = { read: 0, enter: 1, manage: 2 };

export const may = (role, of = session.role) => rank[of] >= rank[role];

function begin(json) {
  Object.assign(session, { name: json.name, role: json.role, studies: json.studies || [] });
  store.setPerson(json.name);
  store.dropOld();
  setCsrf(json.csrf, renew);
}

/* The session of another tab, if it is the same person's; if it is another's, this tab begins anew as that one. */
async function renew() {
  const before = session.name;
  const { json } = await get("session", { signingIn: true });
  if (before && json.name !== before) {
    location.reload();
    return false;
  }
  begin(json);
  return true;
}

/* Is somebody signed in already? */
export async function resume() {
  let json;
  try {
    ({ json } = await get("session", { signingIn: true }));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) {
      store.writeSetting(LEAVING, null);
      return false;
    }
    throw error;
  }
  begin(json);
  if (store.readSetting(LEAVING) === null) return true;
  await leave();
  return false;
}

export async function signIn(secret) {
  store.writeSetting(LEAVING, null);
  const { json } = await call("POST", "session", { body: secret, signingIn: true });
  begin(json);
}

async function leave() {
  await call("DELETE", "session", { signingIn: true });
  store.writeSetting(LEAVING, null);
}

/* Nothing of the person stays in the browser. False: the service does not know it yet. */
export async function signOut() {
  store.clear();
  store.writeSetting(LEAVING, "1");
  try {
    await leave();
    return true;
  } catch (error) {
    if (error instanceof NoConnection) return false;
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) store.writeSetting(LEAVING, null);
    return error.status === 401;
  }
}
