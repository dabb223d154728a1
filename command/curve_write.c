/* The curves as CSV and in words. */
#include <math.h>
#include <string.h>

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

/* ---- words -------------------------------------------------------------------------- */

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
