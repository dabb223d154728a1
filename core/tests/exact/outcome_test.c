/* The risk of the average from the looks: every path of a learner through a few examples enumerated, draws and
 * examples.  The means of the parabola then have exactly the expectation of what they estimate, for the average that
 * comes out. */
#include "problem.h"

#define TIGHT 1e-12

enum { D = 3, POPULATION = 2 };

static const double START[D] = {0.5, -0.25, 0.4}; /* v_1 is not 0, so that the first share counts */
static const double X[POPULATION][D] = {{0.5, -0.3, 0.9}, {1, 0.4, -1}};
static const double Y[POPULATION] = {0.4, -1.1};

/* Expectations of the parabola's means, and of what they are of the average. */
typedef struct expected {
  double total, found[3], real[3], differs;
} expected;

/* The three numbers of a regressor on examples `first` .. `end` - 1 of the population, all of one probability. */
static void measure(const double *w, size_t first, size_t end, double real[3]) {
  real[0] = real[1] = real[2] = 0;
  for (size_t n = first; n < end; n++) {
    double share = 1.0 / (double)(end - first), p = dot(w, X[n], D);
    real[0] += share * Y[n] * Y[n];
    real[1] += share * Y[n] * p;
    real[2] += share * p * p;
  }
}

/* One path: `steps` examples, each drawn from the population, each look as the script says. */
static void walk(const char *algorithm, const char *settings, enumeration *e, size_t first, size_t end, int steps,
                 expected *sums) {
  problem p;
  scant_error error;
  scant_rng choose = {0};
  problem_open(&p, algorithm, settings, D, START, X[0], 0);
  p.learner->looks.rng.script = p.learner->looks.rng_by_w.script = choose.script = &e->script;
  for (int t = 0; t < steps; t++) {
    double values[D];
    size_t n = first + (end > first + 1 ? scant_rng_below(&choose, (uint32_t)(end - first)) : 0);
    CHECK(scant_learner_ask(p.learner, p.look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < p.look->count; i++) values[i] = X[n][p.look->attributes[i]];
    CHECK(scant_learner_tell(p.learner, p.look, p.look->count, NULL, values, Y[n], &error) == SCANT_OK);
  }
  double w[D], real[3];
  const scant_parabola_terms *mean = &p.learner->parabola.mean;
  const double found[3] = {mean->target, mean->product, mean->square};
  for (size_t i = 0; i < D; i++) w[i] = scant_learner_result(p.learner, i);
  measure(w, first, end, real);
  sums->total += e->probability;
  for (int i = 0; i < 3; i++) {
    sums->found[i] += e->probability * found[i];
    sums->real[i] += e->probability * real[i];
    sums->differs += e->probability * fabs(found[i] - real[i]);
  }
  CHECK(p.learner->parabola.count == (double)steps);
  problem_close(&p);
}

static void check_paths(const char *algorithm, const char *settings, size_t first, size_t end, int steps) {
  enumeration e = {.script = {enumerate_choose}};
  expected sums = {0};
  do {
    enumerate_begin_run(&e);
    walk(algorithm, settings, &e, first, end, steps, &sums);
  } while (enumerate_next(&e));
  printf("# %s %s, %d examples: V %.6f B %.6f Q %.6f, mean error %.3f\n", algorithm, settings, steps, sums.found[0],
         sums.found[1], sums.found[2], sums.differs);
  CHECK_NEAR(sums.total, 1, TIGHT);
  for (int i = 0; i < 3; i++) CHECK_NEAR(sums.found[i], sums.real[i], TIGHT);
  CHECK(sums.differs > 0.01); /* a single path is off: it is the expectation that is right */
}

TEST(over_looks_and_examples_the_risk_of_the_average_is_unbiased) {
  check_paths("ridge", "k=2 intercept=no radius=2 eta=0.3", 0, POPULATION, 2);
  check_paths("ridge", "k=2 intercept=no radius=2 eta=0.3 average=all", 0, POPULATION, 2);
  check_paths("ridge", "k=2 intercept=no radius=0.6 eta=1", 0, POPULATION, 2); /* projected into the ball */
}

TEST(over_looks_at_one_example_it_is_unbiased_after_three) {
  check_paths("ridge", "k=2 intercept=no radius=2 eta=0.3", 1, 2, 3);
}

/* Two looks that were asked for before anything was told, then told: the weights that judge are those of telling. */
TEST(told_late_it_is_unbiased_too) {
  enumeration e = {.script = {enumerate_choose}};
  expected sums = {0};
  do {
    problem p;
    scant_look *looks[2];
    scant_error error;
    scant_rng choose = {0};
    enumerate_begin_run(&e);
    problem_open(&p, "ridge", "k=2 intercept=no radius=2 eta=0.3 max-open=2", D, START, X[0], 0);
    p.learner->looks.rng.script = p.learner->looks.rng_by_w.script = choose.script = &e.script;
    looks[0] = p.look;
    CHECK(scant_look_new(&looks[1], p.learner, &error) == SCANT_OK);
    for (int t = 0; t < 2; t++) CHECK(scant_learner_ask(p.learner, looks[t], &error) == SCANT_OK);
    for (int t = 0; t < 2; t++) {
      double values[D];
      size_t n = scant_rng_below(&choose, POPULATION);
      for (uint32_t i = 0; i < looks[t]->count; i++) values[i] = X[n][looks[t]->attributes[i]];
      CHECK(scant_learner_tell(p.learner, looks[t], looks[t]->count, NULL, values, Y[n], &error) == SCANT_OK);
    }
    double w[D], real[3];
    const scant_parabola_terms *mean = &p.learner->parabola.mean;
    for (size_t i = 0; i < D; i++) w[i] = scant_learner_result(p.learner, i);
    measure(w, 0, POPULATION, real);
    const double found[3] = {mean->target, mean->product, mean->square};
    sums.total += e.probability;
    for (int i = 0; i < 3; i++) {
      sums.found[i] += e.probability * found[i];
      sums.real[i] += e.probability * real[i];
    }
    scant_look_free(looks[1]);
    problem_close(&p);
  } while (enumerate_next(&e));
  CHECK_NEAR(sums.total, 1, TIGHT);
  for (int i = 0; i < 3; i++) CHECK_NEAR(sums.found[i], sums.real[i], TIGHT);
}

int main(void) {
  RUN(over_looks_and_examples_the_risk_of_the_average_is_unbiased);
  RUN(over_looks_at_one_example_it_is_unbiased_after_three);
  RUN(told_late_it_is_unbiased_too);
  return check_done();
}
