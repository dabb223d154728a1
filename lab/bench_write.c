/* The results as tables, whether they reach the goals, and the files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "command/chart/chart.h"
#include "scant_base.h"
#include "scant_json.h"

enum { NAME_WIDTH = 16, CELL_WIDTH = 22 };

/* 100000 as 100,000. */
static void put_count(svg_text *p, size_t n) {
  if (n >= 1000) {
    put_count(p, n / 1000);
    svg_put(p, ",%03zu", n % 1000);
  } else {
    svg_put(p, "%zu", n);
  }
}

/* Puts three significant digits. */
static void put_real(svg_text *p, double x) {
  svg_put(p, "%.*f", x < 10 ? 2 : x < 100 ? 1 : 0, x);
}

/* ---- tables ----------------------------------------------------------------- */

/* Fills a cell; it stays empty if nothing was measured. */
typedef void (*put_cell)(svg_text *p, const bench_results *r, size_t dimension, size_t look, size_t contestant);

static void put_ratio(svg_text *p, bench_figure f) {
  if (isnan(f.median)) return;
  put_real(p, f.median);
  svg_put(p, " (");
  put_real(p, f.low);
  svg_put(p, " to ");
  put_real(p, f.high);
  svg_put(p, ")");
}

static void put_times_limit(svg_text *p, const bench_results *r, size_t dimension, size_t look, size_t contestant) {
  put_ratio(p, bench_ratio(r, dimension, look, contestant, bench_other(r->request, BENCH_LIMIT)));
}

static void put_times_as_fast(svg_text *p, const bench_results *r, size_t dimension, size_t look, size_t contestant) {
  put_ratio(p, bench_ratio(r, dimension, look, bench_other(r->request, BENCH_PEER), contestant));
}

static void put_nanoseconds(svg_text *p, const bench_results *r, size_t dimension, size_t look, size_t contestant) {
  const bench_request *q = r->request;
  double time = bench_time(r, dimension, look, contestant).median;
  int whole = contestant == bench_other(q, BENCH_PEER);
  if (isnan(time)) return;
  put_count(p, (size_t)(time + 0.5));
  svg_put(p, " (");
  put_real(p, time / (double)(whole ? q->dimensions[dimension] : q->looks[look]));
  svg_put(p, ")");
}

static void put_padded(svg_text *p, svg_text *cell, int width) {
  svg_put(p, " %-*s |", width, cell->text ? cell->text : "");
  svg_free(cell);
}

static void put_rule(svg_text *p, size_t columns) {
  svg_put(p, "|");
  for (int i = 0; i < NAME_WIDTH + 2; i++) svg_put(p, "-");
  svg_put(p, "|");
  for (size_t c = 0; c < columns; c++) {
    for (int i = 0; i < CELL_WIDTH + 2; i++) svg_put(p, "-");
    svg_put(p, "|");
  }
  svg_put(p, "\n");
}

static void put_line(svg_text *p, const bench_results *r, size_t look, size_t contestant, put_cell put) {
  const bench_request *q = r->request;
  svg_text cell = {0};
  svg_put(&cell, "`%s`", bench_name(r, contestant));
  svg_put(p, "|");
  put_padded(p, &cell, NAME_WIDTH);
  for (size_t i = 0; i < q->dimension_count; i++) {
    put(&cell, r, i, look, contestant);
    put_padded(p, &cell, CELL_WIDTH);
  }
  svg_put(p, "\n");
}

/* Puts one line per algorithm, and one for each other contestant whose bit is in `others`. */
static void put_table(svg_text *p, const bench_results *r, size_t look, put_cell put, unsigned others) {
  const bench_request *q = r->request;
  svg_text cell = {0};
  svg_put(&cell, "K = %zu", q->looks[look]);
  svg_put(p, "\n|");
  put_padded(p, &cell, NAME_WIDTH);
  for (size_t i = 0; i < q->dimension_count; i++) {
    svg_put(&cell, "d = ");
    put_count(&cell, q->dimensions[i]);
    put_padded(p, &cell, CELL_WIDTH);
  }
  svg_put(p, "\n");
  put_rule(p, q->dimension_count);
  for (size_t c = 0; c < q->algorithm_count; c++) put_line(p, r, look, c, put);
  for (size_t o = 0; o < BENCH_OTHERS; o++)
    if (others >> o & 1) put_line(p, r, look, bench_other(q, o), put);
}

