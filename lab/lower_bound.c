/* Excess risk against attributes read, on the distributions from which the
 * lower bounds are proved.  The bounds are about the worst distribution and say
 * nothing about a single one: while an instance with eps = 1/sqrt|T| is being
 * learned, the next one can't be learned yet.
 *
 * ridge [HK12, thms 2.2 and B.1]: axes with |T| = 1/eps^2 and |T| <= d, since
 * eps = Omega(1/sqrt d).  The best w has 1/sqrt|T| on T, so w = 0 leaves
 * 1/2 - 1/2 (1 - eps)^2 = eps - eps^2/2.  Omega(d/eps^2) attributes are needed.
 *
 * lasso [HK12, thm 2.1]: hidden with a p.  The best w is 2p e_i, w = 0 leaves
 * 1/2 (2p)^2 = 2p^2.  An attribute tells the hidden one by its correlation 2p
 * with y, which takes about 1/p^2 looks at each: Omega(d/eps) in all.
 *
 * The loss is that of the theory, 1/2 (w.x - y)^2. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/chart/chart.h"
#include "numbers.h"
#include "scant_base.h"
#include "theory.h"

enum { PROBLEMS = 2, INSTANCES = 5, RIVALS = 2, MARKS = 14, CURVES = PROBLEMS * INSTANCES * RIVALS };

typedef struct {
  const char *name, *algorithms[RIVALS]; /* limited, full information */
  const char *line, *captions[CHART_CAPTIONS];
  measure measure;
  instance_kind kind;
  uint64_t d, k;
  double instances[INSTANCES]; /* |T| or p; ended by 0 */
  uint64_t first;              /* attributes at the first mark; each next mark has twice as many */
  size_t marks;
  double (*lower)(double d, double a);
  double (*upper)(double d, double k, double m); /* for the limited algorithm; k of its looks are for the gradient */
  const char *upper_name;
} problem;

/* The bound with constant 1 where the theorem holds; else NAN. */
static double ridge_lower(double d, double a) {
  double eps = sqrt(d / a);
  return eps >= 1 / sqrt(d) && eps <= 0.5 ? eps : NAN;
}

static double lasso_lower(double d, double a) {
  double eps = d / a;
  return eps < 1.0 / 16 ? eps : NAN;
}

static double ridge_upper(double d, double k, double m) {
  return 4 * sqrt(2 * d / (k * m));
}

static double lasso_upper(double d, double k, double m) {
  return 4 * sqrt(10 * d * log(2 * d) / (k * m));
}

static const problem problems[PROBLEMS] = {
    {.name = "ridge",
     .algorithms = {"aerr", "online-ridge"},
     .line = "sqrt(d/a)",
     .captions = {"Thin: one instance each, |T| = 4, 16, 64, 256, 1024 (eps = 1/sqrt|T|); bold: the worst of them.",
                  "Dashed: the lower bound's shape with constant 1, where eps >= 1/sqrt d; the upper bound for aerr."},
     .measure = {.loss = SCANT_LOSS_SQUARED, .norm = SCANT_NORM_2},
     .kind = INSTANCE_AXES,
     .d = 1024,
     .k = 8,
     .instances = {4, 16, 64, 256, 1024},
     .first = 1 << 13,
     .marks = 11,
     .lower = ridge_lower,
     .upper = ridge_upper,
     .upper_name = "theorem 3.1"},
    {.name = "lasso",
     .algorithms = {"aelr", "online-lasso"},
     .line = "d/a",
     .captions = {"Thin: one instance each, p = 1/4, 1/8, 1/16, 1/32; bold: the worst of them.",
                  "Dashed: the lower bound's shape with constant 1, where eps < 1/16; the upper bound for aelr.",
                  "Excess risk is that of 1/2 (w.x - y)^2; a is the number of attributes."},
     .measure = {.loss = SCANT_LOSS_SQUARED, .norm = SCANT_NORM_1},
     .kind = INSTANCE_HIDDEN,
     .d = 64,
     .k = 8,
     .instances = {0.25, 0.125, 0.0625, 0.03125},
     .first = 1 << 9,
     .marks = 13,
     .lower = lasso_lower,
     .upper = lasso_upper,
     .upper_name = "theorem 3.4"},
};

const char *const lower_bound_algorithms[] = {"aerr", "online-ridge", "aelr", "online-lasso", NULL};

/* One algorithm on one instance. */
typedef struct {
  const problem *problem;
  size_t rival, place;
  double *excess, *bought; /* [mark][run] */
} curve;

typedef struct {
  const theory_request *request;
  curve curves[CURVES];
  size_t count;
} plan;

/* ---- the runs -------------------------------------------------------------- */

static int sees_all(const problem *p, size_t rival) {
  return scant_algorithm_find(p->algorithms[rival])->whole;
}

static uint64_t looks_of(const problem *p, size_t rival) {
  return sees_all(p, rival) ? p->d : p->k;
}

static uint64_t attributes_at(const problem *p, size_t mark) {
  return p->first << mark;
}

