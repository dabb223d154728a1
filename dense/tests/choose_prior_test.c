/* How much the looks are believed: every number of the choice, again from the looks. */
#include "gaussian/choose_prior.h"
#include "gaussian/normal.h"

#include "blas.h"
#include "direct.h"

static scant_error error;

/* From heavy to light, as many as there are. */
static const double weights[SCANT_TRIALS_MOST] = {300, 100, 30, 8, 2, 0.5, 0.05};

/* ---- again, from the looks ---------------------------------------------------------------- */

/* Value i of the looks as its variable has it, and the target of an example. */
static real standard(const scant_answers *looks, const scant_frame *f, size_t i) {
  uint32_t v = f->variable[looks->attribute[i]];
  return ((real)scant_frame_clip(f, looks->attribute[i], looks->value[i]) - f->center[v]) / f->unit[v];
}

static real target(const scant_answers *looks, const scant_frame *f, size_t e) {
  return ((real)looks->y[e] - f->center[f->variables - 1]) / f->unit[f->variables - 1];
}

/* Error and variance of the target of an example, by what was bought of it. */
static void condition(const scant_answers *looks, const scant_frame *f, const scant_normal *at, size_t e,
                      real *deviation, real *left, real *expected) {
  size_t n = at->n, y = n - 1, known = 0, places[64], entries[64];
  for (size_t i = looks->first[e]; i < looks->first[e + 1]; i++) {
    uint32_t v = f->variable[looks->attribute[i]];
    if (v == SCANT_NO_VARIABLE || isinf(f->factor[v])) continue;
    entries[known] = i;
    places[known++] = v;
  }
  real a[64 * 64], b[64];
  for (size_t i = 0; i < known; i++) {
    b[i] = at->covariance[places[i] * n + y];
    for (size_t j = 0; j < known; j++)
      a[i * known + j] = at->covariance[places[i] * n + places[j]] * (i == j ? (real)f->factor[places[i]] + 0.001L : 1);
  }
  solve_directly(a, b, known);
  *deviation = target(looks, f, e) - at->mean[y];
  *left = *expected = at->covariance[y * n + y];
  for (size_t i = 0; i < known; i++) {
    *expected -= 2 * b[i] * at->covariance[places[i] * n + y];
    for (size_t j = 0; j < known; j++) *expected += b[i] * at->covariance[places[i] * n + places[j]] * b[j];
    *deviation -= b[i] * (standard(looks, f, entries[i]) - at->mean[places[i]]);
    *left -= b[i] * at->covariance[places[i] * n + y];
  }
}

/* The regressor on all variables. */
static void regress(const scant_frame *f, const scant_normal *at, double penalty, real *w) {
  size_t n = at->n, p = n - 1, used = 0, places[64];
  real a[64 * 64], b[64];
  for (size_t j = 0; j < p; j++)
    if (isfinite(f->factor[j])) places[used++] = j;
  for (size_t i = 0; i < used; i++) {
    b[i] = at->covariance[places[i] * n + p];
    for (size_t j = 0; j < used; j++)
      a[i * used + j] = at->covariance[places[i] * n + places[j]] * (i == j ? (real)f->factor[places[i]] + penalty : 1);
  }
  solve_directly(a, b, used);
  for (size_t j = 0; j < n; j++) w[j] = 0;
  for (size_t i = 0; i < used; i++) w[places[i]] = b[i];
}

/* a' S a with S the mean of two covariances. */
static real form(const real *a, const scant_normal *one, const scant_normal *two) {
  size_t n = one->n;
  real sum = 0;
  for (size_t i = 0; i < n * n; i++) sum += a[i / n] * a[i % n] * ((real)one->covariance[i] + two->covariance[i]) / 2;
  return sum;
}

/* What one penalty gives: the regressors of both halves, each by the other's covariance. */
static scant_trial with_penalty(const scant_frame *f, const scant_normal *half, double penalty, scant_trial t) {
  size_t n = f->variables;
  real y = ((real)half[0].covariance[n * n - 1] + half[1].covariance[n * n - 1]) / 2, w[2][64], difference[64];
  for (size_t h = 0; h < 2; h++) regress(f, &half[h], penalty, w[h]);
  for (size_t j = 0; j < n; j++) difference[j] = w[0][j] - w[1][j];
  t.penalty = penalty;
  t.disagreement = (double)(form(difference, &half[0], &half[1]) / y);
  t.product = t.square = 0;
  for (size_t h = 0; h < 2; h++) {
    t.square += (double)(form(w[h], &half[1 - h], &half[1 - h]) / y / 2);
    for (size_t j = 0; j + 1 < n; j++) t.product += (double)(w[h][j] * half[1 - h].covariance[(n - 1) * n + j] / y / 2);
  }
  return t;
}

