/* Writes the curves of few.h as CSV and as SVG, and sums them up in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/chart/chart.h"
#include "few.h"
#include "numbers.h"
#include "scant_base.h"

enum { TOLD = 8 }; /* the number of attributes that the summary is about */

static spread spread_at(const few_results *r, size_t c, size_t k, double *room) {
  for (size_t run = 0; run < r->runs; run++) room[run] = few_at(r, c, run)[k];
  return spread_of(room, r->runs);
}

static scant_status write_csv(const few_results *r, const char *folder, double *room, scant_error *error) {
  svg_text p = {0};
  svg_put(&p, "curve,attributes,mean,sd,q10,q90,runs\n");
  for (size_t c = 0; c < r->curve_count; c++) {
    for (size_t k = 0; k <= r->most; k++) {
      spread s = spread_at(r, c, k, room);
      svg_put(&p, "%s,%zu,%.6f,%.6f,%.6f,%.6f,%zu\n", r->curves[c]->name, k, s.mean, s.sd, s.q10, s.q90, r->runs);
    }
  }
  return svg_save(&p, folder, "few", ".csv", error);
}

/* The area under the curves of a table, with the error of what is known without any purchase and without it: published
 * areas do not say which. */
static spread area_of(const few_results *r, size_t c, size_t first, double *room) {
  for (size_t run = 0; run < r->runs; run++) room[run] = few_area(r, c, run, first);
  return spread_of(room, r->runs);
}

static scant_status write_areas(const few_results *r, const char *folder, double *room, scant_error *error) {
  svg_text p = {0};
  svg_put(&p, "curve,area,area_sd,area_from_1,area_from_1_sd,runs\n");
  for (size_t c = 0; c < r->curve_count; c++) {
    spread with = area_of(r, c, 0, room), without = area_of(r, c, 1, room);
    svg_put(&p, "%s,%.6f,%.6f,%.6f,%.6f,%zu\n", r->curves[c]->name, with.mean, with.sd, without.mean, without.sd,
            r->runs);
  }
  return svg_save(&p, folder, "few-area", ".csv", error);
}

/* ---- the picture ----------------------------------------------------------------- */

typedef struct {
  chart_point points[FEW_CURVES][FEW_MOST + 1];
  chart_series series[FEW_CURVES];
  char title[200], captions[3][160];
  double highest; /* end of an error bar */
} drawing;

static int is_table(const few_results *r) {
  return r->data->range > 0;
}

/* A table has few points, each with its bar, from 0 on.  Of images only the powers of two have bars, since 64 would
 * hide the curves, and the axis is logarithmic. */
static void fill_series(drawing *g, const few_results *r, double *room) {
  for (size_t c = 0; c < r->curve_count; c++) {
    size_t count = 0;
    for (size_t k = is_table(r) ? 0 : 1; k <= r->most; k++) {
      spread s = spread_at(r, c, k, room);
      double bar = !is_table(r) && k & (k - 1) ? NAN : s.sd;
      chart_point *point = &g->points[c][count++];
      *point = (chart_point){(double)k, s.mean, 0, 0};
      if (bar > 0) {
        point->low = s.mean - bar;
        point->high = s.mean + bar;
      }
      g->highest = fmax(g->highest, s.mean + (bar > 0 ? bar : 0));
    }
    const few_curve *curve = r->curves[c];
    int solid = is_table(r) ? curve->training != FEW_FROM_MOMENTS : curve->two_valued;
    int colour = is_table(r) ? (int)c : curve->training == FEW_FROM_MOMENTS;
    g->series[c] = (chart_series){curve->name, colour, solid ? CHART_SOLID : CHART_DASHED, g->points[c], count};
  }
}

