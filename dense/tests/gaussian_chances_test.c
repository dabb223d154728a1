/* How likely the looks of gaussian and moments were, against every look that could have been. */
#include "../../core/tests/exact/chances.h"
#include "gaussian/gaussian.h"
#include "engine.h"

static scant_learner *taught(const char *list, size_t d, size_t rows, size_t constant, const scant_prices *prices) {
  scant_settings settings = settings_from(list);
  settings.runtime.engines = scant_dense_engines();
  scant_learner *l = NULL;
  scant_look *look = NULL;
  scant_error error = {""};
  uint64_t state = 5;
  if (!CHECK(scant_learner_new(&l, &settings, d, 0, &error) == SCANT_OK)) printf("# %s\n", error.text);
  if (prices) CHECK(scant_learner_price(l, prices, &error) == SCANT_OK);
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (size_t row = 0; row < rows; row++) {
    double x[CHANCES_MOST], values[CHANCES_MOST];
    for (size_t i = 0; i < d; i++) x[i] = i < constant ? 1 : random_real(&state);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) values[i] = x[look->attributes[i]];
    double y = x[d - 2] - 2 * x[d - 1] + random_real(&state) / 4;
    CHECK(scant_learner_tell(l, look, look->count, NULL, values, y, &error) == SCANT_OK);
  }
  scant_look_free(look);
  return l;
}

/* How many of the d^2 chances have a closed form, all of them true. */
static int closed(const char *list, size_t d, size_t rows, size_t constant) {
  scant_learner *l = taught(list, d, rows, constant, NULL);
  chances c = chances_enumerate(l);
  CHECK(c.looks > 1);
  int found = chances_agree(&c);
  scant_learner_free(l);
  return found;
}

TEST(gaussian_before_and_after_it_has_a_law) {
  CHECK(closed("algorithm=gaussian k=3", 6, 0, 0) == 36);
  CHECK(closed("algorithm=gaussian k=3", 6, 150, 0) == 36);
  CHECK(closed("algorithm=gaussian k=4", 7, 150, 0) == 49);
  CHECK(closed("algorithm=gaussian k=2", 8, 150, 0) == 52); /* of four that are not followed one is met at most */
  scant_learner *l = taught("algorithm=gaussian k=4", 7, 150, 0, NULL);
  double followed = 0;
  for (size_t i = 0; i < 7; i++) followed += scant_gaussian_of(l)->follow[i];
  CHECK(scant_gaussian_of(l)->chosen_at > 0 && followed > 0 && followed < 7); /* so the mixture is one */
  scant_learner_free(l);
}

/* What never varied is explored less: draws are then not even, and what one meets depends on those before it. */
TEST(gaussian_with_an_attribute_that_never_varied) {
  CHECK(closed("algorithm=gaussian k=3", 6, 150, 1) == 0);
}

TEST(gaussian_with_prices) {
  static const uint64_t costs[7] = {100, 200, 0, 300, 100, 50, 70};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, 7, costs, NULL, NULL) == SCANT_OK);
  scant_learner *l = taught("algorithm=gaussian k=3", 7, 150, 0, prices);
  chances c = chances_enumerate(l);
  CHECK(chances_agree(&c) == 49 && c.certain[2] && c.said[2][2] == 1 && c.said[2][3] == c.said[3][3]);
  scant_learner_free(l);
  l = taught("algorithm=gaussian k=3 spend=4", 7, 150, 0, prices);
  c = chances_enumerate(l);
  CHECK(chances_agree(&c) == 1 && c.certain[2]); /* what is free */
  scant_learner_free(l);
  scant_prices_free(prices);
}

/* The law of a look that was not the last is gone, as in a study; what is free was in it all the same. */
TEST(gaussian_of_long_ago) {
  static const uint64_t costs[5] = {100, 200, 0, 300, 100};
  scant_prices *prices = NULL;
  scant_look *look = NULL, *later = NULL;
  scant_look_line lines[5];
  double pairs[25];
  scant_error error = {""};
  CHECK(scant_prices_new(&prices, 5, costs, NULL, NULL) == SCANT_OK);
  scant_learner *l = taught("algorithm=gaussian k=2 max-open=2", 5, 20, 0, prices);
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK && scant_look_new(&later, l, &error) == SCANT_OK);
  CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && scant_learner_ask(l, later, &error) == SCANT_OK);
  CHECK(look->count == 3 && scant_learner_describe(l, look, lines, pairs, &error) == SCANT_OK);
  for (uint32_t i = 0; i < 3; i++) {
    int free_one = lines[i].attribute == 2;
    CHECK(lines[i].certain == free_one && (free_one ? lines[i].probability == 1 : isnan(lines[i].probability)));
    CHECK(free_one ? lines[i].inclusion == 1 && pairs[i * 3 + i] == 1 : isnan(lines[i].inclusion));
  }
  scant_look_free(look);
  scant_look_free(later);
  scant_learner_free(l);
  scant_prices_free(prices);
}

TEST(gaussian_with_a_group) {
  static const uint64_t costs[6] = {100, 100, 100, 100, 100, 100};
  static const uint32_t groups[6] = {1, 1, 2, 2, 3, 3};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, 6, costs, groups, NULL) == SCANT_OK);
  scant_learner *l = taught("algorithm=gaussian k=2", 6, 150, 0, prices);
  chances c = chances_enumerate(l);
  CHECK(chances_agree(&c) == 36 && c.said[0][1] == c.said[0][0] && c.said[0][2] < c.said[0][0]);
  scant_learner_free(l);
  scant_prices_free(prices);
}

TEST(moments_while_its_law_is_even) {
  CHECK(closed("algorithm=moments k=3", 6, 0, 0) == 36);
  CHECK(closed("algorithm=moments k=3", 6, 150, 0) == 0);
}

/* The data chose, not the learner. */
TEST(observed_has_none) {
  scant_learner *l = taught("algorithm=gaussian observed=yes k=6", 6, 30, 0, NULL);
  chances c = chances_enumerate(l);
  CHECK(chances_agree(&c) == 0 && !c.certain[0]);
  scant_learner_free(l);
}

int main(void) {
  RUN(gaussian_before_and_after_it_has_a_law);
  RUN(gaussian_with_an_attribute_that_never_varied);
  RUN(gaussian_with_prices);
  RUN(gaussian_of_long_ago);
  RUN(gaussian_with_a_group);
  RUN(moments_while_its_law_is_even);
  RUN(observed_has_none);
  return check_done();
}