/* The penalty with the lowest risk plus half of the disagreement. */
static scant_trial with_best_penalty(const scant_frame *f, const scant_normal *half, scant_trial t) {
  static const double penalties[] = {1e-4, 0.01, 0.1};
  scant_trial best = t;
  double lowest = INFINITY;
  for (size_t p = 0; p < 3; p++) {
    scant_trial now = with_penalty(f, half, penalties[p], t);
    double score = 1 - 2 * now.product + now.square + now.disagreement / 2;
    if (score >= lowest) continue;
    lowest = score;
    best = now;
  }
  return best;
}

static scant_trial measure(const scant_answers *looks, const scant_frame *f, const scant_normal *half, double noise) {
  size_t n = f->variables, count[2] = {0};
  real y = ((real)half[0].covariance[n * n - 1] + half[1].covariance[n * n - 1]) / 2, spread = 0;
  real squares[2] = {0}, left[2] = {0}, plain[2] = {0}, fourth[2] = {0};
  for (size_t e = 0; e < looks->examples; e++) {
    real deviation, variance, expected;
    condition(looks, f, &half[1 - e % 2], e, &deviation, &variance, &expected);
    count[e % 2]++;
    squares[e % 2] += deviation * deviation;
    left[e % 2] += variance;
    plain[e % 2] += expected;
    fourth[e % 2] += powl(deviation, 4);
  }
  scant_trial t = {.noise = noise};
  for (size_t h = 0; h < 2; h++) {
    t.own += (double)(squares[h] / (real)count[h] / y / 2);
    t.own_variance += (double)(left[h] / (real)count[h] / y / 2);
    t.own_expected += (double)(plain[h] / (real)count[h] / y / 2);
    spread += fourth[h] / (real)count[h] / y / y / 2;
  }
  t.own_error = (double)sqrtl((spread - (real)t.own * t.own) / (real)looks->examples);
  return with_best_penalty(f, half, t);
}

/* All weights, each EM started where the one before ended, and the mean of the halves of each. */
static void try_all(const scant_answers *looks, const scant_frame *f, scant_em_options o, scant_trial *trials,
                    scant_normal *means) {
  size_t n = f->variables;
  scant_normal half[2] = {{0}};
  scant_seen seen[2] = {{0}};
  o.threads = 1;
  for (size_t h = 0; h < 2; h++) {
    CHECK(scant_normal_new(&half[h], n) && scant_seen_new(&seen[h], looks, f, 2, h));
    scant_normal_reset(&half[h]);
  }
  for (size_t i = 0; i < SCANT_TRIALS_MOST; i++) {
    double likelihood;
    o.noise = weights[i];
    for (size_t h = 0; h < 2; h++)
      CHECK(scant_em_run(&seen[h], &o, &half[h], &likelihood, NULL, NULL, &error) == SCANT_OK);
    trials[i] = measure(looks, f, half, weights[i]);
    CHECK(scant_normal_new(&means[i], n));
    for (size_t k = 0; k < n; k++) means[i].mean[k] = (half[0].mean[k] + half[1].mean[k]) / 2;
    for (size_t k = 0; k < n * n; k++) means[i].covariance[k] = (half[0].covariance[k] + half[1].covariance[k]) / 2;
  }
  for (size_t h = 0; h < 2; h++) {
    scant_normal_free(&half[h]);
    scant_seen_free(&seen[h]);
  }
}

/* Two in a row that are no better than the best end the search. */
static size_t count_tried(const scant_trial *all, size_t patience, size_t *best) {
  size_t tried = 0, in_a_row = 0;
  *best = 0;
  for (; tried < SCANT_TRIALS_MOST && in_a_row < patience; tried++) {
    int better = tried == 0 || all[tried].own < all[*best].own;
    in_a_row = better ? 0 : in_a_row + 1;
    if (better) *best = tried;
  }
  return tried;
}

/* ---- the choice ------------------------------------------------------------------------ */

enum { N = 11 };

