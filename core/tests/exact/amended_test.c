/* Studies that are amended: every outcome of asking enumerated, for looks that could not have an attribute.
 *
 * Such a look is an unbiased gradient of the regressor whose weight of that attribute is 0.  So it is exact while that
 * weight is 0, as it is of an attribute that is retired, or new and not looked at yet; else what is missing in
 * component i is exactly w_j z_j z_i, as if the attribute were at its mean. */
#include "between.h"

enum { OUT = 2 };

/* A learner of the first d attributes that has seen others, without OUT if that is barred, and has these weights. */
static void open_problem(problem *p, const char *algorithm, const char *settings, size_t d, const double *w,
                         int barred) {
  unsigned char marks[D] = {0};
  scant_error error;
  char all[100];
  snprintf(all, sizeof all, "%s max-open=4", settings);
  problem_open(p, algorithm, all, d, START, X, Y);
  marks[OUT] = 1;
  if (barred) CHECK(scant_learner_bar(p->learner, marks, &error) == SCANT_OK);
  learn_others(p->learner);
  problem_set_weights(p, w);
}

static void check_expected(const double found[D], const double wanted[D], double total, size_t without) {
  CHECK_NEAR(total, 1, TIGHT);
  for (size_t i = 0; i < D; i++) CHECK_NEAR(found[i], i == without ? 0 : wanted[i], TIGHT);
}

/* ---- what is retired ------------------------------------------------------------------ */

/* w of OUT is not 0: the gradient is that of the others alone. */
static void check_barred(const char *algorithm, const char *settings) {
  enumeration e = {.script = {enumerate_choose}};
  double found[D] = {0}, wanted[D] = {0}, total = 0;
  do {
    problem p;
    scant_error error;
    double values[D];
    enumerate_begin_run(&e);
    open_problem(&p, algorithm, settings, D, START, 1);
    find_gradient(p.learner, X, OUT, wanted);
    ask_enumerated(&p, &e);
    for (uint32_t i = 0; i < p.look->count; i++) CHECK(p.look->attributes[i] != OUT);
    for (uint32_t i = 0; i < p.look->count; i++) values[i] = X[p.look->attributes[i]];
    CHECK(scant_learner_tell(p.learner, p.look, p.look->count, NULL, values, Y, &error) == SCANT_OK);
    add_gradient(&e, p.learner, p.look, found, &total);
    problem_close(&p);
  } while (enumerate_next(&e));
  check_expected(found, wanted, total, OUT);
}

TEST(what_is_retired_is_never_drawn_and_the_rest_is_unbiased) {
  check_barred("auto", "k=2");
  check_barred("auto", "k=3 clip=2");
  check_barred("auto", "k=4"); /* all that is left */
  check_barred("ridge", "k=2 radius=2 eta=0.3");
  check_barred("ridge", "k=3 radius=2 eta=0.3 intercept=no");
  check_barred("lasso", "k=2 radius=2 eta=0.3");
}

/* ---- what could be drawn then, and is retired now ---------------------------------------- */

/* Looks of before have OUT, but nothing may be learned of it: its place is left out, whatever `missing` says. */
static void check_left_out(const char *algorithm, const char *settings) {
  enumeration e = {.script = {enumerate_choose}};
  double found[D] = {0}, wanted[D] = {0}, total = 0;
  do {
    problem p;
    scant_error error;
    double values[D];
    unsigned char left_out[D];
    enumerate_begin_run(&e);
    open_problem(&p, algorithm, settings, D, START, 0);
    find_gradient(p.learner, X, OUT, wanted);
    ask_enumerated(&p, &e);
    uint64_t before = p.learner->moments[OUT].count, told = p.learner->told;
    for (uint32_t i = 0; i < p.look->count; i++) {
      left_out[i] = p.look->attributes[i] == OUT;
      values[i] = left_out[i] ? NAN : X[p.look->attributes[i]];
    }
    CHECK(scant_learner_tell_given(p.learner, p.look, left_out, values, Y, &error) == SCANT_OK);
    CHECK(p.learner->moments[OUT].count == before && p.learner->told == told + 1);
    add_gradient(&e, p.learner, p.look, found, &total);
    problem_close(&p);
  } while (enumerate_next(&e));
  check_expected(found, wanted, total, OUT);
}

TEST(looks_of_before_teach_the_others_without_bias) {
  check_left_out("auto", "k=2 missing=skip-cell");
  check_left_out("auto", "k=3 clip=2 missing=skip-example");
  check_left_out("auto", "k=2 missing=error");
  check_left_out("ridge", "k=2 radius=2 eta=0.3 missing=error");
  check_left_out("lasso", "k=3 radius=2 eta=0.3 missing=skip-example");
}

/* ---- what is new ------------------------------------------------------------------------- */

/* Looks of a learner of fewer attributes, with another K, told to one that has one more, with this weight. */
static void check_new(const char *algorithm, const char *before, const char *now, double weight) {
  enumeration e = {.script = {enumerate_choose}};
  double found[D] = {0}, wanted[D] = {0}, whole[D] = {0}, total = 0, w[D];
  memcpy(w, START, sizeof w);
  w[D - 1] = weight;
  do {
    problem old, p;
    scant_error error;
    double values[D];
    enumerate_begin_run(&e);
    open_problem(&old, algorithm, before, D - 1, w, 0);
    open_problem(&p, algorithm, now, D, w, 0);
    find_gradient(p.learner, X, D - 1, wanted);
    find_gradient(p.learner, X, D, whole);
    ask_enumerated(&old, &e);
    CHECK(scant_learner_ask(p.learner, p.look, &error) == SCANT_OK); /* as a study follows its ledger */
    old.look->learner = p.learner->tag;
    old.look->serial = p.look->serial;
    for (uint32_t i = 0; i < old.look->count; i++) /* the same shapes are other weights there */
      old.look->weight[i] = scant_iterate_weight(&p.learner->w, old.look->attributes[i]);
    for (uint32_t i = 0; i < old.look->count; i++) values[i] = X[old.look->attributes[i]];
    CHECK(scant_learner_tell_given(p.learner, old.look, NULL, values, Y, &error) == SCANT_OK);
    add_gradient(&e, p.learner, old.look, found, &total);
    problem_close(&old);
    problem_close(&p);
  } while (enumerate_next(&e));
  check_expected(found, wanted, total, D - 1);
  double apart = 0;
  for (size_t i = 0; i + 1 < D; i++) apart += fabs(wanted[i] - whole[i]);
  CHECK(weight == 0 ? apart == 0 : apart > 1e-3);
}

TEST(older_looks_are_exact_until_a_new_attribute_has_a_weight) {
  check_new("auto", "k=2", "k=3", 0);
  check_new("auto", "k=3 clip=2", "k=2 clip=2", 0);
  check_new("ridge", "k=2 radius=2 eta=0.3", "k=4 radius=2 eta=0.3", 0);
  check_new("lasso", "k=3 radius=2 eta=0.3", "k=3 radius=2 eta=0.3", 0);
}

TEST(with_a_weight_it_counts_as_at_its_mean) {
  check_new("auto", "k=2", "k=3", -0.3);
  check_new("ridge", "k=2 radius=2 eta=0.3", "k=4 radius=2 eta=0.3", -0.3);
}

int main(void) {
  RUN(what_is_retired_is_never_drawn_and_the_rest_is_unbiased);
  RUN(looks_of_before_teach_the_others_without_bias);
  RUN(older_looks_are_exact_until_a_new_attribute_has_a_weight);
  RUN(with_a_weight_it_counts_as_at_its_mean);
  return check_done();
}
