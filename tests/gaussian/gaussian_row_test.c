/* The row gaussian through the learner: its looks, its law, what may happen to it,
 * checkpoints, and what the model keeps. */
#include "gaussian/regress.h"
#include "gaussian/row.h"

#include <lapacke.h>

#include "allocations.h"
#include "core/text.h"
#include "files.h"
#include "gaussians.h"
#include "scant_solve.h"

static scant_error error;

/* ---- data ------------------------------------------------------------------------- */

enum { D = 14, N = 400 };

/* Three hidden causes, and noise. */
typedef struct {
  size_t rows, dimension;
  double *x, *y;
} sample;

static sample sample_new(size_t rows, size_t dimension, uint64_t seed) {
  sample s = {rows, dimension, calloc(rows * dimension, sizeof(double)), calloc(rows, sizeof(double))};
  double load[64][3];
  CHECK(dimension <= 64);
  uint64_t fixed = 77; /* the same causes whatever the seed */
  for (size_t j = 0; j < dimension; j++)
    for (int k = 0; k < 3; k++) load[j][k] = random_normal(&fixed);
  for (size_t row = 0; row < rows; row++) {
    double f[3] = {random_normal(&seed), random_normal(&seed), random_normal(&seed)};
    for (size_t j = 0; j < dimension; j++) {
      double *x = &s.x[row * dimension + j];
      *x = random_normal(&seed) / 2;
      for (int k = 0; k < 3; k++) *x += load[j][k] * f[k];
    }
    s.y[row] = f[0] - 2 * f[1] + f[2] / 2 + random_normal(&seed) / 3;
  }
  return s;
}

static void sample_free(sample *s) {
  free(s->x);
  free(s->y);
}

static scant_settings gaussian(const char *list) {
  scant_settings s = settings_from("algorithm=gaussian threads=1");
  settings_add(&s, list);
  s.engines = scant_solve_engines;
  return s;
}

