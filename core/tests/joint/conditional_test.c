/* Predictions from a few attributes against dense formulas, for every subset. */
#include "gaussians.h"
#include "joint/conditional.h"
#include "joint/joint.h"

enum { D = 7, COUNT = D - 1, SUBSETS = 1 << COUNT };

static scant_error error;
static uint64_t seed = 5;

static void draw_values(const scant_gaussian *g, double *x) {
  for (size_t i = 0; i < D; i++) x[i] = random_real(&seed);
  for (size_t i = 0; i < g->count; i++)
    x[g->attributes[i]] = g->mean[i] + sqrt(scant_gaussian_covariance(g, i, i)) * random_normal(&seed);
}

static scant_query *query_of(const scant_model *m, const scant_prices *prices) {
  scant_query *q = NULL;
  CHECK(scant_query_new(&q, m, prices, &error) == SCANT_OK);
  return q;
}

static double target_variance(const scant_gaussian *g) {
  return scant_gaussian_covariance(g, g->count, g->count);
}

TEST(every_subset_agrees_with_the_dense_formulas) {
  for (uint64_t model = 1; model <= 3; model++) {
    scant_model *m = gaussian_model(D, model, "k=4");
    const scant_gaussian *g = m->gaussian;
    m->gaussian->excess = 0.125;
    scant_query *q = query_of(m, NULL);
    scant_known *known = NULL;
    CHECK(scant_known_new(&known, g, &error) == SCANT_OK);
    double x[D], holes[D], mean, variance, other_mean, other_variance, deviation = sqrt(target_variance(g));
    for (unsigned subset = 0; subset < SUBSETS; subset++) {
      scant_prediction p;
      draw_values(g, x);
      expect_directly(g, subset, x, &mean, &variance);
      scant_query_reset(q);
      for (size_t i = 0; i < D; i++) holes[i] = i == 1 ? x[1] : NAN;
      for (size_t i = 0; i < COUNT; i++)
        if (subset >> i & 1) {
          holes[g->attributes[i]] = x[g->attributes[i]];
          CHECK(scant_query_tell(q, g->attributes[i], x[g->attributes[i]], &error) == SCANT_OK);
        }
      scant_query_predict(q, 0, &p);
      CHECK_NEAR(p.mean, mean, 1e-11 * deviation);
      CHECK_NEAR(p.variance, variance + 0.125 * (target_variance(g) - variance), 1e-11 * target_variance(g));
      CHECK(isnan(p.low) && isnan(p.high));
      CHECK(scant_known_expect(known, holes, &other_mean, &other_variance, &error) == SCANT_OK);
      CHECK_NEAR(other_mean, mean, 1e-11 * deviation);
      CHECK_NEAR(other_variance, variance, 1e-11 * target_variance(g));
      CHECK(scant_known_has_holes(known, holes) == (subset != SUBSETS - 1));
    }
    scant_known_free(known);
    scant_query_free(q);
    scant_model_free(m);
  }
}

/* The order of telling, and what other examples were told before, do not matter. */
TEST(the_order_does_not_matter) {
  scant_model *m = gaussian_model(D, 4, "k=4");
  const scant_gaussian *g = m->gaussian;
  scant_query *used = query_of(m, NULL);
  double x[D], mean, variance;
  for (int round = 0; round < 300; round++) {
    uint32_t order[COUNT];
    size_t count = random_below(&seed, COUNT + 1);
    unsigned subset = 0;
    for (size_t i = 0; i < COUNT; i++) order[i] = (uint32_t)i;
    draw_values(g, x);
    scant_query *fresh = query_of(m, NULL);
    scant_query_reset(used);
    for (size_t i = 0; i < count; i++) {
      size_t j = i + random_below(&seed, COUNT - i);
      uint32_t place = order[j], next;
      order[j] = order[i];
      subset |= 1u << place;
      uint32_t attribute = g->attributes[place];
      CHECK(scant_query_tell(fresh, attribute, x[attribute], &error) == SCANT_OK);
      if (random_below(&seed, 2)) scant_query_next(used, &next);
      CHECK(scant_query_tell(used, attribute, x[attribute], &error) == SCANT_OK);
    }
    scant_prediction a, b;
    scant_query_predict(fresh, 0.9, &a);
    scant_query_predict(used, 0.9, &b);
    CHECK(memcmp(&a, &b, sizeof a) == 0); /* to the bit */
    expect_directly(g, subset, x, &mean, &variance);
    CHECK_NEAR(a.mean, mean, 1e-10);
    CHECK_NEAR(a.variance, variance, 1e-10);
    uint32_t first = UINT32_MAX, second = UINT32_MAX;
    CHECK(scant_query_next(fresh, &first) == scant_query_next(used, &second) && first == second);
    scant_query_free(fresh);
  }
  scant_query_free(used);
  scant_model_free(m);
}

