/* What a model keeps of the joint Gaussian, for predictions from a few attributes:
 * the distribution in original units, how much worse than its own word it
 * predicts, and the shape of its errors. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "gaussian/regress.h"
#include "gaussian/row.h"
#include "model/gaussian.h"
#include "model/model.h"

enum { QUANTILES = 200, RESIDUALS_MOST = 4000, RESIDUALS_FEWEST = 100 };
#define WORK_MOST 2e10 /* multiplications for residuals */

/* The kept variables: those whose scale is known.  The penalty is part of their
 * variances, so that all attributes together predict what the weights do. */
typedef struct {
  const scant_gaussian_fit *fit;
  size_t count;
  size_t *place;  /* in the fit, of each kept variable; the target last */
  uint32_t *kept; /* of each variable of the fit: its place here, or SCANT_NO_VARIABLE */
} selection;

static double covariance(const selection *s, size_t i, size_t j) {
  const scant_gaussian_fit *f = s->fit;
  size_t a = s->place[i], b = s->place[j], n = f->normal.n;
  double c = f->normal.covariance[a * n + b];
  return a == b && a + 1 < n ? c * (f->factor[a] + f->choice.penalty) : c;
}

static int select_known(selection *s, const scant_gaussian_fit *f) {
  size_t n = f->normal.n;
  *s = (selection){.fit = f, .place = scant_array(n, sizeof *s->place), .kept = scant_array(n, sizeof *s->kept)};
  if (!s->place || !s->kept) return 0;
  for (size_t j = 0; j + 1 < n; j++) {
    s->kept[j] = isfinite(f->factor[j]) ? (uint32_t)s->count : SCANT_NO_VARIABLE;
    if (isfinite(f->factor[j])) s->place[s->count++] = j;
  }
  s->place[s->count] = n - 1;
  return 1;
}

static void fill(const selection *s, scant_gaussian *g) {
  const scant_frame *frame = &s->fit->frame;
  for (size_t i = 0, at = 0; i <= s->count; i++) {
    size_t a = s->place[i];
    if (i < s->count) g->attributes[i] = frame->attribute[a];
    g->mean[i] = frame->centre[a] + frame->unit[a] * s->fit->normal.mean[a];
    for (size_t j = 0; j <= i; j++)
      g->covariance[at++] = covariance(s, i, j) * frame->unit[a] * frame->unit[s->place[j]];
  }
}

/* The share of the target's variance that all attributes leave, by the model's
 * word; the cross-fit says what they really leave. */
static double excess(const scant_gaussian_fit *f) {
  size_t n = f->normal.n;
  const double *target = f->normal.covariance + (n - 1) * n;
  double explained = 0;
  for (size_t j = 0; j + 1 < n; j++) explained += f->w[j] * target[j];
  explained /= target[n - 1];
  if (!isfinite(f->choice.risk) || !(explained > 0)) return 0;
  return fmax(0, (f->choice.risk - (1 - explained)) / explained);
}

/* ---- the shape of the errors -------------------------------------------------------- */

/* (y - its prediction from what was seen) / its standard deviation. */
static int residual(const selection *s, const scant_seen *seen, size_t e, double beyond, double *matrix, double *b,
                    double *r) {
  const scant_normal *normal = &s->fit->normal;
  size_t k = 0, target = normal->n - 1, first = seen->first[e], last = seen->first[e + 1] - 1;
  for (size_t i = first; i < last; i++) {
    uint32_t place = s->kept[seen->variable[i]];
    if (place == SCANT_NO_VARIABLE) continue;
    b[k] = seen->value[i] - normal->mean[seen->variable[i]];
    b[k + last - first] = place; /* exact as a double */
    k++;
  }
  const double *places = b + (last - first);
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j <= i; j++) matrix[i * k + j] = covariance(s, (size_t)places[i], (size_t)places[j]);
  if (k && LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)k, matrix, (lapack_int)k)) return 0;
  double *c = b + 2 * (last - first);
  for (size_t i = 0; i < k; i++) c[i] = covariance(s, (size_t)places[i], s->count);
  /* with S = U'U: mean = (U'^-1 c).(U'^-1 b), explained = |U'^-1 c|^2 */
  if (k &&
      (LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'T', 'N', (lapack_int)k, 1, matrix, (lapack_int)k, b, (lapack_int)k) ||
       LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'T', 'N', (lapack_int)k, 1, matrix, (lapack_int)k, c, (lapack_int)k)))
    return 0;
  double mean = normal->mean[target], explained = 0;
  for (size_t i = 0; i < k; i++) {
    mean += b[i] * c[i];
    explained += c[i] * c[i];
  }
  double variance = covariance(s, s->count, s->count) - explained + beyond * explained;
  if (!(variance > 0)) return 0;
  *r = (seen->value[last] - mean) / sqrt(variance);
  return 1;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

/* Fills quantiles from residuals of examples spread over all; 0 residuals if they
 * are too few to say. */
static scant_status residuals(const selection *s, const scant_looks *looks, double beyond, double *r, size_t *count,
                              scant_error *error) {
  scant_seen seen = {0};
  *count = 0;
  if (!scant_seen_new(&seen, looks, &s->fit->frame, 0, 0)) return scant_fail_memory(error);
  double work = (double)seen.most * (double)seen.most * (double)seen.most / 3 + 1;
  size_t most = (size_t)fmin(fmin(RESIDUALS_MOST, (double)seen.examples), WORK_MOST / work);
  double *matrix = scant_array(seen.most * seen.most, sizeof *matrix), *b = scant_array(3 * seen.most, sizeof *b);
  int good = matrix && b;
  for (size_t i = 0; good && i < most; i++)
    *count += (size_t)residual(s, &seen, i * seen.examples / most, beyond, matrix, b, &r[*count]);
  free(matrix);
  free(b);
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

/* Two values in all? */
static void note_values(const scant_looks *looks, scant_gaussian *g) {
  double a = looks->y[0], b = a;
  for (size_t e = 0; e < looks->examples; e++) {
    double y = looks->y[e];
    if (y == a || y == b) continue;
    if (a != b) return;
    b = y;
  }
  if (a == b) return;
  g->two_valued = 1;
  g->values[0] = fmin(a, b);
  g->values[1] = fmax(a, b);
}

static scant_status keep(const scant_gaussian_state *state, const selection *s, double *r, scant_model *model,
                         scant_error *error) {
  size_t count;
  double beyond = excess(s->fit);
  SCANT_TRY(residuals(s, &state->looks, beyond, r, &count, error));
  SCANT_TRY(scant_gaussian_new(&model->gaussian, s->count, count < RESIDUALS_FEWEST ? 0 : QUANTILES, error));
  fill(s, model->gaussian);
  fill_quantiles(r, count, model->gaussian);
  model->gaussian->excess = beyond;
  note_values(&state->looks, model->gaussian);
  return SCANT_OK;
}

scant_status scant_gaussian_row_keep(scant_learner *l, scant_model *model, scant_error *error) {
  const scant_gaussian_state *state = scant_gaussian_of(l);
  if (!state->fit.w) return SCANT_OK; /* nothing was learned yet */
  selection s;
  double *r = scant_array(RESIDUALS_MOST, sizeof *r);
  scant_status status = select_known(&s, &state->fit) && r ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = keep(state, &s, r, model, error);
  free(s.place);
  free(s.kept);
  free(r);
  return status;
}
