/* What a plan makes of a pilot: the strength of its worlds, where a wanted error is reached, and which K is taken. */
#include "plans.h"

/* ---- worlds from a pilot ---------------------------------------------------------------------- */

/* x0 - x5 has variance 2, as the common part cancels. */
TEST(the_strength_is_found) {
  static double x[400 * D], y[400];
  static const double noises[] = {0.5, 1.4142135623730951, 3};
  for (size_t i = 0; i < 3; i++)
    for (int holes = 0; holes < 2; holes++) {
      fill_pilot(x, y, 400, 10 + i, noises[i], holes);
      scant_source *pilot = some_pilot(x, y, 400);
      scant_plan_request r = request_of(NULL, NULL, 0);
      scant_plan *plan = NULL;
      scant_plan_facts f;
      double truth = 2 / (2 + noises[i] * noises[i]);
      r.pilot = pilot;
      CHECK(scant_plan_new(&plan, &r, &error) == SCANT_OK);
      scant_plan_get_facts(plan, &f);
      CHECK_NEAR(f.strength, truth, 5 * f.strength_error);
      CHECK_AT_MOST(f.strength_error, 0.15);
      CHECK_AT_MOST(f.shown, f.strength + 0.02);
      CHECK(f.pilot_examples == 400 && f.unknown == 0 && f.least_sd > 0);
      CHECK_NEAR(f.least, f.variance * (1 - f.strength), 0.5 * f.variance * f.strength_error);
      scant_plan_free(plan);
      scant_source_free(pilot);
    }
}

/* Halves of small pilots show less than there is; on average, the strength is nearer. */
TEST(small_pilots_are_not_taken_at_their_word) {
  enum { PILOTS = 10, FEW = 40 };
  static double x[FEW * D], y[FEW];
  double shown = 0, strength = 0;
  for (uint64_t seed = 0; seed < PILOTS; seed++) {
    fill_pilot(x, y, FEW, 100 + seed, 1.4142135623730951, 0);
    scant_source *pilot = some_pilot(x, y, FEW);
    scant_plan_request r = request_of(NULL, NULL, 0);
    scant_plan *plan = NULL;
    r.pilot = pilot;
    CHECK(scant_plan_new(&plan, &r, &error) == SCANT_OK);
    shown += plan->facts.shown / PILOTS;
    strength += plan->facts.strength / PILOTS;
    scant_plan_free(plan);
    scant_source_free(pilot);
  }
  CHECK_AT_MOST(shown + 0.05, strength);
  CHECK_AT_MOST(fabs(strength - 0.5), fabs(shown - 0.5));
}

/* A column without values or without variance is noise that has nothing to do with the rest; a plan comes all the
 * same. */
TEST(columns_that_show_nothing_are_noise) {
  static double x[N * D], y[N];
  fill_pilot(x, y, N, 3, 1, 0);
  for (size_t row = 0; row < N; row++) x[row * D + 2] = NAN, x[row * D + 3] = 7;
  scant_source *pilot = some_pilot(x, y, N);
  scant_plan_request r = request_of(NULL, NULL, 0);
  r.pilot = pilot;
  scant_plan *plan = planned(&r);
  CHECK(plan && plan->facts.unknown == 2 && plan->facts.dimension == D);
  for (size_t run = 0; plan && run < 3; run++)
    for (size_t j = 0; j < 3; j++) CHECK(plan->worlds[run]->factor[3 + j] == (j == 2)); /* row 2 of the factor */
  scant_plan_free(plan);
  scant_source_free(pilot);
}

/* ---- a wanted error ----------------------------------------------------------------------------- */

TEST(a_wanted_error_is_reached) {
  static const uint64_t k[] = {2, 4, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  for (int bounded = 0; bounded < 2; bounded++) {
    scant_plan_request r = request_of(m, k, 3);
    scant_plan *plan = NULL;
    scant_plan_facts f;
    double least = INFINITY;
    CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK);
    scant_plan_get_facts(plan, &f);
    scant_plan_free(plan);
    r.reach = 0.7 * f.least + 0.3 * f.variance;
    if (!bounded) r.budget = 0;
    plan = planned(&r);
    scant_plan_get_facts(plan, &f);
    for (size_t i = 0; i < 3; i++) {
      scant_plan_entry e;
      CHECK(scant_plan_entry_at(plan, i, &e, NULL) == SCANT_OK && e.reached == 3);
      CHECK(e.reach_low <= e.reach_money && e.reach_money <= e.reach_high && e.reach_high <= f.limit);
      CHECK_NEAR(e.reach_money / (e.reach_examples * (double)k[i]), 1, 0.05);
      least = fmin(least, e.reach_money);
    }
    scant_plan_entry taken;
    CHECK(scant_plan_entry_at(plan, f.recommended, &taken, NULL) == SCANT_OK && taken.reach_money <= 1.05 * least);
    scant_plan_free(plan);
  }
  scant_model_free(m);
}

