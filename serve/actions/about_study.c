/* What a study is about, and how it stands. */
#include "base/error.h"
#include "actions/actions.h"

scant_status serve_get_study(serve_call *call, scant_error *error) {
  char tag[SERVE_TAG_LENGTH];
  scant_study_status t;
  json *out = &call->out;
  SCANT_TRY(scant_study_get_totals(call->study, &t, error));
  SCANT_TRY(serve_tag_terms(call->study, tag, error));
  json_open(out, NULL, '{');
  json_text(out, "name", call->study_name);
  study_json_terms(out, call->study);
  json_text(out, "terms_etag", tag);
  json_count(out, "events", t.events);
  json_close(out);
  return SCANT_OK;
}

/* Open orders have names of examples, which who only reads does not see.  Without the risk it is quick: what is long,
 * or must be added up, is left out, too. */
scant_status serve_get_status(serve_call *call, scant_error *error) {
  scant_study_status t;
  int risk;
  json *out = &call->out;
  SCANT_TRY(serve_query_flag(call, "risk", 1, &risk, error));
  SCANT_TRY(risk ? scant_study_get_status(call->study, &t, error) : scant_study_get_counts(call->study, &t, error));
  json_open(out, NULL, '{');
  study_json_status(out, call->study, &t);
  if (risk) SCANT_TRY(study_json_purchases(out, "attributes", call->study, error));
  if (risk && call->role > SCANT_ROLE_READ) SCANT_TRY(study_json_open_orders(out, "open_orders", call->study, error));
  json_close(out);
  return SCANT_OK;
}

scant_status serve_get_purchases(serve_call *call, scant_error *error) {
  return study_json_purchases(&call->out, NULL, call->study, error);
}
