#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __GLIBC__
#include <limits.h>
#include <malloc.h>
#endif

#include "core/error.h"
#include "core/memory.h"
#include "numbers.h"
#include "random.h"

enum {
  CLOCKED_LEAST = 4096,  /* examples; fresh fits are clocked until there are as many */
  DENSE_MOST = 16 << 20, /* attributes that AERR in O(d) goes through */
  RELEVANT = 8           /* attributes behind the target */
};

size_t bench_rows(const bench_request *q, size_t d) {
  size_t rows = q->bytes / sizeof(double) / d;
  return rows < 2 ? 2 : rows;
}

size_t bench_first(const bench_request *q, size_t d) {
  return bench_rows(q, d) / 2;
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
} bench;

/* ||x||_2 <= 1 and |y| <= 1, as the theorems want it. */
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

/* Processor time of this thread, in nanoseconds: other work beside it does not
 * count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static size_t repetitions(const bench *b) {
  size_t clocked = b->rows - b->first;
  return (CLOCKED_LEAST + clocked - 1) / clocked;
}

static scant_status open_fit(scant_fit **fit, bench *b, const char *algorithm, size_t k, scant_error *error) {
  scant_settings s;
  scant_settings_init(&s);
  s.algorithm = algorithm;
  s.k = k;
  s.shuffle = 0;
  s.seed = random_next(&b->random); /* other looks in every fit: what was read a moment ago is in the cache */
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
  size_t times = repetitions(b);
  *time = 0;
  for (size_t i = 0; i < times; i++) SCANT_TRY(clock_fit(b, algorithm, k, time, error));
  *time /= (double)(times * (b->rows - b->first));
  return SCANT_OK;
}

static double clock_limit(bench *b, size_t k, int prefetch) {
  const bench_range range = {b->x, b->y, b->d, b->first, b->rows};
  size_t times = repetitions(b);
  double start = now();
  for (size_t i = 0; i < times; i++)
    b->sum += prefetch ? bench_prefetch(&range, k, &b->random, b->ahead) : bench_loop(&range, k, &b->random);
  return (now() - start) / (double)(times * (b->rows - b->first));
}

/* Weights that are all in use, as they are after a while. */
static double clock_dense(bench *b, size_t k) {
  size_t most = DENSE_MOST / b->d + 1, d = b->d;
  bench_range range = {b->x, b->y, d, b->first, b->rows};
  if (range.last - range.first > most) range.last = range.first + most;
  double count = (double)(range.last - range.first);
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

static scant_status take_turn(bench *b, bench_results *r, size_t dimension, size_t look, size_t round,
                              scant_error *error) {
  const bench_request *q = r->request;
  size_t k = q->looks[look];
#define AT(other) bench_at(r, dimension, look, bench_other(q, other))[round]
  AT(BENCH_LOOP) = clock_limit(b, k, 0);
  for (size_t c = 0; c < q->algorithm_count; c++)
    SCANT_TRY(clock_algorithm(b, q->algorithms[c], k, &bench_at(r, dimension, look, c)[round], error));
  AT(BENCH_PREFETCH) = clock_limit(b, k, 1);
  AT(BENCH_LIMIT) = fmin(AT(BENCH_LOOP), AT(BENCH_PREFETCH));
  AT(BENCH_DENSE) = clock_dense(b, k);
#undef AT
  return SCANT_OK;
}

/* A first fit that is thrown away: from then on the allocator has the memory that
 * the next ones need, and they do not pay for pages that the machine has never
 * given to this process before. */
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
    for (size_t look = 0; look < q->look_count; look++) {
      if (q->looks[look] > b->d) continue;
      SCANT_TRY(take_turn(b, r, dimension, look, round, error));
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
  for (size_t i = 0; status == SCANT_OK && i < q->dimension_count; i++) {
    status = run_dimension(&b, results, i, error);
    free_table(&b);
  }
  if (status == SCANT_OK && !isfinite(b.sum)) status = scant_fail(error, SCANT_DATA, "the sums are not finite");
  return status;
}

void bench_free(bench_results *results) {
  free(results->times);
  results->times = NULL;
}

/* ---- figures ---------------------------------------------------------------- */

const char *bench_name(const bench_results *r, size_t contestant) {
  static const char *const others[BENCH_OTHERS] = {"limit", "limit, plain", "limit, prefetched", "plain aerr"};
  const bench_request *q = r->request;
  if (contestant < q->algorithm_count) return q->algorithms[contestant];
  return contestant == bench_other(q, BENCH_PEER) ? r->peer : others[contestant - q->algorithm_count];
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