static scant_status run_job(void *user, size_t job, scant_error *error) {
  const plan *all = user;
  const theory_request *q = all->request;
  const curve *c = &all->curves[job % all->count];
  const problem *p = c->problem;
  size_t run = job / all->count;
  double given = p->instances[c->place], *w = malloc(p->d * sizeof *w);
  scant_status status = w ? SCANT_OK : SCANT_MEMORY;
  for (size_t mark = 0; status == SCANT_OK && mark < p->marks; mark++) {
    /* rivals learn from the same instance, not from the same examples */
    uint64_t seed = theory_seed(q, ((size_t)(p - problems) * INSTANCES + c->place) * MARKS + mark, run), count;
    instance i;
    status = instance_new(&i, p->kind, p->d, (size_t)given, given, seed);
    if (status != SCANT_OK) break;
    lesson l = {p->algorithms[c->rival], sees_all(p, c->rival) ? 0 : p->k, 0,
                attributes_at(p, mark) / looks_of(p, c->rival), seed};
    status = lesson_run(&l, &i, w, &count, error);
    if (status == SCANT_OK) {
      c->excess[mark * q->runs + run] = instance_excess(&i, &p->measure, w);
      c->bought[mark * q->runs + run] = (double)count;
    }
    instance_free(&i);
  }
  free(w);
  return status;
}

static int make_plan(plan *all) {
  int good = 1;
  for (size_t n = 0; n < PROBLEMS; n++) {
    for (size_t rival = 0; rival < RIVALS; rival++) {
      if (!theory_wants(all->request, problems[n].algorithms[rival])) continue;
      for (size_t place = 0; place < INSTANCES && problems[n].instances[place] > 0; place++) {
        curve *c = &all->curves[all->count++];
        *c = (curve){.problem = &problems[n], .rival = rival, .place = place};
        c->excess = calloc(MARKS * all->request->runs, sizeof *c->excess);
        c->bought = calloc(MARKS * all->request->runs, sizeof *c->bought);
        good = good && c->excess && c->bought;
      }
    }
  }
  return good;
}

/* Sorts the runs of that mark. */
static spread excess_at(const plan *all, const curve *c, size_t mark) {
  return spread_of(c->excess + mark * all->request->runs, all->request->runs);
}

static double bought_at(const plan *all, const curve *c, size_t mark) {
  return spread_of(c->bought + mark * all->request->runs, all->request->runs).mean;
}

/* The largest mean over the instances, and what was bought there; 0 if the rival was not asked for. */
static double worst_at(const plan *all, const problem *p, size_t rival, size_t mark, double *bought) {
  double worst = 0;
  for (size_t i = 0; i < all->count; i++) {
    const curve *c = &all->curves[i];
    if (c->problem != p || c->rival != rival) continue;
    double mean = excess_at(all, c, mark).mean;
    if (!(mean <= worst)) {
      worst = mean;
      *bought = bought_at(all, c, mark);
    }
  }
  return worst;
}

/* ---- files ----------------------------------------------------------------- */

/* The excess risk of w = 0; the first instance has the largest. */
static double zero_of(const problem *p, size_t place) {
  instance i;
  double given = p->instances[place], zero = NAN;
  if (instance_new(&i, p->kind, p->d, (size_t)given, given, 1) == SCANT_OK) {
    zero = instance_zero_excess(&i, &p->measure);
    instance_free(&i);
  }
  return zero;
}

static void put_curve(svg_text *out, const plan *all, const curve *c) {
  const problem *p = c->problem;
  double given = p->instances[c->place], zero = zero_of(p, c->place);
  for (size_t mark = 0; mark < p->marks; mark++) {
    spread s = excess_at(all, c, mark);
    uint64_t a = attributes_at(p, mark), k = looks_of(p, c->rival);
    double lower = p->lower((double)p->d, (double)a);
    svg_put(out, "lower-bound,%s,%s,%g,%llu,%llu,%llu,%llu,%.1f,%.8f,%.8f,%.8f,%.8f,%.8f,", p->name,
            p->algorithms[c->rival], given, (unsigned long long)p->d, (unsigned long long)k, (unsigned long long)a,
            (unsigned long long)(a / k), bought_at(all, c, mark), s.mean, s.sd, s.q10, s.q90, zero);
    if (isfinite(lower)) svg_put(out, "%.8f", lower);
    svg_put(out, ",%zu\n", all->request->runs);
  }
}

static scant_status write_csv(const plan *all, scant_error *error) {
  svg_text out = {0};
  svg_put(&out,
          "experiment,problem,algorithm,instance,d,k,attributes,examples,attributes_bought,mean,sd,q10,q90,zero,lower,"
          "runs\n");
  for (size_t i = 0; i < all->count; i++) put_curve(&out, all, &all->curves[i]);
  return svg_save(&out, all->request->folder, "lower-bound", ".csv", error);
}

