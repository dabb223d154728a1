/* scant study status --plot: the risk, and purchases and money per attribute. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "study_actions.h"

enum { POINTS_MOST = 20, BARS_MOST = 24 };

typedef struct {
  chart_point points[POINTS_MOST];
  size_t count;
  chart_bar purchases[BARS_MOST], money[BARS_MOST];
  size_t bars, purchases_left_out, money_left_out;
  uint64_t examples; /* learned */
} picture;

/* The risk of the regressor after some of the examples, each time as status would have shown it. */
static scant_status read_curve(scant_study *study, picture *p, scant_error *error) {
  scant_study_risk risks[POINTS_MOST];
  size_t count;
  scant_status status = scant_study_get_risks(study, POINTS_MOST, risks, &count, error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    const scant_study_risk *r = &risks[i];
    p->examples = r->examples;
    if (!isfinite(r->risk) || !isfinite(r->risk_error)) continue;
    p->points[p->count++] =
        (chart_point){(double)r->examples, r->risk, r->risk - r->risk_error, r->risk + r->risk_error};
  }
  return status;
}

static int by_value(const void *a, const void *b) {
  double x = ((const chart_bar *)a)->value, y = ((const chart_bar *)b)->value;
  return (x < y) - (x > y);
}

/* Takes the largest bars and returns how many it took. */
static size_t take_largest(chart_bar *all, size_t count, chart_bar *largest, size_t *left_out) {
  size_t taken = count < BARS_MOST ? count : BARS_MOST;
  qsort(all, count, sizeof *all, by_value);
  memcpy(largest, all, taken * sizeof *all);
  *left_out = count - taken;
  return taken;
}

static scant_status read_bars(scant_study *study, picture *p, scant_error *error) {
  size_t d = scant_study_dimension(study);
  uint64_t *purchases = calloc(2 * d, sizeof *purchases), *paid = purchases ? purchases + d : NULL;
  chart_bar *all = calloc(d, sizeof *all);
  scant_status status =
      purchases && all ? scant_study_purchases(study, purchases, paid, error) : scant_fail_memory(error);
  for (int money = 0; money < 2 && status == SCANT_OK; money++) {
    for (size_t i = 0; i < d; i++) {
      double value = money ? (double)paid[i] / 100 : (double)purchases[i];
      all[i] = (chart_bar){scant_study_attribute_at(study, i)->name, value};
    }
    p->bars =
        take_largest(all, d, money ? p->money : p->purchases, money ? &p->money_left_out : &p->purchases_left_out);
  }
  free(purchases);
  free(all);
  return status;
}

/* The range begins at 0 and has room for the error bars; it is empty if there is no point. */
static void settle_range(const picture *p, chart_axis *axis) {
  for (size_t i = 0; i < p->count; i++) {
    axis->low = fmin(axis->low, fmin(p->points[i].y, p->points[i].low));
    axis->high = fmax(axis->high, 1.04 * fmax(p->points[i].y, p->points[i].high));
  }
}

/* The length of a text for "%.*s": at most `most` bytes, and no half character. */
static int clip(const char *text, size_t most) {
  size_t length = strlen(text);
  if (length <= most) return (int)length;
  while (most && ((unsigned char)text[most] & 0xc0) == 0x80) most--;
  return (int)most;
}

static void name_picture(char *title, size_t size, const scant_study *study, const char *name) {
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *target = scant_study_target(study);
  snprintf(title, size, "%.*s: estimated risk of %.*s, %s", clip(base, 48), base, clip(target, 32), target,
           scant_study_settings(study)->learning.algorithm);
}

static const char *say_risk(const picture *p) {
  if (p->count)
    return "squared error of the regressor of so many examples, estimated from these alone; bars: one standard error";
  return p->examples ? "there is no estimate of the risk yet" : "nothing was learned yet";
}

static scant_status draw(const scant_study *study, const picture *p, const char *name, const char *path,
                         scant_error *error) {
  char title[160], left_out[80];
  name_picture(title, sizeof title, study, name);
  snprintf(left_out, sizeof left_out, "the %d largest; %zu more attributes are not shown", BARS_MOST,
           p->purchases_left_out);
  chart_series series = {.name = NULL, .colour = 1, .style = CHART_SOLID, .points = p->points, .count = p->count};
  chart charts[3] = {
      {.title = title,
       .x = {.label = "examples learned", .whole = 1},
       .y = {.label = "risk"},
       .series = &series,
       .series_count = p->count ? 1 : 0,
       .captions = {say_risk(p)},
       .legend_width = 24,
       .plot_height = 300},
      {.title = "purchases per attribute",
       .bars = p->purchases,
       .bar_count = p->bars,
       .captions = {p->purchases_left_out ? left_out : NULL}},
      {.title = "money spent per attribute (a group's money is at its first attribute)",
       .bars = p->money,
       .bar_count = p->bars,
       .bar_decimals = 2,
       .captions = {p->money_left_out ? left_out : NULL}},
  };
  settle_range(p, &charts[0].y);
  svg_text drawing = {0};
  chart_draw(&drawing, charts, scant_study_is_priced(study) ? 3 : 2);
  return svg_save_at(&drawing, path, error);
}

scant_status study_plot(scant_study *study, const char *name, const char *path, scant_error *error) {
  picture p = {0};
  scant_status status = read_curve(study, &p, error);
  if (status == SCANT_OK) status = read_bars(study, &p, error);
  return status == SCANT_OK ? draw(study, &p, name, path, error) : status;
}
