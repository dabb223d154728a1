/* Writes the curves of few.h as CSV and as SVG, and sums them up in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart/chart.h"
#include "few.h"
#include "numbers.h"

enum { TOLD = 8 }; /* the number of attributes that the summary is about */

static spread spread_at(const few_results *r, size_t c, size_t k, double *room) {
  for (size_t run = 0; run < r->runs; run++) room[run] = few_at(r, c, run)[k];
  return spread_of(room, r->runs);
}

static scant_status write_csv(const few_results *r, const char *folder, double *room, scant_error *error) {
  page p = {0};
  page_put(&p, "curve,attributes,mean,sd,q10,q90,runs\n");
  for (size_t c = 0; c < r->curve_count; c++) {
    for (size_t k = 0; k <= r->most; k++) {
      spread s = spread_at(r, c, k, room);
      page_put(&p, "%s,%zu,%.6f,%.6f,%.6f,%.6f,%zu\n", r->curves[c]->name, k, s.mean, s.sd, s.q10, s.q90, r->runs);
    }
  }
  return page_save(&p, folder, "few", ".csv", error);
}

/* ---- the picture ----------------------------------------------------------------- */

typedef struct {
  chart_point points[FEW_CURVES][FEW_MOST];
  chart_series series[FEW_CURVES];
  char title[128], captions[3][160];
} drawing;

/* Only the powers of two have error bars, since 64 bars would hide the curves. */
static void fill_series(drawing *g, const few_results *r, double *room) {
  for (size_t c = 0; c < r->curve_count; c++) {
    for (size_t k = 1; k <= r->most; k++) {
      spread s = spread_at(r, c, k, room);
      double bar = k & (k - 1) ? NAN : s.sd;
      g->points[c][k - 1] = (chart_point){(double)k, s.mean, 0, 0};
      if (bar > 0) {
        g->points[c][k - 1].low = s.mean - bar;
        g->points[c][k - 1].high = s.mean + bar;
      }
    }
    const few_curve *curve = r->curves[c];
    g->series[c] =
        (chart_series){curve->name, curve->full, curve->two_valued ? CHART_SOLID : CHART_DASHED, g->points[c], r->most};
  }
}

static void fill_words(drawing *g, const few_results *r) {
  size_t comma = strcspn(r->pair, ","); /* there is one: classes were read by it */
  snprintf(g->title, sizeof g->title, "MNIST %.*s vs %.20s: error against pixels bought per prediction", (int)comma,
           r->pair, r->pair + comma + 1);
  snprintf(g->captions[0], sizeof g->captions[0],
           "Mean of %zu split%s, with bars of one standard deviation at the powers of two.", r->runs,
           r->runs == 1 ? "" : "s");
  snprintf(g->captions[1], sizeof g->captions[1],
           "gaussian, linear: learned from %zu of %zu pixels of every training image; fixed: from all pixels.",
           r->dimension < FEW_K ? r->dimension : FEW_K, r->dimension);
  snprintf(g->captions[2], sizeof g->captions[2],
           "Dashed: the prediction is linear.  Solid: it is the mean of a target of two values.");
}

static scant_status write_svg(const few_results *r, const char *folder, double *room, scant_error *error) {
  static const double x_ticks[] = {1, 2, 4, 8, 16, 32, 64};
  static const double y_ticks[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  drawing *g = calloc(1, sizeof *g);
  page p = {0};
  if (g) {
    fill_series(g, r, room);
    fill_words(g, r);
    chart picture = {.title = g->title,
                     .x = {.label = "attributes bought per prediction",
                           .logarithmic = 1,
                           .low = 0.94,
                           .high = 68,
                           .ticks = x_ticks,
                           .tick_count = sizeof x_ticks / sizeof *x_ticks},
                     .y = {.label = "test squared error",
                           .high = 1,
                           .ticks = y_ticks,
                           .tick_count = sizeof y_ticks / sizeof *y_ticks,
                           .decimals = 1},
                     .series = g->series,
                     .series_count = r->curve_count,
                     .captions = {g->captions[0], g->captions[1], g->captions[2]},
                     .legend_width = 170};
    chart_draw(&p, &picture, 1);
    free(g);
  } else {
    p.failed = 1;
  }
  return page_save(&p, folder, "few", ".svg", error);
}

static void summarise(const few_results *r, const char *folder, double *room, page *words) {
  size_t k = r->most < TOLD ? r->most : TOLD;
  for (size_t c = 0; c < r->curve_count; c++) {
    spread s = spread_at(r, c, k, room);
    page_put(words, "%-16s squared error %.4f +- %.4f from %zu attributes\n", r->curves[c]->name, s.mean, s.sd, k);
  }
  page_put(words, "%s/few.csv and .svg are written\n", folder);
}

scant_status few_write(const few_results *r, const char *folder, page *words, scant_error *error) {
  double *room = malloc(r->runs * sizeof *room);
  if (!room) {
    snprintf(error->text, sizeof error->text, "out of memory");
    return SCANT_MEMORY;
  }
  scant_status status = write_csv(r, folder, room, error);
  if (status == SCANT_OK) status = write_svg(r, folder, room, error);
  if (status == SCANT_OK) summarise(r, folder, room, words);
  free(room);
  return status;
}
