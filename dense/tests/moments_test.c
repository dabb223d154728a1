/* The row moments and what it shares with all engines: sums against brute force,
 * least squares, merging, units, the law of its looks, out of memory. */
#include "moments/moments.h"
#include "moments/moments_problem.h"

#include "base/text.h"
#include "engine.h"
#include "fail.h"
#include "full/solve.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, FOLDS = SCANT_MOMENTS_FOLDS };

static table data;
static scant_error error;

static scant_settings moments(const char *list) {
  return engine_settings("algorithm=moments", list);
}

static scant_learner *open_learner(const char *list) {
  return engine_learner(moments(list), D);
}

/* Asks for and tells one row; the values looked at stay in *look. */
static scant_status learn_row(scant_learner *l, scant_look *look, const table *t, size_t row) {
  double values[D];
  scant_status status = scant_learner_ask(l, look, &error);
  if (status != SCANT_OK) return status;
  for (uint32_t i = 0; i < look->count; i++) values[i] = t->x[row][look->attributes[i]];
  status = scant_learner_tell(l, look, look->count, look->attributes, values, t->y[row], &error);
  if (status != SCANT_OK) scant_learner_cancel(l, look, NULL);
  return status;
}

static void teach(scant_learner *l, const table *t, size_t first, size_t after) {
  scant_look *look = NULL;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t row = first; row < after; row++) CHECK(learn_row(l, look, t, row) == SCANT_OK);
  scant_look_free(look);
}

static scant_learner *learned(const char *list, const table *t, size_t first, size_t after) {
  scant_learner *l = open_learner(list);
  teach(l, t, first, after);
  return l;
}

/* ---- sums --------------------------------------------------------------------- */

static double total(const scant_learner *l, const double *(*part)(const scant_pairs *), size_t at) {
  double sum = 0;
  for (int f = 0; f < FOLDS; f++) sum += part(&scant_moments_of(l)->fold[f])[at];
  return sum;
}

static const double *sums(const scant_pairs *p) {
  return p->sum;
}
static const double *products(const scant_pairs *p) {
  return p->product;
}
static const double *y_products(const scant_pairs *p) {
  return p->y_product;
}

static double count_of(const scant_learner *l, size_t i, size_t j) {
  double n = 0;
  for (int f = 0; f < FOLDS; f++) n += scant_moments_of(l)->fold[f].count[scant_pairs_at(i, j)];
  return n;
}

TEST(sums_are_those_of_what_was_bought) {
  double n[D][D] = {{0}}, s[D][D] = {{0}}, p[D][D] = {{0}}, yp[D] = {0};
  scant_learner *l = open_learner("k=5");
  scant_look *look = NULL;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t row = 0; row < N; row++) {
    CHECK(learn_row(l, look, &data, row) == SCANT_OK && look->count == 5);
    const scant_origin *o = &scant_moments_of(l)->origin;
    for (uint32_t a = 0; a < look->count; a++) {
      size_t i = look->attributes[a];
      double x = data.x[row][i] - o->x[i];
      yp[i] += x * (data.y[row] - o->y);
      for (uint32_t b = 0; b < look->count; b++) {
        size_t j = look->attributes[b];
        n[i][j]++;
        s[i][j] += x;
        p[i][j] += x * (data.x[row][j] - o->x[j]);
      }
    }
  }
  for (size_t i = 0; i < D; i++) {
    CHECK_NEAR(total(l, y_products, i), yp[i], 1e-12);
    for (size_t j = 0; j < D; j++) {
      CHECK(count_of(l, i, j) == n[i][j]);
      CHECK_NEAR(total(l, sums, i * D + j), s[i][j], 1e-12);
      CHECK_NEAR(total(l, products, scant_pairs_at(i, j)), p[i][j], 1e-12);
    }
  }
  scant_look_free(look);
  scant_learner_free(l);
}

