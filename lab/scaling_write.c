/* Writes the results of `scaling` as CSV and as SVG, and sums them up in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/chart/chart.h"
#include "scaling.h"

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

scant_status scaling_write(const scaling *s, svg_text *summary, scant_error *error) {
  scant_status status = write_points(s, error);
  if (status == SCANT_OK) status = write_curves(s, error);
  if (status == SCANT_OK) status = write_exponents(s, error);
  if (status == SCANT_OK) status = write_picture(s, error);
  if (status == SCANT_OK) summarise(s, summary);
  return status;
}