static scant_learner *open_learner(const char *list, size_t dimension) {
  scant_settings s = gaussian(list);
  scant_learner *l = NULL;
  if (!CHECK(scant_learner_new(&l, &s, dimension, 0, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return l;
}

static scant_status tell_row(scant_learner *l, const scant_look *look, const sample *s, size_t row) {
  double values[64];
  for (uint32_t i = 0; i < look->count; i++) values[i] = s->x[row * s->dimension + look->attributes[i]];
  return scant_learner_tell(l, look, look->count, look->attributes, values, s->y[row], &error);
}

static scant_status learn_row(scant_learner *l, scant_look *look, const sample *s, size_t row) {
  scant_status status = scant_learner_ask(l, look, &error);
  if (status != SCANT_OK) return status;
  status = tell_row(l, look, s, row);
  if (status != SCANT_OK) scant_learner_cancel(l, look, NULL);
  return status;
}

static void teach(scant_learner *l, const sample *s, size_t first, size_t after) {
  scant_look *look = look_for(l);
  for (size_t row = first; row < after; row++)
    if (!CHECK(learn_row(l, look, s, row) == SCANT_OK)) printf("#   %s\n", error.text);
  scant_look_free(look);
}

static scant_learner *learned(const char *list, const sample *s, size_t rows) {
  scant_learner *l = open_learner(list, s->dimension);
  teach(l, s, 0, rows);
  if (!CHECK(scant_learner_finish(l, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return l;
}

/* ---- looks --------------------------------------------------------------------------- */

TEST(a_look_has_k_distinct_attributes) {
  static const char *const lists[] = {"k=2", "k=3", "k=5", "k=13", "k=14"};
  static const uint32_t ks[] = {2, 3, 5, 13, 14};
  sample s = sample_new(200, D, 1);
  for (size_t r = 0; r < 5; r++) {
    scant_learner *l = open_learner(lists[r], D);
    scant_look *look = look_for(l);
    for (size_t row = 0; row < 120; row++) {
      unsigned met = 0;
      CHECK(learn_row(l, look, &s, row) == SCANT_OK && look->count == ks[r]);
      for (uint32_t i = 0; i < look->count; i++) {
        CHECK(look->attributes[i] < D && !(met >> look->attributes[i] & 1));
        met |= 1u << look->attributes[i];
      }
    }
    CHECK(scant_gaussian_of(l)->chosen_at > 0 && scant_gaussian_of(l)->renew_at > 120);
    scant_look_free(look);
    scant_learner_free(l);
  }
  sample_free(&s);
}

/* Between two renewals, what is told does not change what is asked: one learner is
 * told at once, the other at the end, in another order, with looks that are cancelled. */
TEST(the_law_of_a_batch_is_fixed) {
  enum { WAITING = 10 };
  sample s = sample_new(N, D, 2);
  scant_learner *a = open_learner("k=4", D), *b = open_learner("k=4 max-open=64", D);
  scant_look *look[2] = {look_for(a), look_for(b)}, *kept[WAITING];
  size_t row = 0;
  while (scant_gaussian_of(a)->renew_at < 90 || a->told + 2 * WAITING > scant_gaussian_of(a)->renew_at) {
    CHECK(learn_row(a, look[0], &s, row) == SCANT_OK && learn_row(b, look[1], &s, row) == SCANT_OK);
    row++;
  }
  CHECK(scant_gaussian_of(a)->chosen_at > 0 && row < N - 2 * WAITING);
  double follow[D], explore[D];
  memcpy(follow, scant_gaussian_of(b)->follow, sizeof follow);
  memcpy(explore, scant_gaussian_of(b)->explore, sizeof explore);
  for (size_t i = 0; i < WAITING; i++) {
    CHECK(learn_row(a, look[0], &s, row + i) == SCANT_OK && scant_learner_ask(b, look[1], &error) == SCANT_OK);
    CHECK(look[0]->count == 4 && !memcmp(look[0]->attributes, look[1]->attributes, 4 * sizeof(uint32_t)));
    kept[i] = look_copy(look[1]);
  }
  for (size_t i = WAITING; i-- > 1;) CHECK(tell_row(b, kept[i], &s, row + i) == SCANT_OK);
  CHECK(scant_learner_cancel(b, kept[0], &error) == SCANT_OK);
  CHECK(tell_row(b, kept[0], &s, row) == SCANT_MISUSE && tell_row(b, kept[1], &s, row) == SCANT_MISUSE);
  CHECK(!memcmp(follow, scant_gaussian_of(b)->follow, sizeof follow));
  CHECK(!memcmp(explore, scant_gaussian_of(b)->explore, sizeof explore));
  CHECK(b->told == row + WAITING - 1 && scant_gaussian_of(b)->looks.examples == b->told);
  teach(b, &s, row + WAITING, N); /* and it goes on */
  CHECK(scant_learner_finish(b, &error) == SCANT_OK);
  CHECK(memcmp(follow, scant_gaussian_of(b)->follow, sizeof follow) != 0); /* renewed since */
  for (size_t i = 0; i < WAITING; i++) scant_look_free(kept[i]);
  for (int i = 0; i < 2; i++) scant_look_free(look[i]);
  scant_learner_free(a);
  scant_learner_free(b);
  sample_free(&s);
}

/* Of looks by a law that is set by hand. */
static void count_looks(scant_learner *l, size_t looks, double *count) {
  scant_look *look = look_for(l);
  memset(count, 0, l->dimension * sizeof *count);
  for (size_t r = 0; r < looks; r++) {
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count == l->settings.k);
    for (uint32_t i = 0; i < look->count; i++) count[look->attributes[i]]++;
    CHECK(scant_learner_cancel(l, look, &error) == SCANT_OK);
  }
  scant_look_free(look);
}

/* A share of the looks, but not most, goes to what explains nothing; by the law of
 * exploring, and of following, in proportion. */
TEST(looks_follow_and_explore) {
  enum { LOOKS = 6000, WIDE = 30, FOLLOWED = 12 };
  static const char *const lists[] = {"k=2", "k=5"};
  for (size_t r = 0; r < 2; r++) {
    scant_learner *l = open_learner(lists[r], WIDE);
    scant_gaussian_state *s = scant_gaussian_of(l);
    double count[WIDE], k = r ? 5 : 2, outside = 0;
    count_looks(l, LOOKS, count); /* at first evenly */
    for (size_t j = 0; j < WIDE; j++) CHECK_NEAR(count[j], LOOKS * k / WIDE, 5 * sqrt(LOOKS * k / WIDE));
    s->chosen_at = 1;
    s->renew_at = 1 << 20;
    for (size_t j = 0; j < FOLLOWED; j++) s->follow[j] = j ? 0.01 : 0.03;
    s->explore[WIDE - 1] = 0.25;
    count_looks(l, LOOKS, count);
    for (size_t j = FOLLOWED; j < WIDE; j++) outside += count[j] / (LOOKS * k);
    CHECK(outside > 0.05 && outside < 0.4);
    double even = LOOKS * k * outside / (WIDE - FOLLOWED - 1 + 0.25);
    for (size_t j = FOLLOWED; j < WIDE; j++) {
      double wanted = j == WIDE - 1 ? 0.25 * even : even;
      CHECK_NEAR(count[j], wanted, 5 * sqrt(wanted) + 0.06 * wanted); /* without replacement, so about */
    }
    for (size_t j = 2; j < FOLLOWED; j++) CHECK_NEAR(count[j], count[1], 7 * sqrt(count[1]));
    CHECK(count[0] > (r ? 1.5 : 2) * count[1]);
    for (size_t j = 0; j < WIDE; j++) s->follow[j] = j == 3; /* fewer than there are looks */
    count_looks(l, LOOKS, count);
    CHECK(count[3] > 0.5 * LOOKS && count[3] <= LOOKS);
    scant_learner_free(l);
  }
}

/* What explains the target is looked at most, what never varied least, and nothing is
 * given up. */
TEST(the_law_goes_where_it_helps) {
  enum { WIDE = 40, ROWS = 700, VARY = 36, EVEN = ROWS * 4 / WIDE };
  sample s = {ROWS, WIDE, calloc(ROWS * WIDE, sizeof(double)), calloc(ROWS, sizeof(double))};
  uint64_t seed = 4;
  for (size_t row = 0; row < ROWS; row++) {
    double *x = s.x + row * WIDE;
    for (size_t j = 0; j < WIDE; j++) x[j] = j >= VARY ? 7 : random_normal(&seed);
    s.y[row] = x[0] + x[1] - x[2] + random_normal(&seed) / 2;
  }
  scant_learner *l = learned("k=4", &s, ROWS);
  const scant_gaussian_state *state = scant_gaussian_of(l);
  double w[WIDE], intercept, useful = 0, useless = 0, law[2] = {0};
  scant_learner_weights(l, w, &intercept);
  for (size_t j = 0; j < WIDE; j++) {
    double count = (double)l->moments[j].count;
    CHECK(count > 3 && state->explore[j] > 0 && state->follow[j] >= 0);
    if (j < VARY) law[j < 3] += state->follow[j] / (j < 3 ? 3 : VARY - 3);
    if (j < 3)
      useful += count / 3;
    else if (j < VARY)
      useless += count / (VARY - 3);
    if (j < VARY)
      CHECK(state->explore[j] == 1 && (fabs(w[j]) > 0.3) == (j < 3));
    else
      CHECK(count < EVEN / 2 && w[j] == 0 && state->explore[j] < 0.5);
  }
  CHECK(useful > 1.7 * EVEN && useful > 1.7 * useless && law[1] > 2 * law[0]);
  CHECK(state->renew_at > ROWS && state->chosen_at > ROWS / 4 && state->chosen_at <= ROWS);
  scant_learner_free(l);
  sample_free(&s);
}

TEST(looks_are_checked_and_told_once) {
  scant_learner *l = open_learner("k=3", D);
  scant_look *look = look_for(l);
  double values[D] = {1, 2, 3};
  CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
  uint32_t kept = look->attributes[1];
  look->attributes[1] = look->entries[1].attribute = look->attributes[0];
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_MISUSE);
  look->attributes[1] = look->entries[1].attribute = kept;
  values[2] = INFINITY;
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_DATA);
  CHECK(scant_gaussian_of(l)->looks.examples == 0);
  values[2] = NAN; /* skip-cell: no part of it */
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_OK);
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_MISUSE);
  CHECK(scant_gaussian_of(l)->looks.examples == 1 && scant_gaussian_of(l)->looks.size[0] == 2);
  CHECK(scant_learner_share(l, look, look, &error) == SCANT_USAGE);
  scant_look_free(look);
  scant_learner_free(l);
}

/* ---- the same bits ---------------------------------------------------------------------- */

TEST(reading_the_regressor_changes_nothing_that_follows) {
  sample s = sample_new(N, D, 3);
  scant_learner *a = open_learner("k=4", D), *b = open_learner("k=4", D);
  scant_look *look[2] = {look_for(a), look_for(b)};
  double w[2][D], c[2];
  for (size_t row = 0; row < 150; row++) {
    CHECK(learn_row(a, look[0], &s, row) == SCANT_OK && learn_row(b, look[1], &s, row) == SCANT_OK);
    CHECK(!memcmp(look[0]->attributes, look[1]->attributes, 4 * sizeof(uint32_t)));
    if (row % 7 == 0) {
      CHECK(scant_learner_finish(b, &error) == SCANT_OK && scant_learner_finish(b, &error) == SCANT_OK);
      scant_learner_weights(b, w[1], &c[1]);
    }
    CHECK(same_state(a, b));
  }
  CHECK(scant_learner_finish(a, &error) == SCANT_OK && scant_learner_finish(b, &error) == SCANT_OK);
  scant_learner_weights(a, w[0], &c[0]);
  scant_learner_weights(b, w[1], &c[1]);
  CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1] && w[0][0] != 0);
  for (int i = 0; i < 2; i++) scant_look_free(look[i]);
  scant_learner_free(a);
  scant_learner_free(b);
  sample_free(&s);
}