/* Every sum of `a`, about its own reference point, against those of `b`. */
static void check_same_sums(const scant_learner *a, const scant_learner *b) {
  scant_moments_state *s = scant_moments_of(b);
  const scant_origin *to = &scant_moments_of(a)->origin;
  double dx[D];
  for (size_t i = 0; i < D; i++) dx[i] = s->origin.known[i] ? s->origin.x[i] - to->x[i] : 0;
  for (int f = 0; f < FOLDS; f++) scant_pairs_shift(&s->fold[f], dx, s->origin.y - to->y);
  for (size_t i = 0; i < D; i++)
    for (size_t j = 0; j < D; j++) {
      double size = total(b, products, scant_pairs_at(i, i)) + total(b, products, scant_pairs_at(j, j)) + 1;
      CHECK(count_of(a, i, j) == count_of(b, i, j));
      CHECK_NEAR(total(a, sums, i * D + j), total(b, sums, i * D + j), 1e-12 * size);
      CHECK_NEAR(total(a, products, scant_pairs_at(i, j)), total(b, products, scant_pairs_at(i, j)), 1e-12 * size);
      CHECK_NEAR(total(a, y_products, i), total(b, y_products, i), 1e-12 * size);
    }
  CHECK(a->told == b->told && a->block == b->block);
  CHECK_NEAR(a->y_moments.mean, b->y_moments.mean, 1e-12);
  for (size_t i = 0; i < D; i++) {
    CHECK(a->moments[i].count == b->moments[i].count);
    CHECK_NEAR(a->moments[i].spread, b->moments[i].spread, 1e-10 * (1 + b->moments[i].spread));
  }
}

TEST(parts_merge_in_any_order_to_the_whole) {
  static const int orders[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
  static const size_t bounds[] = {0, 7, 8, N}; /* one part is a single example */
  table holes = data;
  table_punch(&holes, 5);
  for (size_t i = 0; i < N; i++) holes.x[i][3] += 1e6; /* far from 0 */
  for (size_t order = 0; order < 3; order++) {
    scant_learner *whole = learned("observed=yes", &holes, 0, N), *part[3];
    for (int r = 0; r < 3; r++)
      part[r] = learned("observed=yes", &holes, bounds[orders[order][r]], bounds[orders[order][r] + 1]);
    for (int r = 1; r < 3; r++) CHECK(scant_moments_merge(part[0], part[r], &error) == SCANT_OK);
    check_same_sums(part[0], whole);
    CHECK(scant_learner_finish(part[0], &error) == SCANT_OK);
    for (int r = 0; r < 3; r++) scant_learner_free(part[r]);
    scant_learner_free(whole);
  }
}

/* ---- the regressor ------------------------------------------------------------- */

/* Correlations with the target, from what was bought, term by term.  From n of m examples one
 * is shrunk by t/(t + 1/n - 1/m), t what squares of correlations are on average: from
 * products of different folds, whose noise has nothing in common. */
TEST(correlations_are_shrunk_by_what_is_typical) {
  static double own[D][FOLDS], n[D][FOLDS], values[D][N];
  static int bought[D][N];
  double penalty = 1, y_mean = 0, y_square = 0, products = 0, counts = 0;
  scant_learner *l = open_learner("k=5");
  scant_look *look = NULL;
  scant_moments_problem p;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t row = 0; row < N; row++) {
    CHECK(learn_row(l, look, &data, row) == SCANT_OK);
    y_mean += data.y[row] / N;
    for (uint32_t a = 0; a < look->count; a++) {
      bought[look->attributes[a]][row] = 1;
      values[look->attributes[a]][row] = data.x[row][look->attributes[a]];
    }
  }
  for (size_t row = 0; row < N; row++) y_square += (data.y[row] - y_mean) * (data.y[row] - y_mean) / N;
  for (size_t i = 0; i < D; i++) {
    double mean = 0, square = 0, m = 0, all = 0, all_n = 0;
    for (size_t row = 0; row < N; row++) m += bought[i][row], mean += bought[i][row] * values[i][row];
    mean /= m;
    for (size_t row = 0; row < N; row++)
      square += bought[i][row] * (values[i][row] - mean) * (values[i][row] - mean) / m;
    for (size_t row = 0; row < N; row++) {
      if (!bought[i][row]) continue;
      own[i][row % FOLDS] += (values[i][row] - mean) * (data.y[row] - y_mean) / sqrt(square * y_square);
      n[i][row % FOLDS] += 1;
    }
    for (int f = 0; f < FOLDS; f++) all += own[i][f], all_n += n[i][f];
    for (int f = 0; f < FOLDS; f++) products += own[i][f] * (all - own[i][f]), counts += n[i][f] * (all_n - n[i][f]);
  }
  double typical = fmax(1.0 / N, products / counts);
  CHECK(scant_moments_problem_open(&p, scant_moments_of(l), &l->settings, SCANT_MOMENTS_ALL, 1, &penalty, &error) ==
            SCANT_OK &&
        p.a == D);
  for (size_t i = 0; i < D; i++) {
    double all = 0, m = 0;
    for (int f = 0; f < FOLDS; f++) all += own[i][f], m += n[i][f];
    double shrunk = all / m * typical / (typical + 1 / m - 1.0 / N);
    CHECK_NEAR(p.b[i], shrunk * p.deviation[i] / p.scale[i], 1e-12);
  }
  scant_moments_problem_close(&p);
  scant_look_free(look);
  scant_learner_free(l);
}

