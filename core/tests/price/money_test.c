/* Money: amounts, items, how much costs matter, the meter's limits, learners with
 * prices, and looks of items that come back damaged. */
#include "data/meter.h"
#include "price/prices.h"
#include "support.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS };

static table data;
static scant_error error;

static scant_prices *prices_of(size_t d, const uint64_t *costs, const uint32_t *panels) {
  scant_prices *p = NULL;
  if (!CHECK(scant_prices_new(&p, d, costs, panels, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return p;
}

/* ---- amounts and items ---------------------------------------------------------- */

TEST(amounts_have_two_decimals) {
  static const struct {
    double amount;
    uint64_t hundredths;
  } good[] = {{0, 0},
              {0.01, 1},
              {0.1, 10},
              {0.29, 29},
              {1.1, 110},
              {19.99, 1999},
              {1e8 + 0.01, 10000000001},
              {99999999.99, 9999999999},
              {12345678901.23, 1234567890123},
              {1e13, 1000000000000000}};
  static const double bad[] = {0.001,    0.005,     1.234, -0.01,        -1,    1e-9,   0.010000001,        1e14, 1e300,
                               INFINITY, -INFINITY, NAN,   99999999.991, 2.675, 1e-300, 0.30000000000000004};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    uint64_t hundredths = 77;
    if (!CHECK(scant_money_of(good[i].amount, &hundredths) && hundredths == good[i].hundredths))
      printf("#   %.17g\n", good[i].amount);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    uint64_t hundredths = 77;
    if (!CHECK(!scant_money_of(bad[i], &hundredths) && hundredths == 77)) printf("#   %.17g\n", bad[i]);
  }
}

TEST(items_are_numbered_by_their_first_attributes) {
  static const uint64_t costs[7] = {5, 0, 7, 11, 0, 13, 1};
  static const uint32_t panels[7] = {0, 7, 2, 0, 7, 2, 5};
  static const uint32_t items[7] = {0, 1, 2, 3, 1, 2, 4}, firsts[6] = {0, 1, 3, 5, 6, 7};
  static const uint32_t members[7] = {0, 1, 4, 2, 5, 3, 6};
  static const uint64_t prices[5] = {5, 0, 20, 11, 1};
  scant_prices *p = prices_of(7, costs, panels);
  CHECK(p->items == 5 && p->paid == 4 && p->total == 37 && p->dearest_two == 31 && p->cheapest_two == 6);
  CHECK(memcmp(p->item, items, sizeof items) == 0 && memcmp(p->first, firsts, sizeof firsts) == 0);
  CHECK(memcmp(p->members, members, sizeof members) == 0 && memcmp(p->cost, prices, sizeof prices) == 0);
  scant_prices *copy = scant_prices_copy(p);
  scant_prices_free(p);
  for (size_t i = 0; i < 7; i++)
    CHECK(scant_prices_cost(copy, i) == costs[i] && scant_prices_group(copy, i) == panels[i]);
  CHECK(copy->dearest_two == 31);
  scant_prices_free(copy);
  p = prices_of(3, (uint64_t[]){4, 9, 9}, NULL); /* two that cost the same */
  CHECK(p->items == 3 && p->dearest_two == 18 && p->cheapest_two == 13);
  scant_prices_free(p);
  p = prices_of(1, (uint64_t[]){4}, NULL);
  CHECK(p->dearest_two == 4 && p->cheapest_two == 4);
  scant_prices_free(p);
  p = prices_of(5, (uint64_t[]){7, 0, 3, 9, 3}, NULL); /* what is free does not count */
  CHECK(p->dearest_two == 16 && p->cheapest_two == 6);
  scant_prices_free(p);
  p = prices_of(2, (uint64_t[]){0, 0}, NULL);
  CHECK(p->dearest_two == 0 && p->cheapest_two == 0);
  scant_prices_free(p);
  scant_prices_free(NULL);
}

TEST(costs_that_can_not_be_counted_are_refused) {
  const uint64_t most = SCANT_MONEY_MOST;
  const uint64_t costs[][3] = {{most + 1, 0, 0}, {0, UINT64_MAX, 0}, {most, 1, 0}, {UINT64_MAX, UINT64_MAX, 2}};
  char mark;
  scant_prices *const untouched = (scant_prices *)(void *)&mark;
  scant_prices *p = untouched;
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    CHECK(scant_prices_new(&p, 3, costs[i], NULL, &error) == SCANT_DATA && p == untouched);
    CHECK_SAYS(error.text, "counted");
  }
  CHECK(scant_prices_new(&p, 3, (uint64_t[]){1, 1, 1}, (uint32_t[]){0, 4, 0}, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "group 4");
  CHECK(scant_prices_new(&p, 3, (uint64_t[]){1, 1, 1}, (uint32_t[]){0, UINT32_MAX, 0}, NULL) == SCANT_DATA);
  p = prices_of(3, (uint64_t[]){most - 1, 1, 0}, (uint32_t[]){3, 3, 3});
  CHECK(p->items == 1 && p->total == most && p->dearest_two == most);
  scant_prices_free(p);
}

/* ---- how much costs matter -------------------------------------------------------- */

static double expected_price(const scant_prices *p, double rate) {
  double money = 0, sum = 0, mean = (double)p->total / (double)p->paid;
  for (size_t g = 0; g < p->items; g++) {
    double q = p->cost[g] ? 1 / sqrt(1 + rate * (double)p->cost[g] / mean) : 0;
    money += q * (double)p->cost[g];
    sum += q;
  }
  return money / sum;
}

TEST(costs_matter_as_little_as_money_allows) {
  scant_prices *p = prices_of(5, (uint64_t[]){100, 0, 400, 900, 200}, NULL);
  CHECK(scant_thrift_rate(p, INFINITY) == 0 && scant_thrift_rate(p, 400) == 0); /* 400 is the mean */
  CHECK(scant_thrift_look_price(p, 0) == 400);
  for (double affordable = 399; affordable > 295; affordable -= 20) { /* 292 at least */
    double rate = scant_thrift_rate(p, affordable);
    CHECK(rate > 0);
    CHECK_NEAR(expected_price(p, rate), affordable, 1e-6 * affordable);
    CHECK_NEAR(scant_thrift_look_price(p, rate), expected_price(p, rate), 1e-9);
  }
  double most = scant_thrift_rate(p, 0); /* not to be had: as cheap as it gets, q ~ 1/sqrt(cost) */
  CHECK_NEAR(scant_thrift_discount(p, 0, most) / scant_thrift_discount(p, 3, most), 3, 1e-4);
  CHECK(scant_thrift_discount(p, 1, most) == 1 && scant_thrift_discount(p, 3, 0) == 1);
  scant_prices_free(p);
  p = prices_of(2, (uint64_t[]){0, 0}, NULL);
  CHECK(scant_thrift_rate(p, 0) == 0 && scant_thrift_look_price(p, 1) == 0 && scant_thrift_discount(p, 0, 5) == 1);
  scant_prices_free(p);
}

TEST(money_for_a_look_is_the_scarcer_of_two) {
  scant_prices *p = prices_of(6, (uint64_t[]){100, 0, 400, 900, 200, 300}, (uint32_t[]){0, 0, 0, 0, 1, 1});
  static const struct {
    const char *list;
    uint64_t horizon, spend;
    double affordable;
  } cases[] = {{"k=2", 10, 0, INFINITY},
               {"k=2 thrift=no spend=20", 10, 2000, INFINITY},
               {"k=2 spend=20", 10, 2000, 1000},
               {"k=4 spend=20 passes=2", 10, 1000, 500},
               {"k=6 spend=20.01 passes=3", 10, 667, 333.5},
               {"k=4 spend=20", 10, 2000, 500},
               {"spend=20 k=6", 10, 2000, 500}, /* four items cost something */
               {"k=2 budget-cost=100", 10, 0, 500},
               {"k=6 budget-cost=100", 10, 0, 250}, /* of four items */
               {"k=2 budget-cost=100 spend=5", 10, 500, 250},
               {"k=2 budget-cost=10 spend=5", 10, 500, 50},
               {"k=2 budget-cost=100", 0, 0, 0}}; /* no horizon: as if it were short */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scant_settings s = settings_from("algorithm=auto");
    settings_add(&s, cases[i].list);
    double found = scant_thrift_affordable(p, &s, cases[i].horizon);
    if (!CHECK(found == cases[i].affordable)) printf("#   %s: %.17g\n", cases[i].list, found);
    CHECK(scant_thrift_spend(&s) == cases[i].spend);
  }
  scant_prices_free(p);
}

/* ---- the law -------------------------------------------------------------------------- */

static const uint64_t COSTS[D] = {0, 100, 200, 300, 400, 500, 600, 50, 50, 50, 1000, 25};
static const uint32_t PANELS[D] = {0, 0, 0, 2, 0, 2, 0, 7, 7, 7, 0, 0};
enum { ITEMS = 9, DEAREST_TWO = 1800 };

static scant_learner *priced_learner(const char *list, const scant_prices *p) {
  scant_learner *learner = learner_from(list, D, N);
  if (!CHECK(scant_learner_price(learner, p, &error) == SCANT_OK)) printf("#   %s: %s\n", list, error.text);
  return learner;
}

TEST(where_money_is_ample_the_law_ignores_costs) {
  scant_prices *p = prices_of(D, COSTS, PANELS);
  static const char *const ample[] = {"algorithm=auto k=4", "algorithm=auto k=4 spend=100",
                                      "algorithm=ridge k=4 budget-cost=100000",
                                      "algorithm=lasso k=3 thrift=no spend=18"};
  CHECK(p->items == ITEMS && p->dearest_two == DEAREST_TWO);
  for (size_t i = 0; i < 4; i++) {
    scant_learner *learner = priced_learner(ample[i], p);
    for (size_t g = 0; g < ITEMS; g++) {
      double root = sqrt(p->first[g + 1] - p->first[g]); /* a panel of n is worth sqrt(n) */
      CHECK_NEAR(learner->looks.law.explore[g], root, 1e-12);
    }
    scant_learner_free(learner);
  }
  /* A budget that does not pay for the dearest look every time: rate 1 or more. */
  scant_settings tight = settings_from("algorithm=auto k=4 budget-cost=500");
  CHECK(scant_thrift_rate(p, scant_thrift_affordable(p, &tight, 20)) == 0 && scant_thrift_choose(p, &tight, 20) == 1);
  CHECK(scant_thrift_choose(p, &tight, 1000) > 1 && scant_thrift_choose(p, &tight, 5) == 0);
  scant_learner *learner = priced_learner("algorithm=auto spend=20", p);
  CHECK(learner->looks.law.explore[1] > 3 * learner->looks.law.explore[7]);
  CHECK(learner->looks.law.market.expected < 9);
  scant_learner_free(learner);
  scant_prices_free(p);
}

/* ---- the meter ----------------------------------------------------------------------- */

static scant_look *look_at(uint32_t count, const uint32_t *attributes) {
  static uint32_t copy[D];
  static scant_look look;
  memcpy(copy, attributes, count * sizeof *copy);
  look = (scant_look){.count = count, .draws = count, .attributes = copy};
  return &look;
}
#define LOOK(...) look_at(sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static scant_status buy(scant_meter *meter, size_t row, const scant_look *look) {
  double values[D], y;
  error.text[0] = 0;
  return scant_meter_buy(meter, row, look, values, &y, &error);
}

