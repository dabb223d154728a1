/* Learning from sums: moments, what was learned, and a model of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "blas.h"
#include "gaussian/select.h"
#include "sums/sums_fit.h"

#define EXAMPLES_FEWEST 10

void scant_sums_fit_free(scant_sums_fit *fit) {
  if (!fit) return;
  scant_reply_free(&fit->known);
  scant_gaussian_fit_free(&fit->gaussian);
  scant_arrays_free(&fit->arrays);
  free(fit);
}

/* ---- moments: the pairs of each fold by asking, then the solver of dense/moments ------------------------ */

/* Half of the law of moments explores, and a fifth of a look already does (gaussian/select.h): so the rest of that half
 * is in what is followed. */
static void mix_law(scant_sums_fit *f) {
  double sum = 0, share = 0.5 / (1 - SCANT_EXPLORED);
  for (size_t j = 0; j < f->dimension; j++) sum += f->follow[j];
  for (size_t j = 0; sum > 0 && j < f->dimension; j++)
    f->follow[j] = share * f->follow[j] + (1 - share) * f->explore[j];
}

static scant_status solve_moments(scant_sums_work *w, double *origin, scant_reply *pairs, scant_error *error) {
  scant_sums_fit *f = w->fit;
  double y_origin = scant_sums_fit_target(f)->mean;
  for (size_t j = 0; j < f->dimension; j++) origin[j] = f->known.marginals[j].mean;
  scant_request request = {
      .kind = SCANT_REQUEST_PAIRS, .dimension = f->dimension, .origin = origin, .origin_y = y_origin};
  SCANT_TRY(scant_sums_ask(w->asker, &request, f->known.examples, pairs, error));
  if (scant_thinking_step(&w->thinking, 1)) return SCANT_OK;
  scant_moments_sums sums = {.dimension = f->dimension,
                             .fold = pairs->folds,
                             .origin = origin,
                             .y_origin = y_origin,
                             .attributes = f->known.marginals,
                             .rows_per_block = (double)f->known.examples / (double)f->known.blocks};
  SCANT_TRY(scant_moments_from_pairs(&sums, &f->settings, &f->moments, f->follow, f->explore, error));
  f->learned = 1;
  mix_law(f);
  return SCANT_OK;
}

static scant_status learn_moments(scant_sums_work *w, scant_error *error) {
  scant_reply pairs = {0};
  double *origin = scant_array(w->fit->dimension, sizeof *origin);
  scant_status status = origin ? solve_moments(w, origin, &pairs, error) : scant_fail_memory(error);
  scant_reply_free(&pairs);
  free(origin);
  return status;
}

/* ---- before anything large -------------------------------------------------------- */

static scant_status check_memory(const scant_settings *settings, size_t d, int is_gaussian, scant_error *error) {
  const char *name = settings->learning.algorithm;
  double n = (double)d, gib = scant_sums_gaussian_bytes(n) / 0x1p30;
  if (!is_gaussian) /* the folds of two replies while they merge, and what a solution takes on each thread */
    gib = (2 * SCANT_MOMENTS_FOLDS * scant_pairs_bytes(d) + 4 * 8 * n * n * (double)settings->runtime.threads) / 0x1p30;
  if (gib > settings->runtime.memory)
    return scant_fail(error, SCANT_DATA,
                      "%s needs %.3g GiB for the pairs of %zu attributes where it learns from sums, and option memory "
                      "allows %g: give more, or take fewer attributes",
                      name, gib, d, settings->runtime.memory);
  if (d > SCANT_LAPACK_MOST)
    return scant_fail(error, SCANT_DATA, "%s takes at most %d attributes", name, SCANT_LAPACK_MOST);
  return SCANT_OK;
}

static scant_status resolve(scant_settings *settings, size_t d, scant_error *error) {
  const char *name = settings->learning.algorithm;
  const scant_algorithm *algorithm = scant_algorithm_find(name);
  if (!algorithm || !algorithm->sums)
    return scant_fail(error, SCANT_USAGE, "%s does not learn from sums: gaussian and moments do", name);
  if (settings->learning.errors_of)
    return scant_fail(error, SCANT_USAGE, "errors-of needs the examples themselves, and sums have none");
  if (!d) return scant_fail(error, SCANT_DATA, "there are no attributes to learn from");
  return scant_settings_resolve_for(settings, d, error);
}

static scant_status fit_new(scant_sums_fit **fit, const scant_settings *settings, size_t d, scant_error *error) {
  scant_sums_fit *f = scant_array(1, sizeof *f);
  if (!f) return scant_fail_memory(error);
  const char *classes = settings->reading.classes;
  f->settings = *settings;
  scant_settings_own(&f->settings);
  f->dimension = d;
  f->is_gaussian = scant_algorithm_find(settings->learning.algorithm)->joint;
  f->gaussian.choice = scant_choice_at_first;
  f->moments = (scant_moments_result){.penalty = NAN, .risk = NAN, .risk_error = NAN, .scale = 1};
  f->follow = scant_arrays_add(&f->arrays, d, sizeof *f->follow);
  f->explore = scant_arrays_add(&f->arrays, d, sizeof *f->explore);
  f->moments.w = scant_arrays_add(&f->arrays, f->is_gaussian ? 0 : d, sizeof *f->moments.w);
  if (classes) f->classes = scant_arrays_keep(&f->arrays, scant_copy_text(classes, strlen(classes)));
  if (f->arrays.failed) {
    scant_sums_fit_free(f);
    return scant_fail_memory(error);
  }
  *fit = f;
  return SCANT_OK;
}

