/* How many examples a study takes until its error is as wanted: a plan with the study as its pilot. */
#include <math.h>

#include "base/error.h"
#include "study.h"

/* Of a study by money alone the money decides how many attributes an order has, up to all of them. */
static uint64_t find_k(const scant_study *s) {
  uint64_t k = s->settings.learning.k;
  return !k || k > s->dimension ? s->dimension : k;
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

scant_status scant_study_foresee(scant_study *study, double wanted, uint64_t threads, scant_study_progress *progress,
                                 void *user, scant_study_outlook *outlook, scant_error *error) {
  scant_study *s = study;
  scant_source *pilot = NULL;
  scant_prices *prices = NULL;
  *outlook = (scant_study_outlook){.error = wanted};
  if (!(wanted > 0) || isinf(wanted)) return scant_fail(error, SCANT_USAGE, "the wanted error must be above 0");
  SCANT_TRY(scant_study_examples(s, &pilot, &prices, error));
  outlook->k = find_k(s);
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
