/* Studies that are asked in batches: they learn, and the risk that they show is the error of the model that they
 * export. A short form of lab/bench/study-batches, with fixed seeds; the true error is known, since the population is.
 */
#include "base/rng.h"
#include "study_dense.h"

enum { D = 10, K = 3, EXAMPLES = 60, RELEVANT = 3, SEEDS = 20 };
#define VARIANCE 2.19
#define NOISE 0.4

static scant_rng random_numbers;

static double normal(void) {
  double r = sqrt(-2 * log(1 - scant_rng_unit(&random_numbers)));
  return r * cos(2 * acos(-1) * scant_rng_unit(&random_numbers));
}

/* ---- a population ---------------------------------------------------------------- */

static double loading[D], truth[D], covariance[D][D];

static void make_population(int seed) {
  double variance = 0;
  scant_rng_seed(&random_numbers, (uint64_t)seed, 18);
  for (int i = 0; i < D; i++) {
    loading[i] = (0.3 + 0.5 * scant_rng_unit(&random_numbers)) * (scant_rng_unit(&random_numbers) < 0.5 ? -1 : 1);
    truth[i] = 0;
  }
  for (int chosen = 0; chosen < RELEVANT;) {
    uint32_t i = scant_rng_below(&random_numbers, D);
    if (truth[i] != 0) continue;
    truth[i] = (0.5 + scant_rng_unit(&random_numbers)) * (loading[i] > 0 ? 1 : -1);
    chosen++;
  }
  for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++) {
      covariance[i][j] = i == j ? 1 : loading[i] * loading[j];
      variance += truth[i] * truth[j] * covariance[i][j];
    }
  for (int i = 0; i < D; i++) truth[i] *= sqrt((VARIANCE - NOISE) / variance);
}

static double draw_example(double x[D]) {
  double factor = normal(), y = sqrt(NOISE) * normal();
  for (int i = 0; i < D; i++) {
    x[i] = loading[i] * factor + sqrt(1 - loading[i] * loading[i]) * normal();
    y += truth[i] * x[i];
  }
  return y;
}

static double error_of(const scant_model *model, double mean) {
  const double *w = scant_model_weights(model);
  double b = scant_model_intercept(model) - mean, error = NOISE + b * b;
  for (int i = 0; i < D; i++)
    for (int j = 0; j < D; j++) error += (w[i] - truth[i]) * (w[j] - truth[j]) * covariance[i][j];
  return error;
}

/* ---- a study ----------------------------------------------------------------------- */

typedef struct {
  double error, risk, risk_error;
} outcome;

static outcome run(const char *algorithm, int seed, int batch, double mean) {
  static double x[EXAMPLES][D], y[EXAMPLES];
  char text[100], name[20];
  const char *path = study_path("batches.study");
  const scant_study_order *order;
  scant_study_answer answers[K + 1];
  scant_study_status status;
  scant_model *model = NULL;
  make_population(seed);
  for (int i = 0; i < EXAMPLES; i++) y[i] = mean + draw_example(x[i]);
  snprintf(text, sizeof text, "algorithm=%s k=%d seed=%d", algorithm, K, seed);
  scant_study *study = make_dense_hurried(path, text, D, PLAIN);
  for (int first = 0; first < EXAMPLES; first += batch) {
    for (int i = first; i < first + batch; i++) {
      snprintf(name, sizeof name, "p%d", i);
      GOOD(scant_study_ask(study, name, &order, &said));
    }
    for (int i = first; i < first + batch; i++) {
      snprintf(name, sizeof name, "p%d", i);
      GOOD(scant_study_find(study, name, &order, &said));
      size_t count = order->count;
      for (size_t k = 0; k < count; k++)
        answers[k] = (scant_study_answer){scant_study_attribute_at(study, order->lines[k].attribute)->name,
                                          x[i][order->lines[k].attribute], 0};
      answers[count] = (scant_study_answer){"y", y[i], 0};
      GOOD(scant_study_tell(study, name, answers, count + 1, &said));
    }
  }
  GOOD(scant_study_get_status(study, &status, &said));
  GOOD(scant_study_model(study, &model, &said));
  outcome o = {error_of(model, mean), status.risk, status.risk_error};
  scant_model_free(model);
  scant_study_close(study);
  study_remove(path);
  return o;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void check_batches(const char *algorithm) {
  static const int batches[] = {1, 15, 60};
  double mean_error[3] = {0}, sharp[3 * SEEDS];
  int covered = 0, cases = 0;
  for (int b = 0; b < 3; b++)
    for (int seed = 1; seed <= SEEDS; seed++) {
      outcome o = run(algorithm, seed, batches[b], 100);
      mean_error[b] += o.error / SEEDS;
      covered += fabs(o.risk - o.error) <= 2 * o.risk_error;
      sharp[cases++] = o.risk_error / o.risk;
    }
  qsort(sharp, (size_t)cases, sizeof *sharp, by_size);
  printf("# %s: errors %.3f %.3f %.3f, %d of %d covered, median error of the risk %.3f of it\n", algorithm,
         mean_error[0], mean_error[1], mean_error[2], covered, cases, sharp[cases / 2]);
  CHECK(100 * covered >= 85 * cases); /* nine of ten are wanted: lab/bench/study-batches --check asks for that */
  CHECK_AT_MOST(sharp[cases / 2], 1.0 / 3);
  CHECK_AT_MOST(mean_error[1], 1.10 * mean_error[0]);
  CHECK_AT_MOST(mean_error[2], 1.25 * mean_error[0]);
}

TEST(auto_learns_from_batches_and_says_how_well) {
  check_batches("auto");
}

TEST(gaussian_learns_from_batches_and_says_how_well) {
  check_batches("gaussian");
}

TEST(the_mean_of_the_target_does_not_matter) {
  static const char *const algorithms[] = {"auto", "ridge", "lasso", "gaussian"};
  for (int a = 0; a < 4; a++) {
    outcome near = run(algorithms[a], 1, 60, 5), far = run(algorithms[a], 1, 60, 100);
    CHECK_NEAR(near.error, far.error, 1e-6);
    CHECK_NEAR(near.risk, far.risk, 1e-3 * near.risk);
    CHECK_NEAR(near.risk_error, far.risk_error, 1e-3 * near.risk_error);
  }
}

int main(void) {
  study_begin_tests();
  RUN(auto_learns_from_batches_and_says_how_well);
  RUN(gaussian_learns_from_batches_and_says_how_well);
  RUN(the_mean_of_the_target_does_not_matter);
  return study_end_tests();
}
