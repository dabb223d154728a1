/* The plan as SVG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chart/chart.h"
#include "plan_session.h"

enum { STEPS_MOST = 16, LINES = 2, RUNS_MOST = 1000 /* as option runs has it */ };

typedef struct {
  chart_point points[PLAN_K_MOST][STEPS_MOST]; /* with the spread, for the band */
  chart_point means[PLAN_K_MOST][STEPS_MOST];  /* without it, for the lines */
  size_t counts[PLAN_K_MOST], banded[PLAN_K_MOST];
  char names[PLAN_K_MOST][32];
  chart_point level[LINES][2]; /* the least error, the wanted one */
  chart_series series[2 * PLAN_K_MOST + LINES];
  size_t count;
  double least, most, nearest, farthest;
  char title[200], captions[3][200];
} drawing;

/* The mean of a step over the runs, with their standard deviation; 0: not every run has it. */
static int mean_point(const plan_session *s, size_t k, size_t step, chart_point *q) {
  double n = (double)s->facts.runs, squares = 0;
  scant_plan_point p;
  *q = (chart_point){0};
  for (size_t run = 0; run < s->facts.runs; run++) {
    if (!scant_plan_point_at(s->plan, k, run, step, &p)) return 0;
    q->x += (double)p.money / 100 / n;
    q->y += p.error / n;
  }
  for (size_t run = 0; run < s->facts.runs && scant_plan_point_at(s->plan, k, run, step, &p); run++)
    squares += (p.error - q->y) * (p.error - q->y);
  double sd = n > 1 ? sqrt(squares / (n - 1)) : 0;
  q->low = q->y - sd;
  q->high = q->y + sd;
  return 1;
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

/* The error of a run at a step, or where it had ended before, at the wanted error; 0: it has none by then. */
static int error_by(const plan_session *s, size_t k, size_t run, size_t step, double *error, double *money) {
  scant_plan_point p;
  for (size_t at = step + 1; at--;) {
    if (!scant_plan_point_at(s->plan, k, run, at, &p)) continue;
    *error = p.error;
    *money = at == step ? (double)p.money / 100 : NAN;
    return at == step || p.error <= s->request.reach;
  }
  return 0;
}

/* The median of a step over the runs, and their range.  Runs that have come to the wanted error stay where they are. */
static int median_point(const plan_session *s, size_t k, size_t step, chart_point *q) {
  static double errors[RUNS_MOST];
  size_t n = s->facts.runs, paid = 0;
  *q = (chart_point){0};
  for (size_t run = 0; run < n; run++) {
    double money;
    if (!error_by(s, k, run, step, &errors[run], &money)) return 0;
    if (isnan(money)) continue;
    q->x += money;
    paid++;
  }
  if (!paid) return 0;
  q->x /= (double)paid;
  qsort(errors, n, sizeof *errors, ascending);
  q->y = n % 2 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
  q->low = errors[0];
  q->high = errors[n - 1];
  return q->y > s->request.reach && !(q->x >= s->entries[k].reach_money);
}

static void add_point(drawing *g, const plan_session *s, size_t k, size_t at, const chart_point *q) {
  g->points[k][at] = *q;
  g->means[k][at] = (chart_point){.x = q->x, .y = q->y};
  g->most = fmax(g->most, q->y);
  g->nearest = fmin(g->nearest, q->x);
  g->farthest = fmax(g->farthest, q->x);
  if (k != s->facts.recommended) return; /* the others have no band */
  g->least = fmin(g->least, q->low);
  g->most = fmax(g->most, fmin(q->high, s->facts.variance));
}

/* A line begins where it is better than the mean alone.  For a wanted error it ends where half of the runs have come to
 * that. */
static void gather_line(drawing *g, const plan_session *s, size_t k) {
  int reach = s->request.reach > 0;
  const scant_plan_entry *e = &s->entries[k];
  size_t count = 0;
  for (size_t step = 0; step < s->facts.steps && count + 1 < STEPS_MOST; step++) {
    chart_point q;
    if (!(reach ? median_point(s, k, step, &q) : mean_point(s, k, step, &q))) continue;
    if (!count && step < s->facts.step && q.y > s->facts.variance) continue;
    add_point(g, s, k, count++, &q);
  }
  g->banded[k] = count;
  if (reach && e->reached && isfinite(e->reach_money)) {
    double y = s->request.reach, mark = 0.012 * s->facts.variance;
    add_point(g, s, k, count, &(chart_point){.x = e->reach_money, .y = y, .low = y, .high = y});
    g->means[k][count].low = y - mark; /* a stroke across, so that it is seen even if it is the only point */
    g->means[k][count++].high = y + mark;
  }
  g->counts[k] = count;
}

static void add_line(drawing *g, const plan_session *s, size_t k) {
  const scant_plan_entry *e = &s->entries[k];
  int taken = k == s->facts.recommended, whole = e->k == s->facts.dimension;
  if (!g->counts[k]) return; /* it would have a name, and no line */
  snprintf(g->names[k], sizeof g->names[k], "K = %llu%s", (unsigned long long)e->k, whole ? ", whole" : "");
  chart_style style = taken ? CHART_BOLD : whole ? CHART_DASHED : CHART_SOLID;
  g->series[g->count++] = (chart_series){g->names[k], (int)k, style, g->means[k], g->counts[k]};
}

/* 1, 2 or 5 times a power of ten: the largest that is not above x, or the least that is not below it. */
static double round_out(double x, int up) {
  static const double parts[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(x)));
  for (size_t i = 0; up && i < 4; i++)
    if (parts[i] * power >= x * (1 - 1e-9)) return parts[i] * power;
  for (size_t i = 3; i--;)
    if (parts[i] * power <= x * (1 + 1e-9)) return parts[i] * power;
  return power;
}