TEST(threads_do_not_change_a_bit) {
  sample s = sample_new(N, D, 3);
  double w[3][D], c[3];
  for (size_t t = 0; t < 3; t++) {
    static const char *const lists[] = {"k=4 threads=1", "k=4 threads=2", "k=4 threads=7"};
    scant_learner *l = learned(lists[t], &s, 130);
    scant_learner_weights(l, w[t], &c[t]);
    CHECK(!memcmp(w[0], w[t], sizeof w[0]) && c[0] == c[t]);
    scant_learner_free(l);
  }
  sample_free(&s);
}

/* ---- the regressor -------------------------------------------------------------------- */

static double predict(const sample *s, size_t row, const double *w, double intercept) {
  for (size_t j = 0; j < s->dimension; j++) intercept += w[j] * s->x[row * s->dimension + j];
  return intercept;
}

TEST(units_and_offsets_do_not_matter) {
  sample s = sample_new(N, D, 5), other = sample_new(N, D, 5);
  static const double units[] = {1e3, 1e-4, -2, 1, 1e6}, offsets[] = {7, 0, -3, 1e3, 0};
  double w[2][D], c[2];
  for (size_t row = 0; row < N; row++) {
    for (size_t j = 0; j < D; j++) other.x[row * D + j] = other.x[row * D + j] * units[j % 5] + offsets[j % 5];
    other.y[row] = 1e4 * other.y[row] - 7;
  }
  for (int t = 0; t < 2; t++) {
    scant_learner *l = learned("k=4", t ? &other : &s, 160);
    scant_learner_weights(l, w[t], &c[t]);
    scant_learner_free(l);
  }
  for (size_t row = 0; row < N; row++)
    CHECK_NEAR((predict(&other, row, w[1], c[1]) + 7) / 1e4, predict(&s, row, w[0], c[0]), 1e-6);
  sample_free(&s);
  sample_free(&other);
}

static double error_of(const char *list, const sample *s, const sample *test) {
  double w[64], intercept, sum = 0;
  scant_learner *l = learned(list, s, s->rows);
  scant_learner_weights(l, w, &intercept);
  for (size_t row = 0; row < test->rows; row++) {
    double deviation = predict(test, row, w, intercept) - test->y[row];
    sum += deviation * deviation / (double)test->rows;
  }
  scant_learner_free(l);
  return sum;
}

TEST(where_few_causes_are_behind_much_it_beats_auto) {
  sample s = sample_new(500, 40, 6), test = sample_new(500, 40, 7);
  double variance = 0;
  for (size_t row = 0; row < 500; row++) variance += test.y[row] * test.y[row] / 500;
  double mine = error_of("k=4", &s, &test), others = error_of("k=4 algorithm=auto", &s, &test);
  CHECK(mine < 0.6 * others && mine < 0.15 * variance);
  if (mine >= 0.6 * others) printf("#   %g, auto %g, variance %g\n", mine, others, variance);
  sample_free(&s);
  sample_free(&test);
}

/* What it says of itself. */
TEST(facts_are_those_of_the_last_finish) {
  sample s = sample_new(N, D, 8), test = sample_new(N, D, 9);
  scant_learner_facts facts;
  scant_learner *l = open_learner("k=6", D);
  scant_learner_get_facts(l, &facts);
  CHECK(isnan(facts.risk) && isnan(facts.likelihood) && isnan(facts.penalty));
  teach(l, &s, 0, N);
  CHECK(scant_learner_finish(l, &error) == SCANT_OK);
  scant_learner_get_facts(l, &facts);
  double w[D], c, sum = 0, variance = 0;
  scant_learner_weights(l, w, &c);
  for (size_t row = 0; row < N; row++) {
    double deviation = predict(&test, row, w, c) - test.y[row];
    sum += deviation * deviation / N;
    variance += test.y[row] * test.y[row] / N;
  }
  CHECK(facts.told == N && isfinite(facts.likelihood) && facts.likelihood < 0 && facts.penalty > 0);
  CHECK(facts.risk > 0.5 * sum && facts.risk < 2.5 * sum && facts.risk < variance / 2 && facts.risk_error >= 0);
  scant_learner_free(l);
  sample_free(&s);
  sample_free(&test);
}

