/* The steps of EM: that no round of them falls, how fast they learn, and where they end. */
#include "direct.h"

static scant_error error;

/* ---- many steps --------------------------------------------------------------------- */

enum { STEPS_MOST = 300 };

TEST(no_round_lowers_the_objective) {
  enum { N = 8 };
  static const double weights[] = {0, 0.05, 15};
  for (uint64_t seed = 1; seed <= 6; seed++)
    for (int prior = 0; prior < 3; prior++) {
      uint64_t draw = seed;
      static double trace[STEPS_MOST];
      double s[N * N], likelihood = NAN;
      unsigned taken;
      random_covariance(N, seed % 2 ? N : 2, seed % 2 ? 0.3 : 0.02, &draw, s);
      /* without a prior, only many looks keep it away from being singular, where rounding decides */
      scant_seen seen = seen_from(N, s, prior ? 60 : 400, 0.5, 1, seed);
      scant_normal normal = unit_normal(N);
      scant_em_options o = {.steps = STEPS_MOST, .threads = 1, .noise = weights[prior]};
      for (size_t i = 0; i < STEPS_MOST; i++) trace[i] = NAN;
      CHECK(scant_em_run(&seen, &o, &normal, &likelihood, trace, &taken, &error) == SCANT_OK && taken == STEPS_MOST);
      for (size_t i = 1; i < STEPS_MOST / 3; i++) CHECK_AT_MOST(trace[i - 1], trace[i] + 1e-9 * fabs(trace[i]));
      CHECK(trace[STEPS_MOST / 3 - 1] > trace[0] + 0.01 && isnan(trace[STEPS_MOST / 3]));
      scant_normal_free(&normal);
      scant_seen_free(&seen);
    }
}

TEST(the_objective_is_the_likelihood_and_the_prior) {
  enum { N = 6, M = 25 };
  uint64_t draw = 21;
  double s[N * N], likelihood, trace;
  random_covariance(N, N, 0.3, &draw, s);
  scant_seen seen = seen_from(N, s, M, 0.5, 1, 2);
  for (unsigned steps = 1; steps <= 3; steps += 2) { /* a plain step, and a round */
    scant_normal normal = normal_from(N, NULL, s);
    scant_em_options o = {.steps = steps, .threads = 1, .noise = 15};
    real inverse[N * N], prior = invert_directly(N, s, inverse);
    for (size_t i = 0; i < N; i++) prior += inverse[i * N + i];
    double wanted = likelihood_directly(&seen, &normal) - 0.5 * 15 * (double)prior / M;
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, &trace, NULL, &error) == SCANT_OK);
    CHECK_NEAR(trace, wanted, 1e-10);
    scant_normal_free(&normal);
  }
  scant_seen_free(&seen);
}

/* What is left of whole rounds are plain steps, and the likelihood is that before the last one. */
TEST(steps_are_counted_and_the_likelihood_is_the_last) {
  enum { N = 6 };
  uint64_t draw = 22;
  double s[N * N];
  random_covariance(N, 2, 0.3, &draw, s);
  scant_seen seen = seen_from(N, s, 50, 0.5, 1, 3);
  for (unsigned steps = 0; steps <= 8; steps++) {
    scant_normal normal = unit_normal(N), again = unit_normal(N);
    double trace[9], likelihood, last = NAN;
    unsigned taken = 77;
    for (size_t i = 0; i < 9; i++) trace[i] = NAN;
    scant_em_options o = {.steps = steps, .threads = 1, .noise = 1};
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, trace, &taken, &error) == SCANT_OK && taken == steps);
    for (size_t i = 0; i < 9; i++) CHECK(isfinite(trace[i]) == (i < steps / 3 + steps % 3));
    for (unsigned i = 0; i < steps / 3; i++) run_em(&seen, (scant_em_options){.steps = 3, .noise = 1}, &again);
    for (unsigned i = 0; i < steps % 3; i++) {
      last = likelihood_directly(&seen, &again);
      run_em(&seen, (scant_em_options){.steps = 1, .noise = 1}, &again);
    }
    check_same_bits(&normal, &again);
    if (steps % 3) CHECK_NEAR(likelihood, last, 1e-10);
    scant_normal_free(&normal);
    scant_normal_free(&again);
  }
  scant_seen_free(&seen);
}

