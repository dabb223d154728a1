/* One example: its orders, what was imported, and its history; telling, entering a second time, and correcting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "actions/action.h"

scant_status serve_need_example(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1);
  scant_study_traces none;
  uint64_t last;
  SCANT_TRY(scant_study_last_event(call->study, example, &last, error));
  if (last) return SCANT_OK;
  scant_status status = scant_study_find_traces(call->study, example, &none, error); /* for its sentence */
  if (status != SCANT_DATA && status != SCANT_OK) return status;
  if (status == SCANT_OK) scant_error_write(error, "example '%.200s' has no event", example);
  call->status = 404;
  call->code = "unknown";
  return SCANT_DATA;
}

/* ---- what waits for its second entry ------------------------------------------------- */

/* The attributes whose values are hidden, of the last order; the target is at 0, attribute i at i + 1. */
typedef struct {
  unsigned char *hidden; /* NULL: none are */
  size_t count;
} veil;

static scant_status veil_make(serve_call *call, veil *v, scant_error *error) {
  const scant_study_order *order;
  *v = (veil){0};
  if (!serve_is_blind(call)) return SCANT_OK;
  v->count = scant_study_dimension(call->study) + 1;
  v->hidden = calloc(v->count, 1);
  if (!v->hidden) return scant_fail_memory(error);
  scant_error none;
  scant_status status = scant_study_find(call->study, serve_argument(call, 1), &order, &none);
  if (status == SCANT_DATA) return SCANT_OK; /* it was imported, and has no order */
  if (status != SCANT_OK) return scant_fail(error, status, "%s", none.text);
  scant_study_line target = scant_study_target_line(order);
  v->hidden[0] = scant_study_is_second_due(order, &target) != 0;
  for (size_t i = 0; i < order->count; i++)
    if (order->lines[i].attribute + 1 < v->count)
      v->hidden[order->lines[i].attribute + 1] = scant_study_is_second_due(order, &order->lines[i]) != 0;
  return SCANT_OK;
}

static int is_hidden(const veil *v, int64_t attribute) {
  return v->hidden && attribute >= -1 && (size_t)(attribute + 1) < v->count && v->hidden[attribute + 1];
}

/* ---- events ------------------------------------------------------------------------------ */

void serve_put_event_rest(scant_json_writer *out, const scant_study_event *event) {
  char checksum[24], attributes[24];
  snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)event->checksum);
  snprintf(attributes, sizeof attributes, "%lld", (long long)event->attributes);
  scant_json_raw(out, "attributes", attributes);
  scant_json_text(out, "checksum", checksum);
}

/* An event whose values are hidden where they must be. */
static scant_status put_event(serve_call *call, const veil *v, const scant_study_event *event, scant_error *error) {
  scant_study_event shown = *event;
  scant_study_told *told = NULL;
  if (v->hidden && event->count) {
    told = calloc(event->count, sizeof *told);
    if (!told) return scant_fail_memory(error);
    for (size_t i = 0; i < event->count; i++) {
      told[i] = event->told[i];
      if (is_hidden(v, told[i].attribute)) told[i] = (scant_study_told){told[i].attribute, NAN, NULL};
    }
    shown.told = told;
  }
  scant_json_open(&call->out, NULL, '{');
  scant_study_json_event(&call->out, call->study, &shown);
  scant_json_flag(&call->out, "erased", event->erased);
  serve_put_event_rest(&call->out, event);
  scant_json_close(&call->out);
  free(told);
  return SCANT_OK;
}

static scant_status put_history(serve_call *call, const char *example, scant_error *error) {
  const scant_study_event *event;
  veil v;
  scant_status status = veil_make(call, &v, error);
  scant_json_open(&call->out, "history", '[');
  for (uint64_t after = 0; status == SCANT_OK; after = event->sequence) {
    status = scant_study_event_of(call->study, example, after, &event, error);
    if (status != SCANT_OK || !event) break;
    status = put_event(call, &v, event, error);
  }
  scant_json_close(&call->out);
  free(v.hidden);
  return status;
}

/* ---- the example ---------------------------------------------------------------------------- */

void serve_put_values(serve_call *call, const char *key, const scant_study_event *event) {
  scant_json_writer *out = &call->out;
  scant_json_open(out, key, '[');
  for (size_t i = 0; i < event->count; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "name", scant_study_told_name(call->study, event->told[i].attribute));
    scant_json_real(out, "value", event->told[i].value);
    scant_json_text(out, "note", event->told[i].note);
    scant_json_close(out);
  }
  scant_json_close(out);
}

static scant_status put_orders(serve_call *call, const char *example, scant_error *error) {
  const scant_study_order *order;
  uint64_t *numbers;
  size_t count;
  scant_status status = scant_study_find_orders(call->study, example, &numbers, &count, error);
  scant_json_open(&call->out, "orders", '[');
  for (size_t i = 0; i < count && status == SCANT_OK; i++) {
    status = scant_study_order_at(call->study, numbers[i], &order, error);
    if (status != SCANT_OK || !order) continue;
    scant_json_open(&call->out, NULL, '{');
    status = serve_put_order(call, order, 1, error);
    scant_json_close(&call->out);
  }
  scant_json_close(&call->out);
  free(numbers);
  return status;
}

scant_status serve_get_example(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1);
  const scant_study_event *imported;
  SCANT_TRY(serve_need_example(call, error));
  scant_json_text(&call->out, "example", example);
  SCANT_TRY(put_orders(call, example, error));
  SCANT_TRY(scant_study_find_imported(call->study, example, &imported, error));
  if (imported)
    serve_put_values(call, "imported", imported);
  else
    scant_json_null(&call->out, "imported");
  SCANT_TRY(put_history(call, example, error));
  return serve_put_tag(call, example, error);
}

/* ---- telling ----------------------------------------------------------------------- */

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

/* The role enter corrects only values that the same person told last.  The library reports values that were never
 * told. */
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
