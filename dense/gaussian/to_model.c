/* What a model keeps of the joint Gaussian, for predictions from a few attributes: the distribution in
 * original units, how much worse it predicts than its own variance says, and the shape of its errors. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "blas.h"
#include "gaussian/gaussian.h"

enum { QUANTILES = 200, RESIDUALS_MOST = 4000, RESIDUALS_FEWEST = 100 };
#define WORK_MOST 2e10 /* multiplications for residuals */

/* The kept variables: those whose scale is known.  Scale factor and penalty are part of their variances. */
typedef struct {
  const scant_gaussian_fit *fit;
  size_t count;
  size_t *place;  /* in the fit, of each kept variable; the target last */
  uint32_t *kept; /* of each variable of the fit: its place here, or SCANT_NO_VARIABLE */
  scant_arrays arrays;
} selection;

static double covariance(const selection *s, size_t i, size_t j) {
  const scant_gaussian_fit *f = s->fit;
  size_t a = s->place[i], b = s->place[j], n = f->normal.n;
  double c = f->normal.covariance[a * n + b];
  if (a == b) return a + 1 < n ? c * (f->frame.factor[a] + SCANT_PENALTY_OF_FEW) : c;
  return a + 1 < n && b + 1 < n ? c : f->choice.scale * c; /* what is no better than the mean is not used here either */
}

static int select_known(selection *s, const scant_gaussian_fit *f) {
  size_t n = f->normal.n;
  *s = (selection){.fit = f};
  s->place = scant_arrays_add(&s->arrays, n, sizeof *s->place);
  s->kept = scant_arrays_add(&s->arrays, n, sizeof *s->kept);
  if (s->arrays.failed) return 0;
  for (size_t j = 0; j + 1 < n; j++) {
    s->kept[j] = isfinite(f->frame.factor[j]) ? (uint32_t)s->count : SCANT_NO_VARIABLE;
    if (isfinite(f->frame.factor[j])) s->place[s->count++] = j;
  }
  s->place[s->count] = n - 1;
  return 1;
}

static void fill(const selection *s, scant_gaussian *g) {
  const scant_frame *frame = &s->fit->frame;
  for (size_t i = 0, at = 0; i <= s->count; i++) {
    size_t a = s->place[i];
    if (i < s->count) g->attributes[i] = frame->attribute[a];
    g->mean[i] = frame->center[a] + frame->unit[a] * s->fit->normal.mean[a];
    for (size_t j = 0; j <= i; j++)
      g->covariance[at++] = covariance(s, i, j) * frame->unit[a] * frame->unit[s->place[j]];
  }
}

static scant_status keep_known(const selection *s, size_t quantiles, scant_gaussian **gaussian, scant_error *error) {
  SCANT_TRY(scant_gaussian_new(gaussian, s->count, quantiles, error));
  fill(s, *gaussian);
  (*gaussian)->excess = s->fit->choice.few_excess;
  return SCANT_OK;
}

scant_status scant_gaussian_of_fit(scant_gaussian **gaussian, const scant_gaussian_fit *fit, scant_error *error) {
  selection s;
  scant_status status = select_known(&s, fit) ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = keep_known(&s, 0, gaussian, error);
  scant_arrays_free(&s.arrays);
  return status;
}

/* ---- the shape of the errors -------------------------------------------------------- */

/* What was seen of an example, as the model will use it. */
typedef struct {
  size_t count;
  double *matrix, *deviation, *with_target;
  size_t *place;
} known;

static void know(const selection *s, const scant_seen *seen, size_t e, known *k) {
  const double *mean = s->fit->normal.mean;
  k->count = 0;
  for (size_t i = seen->first[e]; i + 1 < seen->first[e + 1]; i++) {
    uint32_t place = s->kept[seen->variable[i]];
    if (place == SCANT_NO_VARIABLE) continue;
    k->deviation[k->count] = seen->value[i] - mean[seen->variable[i]];
    k->with_target[k->count] = covariance(s, place, s->count);
    k->place[k->count++] = place;
  }
  for (size_t i = 0; i < k->count; i++)
    for (size_t j = 0; j <= i; j++) k->matrix[i * k->count + j] = covariance(s, k->place[i], k->place[j]);
}

/* The target's mean and variance given what is known, standardised.  With S = U'U
 * they come from U'^-1 times the deviations and the covariances with the target. */
static int condition(const selection *s, known *k, double *mean, double *variance) {
  lapack_int n = (lapack_int)k->count;
  double *b = k->deviation, *c = k->with_target;
  if (n && (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, k->matrix, n) ||
            LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'T', 'N', n, 1, k->matrix, n, b, n) ||
            LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'T', 'N', n, 1, k->matrix, n, c, n)))
    return 0;
  *mean = s->fit->normal.mean[s->fit->normal.n - 1];
  *variance = covariance(s, s->count, s->count);
  for (size_t i = 0; i < k->count; i++) {
    *mean += b[i] * c[i];
    *variance -= c[i] * c[i];
  }
  return *variance > 0;
}

/* How the target came out against its prediction from the known values: in standard deviations or, of two values, the
 * probability of the one.  Without the excess, by which examples err more that were not learned from. */
