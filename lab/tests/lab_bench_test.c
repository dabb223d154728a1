/* What 'scant-lab bench' compares with: the loops against each other, the plain AERR
 * against the row aerr; and its figures on times that are made up. */
#include "bench.h"

#include <stdlib.h>

#include "numbers.h"
#include "check.h"

/* ---- drawing ------------------------------------------------------------------ */

/* Without the rejection a third of the values of this bound would come twice as
 * often as the others. */
TEST(draws_are_even) {
  enum { DRAWS = 100000 };
  uint64_t random = 1;
  uint32_t bound = UINT32_C(3) << 30;
  int third = 0, high = 0;
  for (int i = 0; i < DRAWS; i++) {
    uint32_t draw = random_draw(&random, bound);
    CHECK(draw < bound);
    third += draw % 3 == 0;
    high += draw >= UINT32_C(1) << 31;
  }
  double sigma = sqrt(DRAWS * 2.0 / 9);
  CHECK_NEAR(third, DRAWS / 3.0, 5 * sigma);
  CHECK_NEAR(high, DRAWS / 3.0, 5 * sigma);
}

/* ---- the limit ------------------------------------------------------------------ */

static double *make_table(size_t rows, size_t d) {
  double *x = malloc(rows * d * sizeof *x);
  uint64_t random = 7;
  for (size_t i = 0; i < rows * d; i++) x[i] = random_unit(&random);
  return x;
}

/* Same draws, same order of the sum: the same bits.  Some tables end before the
 * first row comes out of the ring, some rows alone fill it. */
TEST(prefetching_changes_nothing_but_time) {
  static const size_t counts[] = {1, 2, 3, 63, 64, 65, 200}, looks[] = {1, 3, 4, 56, 256, 300};
  uint32_t ahead[BENCH_AHEAD + 300];
  size_t d = 11;
  double *x = make_table(210, d);
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (size_t k = 0; k < sizeof looks / sizeof *looks; k++) {
      bench_range rows = {x, NULL, d, 5, 5 + counts[c]};
      uint64_t one = 3, other = 3;
      double sum = bench_loop(&rows, looks[k], &one);
      CHECK(sum == bench_prefetch(&rows, looks[k], &other, ahead));
      CHECK(one == other);
      CHECK(sum > 0);
    }
  }
  free(x);
}

/* Rows are told apart by their size: row t holds 1000^t at every attribute. */
TEST(the_loop_reads_k_of_each_of_its_rows) {
  double x[4 * 5];
  for (size_t i = 0; i < 20; i++) x[i] = pow(1000, (double)(i / 5));
  bench_range rows = {x, NULL, 5, 1, 3};
  uint64_t random = 1;
  CHECK(bench_loop(&rows, 7, &random) == 7 * 1000.0 + 7 * 1000000.0);
}

TEST(the_loop_draws_evenly) {
  enum { D = 6, K = 60000 };
  double x[D];
  uint64_t random = 5;
  for (size_t i = 0; i < D; i++) {
    for (size_t j = 0; j < D; j++) x[j] = i == j;
    bench_range rows = {x, NULL, D, 0, 1};
    CHECK_NEAR(bench_loop(&rows, K, &random), K / (double)D, 5 * sqrt(K * 5.0 / 36));
  }
}

/* ---- the plain AERR --------------------------------------------------------------- */

enum { D = 6, M = 300, K = 4, RUNS = 2000 };
static double data_x[M * D], data_y[M];
static const double eta = 0.1, radius = 0.4; /* small enough that the projection works */

static void make_data(void) {
  uint64_t random = 11;
  for (size_t t = 0; t < M; t++) {
    double *x = data_x + t * D;
    for (size_t i = 0; i < D; i++) x[i] = (2 * random_unit(&random) - 1) / sqrt(D);
    data_y[t] = x[0] - x[3] / 2 + 0.2 * (random_unit(&random) - 0.5);
  }
}