TEST(from_too_few_examples_the_mean_comes_out) {
  sample s = sample_new(20, D, 10);
  for (size_t n = 0; n < 10; n++) {
    scant_learner *l = learned("k=5", &s, n);
    double w[D], intercept, mean = 0;
    scant_learner_weights(l, w, &intercept);
    for (size_t i = 0; i < n; i++) mean += s.y[i] / (double)n;
    for (size_t i = 0; i < D; i++) CHECK(w[i] == 0);
    CHECK_NEAR(intercept, mean, 1e-12);
    scant_learner_free(l);
  }
  for (size_t n = 10; n < 20; n++) {
    scant_learner *l = learned("k=5", &s, n);
    double w[D], intercept;
    scant_learner_weights(l, w, &intercept);
    for (size_t i = 0; i < D; i++) CHECK(isfinite(w[i]) && isfinite(intercept));
    scant_learner_free(l);
  }
  sample_free(&s);
}

/* Columns of every odd kind, and targets. */
TEST(odd_columns_are_no_error) {
  static const char *const lists[] = {"k=5", "k=14", "observed=yes", "k=2"};
  for (size_t r = 0; r < 4; r++)
    for (int kind = 0; kind < 3; kind++) {
      sample s = sample_new(N, D, 11);
      for (size_t row = 0; row < N; row++) {
        double *x = s.x + row * D;
        x[2] = 3e5 + 0.1;                       /* constant */
        x[4] = NAN;                             /* never known */
        x[6] = row == 5 ? 1 : NAN;              /* once */
        x[7] = row == 30 ? 1e9 : 0;             /* a single value */
        x[9] = x[8];                            /* twice the same */
        x[10] = 1e-7 * x[0] - 5;                /* and scaled */
        if (kind == 1) s.y[row] = 7;            /* a target that does not vary */
        if (kind == 2) s.y[row] = x[8] * 3 - 1; /* and one that is an attribute */
      }
      scant_learner *l = learned(lists[r], &s, 150);
      double w[D], intercept;
      scant_learner_weights(l, w, &intercept);
      for (size_t j = 0; j < D; j++) CHECK(isfinite(w[j]));
      CHECK(w[2] == 0 && w[4] == 0 && w[6] == 0 && w[7] == 0 && isfinite(intercept));
      if (kind == 1) CHECK_NEAR(intercept, 7, 1e-6);
      for (size_t j = 0; j < D; j++)
        if (kind == 1) CHECK_NEAR(w[j] * (j == 10 ? 1e-7 : 1), 0, 1e-9);
      double errors = 0, variance = 0;
      for (size_t row = 150; row < N && kind == 2 && r < 3; row++) {
        double x = s.x[row * D + 8], mean = intercept;
        for (size_t j = 0; j < D; j++)
          if (w[j] != 0) mean += w[j] * s.x[row * D + j];
        errors += (mean - s.y[row]) * (mean - s.y[row]);
        variance += 9 * x * x;
      }
      CHECK_AT_MOST(errors, 0.2 * variance);
      scant_learner_free(l);
      sample_free(&s);
    }
}

TEST(one_and_two_attributes_are_enough) {
  for (size_t d = 1; d <= 2; d++) {
    sample s = sample_new(200, d, 13);
    for (size_t row = 0; row < 200; row++) s.y[row] = 2 * s.x[row * d] + 1;
    static const char *const lists[] = {"observed=yes", "k=2"}; /* K is at least 2 */
    for (size_t r = 0; r < d; r++) {
      scant_learner *l = learned(lists[r], &s, 200);
      double w[2], intercept;
      scant_learner_weights(l, w, &intercept);
      CHECK_NEAR(w[0], 2, 0.5);
      CHECK_NEAR(intercept, 1, 0.3);
      scant_learner_free(l);
    }
    sample_free(&s);
  }
}

/* With every value at hand, and many of them, it is nearly least squares. */
TEST(with_every_value_it_is_nearly_least_squares) {
  sample s = sample_new(3000, 5, 14);
  long double a[36] = {0}, b[6] = {0};
  for (size_t row = 0; row < s.rows; row++) {
    double x[6] = {1};
    memcpy(x + 1, s.x + row * 5, 5 * sizeof *x);
    for (size_t i = 0; i < 6; i++) {
      b[i] += x[i] * s.y[row];
      for (size_t j = 0; j < 6; j++) a[i * 6 + j] += x[i] * x[j];
    }
  }
  solve_directly(a, b, 6);
  double w[5], intercept;
  scant_learner *l = learned("observed=yes", &s, s.rows);
  scant_learner_weights(l, w, &intercept);
  for (size_t j = 0; j < 5; j++) CHECK_NEAR(w[j], (double)b[j + 1], 0.1);
  CHECK_NEAR(intercept, (double)b[0], 0.05);
  scant_learner_free(l);
  sample_free(&s);
}

/* ---- refusals ---------------------------------------------------------------------------- */

static void refused(scant_settings s, size_t d, scant_status status, const char *words) {
  scant_learner *l = NULL;
  error.text[0] = 0;
  CHECK(scant_learner_new(&l, &s, d, 0, &error) == status);
  CHECK_SAYS(error.text, words);
  scant_learner_free(l);
}

