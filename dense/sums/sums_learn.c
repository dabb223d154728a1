#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "blas.h"
#include "sums/sums_fit.h"
#include "scant_engine.h"

/* LAPACK counts with 32 bits. */
#define DIMENSION_MOST 32000
#define EXAMPLES_FEWEST 10

void scant_sums_fit_free(scant_sums_fit *fit) {
  if (!fit) return;
  scant_reply_free(&fit->known);
  scant_gaussian_fit_free(&fit->gaussian);
  free(fit->moments.w);
  free(fit->classes);
  free(fit->follow);
  free(fit->explore);
  free(fit);
}

/* ---- before anything large -------------------------------------------------------- */

static scant_status check_memory(const scant_settings *settings, size_t d, int is_gaussian, scant_error *error) {
  const char *name = settings->learning.algorithm;
  double n = (double)d, threads = (double)settings->runtime.threads;
  double gib = (is_gaussian ? scant_sums_gaussian_bytes(n) : scant_sums_moments_bytes(n, threads)) / 0x1p30;
  if (gib > settings->runtime.memory)
    return scant_fail(error, SCANT_DATA,
                      "%s needs %.3g GiB for the pairs of %zu attributes where it learns from sums, and option memory "
                      "allows %g: give more, or take fewer attributes",
                      name, gib, d, settings->runtime.memory);
  if (d > DIMENSION_MOST) return scant_fail(error, SCANT_DATA, "%s takes at most %d attributes", name, DIMENSION_MOST);
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
  f->follow = scant_array(d, sizeof *f->follow);
  f->explore = scant_array(d, sizeof *f->explore);
  f->classes = classes ? scant_copy_text(classes, strlen(classes)) : NULL;
  if (!f->follow || !f->explore || (classes && !f->classes)) {
    scant_sums_fit_free(f);
    return scant_fail_memory(error);
  }
  *fit = f;
  return SCANT_OK;
}

/* ---- learning ------------------------------------------------------------------------ */

/* Until something is learned the next looks go to all attributes. */
static void explore_evenly(scant_sums_fit *f) {
  for (size_t j = 0; j < f->dimension; j++) f->explore[j] = scant_marginal_curiosity(&f->known.marginals[j]);
}

static scant_status work_on(void *user, scant_error *error) {
  scant_sums_work *w = user;
  scant_sums_fit *f = w->fit;
  scant_request request = {.kind = SCANT_REQUEST_MARGINALS, .dimension = f->dimension};
  SCANT_TRY(scant_asker_ask(w->asker, &request, &f->known, error));
  if (!f->known.blocks) return scant_fail(error, SCANT_DATA, "there are no blocks to learn from");
  explore_evenly(f);
  if (f->known.examples < EXAMPLES_FEWEST || !(scant_sums_fit_target(f)->spread > 0)) return SCANT_OK;
  return f->is_gaussian ? scant_sums_learn_gaussian(w, error) : scant_sums_learn_moments(w, error);
}

scant_status scant_sums_learn(scant_sums_fit **fit, const scant_settings *settings, size_t dimension,
                              const scant_asker *asker, int final, scant_error *error) {
  scant_settings resolved = *settings;
  scant_sums_work w = {.asker = asker, .final = final != 0};
  SCANT_TRY(resolve(&resolved, dimension, error));
  SCANT_TRY(check_memory(&resolved, dimension, scant_algorithm_find(resolved.learning.algorithm)->joint, error));
  SCANT_TRY(fit_new(&w.fit, &resolved, dimension, error));
  scant_thinking_begin(&w.thinking, &settings->runtime, w.fit->settings.learning.algorithm, w.final);
  scant_status status = scant_blas_with(resolved.runtime.threads, work_on, &w, error);
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
