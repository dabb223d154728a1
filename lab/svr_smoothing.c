/* Support-vector regression with different smoothings, at equal expected
 * attributes: aesvr, coinflip with the same smoothing and K, and full-svr on as
 * many whole examples as the budget pays for.
 *
 * The instances are dense (theory.h).  On them a large smoothing, which makes
 * the loss nearly squared, changes the best w.  A small smoothing makes GenEst's
 * second moment grow like exp(4 (residual/smoothing)^2) [HK12, thm 4.4 rests on
 * exp(O(log^2 1/smoothing))].  The excess risk is that of the insensitive loss
 * without smoothing.
 *
 * A run of aesvr whose gradient overflows has failed: it is counted, and left
 * out of the other numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/chart/chart.h"
#include "numbers.h"
#include "scant_base.h"
#include "scant_dense.h"
#include "theory.h"

enum { D = 64, K = 16, BUDGETS = 2, SMOOTHINGS = 8, AESVR = 0, COINFLIP = 1, FULL = 2, KINDS = 3 };
enum { CASES = BUDGETS * (2 * SMOOTHINGS + 1) };

static const uint64_t budgets[BUDGETS] = {1 << 16, 1 << 20};
static const double smoothings[SMOOTHINGS] = {4, 2, 1.4, 1, 0.7, 0.5, 0.35, 0.25};
#define FLOOR 1e-5 /* the lower edge of the picture; full-svr is exact up to its tolerance */
static const measure plain = {.loss = SCANT_LOSS_INSENSITIVE, .norm = SCANT_NORM_2, .tube = 0.1};

const char *const svr_algorithms[] = {"aesvr", "coinflip", "full-svr", NULL};

/* One algorithm with one smoothing (full-svr has none) and budget. */
typedef struct {
  int kind;
  size_t budget;
  double smoothing;
  double *excess, *bought; /* [run]; NAN: failed */
  /* of the runs that did not fail */
  spread spread;
  double mean_bought;
  size_t failed;
} svr_case;

typedef struct {
  const theory_request *request;
  svr_case cases[CASES];
  size_t count;
  double zero;
} plan;

/* ---- the runs -------------------------------------------------------------- */

/* Runs full-svr through a meter, as 'scant fit' does. */
static scant_status solve(const instance *i, uint64_t n, uint64_t seed, double *w, uint64_t *bought,
                          scant_error *error) {
  uint64_t random = ~seed;
  uint32_t all[D];
  double *x = malloc(n * D * sizeof *x), *y = malloc(n * sizeof *y);
  scant_look everything = {.count = D, .attributes = all};
  scant_settings settings;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  scant_status status = x && y ? SCANT_OK : SCANT_MEMORY;
  for (uint32_t j = 0; j < D; j++) all[j] = j;
  for (uint64_t t = 0; status == SCANT_OK && t < n; t++) instance_draw(i, &random, &everything, x + t * D, y + t);
  scant_settings_init(&settings);
  settings.learning.algorithm = "full-svr";
  settings.run.shuffle = 0; /* they are in random order already */
  if (status == SCANT_OK)
    status = scant_source_wrap(&source, SCANT_FLOAT64, x, n, D, D * sizeof *x, sizeof *x, y, error);
  if (status == SCANT_OK) status = fit_whole(&fit, &model, &settings, source, error);
  if (status == SCANT_OK) {
    memcpy(w, scant_model_weights(model), D * sizeof *w);
    *bought = scant_fit_ledger(fit)->attributes_bought;
  }
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  free(x);
  free(y);
  return status;
}