/* The kinds of data: 0 a near-exact relation, which wants a light weight; 1 few looks and strong noise, which
 * want a heavy one; 2 in between.  From 3 on the same with a third of the values seen instead of half, so that a search
 * ends early. */
static void fill_looks(scant_answers *looks, int of, uint64_t seed) {
  int kind = of % 3;
  uint32_t seen_of = of < 3 ? 2 : 3;
  size_t examples = kind == 1 ? 61 : kind ? 203 : 601;
  for (size_t e = 0; e < examples; e++) {
    uint32_t attributes[N - 1];
    double x[N - 1], values[N - 1], y = 0, common = random_normal(&seed);
    size_t count = 0;
    for (size_t j = 0; j < N - 1; j++) x[j] = random_normal(&seed) + (kind == 2 ? 0.7 * common : 0);
    double rest = random_normal(&seed);
    if (kind == 0) x[0] = x[1] + x[2] + 0.7 * rest;
    if (kind == 0) y = rest + 0.05 * random_normal(&seed);
    if (kind == 1) y = 0.3 * x[0] + random_normal(&seed);
    if (kind == 2) y = common + x[1] + random_normal(&seed) / 2;
    x[5] = 100 * x[5] + (e % 50 == 7 ? 5000 : 0); /* units, and wild values */
    x[8] = random_below(&seed, 3) ? 0 : 1;        /* often the same */
    x[9] = e == 3 || e == 8;                      /* too rarely for a weight */
    for (uint32_t j = 0; j < N - 1; j++) {
      if (e >= 10 && random_below(&seed, seen_of)) continue; /* of the first few all is seen */
      attributes[count] = j;
      values[count++] = x[j];
    }
    CHECK(scant_answers_add(looks, NULL, count, attributes, values, y));
  }
}

static scant_frame frame_of(const scant_answers *looks, double clip) {
  scant_moments y = {0};
  scant_frame frame = {0};
  for (size_t e = 0; e < looks->examples; e++) scant_moments_add(&y, looks->y[e]);
  CHECK(scant_frame_new(&frame, looks, clip, &y));
  return frame;
}

static void check_trial(const scant_trial *got, const scant_trial *wanted) {
  CHECK(got->noise == wanted->noise && got->penalty == wanted->penalty);
  CHECK_NEAR(got->own, wanted->own, 1e-9);
  CHECK_NEAR(got->own_variance, wanted->own_variance, 1e-9);
  CHECK_NEAR(got->own_expected, wanted->own_expected, 1e-9);
  CHECK_NEAR(got->own_error, wanted->own_error, 1e-9);
  CHECK_NEAR(got->disagreement, wanted->disagreement, 1e-9);
  CHECK_NEAR(got->product, wanted->product, 1e-9);
  CHECK_NEAR(got->square, wanted->square, 1e-9);
}

/* All weights are tried where at least half of all values are seen. */
static size_t patience_with(const scant_answers *looks, const scant_frame *frame) {
  scant_seen half = {0};
  CHECK(scant_seen_new(&half, looks, frame, 2, 0));
  size_t patience = 2 * half.first[half.examples] >= half.examples * half.variables ? SCANT_TRIALS_MOST : 2;
  scant_seen_free(&half);
  return patience;
}

/* Checks one choice; returns the place of the weight that was chosen, and notes the penalty. */
static size_t check_choice(int kind, uint64_t seed, double clip, double *penalty) {
  scant_answers looks = {.dimension = N - 1};
  fill_looks(&looks, kind, seed);
  scant_frame frame = frame_of(&looks, clip);
  size_t n = frame.variables, tried = 0, best;
  CHECK(n == N && isinf(frame.factor[9]) && isfinite(frame.factor[8]));
  scant_em_options o = {.steps = 45, .settled = 1e-3, .threads = 2};
  scant_trial trials[SCANT_TRIALS_MOST], all[SCANT_TRIALS_MOST];
  scant_normal start = {0}, means[SCANT_TRIALS_MOST] = {{0}};
  scant_choice choice;
  CHECK(scant_normal_new(&start, n));
  CHECK(scant_choose(&looks, &frame, &o, &choice, &start, trials, &tried, &error) == SCANT_OK);
  scant_blas_calm();
  try_all(&looks, &frame, o, all, means);
  scant_blas_restore();
  CHECK(tried == count_tried(all, patience_with(&looks, &frame), &best));
  for (size_t i = 0; i < tried; i++) {
    check_trial(&trials[i], &all[i]);
    CHECK(trials[best].own <= trials[i].own);
  }
  CHECK(choice.noise == weights[best] && choice.penalty == all[best].penalty);
  CHECK_NEAR(choice.few_excess, fmax(0, (all[best].own - all[best].own_variance) / (1 - all[best].own_variance)), 1e-8);
  CHECK(isfinite(choice.risk) && isfinite(choice.risk_error));
  for (size_t i = 0; i < n; i++) CHECK(start.mean[i] == means[best].mean[i]);
  for (size_t i = 0; i < n * n; i++) CHECK(start.covariance[i] == means[best].covariance[i]);
  *penalty = choice.penalty;
  for (size_t i = 0; i < SCANT_TRIALS_MOST; i++) scant_normal_free(&means[i]);
  scant_normal_free(&start);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
  return best;
}

