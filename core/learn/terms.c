/* Settings resolved for data. */
#include "learn/terms.h"

#include <math.h>

#include "scant_base.h"
#include "scant_engine.h"
#include "learn/resolve.h"
#include "price/prices.h"

/* ---- K ---------------------------------------------------------------------- */

/* Makes K of an algorithm that looks at everything d; SCANT_DATA if K does not suit the dimension. */
static scant_status fit_k(scant_terms *t, scant_error *error) {
  scant_learning *s = &t->settings.learning;
  const scant_algorithm *words = &t->parts->words;
  int whole = t->looks->whole;
  size_t d = t->dimension;
  if (!s->k && (whole || s->spend > 0)) s->k = d;
  if (s->k > d)
    return scant_fail(error, SCANT_DATA, "k = %llu is more than the %zu attributes of an example",
                      (unsigned long long)s->k, d);
  uint64_t visit = scant_settings_k_visit(&t->settings);
  if (!whole && visit < 2) /* with spend alone, K is known only now */
    return scant_fail(error, SCANT_DATA, "with %zu attributes and %llu passes a visit has fewer than 2 looks", d,
                      (unsigned long long)s->passes);
  if (!whole && visit < words->least_k && visit < d) /* all of them are exact */
    return scant_fail(error, SCANT_DATA,
                      "%s needs at least %u attributes per visit, or all of them, and there are %llu", words->name,
                      words->least_k, (unsigned long long)visit);
  if (whole && s->k != d)
    return scant_fail(error, SCANT_DATA, "%s looks at all %zu attributes, so k can't be %llu",
                      s->observed ? "observed" : words->name, d, (unsigned long long)s->k);
  return SCANT_OK;
}

/* Prices steer the looks of some kinds.  Looks of the other kinds meet all attributes about equally often. */
double scant_terms_visit_looks(const scant_terms *terms, const scant_prices *prices) {
  const scant_settings *s = &terms->settings;
  return prices && terms->looks->price ? scant_thrift_visit_looks(prices, s)
                                       : terms->looks->purchases(s, terms->dimension);
}

double scant_terms_visit_price(const scant_terms *terms, const scant_prices *prices, uint64_t horizon) {
  const scant_settings *s = &terms->settings;
  size_t d = prices->dimension;
  if (terms->looks->price) return scant_thrift_visit_price(prices, s, horizon);
  return (double)prices->total * fmin(1, terms->looks->purchases(s, d) / (double)d);
}

/* ---- the horizon -------------------------------------------------------------- */

static void shorten(uint64_t *horizon, double examples) {
  if (examples < (double)*horizon) *horizon = examples < 1 ? 1 : (uint64_t)examples;
}

/* How many examples the budgets pay for; the step size depends on how soon the money ends. */
static uint64_t find_horizon(const scant_terms *t, const scant_extent *extent) {
  const scant_run *run = &t->settings.run;
  uint64_t horizon = extent->examples;
  if (!extent->limited) return horizon;
  double looks = scant_terms_visit_looks(t, extent->prices);
  if (horizon && run->budget && looks > 0) shorten(&horizon, ceil((double)run->budget / looks));
  if (horizon && extent->prices && run->budget_cost > 0)
    shorten(&horizon, ceil(100 * run->budget_cost / scant_terms_visit_price(t, extent->prices, horizon)));
  return horizon;
}

/* ---- all together ------------------------------------------------------------- */

static void take_parts(scant_terms *t) {
  t->parts = scant_parts_find(t->settings.learning.algorithm);
  t->settings.learning.algorithm = t->parts->words.name;
  t->looks = scant_parts_looks(&t->settings);
}

/* How many examples a budget pays for depends on the algorithm, so the settings are tried with the dense one first. */
static scant_status choose_algorithm(scant_terms *t, const scant_extent *extent, scant_error *error) {
  if (!scant_settings_is_default(&t->settings)) return SCANT_OK;
  SCANT_TRY(scant_settings_check_either(&t->settings, error));
  scant_terms supposed = *t;
  uint64_t examples = extent->examples;
  supposed.settings.learning.algorithm = scant_default_algorithm(SCANT_DEFAULT_DENSE)->name;
  take_parts(&supposed);
  if (extent->limited) {
    SCANT_TRY(fit_k(&supposed, error));
    examples = find_horizon(&supposed, extent);
  }
  scant_settings_choose(&t->settings, t->dimension, examples, extent->prices, &t->choice);
  return SCANT_OK;
}

scant_status scant_terms_make(scant_terms *terms, const scant_settings *settings, const scant_extent *extent,
                              scant_error *error) {
  scant_terms t = {.settings = *settings, .dimension = extent->dimension};
  SCANT_TRY(choose_algorithm(&t, extent, error));
  SCANT_TRY(scant_settings_resolve(&t.settings, error));
  take_parts(&t);
  SCANT_TRY(fit_k(&t, error));
  t.horizon = find_horizon(&t, extent);
  *terms = t;
  return SCANT_OK;
}

scant_status scant_terms_recall(scant_terms *terms, const scant_settings *resolved, const scant_extent *extent,
                                scant_error *error) {
  scant_terms t = {.settings = *resolved, .dimension = extent->dimension};
  take_parts(&t);
  SCANT_TRY(scant_settings_choose_errors(&t.settings, t.parts, error));
  SCANT_TRY(fit_k(&t, error));
  t.horizon = find_horizon(&t, extent);
  *terms = t;
  return SCANT_OK;
}

scant_status scant_settings_resolve_for(scant_settings *settings, size_t dimension, scant_error *error) {
  scant_terms terms;
  SCANT_TRY(scant_terms_make(&terms, settings, &(scant_extent){.dimension = dimension}, error));
  *settings = terms.settings;
  return SCANT_OK;
}