static scant_status run_job(void *user, size_t job, scant_error *error) {
  const plan *all = user;
  size_t run = job / all->count;
  const svr_case *c = &all->cases[job % all->count];
  uint64_t seed = theory_seed(all->request, c->budget, run), budget = budgets[c->budget], count;
  double w[D];
  instance i;
  scant_status status = instance_new(&i, INSTANCE_DENSE, D, 0, 0, seed);
  if (status != SCANT_OK) return status;
  if (c->kind == FULL) {
    status = solve(&i, budget / D, seed, w, &count, error);
  } else {
    lesson l = {svr_algorithms[c->kind], K, c->smoothing, budget / K, seed};
    status = lesson_run(&l, &i, w, &count, error);
  }
  int failed = status == SCANT_DATA && c->kind == AESVR;
  if (status == SCANT_OK || failed) {
    c->excess[run] = failed ? NAN : instance_excess(&i, &plain, w);
    c->bought[run] = failed ? NAN : (double)count;
    status = SCANT_OK;
  }
  instance_free(&i);
  return status;
}

static int add_case(plan *all, int kind, size_t budget, double smoothing) {
  svr_case *c = &all->cases[all->count++];
  *c = (svr_case){.kind = kind, .budget = budget, .smoothing = smoothing};
  c->excess = calloc(all->request->runs, sizeof *c->excess);
  c->bought = calloc(all->request->runs, sizeof *c->bought);
  return c->excess && c->bought;
}

/* full-svr takes longest and comes first. */
static int make_plan(plan *all) {
  int good = 1;
  for (int kind = KINDS - 1; kind >= 0; kind--) {
    if (!theory_wants(all->request, svr_algorithms[kind])) continue;
    for (size_t b = 0; b < BUDGETS; b++)
      for (size_t s = 0; s < (kind == FULL ? 1 : SMOOTHINGS); s++)
        good = add_case(all, kind, b, kind == FULL ? 0 : smoothings[s]) && good;
  }
  instance i;
  if (!good || instance_new(&i, INSTANCE_DENSE, D, 0, 0, 1) != SCANT_OK) return 0;
  all->zero = instance_zero_excess(&i, &plain);
  instance_free(&i);
  return 1;
}

/* Drops the failed runs, then sorts the others. */
static void settle(svr_case *c, size_t runs) {
  size_t n = 0;
  for (size_t run = 0; run < runs; run++) {
    if (isnan(c->excess[run])) continue;
    c->excess[n] = c->excess[run];
    c->bought[n++] = c->bought[run];
  }
  c->failed = runs - n;
  c->spread = spread_of(c->excess, n);
  c->mean_bought = spread_of(c->bought, n).mean;
}

/* ---- files ----------------------------------------------------------------- */

static scant_status write_csv(const plan *all, scant_error *error) {
  svg_text p = {0};
  svg_put(&p,
          "experiment,algorithm,smoothing,budget,k,examples,attributes_bought,mean,sd,q10,median,q90,zero,runs,failed"
          "\n");
  for (size_t i = 0; i < all->count; i++) {
    const svr_case *c = &all->cases[i];
    uint64_t k = c->kind == FULL ? D : K, budget = budgets[c->budget];
    const spread *s = &c->spread;
    svg_put(&p, "svr,%s,", svr_algorithms[c->kind]);
    if (c->kind != FULL) svg_put(&p, "%g", c->smoothing);
    svg_put(&p, ",%llu,%llu,%llu,", (unsigned long long)budget, (unsigned long long)k,
            (unsigned long long)(budget / k));
    if (c->failed < all->request->runs)
      svg_put(&p, "%.1f,%.8f,%.8f,%.8f,%.8f,%.8f", c->mean_bought, s->mean, s->sd, s->q10, s->median, s->q90);
    else
      svg_put(&p, ",,,,,");
    svg_put(&p, ",%.8f,%zu,%zu\n", all->zero, all->request->runs, c->failed);
  }
  return svg_save(&p, all->request->folder, "svr", ".csv", error);
}

typedef struct {
  chart_point points[KINDS + 1][SMOOTHINGS];
  chart_series series[KINDS + 1];
  char title[128];
} panel;

