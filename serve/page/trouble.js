/* Why something can't be saved or loaded just now, in a sentence. */
import { connection, NoConnection } from "./api.js";
import * as outbox from "./outbox.js";
import { t } from "./words.js";

/* The service's sentences begin small and have no stop. */
const asSentence = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1).replace(/\.?$/, ".");

export function sayFailure(error) {
  if (error instanceof NoConnection) return t("connection.none");
  return error.detail ? asSentence(error.detail) : t("connection.status", { status: error.status });
}

/* Of what is on its way; "": nothing is known to be wrong. */
export function sayTrouble() {
  if (connection.lost) return t("connection.none");
  return outbox.trouble.last ? sayFailure(outbox.trouble.last) : "";
}
