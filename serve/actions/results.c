/* What a study is about and how it stands; what was learned: risks, weights, predictions, and what is to come. */
#include <stdlib.h>

#include "scant_base.h"
#include "actions/action.h"

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
  scant_study_json_risks(&call->out, NULL, risks, count);
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
  scant_study_json_model(&call->out, call->study, model, &standing, level);
  scant_model_free(model);
  return SCANT_OK;
}

/* ---- the outlook ----------------------------------------------------------------- */

enum { OUTLOOK_SECONDS = 120 };

/* How long simulated studies may take, and why they ended. */
typedef struct {
  const serve_call *call;
  double begun;
  int is_late;
} patience;

static int has_to_end(void *user, double share) {
  patience *p = user;
  (void)share;
  p->is_late = serve_time(p->call) - p->begun >= OUTLOOK_SECONDS;
  return p->is_late || serve_is_stopping(p->call);
}

scant_status serve_get_outlook(serve_call *call, scant_error *error) {
  patience p = {.call = call, .begun = serve_time(call)};
  scant_study_outlook outlook;
  double wanted;
  if (!serve_query(call, "error"))
    return scant_fail(error, SCANT_USAGE, "'error' is missing: the squared error wanted");
  SCANT_TRY(serve_query_real(call, "error", 0, &wanted, error));
  scant_status status = scant_study_foresee(call->study, wanted, 1, has_to_end, &p, &outlook, error);
  if (status == SCANT_STOPPED && p.is_late)
    return serve_refuse(call, 503, "too_long", error,
                        "the outlook would take more than %d seconds: 'scant study status --until-error' on a copy of "
                        "the study takes as long as it needs",
                        OUTLOOK_SECONDS);
  if (status == SCANT_STOPPED)
    return serve_refuse(call, 503, "stopping", error, "the service is ending, so the outlook was given up");
  if (status != SCANT_OK) return status;
  scant_study_json_outlook(&call->out, &outlook);
  return SCANT_OK;
}

/* ---- before anything is ordered --------------------------------------------------- */

scant_status serve_get_forecast(serve_call *call, scant_error *error) {
  uint64_t count, draws;
  SCANT_TRY(serve_query_count(call, "count", 1, FORECAST_MOST, 1, &count, error));
  SCANT_TRY(serve_query_count(call, "draws", 1, DRAWS_MOST, DRAWS, &draws, error));
  double *chance = scant_array(scant_study_dimension(call->study), sizeof *chance);
  if (!chance) return scant_fail_memory(error);
  scant_study_ask_forecast forecast = {.examples = (size_t)count, .fresh = (size_t)count, .chance = chance};
  scant_status status = scant_study_preview(call->study, draws, &forecast.f, chance, error);
  if (status == SCANT_OK) scant_study_json_forecast(&call->out, call->study, &forecast);
  free(chance);
  return status;
}

/* ---- predictions ------------------------------------------------------------------- */

scant_status serve_predict(serve_call *call, scant_error *error) {
  const serve_answers *told = &call->answers;
  scant_prediction prediction;
  double level = usual_level;
  size_t node = serve_body(call, "level");
  SCANT_TRY(serve_check_members(call, 0, "answers level", error));
  if (node != SCANT_JSON_NONE) SCANT_TRY(serve_number(call, node, "level", &level, error));
  SCANT_TRY(check_level(level, error));
  SCANT_TRY(serve_answers_read(call, serve_body(call, "answers"), error));
  SCANT_TRY(scant_study_predict(call->study, told->list, told->count, level, &prediction, error));
  scant_study_json_prediction(&call->out, &prediction, level);
  return SCANT_OK;
}

/* ---- the study itself ------------------------------------------------------------ */

scant_status serve_get_study(serve_call *call, scant_error *error) {
  char tag[SERVE_TAG_LENGTH];
  scant_study_status t;
  scant_json_writer *out = &call->out;
  SCANT_TRY(scant_study_get_totals(call->study, &t, error));
  SCANT_TRY(serve_tag_terms(call->study, tag, error));
  scant_json_text(out, "name", call->study_name);
  scant_study_json_terms(out, call->study);
  scant_json_text(out, "terms_etag", tag);
  scant_json_count(out, "events", t.events);
  return SCANT_OK;
}

/* Open orders have names of examples, which who only reads does not see.  Without the risk it is quick: what is long,
 * or must be added up, is left out, too. */
scant_status serve_get_status(serve_call *call, scant_error *error) {
  scant_study_status t;
  int risk;
  scant_json_writer *out = &call->out;
  SCANT_TRY(serve_query_flag(call, "risk", 1, &risk, error));
  SCANT_TRY(risk ? scant_study_get_status(call->study, &t, error) : scant_study_get_counts(call->study, &t, error));
  scant_study_json_status(out, call->study, &t);
  if (risk) SCANT_TRY(scant_study_json_purchases(out, "attributes", call->study, error));
  if (risk && call->role > SCANT_ROLE_READ)
    SCANT_TRY(scant_study_json_open_orders(out, "open_orders", call->study, error));
  return SCANT_OK;
}

scant_status serve_get_purchases(serve_call *call, scant_error *error) {
  return scant_study_json_purchases(&call->out, NULL, call->study, error);
}