/* Three variables: means, and a factor with the logarithms of its diagonal. */
enum { PARAMETERS = 9 };

static void unpack(const double *p, scant_normal *normal) {
  double l[3][3] = {{exp(p[3]), 0, 0}, {p[4], exp(p[5]), 0}, {p[6], p[7], exp(p[8])}};
  for (int i = 0; i < 3; i++) {
    normal->mean[i] = p[i];
    for (int j = 0; j < 3; j++) {
      normal->covariance[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) normal->covariance[3 * i + j] += l[i][k] * l[j][k];
    }
  }
}

/* The simplex of Nelder and Mead, started anew from its best. */
static double climb(const scant_seen *seen, scant_normal *normal) {
  double best[PARAMETERS] = {0}, top = -INFINITY;
  for (int start = 0; start < 25; start++) {
    double at[PARAMETERS + 1][PARAMETERS], f[PARAMETERS + 1];
    double size = start < 3 ? 0.5 : start < 12 ? 0.05 : 0.002;
    for (int i = 0; i <= PARAMETERS; i++) {
      memcpy(at[i], best, sizeof best);
      if (i) at[i][i - 1] += start % 2 ? -size : size;
      unpack(at[i], normal);
      f[i] = likelihood_directly(seen, normal);
    }
    for (int step = 0; step < 600; step++) {
      int low = 0, high = 0, second = -1;
      for (int i = 1; i <= PARAMETERS; i++) {
        if (f[i] > f[high]) high = i;
        if (f[i] < f[low]) low = i;
      }
      for (int i = 0; i <= PARAMETERS; i++)
        if (i != low && (second < 0 || f[i] < f[second])) second = i;
      if (f[high] - f[low] < 1e-13) break;
      double center[PARAMETERS] = {0}, tried[2][PARAMETERS], value[2];
      for (int i = 0; i <= PARAMETERS; i++)
        for (int j = 0; j < PARAMETERS && i != low; j++) center[j] += at[i][j] / PARAMETERS;
      double factor = 1;
      for (int t = 0; t < 2; t++) {
        for (int j = 0; j < PARAMETERS; j++) tried[t][j] = center[j] + factor * (center[j] - at[low][j]);
        unpack(tried[t], normal);
        value[t] = likelihood_directly(seen, normal);
        factor = value[0] > f[high] ? 1 + 2.0 / PARAMETERS : value[0] > f[low] ? 0.72 : -0.72;
        if (!t && value[0] <= f[high] && value[0] > f[second]) {
          value[1] = -INFINITY;
          break;
        }
      }
      int t = value[1] > value[0];
      if (value[t] > f[low]) {
        f[low] = value[t];
        memcpy(at[low], tried[t], sizeof best);
        continue;
      }
      for (int i = 0; i <= PARAMETERS; i++) {
        if (i == high) continue;
        for (int j = 0; j < PARAMETERS; j++) at[i][j] = at[high][j] + 0.9 * (at[i][j] - at[high][j]);
        unpack(at[i], normal);
        f[i] = likelihood_directly(seen, normal);
      }
    }
    for (int i = 0; i <= PARAMETERS; i++)
      if (f[i] > top) {
        top = f[i];
        memcpy(best, at[i], sizeof best);
      }
  }
  unpack(best, normal);
  return top;
}

TEST(it_ends_where_a_search_for_the_largest_likelihood_does) {
  enum { N = 3 };
  for (uint64_t seed = 1; seed <= 2; seed++) {
    uint64_t draw = seed;
    double s[N * N];
    random_covariance(N, 2, 0.6, &draw, s);
    scant_seen seen = seen_from(N, s, 40, 0.5, 1, seed);
    scant_normal found = normal_from(N, NULL, s), normal = unit_normal(N);
    double top = climb(&seen, &found);
    CHECK_NEAR(run_em(&seen, (scant_em_options){.steps = 3000}, &normal), top, 1e-8);
    for (size_t i = 0; i < N; i++) CHECK_NEAR(normal.mean[i], found.mean[i], 1e-4);
    for (size_t i = 0; i < N * N; i++) CHECK_NEAR(normal.covariance[i], found.covariance[i], 1e-4);
    scant_normal_free(&normal);
    scant_normal_free(&found);
    scant_seen_free(&seen);
  }
}

/* Variables of variance 1.  The first is the sum of the next three and of a little that is nearly the target, so
 * that no three of the four say much of it. */