static void fill_words(drawing *g, const few_results *r) {
  const few_data *data = r->data;
  unsigned long long k = (unsigned long long)data->k;
  snprintf(g->title, sizeof g->title, "%s: error against %s bought per prediction", data->title,
           is_table(r) ? "attributes" : "pixels");
  snprintf(g->captions[0], sizeof g->captions[0], "Mean of %zu split%s, with bars of one standard deviation%s.",
           r->runs, r->runs == 1 ? "" : "s", is_table(r) ? "" : " at the powers of two");
  if (is_table(r)) {
    snprintf(g->captions[1], sizeof g->captions[1],
             "gaussian: learned from %llu of %zu attributes of every training example; all, fixed: from all of them.",
             k, data->set.d);
    snprintf(g->captions[2], sizeof g->captions[2],
             "fixed: attributes by forward selection, predictions by least squares on them.");
    return;
  }
  snprintf(g->captions[1], sizeof g->captions[1],
           "gaussian, linear: learned from %llu of %zu pixels of every training image; fixed: from all pixels.", k,
           data->set.d);
  snprintf(g->captions[2], sizeof g->captions[2],
           "Dashed: the prediction is linear.  Solid: it is the mean of a target of two values.");
}

static scant_status write_svg(const few_results *r, const char *folder, double *room, scant_error *error) {
  static const double x_ticks[] = {1, 2, 4, 8, 16, 32, 64};
  static const double y_ticks[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  static const chart_axis image_axes[2] = {{.label = "attributes bought per prediction",
                                            .logarithmic = 1,
                                            .low = 0.94,
                                            .high = 68,
                                            .ticks = x_ticks,
                                            .tick_count = sizeof x_ticks / sizeof *x_ticks},
                                           {.label = "test squared error",
                                            .high = 1,
                                            .ticks = y_ticks,
                                            .tick_count = sizeof y_ticks / sizeof *y_ticks,
                                            .decimals = 1}};
  static const chart_axis table_axes[2] = {{.label = "attributes bought per prediction", .whole = 1},
                                           {.label = "root of the squared test error / range of the target"}};
  drawing *g = calloc(1, sizeof *g);
  svg_text p = {0};
  if (g) {
    const chart_axis *axes = is_table(r) ? table_axes : image_axes;
    fill_series(g, r, room);
    fill_words(g, r);
    chart picture = {.title = g->title,
                     .x = axes[0],
                     .y = axes[1],
                     .series = g->series,
                     .series_count = r->curve_count,
                     .captions = {g->captions[0], g->captions[1], g->captions[2]},
                     .legend_width = 170};
    if (is_table(r)) picture.y.high = 1.02 * g->highest;
    chart_draw(&p, &picture, 1);
    free(g);
  } else {
    p.failed = 1;
  }
  return svg_save(&p, folder, "few", ".svg", error);
}

static void summarise_images(const few_results *r, const char *folder, double *room, svg_text *words) {
  size_t k = r->most < TOLD ? r->most : TOLD;
  for (size_t c = 0; c < r->curve_count; c++) {
    spread s = spread_at(r, c, k, room);
    svg_put(words, "%-16s squared error %.4f +- %.4f from %zu attributes\n", r->curves[c]->name, s.mean, s.sd, k);
  }
  svg_put(words, "%s/few.csv and .svg are written\n", folder);
}

static void summarise_table(const few_results *r, const char *folder, double *room, svg_text *words) {
  svg_put(words, "%s: sums of root squared errors over the target's range, from 0 and from 1 to %zu attributes\n",
          r->data->title, r->most);
  for (size_t c = 0; c < r->curve_count; c++) {
    spread with = area_of(r, c, 0, room), without = area_of(r, c, 1, room);
    svg_put(words, "%-16s %.3f +- %.3f, %.3f +- %.3f\n", r->curves[c]->name, with.mean, with.sd, without.mean,
            without.sd);
  }
  svg_put(words, "%s/few.csv, .svg and few-area.csv are written\n", folder);
}

scant_status few_write(const few_results *r, const char *folder, svg_text *words, scant_error *error) {
  double *room = malloc(r->runs * sizeof *room);
  if (!room) return scant_fail_memory(error);
  scant_status status = write_csv(r, folder, room, error);
  if (status == SCANT_OK) status = write_svg(r, folder, room, error);
  if (status == SCANT_OK && is_table(r)) status = write_areas(r, folder, room, error);
  if (status == SCANT_OK) (is_table(r) ? summarise_table : summarise_images)(r, folder, room, words);
  free(room);
  return status;
}