TEST(what_cannot_be_is_refused) {
  scant_settings without = gaussian("k=5");
  without.engines = NULL;
  refused(without, D, SCANT_USAGE, "needs an engine");
  refused(gaussian(""), D, SCANT_USAGE, "k is missing");
  refused(gaussian("k=5 passes=2"), D, SCANT_USAGE, "one pass");
  refused(gaussian("k=15"), D, SCANT_DATA, "15");
  refused(gaussian("k=5 observed=yes"), D, SCANT_DATA, "observed");
  refused(gaussian("observed=yes missing=error"), D, SCANT_USAGE, "missing can't be error");
  refused(gaussian("observed=yes missing=skip-example"), D, SCANT_USAGE, "skip-example");
  refused(gaussian("k=5"), 31000, SCANT_DATA, "GiB");
  refused(gaussian("k=5 memory=0.000001"), D, SCANT_DATA, "gaussian needs");
  refused(gaussian("k=5 memory=1e6"), 33000, SCANT_DATA, "at most");
  refused(gaussian("k=5 penalty=0.1"), D, SCANT_USAGE, "penalty");
}

/* ---- checkpoints --------------------------------------------------------------------------- */

static scant_status restored(scant_learner **l, const char *list, size_t dimension, const char *text) {
  scant_json json = {0};
  *l = open_learner(list, dimension);
  scant_status status = scant_json_parse(&json, text, strlen(text), &error);
  if (status == SCANT_OK) status = scant_learner_restore(*l, &json, 0, &error);
  scant_json_free(&json);
  return status;
}

TEST(it_resumes_to_the_same_bits) {
  static const char *const lists[] = {"k=4", "observed=yes"};
  sample s = sample_new(N, D, 15);
  for (size_t i = 0; i < N * D; i += 7) s.x[i] = NAN;
  for (size_t r = 0; r < 2; r++) {
    scant_learner *whole = learned(lists[r], &s, 120), *l = NULL;
    double w[2][D], c[2];
    scant_learner_weights(whole, w[0], &c[0]);
    char *wanted = learner_text(whole);
    static const size_t cuts[] = {0, 5, 19, 20, 21, 28, 29, 60, 119, 120};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
      scant_learner *first = open_learner(lists[r], D);
      teach(first, &s, 0, cuts[i]);
      char *text = learner_text(first);
      if (!CHECK(restored(&l, lists[r], D, text) == SCANT_OK)) printf("#   %s\n", error.text);
      CHECK(same_state(first, l));
      teach(l, &s, cuts[i], 120);
      CHECK(scant_learner_finish(l, &error) == SCANT_OK);
      scant_learner_weights(l, w[1], &c[1]);
      CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1]);
      char *got = learner_text(l);
      CHECK(strcmp(wanted, got) == 0);
      free(text);
      free(got);
      scant_learner_free(first);
      scant_learner_free(l);
    }
    free(wanted);
    scant_learner_free(whole);
  }
  sample_free(&s);
}

/* The text with what follows "key": replaced up to the end of its value. */
static char *changed(const char *text, const char *key, const char *value) {
  char name[64], *made = malloc(strlen(text) + strlen(value) + 1);
  snprintf(name, sizeof name, "\"%s\":", key);
  const char *at = strstr(text, name);
  if (!CHECK(at != NULL)) return strcpy(made, text);
  at += strlen(name);
  const char *end = at;
  for (int depth = 0, quoted = 0; depth > 0 || quoted || (*end != ',' && *end != '}'); end++) {
    if (*end == '"') quoted = !quoted;
    if (*end == '[') depth++;
    if (*end == ']') depth--;
  }
  sprintf(made, "%.*s%s%s", (int)(at - text), text, value, end);
  return made;
}

TEST(a_damaged_state_is_refused) {
  static const char *const changes[][3] = {
      {"renew_at", "0", "out of range"},
      {"renew_at", "-1", "renew_at"},
      {"chosen_at", "1000", "out of range"},
      {"chosen_at", "\"x\"", "chosen_at"},
      {"choice", "[0, 0.1, 0.03]", "out of range"},
      {"choice", "[100, -0.1, 0.03]", "out of range"},
      {"choice", "[100, 0.1, 0]", "out of range"},
      {"choice", "[100]", "choice"},
      {"choice_risk", "\"x\"", "choice_risk"},
      {"choice_error", "[]", "choice_error"},
      {"choice_few_risk", "[]", "choice_few_risk"},
      {"follow", "[1]", "follow"},
      {"follow", "[-1,1,1]", "out of range"},
      {"follow", "[null,1,1]", "follow"},
      {"explore", "[1,1,0]", "out of range"},
      {"explore", "[1,1]", "explore"},
      {"looks", "1", "looks"},
      {"sizes", "\"\"", "sizes"},
      {"sizes", "\"?\"", "sizes"},
      {"attributes", "\"AAAA\"", "attributes"},
      {"values", "\"AAAA\"", "values"},
      {"targets", "3", "targets"},
  };
  enum { FEW = 3 };
  sample s = sample_new(60, FEW, 16);
  scant_learner *l = open_learner("k=2", FEW), *again = NULL;
  teach(l, &s, 0, 30);
  char *text = learner_text(l);
  CHECK(restored(&again, "k=2", FEW, text) == SCANT_OK);
  scant_learner_free(again);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char *bad = changed(text, changes[i][0], changes[i][1]);
    error.text[0] = 0;
    if (!CHECK(restored(&again, "k=2", FEW, bad) == SCANT_DATA)) printf("#   %s\n", changes[i][0]);
    CHECK_SAYS(error.text, changes[i][2]);
    scant_learner_free(again);
    free(bad);
  }
  /* arrays of the right length whose numbers are impossible */
  scant_looks *looks = &scant_gaussian_of(l)->looks;
  for (int kind = 0; kind < 8; kind++) {
    uint32_t size = looks->size[3], last = looks->size[29], attribute = looks->attribute[0];
    double value = looks->value[1], y = looks->y[2];
    if (kind == 0) looks->size[3] = 1; /* fewer than there are */
    if (kind == 1) looks->size[3] = 4; /* more than attributes */
    if (kind == 2) looks->size[3] = UINT32_MAX;
    if (kind == 3) looks->attribute[0] = FEW;
    if (kind == 4) looks->attribute[0] = (attribute + 1) % FEW; /* not what the moments counted */
    if (kind == 5) looks->value[1] = NAN;
    if (kind == 6) looks->y[2] = INFINITY;
    if (kind == 7) looks->size[29] = 3; /* past the end */
    char *bad = learner_text(l);
    CHECK(restored(&again, "k=2", FEW, bad) == SCANT_DATA);
    CHECK_SAYS(error.text, "looks do not agree");
    scant_learner_free(again);
    free(bad);
    looks->size[3] = size, looks->size[29] = last, looks->attribute[0] = attribute;
    looks->value[1] = value, looks->y[2] = y;
  }
  free(text);
  scant_learner_free(l);
  sample_free(&s);
}