static void put_tables(svg_text *p, const bench_results *r) {
  const bench_request *q = r->request;
  unsigned peer = r->peer[0] ? 1u << BENCH_PEER : 0;
  svg_put(p, "Times the limit: the median of %zu round%s, and the smallest and the largest.\n", q->rounds,
          q->rounds == 1 ? "" : "s");
  for (size_t look = 0; look < q->look_count; look++) put_table(p, r, look, put_times_limit, 1u << BENCH_DENSE | peer);
  if (peer) {
    svg_put(p, "\nTimes as fast as the peer (%s, one pass over all attributes).\n", r->peer);
    for (size_t look = 0; look < q->look_count; look++)
      put_table(p, r, look, put_times_as_fast, 1u << BENCH_LIMIT | 1u << BENCH_DENSE);
  }
  svg_put(p, "\nNanoseconds per example, and per attribute that is looked at.\n");
  for (size_t look = 0; look < q->look_count; look++)
    put_table(p, r, look, put_nanoseconds, 1u << BENCH_LOOP | 1u << BENCH_PREFETCH | 1u << BENCH_DENSE | peer);
  if (!peer) svg_put(p, "\nThere was no peer; --peer COMMAND names one.\n");
}

/* ---- verdicts --------------------------------------------------------------- */

#define ANY ((size_t)-1)

static const bench_goal goals[] = {
    {"aerr", 56, 0, 10000, 0, 1.5}, {"aerr", 56, 10001, ANY, 0, 2.5}, {"auto", 56, 0, ANY, 0, 4},
    {"ridge", 56, 0, ANY, 0, 4},    {"lasso", 56, 0, ANY, 0, 4},      {"aerr", 4, 0, ANY, 0, 5},
    {"aelr", 4, 0, ANY, 0, 5},      {"auto", 4, 0, ANY, 0, 5},        {"ridge", 4, 0, ANY, 0, 5},
    {"lasso", 4, 0, ANY, 0, 5},     {"aerr", 56, 784, 784, 1, 2},     {"aerr", 56, 10000, 10000, 1, 20},
    {"auto", 56, 784, 784, 1, 1},   {"auto", 56, 10000, 10000, 1, 8},
};

const bench_goal *bench_goal_at(size_t index) {
  return index < sizeof goals / sizeof *goals ? &goals[index] : NULL;
}

static void judge_at(const bench_results *r, const bench_goal *g, size_t dimension, size_t look, size_t contestant,
                     bench_verdict *v) {
  const bench_request *q = r->request;
  size_t limit = bench_other(q, BENCH_LIMIT), peer = bench_other(q, BENCH_PEER);
  double ratio = g->against_peer ? bench_ratio(r, dimension, look, peer, contestant).median
                                 : bench_ratio(r, dimension, look, contestant, limit).median;
  if (isnan(ratio)) return;
  int worse = g->against_peer ? ratio < v->ratio : ratio > v->ratio;
  if (!isnan(v->ratio) && !worse) return;
  *v = (bench_verdict){ratio, q->dimensions[dimension], g->against_peer ? ratio >= g->bound : ratio <= g->bound};
}

bench_verdict bench_judge(const bench_results *r, const bench_goal *goal) {
  const bench_request *q = r->request;
  bench_verdict v = {NAN, 0, 0};
  for (size_t c = 0; c < q->algorithm_count; c++) {
    if (strcmp(q->algorithms[c], goal->algorithm) != 0) continue;
    for (size_t look = 0; look < q->look_count; look++)
      for (size_t i = 0; q->looks[look] == goal->k && i < q->dimension_count; i++)
        if (q->dimensions[i] >= goal->least && q->dimensions[i] <= goal->most) judge_at(r, goal, i, look, c, &v);
  }
  return v;
}

