#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __GLIBC__
#include <limits.h>
#include <malloc.h>
#endif

#include "scant_base.h"
#include "numbers.h"

enum {
  CLOCKED_LEAST = 4096,  /* examples; fresh fits are clocked until this many were */
  DENSE_MOST = 16 << 20, /* attributes that AERR in O(d) reads at most */
  RELEVANT = 8           /* attributes behind the target */
};

size_t bench_rows(const bench_request *q, size_t d) {
  size_t rows = q->bytes / sizeof(double) / d;
  return rows < 2 ? 2 : rows;
}

size_t bench_first(const bench_request *q, size_t d) {
  return bench_rows(q, d) / 2;
}

/* The number of fresh fits that are clocked in one turn. */
static size_t repetitions(const bench_request *q, size_t d) {
  size_t clocked = bench_rows(q, d) - bench_first(q, d);
  return (CLOCKED_LEAST + clocked - 1) / clocked;
}

size_t bench_clocked(const bench_request *q, size_t d, size_t contestant) {
  size_t rows = bench_rows(q, d) - bench_first(q, d), most = DENSE_MOST / d + 1;
  if (contestant == bench_other(q, BENCH_PEER)) return rows;
  if (contestant == bench_other(q, BENCH_DENSE)) return rows < most ? rows : most;
  return rows * repetitions(q, d);
}

/* ---- the table -------------------------------------------------------------- */

typedef struct {
  const bench_request *request;
  double *x, *y, *dense; /* dense: three vectors of d */
  uint32_t *ahead;
  size_t d, rows, first;
  scant_source *source;
  uint64_t random;
  double sum; /* so that no compiler leaves the loops out */
  bench_peer peer;
} bench;

/* ||x||_2 <= 1 and |y| <= 1, as the theorems assume. */
static void fill_table(bench *b) {
  double scale = sqrt(1 / (double)b->d);
  size_t relevant = b->d < RELEVANT ? b->d : RELEVANT;
  for (size_t t = 0; t < b->rows; t++) {
    double *x = b->x + t * b->d, y = 0;
    for (size_t i = 0; i < b->d; i++) x[i] = scale * (2 * random_unit(&b->random) - 1);
    for (size_t i = 0; i < relevant; i++) y += x[i * (b->d / relevant)] / (scale * (double)relevant);
    b->y[t] = 0.8 * y + 0.2 * (2 * random_unit(&b->random) - 1);
  }
}

static scant_status make_table(bench *b, size_t d, scant_error *error) {
  const bench_request *q = b->request;
  size_t most = BENCH_AHEAD;
  for (size_t i = 0; i < q->look_count; i++) most = q->looks[i] > most ? q->looks[i] : most;
  b->d = d;
  b->rows = bench_rows(q, d);
  b->first = bench_first(q, d);
  b->x = scant_array(b->rows * d, sizeof *b->x);
  b->y = scant_array(b->rows, sizeof *b->y);
  b->dense = scant_array(3 * d, sizeof *b->dense);
  b->ahead = scant_array(most + BENCH_AHEAD, sizeof *b->ahead);
  if (!b->x || !b->y || !b->dense || !b->ahead) return scant_fail_memory(error);
  fill_table(b);
  return scant_source_wrap(&b->source, SCANT_FLOAT64, b->x, b->rows, d, (ptrdiff_t)(d * sizeof(double)), sizeof(double),
                           b->y, error);
}

static void free_table(bench *b) {
  scant_source_free(b->source);
  free(b->x);
  free(b->y);
  free(b->dense);
  free(b->ahead);
  b->source = NULL;
  b->x = b->y = b->dense = NULL;
  b->ahead = NULL;
}

/* ---- the clock -------------------------------------------------------------- */

/* Processor time of this thread in nanoseconds, which other processes do not change. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static scant_status open_fit(scant_fit **fit, bench *b, const char *algorithm, size_t k, scant_error *error) {
  scant_settings s;
  scant_settings_init(&s);
  s.learning.algorithm = algorithm;
  s.learning.k = k;
  s.run.shuffle = 0;
  s.learning.seed =
      random_next(&b->random); /* every fit has other looks, since values that were just read are in the cache */
  return scant_fit_new(fit, &s, b->source, error);
}

