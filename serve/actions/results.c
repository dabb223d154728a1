/* What was learned: risks, weights, predictions, and what is to come. */
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "actions/actions.h"

/* Draws of a forecast, each of which thinks of a whole order. */
enum { POINTS = 20, POINTS_MOST = 100, DRAWS = 1000, DRAWS_MOST = 10000, FORECAST_MOST = 1000000 };
static const double usual_level = 0.9;

static scant_status check_level(double level, scant_error *error) {
  if (level > 0 && level < 1) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "'level' is a probability between 0 and 1, not %.15g", level);
}

scant_status serve_get_risks(serve_call *call, scant_error *error) {
  scant_study_risk risks[POINTS_MOST];
  uint64_t most;
  size_t count;
  SCANT_TRY(serve_query_count(call, "points", 1, POINTS_MOST, POINTS, &most, error));
  SCANT_TRY(scant_study_get_risks(call->study, (size_t)most, risks, &count, error));
  study_json_risks(&call->out, NULL, risks, count);
  return SCANT_OK;
}

scant_status serve_get_model(serve_call *call, scant_error *error) {
  int errors;
  double level;
  scant_model *model = NULL;
  scant_study_status standing;
  SCANT_TRY(serve_query_flag(call, "errors", 0, &errors, error));
  SCANT_TRY(serve_query_real(call, "level", usual_level, &level, error));
  SCANT_TRY(check_level(level, error));
  SCANT_TRY(scant_study_get_status(call->study, &standing, error));
  SCANT_TRY(errors ? scant_study_model_errors(call->study, NULL, &model, error)
                   : scant_study_model(call->study, &model, error));
  json_open(&call->out, NULL, '{');
  study_json_model(&call->out, call->study, model, &standing, level);
  json_close(&call->out);
  scant_model_free(model);
  return SCANT_OK;
}

/* ---- the outlook ----------------------------------------------------------------- */

enum { OUTLOOK_SECONDS = 120 };

/* How long simulated studies may take, and why they ended. */
typedef struct {
  const serve_call *call;
  struct timespec begun;
  int is_late;
} patience;

static int has_to_end(void *user, double share) {
  patience *p = user;
  struct timespec now;
  (void)share;
  clock_gettime(CLOCK_MONOTONIC, &now);
  p->is_late = now.tv_sec - p->begun.tv_sec >= OUTLOOK_SECONDS;
  return p->is_late || serve_is_stopping(p->call);
}

scant_status serve_get_outlook(serve_call *call, scant_error *error) {
  patience p = {.call = call};
  scant_study_outlook outlook;
  double wanted;
  if (!serve_query(call, "error"))
    return scant_fail(error, SCANT_USAGE, "'error' is missing: the squared error wanted");
  SCANT_TRY(serve_query_real(call, "error", 0, &wanted, error));
  clock_gettime(CLOCK_MONOTONIC, &p.begun);
  scant_status status = scant_study_foresee(call->study, wanted, 1, has_to_end, &p, &outlook, error);
  if (status == SCANT_STOPPED && p.is_late)
    return serve_refuse(call, 503, "too_long", error,
                        "the outlook would take more than %d seconds: 'scant study status --until-error' on a copy of "
                        "the study takes as long as it needs",
                        OUTLOOK_SECONDS);
  if (status == SCANT_STOPPED)
    return serve_refuse(call, 503, "stopping", error, "the service is ending, so the outlook was given up");
  if (status != SCANT_OK) return status;
  json_open(&call->out, NULL, '{');
  study_json_outlook(&call->out, &outlook);
  json_close(&call->out);
  return SCANT_OK;
}

/* ---- before anything is ordered --------------------------------------------------- */

scant_status serve_get_forecast(serve_call *call, scant_error *error) {
  uint64_t count, draws;
  SCANT_TRY(serve_query_count(call, "count", 1, FORECAST_MOST, 1, &count, error));
  SCANT_TRY(serve_query_count(call, "draws", 1, DRAWS_MOST, DRAWS, &draws, error));
  double *chance = scant_array(scant_study_dimension(call->study), sizeof *chance);
  if (!chance) return scant_fail_memory(error);
  study_forecast forecast = {.examples = (size_t)count, .fresh = (size_t)count, .chance = chance};
  scant_status status = scant_study_preview(call->study, draws, &forecast.f, chance, error);
  if (status == SCANT_OK) {
    json_open(&call->out, NULL, '{');
    study_json_forecast(&call->out, call->study, &forecast);
    json_close(&call->out);
  }
  free(chance);
  return status;
}

/* ---- predictions ------------------------------------------------------------------- */

scant_status serve_predict(serve_call *call, scant_error *error) {
  serve_answers answers = {0};
  scant_prediction prediction;
  double level = usual_level;
  size_t node = serve_body(call, "level");
  SCANT_TRY(serve_check_members(call, 0, "answers level", error));
  if (node != SCANT_JSON_NONE) SCANT_TRY(serve_number(call, node, "level", &level, error));
  SCANT_TRY(check_level(level, error));
  scant_status status = serve_answers_read(call, serve_body(call, "answers"), &answers, error);
  if (status == SCANT_OK)
    status = scant_study_predict(call->study, answers.list, answers.count, level, &prediction, error);
  serve_answers_free(&answers);
  if (status != SCANT_OK) return status;
  json_open(&call->out, NULL, '{');
  study_json_prediction(&call->out, &prediction, level);
  json_close(&call->out);
  return SCANT_OK;
}
