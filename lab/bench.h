/* The time per example, compared with the least possible time: drawing and
 * reading as many attributes and nothing else.
 *
 * For each d there is one table in memory, far larger than the caches.  All
 * contestants go through its rows in order.  Each learns from the first half
 * unclocked and is clocked on the second half, so that it is measured as in the
 * middle of a long fit.  Where the second half is too short, several fresh fits
 * with different seeds are clocked one after another.  Contestants take turns,
 * and the results are ratios within one turn, since other work on the machine
 * slows all contestants of a turn.
 *
 * Part of scant-lab.
 */
#ifndef SCANT_LAB_BENCH_H
#define SCANT_LAB_BENCH_H

#include "command/chart/svg_text.h"
#include "scant.h"

enum { BENCH_LIST = 16, BENCH_ROUNDS = 1000, BENCH_NAME = 64 };

/* Contestants: first the algorithms that were asked for, then these. */
enum {
  BENCH_LIMIT,    /* the faster of the next two */
  BENCH_LOOP,     /* draw and read */
  BENCH_PREFETCH, /* the same, with the addresses drawn ahead */
  BENCH_DENSE,    /* AERR in O(d) per example */
  BENCH_PEER,     /* the time that the peer reports */
  BENCH_OTHERS
};

typedef struct bench_request {
  size_t dimensions[BENCH_LIST], looks[BENCH_LIST];
  const char *algorithms[BENCH_LIST]; /* by name */
  size_t dimension_count, look_count, algorithm_count;
  size_t rounds;
  size_t bytes; /* of the table */
  uint64_t seed;
  const char *peer; /* a command, or NULL */
  void (*progress)(void *user, double share);
  void *user;
} bench_request;

typedef struct bench_results {
  const bench_request *request;
  double *times;         /* nanoseconds per example, [dimension][look][contestant][round]; NAN: not measured */
  char peer[BENCH_NAME]; /* its name; empty: none */
} bench_results;

static inline size_t bench_other(const bench_request *q, size_t other) {
  return q->algorithm_count + other;
}

static inline double *bench_at(const bench_results *r, size_t dimension, size_t look, size_t contestant) {
  const bench_request *q = r->request;
  size_t contestants = bench_other(q, BENCH_OTHERS);
  return &r->times[((dimension * q->look_count + look) * contestants + contestant) * q->rounds];
}

/* Its name in tables and files; the peer's own name is in the results. */
const char *bench_name(const bench_results *r, size_t contestant);

/* The number of examples that are clocked in one turn of a contestant. */
size_t bench_clocked(const bench_request *q, size_t d, size_t contestant);

/* The number of examples in the table, and the first that is clocked. */
size_t bench_rows(const bench_request *q, size_t d);
size_t bench_first(const bench_request *q, size_t d);

/* Fills `results`, whose request is set; bench_free frees what is in it. */
scant_status bench_run(bench_results *results, scant_error *error);
void bench_free(bench_results *results);

/* The median over the rounds, with the smallest and the largest; NAN: not measured. */
typedef struct bench_figure {
  double median, low, high;
} bench_figure;

bench_figure bench_time(const bench_results *r, size_t dimension, size_t look, size_t contestant);
/* Median and range of the ratios within each round. */
bench_figure bench_ratio(const bench_results *r, size_t dimension, size_t look, size_t contestant, size_t against);

/* What an algorithm should reach with K looks, for d from `least` to `most`. */
typedef struct bench_goal {
  const char *algorithm;
  size_t k, least, most;
  int against_peer; /* it should be `bound` times as fast as the peer; else take at most `bound` times the limit */
  double bound;
} bench_goal;

/* The worst ratio over the d that were measured; NAN if none was. */
typedef struct bench_verdict {
  double ratio;
  size_t d;
  int holds;
} bench_verdict;

/* NULL past the end. */
const bench_goal *bench_goal_at(size_t index);
bench_verdict bench_judge(const bench_results *r, const bench_goal *goal);

/* Writes bench.json, bench.md and bench.svg, and puts the JSON or the tables into `words`. */
scant_status bench_write(const bench_results *r, const char *folder, int json, svg_text *words, scant_error *error);

/* ---- another program that times itself: bench_rivals.c --------------------- */

typedef struct bench_peer {
  int process; /* 0: none */
  int line;    /* a socket, both ways */
  char name[BENCH_NAME];
} bench_peer;

/* Runs `command` by the shell and reads its name. */
scant_status bench_peer_start(bench_peer *p, const char *command, scant_error *error);
/* Asks for its time per example, for this number of examples with d attributes. */
scant_status bench_peer_ask(const bench_peer *p, size_t d, size_t examples, double *nanoseconds, scant_error *error);
/* Ends its input, waits for it and returns its status as waitpid gives it; 0 if there is no peer. */
int bench_peer_stop(bench_peer *p);
/* Kills the peer that runs, with all that it started; a signal handler may call it. */
void bench_peer_kill(void);

/* ---- what the algorithms are compared with: bench_rivals.c ----------------- */

/* Rows first .. last - 1 of a table. */
typedef struct bench_range {
  const double *x, *y;
  size_t d, first, last;
} bench_range;

/* The sum of k attributes of each row, drawn uniformly with replacement. */
double bench_loop(const bench_range *rows, size_t k, uint64_t *random);
/* The same, with each attribute drawn and prefetched some rows ahead; `ahead`
 * has room for BENCH_AHEAD + k indices. */
enum { BENCH_AHEAD = 256 };
double bench_prefetch(const bench_range *rows, size_t k, uint64_t *random, uint32_t *ahead);

/* AERR as it is printed [HK12, Alg. 1], with vectors of d everywhere.  Begins
 * from w and mean, the average of the `before` iterates so far; g has room for d. */
typedef struct bench_dense {
  double eta, radius;
  double *w, *mean, *g;
  uint64_t before;
} bench_dense;

void bench_dense_aerr(bench_dense *state, const bench_range *rows, size_t k, uint64_t *random);

#endif