static scant_status clock_fit(bench *b, const char *algorithm, size_t k, double *time, scant_error *error) {
  scant_fit *fit = NULL;
  int done;
  SCANT_TRY(open_fit(&fit, b, algorithm, k, error));
  scant_status status = scant_fit_advance(fit, b->first, &done, error);
  double start = now();
  if (status == SCANT_OK) status = scant_fit_advance(fit, b->rows - b->first, &done, error);
  *time += now() - start;
  scant_fit_free(fit);
  return status;
}

static scant_status clock_algorithm(bench *b, const char *algorithm, size_t k, double *time, scant_error *error) {
  size_t times = repetitions(b->request, b->d);
  *time = 0;
  for (size_t i = 0; i < times; i++) SCANT_TRY(clock_fit(b, algorithm, k, time, error));
  *time /= (double)(times * (b->rows - b->first));
  return SCANT_OK;
}

static double clock_limit(bench *b, size_t k, int prefetch) {
  const bench_range range = {b->x, b->y, b->d, b->first, b->rows};
  size_t times = repetitions(b->request, b->d);
  double start = now();
  for (size_t i = 0; i < times; i++)
    b->sum += prefetch ? bench_prefetch(&range, k, &b->random, b->ahead) : bench_loop(&range, k, &b->random);
  return (now() - start) / (double)(times * (b->rows - b->first));
}

/* No weight is 0, as in a fit that has run for a while. */
static double clock_dense(bench *b, size_t k) {
  size_t d = b->d, rows = bench_clocked(b->request, d, bench_other(b->request, BENCH_DENSE));
  bench_range range = {b->x, b->y, d, b->first, b->first + rows};
  double count = (double)rows;
  bench_dense state = {sqrt((double)(k - 1) / (2 * (double)d * count)), 1, b->dense, b->dense + d, b->dense + 2 * d, 0};
  for (size_t i = 0; i < d; i++) {
    state.w[i] = (random_unit(&b->random) - 0.5) / sqrt((double)d);
    state.mean[i] = 0;
  }
  double start = now();
  bench_dense_aerr(&state, &range, k, &b->random);
  double time = now() - start;
  b->sum += state.mean[0];
  return time / count;
}

/* ---- turns ------------------------------------------------------------------ */

static scant_status clock_one(bench *b, size_t contestant, size_t k, double *time, scant_error *error) {
  const bench_request *q = b->request;
  if (contestant < q->algorithm_count) return clock_algorithm(b, q->algorithms[contestant], k, time, error);
  if (contestant == bench_other(q, BENCH_LOOP)) *time = clock_limit(b, k, 0);
  if (contestant == bench_other(q, BENCH_PREFETCH)) *time = clock_limit(b, k, 1);
  if (contestant == bench_other(q, BENCH_DENSE)) *time = clock_dense(b, k);
  return SCANT_OK;
}

/* Clocks each contestant once.  Every round begins with another one, so that none always follows the same. */
static scant_status take_turns(bench *b, bench_results *r, size_t dimension, size_t look, size_t round,
                               scant_error *error) {
  const bench_request *q = r->request;
  size_t contestants = bench_other(q, BENCH_PEER), limit = bench_other(q, BENCH_LIMIT);
  for (size_t i = 0; i < contestants; i++) {
    size_t c = (i + round) % contestants;
    SCANT_TRY(clock_one(b, c, q->looks[look], &bench_at(r, dimension, look, c)[round], error));
  }
  bench_at(r, dimension, look, limit)[round] =
      fmin(bench_at(r, dimension, look, bench_other(q, BENCH_LOOP))[round],
           bench_at(r, dimension, look, bench_other(q, BENCH_PREFETCH))[round]);
  return SCANT_OK;
}