/* ---- what the model keeps ----------------------------------------------------------------- */

static scant_source *sample_source(const sample *s) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, s->x, s->rows, s->dimension,
                          (ptrdiff_t)(s->dimension * sizeof(double)), sizeof(double), s->y, NULL) == SCANT_OK);
  return source;
}

static scant_model *fitted(const char *list, const sample *s, scant_fit **kept) {
  scant_settings settings = gaussian(list);
  scant_source *source = sample_source(s);
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  if (!CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(scant_fit_advance(fit, 1 << 30, &done, &error) == SCANT_OK && done);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  if (kept)
    *kept = fit;
  else
    scant_fit_free(fit);
  scant_source_free(source);
  return model;
}

/* All attributes together, by the joint distribution, predict what the weights do;
 * fewer do not, but well. */
TEST(the_model_predicts_from_all_what_its_weights_do) {
  sample s = sample_new(N, D, 17), test = sample_new(200, D, 18);
  for (size_t row = 0; row < N; row++) s.x[row * D + 3] = row == 9; /* a single value: not known */
  for (size_t row = 0; row < N; row++) s.x[row * D + 5] = 1e4 * s.x[row * D + 5] + 77;
  for (size_t row = 0; row < 200; row++) test.x[row * D + 3] = 0, test.x[row * D + 5] = 1e4 * test.x[row * D + 5] + 77;
  scant_model *m = fitted("k=6", &s, NULL);
  const scant_gaussian *g = m->gaussian;
  if (!CHECK(g != NULL)) return;
  CHECK(scant_gaussian_check(g, D, &error) == SCANT_OK && scant_model_is_gaussian(m));
  CHECK(g->count == D - 1 && g->quantile_count > 0 && !g->two_valued && g->excess >= 0);
  for (size_t i = 0; i < g->count; i++) CHECK(g->attributes[i] == i + (i >= 3));
  for (size_t i = 1; i < g->quantile_count; i++) CHECK(g->quantiles[i] >= g->quantiles[i - 1]);
  double inside = 0, errors[2] = {0};
  for (size_t i = 0; i < g->quantile_count; i++)
    inside += fabs(g->quantiles[i]) < 1 ? 1.0 / (double)g->quantile_count : 0;
  CHECK(inside > 0.55 && inside < 0.9); /* in standard deviations, rather too large ones */
  CHECK_NEAR(g->quantiles[g->quantile_count / 2], 0, 0.15);
  scant_prediction p[200];
  scant_source *source = sample_source(&test);
  CHECK(scant_model_predict_known(m, source, 0.8, p, &error) == SCANT_OK);
  double covered = 0;
  for (size_t row = 0; row < 200; row++) {
    double wanted = scant_model_predict(m, test.x + row * D), mean, variance;
    CHECK_NEAR(p[row].mean, wanted, 1e-8);
    expect_directly(g, (1u << (D - 1)) - 1, test.x + row * D, &mean, &variance);
    CHECK_NEAR(mean, wanted, 1e-8);
    errors[0] += (mean - test.y[row]) * (mean - test.y[row]) / 200;
    expect_directly(g, 0x1f3, test.x + row * D, &mean, &variance); /* from seven */
    errors[1] += (mean - test.y[row]) * (mean - test.y[row]) / 200;
    covered += (test.y[row] >= p[row].low && test.y[row] <= p[row].high) / 200.0;
  }
  CHECK(errors[0] < errors[1] && errors[1] < 0.5 * scant_gaussian_covariance(g, g->count, g->count));
  CHECK_NEAR(covered, 0.8, 0.1);
  scant_source_free(source);
  scant_model_free(m);
  sample_free(&s);
  sample_free(&test);
}

/* The penalty for a few attributes and the factor are part of the variances, and of
 * nothing else; the penalty for all is no part of it. */
TEST(the_model_keeps_the_distribution_of_the_fit) {
  sample s = sample_new(N, D, 19);
  scant_learner *l = learned("k=6", &s, 60);
  scant_gaussian_fit *f = &scant_gaussian_of(l)->fit;
  scant_model *m = NULL;
  f->choice.penalty = 0.3;
  f->choice.few_penalty = 0.02;
  f->choice.few_risk = 0.9;
  CHECK(scant_model_new(&m, D, &error) == SCANT_OK);
  CHECK(scant_gaussian_row_keep(l, m, &error) == SCANT_OK);
  const scant_gaussian *g = m->gaussian;
  if (!CHECK(g && g->count == D && f->normal.n == D + 1)) return;
  double explained = 0, risk = 0.9, n = D + 1, w[D + 1], scratch[(D + 1) * (D + 1)];
  CHECK(scant_regress(&f->normal, f->factor, 0.02, w, scratch));
  for (size_t i = 0; i <= D; i++) {
    CHECK_NEAR(g->mean[i], f->frame.centre[i] + f->frame.unit[i] * f->normal.mean[i], 1e-12);
    for (size_t j = 0; j <= D; j++) {
      double c = f->normal.covariance[i * (D + 1) + j] * f->frame.unit[i] * f->frame.unit[j];
      if (i == j && i < D) c *= f->factor[i] + f->choice.few_penalty;
      CHECK_NEAR(scant_gaussian_covariance(g, i, j), c, 1e-10);
    }
    if (i < D) explained += w[i] * f->normal.covariance[D * (D + 1) + i];
  }
  explained /= f->normal.covariance[(size_t)(n * n) - 1];
  CHECK_NEAR(g->excess, fmax(0, (risk - 1 + explained) / explained), 1e-12);
  CHECK(g->excess > 0); /* from so few examples */
  scant_model_free(m);
  scant_learner_free(l);
  sample_free(&s);
}

/* The shape of the errors: by the direct formula, for every example.  Attribute 2 was
 * active once: its scale is not known, so that it has no part in it. */
TEST(quantiles_are_those_of_the_residuals) {
  enum { FEW = 7, ROWS = 200, UNKNOWN = 2 };
  sample s = sample_new(ROWS, FEW, 20);
  for (size_t row = 0; row < ROWS; row++) s.x[row * FEW + UNKNOWN] = 0;
  scant_learner *l = open_learner("k=3", FEW);
  scant_look *look = look_for(l);
  int active = 0;
  for (size_t row = 0; row < ROWS; row++) {
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) {
      if (look->attributes[i] != UNKNOWN) continue;
      s.x[row * FEW + UNKNOWN] = !active && row > 20;
      active = active || row > 20;
    }
    CHECK(tell_row(l, look, &s, row) == SCANT_OK);
  }
  CHECK(active && scant_learner_finish(l, &error) == SCANT_OK);
  const scant_looks *looks = &scant_gaussian_of(l)->looks;
  scant_model *m = NULL;
  CHECK(scant_model_new(&m, FEW, &error) == SCANT_OK && scant_gaussian_row_keep(l, m, &error) == SCANT_OK);
  const scant_gaussian *g = m->gaussian;
  if (!CHECK(g && g->count == FEW - 1 && g->quantile_count > 0)) return;
  CHECK(scant_gaussian_of(l)->fit.frame.variables == FEW + 1);
  double r[ROWS], squares = 0, left = 0;
  for (size_t e = 0; e < ROWS; e++) {
    double x[FEW] = {0}, mean, variance;
    unsigned known = 0;
    for (size_t i = looks->first[e]; i < looks->first[e + 1]; i++) {
      uint32_t j = looks->attribute[i];
      x[j] = looks->value[i];
      if (j != UNKNOWN) known |= 1u << (j - (j > UNKNOWN));
    }
    expect_directly(g, known, x, &mean, &variance);
    r[e] = (looks->y[e] - mean) / sqrt(variance);
    squares += r[e] * r[e] / ROWS;
    left += variance / ROWS;
  }
  CHECK_NEAR(g->quantile_variance, left, 1e-9);
  CHECK(squares < 1); /* of examples that were learned from: widened to what others have */
  for (size_t e = 0; e < ROWS; e++) r[e] /= sqrt(squares);
  for (size_t i = 0; i < g->quantile_count; i++) {
    double below = 0;
    for (size_t e = 0; e < ROWS; e++) below += r[e] <= g->quantiles[i] + 1e-9;
    CHECK_NEAR(below / ROWS, ((double)i + 0.5) / (double)g->quantile_count, 1.01 / ROWS);
  }
  scant_look_free(look);
  scant_model_free(m);
  scant_learner_free(l);
  sample_free(&s);
}

