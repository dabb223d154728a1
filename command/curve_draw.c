/* The curves as SVG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "curve.h"

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