typedef struct {
  chart_point points[RIVALS * (INSTANCES + 1) + 2][MARKS];
  chart_series series[RIVALS * (INSTANCES + 1) + 2];
  size_t count;
  char title[128];
} panel;

static chart_point *add_series(panel *g, const char *name, int colour, chart_style style, size_t count) {
  g->series[g->count] = (chart_series){name, colour, style, g->points[g->count], count};
  return g->points[g->count++];
}

static void add_curves(panel *g, const plan *all, const problem *p) {
  for (size_t i = 0; i < all->count; i++) {
    const curve *c = &all->curves[i];
    if (c->problem != p) continue;
    chart_point *q = add_series(g, NULL, (int)c->rival, CHART_THIN, p->marks);
    for (size_t m = 0; m < p->marks; m++) q[m] = (chart_point){bought_at(all, c, m), excess_at(all, c, m).mean, 0, 0};
  }
  for (size_t rival = 0; rival < RIVALS; rival++) {
    if (!theory_wants(all->request, p->algorithms[rival])) continue;
    chart_point *q = add_series(g, p->algorithms[rival], (int)rival, CHART_BOLD, p->marks);
    for (size_t m = 0; m < p->marks; m++) q[m].y = worst_at(all, p, rival, m, &q[m].x);
  }
}

static void add_lines(panel *g, const problem *p) {
  chart_point *lower = add_series(g, p->line, -1, CHART_DASHED, p->marks);
  chart_point *upper = add_series(g, p->upper_name, 2, CHART_DASHED, p->marks);
  for (size_t m = 0; m < p->marks; m++) {
    double a = (double)attributes_at(p, m), d = (double)p->d, k = (double)p->k;
    double bound = p->upper(d, k - 1, a / k);
    lower[m] = (chart_point){a, p->lower(d, a), 0, 0};
    upper[m] = (chart_point){a, bound < 2 ? bound : NAN, 0, 0};
  }
}

static scant_status write_picture(const plan *all, scant_error *error) {
  panel *panels = calloc(PROBLEMS, sizeof *panels);
  chart charts[PROBLEMS];
  size_t shown = 0;
  svg_text p = {0};
  if (!panels) p.failed = 1;
  for (size_t n = 0; panels && n < PROBLEMS; n++) {
    const problem *q = &problems[n];
    panel *g = &panels[n];
    add_curves(g, all, q);
    if (!g->count) continue;
    add_lines(g, q);
    snprintf(g->title, sizeof g->title, "The lower bound for %s: d = %llu, K = %llu or d", q->name,
             (unsigned long long)q->d, (unsigned long long)q->k);
    chart *c = &charts[shown++];
    *c = (chart){.title = g->title,
                 .x = {.label = "attributes read", .logarithmic = 1},
                 .y = {.label = "excess risk", .logarithmic = 1},
                 .series = g->series,
                 .series_count = g->count,
                 .plot_height = 300};
    memcpy(c->captions, q->captions, sizeof c->captions);
  }
  chart_draw(&p, charts, shown);
  free(panels);
  return svg_save(&p, all->request->folder, "lower-bound", ".svg", error);
}

/* The rate at which the worst excess falls, and how far from the bound it is,
 * where the bound holds and the excess is below half of that of w = 0. */
static void summarise(const plan *all, svg_text *summary) {
  for (size_t n = 0; n < PROBLEMS * RIVALS; n++) {
    const problem *p = &problems[n / RIVALS];
    if (!theory_wants(all->request, p->algorithms[n % RIVALS])) continue;
    double x[MARKS], y[MARKS], bought = 0, least = INFINITY, most = 0, half = zero_of(p, 0) / 2;
    size_t count = 0;
    for (size_t m = 0; m < p->marks; m++) {
      double worst = worst_at(all, p, n % RIVALS, m, &bought), lower = p->lower((double)p->d, bought);
      if (!isfinite(lower) || worst > half) continue;
      least = fmin(least, worst / lower);
      most = fmax(most, worst / lower);
      x[count] = log(bought);
      y[count++] = log(worst);
    }
    fitted_line l = line_fit(x, y, count);
    svg_put(summary, "%-14s worst excess falls like attributes to the power %.2f +- %.2f; %.2f to %.2f times %s\n",
            p->algorithms[n % RIVALS], l.slope, l.error, least, most, p->line);
  }
  svg_put(summary, "%s/lower-bound.csv and .svg are written\n", all->request->folder);
}

scant_status lower_bound_run(const theory_request *request, svg_text *summary, scant_error *error) {
  plan all = {.request = request};
  scant_status status = make_plan(&all) ? pool_run(all.count * request->runs, run_job, &all, &request->pool, error)
                                        : scant_fail_memory(error);
  if (status == SCANT_OK) status = write_csv(&all, error);
  if (status == SCANT_OK) status = write_picture(&all, error);
  if (status == SCANT_OK) summarise(&all, summary);
  for (size_t i = 0; i < all.count; i++) {
    free(all.curves[i].excess);
    free(all.curves[i].bought);
  }
  return status;
}