TEST(the_choice_is_the_best_of_those_tried) {
  size_t met[SCANT_TRIALS_MOST] = {0}, light = 0, heavy = 0;
  for (int kind = 0; kind < 6; kind++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      double penalty;
      met[check_choice(kind, seed, seed == 2 ? 0 : 3, &penalty)]++;
      light += penalty < 0.01;
      heavy += penalty > 0.01;
    }
  printf("# chosen, from heavy to light:");
  for (size_t i = 0; i < SCANT_TRIALS_MOST; i++) printf(" %zu", met[i]);
  printf("; penalties: %zu light, %zu heavy\n", light, heavy);
  CHECK(light > 0 && heavy > 0);
  CHECK(met[0] + met[1] > 0 && met[5] + met[6] > 0); /* both ends of the search are met, */
  CHECK(met[2] + met[3] + met[4] > 0);               /* and its middle */
}

TEST(threads_do_not_change_a_bit) {
  scant_answers looks = {.dimension = N - 1};
  fill_looks(&looks, 2, 5);
  scant_frame frame = frame_of(&looks, 3);
  scant_choice choice[3];
  scant_normal start[3] = {{0}};
  scant_trial trials[3][SCANT_TRIALS_MOST];
  size_t tried[3];
  for (unsigned t = 0; t < 3; t++) {
    scant_em_options o = {.steps = 30, .settled = 1e-3, .threads = t == 2 ? 7 : t + 1};
    CHECK(scant_normal_new(&start[t], N));
    CHECK(scant_choose(&looks, &frame, &o, &choice[t], &start[t], trials[t], &tried[t], &error) == SCANT_OK);
    CHECK(tried[t] == tried[0] && !memcmp(trials[0], trials[t], tried[0] * sizeof **trials));
    CHECK(!memcmp(&choice[0], &choice[t], sizeof *choice));
    CHECK(!memcmp(start[0].mean, start[t].mean, N * sizeof(double)));
    CHECK(!memcmp(start[0].covariance, start[t].covariance, N * N * sizeof(double)));
  }
  scant_choice alone; /* trials are not needed */
  scant_em_options o = {.steps = 30, .settled = 1e-3, .threads = 1};
  CHECK(scant_choose(&looks, &frame, &o, &alone, &start[1], NULL, NULL, &error) == SCANT_OK);
  CHECK(!memcmp(&choice[0], &alone, sizeof alone));
  for (int t = 0; t < 3; t++) scant_normal_free(&start[t]);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
}

/* ---- the risk ----------------------------------------------------------------------------- */

static scant_choice judged(double own, double expected, double product, double square, double disagreement) {
  scant_trial t = {.own = own,
                   .own_expected = expected,
                   .own_error = 0.02,
                   .product = product,
                   .square = square,
                   .disagreement = disagreement};
  scant_choice choice = {.noise = 7, .penalty = 0.01};
  scant_choice_judge(&t, &choice);
  CHECK(choice.noise == 7 && choice.penalty == 0.01);
  return choice;
}

