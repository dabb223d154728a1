/* Blocks: one look for several examples, every outcome of asking enumerated.  The expected step of a block is the mean
 * gradient over its rows, for the w, means and target's mean of before its first row. */
#include "between.h"

enum { ROWS = 3 };

static const double BLOCK[ROWS][D] = {{0.5, -0.3, 0.9, 0.2, -0.7}, {-0.2, 0.8, 0.1, -1, 0.4}, {0.7, 0.6, -0.5, 0.3, 1}};
static const double HOLES[ROWS][D] = {{0.5, -0.3, NAN, 0.2, -0.7}, {NAN, 0.8, 0.1, -1, 0.4}, {0.7, 0.6, NAN, 0.3, NAN}};
static const double BLOCK_Y[ROWS] = {7.4, 8.5, 6.1};

static scant_prices *shop; /* a1 and a2 are a group, and a3 costs nothing */

static void open_problem(problem *p, const char *algorithm, const char *settings, int groups) {
  static const double explore[D] = {1, 0.4, 1, 2, 0.7}, follow[D] = {0.1, 3, 0.2, 0, 1};
  scant_error error;
  char all[160];
  snprintf(all, sizeof all, "%s block=4 max-open=2", settings);
  problem_open(p, algorithm, all, D, START, X, Y);
  if (groups) CHECK(scant_learner_price(p->learner, shop, &error) == SCANT_OK);
  if (p->learner->looks.kind->in_items) problem_set_law(p->learner, explore, follow);
  if (p->learner->looks.kind->draw_all) learn_others(p->learner);
  for (size_t i = 0; i < D; i++) p->w[i] = scant_iterate_weight(&p->learner->w, i);
}

/* The mean of (w.z - t) z over the rows, in learning units, made one by one and by nothing but the formula. */
static void find_mean(scant_learner *l, const double rows[ROWS][D], double g[D]) {
  memset(g, 0, D * sizeof *g);
  for (int r = 0; r < ROWS; r++) {
    scant_look look = {.count = D, .y_mean = l->y_moments.mean};
    uint32_t attributes[D];
    double mean[D], x[D], unit, prediction = 0;
    look.attributes = attributes;
    look.mean = mean;
    l->sound = 1;
    for (uint32_t i = 0; i < D; i++) {
      attributes[i] = i;
      mean[i] = !l->centered ? 0 : l->moments[i].count ? l->moments[i].mean : NAN;
      if (isnan(rows[r][i])) l->sound = 0;
    }
    double target = scant_learner_target(l, &look, BLOCK_Y[r], &unit);
    CHECK(scant_learner_reserve(l, D));
    scant_learner_units(l, &look, rows[r], x);
    for (size_t i = 0; i < D; i++) prediction += scant_iterate_weight(&l->w, i) * x[i];
    for (size_t i = 0; i < D; i++) g[i] += (prediction - target) * x[i] / ROWS;
  }
}

static void tell_rows(problem *p, const double rows[ROWS][D]) {
  double values[ROWS * D];
  scant_error error;
  uint32_t n = p->look->count;
  for (size_t r = 0; r < ROWS; r++)
    for (uint32_t i = 0; i < n; i++) values[r * n + i] = rows[r][p->look->attributes[i]];
  if (!CHECK(scant_learner_tell_block(p->learner, p->look, ROWS, values, BLOCK_Y, &error) == SCANT_OK))
    printf("# %s\n", error.text);
}

static void check_unbiased(const char *algorithm, const char *settings, const double rows[ROWS][D], int groups) {
  enumeration e = {.script = {enumerate_choose}};
  double found[D] = {0}, total = 0, wanted[D] = {0}, most = 0;
  do {
    problem p;
    enumerate_begin_run(&e);
    open_problem(&p, algorithm, settings, groups);
    find_mean(p.learner, rows, wanted);
    ask_enumerated(&p, &e);
    tell_rows(&p, rows);
    add_gradient(&e, p.learner, p.look, found, &total);
    problem_close(&p);
  } while (enumerate_next(&e));
  CHECK_NEAR(total, 1, TIGHT);
  for (int i = 0; i < D; i++) {
    if (!CHECK_NEAR(found[i], wanted[i], TIGHT)) printf("# %s %s, attribute %d\n", algorithm, settings, i + 1);
    most = fmax(most, fabs(wanted[i]));
  }
  CHECK(most > 0.01);
}