TEST(with_every_value_and_hardly_a_penalty_it_is_least_squares) {
  static const char *const lists[] = {"k=12 penalty=1e-13", "observed=yes penalty=1e-13",
                                      "observed=yes penalty=1e-13 like-units=yes"};
  double x[N][D], y[N], x_mean[D], y_mean, wanted[D], w[D], intercept, lambda;
  memcpy(x, data.x, sizeof x);
  memcpy(y, data.y, sizeof y);
  scant_dense_center(N, D, x[0], y, x_mean, &y_mean);
  scant_ridge *ridge = NULL;
  scant_dense problem = {N, D, x[0], y};
  CHECK(scant_ridge_new(&ridge, &problem, &error) == SCANT_OK);
  CHECK(scant_ridge_solve(ridge, INFINITY, wanted, &lambda, &error) == SCANT_OK);
  for (size_t r = 0; r < sizeof lists / sizeof *lists; r++) {
    scant_learner *l = learned(lists[r], &data, 0, N);
    CHECK(scant_learner_finish(l, &error) == SCANT_OK);
    scant_learner_weights(l, w, &intercept);
    double shift = y_mean;
    for (size_t i = 0; i < D; i++) {
      CHECK_NEAR(w[i], wanted[i], 1e-9);
      shift -= wanted[i] * x_mean[i];
    }
    CHECK_NEAR(intercept, shift, 1e-9);
    scant_learner_free(l);
  }
  scant_ridge_free(ridge);
}

/* Every column in another unit and with another offset, the target too. */
TEST(units_and_offsets_do_not_matter) {
  static const char *const lists[] = {"k=8", "observed=yes", "observed=yes norm=1"};
  table other = data;
  double a[2][D], c[2];
  for (size_t row = 0; row < N; row++) {
    for (size_t i = 0; i < D; i++) other.x[row][i] = data.x[row][i] * pow(-10, (double)(i % 5) - 2) + 100.0 * (double)i;
    other.y[row] = 1000 * data.y[row] - 7;
  }
  for (size_t r = 0; r < sizeof lists / sizeof *lists; r++) {
    const table *tables[] = {&data, &other};
    for (int t = 0; t < 2; t++) {
      scant_learner *l = learned(lists[r], tables[t], 0, N);
      CHECK(scant_learner_finish(l, &error) == SCANT_OK);
      scant_learner_weights(l, a[t], &c[t]);
      scant_learner_free(l);
    }
    CHECK(a[0][0] != 0 && a[0][1] != 0);
    for (size_t row = 0; row < N; row++) {
      double p = c[0], q = c[1];
      for (size_t i = 0; i < D; i++) {
        p += a[0][i] * data.x[row][i];
        q += a[1][i] * other.x[row][i];
      }
      CHECK_NEAR((q + 7) / 1000, p, 1e-9);
    }
  }
}

