/* The regressor of moments from sums that come from elsewhere. */
#include "allocations.h"
#include "moments/moments.h"
#include "engine.h"
#include "gaussians.h"
#include "states.h"

static scant_error error;

enum { D = 10, ROWS = 12 };

/* Sums over blocks, as others keep them: folds about an origin, and marginals. */
typedef struct {
  scant_pairs fold[SCANT_MOMENTS_FOLDS];
  double origin[D];
  scant_marginal attributes[D];
  size_t blocks, rows;
} kept;

static scant_moments_sums view_of(const kept *k) {
  return (scant_moments_sums){.dimension = D,
                              .fold = k->fold,
                              .origin = k->origin,
                              .y_origin = 0.5,
                              .attributes = k->attributes,
                              .rows_per_block = (double)k->rows / (double)k->blocks};
}

static void kept_free(kept *k) {
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) scant_pairs_free(&k->fold[f]);
}

/* Correlated attributes, and y = x_0 - x_1 + x_2/2 + noise + 3. */
static void draw_row(double *x, double *y, uint64_t *seed) {
  double common = random_normal(seed);
  for (size_t j = 0; j < D; j++) x[j] = (common + 2 * random_normal(seed)) * (1 + (double)j) / 3 + (double)j;
  *y = 3 + 3 * x[0] / 1 - 1.5 * x[1] + x[2] / 2 + random_normal(seed) / 2;
}

/* A marginal with these moments and limits. */
static void take_moments(scant_marginal *m, const scant_moments *moments, double low, double high) {
  m->known = moments->count;
  m->mean = moments->mean;
  m->spread = moments->spread;
  m->low = low;
  m->high = high;
}

/* Blocks in which `k` of the attributes were bought.  One cell in twenty is missing. */
static void add_blocks(kept *s, size_t blocks, size_t k, uint64_t seed) {
  double low[D], high[D];
  scant_moments moments[D] = {{0}};
  *s = (kept){.blocks = blocks, .rows = blocks * ROWS};
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) CHECK(scant_pairs_new(&s->fold[f], D));
  for (size_t j = 0; j < D; j++) s->origin[j] = (double)j - 0.25, low[j] = INFINITY, high[j] = -INFINITY;
  for (size_t b = 0; b < blocks; b++) {
    uint32_t order[D];
    for (uint32_t j = 0; j < D; j++) order[j] = j;
    for (size_t i = 0; i < k; i++) {
      size_t other = i + (size_t)((double)(D - i) * (random_real(&seed) + 1) / 2.0001);
      uint32_t swapped = order[i];
      order[i] = order[other];
      order[other] = swapped;
    }
    for (size_t i = 0; i < k; i++) s->attributes[order[i]].blocks++;
    for (size_t r = 0; r < ROWS; r++) {
      double x[D], y, shifted[D];
      uint32_t known[D];
      size_t count = 0;
      draw_row(x, &y, &seed);
      for (size_t i = 0; i < k; i++) {
        uint32_t j = order[i];
        s->attributes[j].bought++;
        if (random_real(&seed) < -0.9) continue;
        known[count] = j;
        shifted[count++] = x[j] - s->origin[j];
        scant_moments_add(&moments[j], x[j]);
        low[j] = fmin(low[j], x[j]);
        high[j] = fmax(high[j], x[j]);
        s->attributes[j].active++;
      }
      scant_pairs_add(&s->fold[b % SCANT_MOMENTS_FOLDS], count, known, shifted, y - 0.5);
    }
  }
  for (size_t j = 0; j < D; j++) take_moments(&s->attributes[j], &moments[j], low[j], high[j]);
}

static scant_settings settings_of(const char *list) {
  return engine_settings("algorithm=moments k=4 threads=2", list);
}

static scant_status solve(const kept *k, const char *list, scant_moments_result *result, double *follow,
                          double *explore) {
  scant_settings settings = settings_of(list);
  scant_moments_sums sums = view_of(k);
  return scant_moments_from_pairs(&sums, &settings, result, follow, explore, &error);
}

/* ---- against what is known ----------------------------------------------------------------- */

TEST(the_regressor_comes_near_the_truth_and_knows_its_risk) {
  static const char *const lists[] = {"", "norm=1"};
  for (size_t i = 0; i < 2; i++) {
    double w[D], follow[D], explore[D], x[D], y, true_risk = 0, sum[2] = {0};
    scant_moments_result result = {.w = w};
    kept k;
    uint64_t seed = 99;
    add_blocks(&k, 600, 5, 3);
    CHECK(solve(&k, lists[i], &result, follow, explore) == SCANT_OK);
    for (int t = 0; t < 20000; t++) {
      draw_row(x, &y, &seed);
      double left = y - result.intercept;
      for (size_t j = 0; j < D; j++) left -= w[j] * x[j];
      true_risk += left * left / 20000;
    }
    printf("# risk %g +- %g, truly %g; w %g %g %g\n", result.risk, result.risk_error, true_risk, w[0], w[1], w[2]);
    CHECK_NEAR(result.risk, true_risk, 5 * result.risk_error);
    CHECK_AT_MOST(true_risk, 1.5); /* that of the constant is over 10 */
    CHECK(result.penalty > 0 && result.scale == 1);
    for (size_t j = 0; j < D; j++) {
      CHECK(explore[j] > 0 && follow[j] >= 0);
      sum[0] += follow[j];
      sum[1] += explore[j];
      if (j > 2) CHECK_AT_MOST(follow[j], follow[0] / 3);
    }
    CHECK_NEAR(sum[0], 1, 1e-12);
    CHECK_NEAR(sum[1], 1, 1e-12);
    kept_free(&k);
  }
}

