/* A finished model of what was learned from sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "sums/sums_fit.h"
#include "model/model.h"
#include "price/prices.h"

/* ---- what predictions from a few attributes need ----------------------------------------- */

/* Nobody kept the targets, so who knows of two values says so. */
static void note_values(scant_gaussian *g, const double *two_values) {
  if (!two_values) return;
  g->two_valued = 1;
  g->values[0] = two_values[0];
  g->values[1] = two_values[1];
}

/* There are no rows for a table of residuals: their shape is the normal's. */
static scant_status keep_gaussian(const scant_sums_fit *f, const double *two_values, scant_model *m,
                                  scant_error *error) {
  const scant_marginal *y = scant_sums_fit_target(f);
  if (!f->is_gaussian || !(y->spread > 0)) return SCANT_OK;
  if (f->learned) {
    SCANT_TRY(scant_gaussian_of_fit(&m->gaussian, &f->gaussian, error));
    scant_gaussian_fit_means(&f->gaussian, m->means);
  } else { /* nothing but the target itself */
    SCANT_TRY(scant_gaussian_new(&m->gaussian, 0, 0, error));
    m->gaussian->mean[0] = y->mean;
    m->gaussian->covariance[0] = y->spread / (double)y->known;
  }
  note_values(m->gaussian, two_values);
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

static scant_status keep_limits(const scant_sums_terms *t, scant_model *m, scant_error *error) {
  if (!t->low) return SCANT_OK;
  SCANT_TRY(scant_model_new_limits(m, error));
  memcpy(m->low, t->low, m->dimension * sizeof *m->low);
  memcpy(m->high, t->high, m->dimension * sizeof *m->high);
  return SCANT_OK;
}

static scant_status fill(const scant_sums_fit *f, const scant_sums_terms *t, scant_model *m, scant_error *error) {
  scant_settings settings = f->settings;
  scant_learner_facts facts;
  settings.reading.classes = f->classes;
  scant_sums_fit_facts(f, &facts);
  scant_sums_fit_weights(f, m->weights, &m->intercept);
  m->penalty = facts.penalty;
  m->ledger = *t->ledger;
  for (size_t j = 0; j < m->dimension; j++) {
    m->means[j] = f->known.marginals[j].mean;
    m->purchases[j] = t->purchases ? t->purchases[j] : f->known.marginals[j].bought;
  }
  if (t->prices && !(m->prices = scant_prices_copy(t->prices))) return scant_fail_memory(error);
  SCANT_TRY(scant_model_set_settings(m, &settings, error));
  SCANT_TRY(scant_model_set_names(m, t->names, t->target, error));
  SCANT_TRY(keep_limits(t, m, error));
  return keep_gaussian(f, t->two_values, m, error);
}

scant_status scant_sums_fit_model(const scant_sums_fit *fit, const scant_sums_terms *terms, scant_model **model,
                                  scant_error *error) {
  scant_model *m;
  SCANT_TRY(check_terms(fit, terms, error));
  SCANT_TRY(scant_model_new(&m, fit->dimension, error));
  scant_status status = fill(fit, terms, m, error);
  if (status == SCANT_OK)
    *model = m;
  else
    scant_model_free(m);
  return status;
}
