/* What goes with EM: how far variances can be trusted, the regressor, and what is worth looking at. */
#include "gaussian/normal.h"

#include "direct.h"
#include "gaussian/frame.h"

/* ---- how far variances can be trusted ------------------------------------------------ */

enum { WATCHED = 100, ALL = WATCHED + 3 };

static void watch_value(scant_scale *scale, scant_moments *moments, size_t j, double x) {
  scant_scale_note(scale, j, &moments[j], x);
  scant_moments_add(&moments[j], x);
}

/* One hundred attributes, each with a value now and then: normal, or 0 but for one in
 * thirty. */
static void watch(int rare, double unit, double shift, scant_scale *scale, scant_moments *moments) {
  uint64_t seed = 3;
  CHECK(scant_scale_new(scale, ALL));
  for (int r = 0; r < 20000; r++) {
    size_t j = random_below(&seed, WATCHED);
    double x = random_normal(&seed);
    if (rare) x = random_below(&seed, 30) ? 0 : exp(x / 2);
    watch_value(scale, moments, j, x * unit + shift);
  }
}

/* But for the largest value, which counts twice. */
TEST(well_known_variances_are_taken_as_they_are) {
  scant_scale scale = {0};
  scant_moments moments[ALL] = {{0}};
  watch(0, 1, 0, &scale, moments);
  for (size_t j = 0; j < WATCHED; j++) {
    CHECK_NEAR(scant_scale_factor(&scale, j, &moments[j]), 1 + moments[j].largest / moments[j].spread, 1e-12);
    CHECK(scant_scale_is_known(&scale, j));
  }
  scant_scale_free(&scale);
}

TEST(rarely_active_attributes_are_distrusted) {
  enum { ONE = WATCHED, FEW, MANY };
  scant_scale scale = {0};
  scant_moments moments[ALL] = {{0}};
  watch(1, 1, 0, &scale, moments);
  for (int i = 0; i < 400; i++) {
    watch_value(&scale, moments, ONE, i == 50);
    watch_value(&scale, moments, FEW, i % 50 == 25); /* eight times */
    watch_value(&scale, moments, MANY, i % 2);
  }
  CHECK(scale.active[ONE] == 1 && scale.active[FEW] == 8 && scale.common[FEW] == 0 && scale.active[MANY] >= 199);
  CHECK(!scant_scale_is_known(&scale, ONE) && scant_scale_is_known(&scale, FEW) && scant_scale_is_known(&scale, MANY));
  double one = scant_scale_factor(&scale, ONE, &moments[ONE]), few = scant_scale_factor(&scale, FEW, &moments[FEW]);
  double many = scant_scale_factor(&scale, MANY, &moments[MANY]);
  CHECK(isfinite(one) && one > 3 && one > few && few > many && many >= 1 && many < 1.02);
  CHECK_NEAR(many, 1 + moments[MANY].largest / moments[MANY].spread, 1e-12);
  scant_scale_free(&scale);
}

TEST(the_factor_has_no_units) {
  for (int rare = 0; rare < 2; rare++) {
    scant_scale scale[3] = {{0}};
    static scant_moments moments[3][ALL];
    static const double units[] = {1, 1e6, 1e-3}, shifts[] = {0, 0, 100};
    memset(moments, 0, sizeof moments);
    for (int t = 0; t < 3; t++) watch(rare, units[t], shifts[t], &scale[t], moments[t]);
    for (int t = 1; t < 3; t++)
      for (size_t j = 0; j < WATCHED; j++) {
        double factor = scant_scale_factor(&scale[0], j, &moments[0][j]);
        CHECK(scant_scale_is_known(&scale[0], j) == scant_scale_is_known(&scale[t], j));
        CHECK_NEAR(scant_scale_factor(&scale[t], j, &moments[t][j]), factor, 1e-6 * factor);
      }
    for (int t = 0; t < 3; t++) scant_scale_free(&scale[t]);
  }
}