static void identity_covariance(size_t n, double little, double *s) {
  size_t y = n - 1;
  double load[DIRECT_MOST][4] = {{0}}; /* on the three and the target */
  for (size_t k = 0; k < 3; k++) load[k + 1][k] = 1;
  double root = sqrt(3 + little * little);
  for (size_t k = 0; k < 3; k++) load[0][k] = 1 / root;
  load[0][3] = little / root;
  load[y][3] = 1;
  for (size_t i = 4; i < y; i++) load[i][i % 3] = 0.7, load[i][(i + 1) % 3] = 0.3;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      s[i * n + j] = 0;
      for (size_t k = 0; k < 4; k++) s[i * n + j] += load[i][k] * load[j][k];
    }
  for (size_t i = 0; i < n; i++) s[i * n + i] = i == y ? 1.01 : 1 + (i < 4 ? 1e-6 : 0);
}

TEST(rounds_learn_in_few_steps_what_plain_steps_do_not_in_five_times_as_many) {
  enum { N = 12, STEPS = 60 };
  double s[N * N];
  identity_covariance(N, 0.3, s);
  scant_seen seen = seen_from(N, s, 800, 0.22, 1, 31);
  scant_normal fast = unit_normal(N), slow = unit_normal(N);
  scant_em_options o = {.steps = STEPS, .noise = 0.05};
  run_em(&seen, o, &fast);
  o.steps = 1;
  for (int i = 0; i < 5 * STEPS; i++) run_em(&seen, o, &slow);
  double shares[2] = {explained_directly(&fast), explained_directly(&slow)};
  printf("# explained in rounds %g, by plain steps %g\n", shares[0], shares[1]);
  CHECK(objective_directly(&seen, &fast, o.noise) > objective_directly(&seen, &slow, o.noise));
  CHECK(shares[0] > shares[1] + 0.03);
  scant_normal_free(&fast);
  scant_normal_free(&slow);
  scant_seen_free(&seen);
}

/* ---- when it ends ------------------------------------------------------------------------ */

/* What a run looks at: a regressor with a penalty of 0.001. */
static double share_of(const scant_normal *normal) {
  scant_normal raised = normal_from(normal->n, normal->mean, normal->covariance);
  for (size_t i = 0; i + 1 < normal->n; i++) raised.covariance[i * (normal->n + 1)] *= 1.001;
  double share = explained_directly(&raised);
  scant_normal_free(&raised);
  return share;
}

TEST(it_stops_when_the_explained_share_has_settled) {
  enum { N = 12, ROUNDS = 100 };
  double s[N * N], shares[ROUNDS + 1];
  identity_covariance(N, 0.3, s);
  scant_seen seen = seen_from(N, s, 300, 0.5, 1, 41);
  scant_normal normal = unit_normal(N);
  for (int round = 0; round < ROUNDS; round++) {
    run_em(&seen, (scant_em_options){.steps = 3, .noise = 0.5}, &normal);
    shares[round] = share_of(&normal);
  }
  scant_normal_free(&normal);
  int last = ROUNDS;
  for (double settled = 1e-5; settled < 1e-1; settled *= 10) {
    scant_em_options o = {.steps = 3 * ROUNDS, .threads = 1, .noise = 0.5, .settled = settled};
    double likelihood;
    unsigned taken;
    int wanted = 2;
    while (wanted < ROUNDS && !(fabs(shares[wanted] - shares[wanted - 2]) < settled)) wanted++;
    normal = unit_normal(N);
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, NULL, &taken, &error) == SCANT_OK);
    CHECK(taken == 3 * (unsigned)(wanted + 1) && wanted <= last);
    last = wanted;
    scant_normal_free(&normal);
  }
  CHECK(last >= 2 && last < 20);
  scant_seen_free(&seen);
}

/* With light priors, a run from the unit matrix looks settled while it crawls; one that came by heavier priors
 * has got further. */
