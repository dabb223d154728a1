/* The curves as CSV, in words and as SVG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "curve.h"

/* Puts a comma and a number; nothing behind the comma if the number is not finite. */
static void put_field(svg_text *p, const char *format, double x) {
  svg_put(p, ",");
  if (isfinite(x)) svg_put(p, format, x);
}

static double money_of(const curve_request *r, double money) {
  return r->settings.run.costs ? money : NAN;
}

static scant_status write_means(const curve_request *r, const char *folder, scant_error *error) {
  svg_text p = {0};
  svg_put(&p, "algorithm,point,attributes_bought,examples,money,squared_error,sd,absolute_error,r2,accuracy,runs\n");
  for (size_t e = 0; e < r->entry_count; e++) {
    for (size_t i = 0; i < r->plan.points; i++) {
      scant_curve_mean m;
      if (!scant_curves_mean(&r->plan, r->points, e, i, &m)) continue;
      svg_put(&p, "%s,%zu", r->labels[e], i + 1);
      put_field(&p, "%.2f", m.attributes);
      put_field(&p, "%.2f", m.examples);
      put_field(&p, "%.4f", money_of(r, m.money));
      put_field(&p, "%.9g", m.squared_error);
      put_field(&p, "%.9g", m.sd);
      put_field(&p, "%.9g", m.absolute_error);
      put_field(&p, "%.6f", m.r2);
      put_field(&p, "%.6f", m.accuracy);
      svg_put(&p, ",%zu\n", r->plan.runs);
    }
  }
  return svg_save(&p, folder, "curve", ".csv", error);
}

static void put_run(svg_text *p, const curve_request *r, const scant_curve_point *q) {
  svg_put(p, ",%llu,%llu", (unsigned long long)q->attributes, (unsigned long long)q->examples);
  put_field(p, "%.2f", money_of(r, (double)q->money / 100));
  put_field(p, "%.17g", q->scores.squared_error);
  put_field(p, "%.17g", q->scores.absolute_error);
  put_field(p, "%.17g", q->scores.r2);
  put_field(p, "%.17g", q->scores.accuracy);
  put_field(p, "%.9g", q->risk);
  put_field(p, "%.9g", q->risk_error);
  svg_put(p, "\n");
}

/* Writes every run, at the points that it reached while it had examples. */
static scant_status write_runs(const curve_request *r, const char *folder, scant_error *error) {
  svg_text p = {0};
  svg_put(&p,
          "algorithm,run,seed,point,attributes_bought,examples,money,squared_error,absolute_error,r2,accuracy,risk,"
          "risk_error\n");
  for (size_t e = 0; e < r->entry_count; e++) {
    for (size_t run = 0; run < r->plan.runs; run++) {
      const scant_curve_point *points = r->points + (e * r->plan.runs + run) * r->plan.points;
      unsigned long long seed = r->plan.seed + run;
      for (size_t i = 0; i < r->plan.points; i++) {
        if (!points[i].reached || points[i].over) continue;
        svg_put(&p, "%s,%zu,%llu,%zu", r->labels[e], run + 1, seed, i + 1);
        put_run(&p, r, &points[i]);
      }
    }
  }
  return svg_save(&p, folder, "curve-runs", ".csv", error);
}

/* ---- in words -------------------------------------------------------------------------- */

static void put_words(const curve_request *r, const char *folder, svg_text *words) {
  int width = 0;
  for (size_t e = 0; e < r->entry_count; e++)
    if ((int)strlen(r->labels[e]) > width) width = (int)strlen(r->labels[e]);
  for (size_t e = 0; e < r->entry_count; e++) {
    scant_curve_mean s;
    size_t last = r->plan.points;
    while (last && !scant_curves_mean(&r->plan, r->points, e, last - 1, &s)) last--;
    svg_put(words, "%-*s  ", width, r->labels[e]);
    if (!last) {
      svg_put(words, "no point: the budget does not pay for enough examples\n");
      continue;
    }
    svg_put(words, "squared error %.4g +- %.4g", s.squared_error, s.sd);
    if (isfinite(s.r2)) svg_put(words, ", R^2 %.3f", s.r2);
    if (isfinite(s.accuracy)) svg_put(words, ", accuracy %.3f", s.accuracy);
    svg_put(words, " at %.0f attributes of %.0f examples", s.attributes, s.examples);
    if (r->settings.run.costs) svg_put(words, ", money %.2f", s.money);
    svg_put(words, "\n");
  }
  svg_put(words, "%s/curve.csv, -runs.csv, .svg%s and -examples.svg are written\n", folder,
          r->settings.run.costs ? ", -money.svg" : "");
}