TEST(the_gradient_of_a_block_is_the_mean_of_its_rows_in_expectation) {
  check_unbiased("auto", "k=2", BLOCK, 0);
  check_unbiased("auto", "k=3 clip=2", BLOCK, 0);
  check_unbiased("auto", "k=2 intercept=no", BLOCK, 0);
  check_unbiased("auto", "k=2 like-units=yes", BLOCK, 0);
  check_unbiased("ridge", "k=2 radius=2 eta=0.3", BLOCK, 0);
  check_unbiased("lasso", "k=3 radius=2 eta=0.3", BLOCK, 0);
  check_unbiased("auto", "k=2", BLOCK, 1);
  check_unbiased("ridge", "k=2 spend=5.5", BLOCK, 1);
}

TEST(so_is_that_of_the_papers_algorithms) {
  check_unbiased("aerr", "k=3 radius=3 eta=0.2", BLOCK, 0);
  check_unbiased("aerr", "k=3 radius=3 eta=0.2 replacement=no", BLOCK, 0);
  check_unbiased("aelr", "k=3 radius=3 eta=0.01", BLOCK, 0);
  check_unbiased("aer", "k=4 radius=3", BLOCK, 0);
  check_unbiased("ddaerr", "k=4 radius=3 eta=0.2", BLOCK, 0);
  check_unbiased("coinflip", "k=3 radius=3 eta=0.2", BLOCK, 0);
  check_unbiased("online-ridge", "radius=3 eta=0.2 center=yes", BLOCK, 0);
}

TEST(so_it_is_where_values_are_missing) {
  check_unbiased("auto", "k=2 missing=skip-cell", HOLES, 0);
  check_unbiased("auto", "k=3 clip=2 missing=skip-cell", HOLES, 1);
  check_unbiased("ridge", "k=2 radius=2 eta=0.3 missing=skip-cell", HOLES, 0);
}

/* Inside a ball that is far away the step itself is -eta g, whatever was drawn. */
TEST(the_expected_step_is_that_of_the_mean_gradient) {
  enumeration e = {.script = {enumerate_choose}};
  double found[D] = {0}, wanted[D] = {0}, start[D] = {0};
  do {
    problem p;
    enumerate_begin_run(&e);
    open_problem(&p, "ridge", "k=3 radius=1000 eta=0.3", 0);
    find_mean(p.learner, BLOCK, wanted);
    memcpy(start, p.w, sizeof start);
    ask_enumerated(&p, &e);
    tell_rows(&p, BLOCK);
    for (size_t i = 0; i < D; i++) found[i] += e.probability * scant_iterate_weight(&p.learner->w, i);
    problem_close(&p);
  } while (enumerate_next(&e));
  for (size_t i = 0; i < D; i++) CHECK_NEAR(found[i], start[i] - 0.3 * wanted[i], TIGHT);
}

/* What its looks say of the average is a mean over rows as well: (v.x - y)^2 of the iterate v, in expectation. */
TEST(so_is_the_risk) {
  enumeration e = {.script = {enumerate_choose}};
  double found = 0, wanted = 0;
  do {
    problem p;
    scant_step step;
    scant_error error;
    double values[ROWS * D];
    enumerate_begin_run(&e);
    open_problem(&p, "ridge", "k=2 radius=1000 eta=0.3 intercept=no", 0);
    wanted = 0;
    for (int r = 0; r < ROWS; r++) {
      double residual = dot(p.w, BLOCK[r], D) - BLOCK_Y[r];
      wanted += residual * residual / ROWS;
    }
    ask_enumerated(&p, &e);
    uint32_t n = p.look->count;
    for (size_t r = 0; r < ROWS; r++)
      for (uint32_t i = 0; i < n; i++) values[r * n + i] = BLOCK[r][p.look->attributes[i]];
    CHECK(scant_learner_prepare_block(p.learner, p.look, ROWS, values, BLOCK_Y, &step, &error) == SCANT_OK);
    CHECK(step.rows == ROWS);
    found += e.probability * step.risk;
    problem_close(&p);
  } while (enumerate_next(&e));
  CHECK_NEAR(found, wanted, 1e-11);
}

