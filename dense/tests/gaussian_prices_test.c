/* The looks of the row gaussian with prices: groups, what is free, money, thrift, and the way through a checkpoint. */
#include "sample.h"
#include "states.h"

#include "fail.h"
#include "price/prices.h"

/* Attributes 0 and 9 are free, 2, 5 and 6 are one group, 3 and 8 another. */
static const uint64_t costs[D] = {0, 100, 250, 25, 400, 0, 1000, 399, 1, 0, 1000, 700, 600, 110};
static const uint32_t groups[D] = {0, 0, 1, 2, 0, 1, 1, 0, 2, 0, 0, 0, 0, 0};
enum { ITEMS = 11, PAID = 9, DEAREST_TWO = 2250 };

static scant_prices *make_prices(const uint64_t *cost, const uint32_t *group) {
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, D, cost, group, &error) == SCANT_OK);
  return prices;
}

static scant_learner *priced(const char *list, const scant_prices *prices) {
  scant_learner *l = open_learner(list, D);
  if (!CHECK(scant_learner_price(l, prices, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return l;
}

/* The money of a look; each item is whole and comes once, and what is free is there. */
static uint64_t check_look(const scant_look *look, const scant_prices *p, uint32_t *paid) {
  int met[D] = {0};
  uint32_t items = 0;
  uint64_t money = 0;
  *paid = 0;
  for (uint32_t i = 0; i < look->count; i++) CHECK(!met[look->attributes[i]]++);
  for (size_t g = 0; g < p->items; g++) {
    int there = met[p->members[p->first[g]]];
    for (uint32_t r = p->first[g]; r < p->first[g + 1]; r++) CHECK(met[p->members[r]] == there);
    CHECK(there || p->cost[g]);
    items += (uint32_t)there;
    *paid += there && p->cost[g];
    money += there ? p->cost[g] : 0;
  }
  CHECK(look->draws == items);
  return money;
}

TEST(looks_are_of_whole_items_within_k_and_money) {
  static const struct {
    const char *list;
    uint32_t k;
    uint64_t spend;
  } cases[] = {{"k=2", 2, 0},
               {"k=5", 5, 0},
               {"k=12", PAID, 0},
               {"spend=22.5", PAID, 2250},
               {"spend=1.26", PAID, 126}, /* pays for items 0.26, 1 and 1.1 alone */
               {"spend=8", PAID, 800},
               {"k=2 spend=8", 2, 800},
               {"spend=30", PAID, 3000},
               {"k=3 spend=25.01", 3, 2501},
               {"spend=1000", PAID, 100000},
               {"spend=24 thrift=no", PAID, 2400},
               {"k=4 budget-cost=500", 4, 0},
               {"spend=30 budget-cost=500", PAID, 3000}};
  sample s = sample_new(N, D, 1);
  scant_prices *prices = make_prices(costs, groups);
  CHECK(prices->items == ITEMS && prices->paid == PAID && prices->dearest_two == DEAREST_TWO);
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    scant_learner *l = priced(cases[c].list, prices);
    scant_look *look = look_for(l);
    for (size_t row = 0; row < 160; row++) {
      uint32_t paid;
      CHECK(learn_row(l, look, &s, row) == SCANT_OK);
      uint64_t money = check_look(look, prices, &paid);
      CHECK(paid <= cases[c].k && (!cases[c].spend || money <= cases[c].spend));
      if (!cases[c].spend) CHECK(paid == cases[c].k);
      /* it ends when nothing more can be had */
      for (size_t g = 0; cases[c].spend && paid < cases[c].k && g < prices->items; g++) {
        int there = 0;
        for (uint32_t i = 0; i < look->count; i++) there |= look->attributes[i] == prices->members[prices->first[g]];
        CHECK(there || money + prices->cost[g] > cases[c].spend);
      }
    }
    CHECK(gaussian_of(l)->chosen_at > 0 && gaussian_of(l)->looks.examples == 160);
    scant_look_free(look);
    scant_learner_free(l);
  }
  scant_prices_free(prices);
  sample_free(&s);
}

/* Where each costs one, money is attributes; and prices without a limit of money change nothing. */
TEST(equal_prices_are_as_none) {
  uint64_t even[D];
  sample s = sample_new(N, D, 2);
  for (size_t j = 0; j < D; j++) even[j] = 300;
  scant_prices *prices = make_prices(even, NULL);
  scant_learner *a = open_learner("k=4", D), *b = priced("k=4", prices), *c = priced("k=4 thrift=no", prices);
  scant_look *look[3] = {look_for(a), look_for(b), look_for(c)};
  for (size_t row = 0; row < 120; row++) {
    CHECK(learn_row(a, look[0], &s, row) == SCANT_OK);
    CHECK(learn_row(b, look[1], &s, row) == SCANT_OK && learn_row(c, look[2], &s, row) == SCANT_OK);
    for (int i = 1; i < 3; i++) CHECK(!memcmp(look[0]->attributes, look[i]->attributes, 4 * sizeof(uint32_t)));
  }
  for (int i = 0; i < 3; i++) scant_look_free(look[i]);
  scant_learner_free(a);
  scant_learner_free(b);
  scant_learner_free(c);
  scant_prices_free(prices);
  sample_free(&s);
}

/* Every second attribute is cheap, and worth a little less, but not by as much as it is cheaper. */
TEST(thrift_prefers_what_is_cheap) {
  enum { ROWS = 700 };
  static const char *const lists[] = {"k=2 budget-cost=500", "k=2 budget-cost=500 thrift=no", "spend=16",
                                      "spend=16 thrift=no"};
  double cheap[4], followed[4][2] = {{0}};
  uint64_t cost[D], seed = 3;
  sample s = {ROWS, D, calloc(ROWS * D, sizeof(double)), calloc(ROWS, sizeof(double))};
  for (size_t j = 0; j < D; j++) cost[j] = j % 2 ? 100 : 800;
  for (size_t row = 0; row < ROWS; row++) {
    double *x = s.x + row * D;
    s.y[row] = random_normal(&seed);
    for (size_t j = 0; j < D; j++) s.y[row] += (j % 2 ? 1 : 1.5) * (x[j] = random_normal(&seed));
  }
  scant_prices *prices = make_prices(cost, NULL);
  for (size_t r = 0; r < 4; r++) {
    scant_learner *l = priced(lists[r], prices);
    double looks[2] = {0};
    teach(l, &s, 0, ROWS);
    for (size_t j = 0; j < D; j++) {
      looks[j % 2] += (double)l->moments[j].count;
      followed[r][j % 2] += gaussian_of(l)->follow[j];
      CHECK(l->moments[j].count > 15); /* it is not given up */
    }
    cheap[r] = looks[1] / (looks[0] + looks[1]);
    scant_learner_free(l);
  }
  CHECK(cheap[0] > 0.6 && cheap[1] < 0.5 && cheap[2] > cheap[3]);
  CHECK(followed[0][1] > followed[0][0] && followed[1][1] < followed[1][0]);
  CHECK(followed[2][1] == D / 2 && followed[3][1] < D / 2 && followed[2][0] > 0);
  scant_prices_free(prices);
  sample_free(&s);
}

/* All members of a group are learned from, and so is what is free. */
TEST(members_of_a_group_get_weights) {
  uint64_t cost[D], seed = 4;
  uint32_t group[D];
  enum { ROWS = 1500 };
  sample s = {ROWS, D, calloc(ROWS * D, sizeof(double)), calloc(ROWS, sizeof(double))};
  for (size_t j = 0; j < D; j++) cost[j] = j ? 100 : 0, group[j] = j >= 3 && j < 6;
  for (size_t row = 0; row < ROWS; row++) {
    double *x = s.x + row * D;
    for (size_t j = 0; j < D; j++) x[j] = random_normal(&seed);
    s.y[row] = x[0] + x[3] - x[4] + 2 * x[5] + random_normal(&seed) / 2;
  }
  scant_prices *prices = make_prices(cost, group);
  scant_learner *l = priced("k=2", prices);
  teach(l, &s, 0, ROWS);
  CHECK(scant_learner_finish(l, &error) == SCANT_OK);
  double w[D], intercept;
  scant_learner_weights(l, w, &intercept);
  CHECK(l->moments[0].count == ROWS && l->moments[3].count == l->moments[5].count);
  CHECK(l->moments[4].count > ROWS / 4 && gaussian_of(l)->follow[prices->item[3]] == 1);
  CHECK_NEAR(w[0], 1, 0.2);
  CHECK_NEAR(w[3], 1, 0.3);
  CHECK_NEAR(w[4], -1, 0.3);
  CHECK_NEAR(w[5], 2, 0.3);
  scant_learner_free(l);
  scant_prices_free(prices);
  sample_free(&s);
}

TEST(a_learner_that_was_kept_goes_on_the_same) {
  static const char *const lists[] = {"k=3", "spend=26", "k=4 spend=40 thrift=no", "k=3 budget-cost=900"};
  sample s = sample_new(N, D, 5);
  scant_prices *prices = make_prices(costs, groups);
  for (size_t r = 0; r < 4; r++)
    for (size_t after = 0; after < 90; after += 29) {
      scant_settings settings = gaussian(lists[r]);
      scant_learner *a = priced(lists[r], prices), *b = NULL;
      teach(a, &s, 0, after);
      if (!CHECK(engine_reload(a, &settings, &b, &error) == SCANT_OK)) printf("#   %s\n", error.text);
      scant_look *look[2] = {look_for(a), look_for(b)};
      for (size_t row = after; row < after + 40; row++) {
        CHECK(learn_row(a, look[0], &s, row) == SCANT_OK && learn_row(b, look[1], &s, row) == SCANT_OK);
        CHECK(look[0]->count == look[1]->count &&
              !memcmp(look[0]->attributes, look[1]->attributes, look[0]->count * sizeof(uint32_t)));
      }
      CHECK(same_state(a, b));
      for (int i = 0; i < 2; i++) scant_look_free(look[i]);
      scant_learner_free(a);
      scant_learner_free(b);
    }
  scant_prices_free(prices);
  sample_free(&s);
}

/* A cell that is missing is no value, whatever it cost; the others of its group are. */
TEST(missing_cells_of_a_group_are_left_out) {
  scant_prices *prices = make_prices(costs, groups);
  scant_learner *l = priced("spend=1000", prices);
  scant_look *look = look_for(l);
  double values[D];
  CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count == D);
  for (uint32_t i = 0; i < D; i++) values[i] = look->attributes[i] == 5 ? NAN : (double)look->attributes[i];
  CHECK(scant_learner_tell(l, look, D, NULL, values, 1, &error) == SCANT_OK);
  CHECK(gaussian_of(l)->looks.size[0] == D - 1 && l->moments[5].count == 0 && l->moments[6].count == 1);
  scant_look_free(look);
  scant_learner_free(l);
  scant_prices_free(prices);
}

TEST(what_can_not_be_kept_is_refused) {
  uint64_t free_of_all[D] = {0};
  uint32_t one[D];
  for (size_t j = 0; j < D; j++) one[j] = 1;
  scant_prices *prices = make_prices(costs, groups), *nothing = make_prices(free_of_all, NULL),
               *together = make_prices(costs, one);
  scant_learner *l = open_learner("spend=1.25", D);
  scant_look *look = look_for(l);
  CHECK(scant_learner_price(l, prices, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "spend 1.25 is less than the two cheapest looks cost together, 1.26");
  CHECK(scant_learner_ask(l, look, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "must know prices");
  scant_look_free(look);
  scant_learner_free(l);
  refused(gaussian("observed=yes spend=30"), D, SCANT_USAGE, "it takes no spend");
  refused(gaussian("observed=yes thrift=no"), D, SCANT_USAGE, "it takes no no-thrift");
  refused(gaussian(""), D, SCANT_USAGE, "or spend: how much money; or observed");
  /* if all is free, or one group, every look is at everything */
  const scant_prices *all[2] = {nothing, together};
  for (int i = 0; i < 2; i++) {
    uint32_t paid;
    l = priced("k=2", all[i]);
    look = look_for(l);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count == D);
    check_look(look, all[i], &paid);
    scant_look_free(look);
    scant_learner_free(l);
  }
  scant_prices_free(prices);
  scant_prices_free(nothing);
  scant_prices_free(together);
}

/* A group may be larger than K. */
TEST(memory_is_checked_with_the_prices) {
  enum { WIDE = 400 };
  static uint64_t cost[WIDE];
  static uint32_t group[WIDE];
  for (size_t j = 0; j < WIDE; j++) cost[j] = 100, group[j] = 1;
  scant_prices *together = NULL, *apart = NULL;
  CHECK(scant_prices_new(&together, WIDE, cost, group, &error) == SCANT_OK);
  CHECK(scant_prices_new(&apart, WIDE, cost, NULL, &error) == SCANT_OK);
  scant_settings s = gaussian("k=2 memory=0.025");
  scant_learner *l = NULL;
  CHECK(scant_learner_new(&l, &s, WIDE, 1000, &error) == SCANT_OK);
  CHECK(scant_learner_price(l, together, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "option memory allows");
  CHECK(!scant_learner_prices(l));
  CHECK(scant_learner_price(l, apart, &error) == SCANT_OK);
  scant_learner_free(l);
  scant_prices_free(together);
  scant_prices_free(apart);
}

/* ---- out of memory ---------------------------------------------------------------------- */

static const scant_prices *failing_prices;
static sample failing_sample;

static scant_status run_priced(void) {
  scant_settings s = gaussian("spend=30");
  scant_learner *l = NULL;
  scant_look *look = NULL;
  scant_status status = scant_learner_new(&l, &s, D, 0, &error);
  if (status == SCANT_OK) status = scant_learner_price(l, failing_prices, &error);
  if (status == SCANT_OK) status = scant_look_new(&look, l, &error);
  for (size_t row = 0; status == SCANT_OK && row < 24; row++) status = learn_row(l, look, &failing_sample, row);
  digest = status == SCANT_OK ? look->attributes[look->count - 1] + 100 * look->count : 0;
  scant_look_free(look);
  scant_learner_free(l);
  return status;
}

TEST(memory_may_be_short) {
  scant_prices *prices = make_prices(costs, groups);
  failing_prices = prices;
  failing_sample = sample_new(N, D, 6);
  CHECK(fail_until_none(run_priced, 8) > 20);
  sample_free(&failing_sample);
  scant_prices_free(prices);
}

int main(void) {
  RUN(looks_are_of_whole_items_within_k_and_money);
  RUN(equal_prices_are_as_none);
  RUN(thrift_prefers_what_is_cheap);
  RUN(members_of_a_group_get_weights);
  RUN(a_learner_that_was_kept_goes_on_the_same);
  RUN(missing_cells_of_a_group_are_left_out);
  RUN(what_can_not_be_kept_is_refused);
  RUN(memory_is_checked_with_the_prices);
  RUN(memory_may_be_short);
  return check_done();
}
