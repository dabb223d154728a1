/* The curves as CSV, as SVG and in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "curve.h"
#include "numbers.h"

static const curve_outcome *outcome_at(const curve_results *results, size_t entry, size_t run, size_t point) {
  const curve_request *r = results->request;
  return &results->outcome[(entry * r->runs + run) * r->points + point];
}

int curve_summarise(const curve_results *results, size_t entry, size_t point, curve_summary *summary) {
  const curve_request *r = results->request;
  double n = (double)r->runs;
  int goes_on = 0;
  *summary = (curve_summary){.squared_error = NAN, .sd = NAN};
  for (size_t run = 0; run < r->runs; run++) {
    const curve_outcome *o = outcome_at(results, entry, run, point);
    if (!o->reached) return 0;
    goes_on = goes_on || !o->over;
    summary->attributes += (double)o->attributes / n;
    summary->examples += (double)o->examples / n;
    summary->money += (double)o->money / 100 / n;
    summary->absolute_error += o->scores.absolute_error / n;
    summary->r2 += o->scores.r2 / n;
    summary->accuracy += o->scores.accuracy / n;
  }
  if (!goes_on) return 0;
  double *errors = malloc(r->runs * sizeof *errors);
  if (!errors) return 1;
  for (size_t run = 0; run < r->runs; run++) errors[run] = outcome_at(results, entry, run, point)->scores.squared_error;
  spread of = spread_of(errors, r->runs);
  free(errors);
  summary->squared_error = of.mean;
  summary->sd = of.sd;
  return 1;
}

static int has_costs(const curve_results *results) {
  return results->request->settings.costs != NULL;
}

/* A field that may be empty, and the comma before it. */
static void put_field(page *p, const char *format, double x) {
  page_put(p, ",");
  if (isfinite(x)) page_put(p, format, x);
}

static scant_status write_csv(const curve_results *results, const char *folder, scant_error *error) {
  const curve_request *r = results->request;
  page p = {0};
  page_put(&p, "algorithm,point,attributes_bought,examples,money,squared_error,sd,absolute_error,r2,accuracy,runs\n");
  for (size_t e = 0; e < r->entry_count; e++) {
    for (size_t i = 0; i < r->points; i++) {
      curve_summary s;
      if (!curve_summarise(results, e, i, &s)) continue;
      page_put(&p, "%s,%zu", r->entries[e].label, i + 1);
      put_field(&p, "%.2f", s.attributes);
      put_field(&p, "%.2f", s.examples);
      put_field(&p, "%.4f", has_costs(results) ? s.money : NAN);
      put_field(&p, "%.9g", s.squared_error);
      put_field(&p, "%.9g", s.sd);
      put_field(&p, "%.9g", s.absolute_error);
      put_field(&p, "%.6f", s.r2);
      put_field(&p, "%.6f", s.accuracy);
      page_put(&p, ",%zu\n", r->runs);
    }
  }
  return page_save(&p, folder, "curve", ".csv", error);
}

/* ---- pictures --------------------------------------------------------------------- */

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

/* Rows that see everything are dashed. */
static void add_series(drawing *g, const curve_results *results, across by) {
  const curve_request *r = results->request;
  g->legend_width = LEGEND_LEAST;
  for (size_t e = 0; e < r->entry_count; e++) {
    chart_point *points = g->points + e * r->points;
    size_t count = 0;
    for (size_t i = 0; i < r->points; i++) {
      curve_summary s;
      if (!curve_summarise(results, e, i, &s)) continue;
      double x = by == BY_ATTRIBUTES ? s.attributes : by == BY_EXAMPLES ? s.examples : s.money;
      points[count++] = (chart_point){x, s.squared_error, s.squared_error - s.sd, s.squared_error + s.sd};
    }
    shorten(r->entries[e].label, g->names[e], sizeof g->names[e]);
    int width = LEGEND_LINE + LETTER * (int)strlen(g->names[e]);
    if (width > g->legend_width) g->legend_width = width;
    g->series[e] =
        (chart_series){g->names[e], (int)e, r->entries[e].row->whole ? CHART_DASHED : CHART_SOLID, points, count};
  }
}

/* At most five round numbers: those of a budget are long. */
static void set_ticks(drawing *g, chart_axis *axis, double farthest) {
  if (!(farthest > 0)) return;
  double power = pow(10, floor(log10(farthest / TICKS))), step = 10 * power;
  if (5 * power * TICKS >= farthest) step = 5 * power;
  if (2 * power * TICKS >= farthest) step = 2 * power;
  for (; axis->tick_count < TICKS && (double)(axis->tick_count + 1) * step <= farthest; axis->tick_count++)
    g->ticks[axis->tick_count] = (double)(axis->tick_count + 1) * step;
  axis->ticks = g->ticks;
}

/* The errors of rows that do not suit the data can be of another order: then the
 * axis is logarithmic, and bars that reach below 0 go up only.  Else the means
 * make the range, not the bars of the worst of them. */