static void plain(uint64_t seed, double *mean) {
  double w[D] = {0}, g[D];
  bench_range rows = {data_x, data_y, D, 0, M};
  bench_dense state = {eta, radius, w, mean, g, 0};
  for (size_t i = 0; i < D; i++) mean[i] = 0;
  bench_dense_aerr(&state, &rows, K, &seed);
  double norm = 0;
  for (size_t i = 0; i < D; i++) norm += w[i] * w[i];
  CHECK_AT_MOST(sqrt(norm), radius * (1 + 1e-12));
  CHECK(state.before == M);
}

static void row(uint64_t seed, double *mean) {
  scant_settings s;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  scant_settings_init(&s);
  s.learning.algorithm = "aerr";
  s.learning.k = K;
  s.learning.seed = seed;
  s.run.shuffle = 0;
  scant_settings_set(&s, "eta", "0.1", NULL);
  scant_settings_set(&s, "radius", "0.4", NULL);
  CHECK(!scant_source_wrap(&source, SCANT_FLOAT64, data_x, M, D, D * sizeof(double), sizeof(double), data_y, NULL));
  CHECK(!scant_fit_new(&fit, &s, source, NULL));
  CHECK(!scant_fit_advance(fit, M, &done, NULL) && done);
  CHECK(!scant_fit_model(fit, 0, &model, NULL));
  memcpy(mean, scant_model_weights(model), D * sizeof *mean);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* Mean squared error over the data. */
static double error_of(const double *w) {
  double sum = 0;
  for (size_t t = 0; t < M; t++) {
    double miss = -data_y[t];
    for (size_t i = 0; i < D; i++) miss += w[i] * data_x[t * D + i];
    sum += miss * miss / M;
  }
  return sum;
}

typedef struct {
  double mean, square;
} moments;

static void add(moments *m, double value) {
  m->mean += value / RUNS;
  m->square += value * value / RUNS;
}

/* |difference| of two means of RUNS values within 5 standard errors. */
static void check_alike(const moments *a, const moments *b) {
  double variance = a->square - a->mean * a->mean + b->square - b->mean * b->mean;
  CHECK_NEAR(a->mean, b->mean, 5 * sqrt(variance / RUNS));
}

/* They draw other looks, so they agree in distribution: every weight and its square, and
 * the error. */
TEST(the_plain_aerr_is_aerr) {
  moments weights[2][D] = {{{0}}}, squares[2][D] = {{{0}}}, errors[2] = {{0}};
  make_data();
  for (uint64_t run = 0; run < RUNS; run++) {
    for (int which = 0; which < 2; which++) {
      double w[D];
      if (which)
        row(run + 1, w);
      else
        plain(run + 1, w);
      for (size_t i = 0; i < D; i++) {
        add(&weights[which][i], w[i]);
        add(&squares[which][i], w[i] * w[i]);
      }
      add(&errors[which], error_of(w));
    }
  }
  for (size_t i = 0; i < D; i++) {
    check_alike(&weights[0][i], &weights[1][i]);
    check_alike(&squares[0][i], &squares[1][i]);
  }
  check_alike(&errors[0], &errors[1]);
  double nothing[D] = {0};
  CHECK(errors[0].mean < 0.9 * error_of(nothing)); /* they did learn */
}

/* ---- figures ---------------------------------------------------------------------- */

/* aerr takes 2, 9 and 4 times the limit, and the peer 10 times the limit, in three
 * rounds of which each is slower than the one before; at d = 100 alone. */
static bench_request request = {.dimensions = {100, 10000},
                                .looks = {56},
                                .algorithms = {"aerr"},
                                .dimension_count = 2,
                                .look_count = 1,
                                .algorithm_count = 1,
                                .rounds = 3,
                                .bytes = 1 << 20};

static void fill(bench_results *r, double *times) {
  static const double ratio[] = {2, 9, 4};
  *r = (bench_results){.request = &request, .times = times, .peer = "somebody"};
  for (size_t i = 0; i < 2 * (1 + BENCH_OTHERS) * 3; i++) times[i] = NAN;
  for (size_t round = 0; round < 3; round++) {
    double limit = 100.0 * (double)(round + 1);
    bench_at(r, 0, 0, bench_other(&request, BENCH_LIMIT))[round] = limit;
    bench_at(r, 0, 0, bench_other(&request, BENCH_PEER))[round] = 10 * limit;
    bench_at(r, 0, 0, 0)[round] = ratio[round] * limit;
  }
}

TEST(ratios_are_those_of_a_round) {
  double times[2 * (1 + BENCH_OTHERS) * 3];
  bench_results r;
  fill(&r, times);
  bench_figure f = bench_ratio(&r, 0, 0, 0, bench_other(&request, BENCH_LIMIT));
  CHECK(f.median == 4 && f.low == 2 && f.high == 9);
  f = bench_time(&r, 0, 0, 0);
  CHECK(f.median == 1200 && f.low == 200 && f.high == 1800);
  CHECK(isnan(bench_time(&r, 1, 0, 0).median));
}

TEST(verdicts_take_the_worst_that_was_measured) {
  double times[2 * (1 + BENCH_OTHERS) * 3];
  bench_results r;
  bench_goal near = {"aerr", 56, 0, 10000, 0, 4}, nearer = {"aerr", 56, 0, 10000, 0, 3.9};
  bench_goal fast = {"aerr", 56, 0, 10000, 1, 2.5}, faster = {"aerr", 56, 0, 10000, 1, 2.6};
  bench_goal other = {"aerr", 4, 0, 10000, 0, 4}, beyond = {"aerr", 56, 101, 10000, 0, 4};
  fill(&r, times);
  bench_verdict v = bench_judge(&r, &near);
  CHECK(v.ratio == 4 && v.d == 100 && v.holds);
  CHECK(!bench_judge(&r, &nearer).holds);
  CHECK(bench_judge(&r, &fast).ratio == 2.5 && bench_judge(&r, &fast).holds);
  CHECK(!bench_judge(&r, &faster).holds);
  CHECK(isnan(bench_judge(&r, &other).ratio) && isnan(bench_judge(&r, &beyond).ratio));
  for (size_t round = 0; round < 3; round++) { /* at d = 10,000 it is worse */
    bench_at(&r, 1, 0, bench_other(&request, BENCH_LIMIT))[round] = 100;
    bench_at(&r, 1, 0, bench_other(&request, BENCH_PEER))[round] = 100;
    bench_at(&r, 1, 0, 0)[round] = 500;
  }
  v = bench_judge(&r, &near);
  CHECK(v.ratio == 5 && v.d == 10000 && !v.holds);
  v = bench_judge(&r, &fast);
  CHECK(v.ratio == 0.2 && v.d == 10000 && !v.holds);
}

/* Tables are cut in half; of what is over soon several fits are clocked. */
TEST(every_turn_has_examples_enough) {
  size_t row_count = 1 << 17; /* of one megabyte of doubles */
  CHECK(bench_rows(&request, 100) == row_count / 100);
  CHECK(bench_first(&request, 100) == row_count / 200);
  CHECK(bench_rows(&request, 1000000) == 2);
  for (size_t d = 100; d <= 1000000; d *= 10) {
    size_t half = bench_rows(&request, d) - bench_first(&request, d);
    CHECK(bench_clocked(&request, d, 0) >= 4096);
    CHECK(bench_clocked(&request, d, 0) % half == 0);
    CHECK(bench_clocked(&request, d, 0) == bench_clocked(&request, d, bench_other(&request, BENCH_PREFETCH)));
    CHECK(bench_clocked(&request, d, bench_other(&request, BENCH_DENSE)) <= half);
  }
}

int main(void) {
  RUN(draws_are_even);
  RUN(prefetching_changes_nothing_but_time);
  RUN(the_loop_reads_k_of_each_of_its_rows);
  RUN(the_loop_draws_evenly);
  RUN(the_plain_aerr_is_aerr);
  RUN(ratios_are_those_of_a_round);
  RUN(verdicts_take_the_worst_that_was_measured);
  RUN(every_turn_has_examples_enough);
  return check_done();
}
