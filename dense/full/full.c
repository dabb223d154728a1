#include "full/full.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "scant_json.h"
#include "blas.h"
#include "packed.h"

typedef struct {
  scant_reference kind;
  /* the examples as they were told, row by row; NaN: missing */
  size_t count, room;
  double *x, *y;
  /* of the last finish */
  uint64_t solved_at; /* examples told then, plus 1; 0: never */
  double *w, *means, intercept, radius;
  scant_certificate certificate;
} full_state;

static full_state *state_of(const scant_engine_view *l) {
  return l->state;
}

/* ---- its life ------------------------------------------------------------------ */

/* The examples are kept.  Solving takes a copy in learning units, choosing a radius one more of each fold's
 * rest, and the solvers take some squares or as much again. */
static scant_status check_memory(const scant_engine_view *l, scant_reference kind, double examples,
                                 scant_error *error) {
  double n = examples, d = (double)l->dimension, r = fmin(n, d), table = n * (d + 1);
  double tables = isnan(l->settings->learning.radius) ? 4 : 2;
  double solver = kind == SCANT_FULL_SVR ? 2 * n * r + r * r : kind == SCANT_FULL_LASSO ? 3 * d * d : 3 * r * r;
  return scant_engine_check_memory(l, (tables * table + solver) * sizeof(double), error);
}

static scant_status open_kind(scant_engine_view *l, scant_reference kind, scant_error *error) {
  SCANT_TRY(check_memory(l, kind, (double)l->horizon, error));
  full_state *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  l->state = s;
  s->kind = kind;
  s->radius = l->settings->learning.radius;
  s->certificate = (scant_certificate){NAN, NAN, NAN, NAN};
  s->w = scant_array(l->dimension, sizeof *s->w);
  s->means = scant_array(l->dimension, sizeof *s->means);
  return s->w && s->means ? SCANT_OK : scant_fail_memory(error);
}

static scant_status open_ridge(scant_engine_view *l, scant_error *error) {
  return open_kind(l, SCANT_FULL_RIDGE, error);
}

static scant_status open_lasso(scant_engine_view *l, scant_error *error) {
  return open_kind(l, SCANT_FULL_LASSO, error);
}

static scant_status open_svr(scant_engine_view *l, scant_error *error) {
  return open_kind(l, SCANT_FULL_SVR, error);
}

static void free_state(void *state) {
  full_state *s = state;
  if (!s) return;
  free(s->x);
  free(s->y);
  free(s->w);
  free(s->means);
  free(s);
}

/* ---- telling -------------------------------------------------------------------- */

/* Room for one more example; where their number is known, for all of them at once. */
static scant_status reserve(const scant_engine_view *l, full_state *s, size_t examples, scant_error *error) {
  if (examples <= s->room) return SCANT_OK;
  size_t wanted = examples > l->horizon ? examples : (size_t)l->horizon, room = s->room, x_room = s->room;
  SCANT_TRY(check_memory(l, s->kind, (double)wanted, error));
  if (!scant_grow(&s->x, &x_room, wanted, l->dimension * sizeof *s->x) ||
      !scant_grow(&s->y, &room, wanted, sizeof *s->y))
    return scant_fail_memory(error);
  s->room = room < x_room ? room : x_room;
  return SCANT_OK;
}

static scant_status tell(scant_engine_view *l, const scant_look *look, const double *values, double y,
                         scant_error *error) {
  full_state *s = state_of(l);
  SCANT_TRY(reserve(l, s, s->count + 1, error));
  double *x = s->x + s->count * l->dimension;
  for (size_t j = 0; j < l->dimension; j++) x[j] = NAN; /* a look may come back damaged */
  for (uint32_t i = 0; i < look->count; i++) x[look->attributes[i]] = values[i];
  s->y[s->count++] = y;
  return SCANT_OK;
}

/* ---- tables ---------------------------------------------------------------------- */

/* Replaces every NaN by the mean of its column's known values, in place; a column without any value becomes 0.  Sums
 * are relative to the first known value, for the reason given below. */
static void impute(size_t n, size_t d, double *x, double *mean) {
  for (size_t j = 0; j < d; j++) {
    size_t known = 0;
    double first = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
      if (isnan(x[i * d + j])) continue;
      if (!known++) first = x[i * d + j];
      sum += x[i * d + j] - first;
    }
    mean[j] = known ? first + sum / (double)known : 0;
    for (size_t i = 0; i < n; i++)
      if (isnan(x[i * d + j])) x[i * d + j] = mean[j];
  }
}

/* Deviations are taken from the first row.  So the mean of a constant is exactly its value, and no rounding
 * errors are left that a solver would take for data. */