static void set_axes(drawing *g, const curve_results *results, across by, chart *picture) {
  double least = INFINITY, most = 0, low = INFINITY, high = 0, farthest = 0;
  for (size_t e = 0; e < results->request->entry_count; e++) {
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
  for (size_t i = 0; picture->y.logarithmic && i < results->request->entry_count * results->request->points; i++)
    if (!(g->points[i].low > 0)) g->points[i].low = g->points[i].y;
  if (picture->y.logarithmic || !(high > low)) return;
  double room = most > least ? 0.2 * (most - least) : high - low;
  picture->y.low = fmax(0, fmax(low, least - room) - 0.02 * room);
  picture->y.high = fmin(high, most + room) + 0.02 * room;
}

/* The file's name and folder, in letters that any XML reader takes. */
static void name_of(const char *path, char *name, size_t size) {
  const char *start = path + strlen(path);
  for (int slashes = 0; start > path; start--) {
    slashes += start[-1] == '/';
    if (slashes == 2) break;
  }
  snprintf(name, size, "%s", start);
  for (char *c = name; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
}

typedef struct {
  char title[200], captions[2][256];
} legend;

static void describe(legend *l, const curve_request *r, across by) {
  char name[80];
  unsigned long long k = r->settings.k ? r->settings.k : r->dimension;
  name_of(r->data, name, sizeof name);
  if (r->settings.k)
    snprintf(l->title, sizeof l->title, "%s: at most %llu of %zu attributes an example", name, k, r->dimension);
  else
    snprintf(l->title, sizeof l->title, "%s: %zu attributes", name, r->dimension);
  snprintf(l->captions[0], sizeof l->captions[0],
           "Mean and standard deviation of %zu %s; dashed: all attributes are seen.", r->runs,
           r->test ? "orders of the examples" : "random splits");
  if (k == r->dimension) return;
  if (by != BY_MONEY && r->settings.costs) { /* what is free or in a panel counts otherwise */
    snprintf(l->captions[1], sizeof l->captions[1],
             "At equal attributes a learner that looks at few of them sees more labels than one that sees them all.");
    return;
  }
  if (by == BY_MONEY)
    snprintf(l->captions[1], sizeof l->captions[1],
             "At equal money a learner that looks at %llu of %zu attributes sees more labels than one that sees all.",
             k, r->dimension);
  else
    snprintf(l->captions[1], sizeof l->captions[1],
             "At equal attributes a learner that looks at %llu of %zu sees %.3g times as many labels as one that sees "
             "them all.",
             k, r->dimension, (double)r->dimension / (double)k);
}

static scant_status write_svg(const curve_results *results, across by, const char *folder, scant_error *error) {
  const curve_request *r = results->request;
  static const char *const ends[] = {".svg", "-examples.svg", "-money.svg"};
  legend l = {0};
  drawing *g = calloc(1, sizeof *g);
  if (g) g->points = calloc(r->entry_count * r->points, sizeof *g->points);
  if (!g || !g->points) {
    free(g);
    snprintf(error->text, sizeof error->text, "out of memory");
    return SCANT_MEMORY;
  }
  describe(&l, r, by);
  add_series(g, results, by);
  chart picture = {.title = l.title,
                   .series = g->series,
                   .series_count = r->entry_count,
                   .captions = {l.captions[0], l.captions[1][0] ? l.captions[1] : NULL},
                   .legend_width = g->legend_width};
  set_axes(g, results, by, &picture);
  page p = {0};
  chart_draw(&p, &picture, 1);
  free(g->points);
  free(g);
  return page_save(&p, folder, "curve", ends[by], error);
}

/* ---- words -------------------------------------------------------------------------- */

static void put_words(const curve_results *results, const char *folder, page *words) {
  const curve_request *r = results->request;
  int width = 0;
  for (size_t e = 0; e < r->entry_count; e++)
    if ((int)strlen(r->entries[e].label) > width) width = (int)strlen(r->entries[e].label);
  for (size_t e = 0; e < r->entry_count; e++) {
    curve_summary s;
    size_t last = r->points;
    while (last && !curve_summarise(results, e, last - 1, &s)) last--;
    page_put(words, "%-*s  ", width, r->entries[e].label);
    if (!last) {
      page_put(words, "no point: the budget does not pay for enough examples\n");
      continue;
    }
    page_put(words, "squared error %.4g +- %.4g", s.squared_error, s.sd);
    if (isfinite(s.r2)) page_put(words, ", R^2 %.3f", s.r2);
    if (isfinite(s.accuracy)) page_put(words, ", accuracy %.3f", s.accuracy);
    page_put(words, " at %.0f attributes of %.0f examples", s.attributes, s.examples);
    if (has_costs(results)) page_put(words, ", money %.2f", s.money);
    page_put(words, "\n");
  }
  page_put(words, "%s/curve.csv, .svg%s and -examples.svg are written\n", folder,
           has_costs(results) ? ", -money.svg" : "");
}

scant_status curve_write(const curve_results *results, const char *folder, page *words, scant_error *error) {
  scant_status status = write_csv(results, folder, error);
  for (int by = BY_ATTRIBUTES; status == SCANT_OK && by <= (has_costs(results) ? BY_MONEY : BY_EXAMPLES); by++)
    status = write_svg(results, (across)by, folder, error);
  if (status == SCANT_OK) put_words(results, folder, words);
  return status;
}
