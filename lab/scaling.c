/* Attributes needed to reach an excess risk [HK12, table 1].  The table has
 * numbers of examples; times K they are O(d/eps^2) for ridge and
 * O(d log d/eps^2) for lasso, whatever K, and for SVR O(d) times a function of
 * eps.
 *
 * The data are the axes with |T| = 16, where w = 0 is far from the best; on
 * isotropic data w = 0 is within the bounds.  The step size is the theorem's.
 * That of aesvr adapts, and its excess is measured in the smoothed loss that it
 * minimises.  No eps is above half of the excess of w = 0, which is .219 for
 * ridge, .061 for lasso and .194 for SVR. */
#include "scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMOOTHING 1

/* ---- the algorithms -------------------------------------------------------- */

/* K m with the m of theorem 3.1; k = K - 1 of the looks are for the gradient. */
static double ridge_bound(double d, double k, double eps) {
  return k * d / ((k - 1) * eps * eps);
}

static double lasso_bound(double d, double k, double eps) {
  return ridge_bound(d, k, eps) * log(2 * d);
}

/* Full information: m = O(1/eps^2), times log 2d for lasso. */
static double online_ridge_bound(double d, double k, double eps) {
  (void)k;
  return d / (eps * eps);
}

static double online_lasso_bound(double d, double k, double eps) {
  return online_ridge_bound(d, k, eps) * log(2 * d);
}

/* Theorem 4.4 has k for the gradient and up to 6 more. */
static double svr_bound(double d, double k, double eps) {
  (void)eps;
  return k * d / (k - 6);
}

static const scaling_row rows[] = {
    {.algorithm = "aerr",
     .measure = {.loss = SCANT_LOSS_SQUARED, .norm = SCANT_NORM_2},
     .d = {32, 64, 128, 256, 512},
     .d_base = 128,
     .k = {2, 4, 8, 16, 32},
     .k_base = 4,
     .eps = {0.05, 0.025, 0.0125, 0.00625, 0.003125},
     .eps_base = 0.025,
     .bound = ridge_bound},
    {.algorithm = "online-ridge",
     .measure = {.loss = SCANT_LOSS_SQUARED, .norm = SCANT_NORM_2},
     .d = {32, 64, 128, 256, 512},
     .d_base = 128,
     .eps = {0.05, 0.025, 0.0125, 0.00625, 0.003125},
     .eps_base = 0.025,
     .bound = online_ridge_bound},
    {.algorithm = "aelr",
     .measure = {.loss = SCANT_LOSS_SQUARED, .norm = SCANT_NORM_1},
     .d = {32, 64, 128, 256, 512},
     .d_base = 64,
     .k = {2, 4, 8, 16, 32},
     .k_base = 4,
     .eps = {0.03, 0.024, 0.019, 0.015, 0.012},
     .eps_base = 0.03,
     .bound = lasso_bound},
    {.algorithm = "online-lasso",
     .measure = {.loss = SCANT_LOSS_SQUARED, .norm = SCANT_NORM_1},
     .d = {32, 64, 128, 256, 512},
     .d_base = 64,
     .eps = {0.03, 0.024, 0.019, 0.015, 0.012},
     .eps_base = 0.03,
     .bound = online_lasso_bound},
    {.algorithm = "aesvr",
     .measure = {.loss = SCANT_LOSS_INSENSITIVE, .norm = SCANT_NORM_2, .tube = 0.1, .smoothing = SMOOTHING},
     .d = {32, 64, 128, 256, 512},
     .d_base = 128,
     .k = {12, 16, 24, 32, 48},
     .k_base = 16,
     .eps = {0.08, 0.04, 0.02, 0.01, 0.005},
     .eps_base = 0.02,
     .bound = svr_bound,
     .eps_unknown = 1},
};

const char *const scaling_algorithms[] = {"aerr", "online-ridge", "aelr", "online-lasso", "aesvr", NULL};
const char *const scaling_varied[3] = {"d", "k", "eps"};

/* ---- the runs -------------------------------------------------------------- */

/* Adds one point to a curve. */
static scant_status climb(const theory_request *q, scaling_curve *c, double *w, double *excess, scant_error *error) {
  uint64_t m = UINT64_C(8) << c->count;
  double bought = 0;
  for (size_t run = 0; run < q->runs; run++) {
    uint64_t seed = theory_seed(q, c->part * LADDER + c->count, run), count;
    instance i;
    if (instance_new(&i, INSTANCE_AXES, c->d, FAMILY, 0, seed) != SCANT_OK) return SCANT_MEMORY;
    lesson l = {c->row->algorithm, c->row->k_base ? c->k : 0, c->row->measure.smoothing, m, seed};
    scant_status status = lesson_run(&l, &i, w, &count, error);
    if (status == SCANT_OK) excess[run] = instance_excess(&i, &c->row->measure, w);
    instance_free(&i);
    if (status != SCANT_OK) return status;
    bought += (double)count / (double)q->runs;
  }
  spread of = spread_of(excess, q->runs);
  c->examples[c->count] = (double)m;
  c->bought[c->count] = bought;
  c->excess[c->count] = of.mean;
  c->sd[c->count] = of.sd;
  c->count++;
  return SCANT_OK;
}