TEST(targets_of_two_values_are_known_as_such) {
  for (int kind = 0; kind < 4; kind++) {
    sample s = sample_new(100, D, 21);
    for (size_t row = 0; row < 100; row++) {
      double y = s.y[row] > 0 ? 5 : -2;
      s.y[row] = kind == 0 ? y : kind == 1 ? 3 : kind == 2 && row == 50 ? 1 : y;
    }
    if (kind == 3) s.rows = 5; /* too few to learn anything but the target */
    scant_model *m = fitted("k=6", &s, NULL);
    CHECK((m->gaussian == NULL) == (kind == 1)); /* a constant target teaches nothing */
    if (m->gaussian) {
      CHECK(m->gaussian->two_valued == (kind == 0 || kind == 3));
      if (m->gaussian->two_valued) CHECK(m->gaussian->values[0] == -2 && m->gaussian->values[1] == 5);
      double mean = 0, variance = 0, given = 0;
      for (size_t row = 0; row < s.rows; row++) mean += s.y[row] / (double)s.rows;
      for (size_t row = 0; row < s.rows; row++) variance += pow(s.y[row] - mean, 2) / (double)s.rows;
      if (kind == 3) {
        CHECK(m->gaussian->count == 0 && m->gaussian->quantile_count == 0);
        CHECK_NEAR(m->gaussian->mean[0], mean, 1e-12);
        CHECK_NEAR(m->gaussian->covariance[0], variance, 1e-12);
      }
      for (size_t i = 0; i < m->gaussian->quantile_count && kind == 0; i++) { /* what came was given a probability */
        CHECK(m->gaussian->quantiles[i] >= 0 && m->gaussian->quantiles[i] <= 1);
        given += m->gaussian->quantiles[i] / (double)m->gaussian->quantile_count;
      }
      if (kind == 0) CHECK(m->gaussian->quantile_count > 0 && given > 0.6);
    }
    scant_model_free(m);
    sample_free(&s);
  }
}

TEST(the_meter_counts_what_is_there) {
  sample s = sample_new(100, D, 22);
  uint64_t seed = 3, present = 0, most = 0, own[D] = {0};
  for (size_t row = 0; row < 100; row++) {
    uint64_t here = 0;
    for (size_t j = 0; j < D; j++) {
      if (random_below(&seed, 3) == 0)
        s.x[row * D + j] = NAN;
      else
        here++, own[j]++;
    }
    present += here;
    if (here > most) most = here;
  }
  scant_fit *fit = NULL;
  scant_model *model = fitted("observed=yes", &s, &fit);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  CHECK(ledger->attributes_bought == present && ledger->looks_drawn == present);
  CHECK(ledger->max_bought_per_example == most && ledger->missing_cells == 0);
  for (size_t j = 0; j < D; j++) CHECK(scant_model_purchases(model)[j] == own[j]);
  CHECK(scant_model_settings(model)->engines == NULL && model->gaussian != NULL);
  scant_model_free(model);
  scant_fit_free(fit);
  sample_free(&s);
}

