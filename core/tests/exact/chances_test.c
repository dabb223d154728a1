/* How looks were drawn, against every look that could have been: closed forms are what comes out, and Hansen and
 * Hurwitz's weights are 1 on average. */
#include "chances.h"

enum { ROWS = 24 };

/* A learner that has been told some examples, so that its law is no longer that of the beginning. */
static scant_learner *taught(const char *list, size_t d, const scant_prices *prices) {
  scant_settings settings = settings_from(list);
  scant_learner *l = NULL;
  scant_look *look = NULL;
  scant_error error = {""};
  uint64_t state = 5;
  if (!CHECK(scant_learner_new(&l, &settings, d, 60, &error) == SCANT_OK)) printf("# %s\n", error.text);
  if (prices) CHECK(scant_learner_price(l, prices, &error) == SCANT_OK);
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t row = 0; row < ROWS; row++) {
    double x[CHANCES_MOST], values[CHANCES_MOST];
    for (size_t i = 0; i < d; i++) x[i] = random_real(&state) * (double)(i + 1) / 4;
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) values[i] = x[look->attributes[i]];
    double y = x[0] - 2 * x[d - 1] + random_real(&state) / 4;
    CHECK(scant_learner_tell(l, look, look->count, NULL, values, y > 0 ? 1 : -1, &error) == SCANT_OK);
  }
  scant_look_free(look);
  return l;
}

static chances of(const char *list, size_t d) {
  scant_learner *l = taught(list, d, NULL);
  chances c = chances_enumerate(l);
  scant_learner_free(l);
  return c;
}

/* Products of two draws have no pair while there is one draw only. */
static void check_closed(const char *list, size_t d) {
  chances c = of(list, d);
  printf("# %s: %llu looks\n", list, (unsigned long long)c.looks);
  CHECK(chances_agree(&c) == (int)(d * d) && c.looks > 1);
  chances_unbiased(&c, c.fewest > 1);
}

TEST(draws_with_replacement) {
  check_closed("algorithm=aerr k=4", 5);
  check_closed("algorithm=aerr k=4 residual-looks=2", 5);
  check_closed("algorithm=aelr k=3", 4);
  check_closed("algorithm=ddaerr k=4", 4);
  check_closed("algorithm=ddaelr k=5", 5);
}

/* Inclusion and pairs are those of a subset; products need them, since draws are not independent. */
TEST(draws_without_replacement) {
  static const char *const lists[] = {"algorithm=aerr k=4 replacement=no", "algorithm=aer k=4",
                                      "algorithm=aelr k=3 replacement=no"};
  for (size_t r = 0; r < 3; r++) {
    chances c = of(lists[r], 5);
    CHECK(chances_agree(&c) == 25);
    chances_unbiased(&c, 0);
  }
}

/* A gradient's draw times a residual's, where w is not 0. */
TEST(a_draw_of_each_sort_has_products) {
  chances c = of("algorithm=aerr k=3", 4);
  for (size_t i = 0; i < 4; i++)
    for (size_t j = 0; j < 4; j++) CHECK_NEAR(c.across[i][j], 1, 1e-12);
}

TEST(no_look_at_the_residual_while_w_is_zero) {
  scant_settings settings = settings_from("algorithm=aerr k=4");
  scant_learner *l = NULL;
  CHECK(scant_learner_new(&l, &settings, 4, 10, NULL) == SCANT_OK);
  chances c = chances_enumerate(l);
  CHECK(chances_agree(&c) == 16);
  CHECK_NEAR(c.said[0][0], 1 - pow(0.75, 3), 1e-15);
  scant_learner_free(l);
}

/* When the draws end depends on them, so only what is certain has a closed form; the products are unbiased all the
 * same. */
static int check_stopped(const char *list, size_t d) {
  chances c = of(list, d);
  int certain = 0;
  for (size_t i = 0; i < d; i++) certain += c.certain[i];
  printf("# %s: %llu looks, %d certain\n", list, (unsigned long long)c.looks, certain);
  CHECK(chances_agree(&c) == certain * certain);
  for (size_t i = 0; i < d; i++) CHECK(isnan(c.said[i][i]) == !c.certain[i]);
  CHECK(c.fewest > 1 && c.looks > 1);
  chances_unbiased(&c, 1);
  return certain;
}