static void fill_panel(const plan *all, size_t budget, panel *g, chart *picture) {
  size_t n = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
      const svr_case *c = &all->cases[i];
      const spread *s = &c->spread;
      if (c->kind != kind || c->budget != budget) continue;
      for (size_t end = 0; end < (kind == FULL ? 2 : 1); end++) /* full-svr is a level line */
        g->points[n][count++] = (chart_point){kind == FULL ? smoothings[end ? SMOOTHINGS - 1 : 0] : c->smoothing,
                                              fmax(s->median, FLOOR), s->q10, s->q90};
    }
    if (count) g->series[n] = (chart_series){svr_algorithms[kind], kind, CHART_SOLID, g->points[n], count};
    n += count > 0;
  }
  for (size_t end = 0; end < 2; end++)
    g->points[n][end] = (chart_point){smoothings[end ? SMOOTHINGS - 1 : 0], all->zero, 0, 0};
  g->series[n] = (chart_series){"w = 0", -1, CHART_DASHED, g->points[n], 2};
  snprintf(g->title, sizeof g->title, "Support-vector regression: %llu attributes, d = %d, K = %d on average",
           (unsigned long long)budgets[budget], D, K);
  *picture = (chart){.title = g->title,
                     .x = {.label = "smoothing", .logarithmic = 1, .ticks = smoothings, .tick_count = SMOOTHINGS},
                     .y = {.label = "excess risk (insensitive loss)", .logarithmic = 1, .low = FLOOR, .high = 0.4},
                     .series = g->series,
                     .series_count = n + 1,
                     .plot_height = 290};
}

static scant_status write_picture(const plan *all, scant_error *error) {
  panel *panels = calloc(BUDGETS, sizeof *panels);
  chart charts[BUDGETS];
  svg_text p = {0};
  if (panels) {
    for (size_t b = 0; b < BUDGETS; b++) fill_panel(all, b, &panels[b], &charts[b]);
    charts[BUDGETS - 1].captions[0] = "Median of the runs, with bars from the 10% to the 90% quantile.";
    charts[BUDGETS - 1].captions[1] =
        "full-svr has no smoothing and sees d/K times fewer examples; at the lower edge it is below 0.00001.";
    chart_draw(&p, charts, BUDGETS);
    free(panels);
  } else {
    p.failed = 1;
  }
  return svg_save(&p, all->request->folder, "svr", ".svg", error);
}

/* The smoothing that did best, by the median. */
static void summarise(const plan *all, svg_text *summary) {
  for (int kind = 0; kind < KINDS; kind++) {
    for (size_t b = 0; b < BUDGETS; b++) {
      const svr_case *best = NULL;
      size_t failed = 0;
      for (size_t i = 0; i < all->count; i++) {
        const svr_case *c = &all->cases[i];
        if (c->kind != kind || c->budget != b) continue;
        failed += c->failed;
        if (!best || c->spread.median < best->spread.median) best = c;
      }
      if (!best) continue;
      svg_put(summary, "%-9s %7llu attributes: excess %.5f", svr_algorithms[kind], (unsigned long long)budgets[b],
              best->spread.median);
      if (kind != FULL) svg_put(summary, " at its best smoothing, %g", best->smoothing);
      if (failed) svg_put(summary, "; %zu runs failed", failed);
      svg_put(summary, "\n");
    }
  }
  svg_put(summary, "w = 0     excess %.5f\n%s/svr.csv and .svg are written\n", all->zero, all->request->folder);
}

scant_status svr_run(const theory_request *request, svg_text *summary, scant_error *error) {
  plan all = {.request = request};
  scant_status status = make_plan(&all) ? pool_run(all.count * request->runs, run_job, &all, &request->pool, error)
                                        : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < all.count; i++) settle(&all.cases[i], request->runs);
  if (status == SCANT_OK) status = write_csv(&all, error);
  if (status == SCANT_OK) status = write_picture(&all, error);
  if (status == SCANT_OK) summarise(&all, summary);
  for (size_t i = 0; i < all.count; i++) {
    free(all.cases[i].excess);
    free(all.cases[i].bought);
  }
  return status;
}
