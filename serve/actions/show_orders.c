/* Orders as somebody may see them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "actions/actions.h"

/* Who has seen the first entry copies it.  Who manages has to settle differences, and sees both. */
int serve_is_blind(const serve_call *call) {
  return call->role < SCANT_ROLE_MANAGE && scant_study_second_entry(call->study);
}

static void hide_line(const scant_study_order *order, scant_study_line *line) {
  if (!study_is_second_due(order, line)) return;
  line->state = SCANT_LINE_TOLD;
  line->value = line->second_value = NAN;
  line->note = line->second_note = NULL;
}

static void put_order(serve_call *call, const scant_study_order *order, int row) {
  if (row)
    study_json_row(&call->out, call->study, order);
  else
    study_json_order(&call->out, call->study, order);
}

scant_status serve_put_order(serve_call *call, const scant_study_order *order, int row, scant_error *error) {
  if (!serve_is_blind(call)) {
    put_order(call, order, row);
    return SCANT_OK;
  }
  scant_study_order shown = *order;
  scant_study_line target = study_target_line(order), *lines = scant_array(order->count, sizeof *lines);
  if (!lines) return scant_fail_memory(error);
  for (size_t i = 0; i < order->count; i++) {
    lines[i] = order->lines[i];
    hide_line(order, &lines[i]);
  }
  shown.lines = lines;
  if (study_is_second_due(order, &target)) shown.y = shown.second_y = NAN;
  put_order(call, &shown, row);
  free(lines);
  return SCANT_OK;
}

scant_status serve_put_tag(serve_call *call, const char *example, scant_error *error) {
  char tag[SERVE_TAG_LENGTH] = "";
  SCANT_TRY(serve_tag_example(call->study, example, tag, error));
  json_text(&call->out, "etag", *tag ? tag : NULL);
  return SCANT_OK;
}

scant_status serve_put_last_order(serve_call *call, scant_error *error) {
  const scant_study_order *order;
  SCANT_TRY(scant_study_find(call->study, serve_argument(call, 1), &order, error));
  SCANT_TRY(serve_put_order(call, order, 1, error));
  return serve_put_tag(call, serve_argument(call, 1), error);
}

scant_status serve_answer_order(serve_call *call, scant_error *error) {
  json_open(&call->out, NULL, '{');
  SCANT_TRY(serve_put_last_order(call, error));
  json_close(&call->out);
  return SCANT_OK;
}