/* ---- certificates without formulas ------------------------------------------------------ */

static int same_iterates(const scant_learner *a, const scant_learner *b) {
  int same = a->gradient_size == b->gradient_size && !memcmp(&a->parabola, &b->parabola, sizeof a->parabola) &&
             !memcmp(&a->risk, &b->risk, sizeof a->risk);
  for (size_t i = 0; i < D + (size_t)a->own_intercept; i++)
    same = same && scant_iterate_weight(&a->w, i) == scant_iterate_weight(&b->w, i) &&
           scant_iterate_mean(&a->w, i) == scant_iterate_mean(&b->w, i);
  return same;
}

enum { REPEATED_MOST = 12 };

/* A row that is repeated moves w, its average and the risk to the bit as it does alone; the moments count it `times`
 * times. */
static void check_repeated(const char *algorithm, const char *settings, size_t times) {
  problem block, one;
  scant_error error;
  open_problem(&block, algorithm, settings, 0);
  open_problem(&one, algorithm, settings, 0);
  block.learner->settings.learning.block = REPEATED_MOST;
  for (int step = 0; step < 2; step++) {
    double values[REPEATED_MOST * D], y[REPEATED_MOST];
    CHECK(scant_learner_ask(block.learner, block.look, &error) == SCANT_OK);
    CHECK(scant_learner_ask(one.learner, one.look, &error) == SCANT_OK);
    uint32_t n = block.look->count;
    for (size_t r = 0; r < times; r++) {
      for (uint32_t i = 0; i < n; i++) values[r * n + i] = BLOCK[step][block.look->attributes[i]];
      y[r] = BLOCK_Y[step];
    }
    uint64_t before = one.learner->told;
    CHECK(scant_learner_tell_block(block.learner, block.look, times, values, y, &error) == SCANT_OK);
    CHECK(scant_learner_tell(one.learner, one.look, n, NULL, values, *y, &error) == SCANT_OK);
    if (step) break; /* other moments make other units */
    if (!CHECK(same_iterates(block.learner, one.learner))) printf("# %s %s, %zu times\n", algorithm, settings, times);
    CHECK(block.learner->told == before + times && one.learner->told == before + 1);
    CHECK(block.learner->block == one.learner->block);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t a = block.look->attributes[i];
      CHECK(block.learner->moments[a].count == one.learner->moments[a].count + times - 1);
    }
  }
  problem_close(&block);
  problem_close(&one);
}