TEST(what_never_varied_or_was_never_known_has_no_weight) {
  table t = data;
  for (size_t row = 0; row < N; row++) {
    t.x[row][2] = 3e5 + 0.1; /* constant */
    t.x[row][4] = NAN;
    t.x[row][6] = row == 5 ? 1 : NAN; /* once */
  }
  static const char *const lists[] = {"observed=yes", "observed=yes norm=1", "k=6", "k=12 penalty=0.01"};
  for (size_t r = 0; r < sizeof lists / sizeof *lists; r++) {
    scant_learner *l = learned(lists[r], &t, 0, N);
    double w[D], intercept;
    CHECK(scant_learner_finish(l, &error) == SCANT_OK);
    scant_learner_weights(l, w, &intercept);
    CHECK(w[2] == 0 && w[4] == 0 && w[6] == 0 && isfinite(intercept));
    scant_learner_free(l);
  }
}

TEST(from_too_few_examples_the_mean_comes_out) {
  for (size_t n = 0; n < 10; n++) {
    scant_learner *l = learned("k=5", &data, 0, n);
    scant_learner_facts facts;
    double w[D], intercept, mean = 0;
    CHECK(scant_learner_finish(l, &error) == SCANT_OK);
    scant_learner_weights(l, w, &intercept);
    scant_learner_get_facts(l, &facts);
    for (size_t i = 0; i < n; i++) mean += data.y[i] / (double)n;
    for (size_t i = 0; i < D; i++) CHECK(w[i] == 0);
    CHECK_NEAR(intercept, mean, 1e-12);
    CHECK(isnan(facts.risk) && isnan(facts.penalty) && facts.told == n);
    scant_learner_free(l);
  }
}

TEST(a_target_that_does_not_vary_is_its_own_prediction) {
  table t = data;
  for (size_t row = 0; row < N; row++) t.y[row] = 7;
  scant_learner *l = learned("k=5", &t, 0, N);
  double w[D], intercept;
  CHECK(scant_learner_finish(l, &error) == SCANT_OK);
  scant_learner_weights(l, w, &intercept);
  for (size_t i = 0; i < D; i++) CHECK(w[i] == 0);
  CHECK(intercept == 7);
  scant_learner_free(l);
}

/* The same looks and the same bits, whether the regressor is read in between. */
TEST(finishing_changes_nothing_that_follows) {
  scant_learner *a = open_learner("k=5"), *b = open_learner("k=5");
  scant_look *look[2] = {NULL, NULL};
  double w[2][D], c[2];
  CHECK(scant_look_new(&look[0], a, &error) == SCANT_OK && scant_look_new(&look[1], b, &error) == SCANT_OK);
  for (size_t row = 0; row < N; row++) {
    CHECK(learn_row(a, look[0], &data, row) == SCANT_OK && learn_row(b, look[1], &data, row) == SCANT_OK);
    CHECK(scant_learner_finish(a, &error) == SCANT_OK && scant_learner_finish(a, &error) == SCANT_OK);
    for (uint32_t i = 0; i < 5; i++) CHECK(look[0]->attributes[i] == look[1]->attributes[i]);
  }
  CHECK(scant_learner_finish(b, &error) == SCANT_OK);
  scant_learner_weights(a, w[0], &c[0]);
  scant_learner_weights(b, w[1], &c[1]);
  CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1]);
  for (int r = 0; r < 2; r++) scant_look_free(look[r]);
  scant_learner_free(a);
  scant_learner_free(b);
}

/* With clip: the same bits as without it, from data that are clipped by the limits that it froze; before that,
 * by those of what was told.  Half of the values are beyond the limits. */
