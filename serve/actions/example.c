/* One example: its orders, what was imported, and its history. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
