/* The results as tables, and whether they reach the goals. */
#include <math.h>
#include <string.h>

#include "bench.h"

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

void bench_put_tables(svg_text *p, const bench_results *r) {
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

void bench_put_verdicts(svg_text *p, const bench_results *r) {
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