/* A value that makes up more than half of all is found, whatever came first. */
TEST(the_most_common_value_is_found) {
  static const double values[] = {9, 8, 9, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 3, 0};
  scant_scale scale = {0};
  scant_moments moments = {0};
  CHECK(scant_scale_new(&scale, 1));
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) watch_value(&scale, &moments, 0, values[i]);
  CHECK(scale.common[0] == 0 && scale.lead[0] > 0);
  CHECK(scale.active[0] >= 3 && scale.active[0] <= 6);
  scant_scale_free(&scale);
}

/* Notes a value `times` times, of an attribute that stays as active as it is. */
static void note_often(scant_scale *scale, size_t j, const scant_moments *before, double value, int times) {
  uint64_t active = scale->active[j];
  for (int i = 0; i < times; i++) {
    scant_scale_note(scale, j, before, value);
    scale->active[j] = active;
  }
}

/* Squared deviations over the variance known before, and their standard error; twenty
 * are enough; of attributes that were active as often, or more often. */
TEST(the_factor_is_the_mean_of_what_was_noted) {
  scant_scale scale = {0};
  scant_moments before = {.count = 4, .mean = 1, .spread = 8, .largest = 2};
  CHECK(scant_scale_new(&scale, 4));
  for (size_t j = 0; j < 4; j++) scale.lead[j] = 1000; /* for 0 */
  scale.active[0] = 4, scale.active[1] = 16, scale.active[2] = 100, scale.active[3] = 5;
  note_often(&scale, 0, &before, 5, 10); /* 16/2 */
  note_often(&scale, 0, &before, -2, 9); /* 9/2 */
  CHECK_NEAR(scant_scale_factor(&scale, 0, &before), 1.25, 1e-12);
  note_often(&scale, 0, &before, -2, 1);
  double known = (125 + sqrt(10 * 64 + 10 * 20.25)) / 20;
  CHECK_NEAR(scant_scale_factor(&scale, 0, &before), 1.25 * known, 1e-12);
  CHECK_NEAR(scant_scale_factor(&scale, 3, &before), 1.25 * known, 1e-12); /* of the same class */
  CHECK_NEAR(scant_scale_factor(&scale, 1, &before), 1.25, 1e-12);
  note_often(&scale, 1, &before, 11, 20); /* 100/2 */
  known = (1000 + sqrt(20 * 2500)) / 20;
  for (size_t j = 0; j < 2; j++) CHECK_NEAR(scant_scale_factor(&scale, j, &before), 1.25 * known, 1e-12);
  scant_scale kept = scale;
  note_often(&scale, 2, &before, 1e6, 20); /* its own values can tell */
  CHECK_NEAR(scant_scale_factor(&scale, 2, &before), 1.25, 1e-12);
  static const scant_moments unknown[] = {{0}, {.count = 1, .mean = 2}, {.count = 9, .mean = 2}};
  for (int i = 0; i < 3; i++) note_often(&scale, 0, &unknown[i], 7, 3);
  scant_moments tiny = {.count = 9, .spread = 1e-300, .largest = 1e-300};
  note_often(&scale, 0, &tiny, 1e200, 3); /* more than a number holds */
  CHECK(!memcmp(kept.sum, scale.sum, sizeof kept.sum) && !memcmp(kept.count, scale.count, sizeof kept.count));
  CHECK(!memcmp(kept.squares, scale.squares, sizeof kept.squares));
  CHECK(scant_scale_factor(&scale, 2, &unknown[2]) == 1);
  scant_scale_free(&scale);
}

/* ---- the regressor --------------------------------------------------------------------- */

enum { N = 10, P = N - 1 };