/* Between two points the lines are straight in logarithms. */
TEST(where_it_is_reached_lies_between_points) {
  static const uint64_t k[] = {D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, k, 1);
  r.runs = 1;
  scant_plan *plan = NULL;
  CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK);
  plan->request.reach = 2;
  for (size_t step = 0; step < 2; step++) {
    scant_plan_points(plan, 0, 0)[step] =
        step ? (scant_plan_point){100, 0, 80000, 1} : (scant_plan_point){25, 0, 20000, 4};
  }
  scant_plan_entry e;
  CHECK(scant_plan_conclude(plan, NULL) == SCANT_OK);
  CHECK(scant_plan_entry_at(plan, 0, &e, NULL) == SCANT_OK && e.reached == 1);
  CHECK_NEAR(e.reach_examples, 50, 1e-9); /* the error halves as the money doubles */
  CHECK_NEAR(e.reach_money, 400, 1e-9);
  scant_plan_free(plan);
  scant_model_free(m);
}

/* ---- the choice ----------------------------------------------------------------------------------- */

/* Errors of three K in four runs, and the place of the K to take. */
static void check_choice(const double errors[3][4], size_t wanted) {
  static const uint64_t k[] = {2, 4, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, k, 3);
  scant_plan *plan = NULL;
  r.runs = 4;
  CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK);
  for (size_t i = 0; i < 3; i++)
    for (size_t run = 0; run < 4; run++)
      scant_plan_points(plan, i, run)[SCANT_PLAN_HALVINGS] = (scant_plan_point){.examples = 1, .error = errors[i][run]};
  CHECK(scant_plan_conclude(plan, NULL) == SCANT_OK && plan->facts.recommended_budget == wanted);
  scant_plan_free(plan);
  scant_model_free(m);
}

TEST(the_largest_k_that_is_not_shown_to_be_worse_is_taken) {
  /* always worse by the same: shown */
  check_choice((const double[3][4]){{1, 2, 3, 4}, {1.1, 2.2, 3.3, 4.4}, {1.2, 2.4, 3.6, 4.8}}, 0);
  /* the last one is worse by a little, but better in some runs */
  check_choice((const double[3][4]){{1, 1, 1, 1}, {1.3, 1.3, 1.3, 1.3}, {1.08, 0.94, 1.05, 0.96}}, 2);
  /* the least is in the middle, and the last one is clearly worse */
  check_choice((const double[3][4]){{1.2, 1.3, 1.2, 1.3}, {1, 1, 1.01, 1}, {1.1, 1.11, 1.1, 1.12}}, 1);
  /* all alike: whole examples */
  check_choice((const double[3][4]){{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}, 2);
}

/* Errors that vary by more than they differ tie, but not where one is far worse, or worse than the mean. */
TEST(a_tie_is_not_far_worse) {
  check_choice((const double[3][4]){{1, 1, 1, 1}, {1.3, 1.3, 1.3, 1.3}, {9, 0.9, 0.9, 0.9}}, 0);
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, NULL, 0);
  scant_plan *plan = NULL;
  scant_plan_facts f;
  CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK);
  scant_plan_get_facts(plan, &f);
  scant_plan_free(plan);
  double v = f.variance;
  check_choice((const double[3][4]){{0.99 * v, 0.99 * v, 0.99 * v, 0.99 * v},
                                    {1.2 * v, 1.2 * v, 1.2 * v, 1.2 * v},
                                    {1.08 * v, 0.93 * v, 1.06 * v, 0.95 * v}},
               0);
  check_choice((const double[3][4]){{0.97 * v, 0.97 * v, 0.97 * v, 0.97 * v},
                                    {1.2 * v, 1.2 * v, 1.2 * v, 1.2 * v},
                                    {1.06 * v, 0.91 * v, 1.04 * v, 0.93 * v}},
               2);
  scant_model_free(m);
}

