/* Errors of the regressor: for each group of examples an EM without its answers, and one with all of them twice. Groups
 * are of whole blocks: what the examples of a block share would else be in both.
 *
 * Leaving a group out changes the regressor by terms of first and second order, L + Q; counting it twice by about
 * -L + Q.  The jackknife by leaving out estimates var(L) + 2 var(Q), where var(L) + var(Q) is wanted, and with few
 * pairs per parameter Q is large: errors came out a quarter too large with 300 examples, and still with 1,000 of 50
 * attributes. Half of the difference is L alone, and comes nearest in all settings of lab/bench/errors.
 *
 * Limits, units, the weight of the prior and the penalty stay those of the fit, and each EM starts where that of the
 * fit ended.  So it has a short way, and one that would end as soon as the fit looks settled would stay where it began:
 * errors would come out too small.  Hence it goes on for longer than the fit itself, in steps of the same kind. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "blas.h"
#include "gaussian/gaussian.h"

enum { AT_ONCE_MOST = 6 }; /* for as many threads BLAS has buffers */

static const scant_em_options to_leave_out = {.steps = 150, .settled = 1e-6};

typedef struct {
  const scant_engine_view *learner;
  const scant_gaussian_fit *fit;
  scant_em_options options;
  double *w; /* of each job: of all attributes, then the intercept */
} leaving;

/* The regressor of a distribution as that of the fit is made. */
static scant_status regress(leaving *v, const scant_normal *normal, size_t job, scant_error *error) {
  const scant_gaussian_fit *f = v->fit;
  size_t d = v->learner->dimension;
  double *w = scant_array(normal->n, sizeof *w), *out = v->w + job * (d + 1);
  if (!w) return scant_fail_memory(error);
  scant_status status = scant_gaussian_regress(normal, &f->frame, f->choice.penalty, f->choice.scale, w, error);
  if (status == SCANT_OK) scant_gaussian_unstandardise(f, normal, w, out, &out[d]);
  free(w);
  return status;
}

/* Jobs from SCANT_ERROR_GROUPS on count their group twice. */
static scant_status leave_out(void *user, size_t job, scant_error *error) {
  leaving *v = user;
  size_t group = job % SCANT_ERROR_GROUPS, times = job < SCANT_ERROR_GROUPS ? 0 : 2;
  scant_seen seen = {0};
  scant_normal normal = {0};
  scant_thinking *thinking = v->options.thinking;
  scant_thinking_group(thinking, (unsigned)job / 2 + 1, SCANT_ERROR_GROUPS);
  int good =
      scant_normal_new(&normal, v->fit->normal.n) &&
      scant_seen_times(&seen, &scant_gaussian_of(v->learner)->looks, &v->fit->frame, SCANT_ERROR_GROUPS, group, times);
  scant_status status = good ? SCANT_OK : scant_fail_memory(error);
  if (good) scant_normal_copy(&normal, &v->fit->normal);
  if (good && !scant_thinking_stopped(thinking))
    status = scant_em_run(&seen, &v->options, &normal, NULL, NULL, NULL, error);
  if (status == SCANT_OK && scant_thinking_stopped(thinking))
    status = scant_fail(error, SCANT_STOPPED, "stopped while errors were made");
  if (status == SCANT_OK) status = regress(v, &normal, job, error);
  scant_seen_free(&seen);
  scant_normal_free(&normal);
  return status;
}

uint64_t scant_gaussian_jobs(const scant_engine_view *l, const scant_gaussian_fit *f) {
  double n = (double)f->normal.n, most = 0;
  const scant_answers *looks = &scant_gaussian_of(l)->looks;
  for (size_t e = 0; e < looks->examples; e++) most = fmax(most, looks->size[e]);
  double each =
      scant_em_bytes(n, most + 1) + 2 * 8 * n * n + 12 * (double)looks->first[looks->examples] +
      scant_seen_sums_bytes((double)looks->examples, (double)looks->examples / (double)scant_answers_blocks(looks),
                            (double)looks->first[looks->examples] / (double)looks->examples + 1);
  double room = l->settings->runtime.memory * 0x1p30 / each;
  return (uint64_t)fmax(fmin(fmin(room, (double)l->settings->runtime.threads), AT_ONCE_MOST), 1);
}

/* Half of what leaving each group out and counting it twice changes.  Of a mean, (G + 1)/G times half of the difference
 * is what leaving out changes. */
static void add_groups(const leaving *v, scant_jackknife *jackknife) {
  size_t d = v->learner->dimension, n = d + 1;
  double *w = v->w + 2 * SCANT_ERROR_GROUPS * n, groups = SCANT_ERROR_GROUPS, half = (groups + 1) / groups / 2;
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) {
    const double *without = v->w + g * n, *twice = without + SCANT_ERROR_GROUPS * n;
    for (size_t i = 0; i < n; i++) w[i] = half * (without[i] - twice[i]);
    scant_jackknife_add(jackknife, w, w[d], NAN);
  }
}

scant_status scant_gaussian_row_errors(scant_engine_view *l, scant_jackknife *jackknife, scant_pair_counts *pairs,
                                       scant_error *error) {
  SCANT_TRY(scant_gaussian_engine.finish(l, error));
  scant_gaussian_state *s = scant_gaussian_of(l);
  const scant_answers *looks = &s->looks;
  if (!scant_gaussian_has_fit(l))
    return scant_fail(error, SCANT_DATA, "the target never varied, so there are no errors");
  if (!s->fit.read || s->fit.cut || s->fitted_at != l->told + 1)
    return scant_fail(error, SCANT_STOPPED, "the regressor was cut short, so there are no errors");
  scant_thinking thinking;
  leaving v = {.learner = l, .fit = &s->fit, .options = to_leave_out};
  v.w = scant_array((2 * SCANT_ERROR_GROUPS + 1) * (l->dimension + 1), sizeof *v.w);
  if (!v.w) return scant_fail_memory(error);
  v.options.threads = 1;
  v.options.noise = s->fit.choice.noise;
  v.options.thinking = &thinking;
  uint64_t at_once = scant_gaussian_jobs(l, &s->fit);
  scant_thinking_begin(&thinking, &l->settings->runtime, scant_gaussian_engine.algorithm, 1);
  scant_status status = scant_blas_begin(at_once, error);
  if (status == SCANT_OK) {
    status = scant_blas_jobs(2 * SCANT_ERROR_GROUPS, at_once, leave_out, &v, error);
    scant_blas_end(at_once);
  }
  scant_thinking_end(&thinking);
  if (status == SCANT_OK) add_groups(&v, jackknife);
  for (size_t e = 0; status == SCANT_OK && e < looks->examples; e++)
    scant_pair_counts_add(pairs, looks->size[e], looks->attribute + looks->first[e], looks->value + looks->first[e]);
  free(v.w);
  return status;
}
