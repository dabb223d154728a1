/* Answers that come late: every outcome of asking enumerated, for a learner that has learned from others between ask
 * and tell.  Where any attribute may be drawn, the gradient is unbiased for the w, means and target's mean of telling;
 * the papers' algorithms keep those of asking. */
#include "between.h"

/* The third value is missing: it counts as the mean of telling. */
static const double HOLE[D] = {0.5, -0.3, NAN, 0.2, -0.7};

/* What the example shows, and what is bought together: a1 and a2 are a group, and a3 costs nothing. */
typedef struct {
  const double *x;
  int groups;
} kind;
static scant_prices *shop; /* of those in groups */
static const kind plain = {X, 0}, with_hole = {HOLE, 0}, in_groups = {X, 1}, in_groups_with_hole = {HOLE, 1};

static void open_problem(problem *p, const char *algorithm, const char *settings, const kind *of) {
  static const double explore[D] = {1, 0.4, 1, 2, 0.7}, follow[D] = {0.1, 3, 0.2, 0, 1};
  scant_error error;
  char all[100];
  snprintf(all, sizeof all, "%s max-open=2", settings);
  problem_open(p, algorithm, all, D, START, X, Y);
  if (of->groups && !CHECK(scant_learner_price(p->learner, shop, &error) == SCANT_OK)) printf("# %s\n", error.text);
  problem_set_law(p->learner, explore, follow);
}

/* The gradient of a look that was asked for before the learner moved on, in expectation over its draws. */
static void check_late(const char *algorithm, const char *settings, const kind *of) {
  enumeration e = {.script = {enumerate_choose}};
  double found[D] = {0}, total = 0, wanted[D] = {0}, before[D] = {0}, apart = 0;
  do {
    problem p;
    scant_error error;
    double values[D];
    enumerate_begin_run(&e);
    open_problem(&p, algorithm, settings, of);
    find_gradient(p.learner, of->x, D, before);
    ask_enumerated(&p, &e);
    learn_others(p.learner);
    find_gradient(p.learner, of->x, D, wanted);
    for (uint32_t i = 0; i < p.look->count; i++) values[i] = of->x[p.look->attributes[i]];
    CHECK(scant_learner_tell(p.learner, p.look, p.look->count, NULL, values, Y, &error) == SCANT_OK);
    add_gradient(&e, p.learner, p.look, found, &total);
    problem_close(&p);
  } while (enumerate_next(&e));
  CHECK_NEAR(total, 1, TIGHT);
  for (int i = 0; i < D; i++) {
    CHECK_NEAR(found[i], wanted[i], TIGHT);
    apart += fabs(wanted[i] - before[i]);
  }
  CHECK(apart > 0.1); /* that of asking is another one */
}

TEST(what_is_told_late_is_an_unbiased_gradient_of_the_present_weights) {
  check_late("auto", "k=2", &plain);
  check_late("auto", "k=3 clip=2", &plain);
  check_late("auto", "k=2 intercept=no", &plain);
  check_late("ridge", "k=2 radius=2 eta=0.3", &plain);
  check_late("ridge", "k=3 radius=2 eta=0.3 intercept=no", &plain);
  check_late("lasso", "k=2 radius=2 eta=0.3", &plain);
}

TEST(so_it_is_where_values_are_missing) {
  check_late("auto", "k=2 missing=skip-cell", &with_hole);
  check_late("auto", "k=3 clip=2 missing=skip-cell", &with_hole);
  check_late("ridge", "k=2 radius=2 eta=0.3 missing=skip-cell", &with_hole);
  check_late("lasso", "k=3 radius=2 eta=0.3 intercept=no missing=skip-cell", &with_hole);
}

TEST(so_it_is_with_groups_and_what_is_always_known) {
  check_late("auto", "k=2", &in_groups);
  check_late("auto", "k=2 clip=2 missing=skip-cell", &in_groups_with_hole);
  check_late("auto", "k=3 spend=5.5", &in_groups);
  check_late("ridge", "k=2 radius=2 eta=0.3", &in_groups);
  check_late("lasso", "k=2 radius=2 eta=0.3 missing=skip-cell", &in_groups_with_hole);
}