/* ---- out of memory --------------------------------------------------------------------- */

/* LAPACKE would say so on standard output. */
void LAPACKE_xerbla(const char *name, lapack_int info) {
  (void)name;
  (void)info;
}

enum { SMALL = 4 };
static sample small;
static uint64_t digest; /* of what came out */

/* Learns past a renewal, saves, restores into another learner, finishes it and keeps
 * its distribution. */
static scant_status run(void) {
  scant_settings s = gaussian("k=2");
  scant_learner *l = NULL, *again = NULL;
  scant_look *look = NULL;
  scant_model *model = NULL;
  scant_json_writer out = {0};
  scant_json json = {0};
  double w[SMALL], intercept;
  scant_status status = scant_learner_new(&l, &s, SMALL, 0, &error);
  if (status == SCANT_OK) status = scant_look_new(&look, l, &error);
  for (size_t row = 0; status == SCANT_OK && row < 23; row++) status = learn_row(l, look, &small, row);
  if (status == SCANT_OK) {
    scant_json_open(&out, NULL, '{');
    scant_learner_save(l, &out);
    scant_json_close(&out, '}');
    status = out.failed ? SCANT_MEMORY : SCANT_OK;
    if (out.failed) strcpy(error.text, "out of memory");
  }
  if (status == SCANT_OK) status = scant_json_parse(&json, out.text, out.length, &error);
  if (status == SCANT_OK) status = scant_learner_new(&again, &s, SMALL, 0, &error);
  if (status == SCANT_OK) status = scant_learner_restore(again, &json, 0, &error);
  if (status == SCANT_OK) status = scant_learner_finish(again, &error);
  if (status == SCANT_OK) status = scant_model_new(&model, SMALL, &error);
  if (status == SCANT_OK) status = scant_gaussian_row_keep(again, model, &error);
  if (status == SCANT_OK) {
    scant_learner_weights(again, w, &intercept);
    digest = scant_hash(SCANT_HASH_START, w, sizeof w);
    size_t n = model->gaussian->count + 1;
    digest = scant_hash(digest, model->gaussian->covariance, n * (n + 1) / 2 * sizeof(double));
  }
  scant_model_free(model);
  scant_json_free(&json);
  scant_json_free_text(&out);
  scant_look_free(look);
  scant_learner_free(again);
  scant_learner_free(l);
  return status;
}

/* Steps allocate alike, so that of the later ones a part is enough. */
TEST(any_allocation_may_fail) {
  CHECK(run() == SCANT_OK);
  uint64_t wanted = digest;
  unsigned long n = 1, tried = 0;
  for (; n < 50000; n += 1 + n / 60, tried++) {
    error.text[0] = 0;
    allocations_fail(n, tried % 4 == 3);
    scant_status status = run();
    unsigned long failed = allocations_failed();
    allocations_reset();
    if (!failed) break;
    CHECK(status == SCANT_MEMORY && strstr(error.text, "out of memory"));
  }
  CHECK(n > 300 && n < 50000 && tried > 100);
  CHECK(run() == SCANT_OK && digest == wanted);
}

/* A call that failed has changed nothing: asked again, it does what it would have
 * done. */
TEST(a_failed_ask_can_be_repeated) {
  sample s = sample_new(40, D, 24);
  scant_learner *a = open_learner("k=4", D), *b = open_learner("k=4", D);
  scant_look *look[2] = {look_for(a), look_for(b)};
  for (size_t row = 0; row < 20; row++)
    CHECK(learn_row(a, look[0], &s, row) == SCANT_OK && learn_row(b, look[1], &s, row) == SCANT_OK);
  CHECK(scant_gaussian_of(a)->renew_at == 20 && same_state(a, b));
  unsigned long n = 1;
  for (;; n += 11) {
    allocations_fail(n, 1);
    scant_status status = scant_learner_ask(b, look[1], &error);
    allocations_reset();
    if (status == SCANT_OK) break;
    CHECK(status == SCANT_MEMORY && same_state(a, b));
  }
  CHECK(n > 60 && scant_learner_ask(a, look[0], &error) == SCANT_OK);
  CHECK(same_state(a, b) && !memcmp(look[0]->attributes, look[1]->attributes, 4 * sizeof(uint32_t)));
  for (int i = 0; i < 2; i++) scant_look_free(look[i]);
  scant_learner_free(a);
  scant_learner_free(b);
  sample_free(&s);
}

int main(void) {
  files_begin();
  small = sample_new(40, SMALL, 23);
  RUN(a_look_has_k_distinct_attributes);
  RUN(the_law_of_a_batch_is_fixed);
  RUN(looks_follow_and_explore);
  RUN(the_law_goes_where_it_helps);
  RUN(looks_are_checked_and_told_once);
  RUN(reading_the_regressor_changes_nothing_that_follows);
  RUN(threads_do_not_change_a_bit);
  RUN(units_and_offsets_do_not_matter);
  RUN(where_few_causes_are_behind_much_it_beats_auto);
  RUN(facts_are_those_of_the_last_finish);
  RUN(from_too_few_examples_the_mean_comes_out);
  RUN(odd_columns_are_no_error);
  RUN(one_and_two_attributes_are_enough);
  RUN(with_every_value_it_is_nearly_least_squares);
  RUN(what_cannot_be_is_refused);
  RUN(it_resumes_to_the_same_bits);
  RUN(a_damaged_state_is_refused);
  RUN(the_model_predicts_from_all_what_its_weights_do);
  RUN(the_model_keeps_the_distribution_of_the_fit);
  RUN(quantiles_are_those_of_the_residuals);
  RUN(targets_of_two_values_are_known_as_such);
  RUN(the_meter_counts_what_is_there);
  RUN(any_allocation_may_fail);
  RUN(a_failed_ask_can_be_repeated);
  sample_free(&small);
  files_end();
  return check_done();
}