void scant_dense_center(size_t n, size_t d, double *x, double *y, double *x_mean, double *y_mean) {
  double sum = 0;
  for (size_t j = 0; j < d; j++) x_mean[j] = 0;
  for (size_t i = 1; i < n; i++) {
    sum += y[i] - y[0];
    for (size_t j = 0; j < d; j++) x_mean[j] += x[i * d + j] - x[j];
  }
  *y_mean = y[0] + sum / (double)n;
  for (size_t j = 0; j < d; j++) x_mean[j] = x[j] + x_mean[j] / (double)n;
  for (size_t i = 0; i < n; i++) {
    y[i] -= *y_mean;
    for (size_t j = 0; j < d; j++) x[i * d + j] -= x_mean[j];
  }
}

/* ---- solving -------------------------------------------------------------------- */

/* What was told, in learning units; means are 0 without centering. */
typedef struct {
  scant_arrays arrays;
  size_t n, d;
  double *x, *y, *x_mean, *x_scale;
  double y_mean;
} purchases;

/* x_scale: what an attribute is divided by; one that does not vary is left. */
static void standardise(purchases *p) {
  size_t n = p->n, d = p->d;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) p->x_scale[j] += p->x[i * d + j] * p->x[i * d + j] / (double)n;
  for (size_t j = 0; j < d; j++) p->x_scale[j] = p->x_scale[j] > 0 ? sqrt(p->x_scale[j]) : 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < d; j++) p->x[i * d + j] /= p->x_scale[j];
}

static void to_learning_units(purchases *p, const scant_settings *s) {
  size_t n = p->n, d = p->d;
  for (size_t i = 0; i < n * d; i++) p->x[i] /= s->learning.x_bound;
  if (s->learning.center) scant_dense_center(n, d, p->x, p->y, p->x_mean, &p->y_mean);
  if (s->learning.standardise) standardise(p);
  for (size_t j = 0; !s->learning.standardise && j < d; j++) p->x_scale[j] = 1;
}

/* The limits of attribute j from all its known cells. */
static void limits_of(const scant_engine_view *l, const full_state *s, size_t j, double *low, double *high) {
  scant_limits met = {0};
  double joined;
  for (size_t i = 0; i < s->count; i++)
    if (!isnan(s->x[i * l->dimension + j])) scant_limits_add(&met, s->x[i * l->dimension + j], &joined);
  scant_limits_of(&met, l->settings->learning.clip, low, high);
}

static void clip(const scant_engine_view *l, const full_state *s, purchases *p) {
  double low, high;
  for (size_t j = 0; j < p->d; j++) {
    limits_of(l, s, j, &low, &high);
    for (size_t i = 0; i < p->n; i++) p->x[i * p->d + j] = scant_limits_clip(p->x[i * p->d + j], low, high);
  }
}

static scant_status gather(const scant_engine_view *l, full_state *s, purchases *p, scant_error *error) {
  *p = (purchases){.n = s->count, .d = l->dimension};
  p->x = scant_arrays_add(&p->arrays, p->n * p->d, sizeof *p->x);
  p->y = scant_arrays_add(&p->arrays, p->n, sizeof *p->y);
  p->x_mean = scant_arrays_add(&p->arrays, p->d, sizeof *p->x_mean);
  p->x_scale = scant_arrays_add(&p->arrays, p->d, sizeof *p->x_scale);
  if (p->arrays.failed) return scant_fail_memory(error);
  memcpy(p->x, s->x, p->n * p->d * sizeof *p->x);
  memcpy(p->y, s->y, p->n * sizeof *p->y);
  if (l->settings->learning.clip > 0) clip(l, s, p);
  impute(p->n, p->d, p->x, s->means);
  to_learning_units(p, l->settings);
  return SCANT_OK;
}

static scant_status certify(const scant_dense *problem, const full_state *s, double tube, const double *w,
                            const double *beta, scant_certificate *certificate, scant_error *error) {
  certificate->kkt = certificate->gap = NAN;
  if (s->kind == SCANT_FULL_SVR) {
    scant_gap gap;
    SCANT_TRY(scant_svr_certificate(problem, tube, s->radius, w, beta, &gap, error));
    certificate->gap = gap.gap;
    certificate->constraint = gap.constraint;
    return SCANT_OK;
  }
  scant_kkt kkt = {0};
  SCANT_TRY((s->kind == SCANT_FULL_LASSO ? scant_lasso_certificate : scant_ridge_certificate)(
      problem, s->radius, w, certificate->lambda, &kkt, error));
  certificate->kkt = kkt.kkt;
  certificate->constraint = kkt.constraint;
  return SCANT_OK;
}

