/* What tests of plans share: requests, prices and pilots. */
#ifndef SCANT_TESTS_PLAN_PLANS_H
#define SCANT_TESTS_PLAN_PLANS_H

#include "plan/plan.h"

#include "gaussians.h"
#include "scant_dense.h"

enum { D = 8, N = 60, DRAWN = 4000 };

static scant_settings settings;
static scant_error error;

/* A request for a model of D attributes, of which the Gaussian does not know attribute 1. */
static inline scant_plan_request request_of(const scant_model *model, const uint64_t *k, size_t k_count) {
  scant_settings_init(&settings);
  settings.runtime.engines = scant_dense_engines();
  return (scant_plan_request){.settings = &settings,
                              .model = model,
                              .k = k,
                              .k_count = k_count,
                              .unit = SCANT_CURVE_ATTRIBUTES,
                              .budget = 800,
                              .runs = 3,
                              .seed = 5,
                              .threads = 2};
}

static inline scant_plan *planned(const scant_plan_request *r) {
  scant_plan *plan = NULL;
  error.text[0] = 0;
  if (!CHECK(scant_plan_new(&plan, r, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  if (plan && !CHECK(scant_plan_run(plan, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return plan;
}

static inline void refuses(const scant_plan_request *r, scant_status status, const char *words) {
  scant_plan *plan = NULL;
  error.text[0] = 0;
  CHECK(scant_plan_new(&plan, r, &error) == status && !plan);
  CHECK_SAYS(error.text, words);
}

static inline scant_prices *some_prices(void) {
  static const uint64_t costs[D] = {100, 150, 1000, 400, 0, 600, 2525, 3000};
  static const uint32_t groups[D] = {0, 0, 1, 1, 0, 0, 0, 0};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, D, costs, groups, NULL) == SCANT_OK);
  return prices;
}
static inline scant_source *some_pilot(const double *x, const double *y, size_t rows) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, rows, D, D * sizeof *x, sizeof *x, y, NULL) == SCANT_OK);
  return source;
}

/* Examples with a known strength; `holes` makes some cells empty. */
static inline void fill_pilot(double *x, double *y, size_t rows, uint64_t seed, double noise, int holes) {
  for (size_t row = 0; row < rows; row++) {
    double *at = x + row * D, common = random_normal(&seed);
    for (size_t i = 0; i < D; i++) at[i] = 3 + random_normal(&seed) + common;
    y[row] = at[0] - at[5] + noise * random_normal(&seed);
    for (size_t i = 0; holes && i < D; i++)
      if (random_below(&seed, 10) == 0) at[i] = NAN;
  }
}

#endif