/* The peer reads all attributes, so its time is the same for every K. */
static scant_status ask_peer(bench *b, bench_results *r, size_t dimension, size_t round, scant_error *error) {
  const bench_request *q = r->request;
  size_t c = bench_other(q, BENCH_PEER);
  double time;
  if (!b->peer.process) return SCANT_OK;
  SCANT_TRY(bench_peer_ask(&b->peer, b->d, bench_clocked(q, b->d, c), &time, error));
  for (size_t look = 0; look < q->look_count; look++)
    if (q->looks[look] <= b->d) bench_at(r, dimension, look, c)[round] = time;
  return SCANT_OK;
}

/* Makes a first fit and throws it away.  After that the allocator has the memory that later fits need, so that they
 * do not pay for new pages. */
static scant_status warm_up(bench *b, size_t k, scant_error *error) {
  const bench_request *q = b->request;
  for (size_t c = 0; c < q->algorithm_count; c++) {
    scant_fit *fit = NULL;
    SCANT_TRY(open_fit(&fit, b, q->algorithms[c], k, error));
    scant_fit_free(fit);
  }
  return SCANT_OK;
}

static scant_status run_dimension(bench *b, bench_results *r, size_t dimension, scant_error *error) {
  const bench_request *q = r->request;
  SCANT_TRY(make_table(b, q->dimensions[dimension], error));
  for (size_t look = 0; look < q->look_count; look++)
    if (q->looks[look] <= b->d) SCANT_TRY(warm_up(b, q->looks[look], error));
  for (size_t round = 0; round < q->rounds; round++) {
    SCANT_TRY(ask_peer(b, r, dimension, round, error));
    for (size_t look = 0; look < q->look_count; look++) {
      if (q->looks[look] > b->d) continue;
      SCANT_TRY(take_turns(b, r, dimension, look, round, error));
      if (q->progress)
        q->progress(q->user, ((double)dimension +
                              ((double)round + (double)(look + 1) / (double)q->look_count) / (double)q->rounds) /
                                 (double)q->dimension_count);
    }
  }
  return SCANT_OK;
}

static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

scant_status bench_run(bench_results *results, scant_error *error) {
  const bench_request *q = results->request;
  size_t count = q->dimension_count * q->look_count * bench_other(q, BENCH_OTHERS) * q->rounds;
  results->times = scant_array(count, sizeof *results->times);
  if (!results->times) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) results->times[i] = NAN;
  keep_memory();
  scant_status status = SCANT_OK;
  bench b = {.request = q, .random = q->seed};
  if (q->peer) status = bench_peer_start(&b.peer, q->peer, error);
  snprintf(results->peer, sizeof results->peer, "%s", b.peer.name);
  for (size_t i = 0; status == SCANT_OK && i < q->dimension_count; i++) {
    status = run_dimension(&b, results, i, error);
    free_table(&b);
  }
  bench_peer_stop(&b.peer);
  if (status == SCANT_OK && !isfinite(b.sum)) status = scant_fail(error, SCANT_DATA, "the sums are not finite");
  return status;
}

void bench_free(bench_results *results) {
  free(results->times);
  results->times = NULL;
}

/* ---- figures ---------------------------------------------------------------- */

const char *bench_name(const bench_results *r, size_t contestant) {
  static const char *const others[BENCH_OTHERS] = {"limit", "limit-plain", "limit-prefetch", "plain-aerr", "peer"};
  const bench_request *q = r->request;
  return contestant < q->algorithm_count ? q->algorithms[contestant] : others[contestant - q->algorithm_count];
}

/* Ratios, or times if there is nothing to divide by. */
static bench_figure figure_of(const double *times, const double *against, size_t rounds) {
  double ratio[BENCH_ROUNDS];
  for (size_t i = 0; i < rounds; i++) ratio[i] = against ? times[i] / against[i] : times[i];
  spread s = spread_of(ratio, rounds); /* sorts them */
  return (bench_figure){s.median, ratio[0], ratio[rounds - 1]};
}

bench_figure bench_time(const bench_results *r, size_t dimension, size_t look, size_t contestant) {
  return figure_of(bench_at(r, dimension, look, contestant), NULL, r->request->rounds);
}

bench_figure bench_ratio(const bench_results *r, size_t dimension, size_t look, size_t contestant, size_t against) {
  return figure_of(bench_at(r, dimension, look, contestant), bench_at(r, dimension, look, against), r->request->rounds);
}