/* Nor do the patterns of holes that came before. */
TEST(patterns_come_in_any_order) {
  scant_model *m = gaussian_model(D, 5, "k=4");
  const scant_gaussian *g = m->gaussian;
  scant_known *used = NULL;
  double x[D], mean, variance, other_mean, other_variance;
  unsigned subset = 0;
  CHECK(scant_known_new(&used, g, &error) == SCANT_OK);
  for (int round = 0; round < 500; round++) {
    scant_known *fresh = NULL;
    unsigned prefix = (1u << random_below(&seed, COUNT + 1)) - 1;
    subset = round % 2 ? subset & prefix : (unsigned)random_below(&seed, SUBSETS);
    draw_values(g, x);
    for (size_t i = 0; i < COUNT; i++)
      if (!(subset >> i & 1)) x[g->attributes[i]] = NAN;
    CHECK(scant_known_new(&fresh, g, &error) == SCANT_OK);
    CHECK(scant_known_expect(fresh, x, &mean, &variance, &error) == SCANT_OK);
    CHECK(scant_known_expect(used, x, &other_mean, &other_variance, &error) == SCANT_OK);
    CHECK(mean == other_mean && variance == other_variance);
    scant_known_free(fresh);
  }
  scant_known_free(used);
  scant_model_free(m);
}

/* What lowers the variance most, by trying each. */
static uint32_t best_directly(const scant_gaussian *g, unsigned known, unsigned refused) {
  double x[D] = {0}, mean, least, variance;
  uint32_t best = UINT32_MAX;
  expect_directly(g, known, x, &mean, &least);
  least -= 1e-12 * target_variance(g);
  for (size_t i = 0; i < COUNT; i++) {
    if ((known | refused) >> i & 1) continue;
    expect_directly(g, known | 1u << i, x, &mean, &variance);
    if (variance >= least) continue;
    least = variance;
    best = g->attributes[i];
  }
  return best;
}

TEST(what_is_asked_for_lowers_the_variance_most) {
  for (uint64_t model = 1; model <= 4; model++) {
    scant_model *m = gaussian_model(D, model, "k=4");
    const scant_gaussian *g = m->gaussian;
    scant_query *q = query_of(m, NULL);
    for (int round = 0; round < 50; round++) {
      unsigned known = 0, refused = 0;
      uint32_t attribute;
      scant_query_reset(q);
      while (scant_query_next(q, &attribute)) {
        int missing = random_below(&seed, 3) == 0;
        CHECK(attribute == best_directly(g, known, refused) && attribute != 1);
        CHECK(scant_query_tell(q, attribute, missing ? NAN : random_real(&seed), &error) == SCANT_OK);
        *(missing ? &refused : &known) |= 1u << (attribute ? attribute - 1 : 0);
      }
      CHECK((known | refused) == SUBSETS - 1);
    }
    scant_query_free(q);
    scant_model_free(m);
  }
}

/* Panels are judged whole, per cost; what is free comes first. */
TEST(prices_are_heeded) {
  scant_model *m = gaussian_model(D, 6, "k=4");
  const scant_gaussian *g = m->gaussian;
  for (int round = 0; round < 200; round++) {
    uint64_t costs[D];
    uint32_t panels[D], attribute;
    scant_prices *prices = NULL;
    for (size_t i = 0; i < D; i++) {
      costs[i] = random_below(&seed, 4) ? random_below(&seed, 500) : 0;
      panels[i] = (uint32_t)random_below(&seed, 4);
    }
    CHECK(scant_prices_new(&prices, D, costs, panels, &error) == SCANT_OK);
    scant_query *q = query_of(m, prices);
    unsigned known = 0;
    while (scant_query_next(q, &attribute)) {
      double x[D] = {0}, mean, now, best = -1;
      int free_ones = 0;
      expect_directly(g, known, x, &mean, &now);
      double mine = -1;
      for (size_t i = 0; i < D; i++) { /* the item that begins with i */
        unsigned members = 0, bought = 0;
        uint64_t cost = 0;
        int first = 1, asked = 0;
        for (size_t j = 0; j < D; j++) {
          if (j != i && !(panels[i] && panels[j] == panels[i])) continue;
          if (j < i) first = 0;
          unsigned bit = j == 1 ? 0 : 1u << (j ? j - 1 : 0);
          members |= bit;
          bought |= known & bit;
          cost += costs[j];
          asked |= j == attribute;
        }
        if (!first || !(members & ~known)) continue;
        double variance;
        expect_directly(g, known | members, x, &mean, &variance);
        int is_free = bought || !cost;
        double worth = is_free ? now - variance : (now - variance) / (double)cost;
        if (is_free && !free_ones) best = -1, free_ones = 1;
        if (is_free == free_ones) best = fmax(best, worth);
        if (asked) mine = worth;
        if (asked) CHECK(is_free == free_ones || !is_free);
      }
      CHECK_NEAR(mine, best, 1e-9 * fabs(best));
      CHECK(scant_query_tell(q, attribute, 0, &error) == SCANT_OK);
      known |= 1u << (attribute ? attribute - 1 : 0);
    }
    CHECK(known == SUBSETS - 1);
    scant_query_free(q);
    scant_prices_free(prices);
  }
  scant_model_free(m);
}

