/* Examples of the past. */
#include <stdio.h>

#include "base/error.h"
#include "actions/actions.h"

/* Says which row it was. */
static scant_status name_row(size_t row, scant_status status, scant_error *error) {
  scant_error plain = *error;
  scant_error_write(error, "row %zu: %.450s; nothing was imported", row + 1, plain.text);
  return status;
}

static scant_status import_row(serve_call *call, size_t node, size_t row, scant_error *error) {
  const scant_json *body = &call->request->body;
  serve_answers answers = {0};
  if (body->nodes[node].type != SCANT_JSON_OBJECT)
    return scant_fail(error, SCANT_USAGE, "row %zu is not an object of 'example' and 'answers'", row + 1);
  scant_status known = serve_check_members(call, node, "example answers", error);
  if (known != SCANT_OK) return name_row(row, known, error);
  size_t name = scant_json_member(body, node, "example");
  if (name == SCANT_JSON_NONE || body->nodes[name].type != SCANT_JSON_TEXT)
    return scant_fail(error, SCANT_USAGE, "row %zu has no 'example', which is a text", row + 1);
  const char *example = serve_copy(call, name);
  if (!example) return scant_fail_memory(error);
  scant_status status = serve_answers_read(call, scant_json_member(body, node, "answers"), &answers, error);
  if (status == SCANT_OK) {
    status = scant_study_import(call->study, example, answers.list, answers.count, error);
    if (status != SCANT_OK) status = serve_explain(call, example, &answers, status, error);
  }
  serve_answers_free(&answers);
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
  json_open(&call->out, NULL, '{');
  json_count(&call->out, "learned", after.imported - before.imported);
  json_close(&call->out);
  return SCANT_OK;
}
