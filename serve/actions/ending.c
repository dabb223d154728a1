/* Orders that end, or go on; and examples that are erased. */
#include <string.h>

#include "base/error.h"
#include "actions/actions.h"

static scant_status read_how(serve_call *call, scant_study_end *how, scant_error *error) {
  static const char *const words[] = {
      [SCANT_END_CANCEL] = "cancel", [SCANT_END_EXPIRE] = "expire", [SCANT_END_FAIL] = "fail"};
  const char *word;
  SCANT_TRY(serve_need_text(call, "how", &word, error));
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    *how = (scant_study_end)i;
    if (!strcmp(word, words[i])) return SCANT_OK;
  }
  return scant_fail(error, SCANT_USAGE, "'how' is cancel, expire or fail, not '%.60s'", word);
}

scant_status serve_end(serve_call *call, scant_error *error) {
  scant_study_end how;
  const char *reason;
  SCANT_TRY(serve_check_members(call, 0, "how reason", error));
  SCANT_TRY(read_how(call, &how, error));
  SCANT_TRY(serve_body_text(call, "reason", &reason, error));
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_end_order(call->study, serve_argument(call, 1), how, reason, error));
  return serve_answer_order(call, error);
}

scant_status serve_reopen(serve_call *call, scant_error *error) {
  const char *reason;
  SCANT_TRY(serve_check_members(call, 0, "reason", error));
  SCANT_TRY(serve_need_text(call, "reason", &reason, error));
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_reopen(call->study, serve_argument(call, 1), reason, error));
  return serve_answer_order(call, error);
}

/* ---- erasing -------------------------------------------------------------------------- */

static void put_traces(serve_call *call, const scant_study_traces *traces) {
  json_open(&call->out, NULL, '{');
  study_json_traces(&call->out, traces);
  json_close(&call->out);
}

scant_status serve_get_traces(serve_call *call, scant_error *error) {
  scant_study_traces traces;
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_find_traces(call->study, serve_argument(call, 1), &traces, error));
  put_traces(call, &traces);
  return SCANT_OK;
}

/* Who reads meanwhile may be in the way of the sweep.  Then it is done later: workers.c. */
scant_status serve_erase(serve_call *call, scant_error *error) {
  scant_study_traces traces;
  const char *reason;
  SCANT_TRY(serve_check_members(call, 0, "reason", error));
  SCANT_TRY(serve_need_text(call, "reason", &reason, error));
  SCANT_TRY(serve_need_example(call, error));
  SCANT_TRY(scant_study_erase(call->study, serve_argument(call, 1), reason, &traces, error));
  put_traces(call, &traces);
  return SCANT_OK;
}
