/* Telling, entering a second time, and correcting. */
#include <string.h>

#include "base/error.h"
#include "actions/actions.h"

/* The example is known, the members are these, and the answers are read. */
static scant_status begin(serve_call *call, const char *members, serve_answers *answers, scant_error *error) {
  SCANT_TRY(serve_check_members(call, 0, members, error));
  scant_status status = serve_answers_read(call, serve_body(call, "answers"), answers, error);
  return status == SCANT_OK ? serve_need_example(call, error) : status;
}

scant_status serve_tell(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1);
  serve_answers answers = {0};
  scant_status status = begin(call, "answers", &answers, error);
  if (status == SCANT_OK) {
    status = scant_study_tell(call->study, example, answers.list, answers.count, error);
    if (status != SCANT_OK) status = serve_explain(call, example, &answers, status, error);
  }
  serve_answers_free(&answers);
  return status == SCANT_OK ? serve_answer_order(call, error) : status;
}

/* ---- a second time ------------------------------------------------------------------- */

static scant_status put_comparison(serve_call *call, const scant_study_comparison *comparison, scant_error *error) {
  const scant_study_order *order;
  SCANT_TRY(scant_study_find(call->study, serve_argument(call, 1), &order, error));
  json_open(&call->out, NULL, '{');
  study_json_comparison(&call->out, call->study, order, comparison, call->role == SCANT_ROLE_MANAGE);
  json_open(&call->out, "order", '{');
  SCANT_TRY(serve_put_last_order(call, error));
  json_close(&call->out);
  json_close(&call->out);
  return SCANT_OK;
}

scant_status serve_tell_second(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1);
  serve_answers answers = {0};
  scant_study_comparison comparison;
  scant_status status = begin(call, "answers", &answers, error);
  if (status == SCANT_OK) {
    status = scant_study_tell_second(call->study, example, answers.list, answers.count, &comparison, error);
    if (status != SCANT_OK) status = serve_explain(call, example, &answers, status, error);
  }
  serve_answers_free(&answers);
  return status == SCANT_OK ? put_comparison(call, &comparison, error) : status;
}

/* ---- without being ordered -------------------------------------------------------------- */

scant_status serve_tell_extra(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1), *reason;
  serve_answers answers = {0};
  int learns = 0;
  SCANT_TRY(serve_body_text(call, "reason", &reason, error));
  scant_status status = begin(call, "answers reason", &answers, error);
  if (status == SCANT_OK) {
    status = scant_study_tell_extra(call->study, example, answers.list, answers.count, reason, &learns, error);
    if (status != SCANT_OK) status = serve_explain(call, example, &answers, status, error);
  }
  serve_answers_free(&answers);
  if (status != SCANT_OK) return status;
  json_open(&call->out, NULL, '{');
  SCANT_TRY(serve_put_last_order(call, error));
  json_flag(&call->out, "learns", learns);
  json_close(&call->out);
  return SCANT_OK;
}

/* ---- corrections ---------------------------------------------------------------------------- */

/* Who enters corrects what the same person told last.  Of what nobody told the library says so. */
static scant_status check_hands(serve_call *call, const char *example, const serve_answers *answers,
                                scant_error *error) {
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
  json_open(&call->out, NULL, '{');
  json_text(&call->out, "example", example);
  serve_put_values(call, "imported", imported);
  SCANT_TRY(serve_put_tag(call, example, error));
  json_close(&call->out);
  return SCANT_OK;
}

scant_status serve_correct(serve_call *call, scant_error *error) {
  const char *example = serve_argument(call, 1), *reason;
  const scant_study_event *imported;
  serve_answers answers = {0};
  SCANT_TRY(serve_body_text(call, "reason", &reason, error));
  scant_status status = begin(call, "answers reason", &answers, error);
  if (status == SCANT_OK) status = check_hands(call, example, &answers, error);
  if (status == SCANT_OK) {
    status = scant_study_correct(call->study, example, answers.list, answers.count, reason, error);
    if (status != SCANT_OK) status = serve_explain(call, example, &answers, status, error);
  }
  serve_answers_free(&answers);
  if (status != SCANT_OK) return status;
  SCANT_TRY(scant_study_find_imported(call->study, example, &imported, error));
  return imported ? answer_imported(call, imported, error) : serve_answer_order(call, error);
}