static void put_verdict_lines(svg_text *p, const bench_results *r) {
  const bench_goal *g;
  for (size_t i = 0; (g = bench_goal_at(i)); i++) {
    bench_verdict v = bench_judge(r, g);
    if (isnan(v.ratio)) continue;
    svg_put(p, "- %s: `%s` at K = %zu, d = ", v.holds ? "holds" : "does not hold", g->algorithm, g->k);
    put_count(p, v.d);
    svg_put(p, ": ");
    put_real(p, v.ratio);
    svg_put(p, g->against_peer ? " times as fast as the peer (at least %g)\n" : " times the limit (at most %g)\n",
            g->bound);
  }
}

/* ---- JSON ------------------------------------------------------------------- */

static void put_figure(scant_json_writer *out, const char *key, bench_figure f) {
  if (isnan(f.median)) return;
  scant_json_open(out, key, '{');
  scant_json_real(out, "median", f.median);
  scant_json_real(out, "low", f.low);
  scant_json_real(out, "high", f.high);
  scant_json_close(out);
}

static void put_contestant(scant_json_writer *out, const bench_results *r, size_t dimension, size_t look, size_t c) {
  const bench_request *q = r->request;
  size_t d = q->dimensions[dimension], k = q->looks[look], peer = bench_other(q, BENCH_PEER);
  bench_figure time = bench_time(r, dimension, look, c);
  if (isnan(time.median)) return;
  scant_json_open(out, NULL, '{');
  scant_json_count(out, "d", d);
  scant_json_count(out, "k", k);
  scant_json_text(out, "contestant", bench_name(r, c));
  scant_json_count(out, "examples", bench_clocked(q, d, c));
  put_figure(out, "nanoseconds", time);
  scant_json_real(out, "nanoseconds_per_attribute", time.median / (double)(c == peer ? d : k));
  put_figure(out, "times_limit", bench_ratio(r, dimension, look, c, bench_other(q, BENCH_LIMIT)));
  put_figure(out, "times_as_fast_as_peer", bench_ratio(r, dimension, look, peer, c));
  scant_json_close(out);
}

static void put_verdicts(scant_json_writer *out, const bench_results *r) {
  const bench_goal *g;
  scant_json_open(out, "verdicts", '[');
  for (size_t i = 0; (g = bench_goal_at(i)); i++) {
    bench_verdict v = bench_judge(r, g);
    if (isnan(v.ratio)) continue;
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "algorithm", g->algorithm);
    scant_json_count(out, "k", g->k);
    scant_json_count(out, "d", v.d);
    scant_json_text(out, "ratio_of", g->against_peer ? "times_as_fast_as_peer" : "times_limit");
    scant_json_real(out, "ratio", v.ratio);
    scant_json_real(out, g->against_peer ? "at_least" : "at_most", g->bound);
    scant_json_flag(out, "holds", v.holds);
    scant_json_close(out);
  }
  scant_json_close(out);
}

static void put_json(scant_json_writer *out, const bench_results *r) {
  const bench_request *q = r->request;
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "version", scant_version());
  scant_json_count(out, "megabytes", q->bytes >> 20);
  scant_json_count(out, "rounds", q->rounds);
  scant_json_count(out, "seed", q->seed);
  scant_json_text(out, "peer", r->peer[0] ? r->peer : NULL);
  scant_json_open(out, "results", '[');
  for (size_t i = 0; i < q->dimension_count; i++)
    for (size_t look = 0; look < q->look_count; look++)
      for (size_t c = 0; c < bench_other(q, BENCH_OTHERS); c++) put_contestant(out, r, i, look, c);
  scant_json_close(out);
  put_verdicts(out, r);
  scant_json_close(out);
}

static scant_status write_json(const bench_results *r, const char *folder, svg_text *words, scant_error *error) {
  scant_json_writer out = {.lines = 1};
  svg_text p = {0};
  put_json(&out, r);
  if (out.failed) p.failed = 1;
  if (!out.failed) svg_put(&p, "%s\n", out.text);
  if (words && !out.failed) svg_put(words, "%s\n", out.text);
  scant_json_discard(&out);
  return svg_save(&p, folder, "bench", ".json", error);
}