/* c' G^-1 c and G^-1 c over the attributes of `chosen`, G with the diagonal raised. */
static double explain(const double *s, const double *factor, double penalty, const int *chosen, double *w) {
  long double a[P * P], b[P];
  size_t places[P], count = 0;
  double sum = 0;
  for (size_t j = 0; j < P; j++)
    if (chosen[j]) places[count++] = j;
  for (size_t i = 0; i < count; i++) {
    b[i] = s[P * N + places[i]];
    for (size_t j = 0; j < count; j++)
      a[i * count + j] = s[places[i] * N + places[j]] * (i == j ? factor[places[i]] + penalty : 1);
  }
  solve_directly(a, b, count);
  for (size_t j = 0; j < P; j++) w[j] = 0;
  for (size_t i = 0; i < count; i++) {
    w[places[i]] = (double)b[i];
    sum += (double)b[i] * s[P * N + places[i]];
  }
  return sum;
}

TEST(the_regressor_solves_its_equations) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    uint64_t draw = seed;
    double s[N * N], factor[N], w[N], wanted[N], scratch[N * N], penalty = seed % 2 ? 0.1 : 0;
    int chosen[P];
    random_covariance(N, N, 0.2, &draw, s);
    for (size_t j = 0; j < P; j++) {
      factor[j] = seed < 3 ? 1 : seed == 6 || random_below(&draw, 3) == 0 ? INFINITY : 1 + fabs(random_real(&draw));
      chosen[j] = isfinite(factor[j]);
    }
    scant_normal normal = normal_from(N, NULL, s);
    CHECK(scant_regress(&normal, factor, NULL, penalty, w, scratch));
    if (seed < 3) { /* all factors are 1 */
      CHECK(scant_regress(&normal, NULL, NULL, penalty, wanted, scratch));
      CHECK(!memcmp(w, wanted, P * sizeof *w));
    }
    explain(s, factor, penalty, chosen, wanted);
    for (size_t j = 0; j < P; j++) {
      CHECK_NEAR(w[j], wanted[j], 1e-9);
      if (isinf(factor[j])) CHECK(w[j] == 0);
    }
    scant_normal_free(&normal);
  }
  double one = 2, w, scratch, unused = 1; /* nothing but the target */
  scant_normal alone = {.n = 1, .mean = &w, .covariance = &one};
  CHECK(scant_regress(&alone, &unused, NULL, 0.1, &w, &scratch));
  double product = 1, square = 1;
  scant_regress_terms(&alone, &w, &product, &square);
  CHECK(product == 0 && square == 0);
}

/* Of examples drawn so that their moments are exactly those of the distribution: the
 * columns of its Cholesky factor, with both signs. */
TEST(the_terms_are_those_of_the_expected_squared_error) {
  uint64_t draw = 9;
  double s[N * N], l[N][N] = {{0}}, w[N];
  random_covariance(N, N, 0.2, &draw, s);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j <= i; j++) {
      double x = s[i * N + j];
      for (size_t k = 0; k < j; k++) x -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(x) : x / l[j][j];
    }
  scant_normal normal = normal_from(N, NULL, s);
  for (int kind = 0; kind < 3; kind++) {
    double wanted[2] = {0}, product, square;
    for (size_t j = 0; j < P; j++) w[j] = kind == 0 || (kind == 1 && j % 3) ? 0 : random_normal(&draw);
    for (size_t k = 0; k < N; k++) {
      double prediction = 0;
      for (size_t j = 0; j < P; j++) prediction += w[j] * l[j][k];
      wanted[0] += prediction * l[P][k];
      wanted[1] += prediction * prediction;
    }
    scant_regress_terms(&normal, w, &product, &square);
    CHECK_NEAR(product, wanted[0], 1e-10);
    CHECK_NEAR(square, wanted[1], 1e-10);
  }
  scant_normal_free(&normal);
}

int main(void) {
  RUN(well_known_variances_are_taken_as_they_are);
  RUN(rarely_active_attributes_are_distrusted);
  RUN(the_factor_has_no_units);
  RUN(the_most_common_value_is_found);
  RUN(the_factor_is_the_mean_of_what_was_noted);
  RUN(the_regressor_solves_its_equations);
  RUN(the_terms_are_those_of_the_expected_squared_error);
  return check_done();
}