static void add_level(drawing *g, size_t line, double error, const char *name) {
  g->level[line][0] = (chart_point){.x = g->nearest, .y = error};
  g->level[line][1] = (chart_point){.x = g->farthest, .y = error};
  g->least = fmin(g->least, error);
  g->most = fmax(g->most, error);
  g->series[g->count++] = (chart_series){name, -1, line ? CHART_DASHED : CHART_THIN, g->level[line], 2};
}

static void describe(drawing *g, const plan_session *s) {
  const scant_plan_facts *f = &s->facts;
  char name[100];
  chart_name_file(s->pilot, 1, name, sizeof name);
  snprintf(g->title, sizeof g->title, "Plan from %s: %zu attributes", name, f->dimension);
  const char *what = s->request.reach > 0 ? "Medians" : "Means";
  if (f->pilot_examples)
    snprintf(g->captions[0], sizeof g->captions[0],
             "%s of %zu simulated fits, each in a world of its own, from %llu examples.", what, f->runs,
             (unsigned long long)f->pilot_examples);
  else
    snprintf(g->captions[0], sizeof g->captions[0],
             "%s of %zu simulated fits from a model; its own uncertainty is not in them.", what, f->runs);
  snprintf(g->captions[2], sizeof g->captions[2],
           "A line ends with a stroke where half of its runs have come to the wanted error.");
  if (f->recommended < f->k_count)
    snprintf(g->captions[1], sizeof g->captions[1], "Bold: K = %llu, the one to take, with %s.",
             (unsigned long long)s->entries[f->recommended].k,
             s->request.reach > 0 ? "the range of its runs" : "the standard deviation of its fits");
  if (f->worse_than_mean && !(s->request.reach > 0))
    snprintf(g->captions[1], sizeof g->captions[1], "No K is expected to be better than the mean alone.");
  if (f->recommended >= f->k_count) snprintf(g->captions[1], sizeof g->captions[1], "No K comes to the wanted error.");
}

static void draw(drawing *g, const plan_session *s, svg_text *p) {
  const char *label = s->prices && s->request.unit == SCANT_CURVE_MONEY ? "money" : "attributes bought";
  if (s->request.label_cost) label = "money, with the labels";
  double room = 0.05 * (g->most - fmax(g->least, 0));
  chart picture = {.title = g->title,
                   .series = g->series,
                   .series_count = g->count,
                   .captions = {g->captions[0], g->captions[1], s->request.reach > 0 ? g->captions[2] : NULL},
                   .x = {.label = label, .logarithmic = 1, .low = g->nearest, .high = g->farthest},
                   .y = {.label = "squared error", .low = fmax(g->least, 0) - room, .high = g->most + room}};
  if (picture.y.low < 0) picture.y.low = 0;
  chart_draw(p, &picture, 1);
}

scant_status plan_draw(const plan_session *session, const char *path, scant_error *error) {
  drawing *g = calloc(1, sizeof *g);
  svg_text p = {0};
  if (!g) return scant_fail_memory(error);
  g->least = g->nearest = INFINITY;
  for (size_t k = 0; k < session->facts.k_count; k++) gather_line(g, session, k);
  size_t taken = session->facts.recommended;
  if (taken < session->facts.k_count && session->facts.runs > 1)
    g->series[g->count++] = (chart_series){NULL, (int)taken, CHART_BAND, g->points[taken], g->banded[taken]};
  g->nearest = round_out(g->nearest, 0);
  g->farthest = round_out(g->farthest, 1);
  for (size_t k = 0; k < session->facts.k_count; k++) add_line(g, session, k);
  add_level(g, 0, session->facts.least, "least");
  if (session->request.reach > 0) add_level(g, 1, session->request.reach, "wanted");
  describe(g, session);
  draw(g, session, &p);
  free(g);
  return svg_save_at(&p, path, error);
}