/* ---- the picture ------------------------------------------------------------ */

enum { DRAWN_K = 56, SERIES = BENCH_LIST + 3 };

typedef struct {
  chart_point points[SERIES][BENCH_LIST];
  chart_series series[SERIES];
  size_t count;
  char title[64], peer[BENCH_NAME], captions[2][160];
} drawing;

/* The largest K up to DRAWN_K, which is that of the paper's figure; if there is none, the smallest K. */
static size_t drawn_look(const bench_request *q) {
  size_t best = 0;
  for (size_t i = 1; i < q->look_count; i++) {
    size_t k = q->looks[i], held = q->looks[best];
    if (k <= DRAWN_K ? held > DRAWN_K || k > held : k < held) best = i;
  }
  return best;
}

static void add_series(drawing *g, const bench_results *r, size_t look, size_t contestant, const char *name, int colour,
                       chart_style style) {
  const bench_request *q = r->request;
  chart_point *points = g->points[g->count];
  for (size_t i = 0; i < q->dimension_count; i++)
    points[i] = (chart_point){(double)q->dimensions[i], bench_time(r, i, look, contestant).median, 0, 0};
  g->series[g->count++] = (chart_series){name, colour, style, points, q->dimension_count};
}

static void fill_drawing(drawing *g, const bench_results *r, size_t look) {
  const bench_request *q = r->request;
  add_series(g, r, look, bench_other(q, BENCH_LIMIT), "limit", -1, CHART_BOLD);
  add_series(g, r, look, bench_other(q, BENCH_DENSE), "plain-aerr", -1, CHART_DASHED);
  snprintf(g->peer, sizeof g->peer, "%.*s", (int)strcspn(r->peer, " "), r->peer); /* its first word */
  if (g->peer[0]) add_series(g, r, look, bench_other(q, BENCH_PEER), g->peer, 8, CHART_DASHED);
  for (size_t c = 0; c < q->algorithm_count; c++) add_series(g, r, look, c, q->algorithms[c], (int)c, CHART_SOLID);
  snprintf(g->title, sizeof g->title, "Time per example against d, K = %zu", q->looks[look]);
  snprintf(g->captions[0], sizeof g->captions[0],
           "Medians of %zu round%s, one thread, rows in order from %zu MB of float64.", q->rounds,
           q->rounds == 1 ? "" : "s", q->bytes >> 20);
  snprintf(g->captions[1], sizeof g->captions[1], "The limit draws and reads K attributes and does nothing else.");
}

static scant_status write_svg(const bench_results *r, const char *folder, scant_error *error) {
  drawing *g = calloc(1, sizeof *g);
  svg_text p = {0};
  if (g) {
    fill_drawing(g, r, drawn_look(r->request));
    chart picture = {.title = g->title,
                     .x = {.label = "attributes per example (d)", .logarithmic = 1},
                     .y = {.label = "nanoseconds per example", .logarithmic = 1},
                     .series = g->series,
                     .series_count = g->count,
                     .captions = {g->captions[0], g->captions[1]}};
    chart_draw(&p, &picture, 1);
  } else {
    p.failed = 1;
  }
  free(g);
  return svg_save(&p, folder, "bench", ".svg", error);
}

/* ---- all of it -------------------------------------------------------------- */

static scant_status write_tables(const bench_results *r, const char *folder, svg_text *words, scant_error *error) {
  svg_text p = {0};
  put_tables(&p, r);
  svg_put(&p, "\n");
  put_verdict_lines(&p, r);
  if (words && !p.failed) svg_put(words, "%s", p.text);
  return svg_save(&p, folder, "bench", ".md", error);
}

scant_status bench_write(const bench_results *r, const char *folder, int json, svg_text *words, scant_error *error) {
  SCANT_TRY(write_json(r, folder, json ? words : NULL, error));
  SCANT_TRY(write_svg(r, folder, error));
  SCANT_TRY(write_tables(r, folder, json ? NULL : words, error));
  if (!json) svg_put(words, "\n%s/bench.json, .md and .svg are written\n", folder);
  return words->failed ? scant_fail_memory(error) : SCANT_OK;
}