TEST(with_clip_it_is_as_if_the_data_were_clipped) {
  static const char *const lists[] = {"k=5", "k=5 like-units=yes", "k=4 norm=1", "observed=yes"};
  for (size_t r = 0; r < sizeof lists / sizeof *lists; r++)
    for (size_t rows = 3; rows <= N; rows += rows < 12 ? 3 : N - 12) {
      char list[64];
      double w[2][D], c[2], low[D], high[D], means[2][D];
      snprintf(list, sizeof list, "%s clip=0.7", lists[r]);
      scant_learner *one = learned(list, &data, 0, rows);
      CHECK(scant_learner_finish(one, &error) == SCANT_OK);
      CHECK(scant_learner_limits(one, low, high) == 1);
      const scant_moments_state *s = scant_moments_of(one);
      CHECK(s->frozen == (rows >= s->freeze_at) && (s->held.examples == 0 || !s->frozen));
      table clipped = data;
      int beyond = 0;
      for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < D; i++) {
          clipped.x[row][i] = scant_limits_clip(data.x[row][i], low[i], high[i]);
          beyond += clipped.x[row][i] != data.x[row][i];
        }
      CHECK(rows < N || beyond > 100);
      scant_learner *two = learned(lists[r], &clipped, 0, rows);
      CHECK(scant_learner_finish(two, &error) == SCANT_OK && !scant_learner_limits(two, low, high));
      scant_learner_weights(one, w[0], &c[0]);
      scant_learner_weights(two, w[1], &c[1]);
      CHECK(!memcmp(w[0], w[1], sizeof w[0]) && c[0] == c[1]);
      scant_learner_means(one, means[0]);
      scant_learner_means(two, means[1]);
      if (s->frozen) CHECK(!memcmp(means[0], means[1], sizeof means[0]));
      scant_learner_free(one);
      scant_learner_free(two);
    }
}

TEST(threads_do_not_change_a_bit) {
  double w[3][D], c[3];
  static const char *const lists[] = {"k=5 threads=1", "k=5 threads=2", "k=5 threads=7"};
  for (int r = 0; r < 3; r++) {
    scant_learner *l = learned(lists[r], &data, 0, N);
    CHECK(scant_learner_finish(l, &error) == SCANT_OK);
    scant_learner_weights(l, w[r], &c[r]);
    scant_learner_free(l);
    CHECK(!memcmp(w[0], w[r], sizeof w[0]) && c[0] == c[r]);
  }
}

/* ---- looks ----------------------------------------------------------------------- */

/* Looks at two by a law that is far from even: every pair comes as often as drawing one
 * after the other says, and the mean product over a pair's looks is that of the
 * data.  Both within 5 standard errors. */
TEST(pairs_come_by_their_law_and_their_moments_are_unbiased) {
  enum { LOOKS = 60000 };
  scant_learner *l = open_learner("k=2");
  scant_moments_state *s = scant_moments_of(l);
  scant_look *look = NULL;
  double q[D], sum = 0, count[D][D] = {{0}}, product[D][D] = {{0}};
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t i = 0; i < D; i++) sum += q[i] = 1 + (double)(i * i % 7);
  for (size_t i = 0; i < D; i++) s->leaves[i] = q[i] /= sum;
  uint64_t seed = 3;
  for (int r = 0; r < LOOKS; r++) {
    size_t row = random_below(&seed, N);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count == 2);
    size_t i = look->attributes[0], j = look->attributes[1];
    CHECK(i != j);
    count[i][j]++;
    count[j][i]++;
    product[i][j] += data.x[row][i] * data.x[row][j];
    product[j][i] += data.x[row][i] * data.x[row][j];
    CHECK(scant_learner_cancel(l, look, &error) == SCANT_OK);
  }
  for (size_t i = 0; i < D; i++)
    for (size_t j = 0; j < i; j++) {
      double p = q[i] * q[j] / (1 - q[i]) + q[i] * q[j] / (1 - q[j]), mean = 0, squares = 0;
      for (size_t row = 0; row < N; row++) {
        double x = data.x[row][i] * data.x[row][j];
        mean += x / N;
        squares += x * x / N;
      }
      CHECK_NEAR(count[i][j], LOOKS * p, 5 * sqrt(LOOKS * p * (1 - p)));
      CHECK_NEAR(product[i][j] / count[i][j], mean, 5 * sqrt((squares - mean * mean) / count[i][j]));
    }
  scant_look_free(look);
  scant_learner_free(l);
}

TEST(looks_are_checked_and_told_once) {
  scant_learner *l = open_learner("k=3");
  scant_look *look = NULL;
  double values[D] = {1, 2, 3};
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
  uint32_t kept = look->attributes[1];
  look->attributes[1] = look->attributes[0];
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "twice");
  look->attributes[1] = kept;
  values[2] = INFINITY;
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_DATA);
  values[2] = NAN; /* skip-cell: no part of it */
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_OK);
  CHECK(scant_learner_tell(l, look, 3, NULL, values, 1, &error) == SCANT_MISUSE);
  CHECK(count_of(l, look->attributes[0], look->attributes[0]) == 1);
  CHECK(count_of(l, look->attributes[0], look->attributes[2]) == 0);
  CHECK(scant_learner_share(l, look, look, &error) == SCANT_USAGE);
  CHECK(scant_learner_judge(l, look, values, 1, values, &error) == SCANT_USAGE);
  scant_look_free(look);
  scant_learner_free(l);
}

