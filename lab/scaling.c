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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/chart/chart.h"
#include "numbers.h"
#include "scant_base.h"
#include "theory.h"

enum { SIZES = 6, LADDER = 26, FAMILY = 16 };

/* One row of [HK12, table 1], or a full-information algorithm to compare with.
 * One of d, K and eps varies while the others are at their base.  Grids end
 * with 0. */
typedef struct scaling_row {
  const char *algorithm;
  measure measure;
  uint64_t d[SIZES], d_base;
  uint64_t k[SIZES], k_base; /* 0: looks at everything */
  double eps[SIZES], eps_base;
  /* The paper's bound on attributes, up to a constant; eps_unknown: the bound
   * does not give a power of eps. */
  double (*bound)(double d, double k, double eps);
  int eps_unknown;
} scaling_row;

/* Mean excess risk of fresh learners at horizons that double, until it is below
 * the smallest eps that is wanted here. */
typedef struct scaling_curve {
  const scaling_row *row;
  uint64_t d, k; /* k is d if it looks at everything */
  double deepest;
  size_t part; /* its place among all curves */
  size_t count;
  double examples[LADDER], bought[LADDER], excess[LADDER], sd[LADDER];
} scaling_curve;

/* Where a curve falls to eps, interpolated between two points in logarithms. */
typedef struct scaling_point {
  const scaling_row *row;
  int varied; /* 0: d, 1: K, 2: eps */
  uint64_t d, k;
  double eps, attributes, examples; /* NAN: not reached */
} scaling_point;

typedef struct scaling_exponent {
  const scaling_row *row;
  int varied;
  fitted_line line; /* of the logarithms */
  double paper;     /* the exponent of the bound at the same points; NAN: unknown */
  size_t points;
} scaling_exponent;

enum { ROWS_MOST = 5, CURVES = ROWS_MOST * 2 * SIZES, CROSSINGS = ROWS_MOST * 3 * SIZES };

typedef struct scaling {
  const theory_request *request;
  scaling_curve curves[CURVES];
  size_t curve_count;
  scaling_point points[CROSSINGS];
  size_t point_count;
  scaling_exponent exponents[ROWS_MOST * 3];
  size_t exponent_count;
} scaling;

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
static const char *const scaling_varied[3] = {"d", "k", "eps"};

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

/* ---- files ------------------------------------------------------------------- */

static void put_real(svg_text *p, const char *format, double x) {
  if (isfinite(x)) svg_put(p, format, x);
}

static scant_status write_points(const scaling *s, scant_error *error) {
  svg_text p = {0};
  svg_put(&p, "experiment,algorithm,varied,d,k,eps,attributes,examples,runs\n");
  for (size_t i = 0; i < s->point_count; i++) {
    const scaling_point *q = &s->points[i];
    svg_put(&p, "scaling,%s,%s,%llu,%llu,%g,", q->row->algorithm, scaling_varied[q->varied], (unsigned long long)q->d,
            (unsigned long long)q->k, q->eps);
    put_real(&p, "%.2f", q->attributes);
    svg_put(&p, ",");
    put_real(&p, "%.3f", q->examples);
    svg_put(&p, ",%zu\n", s->request->runs);
  }
  return svg_save(&p, s->request->folder, "scaling", ".csv", error);
}

static scant_status write_curves(const scaling *s, scant_error *error) {
  svg_text p = {0};
  svg_put(&p, "experiment,algorithm,d,k,examples,attributes,mean,sd,zero,runs\n");
  for (size_t i = 0; i < s->curve_count; i++) {
    const scaling_curve *c = &s->curves[i];
    instance family;
    double zero = NAN;
    if (instance_new(&family, INSTANCE_AXES, c->d, FAMILY, 0, 1) == SCANT_OK) {
      zero = instance_zero_excess(&family, &c->row->measure);
      instance_free(&family);
    }
    for (size_t j = 0; j < c->count; j++)
      svg_put(&p, "scaling,%s,%llu,%llu,%.0f,%.1f,%.8f,%.8f,%.8f,%zu\n", c->row->algorithm, (unsigned long long)c->d,
              (unsigned long long)c->k, c->examples[j], c->bought[j], c->excess[j], c->sd[j], zero, s->request->runs);
  }
  return svg_save(&p, s->request->folder, "scaling", "-curves.csv", error);
}

static scant_status write_exponents(const scaling *s, scant_error *error) {
  svg_text p = {0};
  svg_put(&p, "experiment,algorithm,of,exponent,standard_error,paper,points,runs\n");
  for (size_t i = 0; i < s->exponent_count; i++) {
    const scaling_exponent *e = &s->exponents[i];
    svg_put(&p, "scaling,%s,%s,", e->row->algorithm, e->varied == 2 ? "1/eps" : scaling_varied[e->varied]);
    put_real(&p, "%.4f", e->line.slope);
    svg_put(&p, ",");
    put_real(&p, "%.4f", e->line.error);
    svg_put(&p, ",");
    put_real(&p, "%.4f", e->paper);
    svg_put(&p, ",%zu,%zu\n", e->points, s->request->runs);
  }
  return svg_save(&p, s->request->folder, "scaling", "-exponents.csv", error);
}

