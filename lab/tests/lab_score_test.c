/* Many models scored at once are scored as one by one, to the bit. */
#include "../../lab/run.h"
#include "support.h"

enum { D = 37, N = 60, MOST = 30 };

static double x[N * D], y[N], ink_value[N * D];
static uint32_t rows[N / 2], ink[N * D];
static size_t ink_start[N + 1];

/* Four pixels of five are 0, and one image is empty. */
static void make_images(uint64_t seed) {
  size_t count = 0;
  for (size_t i = 0; i < N; i++) {
    ink_start[i] = count;
    y[i] = random_real(&seed);
    for (size_t j = 0; j < D; j++) {
      x[i * D + j] = i != 5 && random_below(&seed, 5) == 0 ? random_real(&seed) : 0;
      if (x[i * D + j] == 0) continue;
      ink[count] = (uint32_t)j;
      ink_value[count++] = x[i * D + j];
    }
  }
  ink_start[N] = count;
  for (size_t i = 0; i < N / 2; i++) rows[i] = (uint32_t)(i * 17 % N);
}

static double error_alone(const view *v, const double *w, double intercept) {
  double sum = 0;
  for (size_t i = 0; i < v->n; i++) {
    const double *row = v->x + v->rows[i] * v->d;
    double s = intercept;
    for (size_t j = 0; j < v->d; j++) s += w[j] * row[j];
    sum += (s - v->y[v->rows[i]]) * (s - v->y[v->rows[i]]);
  }
  return sum / (double)v->n;
}

TEST(a_lineup_scores_as_its_models_alone) {
  make_images(3);
  view v = {
      .x = x, .y = y, .d = D, .n = N / 2, .rows = rows, .ink_start = ink_start, .ink = ink, .ink_value = ink_value};
  for (size_t count = 1; count <= MOST; count++) {
    static double w[MOST][D], intercepts[MOST], errors[MOST + 1];
    uint64_t seed = count;
    lineup models;
    if (!CHECK(lineup_new(&models, D, count))) return;
    for (size_t i = 0; i < count; i++) {
      for (size_t j = 0; j < D; j++) w[i][j] = random_real(&seed);
      intercepts[i] = random_real(&seed);
      lineup_set(&models, i, w[i], intercepts[i]);
    }
    errors[count] = 42;
    lineup_score(&models, &v, errors);
    for (size_t i = 0; i < count; i++) CHECK(bits_of(errors[i]) == bits_of(error_alone(&v, w[i], intercepts[i])));
    CHECK(errors[count] == 42); /* and no more than those */
    lineup_free(&models);
  }
}

int main(void) {
  RUN(a_lineup_scores_as_its_models_alone);
  return check_done();
}