TEST(a_plan_says_that_nothing_beats_the_mean) {
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_error said = {""};
  for (int gaussian = 0; gaussian < 2; gaussian++) {
    scant_plan_request r = request_of(m, NULL, 0);
    r.budget = gaussian ? 4000 : 60;
    if (!gaussian) CHECK(scant_settings_set(&settings, "algorithm", "aerr", NULL) == SCANT_OK);
    if (!gaussian) CHECK(scant_settings_set(&settings, "radius", "100", NULL) == SCANT_OK); /* far too large a ball */
    scant_plan *plan = planned(&r);
    int above = 1;
    for (size_t i = 0; i < plan->k_count; i++) {
      scant_plan_entry e;
      CHECK(scant_plan_entry_at(plan, i, &e, NULL) == SCANT_OK);
      if (e.r2 > 0) above = 0;
    }
    CHECK(above == !gaussian && plan->facts.worse_than_mean == above);
    CHECK(scant_plan_say(plan, SCANT_PLAN_WORSE, &said) == above);
    CHECK(scant_plan_say(plan, SCANT_PLAN_TAKE, &said) == !above);
    CHECK_SAYS(said.text, above ? "better than the mean" : "take K = ");
    CHECK(!scant_plan_say(plan, SCANT_PLAN_TAKE_REACH, &said) && !scant_plan_say(plan, SCANT_PLAN_WEAK, &said));
    scant_plan_free(plan);
  }
  scant_model_free(m);
}

/* An error below the estimate is refused if it is more than two of its errors away, and from a model at once. */
TEST(a_wanted_error_below_the_least_is_refused_by_its_error) {
  static double x[N * D], y[N];
  scant_error said = {""};
  fill_pilot(x, y, N, 3, 1, 0);
  for (size_t runs = 1; runs < 6; runs += 4) {
    scant_plan_request r = request_of(NULL, NULL, 0);
    scant_plan *plan = NULL;
    scant_plan_facts f;
    r.pilot = some_pilot(x, y, N);
    r.runs = runs;
    CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK && !scant_plan_say(plan, SCANT_PLAN_FAR, &said));
    scant_plan_get_facts(plan, &f);
    double sd = runs > 1 ? f.least_sd : f.strength_error * f.variance;
    scant_plan_free(plan);
    CHECK(sd > 0);
    r.reach = f.least - 1.9 * sd;
    plan = NULL;
    CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK && scant_plan_say(plan, SCANT_PLAN_FAR, &said));
    CHECK_SAYS(said.text, "by this pilot");
    scant_plan_free(plan);
    r.reach = f.least - 2.1 * sd;
    refuses(&r, SCANT_DATA, "can't be reached by this pilot");
    CHECK_SAYS(error.text, "a larger pilot");
    scant_source_free(r.pilot);
  }
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, NULL, 0);
  scant_plan *plan = NULL;
  CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK);
  r.reach = 0.99 * plan->facts.least;
  scant_plan_free(plan);
  refuses(&r, SCANT_DATA, "can't be reached by this model");
  CHECK_SAYS(error.text, "a better pilot");
  scant_model_free(m);
}

/* The budget has its K, and the wanted error another, which may need more money. */
TEST(budget_and_wanted_error_have_a_k_each) {
  static const uint64_t k[] = {2, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, k, 2);
  scant_plan *plan = NULL;
  scant_error said = {""};
  CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK);
  r.reach = 0.9 * plan->facts.least + 0.1 * plan->facts.variance;
  scant_plan_free(plan);
  r.budget = 64;
  plan = planned(&r);
  scant_plan_facts f;
  scant_plan_get_facts(plan, &f);
  CHECK(f.recommended_budget < 2);
  CHECK(scant_plan_say(plan, SCANT_PLAN_TAKE, &said) == !f.worse_than_mean);
  CHECK(scant_plan_say(plan, SCANT_PLAN_TAKE_REACH, &said));
  CHECK_SAYS(said.text, f.recommended < 2 && plan->for_reach < 2 ? "more than the budget of 64" : "no K comes to");
  scant_plan_free(plan);
  scant_model_free(m);
}

int main(void) {
  RUN(the_strength_is_found);
  RUN(small_pilots_are_not_taken_at_their_word);
  RUN(columns_that_show_nothing_are_noise);
  RUN(a_wanted_error_is_reached);
  RUN(where_it_is_reached_lies_between_points);
  RUN(the_largest_k_that_is_not_shown_to_be_worse_is_taken);
  RUN(a_tie_is_not_far_worse);
  RUN(a_plan_says_that_nothing_beats_the_mean);
  RUN(a_wanted_error_below_the_least_is_refused_by_its_error);
  RUN(budget_and_wanted_error_have_a_k_each);
  return check_done();
}
