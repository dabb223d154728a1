/* The references of few of the lab against forward selection that solves least
 * squares anew for every candidate, and against two Gaussians, one for each value
 * of the target. */
#include "few.h"
#include "gaussians.h"

enum { D = 7, N = 90, TRAIN = 60, CONSTANT = 2, REPEATED = 5, VARYING = D - 2 };

static double x[N * D], y[N];
static uint32_t rows[N];
static view train = {.x = x, .y = y, .d = D, .n = TRAIN, .rows = rows},
            test = {.x = x, .y = y, .d = D, .n = N - TRAIN, .rows = rows + TRAIN};

/* Attributes that go together, in units of their own; one never varies, and one
 * follows from another.  The target takes -1 and 1, more often 1. */
static void make_data(uint64_t seed) {
  for (size_t i = 0; i < N; i++) {
    double *row = x + i * D, common = random_normal(&seed), sum = 0;
    for (size_t j = 0; j < D; j++) {
      row[j] = (double)(j + 1) * (common + random_normal(&seed)) + 10;
      sum += (row[j] - 10) / (double)((j + 1) * (j + 2));
    }
    row[CONSTANT] = 3;
    row[REPEATED] = 4 - 2 * row[0];
    y[i] = sum + random_normal(&seed) > -0.5 ? 1 : -1;
    rows[i] = (uint32_t)((i * 37) % N); /* some order: 37 and 90 have no divisor in common */
  }
}

static const double *row_of(const view *v, size_t i) {
  return v->x + v->rows[i] * v->d;
}

static double target_of(const view *v, size_t i) {
  return v->y[v->rows[i]];
}

/* Weights of the chosen attributes and, last, an intercept. */
static void least_squares(const size_t *chosen, size_t count, long double *w) {
  size_t m = count + 1;
  long double a[(D + 1) * (D + 1)] = {0};
  for (size_t i = 0; i < m; i++) w[i] = 0;
  for (size_t t = 0; t < TRAIN; t++) {
    for (size_t i = 0; i < m; i++) {
      long double u = i < count ? row_of(&train, t)[chosen[i]] : 1;
      for (size_t j = 0; j < m; j++) a[i * m + j] += u * (j < count ? row_of(&train, t)[chosen[j]] : 1);
      w[i] += u * target_of(&train, t);
    }
  }
  solve_directly(a, w, m);
}

static double linear_error(const view *v, const size_t *chosen, size_t count, const long double *w) {
  long double sum = 0;
  for (size_t t = 0; t < v->n; t++) {
    long double p = w[count];
    for (size_t i = 0; i < count; i++) p += w[i] * row_of(v, t)[chosen[i]];
    sum += (p - target_of(v, t)) * (p - target_of(v, t));
  }
  return (double)(sum / v->n);
}

/* The attribute that leaves the least training error beside those chosen. */
static size_t choose_next(const size_t *chosen, size_t count) {
  size_t candidate[D], best = D;
  long double w[D + 1];
  double least = INFINITY;
  memcpy(candidate, chosen, count * sizeof *chosen);
  for (size_t j = 0; j < D; j++) {
    int taken = j == CONSTANT; /* it has no weight of its own */
    for (size_t i = 0; i < count; i++)
      taken = taken || chosen[i] == j || (chosen[i] == 0 && j == REPEATED) || (chosen[i] == REPEATED && j == 0);
    if (taken) continue;
    candidate[count] = j;
    least_squares(candidate, count + 1, w);
    double left = linear_error(&train, candidate, count + 1, w);
    if (left < least * (1 - 1e-9)) least = left, best = j;
  }
  return best;
}

/* Error of E[y | x] when x is Gaussian about the mean of its class with the
 * covariance about the means of both classes. */
static double two_valued_error(const size_t *chosen, size_t count) {
  long double mean[2][D] = {{0}}, n[2] = {0}, pooled[D * D] = {0};
  for (size_t t = 0; t < TRAIN; t++) {
    size_t c = target_of(&train, t) > 0;
    n[c]++;
    for (size_t i = 0; i < count; i++) mean[c][i] += row_of(&train, t)[chosen[i]];
  }
  for (size_t i = 0; i < count; i++) mean[0][i] /= n[0], mean[1][i] /= n[1];
  for (size_t t = 0; t < TRAIN; t++) {
    const double *row = row_of(&train, t);
    const long double *m = mean[target_of(&train, t) > 0];
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++)
        pooled[i * count + j] += (row[chosen[i]] - m[i]) * (row[chosen[j]] - m[j]) / TRAIN;
  }
  long double slope[D], sum = 0;
  for (size_t i = 0; i < count; i++) slope[i] = mean[1][i] - mean[0][i];
  solve_directly(pooled, slope, count);
  for (size_t t = 0; t < test.n; t++) {
    long double ratio = logl(n[1] / n[0]);
    for (size_t i = 0; i < count; i++)
      ratio += slope[i] * (row_of(&test, t)[chosen[i]] - (mean[0][i] + mean[1][i]) / 2);
    long double off = 2 / (1 + expl(-ratio)) - 1 - target_of(&test, t);
    sum += off * off;
  }
  return (double)(sum / test.n);
}

