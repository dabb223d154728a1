/* A finished model of what was learned from sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "sums/sums_fit.h"
#include "scant_engine.h"

/* ---- what predictions from a few attributes need ----------------------------------------- */

/* Nobody kept the targets, so who knows of two values says so. */
static void note_values(scant_gaussian *g, const double *two_values) {
  if (!two_values) return;
  g->two_valued = 1;
  g->values[0] = two_values[0];
  g->values[1] = two_values[1];
}

/* There are no rows for a table of residuals: their shape is the normal's. */
static scant_status make_gaussian(const scant_sums_fit *f, const double *two_values, scant_model_parts *parts,
                                  double *means, scant_error *error) {
  const scant_marginal *y = scant_sums_fit_target(f);
  if (!f->is_gaussian || !(y->spread > 0)) return SCANT_OK;
  if (f->learned) {
    SCANT_TRY(scant_gaussian_of_fit(&parts->gaussian, &f->gaussian, error));
    scant_gaussian_fit_means(&f->gaussian, means);
  } else { /* nothing but the target itself */
    SCANT_TRY(scant_gaussian_new(&parts->gaussian, 0, 0, error));
    parts->gaussian->mean[0] = y->mean;
    parts->gaussian->covariance[0] = y->spread / (double)y->known;
  }
  note_values(parts->gaussian, two_values);
  return SCANT_OK;
}

/* ---- the model --------------------------------------------------------------------------------- */

static scant_status check_terms(const scant_sums_fit *f, const scant_sums_terms *t, scant_error *error) {
  double clip = f->settings.learning.clip;
  if (!t->ledger) return scant_fail(error, SCANT_MISUSE, "a model needs a ledger");
  if (!t->low != !t->high) return scant_fail(error, SCANT_MISUSE, "limits are low and high");
  if ((clip > 0) != (t->low != NULL))
    return scant_fail(error, SCANT_MISUSE, "with clip %g a model has %s limits", clip, clip > 0 ? "its" : "no");
  if (t->two_values && !(t->two_values[0] < t->two_values[1] && isfinite(t->two_values[1] - t->two_values[0])))
    return scant_fail(error, SCANT_MISUSE, "the two values of a target must ascend");
  if (t->prices && t->prices->dimension != f->dimension)
    return scant_fail(error, SCANT_MISUSE, "there are prices of %zu attributes, not of %zu", t->prices->dimension,
                      f->dimension);
  return SCANT_OK;
}

static scant_status make(const scant_sums_fit *f, const scant_sums_terms *t, double *w, double *means,
                         uint64_t *purchases, scant_model **model, scant_error *error) {
  scant_settings settings = f->settings;
  scant_learner_facts facts;
  settings.reading.classes = f->classes;
  scant_sums_fit_facts(f, &facts);
  scant_model_parts parts = {.dimension = f->dimension,
                             .weights = w,
                             .names = t->names,
                             .target = t->target,
                             .settings = &settings,
                             .ledger = t->ledger,
                             .purchases = t->purchases ? t->purchases : purchases,
                             .prices = t->prices,
                             .means = means,
                             .low = t->low,
                             .high = t->high,
                             .penalty = facts.penalty};
  scant_sums_fit_weights(f, w, &parts.intercept);
  for (size_t j = 0; j < f->dimension; j++) {
    means[j] = f->known.marginals[j].mean;
    purchases[j] = f->known.marginals[j].bought;
  }
  SCANT_TRY(make_gaussian(f, t->two_values, &parts, means, error));
  return scant_model_make(model, &parts, error);
}

scant_status scant_sums_fit_model(const scant_sums_fit *fit, const scant_sums_terms *terms, scant_model **model,
                                  scant_error *error) {
  SCANT_TRY(check_terms(fit, terms, error));
  size_t d = fit->dimension;
  double *w = scant_array(2 * d, sizeof *w);
  uint64_t *purchases = scant_array(d, sizeof *purchases);
  scant_status status = w && purchases ? make(fit, terms, w, w + d, purchases, model, error) : scant_fail_memory(error);
  free(w);
  free(purchases);
  return status;
}