TEST(an_approach_goes_by_lighter_and_lighter_priors) {
  enum { N = 16 };
  static const double weights[] = {300, 75, 18.75, 4.6875, 1.171875, 0.29296875};
  double s[N * N];
  identity_covariance(N, 0.3, s);
  scant_seen seen = seen_from(N, s, 600, 0.45, 1, 51);
  for (int light = 0; light < 3; light++) {
    scant_em_options o = {.steps = 150, .threads = 1, .noise = light == 2 ? 200 : light ? 0.1 : 3, .settled = 1e-3};
    scant_normal normal = unit_normal(N), wanted = unit_normal(N);
    normal.mean[2] = normal.covariance[7] = 5; /* what was there before does not matter */
    CHECK(scant_em_approach(&seen, &o, &normal, &error) == SCANT_OK);
    for (int i = 0; i < 6; i++)
      if (weights[i] > 2 * o.noise)
        run_em(&seen, (scant_em_options){.steps = 3, .noise = weights[i], .settled = o.settled}, &wanted);
    check_same_bits(&normal, &wanted);
    scant_normal_free(&normal);
    scant_normal_free(&wanted);
  }
  scant_seen_free(&seen);
}

TEST(a_singular_covariance_is_said) {
  enum { N = 5 };
  double s[N * N], likelihood;
  uint64_t seed = 6;
  random_covariance(N, N, 0.2, &seed, s);
  scant_seen seen = seen_from(N, s, 40, 0.7, 1, 9);
  for (unsigned steps = 1; steps <= 7; steps++) {
    scant_normal at = normal_from(N, NULL, s);
    at.covariance[1] = at.covariance[N] = 3 * sqrt(s[0] * s[N + 1]); /* a correlation of 3 */
    scant_em_options o = {.steps = steps, .threads = 1};
    error.text[0] = 0;
    CHECK(scant_em_run(&seen, &o, &at, &likelihood, NULL, NULL, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "singular");
    scant_normal_free(&at);
  }
  scant_seen_free(&seen);
}

/* Two variables that are one: without a prior the covariance ends as singular, and with one it does not. */
TEST(a_prior_keeps_it_positive_definite) {
  enum { N = 4, M = 30 };
  scant_answers looks = {.dimension = N - 1};
  scant_frame frame = plain_frame(N - 1);
  scant_seen seen = {0};
  uint64_t seed = 3;
  for (size_t e = 0; e < M; e++) {
    double x = random_normal(&seed), values[N - 1] = {x, x, random_normal(&seed)};
    CHECK(scant_answers_add(&looks, NULL, N - 1, (uint32_t[]){0, 1, 2}, values, x + random_normal(&seed)));
  }
  CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0));
  for (int prior = 0; prior < 2; prior++) {
    scant_normal normal = unit_normal(N);
    scant_em_options o = {.steps = 60, .threads = 1, .noise = prior ? 0.05 : 0};
    double likelihood;
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, NULL, NULL, &error) == (prior ? SCANT_OK : SCANT_DATA));
    scant_normal_free(&normal);
  }
  scant_seen_free(&seen);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
}

TEST(threads_do_not_change_a_bit) {
  enum { N = 20, MANY = 170 };
  static double s[MANY * MANY];
  for (size_t n = N; n <= MANY; n += MANY - N) {
    uint64_t seed = 8;
    random_covariance(n, 5, 0.3, &seed, s);
    scant_seen seen = seen_from(n, s, n == N ? 500 : 60, n == N ? 0.4 : 0.04, 3, 8);
    scant_normal first = unit_normal(n);
    double likelihood = run_em(&seen, (scant_em_options){.steps = 7, .threads = 1, .noise = 5}, &first);
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
      scant_normal normal = unit_normal(n);
      double mine = run_em(&seen, (scant_em_options){.steps = 7, .threads = threads, .noise = 5}, &normal);
      check_same_bits(&first, &normal);
      CHECK(bits_of(mine) == bits_of(likelihood));
      scant_normal_free(&normal);
    }
    scant_normal_free(&first);
    scant_seen_free(&seen);
  }
}

int main(void) {
  RUN(no_round_lowers_the_objective);
  RUN(the_objective_is_the_likelihood_and_the_prior);
  RUN(steps_are_counted_and_the_likelihood_is_the_last);
  RUN(it_ends_where_a_search_for_the_largest_likelihood_does);
  RUN(rounds_learn_in_few_steps_what_plain_steps_do_not_in_five_times_as_many);
  RUN(it_stops_when_the_explained_share_has_settled);
  RUN(an_approach_goes_by_lighter_and_lighter_priors);
  RUN(a_singular_covariance_is_said);
  RUN(a_prior_keeps_it_positive_definite);
  RUN(threads_do_not_change_a_bit);
  return check_done();
}