TEST(the_meter_keeps_its_limits) {
  scant_source *source = table_source(&data);
  scant_prices *p = prices_of(D, COSTS, PANELS), *other = prices_of(2, COSTS, NULL);
  scant_meter *meter = NULL;
  CHECK(scant_meter_new(&meter, source, 3, 0, &error) == SCANT_OK);
  CHECK(scant_meter_price(meter, other, 1, 1, &error) == SCANT_DATA && !meter->prices && !meter->spend);
  CHECK(scant_meter_price(meter, p, 1500, 2600, &error) == SCANT_OK);
  CHECK(buy(meter, 0, LOOK(0, 3, 5, 1)) == SCANT_OK); /* free, a panel, one */
  CHECK(meter->ledger.money_spent == 900 && meter->ledger.attributes_bought == 2);
  CHECK(buy(meter, 0, LOOK(10)) == SCANT_SPENT);
  CHECK_SAYS(error.text, "9.00 of 15.00");
  CHECK(buy(meter, 0, LOOK(1, 2)) == SCANT_SPENT); /* K: two of three are bought */
  CHECK_SAYS(error.text, "2 of its 3");
  CHECK(buy(meter, 0, LOOK(0)) == SCANT_OK && buy(meter, 0, LOOK(6)) == SCANT_OK); /* to the hundredth */
  CHECK(meter->ledger.money_spent == 1500 && meter->ledger.max_bought_per_example == 3);
  CHECK(buy(meter, 1, LOOK(10, 1, 11)) == SCANT_SPENT);
  CHECK_SAYS(error.text, "budget");
  CHECK(buy(meter, 2, LOOK(10, 1)) == SCANT_OK && meter->ledger.money_spent == 2600);
  CHECK(buy(meter, 3, LOOK(11)) == SCANT_SPENT && buy(meter, 3, LOOK(0)) == SCANT_OK);
  CHECK(buy(meter, 4, LOOK(D)) == SCANT_MISUSE && buy(meter, 4, LOOK(0, UINT32_MAX)) == SCANT_MISUSE);
  const uint64_t wanted[D] = {3, 2, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0};
  CHECK(memcmp(scant_meter_purchases(meter), wanted, sizeof wanted) == 0);
  CHECK(meter->ledger.examples == 5 && meter->ledger.distinct_examples == 3);
  scant_meter_free(meter);
  scant_source_free(source);
  scant_prices_free(p);
  scant_prices_free(other);
}