/* (1 - 2 product + square - disagreement/4) own/expected, with its error, while that is below what the halves show. */
TEST(the_risk_is_what_the_halves_say_of_all_examples) {
  scant_choice c = judged(0.6, 0.5, 0.5, 0.4, 0.08);
  CHECK_NEAR(c.risk, (1 - 2 * 0.5 + 0.4 - 0.02) * 0.6 / 0.5, 1e-12);
  CHECK_NEAR(c.risk_error, sqrt(0.02 * 0.02 + 0.02 * 0.02 + 0.08 * 0.08 * c.risk * c.risk), 1e-12);
  CHECK(c.scale == 1);
  c = judged(0.5, 0.5, 0.5, 0.4, 0.2); /* halves that disagree vary more than all examples will */
  CHECK_NEAR(c.risk, 0.4 - 0.05, 1e-12);
  c = judged(0.4, 0.02, 0.4, 0.5, 0.8); /* hardly more examples than attributes: own is 20 times what was expected */
  CHECK_NEAR(c.risk, 1 - 2 * 0.4 + 0.5, 1e-12);
  CHECK(c.scale == 1);
  c = judged(0.4, 0.02, 0.9, 0.95, 0);
  CHECK_NEAR(c.risk, 0.4, 1e-12);
}

/* The lowest point of the parabola, or the mean. */
TEST(weights_that_are_no_better_than_the_mean_are_shrunk) {
  scant_choice c = judged(0.98, 0.98, 0.3, 0.8, 0.4); /* 1 - .6 + .8 - .1 is above 1 */
  CHECK_NEAR(c.scale, 0.3 / 0.7, 1e-12);
  CHECK_NEAR(c.risk, 1 - 0.3 * 0.3 / 0.7, 1e-12);
  c = judged(0.98, 0.98, -0.1, 0.2, 0);
  CHECK(c.scale == 0 && c.risk == 1);
  c = judged(1.2, 0.9, 0.5, 0.5, 0); /* the mean predicts better from what was seen */
  CHECK(c.scale == 0 && c.risk == 1);
  c = judged(0.99, 0.8, 0.05, 0.3, 0); /* even its lowest point is above the mean */
  CHECK(c.scale == 0 && c.risk == 1);
}

/* Of examples that are seen whole the risk is that of all attributes, and the choice knows it. */
TEST(the_risk_of_whole_examples_is_near_the_error) {
  int covered = 0, runs = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    double s[N * N], w[N], scratch[N * N], product, square, likelihood;
    uint64_t draw = seed;
    random_covariance(N, 3, seed % 2 ? 0.02 : 0.5, &draw, s);
    scant_answers looks = {.dimension = N - 1};
    add_examples(&looks, N, s, 400, 1.1, 1, &draw);
    scant_frame frame = frame_of(&looks, 0);
    scant_normal normal = {0}, truth = normal_from(N, NULL, s);
    scant_em_options o = {.steps = 60, .settled = 1e-3, .threads = 1};
    scant_choice choice;
    scant_seen seen = {0};
    CHECK(scant_normal_new(&normal, N) && scant_seen_new(&seen, &looks, &frame, 0, 0));
    CHECK(scant_choose(&looks, &frame, &o, &choice, &normal, NULL, NULL, &error) == SCANT_OK);
    o.noise = choice.noise;
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, NULL, NULL, &error) == SCANT_OK);
    CHECK(scant_regress(&normal, frame.factor, NULL, choice.penalty, w, scratch));
    for (size_t j = 0; j + 1 < N; j++) w[j] *= frame.unit[N - 1] / frame.unit[j]; /* original units */
    scant_regress_terms(&truth, w, &product, &square);
    double risk = choice.risk * normal.covariance[N * N - 1] * frame.unit[N - 1] * frame.unit[N - 1];
    double risk_error = choice.risk_error * risk / choice.risk, really = s[N * N - 1] - 2 * product + square;
    covered += fabs(risk - really) <= 2 * risk_error;
    runs++;
    CHECK(choice.scale == 1 && risk > 0.6 * really && risk < 1.6 * really);
    scant_normal_free(&normal);
    scant_normal_free(&truth);
    scant_seen_free(&seen);
    scant_frame_free(&frame);
    scant_answers_free(&looks);
  }
  printf("# %d of %d are within two errors\n", covered, runs);
  CHECK(covered >= runs - 2);
}

int main(void) {
  RUN(the_choice_is_the_best_of_those_tried);
  RUN(threads_do_not_change_a_bit);
  RUN(the_risk_is_what_the_halves_say_of_all_examples);
  RUN(weights_that_are_no_better_than_the_mean_are_shrunk);
  RUN(the_risk_of_whole_examples_is_near_the_error);
  return check_done();
}