scant_status curve_write(const curve_request *request, const char *folder, svg_text *words, scant_error *error) {
  scant_status status = write_means(request, folder, error);
  if (status == SCANT_OK) status = write_runs(request, folder, error);
  if (status == SCANT_OK) put_words(request, folder, words);
  return status;
}

/* ---- as SVG ------------------------------------------------------------------------- */

typedef enum { BY_ATTRIBUTES, BY_EXAMPLES, BY_MONEY } across;

enum { LEGEND_LEAST = 140, LEGEND_MOST = 300, LEGEND_LINE = 54, LETTER = 7, TICKS = 5 };

typedef struct {
  chart_point *points; /* [entry][point] */
  chart_series series[CURVE_ENTRIES];
  char names[CURVE_ENTRIES][CURVE_LABEL + 4];
  double ticks[TICKS];
  int legend_width;
} drawing;

/* A label too long for the legend loses its last words. */
static void shorten(const char *label, char *name, size_t size) {
  size_t most = (LEGEND_MOST - LEGEND_LINE) / LETTER, length = strlen(label);
  if (length > most) {
    length = most - 3;
    while (length && label[length] != ' ') length--;
  }
  snprintf(name, size, "%.*s%s", (int)length, label, label[length] ? " ..." : "");
}

/* Algorithms that see everything are dashed. */
static void add_series(drawing *g, const curve_request *r, across by) {
  g->legend_width = LEGEND_LEAST;
  for (size_t e = 0; e < r->entry_count; e++) {
    chart_point *points = g->points + e * r->plan.points;
    size_t count = 0;
    for (size_t i = 0; i < r->plan.points; i++) {
      scant_curve_mean s;
      if (!scant_curves_mean(&r->plan, r->points, e, i, &s)) continue;
      double x = by == BY_ATTRIBUTES ? s.attributes : by == BY_EXAMPLES ? s.examples : s.money;
      points[count++] = (chart_point){x, s.squared_error, s.squared_error - s.sd, s.squared_error + s.sd};
    }
    shorten(r->labels[e], g->names[e], sizeof g->names[e]);
    int width = LEGEND_LINE + LETTER * (int)strlen(g->names[e]);
    if (width > g->legend_width) g->legend_width = width;
    g->series[e] =
        (chart_series){g->names[e], (int)e, curve_sees_all(r, e) ? CHART_DASHED : CHART_SOLID, points, count};
  }
}

/* At most five round numbers, since the numbers of a budget are long. */
static void set_ticks(drawing *g, chart_axis *axis, double farthest) {
  if (!(farthest > 0)) return;
  double power = pow(10, floor(log10(farthest / TICKS))), step = 10 * power;
  if (5 * power * TICKS >= farthest) step = 5 * power;
  if (2 * power * TICKS >= farthest) step = 2 * power;
  for (; axis->tick_count < TICKS && (double)(axis->tick_count + 1) * step <= farthest; axis->tick_count++)
    g->ticks[axis->tick_count] = (double)(axis->tick_count + 1) * step;
  axis->ticks = g->ticks;
}

/* An algorithm that does not suit the data can have much larger errors than the others.  Then the axis is logarithmic,
 * and bars that would reach below 0 go up only.  Otherwise the range follows the means, not the bars. */