static scant_status run_job(void *user, size_t job, scant_error *error) {
  scaling *s = user;
  scaling_curve *c = &s->curves[job];
  double *w = malloc(c->d * sizeof *w), *excess = malloc(s->request->runs * sizeof *excess);
  scant_status status = w && excess ? SCANT_OK : SCANT_MEMORY;
  do {
    if (status == SCANT_OK) status = climb(s->request, c, w, excess, error);
  } while (status == SCANT_OK && c->count < LADDER && !(c->excess[c->count - 1] <= c->deepest));
  free(w);
  free(excess);
  return status;
}

static void add_curve(scaling *s, const scaling_row *row, uint64_t d, uint64_t k) {
  double deepest = row->eps_base;
  if (d == row->d_base && k == row->k_base)
    for (size_t i = 0; i < SIZES && row->eps[i] > 0; i++) deepest = fmin(deepest, row->eps[i]);
  s->curves[s->curve_count++] = (scaling_curve){.row = row, .d = d, .k = row->k_base ? k : d, .deepest = deepest};
}

/* Wide curves take longest and come first, so that no thread begins one last. */
static int by_width(const void *a, const void *b) {
  const scaling_curve *x = a, *y = b;
  if (x->d != y->d) return x->d < y->d ? 1 : -1;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return x->k < y->k ? -1 : 1;
}

static void plan(scaling *s) {
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    const scaling_row *row = &rows[r];
    for (size_t i = 0; i < SIZES && row->d[i]; i++) add_curve(s, row, row->d[i], row->k_base);
    for (size_t i = 0; i < SIZES && row->k[i]; i++)
      if (row->k[i] != row->k_base) add_curve(s, row, row->d_base, row->k[i]);
  }
  qsort(s->curves, s->curve_count, sizeof *s->curves, by_width);
  size_t wanted = 0; /* a curve's seeds do not depend on which others are run */
  for (size_t i = 0; i < s->curve_count; i++) {
    s->curves[i].part = i;
    if (theory_wants(s->request, s->curves[i].row->algorithm)) s->curves[wanted++] = s->curves[i];
  }
  s->curve_count = wanted;
}

/* ---- from curves to exponents ---------------------------------------------- */

static void add_point(scaling *s, const scaling_row *row, int varied, uint64_t d, uint64_t k, double eps) {
  const scaling_curve *c = s->curves;
  uint64_t looks = row->k_base ? k : d;
  while (c->row != row || c->d != d || c->k != looks) c++; /* it was planned */
  scaling_point p = {row, varied, d, looks, eps, NAN, NAN};
  size_t i = 0;
  while (i < c->count && !(c->excess[i] <= eps)) i++;
  if (i && i < c->count) {
    double share = log(c->excess[i - 1] / eps) / log(c->excess[i - 1] / c->excess[i]);
    p.attributes = c->bought[i - 1] * pow(c->bought[i] / c->bought[i - 1], share);
    p.examples = c->examples[i - 1] * pow(c->examples[i] / c->examples[i - 1], share);
  }
  s->points[s->point_count++] = p;
}

/* Fits the exponent of the measurements, and that of the paper's bound at the same points. */
static void fit_exponent(scaling *s, const scaling_row *row, int varied) {
  double x[SIZES], y[SIZES], bound[SIZES];
  size_t n = 0;
  for (size_t i = 0; i < s->point_count; i++) {
    const scaling_point *p = &s->points[i];
    if (p->row != row || p->varied != varied || !isfinite(p->attributes)) continue;
    x[n] = varied == 0 ? log((double)p->d) : varied == 1 ? log((double)p->k) : -log(p->eps);
    y[n] = log(p->attributes);
    bound[n++] = log(row->bound((double)p->d, (double)p->k, p->eps));
  }
  scaling_exponent e = {row, varied, line_fit(x, y, n), NAN, n};
  if (varied != 2 || !row->eps_unknown) e.paper = line_fit(x, bound, n).slope;
  s->exponents[s->exponent_count++] = e;
}

static void measure_row(scaling *s, const scaling_row *row) {
  for (size_t i = 0; i < SIZES && row->d[i]; i++) add_point(s, row, 0, row->d[i], row->k_base, row->eps_base);
  for (size_t i = 0; i < SIZES && row->k[i]; i++) add_point(s, row, 1, row->d_base, row->k[i], row->eps_base);
  for (size_t i = 0; i < SIZES && row->eps[i] > 0; i++) add_point(s, row, 2, row->d_base, row->k_base, row->eps[i]);
  for (int varied = 0; varied < 3; varied++)
    if (varied != 1 || row->k_base) fit_exponent(s, row, varied);
}

scant_status scaling_run(const theory_request *request, svg_text *summary, scant_error *error) {
  scaling *s = calloc(1, sizeof *s);
  if (!s) {
    memcpy(error->text, "out of memory", sizeof "out of memory");
    return SCANT_MEMORY;
  }
  s->request = request;
  plan(s);
  scant_status status = pool_run(s->curve_count, run_job, s, &request->pool, error);
  for (size_t r = 0; status == SCANT_OK && r < sizeof rows / sizeof *rows; r++)
    if (theory_wants(request, rows[r].algorithm)) measure_row(s, &rows[r]);
  if (status == SCANT_OK) status = scaling_write(s, summary, error);
  free(s);
  return status;
}
