/* Writes the results of a figure as CSV and as SVG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/chart/chart.h"
#include "figures.h"
#include "numbers.h"
#include "scant_base.h"
#include "command/chart/svg_text.h"

summary results_summary(const results *r, size_t c, size_t point) {
  summary s = {.attributes = (double)(r->figure->attributes * (point + 1))};
  double *errors = malloc(r->runs * sizeof *errors), n = (double)r->runs;
  if (!errors) return (summary){.mean = NAN, .sd = NAN, .q10 = NAN, .q90 = NAN};
  for (size_t run = 0; run < r->runs; run++) {
    const outcome *o = results_at(r, c, run, point);
    errors[run] = o->error;
    s.examples += (double)o->examples / n;
    s.bought += (double)o->bought / n;
  }
  spread of = spread_of(errors, r->runs);
  s.mean = of.mean;
  s.sd = of.sd;
  s.q10 = of.q10;
  s.q90 = of.q90;
  free(errors);
  return s;
}

static scant_status write_csv(const results *r, const char *folder, scant_error *error) {
  svg_text p = {0};
  svg_put(&p, "figure,algorithm,attributes,examples,attributes_bought,mean,sd,q10,q90,runs,paper_mean,paper_sd\n");
  for (size_t c = 0; c < r->curve_count; c++) {
    for (size_t i = 0; i < POINTS; i++) {
      summary s = results_summary(r, c, i);
      const published_point *q = results_published(r, c, i);
      svg_put(&p, "%s,%s,%.0f,%.0f,%.1f,%.6f,%.6f,%.6f,%.6f,%zu,", r->figure->name, r->curves[c]->name, s.attributes,
              s.examples, s.bought, s.mean, s.sd, s.q10, s.q90, r->runs);
      if (q)
        svg_put(&p, "%.6f,%.6f\n", q->mean, q->bar);
      else
        svg_put(&p, ",\n");
    }
  }
  return svg_save(&p, folder, r->figure->name, ".csv", error);
}

/* ---- pictures ---------------------------------------------------------------- */

typedef struct {
  chart_point points[CURVES_MOST][POINTS], published[CURVES_MOST][POINTS];
  chart_series series[2 * CURVES_MOST];
  size_t series_count;
  double x_ticks[POINTS], y_ticks[32];
} drawing;

/* The paper's curves are faint and behind ours. */
static void add_series(drawing *g, const results *r, int by_examples) {
  for (size_t c = 0; c < r->curve_count; c++) {
    size_t known = 0;
    for (size_t i = 0; i < POINTS; i++) {
      summary s = results_summary(r, c, i);
      g->points[c][i] = (chart_point){by_examples ? s.examples : s.attributes, s.mean, s.mean - s.sd, s.mean + s.sd};
      const published_point *q = results_published(r, c, i);
      if (q)
        g->published[c][known++] = (chart_point){(double)(by_examples ? q->examples : q->attributes), q->mean,
                                                 q->mean - q->bar, q->mean + q->bar};
    }
    if (known) g->series[g->series_count++] = (chart_series){NULL, (int)c, CHART_WIDE, g->published[c], known};
  }
  for (size_t c = 0; c < r->curve_count; c++)
    g->series[g->series_count++] = (chart_series){r->curves[c]->name, (int)c, CHART_SOLID, g->points[c], POINTS};
}

/* The ranges are those of our curves; published curves end at the frame. */
static void set_axes(drawing *g, chart *picture, const results *r, int by_examples) {
  chart_axis x = {.low = INFINITY, .logarithmic = by_examples}, y = {.low = INFINITY, .decimals = 2};
  x.label = by_examples ? "examples (labels) seen" : "attributes bought";
  y.label = "test squared error";
  for (size_t c = 0; c < r->curve_count; c++) {
    for (size_t i = 0; i < POINTS; i++) {
      const chart_point *q = &g->points[c][i];
      x.low = fmin(x.low, q->x);
      x.high = fmax(x.high, q->x);
      y.low = fmin(y.low, q->low);
      y.high = fmax(y.high, q->y);
    }
  }
  y.low = fmax(0, floor(y.low * 20 - 0.5) / 20);
  y.high = fmin(1.05, ceil(y.high * 20 + 0.5) / 20);
  y.ticks = g->y_ticks;
  for (double step = y.high - y.low > 0.5 ? 0.1 : 0.05; y.tick_count < 32; y.tick_count++) {
    g->y_ticks[y.tick_count] = y.low + (double)y.tick_count * step;
    if (g->y_ticks[y.tick_count] > y.high + 1e-9) break;
    g->y_ticks[y.tick_count] = fmin(g->y_ticks[y.tick_count], y.high);
  }
  if (by_examples) {
    x.low /= 1.3;
    x.high *= 1.3;
  } else {
    x.low -= 0.04 * x.high;
    x.high *= 1.02;
    x.ticks = g->x_ticks;
    for (size_t i = 0; i < POINTS; i += 3) g->x_ticks[x.tick_count++] = (double)(r->figure->attributes * (i + 1));
  }
  picture->x = x;
  picture->y = y;
}

static scant_status write_svg(const results *r, int by_examples, const char *folder, scant_error *error) {
  char digits[64], title[256], captions[2][256];
  size_t comma = strcspn(r->pair, ","); /* there is one: classes were read by it */
  snprintf(digits, sizeof digits, "%.*s vs %.20s", (int)comma, r->pair, r->pair + comma + 1);
  snprintf(title, sizeof title, r->figure->title, digits);
  snprintf(captions[0], sizeof captions[0],
           "Mean and standard deviation of %zu splits; wide and faint: the published curves.", r->runs);
  snprintf(captions[1], sizeof captions[1],
           "At equal attributes a learner that looks at %llu of 784 pixels sees %.0f times as many labels as one that "
           "sees them all.",
           (unsigned long long)r->figure->k, 784.0 / (double)r->figure->k);
  drawing *g = calloc(1, sizeof *g);
  if (!g) return scant_fail_memory(error);
  add_series(g, r, by_examples);
  chart picture = {
      .title = title, .series = g->series, .series_count = g->series_count, .captions = {captions[0], captions[1]}};
  set_axes(g, &picture, r, by_examples);
  svg_text p = {0};
  chart_draw(&p, &picture, 1);
  free(g);
  return svg_save(&p, folder, r->figure->name, by_examples ? "-examples.svg" : ".svg", error);
}

scant_status figure_write(const results *r, const char *folder, scant_error *error) {
  scant_status status = write_csv(r, folder, error);
  if (status == SCANT_OK) status = write_svg(r, 0, folder, error);
  if (status == SCANT_OK) status = write_svg(r, 1, folder, error);
  return status;
}