static void set_axes(drawing *g, const curve_request *r, across by, chart *picture) {
  double least = INFINITY, most = 0, low = INFINITY, high = 0, farthest = 0;
  for (size_t e = 0; e < r->entry_count; e++) {
    for (size_t i = 0; i < g->series[e].count; i++) {
      const chart_point *q = &g->series[e].points[i];
      least = fmin(least, q->y);
      most = fmax(most, q->y);
      low = fmin(low, q->low);
      high = fmax(high, q->high);
      farthest = fmax(farthest, q->x);
    }
  }
  static const char *const labels[] = {"attributes bought", "examples (labels) seen", "money spent"};
  picture->x = (chart_axis){.label = labels[by], .logarithmic = by == BY_EXAMPLES};
  if (by != BY_EXAMPLES) set_ticks(g, &picture->x, farthest);
  picture->y = (chart_axis){.label = "test squared error", .logarithmic = least > 0 && most > 8 * least};
  for (size_t i = 0; picture->y.logarithmic && i < r->entry_count * r->plan.points; i++)
    if (!(g->points[i].low > 0)) g->points[i].low = g->points[i].y;
  if (picture->y.logarithmic || !(high > low)) return;
  double room = most > least ? 0.2 * (most - least) : high - low;
  picture->y.low = fmax(0, fmax(low, least - room) - 0.02 * room);
  picture->y.high = fmin(high, most + room) + 0.02 * room;
}

typedef struct {
  char title[200], captions[2][256];
} legend;

static void describe(legend *l, const curve_request *r, across by) {
  char name[80];
  unsigned long long common = curve_common_k(r), k = common ? common : r->dimension;
  int differ = !common && curve_largest_k(r);
  chart_name_file(r->data, 2, name, sizeof name);
  if (common)
    snprintf(l->title, sizeof l->title, "%s: at most %llu of %zu attributes per example", name, k, r->dimension);
  else
    snprintf(l->title, sizeof l->title, "%s: %zu attributes", name, r->dimension);
  snprintf(l->captions[0], sizeof l->captions[0],
           "Mean and standard deviation of %zu %s; dashed: all attributes are seen.", r->plan.runs,
           r->test ? "orders of the examples" : "random splits");
  if (k == r->dimension && !differ) return;
  if (by != BY_MONEY &&
      (differ || r->settings.run.costs)) { /* attributes that are free or in a group count otherwise */
    snprintf(l->captions[1], sizeof l->captions[1],
             "At equal attributes a learner that looks at few of them sees more labels than one that sees them all.");
    return;
  }
  if (by == BY_MONEY && differ)
    snprintf(l->captions[1], sizeof l->captions[1],
             "At equal money a learner that looks at few attributes sees more labels than one that sees all.");
  else if (by == BY_MONEY)
    snprintf(l->captions[1], sizeof l->captions[1],
             "At equal money a learner that looks at %llu of %zu attributes sees more labels than one that sees all.",
             k, r->dimension);
  else
    snprintf(l->captions[1], sizeof l->captions[1],
             "At equal attributes a learner that looks at %llu of %zu sees %.3g times as many labels as one that sees "
             "them all.",
             k, r->dimension, (double)r->dimension / (double)k);
}

static scant_status write_svg(const curve_request *r, across by, const char *folder, scant_error *error) {
  static const char *const ends[] = {".svg", "-examples.svg", "-money.svg"};
  legend l = {0};
  drawing *g = calloc(1, sizeof *g);
  if (g) g->points = calloc(r->entry_count * r->plan.points, sizeof *g->points);
  if (!g || !g->points) {
    free(g);
    return scant_fail_memory(error);
  }
  describe(&l, r, by);
  add_series(g, r, by);
  chart picture = {.title = l.title,
                   .series = g->series,
                   .series_count = r->entry_count,
                   .captions = {l.captions[0], l.captions[1][0] ? l.captions[1] : NULL},
                   .legend_width = g->legend_width};
  set_axes(g, r, by, &picture);
  svg_text p = {0};
  chart_draw(&p, &picture, 1);
  free(g->points);
  free(g);
  return svg_save(&p, folder, "curve", ends[by], error);
}

scant_status curve_draw(const curve_request *request, const char *folder, scant_error *error) {
  scant_status status = SCANT_OK;
  int last = request->settings.run.costs ? BY_MONEY : BY_EXAMPLES;
  for (int by = BY_ATTRIBUTES; status == SCANT_OK && by <= last; by++)
    status = write_svg(request, (across)by, folder, error);
  return status;
}