TEST(stopped_looks) {
  CHECK(check_stopped("algorithm=auto k=3", 5) == 0);
  CHECK(check_stopped("algorithm=auto k=4", 5) > 0);
  CHECK(check_stopped("algorithm=ridge k=4", 5) > 0);
  check_stopped("algorithm=lasso k=4", 5);
  check_stopped("algorithm=svr k=4", 5);
}

/* Groups, a free attribute and money: members of a group share their draws. */
TEST(stopped_looks_with_prices) {
  static const uint64_t costs[6] = {100, 200, 0, 300, 100, 50};
  static const uint32_t groups[6] = {1, 0, 0, 1, 0, 0};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, 6, costs, groups, NULL) == SCANT_OK);
  scant_learner *l = taught("algorithm=auto k=4 spend=7", 6, prices);
  chances c = chances_enumerate(l);
  CHECK(c.certain[2] && c.said[2][2] == 1 && chances_agree(&c) >= 1 && c.looks > 10);
  chances_unbiased(&c, 1);
  scant_learner_free(l);
  scant_prices_free(prices);
}

TEST(all_or_nothing) {
  chances c = of("algorithm=coinflip k=2", 5);
  CHECK(chances_agree(&c) == 25 && c.looks == 2);
  CHECK_NEAR(c.said[1][3], 0.4, 1e-15);
  c = of("algorithm=online-ridge", 5);
  CHECK(chances_agree(&c) == 25 && c.said[1][3] == 1 && c.certain[4]);
  c = of("algorithm=auto k=5", 5);
  CHECK(chances_agree(&c) == 25 && c.said[1][3] == 1 && c.certain[4]);
}

/* The number of the residual's draws is up to chance, so nothing has a closed form once there are some. */
TEST(genest_has_none) {
  scant_settings settings = settings_from("algorithm=aesvr k=6 radius=0.3 smoothing=1");
  scant_look_line lines[CHANCES_MOST];
  scant_learner *l = NULL;
  scant_look *look = NULL;
  CHECK(scant_learner_new(&l, &settings, 6, 10, NULL) == SCANT_OK);
  chances c = chances_enumerate(l);
  CHECK(chances_agree(&c) == chances_possible(&c) && c.looks > 1);
  scant_learner_free(l);
  l = taught("algorithm=aesvr k=6 radius=0.3 smoothing=1", 6, NULL);
  CHECK(scant_look_new(&look, l, NULL) == SCANT_OK && scant_learner_ask(l, look, NULL) == SCANT_OK);
  CHECK(look->calls && scant_learner_describe(l, look, lines, NULL, NULL) == SCANT_OK && isnan(lines[0].inclusion));
  scant_look_free(look);
  scant_learner_free(l);
}

/* A law that is gone can't be told, and a damaged look is refused. */
TEST(only_what_is_known) {
  scant_error error = {""};
  scant_look_line lines[CHANCES_MOST];
  scant_learner *l = taught("algorithm=ddaerr k=4 max-open=2", 4, NULL);
  scant_look *look = NULL, *later = NULL;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK && scant_look_new(&later, l, &error) == SCANT_OK);
  CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
  CHECK(scant_learner_describe(l, look, lines, NULL, &error) == SCANT_OK && lines[0].inclusion > 0);
  CHECK(scant_learner_ask(l, later, &error) == SCANT_OK);
  CHECK(scant_learner_describe(l, look, lines, NULL, &error) == SCANT_OK && isnan(lines[0].inclusion));
  CHECK(lines[0].draws + lines[0].residual_draws > 0);
  look->attributes[0] = 99;
  CHECK(scant_learner_describe(l, look, lines, NULL, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "damaged");
  scant_look_free(look);
  scant_look_free(later);
  scant_learner_free(l);
}

int main(void) {
  RUN(draws_with_replacement);
  RUN(draws_without_replacement);
  RUN(a_draw_of_each_sort_has_products);
  RUN(no_look_at_the_residual_while_w_is_zero);
  RUN(stopped_looks);
  RUN(stopped_looks_with_prices);
  RUN(all_or_nothing);
  RUN(genest_has_none);
  RUN(only_what_is_known);
  return check_done();
}