TEST(a_row_that_is_repeated_moves_w_as_it_does_alone) {
  static const char *const kinds[][2] = {{"auto", "k=3"},
                                         {"auto", "k=3 clip=2"},
                                         {"ridge", "k=3"},
                                         {"lasso", "k=3 radius=2"},
                                         {"svr", "k=3"},
                                         {"svr", "k=3 intercept=no"},
                                         {"aerr", "k=3"},
                                         {"aelr", "k=3"},
                                         {"aer", "k=4"},
                                         {"ddaerr", "k=4"},
                                         {"ddaelr", "k=4"},
                                         {"coinflip", "k=3"},
                                         {"aesvr", "k=5 smoothing=4"},
                                         {"online-ridge", "center=yes"},
                                         {"online-lasso", "eta=0.1"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (size_t times = 2; times <= REPEATED_MOST; times++) check_repeated(kinds[i][0], kinds[i][1], times);
}

/* Moments are those of the rows told one by one, whatever w did meanwhile. */
static void check_moments(const char *algorithm, const char *settings) {
  problem block, single;
  scant_error error;
  open_problem(&block, algorithm, settings, 0);
  open_problem(&single, algorithm, settings, 0);
  scant_learner *b = block.learner, *s = single.learner;
  CHECK(scant_learner_ask_all(b, block.look, &error) == SCANT_OK);
  tell_rows(&block, HOLES);
  for (int r = 0; r < ROWS; r++) {
    CHECK(scant_learner_ask_all(s, single.look, &error) == SCANT_OK);
    CHECK(scant_learner_tell(s, single.look, D, NULL, HOLES[r], BLOCK_Y[r], &error) == SCANT_OK);
  }
  CHECK(!memcmp(b->moments, s->moments, D * sizeof *b->moments));
  CHECK(!memcmp(&b->y_moments, &s->y_moments, sizeof b->y_moments));
  CHECK(!memcmp(&b->pool, &s->pool, sizeof b->pool));
  CHECK(!b->clipped || !memcmp(b->clipped, s->clipped, D * sizeof *b->clipped));
  CHECK(b->told == s->told && b->block + 2 == s->block);
  problem_close(&block);
  problem_close(&single);
}

TEST(moments_take_in_every_row) {
  check_moments("auto", "k=3 clip=2");
  check_moments("auto", "k=3 like-units=yes");
  check_moments("ridge", "k=3");
  check_moments("svr", "k=3");
  check_moments("coinflip", "k=3");
  check_moments("online-ridge", "center=yes");
}

/* With skip-example the rows that lack a value are as if they had not been there. */
TEST(rows_that_are_skipped_are_left_out) {
  problem block, rest;
  scant_error error;
  double values[ROWS * D];
  static const double y[2] = {7.4, 6.1};
  open_problem(&block, "auto", "k=3 missing=skip-example", 0);
  open_problem(&rest, "auto", "k=3 missing=skip-example", 0);
  CHECK(scant_learner_ask(block.learner, block.look, &error) == SCANT_OK);
  CHECK(scant_learner_ask(rest.learner, rest.look, &error) == SCANT_OK);
  uint32_t n = block.look->count;
  for (size_t r = 0; r < ROWS; r++)
    for (uint32_t i = 0; i < n; i++) values[r * n + i] = BLOCK[r][block.look->attributes[i]];
  values[n + 1] = NAN;
  CHECK(scant_learner_tell_block(block.learner, block.look, ROWS, values, BLOCK_Y, &error) == SCANT_OK);
  memmove(values + n, values + 2 * n, n * sizeof *values);
  CHECK(scant_learner_tell_block(rest.learner, rest.look, 2, values, y, &error) == SCANT_OK);
  CHECK(same_iterates(block.learner, rest.learner));
  CHECK(!memcmp(block.learner->moments, rest.learner->moments, D * sizeof *rest.learner->moments));
  CHECK(block.learner->told == rest.learner->told && block.learner->block == rest.learner->block);
  /* all of them */
  uint64_t told = block.learner->told, blocks = block.learner->block;
  CHECK(scant_learner_ask(block.learner, block.look, &error) == SCANT_OK);
  for (size_t i = 0; i < ROWS * D; i++) values[i] = NAN;
  CHECK(scant_learner_tell_block(block.learner, block.look, ROWS, values, BLOCK_Y, &error) == SCANT_OK);
  CHECK(block.learner->told == told && block.learner->block == blocks && !scant_learner_open_looks(block.learner));
  problem_close(&block);
  problem_close(&rest);
}

int main(void) {
  static const uint64_t costs[D] = {100, 200, 200, 0, 150};
  static const uint32_t groups[D] = {0, 1, 1, 0, 0};
  CHECK(scant_prices_new(&shop, D, costs, groups, NULL) == SCANT_OK);
  RUN(the_gradient_of_a_block_is_the_mean_of_its_rows_in_expectation);
  RUN(so_is_that_of_the_papers_algorithms);
  RUN(so_it_is_where_values_are_missing);
  RUN(the_expected_step_is_that_of_the_mean_gradient);
  RUN(so_is_the_risk);
  RUN(a_row_that_is_repeated_moves_w_as_it_does_alone);
  RUN(moments_take_in_every_row);
  RUN(rows_that_are_skipped_are_left_out);
  scant_prices_free(shop);
  return check_done();
}