/* Attribute 3 twice attribute 0: it adds nothing, and is never asked for. */
TEST(a_singular_covariance_is_fine) {
  scant_model *m = gaussian_model(D, 7, "k=4");
  scant_gaussian *g = m->gaussian;
  size_t n = COUNT + 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      if (i == 2 || j == 2)
        g->covariance[i * (i + 1) / 2 + j] =
            (i == 2 ? 2 : 1) * (j == 2 ? 2 : 1) * scant_gaussian_covariance(g, i == 2 ? 0 : i, j == 2 ? 0 : j);
  CHECK(scant_gaussian_check(g, D, &error) == SCANT_OK);
  scant_query *q = query_of(m, NULL);
  double x[D], mean, variance;
  draw_values(g, x);
  x[3] = g->mean[2] + 2 * (x[0] - g->mean[0]);
  for (int first = 0; first < 2; first++) {
    scant_prediction p;
    scant_query_reset(q);
    for (size_t r = 0; r < COUNT; r++) {
      uint32_t attribute = g->attributes[first ? COUNT - 1 - r : r];
      CHECK(scant_query_tell(q, attribute, x[attribute], &error) == SCANT_OK);
    }
    scant_query_predict(q, 0, &p);
    expect_directly(g, SUBSETS - 1 - 4, x, &mean, &variance);
    CHECK_NEAR(p.mean, mean, 1e-9);
    CHECK_NEAR(p.variance, variance, 1e-9);
  }
  uint32_t attribute;
  size_t asked = 0;
  scant_query_reset(q);
  for (; scant_query_next(q, &attribute); asked++) CHECK(scant_query_tell(q, attribute, 1, &error) == SCANT_OK);
  CHECK(asked == COUNT - 1);
  scant_query_free(q);
  scant_model_free(m);
}

TEST(misuse_is_refused_and_changes_nothing) {
  scant_model *m = gaussian_model(D, 8, "k=4"), *plain = NULL;
  scant_query *q = query_of(m, NULL);
  scant_prediction before, after;
  CHECK(scant_query_tell(q, 2, 0.5, &error) == SCANT_OK);
  CHECK(scant_query_tell(q, 1, 123, &error) == SCANT_OK); /* the Gaussian does not know it */
  CHECK(scant_query_tell(q, 5, NAN, &error) == SCANT_OK);
  scant_query_predict(q, 0.5, &before);
  CHECK(scant_query_tell(q, 2, 0.5, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "attribute 2 was told");
  CHECK(scant_query_tell(q, 1, 0.5, &error) == SCANT_MISUSE && scant_query_tell(q, 5, 1, &error) == SCANT_MISUSE);
  CHECK(scant_query_tell(q, D, 0.5, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "no attribute 7");
  CHECK(scant_query_tell(q, 0, INFINITY, &error) == SCANT_DATA);
  scant_query_predict(q, 0.5, &after);
  CHECK(memcmp(&before, &after, sizeof before) == 0);
  CHECK(scant_query_tell(q, 0, 1, &error) == SCANT_OK);
  scant_query_free(q);
  scant_query_free(NULL);
  uint64_t costs[3] = {1, 2, 3};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, 3, costs, NULL, &error) == SCANT_OK);
  q = NULL;
  CHECK(scant_query_new(&q, m, prices, &error) == SCANT_DATA && !q);
  CHECK(scant_model_new(&plain, D, &error) == SCANT_OK && scant_query_new(&q, plain, NULL, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "gaussian");
  CHECK(!q && scant_model_is_gaussian(m) && !scant_model_is_gaussian(plain));
  scant_prices_free(prices);
  scant_model_free(plain);
  scant_model_free(m);
}

int main(void) {
  RUN(every_subset_agrees_with_the_dense_formulas);
  RUN(the_order_does_not_matter);
  RUN(patterns_come_in_any_order);
  RUN(what_is_asked_for_lowers_the_variance_most);
  RUN(prices_are_heeded);
  RUN(a_singular_covariance_is_fine);
  RUN(misuse_is_refused_and_changes_nothing);
  return check_done();
}
