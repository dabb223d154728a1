/* Telling, entering a second time, and correcting. */
#include <stdio.h>
#include <string.h>

#include "scant_base.h"
#include "actions/action.h"

/* The example is known, the members are these, and the answers are read. */
static scant_status begin(serve_call *call, const char *members, scant_error *error) {
  SCANT_TRY(serve_check_members(call, 0, members, error));
  SCANT_TRY(serve_answers_read(call, serve_body(call, "answers"), error));
  return serve_need_example(call, error);
}

scant_status serve_tell(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1);
  const serve_answers *told = &call->answers;
  SCANT_TRY(begin(call, "answers", error));
  scant_status status = scant_study_tell(call->study, example, told->list, told->count, error);
  SCANT_TRY(serve_explain(call, example, status, error));
  return serve_put_last_order(call, error);
}

/* ---- a second time ------------------------------------------------------------------- */

static scant_status put_comparison(serve_call *call, const scant_study_comparison *comparison, scant_error *error) {
  const scant_study_order *order;
  SCANT_TRY(scant_study_find(call->study, serve_argument(call, 1), &order, error));
  scant_study_json_comparison(&call->out, call->study, order, comparison, call->role == SCANT_ROLE_MANAGE);
  scant_json_open(&call->out, "order", '{');
  SCANT_TRY(serve_put_last_order(call, error));
  scant_json_close(&call->out);
  return SCANT_OK;
}

scant_status serve_tell_second(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1);
  const serve_answers *told = &call->answers;
  scant_study_comparison comparison;
  SCANT_TRY(begin(call, "answers", error));
  scant_status status = scant_study_tell_second(call->study, example, told->list, told->count, &comparison, error);
  SCANT_TRY(serve_explain(call, example, status, error));
  return put_comparison(call, &comparison, error);
}

/* ---- without being ordered -------------------------------------------------------------- */

scant_status serve_tell_extra(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1), *reason;
  const serve_answers *told = &call->answers;
  int learns = 0;
  SCANT_TRY(serve_body_text(call, "reason", &reason, error));
  SCANT_TRY(begin(call, "answers reason", error));
  scant_status status = scant_study_tell_extra(call->study, example, told->list, told->count, reason, &learns, error);
  SCANT_TRY(serve_explain(call, example, status, error));
  SCANT_TRY(serve_put_last_order(call, error));
  scant_json_flag(&call->out, "learns", learns);
  return SCANT_OK;
}

/* ---- corrections ---------------------------------------------------------------------------- */

/* Who enters corrects what the same person told last.  Of what nobody told the library says so. */
static scant_status check_hands(serve_call *call, const char *example, scant_error *error) {
  const serve_answers *answers = &call->answers;
  for (size_t i = 0; i < answers->count && call->role < SCANT_ROLE_MANAGE; i++) {
    const char *by, *name = answers->list[i].name;
    SCANT_TRY(scant_study_teller(call->study, example, name, &by, error));
    if (by && strcmp(by, call->by) != 0)
      return serve_refuse(
          call, 403, "role", error,
          "'%.200s' of example '%.200s' was told by %.200s: that person can correct it, and who manages "
          "the study",
          name, example, by);
  }
  return SCANT_OK;
}

/* An example of the past has no order: what stands is answered in its place. */
static scant_status answer_imported(serve_call *call, const scant_study_event *imported, scant_error *error) {
  const char *example = serve_argument(call, 1);
  scant_json_text(&call->out, "example", example);
  serve_put_values(call, "imported", imported);
  return serve_put_tag(call, example, error);
}

scant_status serve_correct(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1), *reason;
  const serve_answers *told = &call->answers;
  const scant_study_event *imported;
  SCANT_TRY(serve_body_text(call, "reason", &reason, error));
  SCANT_TRY(begin(call, "answers reason", error));
  SCANT_TRY(check_hands(call, example, error));
  scant_status status = scant_study_correct(call->study, example, told->list, told->count, reason, error);
  SCANT_TRY(serve_explain(call, example, status, error));
  SCANT_TRY(scant_study_find_imported(call->study, example, &imported, error));
  return imported ? answer_imported(call, imported, error) : serve_put_last_order(call, error);
}

/* ---- examples of the past -------------------------------------------------------- */

/* Says which row it was. */
static scant_status name_row(size_t row, scant_status status, scant_error *error) {
  scant_error plain = *error;
  scant_error_write(error, "row %zu: %.450s; nothing was imported", row + 1, plain.text);
  return status;
}

static scant_status import_row(serve_call *call, size_t node, size_t row, scant_error *error) {
  const scant_json *body = &call->request->body;
  const serve_answers *told = &call->answers;
  if (body->nodes[node].type != SCANT_JSON_OBJECT)
    return scant_fail(error, SCANT_USAGE, "row %zu is not an object of 'example' and 'answers'", row + 1);
  scant_status known = serve_check_members(call, node, "example answers", error);
  if (known != SCANT_OK) return name_row(row, known, error);
  size_t name = scant_json_member(body, node, "example");
  if (name == SCANT_JSON_NONE || body->nodes[name].type != SCANT_JSON_TEXT)
    return scant_fail(error, SCANT_USAGE, "row %zu has no 'example', which is a text", row + 1);
  const char *example = serve_copy(call, name);
  if (!example) return scant_fail_memory(error);
  scant_status status = serve_answers_read(call, scant_json_member(body, node, "answers"), error);
  if (status == SCANT_OK) {
    status = scant_study_import(call->study, example, told->list, told->count, error);
    status = serve_explain(call, example, status, error);
  }
  if (status != SCANT_OK) return name_row(row, status, error);
  return serve_mention(call, example, error);
}

/* The call is a group, which is taken back as a whole if a row is refused. */
static scant_status import_rows(serve_call *call, size_t list, scant_error *error) {
  const scant_json *body = &call->request->body;
  size_t node = list + 1;
  for (size_t i = 0; i < body->nodes[list].count; i++, node = body->nodes[node].after)
    SCANT_TRY(import_row(call, node, i, error));
  return SCANT_OK;
}

scant_status serve_import(serve_call *call, scant_error *error) {
  const scant_json *body = &call->request->body;
  scant_study_status before, after;
  int new_name;
  SCANT_TRY(serve_check_members(call, 0, "rows new_name", error));
  SCANT_TRY(serve_body_flag(call, "new_name", 0, &new_name, error));
  size_t list = serve_body(call, "rows");
  if (list == SCANT_JSON_NONE || body->nodes[list].type != SCANT_JSON_ARRAY || !body->nodes[list].count)
    return scant_fail(error, SCANT_USAGE, "'rows' is a list of at least one object of 'example' and 'answers'");
  SCANT_TRY(scant_study_get_counts(call->study, &before, error));
  scant_study_take_new_names(call->study, new_name);
  scant_status status = import_rows(call, list, error);
  scant_study_take_new_names(call->study, 0); /* the handle serves others, too */
  if (status == SCANT_OK) status = scant_study_get_counts(call->study, &after, error);
  if (status != SCANT_OK) return status;
  scant_json_count(&call->out, "learned", after.imported - before.imported);
  return SCANT_OK;
}