static void evaluate(scant_model *model, int two_valued, scant_known_scores *scores) {
  scant_error error;
  scant_source *source = NULL;
  model->gaussian->two_valued = two_valued;
  CHECK(open_view(&source, &test, &error) == SCANT_OK);
  CHECK(scant_model_evaluate_few(model, source, D, NULL, 0, scores, NULL, &error) == SCANT_OK);
  scant_source_free(source);
}

TEST(fixed_is_forward_selection_by_least_squares) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    scant_error error;
    scant_model *model = NULL;
    scant_known_scores linear[D + 1], two_valued[D + 1];
    size_t chosen[D];
    long double w[D + 1];
    make_data(seed);
    if (!CHECK(few_full_model(&model, &train, &error) == SCANT_OK)) return;
    CHECK(model->gaussian->two_valued && model->gaussian->values[0] == -1 && model->gaussian->values[1] == 1);
    evaluate(model, 0, linear);
    evaluate(model, 1, two_valued);
    for (size_t k = 0; k <= D; k++) {
      size_t count = k < VARYING ? k : VARYING; /* nothing more helps */
      if (k > 0 && k <= VARYING) chosen[k - 1] = choose_next(chosen, k - 1);
      least_squares(chosen, count, w);
      CHECK_NEAR(linear[k].scores.squared_error, linear_error(&test, chosen, count, w), 1e-10);
      CHECK_NEAR(two_valued[k].scores.squared_error, two_valued_error(chosen, count), 1e-10);
      CHECK(linear[k].bought == (double)count);
    }
    scant_model_free(model);
  }
}

TEST(a_target_of_one_value_is_predicted_as_it_is) {
  scant_error error;
  scant_model *model = NULL;
  scant_known_scores scores[D + 1];
  make_data(3);
  for (size_t i = 0; i < N; i++) y[i] = 1;
  CHECK(few_full_model(&model, &train, &error) == SCANT_OK);
  CHECK(!model->gaussian->two_valued);
  evaluate(model, 0, scores);
  for (size_t k = 0; k <= D; k++) CHECK(scores[k].scores.squared_error == 0 && scores[k].bought == 0);
  scant_model_free(model);
}

TEST(splits_are_parts_of_all_images_and_depend_on_the_run) {
  image_set images = {.n = N, .d = D, .x = x, .y = y};
  view a, b, c, e;
  uint32_t *first = split_images(&images, 0.1, 1, 0, &a, &b), *second = split_images(&images, 0.1, 1, 1, &c, &e);
  unsigned char seen[N] = {0};
  if (!CHECK(first && second)) return;
  CHECK(a.n == 81 && b.n == 9 && b.rows == a.rows + a.n && a.x == x && b.y == y);
  for (size_t i = 0; i < N; i++) seen[first[i]]++;
  for (size_t i = 0; i < N; i++) CHECK(seen[i] == 1);
  CHECK(memcmp(first, second, sizeof rows) != 0);
  free(first);
  free(second);
}

/* ---- many models scored at once are scored as one by one, to the bit ---- */

enum { PIXELS = 37, IMAGES = 60, MODELS = 30 };

static double pixels[IMAGES * PIXELS], labels[IMAGES], ink_value[IMAGES * PIXELS];
static uint32_t chosen[IMAGES / 2], ink[IMAGES * PIXELS];
static size_t ink_start[IMAGES + 1];

/* Four pixels of five are 0, and one image is empty. */
static void make_images(uint64_t seed) {
  size_t count = 0;
  for (size_t i = 0; i < IMAGES; i++) {
    ink_start[i] = count;
    labels[i] = random_real(&seed);
    for (size_t j = 0; j < PIXELS; j++) {
      pixels[i * PIXELS + j] = i != 5 && random_below(&seed, 5) == 0 ? random_real(&seed) : 0;
      if (pixels[i * PIXELS + j] == 0) continue;
      ink[count] = (uint32_t)j;
      ink_value[count++] = pixels[i * PIXELS + j];
    }
  }
  ink_start[IMAGES] = count;
  for (size_t i = 0; i < IMAGES / 2; i++) chosen[i] = (uint32_t)(i * 17 % IMAGES);
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
  view v = {.x = pixels,
            .y = labels,
            .d = PIXELS,
            .n = IMAGES / 2,
            .rows = chosen,
            .ink_start = ink_start,
            .ink = ink,
            .ink_value = ink_value};
  for (size_t count = 1; count <= MODELS; count++) {
    static double w[MODELS][PIXELS], intercepts[MODELS], errors[MODELS + 1];
    uint64_t seed = count;
    lineup models;
    if (!CHECK(lineup_new(&models, PIXELS, count))) return;
    for (size_t i = 0; i < count; i++) {
      for (size_t j = 0; j < PIXELS; j++) w[i][j] = random_real(&seed);
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
  RUN(fixed_is_forward_selection_by_least_squares);
  RUN(a_target_of_one_value_is_predicted_as_it_is);
  RUN(splits_are_parts_of_all_images_and_depend_on_the_run);
  RUN(a_lineup_scores_as_its_models_alone);
  return check_done();
}