/* All is bought, and nothing is missing from it but at random: where rows are blocks it is the learner's regressor. */
TEST(with_all_attributes_it_is_that_of_a_learner) {
  double w[D], own[D], intercept, values[D], y;
  scant_moments_result result = {.w = w};
  scant_settings settings = settings_of("k=10 penalty=0.01");
  scant_learner *l = engine_learner(settings, D);
  scant_look *look = look_for(l);
  scant_learner_facts facts;
  uint64_t seed = 12;
  for (size_t t = 0; t < 300; t++) {
    draw_row(values, &y, &seed);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    double told[D];
    for (uint32_t i = 0; i < look->count; i++) told[i] = values[look->attributes[i]];
    CHECK(scant_learner_tell(l, look, look->count, look->attributes, told, y, &error) == SCANT_OK);
  }
  CHECK(scant_learner_finish(l, &error) == SCANT_OK);
  scant_learner_get_facts(l, &facts);
  scant_learner_weights(l, own, &intercept);
  scant_moments_state *s = moments_of(l);
  kept k = {.blocks = 300, .rows = 300};
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) k.fold[f] = s->fold[f];
  for (size_t j = 0; j < D; j++) {
    k.origin[j] = s->origin.x[j];
    take_moments(&k.attributes[j], &l->moments[j], s->origin.x[j] + s->low[j], s->origin.x[j] + s->high[j]);
    k.attributes[j].active = k.attributes[j].bought = 300;
  }
  scant_moments_sums sums = view_of(&k);
  sums.y_origin = s->origin.y;
  CHECK(scant_moments_from_pairs(&sums, &settings, &result, NULL, NULL, &error) == SCANT_OK);
  for (size_t j = 0; j < D; j++) CHECK_NEAR(w[j], own[j], 1e-9 * (1 + fabs(own[j])));
  CHECK_NEAR(result.intercept, intercept, 1e-8);
  CHECK(result.penalty == facts.penalty);
  CHECK_NEAR(result.risk, facts.risk, 0.02 * facts.risk); /* units of folds know the farthest value by its distance */
  scant_look_free(look);
  scant_learner_free(l);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

TEST(what_can_not_be_is_refused) {
  double w[D];
  scant_moments_result result = {.w = w};
  kept k;
  add_blocks(&k, 40, 5, 4);
  uint64_t bought = k.attributes[3].bought;
  k.attributes[3].bought = k.rows + 1;
  CHECK(solve(&k, "", &result, NULL, NULL) == SCANT_DATA);
  CHECK_SAYS(error.text, "attribute 4");
  k.attributes[3].bought = bought;
  k.fold[2].examples = UINT32_MAX;
  CHECK(solve(&k, "", &result, NULL, NULL) == SCANT_DATA);
  CHECK_SAYS(error.text, "there are more than 4294967295 examples, and moments counts no further");
  kept_free(&k);
}

TEST(an_attribute_that_hardly_showed_itself_has_no_weight) {
  double w[D];
  scant_moments_result result = {.w = w};
  kept k;
  add_blocks(&k, 300, 6, 4);
  k.attributes[0].active = 3;
  CHECK(solve(&k, "", &result, NULL, NULL) == SCANT_OK && w[0] == 0 && w[1] != 0);
  k.attributes[0].active = 4;
  CHECK(solve(&k, "", &result, NULL, NULL) == SCANT_OK && w[0] != 0);
  kept_free(&k);
}

/* Nothing was bought yet: the constant, and an even law. */
TEST(of_nothing_it_is_nothing) {
  double w[D], follow[D], explore[D];
  scant_moments_result result = {.w = w};
  kept k;
  add_blocks(&k, 1, 0, 4);
  CHECK(solve(&k, "", &result, follow, explore) == SCANT_OK);
  for (size_t j = 0; j < D; j++) CHECK(w[j] == 0 && follow[j] == 0 && fabs(explore[j] - 0.1) < 1e-12);
  CHECK(isnan(result.risk) && isfinite(result.intercept));
  kept_free(&k);
}

TEST(without_memory_it_fails) {
  double w[D];
  scant_moments_result result = {.w = w};
  kept k;
  unsigned long failures = 0;
  add_blocks(&k, 60, 5, 4);
  for (unsigned long n = 1; n < 1000; n++) {
    allocations_fail(n, 0);
    scant_status status = solve(&k, "threads=1", &result, NULL, NULL);
    int failed = allocations_failed() > 0;
    allocations_reset();
    if (!failed) {
      CHECK(status == SCANT_OK);
      break;
    }
    failures++;
    CHECK(status == SCANT_MEMORY);
  }
  CHECK(failures > 10);
  kept_free(&k);
}

int main(void) {
  RUN(the_regressor_comes_near_the_truth_and_knows_its_risk);
  RUN(with_all_attributes_it_is_that_of_a_learner);
  RUN(what_can_not_be_is_refused);
  RUN(an_attribute_that_hardly_showed_itself_has_no_weight);
  RUN(of_nothing_it_is_nothing);
  RUN(without_memory_it_fails);
  return check_done();
}