/* ---- learning ------------------------------------------------------------------------ */

scant_status scant_sums_ask(const scant_asker *asker, const scant_request *request, uint64_t examples,
                            scant_reply *reply, scant_error *error) {
  SCANT_TRY(scant_asker_ask(asker, request, reply, error));
  if (reply->examples == examples) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the replies are of %llu examples, and were of %llu before",
                    (unsigned long long)reply->examples, (unsigned long long)examples);
}

static scant_status learn(scant_sums_work *w, scant_error *error) {
  scant_sums_fit *f = w->fit;
  scant_request request = {.kind = SCANT_REQUEST_MARGINALS, .dimension = f->dimension};
  SCANT_TRY(scant_asker_ask(w->asker, &request, &f->known, error));
  if (!f->known.blocks) return scant_fail(error, SCANT_DATA, "there are no blocks to learn from");
  for (size_t j = 0; j < f->dimension; j++) /* until something is learned the next looks go to all attributes */
    f->explore[j] = scant_marginal_curiosity(&f->known.marginals[j]);
  if (f->known.examples < EXAMPLES_FEWEST || !(scant_sums_fit_target(f)->spread > 0)) return SCANT_OK;
  return f->is_gaussian ? scant_sums_learn_gaussian(w, error) : learn_moments(w, error);
}

scant_status scant_sums_learn(scant_sums_fit **fit, const scant_settings *settings, size_t dimension,
                              const scant_asker *asker, int final, scant_error *error) {
  scant_settings resolved = *settings;
  scant_sums_work w = {.asker = asker, .final = final != 0};
  SCANT_TRY(resolve(&resolved, dimension, error));
  SCANT_TRY(check_memory(&resolved, dimension, scant_algorithm_find(resolved.learning.algorithm)->joint, error));
  SCANT_TRY(fit_new(&w.fit, &resolved, dimension, error));
  scant_thinking_begin(&w.thinking, &settings->runtime, w.fit->settings.learning.algorithm, w.final);
  scant_status status = scant_blas_begin(resolved.runtime.threads, error);
  if (status == SCANT_OK) {
    status = learn(&w, error);
    scant_blas_end(resolved.runtime.threads);
  }
  /* A regressor that was told to stop is the best so far; a law must not depend on when that was. */
  if (status == SCANT_OK && w.thinking.stopped && (!w.final || !w.fit->learned))
    status = scant_fail(error, SCANT_STOPPED, "stopped while it learned from sums");
  scant_thinking_end(&w.thinking);
  if (status == SCANT_OK)
    *fit = w.fit;
  else
    scant_sums_fit_free(w.fit);
  return status;
}

/* ---- what was learned -------------------------------------------------------------------- */

void scant_sums_fit_weights(const scant_sums_fit *fit, double *w, double *intercept) {
  memset(w, 0, fit->dimension * sizeof *w);
  *intercept = scant_sums_fit_target(fit)->mean;
  if (!fit->learned) return;
  if (fit->is_gaussian) {
    scant_gaussian_unstandardise(&fit->gaussian, &fit->gaussian.normal, fit->gaussian.w, w, intercept);
  } else {
    memcpy(w, fit->moments.w, fit->dimension * sizeof *w);
    *intercept = fit->moments.intercept;
  }
}

void scant_sums_fit_facts(const scant_sums_fit *fit, scant_learner_facts *facts) {
  const scant_marginal *y = scant_sums_fit_target(fit);
  *facts = (scant_learner_facts){.dimension = fit->dimension,
                                 .told = fit->known.examples,
                                 .k_gradient = fit->settings.learning.k,
                                 .eta = NAN,
                                 .penalty = NAN,
                                 .expected_draws = (double)fit->settings.learning.k,
                                 .risk = NAN,
                                 .risk_error = NAN,
                                 .scale = 1,
                                 .target_variance = y->known ? y->spread / (double)y->known : NAN,
                                 .likelihood = NAN,
                                 .certificate = {NAN, NAN, NAN, NAN}};
  if (!fit->learned) return;
  if (fit->is_gaussian) {
    scant_gaussian_fit_facts(&fit->gaussian, facts);
    return;
  }
  facts->penalty = fit->moments.penalty;
  facts->risk = fit->moments.risk;
  facts->risk_error = fit->moments.risk_error;
  facts->scale = fit->moments.scale;
}

void scant_sums_fit_law(const scant_sums_fit *fit, double *follow, double *explore) {
  memcpy(follow, fit->follow, fit->dimension * sizeof *follow);
  memcpy(explore, fit->explore, fit->dimension * sizeof *explore);
}

/* ---- a model of it: what predictions from a few attributes need, and the rest ----------------- */

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
  parts->gaussian->two_valued = two_values != NULL; /* sums do not keep the targets, so the caller says so */
  if (two_values) memcpy(parts->gaussian->values, two_values, sizeof parts->gaussian->values);
  return SCANT_OK;
}

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