static scant_status solve(const scant_engine_view *l, full_state *s, const purchases *p, double *w,
                          scant_error *error) {
  scant_dense problem = {.n = p->n, .d = p->d, .x = p->x, .y = p->y};
  double tube = l->settings->learning.tube;
  s->radius = l->settings->learning.radius;
  if (isnan(s->radius)) SCANT_TRY(scant_radius_choose(&problem, s->kind, tube, &s->radius, error));
  double *beta = scant_array(p->n, sizeof *beta);
  if (!beta) return scant_fail_memory(error);
  scant_certificate c = {0};
  scant_status status = scant_reference_solve(&problem, s->kind, tube, s->radius, w, beta, &c.lambda, error);
  if (status == SCANT_OK) status = certify(&problem, s, tube, w, beta, &c, error);
  free(beta);
  if (status == SCANT_OK) s->certificate = c;
  return status;
}

/* Back to original units. */
static void take_result(const scant_engine_view *l, full_state *s, const purchases *p, double *w) {
  s->intercept = p->y_mean;
  for (size_t j = 0; j < p->d; j++) {
    w[j] /= p->x_scale[j];
    s->intercept -= w[j] * p->x_mean[j];
    s->w[j] = w[j] / l->settings->learning.x_bound;
  }
  s->solved_at = l->told + 1;
}

static scant_status finish(scant_engine_view *l, scant_error *error) {
  full_state *s = state_of(l);
  size_t fewest = isnan(l->settings->learning.radius) ? SCANT_RADIUS_FEWEST : 1; /* below it the weights stay 0 */
  if (s->count < fewest || s->solved_at == l->told + 1) return SCANT_OK;
  purchases p;
  double *w = scant_array(l->dimension, sizeof *w);
  scant_status status = gather(l, s, &p, error);
  if (status == SCANT_OK && !w) status = scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_blas_begin(1, error);
  if (status == SCANT_OK) {
    status = solve(l, s, &p, w, error);
    scant_blas_end(1);
  }
  if (status == SCANT_OK) take_result(l, s, &p, w);
  free(w);
  scant_arrays_free(&p.arrays);
  return status;
}

/* ---- results -------------------------------------------------------------------- */

static void weights(const scant_engine_view *l, double *w, double *intercept) {
  const full_state *s = state_of(l);
  memcpy(w, s->w, l->dimension * sizeof *w);
  *intercept = s->intercept;
}

static void facts(const scant_engine_view *l, scant_learner_facts *facts) {
  facts->certificate = state_of(l)->certificate;
}

static void limits(const scant_engine_view *l, double *low, double *high) {
  for (size_t j = 0; j < l->dimension; j++) limits_of(l, state_of(l), j, &low[j], &high[j]);
}

/* The radius that was chosen, and the means that missing values were taken to be at. */
static scant_status keep(scant_engine_view *l, scant_model_extras *extras, scant_error *error) {
  (void)error;
  const full_state *s = state_of(l);
  if (!s->solved_at) return SCANT_OK;
  memcpy(extras->means, s->means, l->dimension * sizeof *s->means);
  extras->radius = s->radius;
  return SCANT_OK;
}

/* ---- a checkpoint ----------------------------------------------------------------- */

static void save(const scant_engine_view *l, scant_json_writer *out) {
  const full_state *s = state_of(l);
  scant_packed_write(out, "examples", s->x, sizeof *s->x, s->count * l->dimension);
  scant_packed_write(out, "example_targets", s->y, sizeof *s->y, s->count);
}

static scant_status restore(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error) {
  full_state *s = state_of(l);
  size_t count = (size_t)l->told, d = l->dimension;
  if (l->told > SIZE_MAX / sizeof(double) / d) return scant_fail(error, SCANT_DATA, "field 'told' is out of range");
  SCANT_TRY(reserve(l, s, count, error));
  SCANT_TRY(scant_packed_read(json, node, "examples", s->x, sizeof *s->x, count * d, error));
  SCANT_TRY(scant_packed_read(json, node, "example_targets", s->y, sizeof *s->y, count, error));
  int good = 1;
  for (size_t i = 0; i < count * d; i++) good = good && !isinf(s->x[i]);
  for (size_t i = 0; i < count; i++) good = good && isfinite(s->y[i]);
  if (!good) return scant_fail(error, SCANT_DATA, "fields 'examples' or 'example_targets' are out of range");
  s->count = count;
  s->solved_at = 0;
  return SCANT_OK;
}

/* These algorithms look at everything, so none of them draws. */
#define FULL                                                                                            \
  .free = free_state, .tell = tell, .finish = finish, .weights = weights, .facts = facts, .save = save, \
  .restore = restore, .keep = keep, .limits = limits

const scant_engine scant_full_ridge_engine = {.algorithm = "full-ridge", .open = open_ridge, FULL};
const scant_engine scant_full_lasso_engine = {.algorithm = "full-lasso", .open = open_lasso, FULL};
const scant_engine scant_full_svr_engine = {.algorithm = "full-svr", .open = open_svr, FULL};