/* The same draws, told late, and asked for just now by another learner that knows the same: the same to the bit. */
static void check_same(const char *algorithm, const char *settings, const kind *of) {
  problem late, now;
  scant_look *look;
  scant_error error;
  double values[D], w[2][D], b[2];
  open_problem(&late, algorithm, settings, of);
  open_problem(&now, algorithm, settings, of);
  CHECK(scant_learner_ask(late.learner, late.look, &error) == SCANT_OK);
  CHECK(scant_learner_ask(now.learner, now.look, &error) == SCANT_OK);
  CHECK(scant_learner_cancel(now.learner, now.look, &error) == SCANT_OK);
  learn_others(late.learner);
  learn_others(now.learner);
  CHECK(scant_look_new(&look, now.learner, &error) == SCANT_OK);
  CHECK(scant_learner_share(now.learner, late.look, look, &error) == SCANT_OK);
  for (uint32_t i = 0; i < look->count; i++) values[i] = of->x[look->attributes[i]];
  double risks[2];
  CHECK(scant_learner_judge(late.learner, late.look, values, Y, &risks[0], &error) == SCANT_OK);
  CHECK(scant_learner_judge(now.learner, look, values, Y, &risks[1], &error) == SCANT_OK);
  CHECK(risks[0] == risks[1]);
  CHECK(scant_learner_tell(late.learner, late.look, look->count, NULL, values, Y, &error) == SCANT_OK);
  CHECK(scant_learner_tell(now.learner, look, look->count, NULL, values, Y, &error) == SCANT_OK);
  scant_learner_weights(late.learner, w[0], &b[0]);
  scant_learner_weights(now.learner, w[1], &b[1]);
  CHECK(!memcmp(w[0], w[1], sizeof w[0]) && b[0] == b[1]);
  for (size_t i = 0; i < D + (size_t)late.learner->own_intercept; i++)
    CHECK(scant_iterate_weight(&late.learner->w, i) == scant_iterate_weight(&now.learner->w, i));
  CHECK(!memcmp(&late.learner->parabola, &now.learner->parabola, sizeof late.learner->parabola));
  scant_look_free(look);
  problem_close(&late);
  problem_close(&now);
}

TEST(what_is_told_late_teaches_as_if_it_were_asked_for_now) {
  check_same("auto", "k=2", &plain);
  check_same("auto", "k=3 clip=2 missing=skip-cell", &plain);
  check_same("ridge", "k=2", &plain);
  check_same("lasso", "k=3", &plain);
  check_same("svr", "k=3", &plain);
  check_same("svr", "k=4 tube=0.1 intercept=no", &plain);
  check_same("svr", "k=3 loss=huber tube=20", &plain); /* its own intercept counts */
  check_same("svr", "k=3 tube=0.1 missing=skip-cell", &with_hole);
  check_same("auto", "k=2 clip=2 missing=skip-cell", &in_groups_with_hole);
  check_same("lasso", "k=2", &in_groups);
}

/* [HK12] and its kin draw by w itself: what has no weight can't be drawn, so the weights of asking stay. */
TEST(the_papers_algorithms_keep_the_weights_of_asking) {
  static const char *const algorithms[] = {"aerr", "aelr"};
  for (int a = 0; a < 2; a++) {
    enumeration e = {.script = {enumerate_choose}};
    double found[D] = {0}, total = 0, asked = 0, moved = 0;
    do {
      problem p;
      scant_error error;
      double values[D];
      enumerate_begin_run(&e);
      problem_open(&p, algorithms[a], "k=3 radius=3 eta=0.2", D, START, X, Y);
      asked = dot(p.w, X, D) - Y;
      p.learner->looks.rng.script = p.learner->looks.rng_by_w.script = &e.script;
      CHECK(scant_learner_ask(p.learner, p.look, &error) == SCANT_OK);
      for (size_t i = 0; i < D; i++) p.w[i] = 0.2 * (double)i - 0.3;
      problem_set_weights(&p, p.w);
      moved = dot(p.w, X, D) - Y;
      for (uint32_t i = 0; i < p.look->count; i++) values[i] = X[p.look->attributes[i]];
      CHECK(scant_learner_tell(p.learner, p.look, p.look->count, NULL, values, Y, &error) == SCANT_OK);
      add_gradient(&e, p.learner, p.look, found, &total);
      problem_close(&p);
    } while (enumerate_next(&e));
    CHECK_NEAR(total, 1, TIGHT);
    CHECK(fabs(asked - moved) > 0.01);
    for (int i = 0; i < D; i++) CHECK_NEAR(found[i], asked * X[i], TIGHT);
  }
}

int main(void) {
  static const uint64_t costs[D] = {100, 200, 200, 0, 150};
  static const uint32_t groups[D] = {0, 1, 1, 0, 0};
  CHECK(scant_prices_new(&shop, D, costs, groups, NULL) == SCANT_OK);
  RUN(what_is_told_late_is_an_unbiased_gradient_of_the_present_weights);
  RUN(so_it_is_where_values_are_missing);
  RUN(so_it_is_with_groups_and_what_is_always_known);
  RUN(what_is_told_late_teaches_as_if_it_were_asked_for_now);
  RUN(the_papers_algorithms_keep_the_weights_of_asking);
  scant_prices_free(shop);
  return check_done();
}