TEST(one_member_of_a_panel_costs_the_panel) {
  scant_source *source = table_source(&data);
  scant_prices *p = prices_of(D, COSTS, PANELS);
  scant_meter *meter = NULL;
  CHECK(scant_meter_new(&meter, source, 0, 0, &error) == SCANT_OK);
  CHECK(scant_meter_price(meter, p, 0, 0, &error) == SCANT_OK);
  CHECK(buy(meter, 0, LOOK(5)) == SCANT_OK && buy(meter, 1, LOOK(9, 1, 7)) == SCANT_OK);
  CHECK(meter->ledger.money_spent == 800 + 250 && meter->ledger.attributes_bought == 3);
  const uint64_t wanted[D] = {0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0};
  CHECK(memcmp(scant_meter_purchases(meter), wanted, sizeof wanted) == 0);
  meter->ledger.money_spent = SCANT_MONEY_MOST - 1; /* the sum itself can't be exceeded either */
  CHECK(buy(meter, 2, LOOK(1)) == SCANT_DATA && meter->ledger.examples == 2);
  CHECK_SAYS(error.text, "counted");
  scant_meter_free(meter);
  scant_source_free(source);
  scant_prices_free(p);
}

/* ---- learners -------------------------------------------------------------------------- */

TEST(prices_at_the_wrong_time_or_place_are_refused) {
  scant_prices *p = prices_of(D, COSTS, PANELS), *few = prices_of(D - 1, COSTS, PANELS);
  static const char *const rows[] = {"k=4", "algorithm=aesvr k=9", "algorithm=coinflip k=4", "algorithm=online-ridge"};
  for (size_t i = 0; i < 4; i++) {
    scant_learner *learner = learner_from(rows[i], D, N);
    CHECK(scant_learner_price(learner, p, &error) == SCANT_USAGE);
    CHECK_SAYS(error.text, "do not follow prices");
    scant_learner_free(learner);
  }
  scant_learner *learner = learner_from("algorithm=auto k=4 spend=17.99", D, N);
  scant_look *look = look_for(learner);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_MISUSE); /* a limit that can't be kept yet */
  CHECK_SAYS(error.text, "prices");
  CHECK(scant_learner_price(learner, few, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "11 attributes, not of 12");
  CHECK(scant_learner_price(learner, p, &error) == SCANT_DATA && !learner->looks.law.market.prices);
  CHECK_SAYS(error.text, "17.99 is less than the two dearest looks cost together, 18.00");
  scant_look_free(look);
  scant_learner_free(learner);
  learner = learner_from("algorithm=auto k=4 spend=35.99 passes=2", D, N);
  CHECK(scant_learner_price(learner, p, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "17.99 per pass");
  scant_learner_free(learner);
  learner = learner_from("algorithm=auto k=12 spend=0.01 passes=2", D, N); /* nothing left of it */
  CHECK(scant_learner_price(learner, p, &error) == SCANT_DATA);
  scant_learner_free(learner);
  learner = learner_from("algorithm=auto k=4", D, N);
  look = look_for(learner);
  learn_rows(learner, look, &data, 0, 1);
  CHECK(scant_learner_price(learner, p, &error) == SCANT_MISUSE);
  scant_look_free(look);
  scant_learner_free(learner);
  scant_prices_free(p);
  scant_prices_free(few);
}

TEST(spend_alone_needs_two_looks_a_visit) {
  scant_settings s = settings_from("algorithm=auto spend=100 passes=7"), one = settings_from("algorithm=auto spend=9");
  scant_learner *learner = NULL;
  CHECK(scant_learner_new(&learner, &s, D, N, &error) == SCANT_DATA && !learner);
  CHECK_SAYS(error.text, "fewer than 2");
  CHECK(scant_learner_new(&learner, &one, 1, N, &error) == SCANT_DATA && !learner);
}

TEST(a_look_is_told_to_a_learner_with_the_same_prices) {
  scant_prices *p = prices_of(D, COSTS, PANELS), *q = prices_of(D, COSTS, NULL);
  scant_learner *one = priced_learner("algorithm=auto k=4", p), *same = priced_learner("algorithm=auto k=4", p);
  scant_learner *other = priced_learner("algorithm=auto k=4", q), *none = learner_from("algorithm=auto k=4", D, N);
  CHECK(one->tag == same->tag && one->tag != other->tag && one->tag != none->tag);
  scant_learner *const all[] = {one, same, other, none};
  for (size_t i = 0; i < 4; i++) scant_learner_free(all[i]);
  scant_prices_free(p);
  scant_prices_free(q);
}

/* ---- damaged looks ----------------------------------------------------------------------- */

/* Places in a look of the items {3, 5}, {7, 8, 9} and others. */
static uint32_t place_of(const scant_look *look, uint32_t attribute) {
  uint32_t i = 0;
  while (i < look->count && look->attributes[i] != attribute) i++;
  return i;
}
static void copy_place(scant_look *to, uint32_t i, const scant_look *from, uint32_t j) {
  to->attributes[i] = from->attributes[j];
  to->item[i] = from->item[j];
  to->gradient_draws[i] = from->gradient_draws[j];
  to->residual_draws[i] = from->residual_draws[j];
  to->gradient_probability[i] = from->gradient_probability[j];
  to->residual_probability[i] = from->residual_probability[j];
  to->weight[i] = from->weight[j];
  to->mean[i] = from->mean[j];
}
static void swap(scant_look *look, uint32_t i, uint32_t j) {
  scant_look *before = look_copy(look);
  copy_place(look, i, before, j);
  copy_place(look, j, before, i);
  scant_look_free(before);
}
static void members_apart(scant_look *look) {
  swap(look, place_of(look, 8), place_of(look, 0));
}
static void members_turned(scant_look *look) {
  swap(look, place_of(look, 8), place_of(look, 9));
}
static void member_missing(scant_look *look) {
  swap(look, place_of(look, 9), look->count - 1);
  look->count--;
}
static void item_of_another(scant_look *look) {
  look->item[place_of(look, 8)] = 0;
}
static void item_past_the_end(scant_look *look) {
  look->item[place_of(look, 7)] = ITEMS;
}
static void drawn_apart(scant_look *look) {
  look->gradient_draws[place_of(look, 8)] += 1;
}
static void likely_apart(scant_look *look) {
  look->gradient_probability[place_of(look, 8)] /= 2;
}
static void twice(scant_look *look) {
  copy_place(look, place_of(look, 0), look, place_of(look, 11));
}
static void drawn_once(scant_look *look) {
  look->gradient_total = 1;
}
static void drawn_more_than_that(scant_look *look) {
  look->gradient_total--;
}

TEST(damaged_looks_of_items_are_refused) {
  void (*const damages[])(scant_look *) = {members_apart,     members_turned,      member_missing, item_of_another,
                                           item_past_the_end, drawn_apart,         likely_apart,   twice,
                                           drawn_once,        drawn_more_than_that};
  scant_prices *p = prices_of(D, COSTS, PANELS);
  scant_learner *learner = priced_learner("algorithm=auto k=3 spend=25", p);
  scant_look *look = look_for(learner);
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    int found = 0; /* a look with what the damages need */
    for (int tries = 0; tries < 1000 && !found; tries++) {
      CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
      uint32_t panel = place_of(look, 8);
      found = panel < look->count && place_of(look, 11) < look->count && look->gradient_total >= 3 &&
              look->gradient_draws[panel];
      if (!found) scant_learner_cancel(learner, look, &error);
    }
    if (!CHECK(found)) break;
    scant_look *damaged = look_copy(look);
    char *before = learner_text(learner);
    damages[i](damaged);
    if (!CHECK(scant_learner_tell(learner, damaged, damaged->count, NULL, data.x[0], 1, &error) == SCANT_MISUSE))
      printf("#   damage %zu was taken\n", i);
    CHECK_SAYS(error.text, "look");
    char *after = learner_text(learner);
    CHECK(strcmp(before, after) == 0);
    CHECK(scant_learner_tell(learner, look, look->count, NULL, data.x[0], 1, &error) == SCANT_OK);
    free(before);
    free(after);
    scant_look_free(damaged);
  }
  scant_look_free(look);
  scant_learner_free(learner);
  scant_prices_free(p);
}

int main(void) {
  table_fill(&data, 9);
  RUN(amounts_have_two_decimals);
  RUN(items_are_numbered_by_their_first_attributes);
  RUN(costs_that_can_not_be_counted_are_refused);
  RUN(costs_matter_as_little_as_money_allows);
  RUN(money_for_a_look_is_the_scarcer_of_two);
  RUN(where_money_is_ample_the_law_ignores_costs);
  RUN(the_meter_keeps_its_limits);
  RUN(one_member_of_a_panel_costs_the_panel);
  RUN(prices_at_the_wrong_time_or_place_are_refused);
  RUN(spend_alone_needs_two_looks_a_visit);
  RUN(a_look_is_told_to_a_learner_with_the_same_prices);
  RUN(damaged_looks_of_items_are_refused);
  return check_done();
}