/* ---- refusals ---------------------------------------------------------------------- */

TEST(what_cannot_be_is_refused) {
  check_engine_refusals(moments, D);
  refused(moments("k=5"), 20000, SCANT_DATA, "49.9 GiB");
  refused(moments("k=5 memory=0.000001"), D, SCANT_DATA, "moments needs");
}

/* ---- a mask that was given ----------------------------------------------------------- */

TEST(the_meter_counts_what_is_there) {
  table holes = data;
  table_punch(&holes, 5);
  uint64_t present = 0, most = 0, own[D] = {0};
  for (size_t row = 0; row < N; row++) {
    uint64_t here = 0;
    for (size_t i = 0; i < D; i++) {
      here += isnan(holes.x[row][i]) ? 0 : 1;
      own[i] += isnan(holes.x[row][i]) ? 0 : 1;
    }
    present += here;
    if (here > most) most = here;
  }
  scant_settings s = moments("observed=yes");
  scant_source *source = table_source(&holes);
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  CHECK(scant_fit_new(&fit, &s, source, &error) == SCANT_OK);
  CHECK(scant_fit_advance(fit, 1 << 20, &done, &error) == SCANT_OK && done);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  CHECK(ledger->attributes_bought == present && ledger->looks_drawn == present);
  CHECK(ledger->max_bought_per_example == most && ledger->missing_cells == 0);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  for (size_t i = 0; i < D; i++) CHECK(scant_model_purchases(model)[i] == own[i]);
  CHECK(scant_model_settings(model)->runtime.engines == NULL);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* ---- out of memory --------------------------------------------------------------------- */

static uint64_t digest; /* of what came out */

/* Learns, saves, restores into another learner and finishes it. */
static scant_status run(void) {
  scant_settings s = moments("k=5 threads=1");
  scant_learner *l = NULL, *again = NULL;
  scant_look *look = NULL;
  double w[D], intercept;
  scant_status status = scant_learner_new(&l, &s, D, 0, &error);
  if (status == SCANT_OK) status = scant_look_new(&look, l, &error);
  for (size_t row = 0; status == SCANT_OK && row < 30; row++) status = learn_row(l, look, &data, row);
  if (status == SCANT_OK) status = engine_reload(l, &s, &again, &error);
  if (status == SCANT_OK) status = scant_learner_finish(again, &error);
  if (status == SCANT_OK) {
    scant_learner_weights(again, w, &intercept);
    digest = scant_hash(SCANT_HASH_START, w, sizeof w);
  }
  scant_look_free(look);
  scant_learner_free(again);
  scant_learner_free(l);
  return status;
}

TEST(any_allocation_may_fail) {
  CHECK(fail_until_none(run, FAIL_MOST) > 29); /* every single one */
}

int main(void) {
  table_fill(&data, 11);
  RUN(sums_are_those_of_what_was_bought);
  RUN(parts_merge_in_any_order_to_the_whole);
  RUN(correlations_are_shrunk_by_what_is_typical);
  RUN(with_every_value_and_hardly_a_penalty_it_is_least_squares);
  RUN(units_and_offsets_do_not_matter);
  RUN(what_never_varied_or_was_never_known_has_no_weight);
  RUN(from_too_few_examples_the_mean_comes_out);
  RUN(a_target_that_does_not_vary_is_its_own_prediction);
  RUN(finishing_changes_nothing_that_follows);
  RUN(with_clip_it_is_as_if_the_data_were_clipped);
  RUN(threads_do_not_change_a_bit);
  RUN(pairs_come_by_their_law_and_their_moments_are_unbiased);
  RUN(looks_are_checked_and_told_once);
  RUN(what_cannot_be_is_refused);
  RUN(the_meter_counts_what_is_there);
  RUN(any_allocation_may_fail);
  return check_done();
}