static int surprise(const selection *s, const scant_seen *seen, size_t e, const scant_gaussian *g, known *k, double *r,
                    double *left) {
  size_t target = s->fit->normal.n - 1;
  double unit = s->fit->frame.unit[target], center = s->fit->frame.center[target], mean, variance;
  double z = seen->value[seen->first[e + 1] - 1];
  know(s, seen, e, k);
  if (!condition(s, k, &mean, &variance)) return 0;
  *left = unit * unit * variance;
  *r = (z - mean) / sqrt(variance);
  if (g->two_valued) {
    scant_prediction p;
    scant_gaussian_predict(g, center + unit * mean, *left, 0, &p);
    *r = 1 - fabs(center + unit * z - p.mean) / (g->values[1] - g->values[0]);
  }
  return isfinite(*r);
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

/* The table gives the shape of the errors, and the variance their size: errors on examples that were learned
 * from are too small for others. */
static void widen(double *r, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += r[i] * r[i] / (double)count;
  for (size_t i = 0; i < count && sum < 1 && sum > 0; i++) r[i] /= sqrt(sum);
}

/* The surprises of examples spread over all, ascending, and the variance that their
 * looks left of the target, on average. */
static scant_status surprises(const selection *s, const scant_answers *looks, scant_gaussian *g, double *r,
                              size_t *count, scant_error *error) {
  scant_seen seen = {0};
  *count = 0;
  if (!scant_seen_new(&seen, looks, &s->fit->frame, 0, 0)) return scant_fail_memory(error);
  double work = (double)seen.most * (double)seen.most * (double)seen.most / 3 + 1;
  size_t most = (size_t)fmin(fmin(RESIDUALS_MOST, (double)seen.examples), WORK_MOST / work);
  scant_arrays arrays = {0};
  known k = {.matrix = scant_arrays_add(&arrays, seen.most * seen.most, sizeof *k.matrix),
             .deviation = scant_arrays_add(&arrays, seen.most, sizeof *k.deviation),
             .with_target = scant_arrays_add(&arrays, seen.most, sizeof *k.with_target),
             .place = scant_arrays_add(&arrays, seen.most, sizeof *k.place)};
  int good = !arrays.failed;
  double left, sum = 0;
  for (size_t i = 0; good && i < most; i++) {
    if (!surprise(s, &seen, i * seen.examples / most, g, &k, &r[*count], &left)) continue;
    sum += left;
    ++*count;
  }
  if (*count) g->quantile_variance = sum / (double)*count;
  if (*count && !g->two_valued) widen(r, *count);
  scant_arrays_free(&arrays);
  scant_seen_free(&seen);
  qsort(r, *count, sizeof *r, ascending);
  return good ? SCANT_OK : scant_fail_memory(error);
}

static void fill_quantiles(const double *r, size_t count, scant_gaussian *g) {
  for (size_t i = 0; i < g->quantile_count; i++) {
    double place = ((double)i + 0.5) / (double)g->quantile_count * (double)count - 0.5;
    size_t below = place > 0 ? (size_t)place : 0, above = below + 1 < count ? below + 1 : below;
    double part = fmin(fmax(place - (double)below, 0), 1);
    g->quantiles[i] = r[below] + part * (r[above] - r[below]);
  }
}

static scant_status keep(const scant_gaussian_state *state, const selection *s, double *r, scant_model_extras *extras,
                         scant_error *error) {
  size_t count;
  SCANT_TRY(keep_known(s, QUANTILES, &extras->gaussian, error));
  scant_gaussian *g = extras->gaussian;
  scant_gaussian_note_values(g, state->looks.y, state->looks.examples, extras->classes);
  SCANT_TRY(surprises(s, &state->looks, g, r, &count, error));
  if (count < RESIDUALS_FEWEST)
    g->quantile_count = 0; /* too few for a table: the normal's */
  else
    fill_quantiles(r, count, g);
  return SCANT_OK;
}

/* Nothing was learned but the target itself. */
static scant_status keep_target(const scant_engine_view *l, scant_model_extras *extras, scant_error *error) {
  const scant_moments *y = l->target;
  if (!(y->spread > 0)) return SCANT_OK; /* not even that */
  SCANT_TRY(scant_gaussian_new(&extras->gaussian, 0, 0, error));
  extras->gaussian->mean[0] = y->mean;
  extras->gaussian->covariance[0] = y->spread / (double)y->count;
  const scant_answers *looks = &scant_gaussian_of(l)->looks;
  scant_gaussian_note_values(extras->gaussian, looks->y, looks->examples, extras->classes);
  return SCANT_OK;
}

static scant_status keep_fit(const scant_gaussian_state *state, scant_model_extras *extras, scant_error *error) {
  selection s;
  scant_status status = select_known(&s, &state->fit) ? SCANT_OK : scant_fail_memory(error);
  double *r = scant_arrays_add(&s.arrays, RESIDUALS_MOST, sizeof *r);
  if (!r) status = scant_fail_memory(error);
  if (status == SCANT_OK) status = keep(state, &s, r, extras, error);
  scant_arrays_free(&s.arrays);
  return status;
}

/* The learner's means are of values as they were told; the weights are for clipped ones, so the means are those that
 * the EM found.  What is no variable has one value, which is its mean. */
void scant_gaussian_fit_means(const scant_gaussian_fit *f, double *means) {
  for (size_t j = 0; j + 1 < f->normal.n; j++)
    means[f->frame.attribute[j]] = f->frame.center[j] + f->frame.unit[j] * f->normal.mean[j];
}

scant_status scant_gaussian_row_keep(scant_engine_view *l, scant_model_extras *extras, scant_error *error) {
  if (!scant_gaussian_has_fit(l)) return keep_target(l, extras, error);
  scant_gaussian_fit_means(&scant_gaussian_of(l)->fit, extras->means);
  SCANT_TRY(scant_blas_begin(1, error));
  scant_status status = keep_fit(scant_gaussian_of(l), extras, error);
  scant_blas_end(1);
  return status;
}