/* ---- the picture ----------------------------------------------------------- */

typedef struct {
  chart_point points[ROWS_MOST][SIZES];
  chart_series series[ROWS_MOST];
  char names[ROWS_MOST][64];
  double ticks[SIZES];
} panel;

/* A colour is the place among all algorithms, so that it does not depend on
 * which were asked for. */
static int colour_of(const scaling_row *row) {
  int i = 0;
  while (strcmp(scaling_algorithms[i], row->algorithm) != 0) i++;
  return i;
}

static void fill_panel(const scaling *s, int varied, panel *g, chart *c) {
  c->series = g->series;
  for (size_t e = 0; e < s->exponent_count; e++) {
    const scaling_exponent *x = &s->exponents[e];
    if (x->varied != varied) continue;
    size_t n = c->series_count, count = 0;
    for (size_t i = 0; i < s->point_count; i++) {
      const scaling_point *p = &s->points[i];
      if (p->row != x->row || p->varied != varied) continue;
      g->points[n][count++] = (chart_point){.x = varied == 0   ? (double)p->d
                                                 : varied == 1 ? (double)p->k
                                                               : 1 / p->eps,
                                            .y = p->attributes};
    }
    snprintf(g->names[n], sizeof g->names[n], "%s: %.2f ± %.2f", x->row->algorithm, x->line.slope, x->line.error);
    g->series[n] = (chart_series){g->names[n], colour_of(x->row), CHART_SOLID, g->points[n], count};
    c->series_count++;
  }
}

static scant_status write_picture(const scaling *s, scant_error *error) {
  static const double ds[] = {32, 64, 128, 256, 512}, ks[] = {2, 4, 8, 16, 32};
  chart charts[3] = {
      {.title = "Attributes needed against d",
       .x = {.label = "d", .ticks = ds, .tick_count = 5},
       .captions = {"K = 4, aesvr 16, online d; eps = 0.025 for ridge, 0.03 for lasso, 0.02 for SVR.",
                    "In the legends: the fitted exponent with its standard error."}},
      {.title = "Attributes needed against K",
       .x = {.label = "K", .ticks = ks, .tick_count = 5},
       .captions = {"d = 128, lasso 64; eps as above."}},
      {.title = "Attributes needed against 1/eps",
       .x = {.label = "1/eps"},
       .captions = {"d = 128, lasso 64; K as at the top. Attributes bought until the mean excess risk falls to eps.",
                    "x = r_i e_i with i uniform in T, |T| = 16, y = 1, B = 1. The step sizes are the theorems';",
                    "that of aesvr adapts, its smoothing is 1, and its excess is that of the smoothed loss."}},
  };
  panel *panels = calloc(3, sizeof *panels);
  svg_text p = {0};
  size_t shown = 0;
  if (!panels) p.failed = 1;
  for (int varied = 0; panels && varied < 3; varied++) {
    chart *c = &charts[shown];
    if (varied != (int)shown) *c = charts[varied]; /* no algorithm that looks at K attributes was asked for */
    c->x.logarithmic = c->y.logarithmic = 1;
    c->y.label = "attributes";
    c->legend_width = 220;
    c->plot_height = 230;
    fill_panel(s, varied, &panels[varied], c);
    shown += c->series_count > 0;
  }
  chart_draw(&p, charts, shown);
  free(panels);
  return svg_save(&p, s->request->folder, "scaling", ".svg", error);
}

static void summarise(const scaling *s, svg_text *summary) {
  static const char *const of[] = {"d", "K", "1/eps"};
  for (size_t i = 0; i < s->exponent_count; i++) {
    const scaling_exponent *e = &s->exponents[i];
    svg_put(summary, "%-14s attributes grow like %-5s to the power %5.2f +- %.2f", e->row->algorithm, of[e->varied],
            e->line.slope, e->line.error);
    if (isfinite(e->paper)) svg_put(summary, "; the paper's bound like %.2f", e->paper);
    svg_put(summary, "\n");
  }
  svg_put(summary, "%s/scaling.csv, -curves.csv, -exponents.csv and .svg are written\n", s->request->folder);
}

static scant_status write_files(const scaling *s, svg_text *summary, scant_error *error) {
  scant_status status = write_points(s, error);
  if (status == SCANT_OK) status = write_curves(s, error);
  if (status == SCANT_OK) status = write_exponents(s, error);
  if (status == SCANT_OK) status = write_picture(s, error);
  if (status == SCANT_OK) summarise(s, summary);
  return status;
}

scant_status scaling_run(const theory_request *request, svg_text *summary, scant_error *error) {
  scaling *s = calloc(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  s->request = request;
  plan(s);
  scant_status status = pool_run(s->curve_count, run_job, s, &request->pool, error);
  for (size_t r = 0; status == SCANT_OK && r < sizeof rows / sizeof *rows; r++)
    if (theory_wants(request, rows[r].algorithm)) measure_row(s, &rows[r]);
  if (status == SCANT_OK) status = write_files(s, summary, error);
  free(s);
  return status;
}
