/* Out of memory: plans (see fail_each.h). */
#include "fail_each.h"
#include "gaussians.h"
#include "plan/plan.h"
#include "scant_dense.h"

enum { D = 5, N = 12 };

static scant_model *model;
static scant_source *pilot;
static scant_prices *prices;
static const char *algorithm;

static scant_status run_plan(void) {
  static const uint64_t k[] = {2, D};
  scant_settings settings;
  scant_plan *plan = NULL;
  scant_settings_init(&settings);
  settings.runtime.engines = scant_dense_engines();
  settings.learning.algorithm = algorithm;
  scant_plan_request r = {.settings = &settings,
                          .model = model,
                          .pilot = model ? NULL : pilot,
                          .k = k,
                          .k_count = 2,
                          .prices = prices,
                          .budget = prices ? 6000 : 60,
                          .runs = 2,
                          .unit = prices ? SCANT_CURVE_MONEY : SCANT_CURVE_ATTRIBUTES,
                          .threads = 1};
  scant_status status = scant_plan_new(&plan, &r, &error);
  if (status == SCANT_OK) status = scant_plan_run(plan, &error);
  scant_plan_entry e;
  if (status == SCANT_OK) status = scant_plan_entry_at(plan, 1, &e, &error);
  stop_failing();
  if (status == SCANT_OK) note(&e.error, sizeof e.error);
  scant_plan_free(plan);
  return status;
}

TEST(plans_of_a_model_survive) {
  model = gaussian_model(D, 3, "algorithm=gaussian k=3");
  algorithm = "auto";
  fail_each("a model", run_plan);
  scant_model_free(model);
  model = NULL;
}

TEST(plans_with_prices_survive) {
  static const uint64_t costs[D] = {100, 200, 50, 0, 300};
  model = gaussian_model(D, 3, "algorithm=gaussian k=3");
  algorithm = "auto";
  CHECK(scant_prices_new(&prices, D, costs, NULL, NULL) == SCANT_OK);
  fail_each("prices", run_plan);
  scant_prices_free(prices);
  prices = NULL;
  scant_model_free(model);
  model = NULL;
}

/* It makes thousands of allocations, so only some of them fail here. */
TEST(plans_of_examples_survive) {
  static double x[N][D], y[N];
  uint64_t seed = 2;
  algorithm = "auto";
  for (size_t row = 0; row < N; row++) {
    for (size_t i = 0; i < D; i++) x[row][i] = random_normal(&seed);
    y[row] = x[row][0] + random_normal(&seed);
  }
  CHECK(scant_source_wrap(&pilot, SCANT_FLOAT64, x, N, D, sizeof x[0], sizeof x[0][0], y, NULL) == SCANT_OK);
  CHECK(run_once(run_plan, 0, 0) == SCANT_OK);
  uint64_t wanted = outcome;
  int ended = 0;
  for (unsigned long n = 1; !ended && n < 1000000; n += 1 + n / 16) {
    scant_status status = run_once(run_plan, n, 1);
    ended = !failures;
    int good =
        status == SCANT_MEMORY ? strstr(error.text, "out of memory") != NULL : status == SCANT_OK && outcome == wanted;
    if (!CHECK(good)) printf("#   allocation %lu: status %d: %s\n", n, status, error.text);
  }
  CHECK(ended);
  scant_source_free(pilot);
}

int main(void) {
  files_begin();
  RUN(plans_of_a_model_survive);
  RUN(plans_with_prices_survive);
  RUN(plans_of_examples_survive);
  files_end();
  return check_done();
}
