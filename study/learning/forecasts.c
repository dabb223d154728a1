/* What the next orders may cost, and how many examples a study takes: both by simulation. */
#include "study.h"

/* Beyond the streams that follow from the number of an event. */
#define STREAM_PREVIEW (UINT64_C(1) << 50)
#define DRAWS_MOST 1000000

static void count(const scant_study *s, scant_study_forecast *f, double *chance) {
  study_totals price = study_price(s, STUDY_ALL);
  if (!f->draws || price.spent < f->least) f->least = price.spent;
  if (price.spent > f->most) f->most = price.spent;
  if (price.attributes > f->attributes_most) f->attributes_most = price.attributes;
  f->mean += (double)price.spent;
  f->attributes_mean += (double)price.attributes;
  for (size_t i = 0; chance && i < s->order.count; i++) chance[s->lines[i].attribute]++;
  f->draws++;
}

static scant_status draw(scant_study *s, scant_learner *copy, uint64_t draws, scant_study_forecast *f, double *chance,
                         scant_error *error) {
  scant_look *look;
  SCANT_TRY(scant_look_new(&look, copy, error));
  scant_status status = SCANT_OK;
  for (uint64_t i = 0; i < draws && status == SCANT_OK; i++) {
    status = scant_learner_ask(copy, look, error);
    if (status == SCANT_OK) status = study_make_lines(s, look, error);
    if (status == SCANT_OK) count(s, f, chance);
    if (status == SCANT_OK) status = scant_learner_cancel(copy, look, error);
  }
  scant_look_free(look);
  return status;
}

/* The copy draws from another stream, so that the looks to come stay unknown. */
static scant_status preview(scant_study *s, uint64_t draws, scant_study_forecast *f, double *chance,
                            scant_error *error) {
  char *text;
  size_t length;
  scant_learner *copy = NULL;
  SCANT_TRY(scant_learner_save(s->learner, &text, &length, error));
  scant_status status = scant_learner_load(&copy, text, length, &s->settings, error);
  scant_text_free(text);
  SCANT_TRY(status);
  scant_learner_reseed(copy, STREAM_PREVIEW + s->tip.sequence);
  status = draw(s, copy, draws, f, chance, error);
  scant_learner_free(copy);
  return status;
}

scant_status scant_study_preview(scant_study *s, uint64_t draws, scant_study_forecast *forecast, double *chance,
                                 scant_error *error) {
  *forecast = (scant_study_forecast){0};
  if (!draws || draws > DRAWS_MOST)
    return scant_fail(error, SCANT_USAGE, "a forecast takes from 1 to %d draws", DRAWS_MOST);
  for (size_t i = 0; chance && i < s->dimension; i++) chance[i] = 0;
  size_t dimension = s->dimension;
  SCANT_TRY(study_enter(s, error));
  if (chance && s->dimension != dimension)
    return study_leave(s,
                       scant_fail(error, SCANT_MISUSE, "attributes were added meanwhile: there are %zu", s->dimension));
  SCANT_TRY(study_leave(s, preview(s, draws, forecast, chance, error)));
  study_totals left = study_left(s);
  forecast->left = s->settings.run.budget_cost > 0 ? left.spent : UINT64_MAX;
  forecast->attributes_left = left.attributes;
  forecast->mean /= (double)draws;
  forecast->attributes_mean /= (double)draws;
  for (size_t i = 0; chance && i < s->dimension; i++) chance[i] /= (double)draws;
  return SCANT_OK;
}

static scant_status simulate(const scant_plan_request *request, scant_study_outlook *outlook, scant_error *error) {
  scant_plan *plan = NULL;
  scant_plan_entry entry;
  scant_plan_facts facts;
  scant_status status = scant_plan_new(&plan, request, error);
  if (status == SCANT_OK) status = scant_plan_run(plan, error);
  if (status == SCANT_OK) status = scant_plan_entry_at(plan, 0, &entry, error);
  if (status == SCANT_OK) {
    scant_plan_get_facts(plan, &facts);
    outlook->runs = facts.runs;
    outlook->reached = entry.reached;
    outlook->examples = entry.reached ? ceil(entry.reach_examples) : INFINITY;
    outlook->more = fmax(outlook->examples - (double)outlook->learned, 0);
  }
  scant_plan_free(plan);
  return status;
}

scant_status scant_study_foresee(scant_study *s, double wanted, uint64_t threads, scant_study_progress *progress,
                                 void *user, scant_study_outlook *outlook, scant_error *error) {
  scant_source *pilot = NULL;
  scant_prices *prices = NULL;
  *outlook = (scant_study_outlook){.error = wanted};
  if (!(wanted > 0) || isinf(wanted)) return scant_fail(error, SCANT_USAGE, "the wanted error must be above 0");
  SCANT_TRY(scant_study_examples(s, &pilot, &prices, error));
  outlook->k = s->settings.learning.k;
  if (!outlook->k || outlook->k > s->dimension) outlook->k = s->dimension; /* the money decides how many, up to all */
  outlook->learned = scant_source_rows(pilot);
  const scant_plan_request request = {.settings = &s->settings,
                                      .pilot = pilot,
                                      .prices = prices,
                                      .k = &outlook->k,
                                      .k_count = 1,
                                      .unit = prices ? SCANT_CURVE_MONEY : SCANT_CURVE_ATTRIBUTES,
                                      .reach = wanted,
                                      .seed = 1,
                                      .threads = threads ? threads : 1,
                                      .progress = progress,
                                      .user = user};
  scant_status status = simulate(&request, outlook, error);
  scant_source_free(pilot);
  scant_prices_free(prices);
  return status;
}
