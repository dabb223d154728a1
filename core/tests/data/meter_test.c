/* The meter: K, the budget and the ledger; nothing is read that is not paid. */
#include "support.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS };

static table data;
static scant_error error;
static recorder record;
static scant_source *source;
static scant_meter *meter;

static void start(uint64_t k, uint64_t budget) {
  record = (recorder){.table = &data};
  source = recorder_source(&record);
  CHECK(scant_meter_new(&meter, source, k, budget, &error) == SCANT_OK);
}

static void stop(void) {
  scant_meter_free(meter);
  scant_source_free(source);
}

/* A look at `count` attributes from `first` on, around the end. */
static scant_look *look_at(uint32_t first, uint32_t count) {
  static uint32_t attributes[D];
  static scant_look look;
  for (uint32_t i = 0; i < count; i++) attributes[i] = (first + i) % D;
  look = (scant_look){.count = count, .draws = count + 3, .attributes = attributes};
  return &look;
}

static scant_status buy(size_t row, const scant_look *look) {
  double values[D], y = NAN;
  error.text[0] = 0;
  scant_status status = scant_meter_buy(meter, row, look, values, &y, &error);
  if (status != SCANT_OK) return status;
  for (uint32_t i = 0; i < look->count; i++) CHECK(values[i] == data.x[row][look->attributes[i]]);
  CHECK(y == data.y[row]);
  return status;
}

/* The ledger says `bought` in all, and so do its purchases and the source. */
static void check_ledger(uint64_t examples, uint64_t bought, uint64_t most) {
  const scant_ledger *ledger = scant_meter_ledger(meter);
  const uint64_t *purchases = scant_meter_purchases(meter);
  uint64_t sum = 0, read = 0;
  int differ = 0;
  for (size_t i = 0; i < D; i++) {
    uint64_t column = 0;
    for (size_t row = 0; row < N; row++) column += record.cells[row][i];
    sum += purchases[i];
    read += column;
    differ += column != purchases[i];
  }
  CHECK(ledger->examples == examples);
  CHECK(ledger->looks_drawn == bought + 3 * examples);
  CHECK(ledger->attributes_bought == bought);
  CHECK(ledger->max_bought_per_example == most);
  CHECK(sum == bought && read == bought && differ == 0);
}

/* Refused: nothing was read, nothing charged. */
static void check_refused(size_t row, const scant_look *look, scant_status wanted, const char *words) {
  scant_ledger before = *scant_meter_ledger(meter);
  uint64_t purchases[D];
  memcpy(purchases, scant_meter_purchases(meter), sizeof purchases);
  size_t calls = record.calls;
  CHECK(buy(row, look) == wanted);
  CHECK_SAYS(error.text, words);
  CHECK(wanted == SCANT_IO || record.calls == calls);
  CHECK(memcmp(&before, scant_meter_ledger(meter), sizeof before) == 0);
  CHECK(memcmp(purchases, scant_meter_purchases(meter), sizeof purchases) == 0);
  CHECK(scant_meter_buy(meter, row, look, (double[D]){0}, &(double){0}, NULL) == wanted || wanted == SCANT_IO);
}

TEST(an_example_sells_no_more_than_k_over_all_passes) {
  start(5, 0);
  CHECK(buy(3, look_at(0, 3)) == SCANT_OK);
  check_refused(3, look_at(5, 3), SCANT_SPENT, "example 4");
  CHECK(buy(3, look_at(1, 2)) == SCANT_OK); /* another visit; an attribute bought again is paid again */
  check_refused(3, look_at(0, 1), SCANT_SPENT, "5 of its 5");
  CHECK(buy(3, look_at(0, 0)) == SCANT_OK); /* nothing costs nothing */
  check_ledger(3, 5, 5);
  check_refused(4, look_at(0, 6), SCANT_SPENT, "6 more");
  CHECK(buy(4, look_at(0, 5)) == SCANT_OK);
  check_ledger(4, 10, 5);
  for (size_t row = 5; row < N; row++) CHECK(buy(row, look_at((uint32_t)row, 5)) == SCANT_OK);
  check_ledger(4 + N - 5, 10 + 5 * (N - 5), 5);
  stop();
}

TEST(the_budget_holds_for_all_examples) {
  start(0, 20);
  for (size_t row = 0; row < 3; row++) CHECK(buy(row, look_at(0, 6)) == SCANT_OK);
  check_refused(3, look_at(0, 3), SCANT_SPENT, "18 of the budget of 20");
  CHECK(buy(3, look_at(0, 2)) == SCANT_OK); /* exactly spent */
  check_refused(0, look_at(0, 1), SCANT_SPENT, "20 of the budget of 20");
  CHECK(buy(0, look_at(0, 0)) == SCANT_OK);
  check_ledger(5, 20, 6);
  stop();
}

TEST(without_limits_everything_is_sold_and_counted) {
  start(0, 0);
  for (int pass = 0; pass < 4; pass++)
    for (size_t row = 0; row < N; row++) CHECK(buy(row, look_at(0, D)) == SCANT_OK);
  check_ledger(4 * N, 4 * N * D, 4 * D);
  stop();
}

TEST(both_limits_hold_at_once) {
  start(4, 10);
  CHECK(buy(0, look_at(0, 4)) == SCANT_OK);
  check_refused(0, look_at(0, 1), SCANT_SPENT, "example 1");
  CHECK(buy(1, look_at(0, 4)) == SCANT_OK);
  check_refused(2, look_at(0, 4), SCANT_SPENT, "budget");
  CHECK(buy(2, look_at(0, 2)) == SCANT_OK);
  check_ledger(3, 10, 4);
  stop();
}

TEST(what_could_not_be_read_is_not_charged) {
  start(4, 100);
  CHECK(buy(0, look_at(0, 4)) == SCANT_OK);
  record.fail_at = 2;
  check_refused(1, look_at(0, 4), SCANT_IO, "the line is dead");
  stop();
}

/* A look at attributes 0 to 3 of row 1 is refused, with these words; it is paid all the same. */
static void check_refused_and_paid(const char *words) {
  const scant_ledger *l = scant_meter_ledger(meter);
  scant_ledger before = *l;
  uint64_t calls = record.calls;
  CHECK(buy(1, look_at(0, 4)) == SCANT_DATA);
  CHECK_SAYS(error.text, words);
  CHECK(record.calls == calls + 1 && record.visits[calls] == 1);
  CHECK(l->examples == before.examples + 1 && l->distinct_examples == 1);
  CHECK(l->looks_drawn == before.looks_drawn + 7 && l->attributes_bought == before.attributes_bought + 4);
  CHECK(l->refused_examples == before.refused_examples + 1 && l->skipped_examples == 0);
  for (size_t i = 0; i < D; i++) CHECK(scant_meter_purchases(meter)[i] == (i < 4 ? l->examples : 0));
}

/* Fetching is buying: a refused look can't be had again for nothing. */
static void check_value_is_paid(double value, const char *words) {
  double kept = data.x[1][2];
  data.x[1][2] = value;
  start(9, 100);
  check_refused_and_paid(words);
  check_refused_and_paid(words);
  CHECK(buy(1, look_at(0, 4)) == SCANT_SPENT); /* 8 of its 9 are bought */
  CHECK(record.calls == 2);
  CHECK(scant_meter_ledger(meter)->max_bought_per_example == 8);
  CHECK(scant_meter_ledger(meter)->missing_cells == (isnan(value) ? 2 : 0));
  stop();
  start(0, 7);
  check_refused_and_paid(words);
  CHECK(buy(2, look_at(0, 4)) == SCANT_SPENT && record.calls == 1); /* 4 of the 7 */
  stop();
  data.x[1][2] = kept;
}

TEST(what_was_read_is_charged_whatever_it_is) {
  check_value_is_paid(NAN, "row 1, attribute 2");
  check_value_is_paid(INFINITY, "row 1, attribute 2: infinity");
  check_value_is_paid(-INFINITY, "minus infinity");
}

/* Says that it has the values, and that they are no numbers; or that it has none. */
static scant_status fetch_words(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                                scant_error *failure) {
  (void)row, (void)count, (void)attributes, (void)values;
  snprintf(failure->text, sizeof failure->text, "a word");
  return *(scant_status *)user;
}

TEST(what_a_source_calls_bad_data_is_charged_and_other_failures_are_not) {
  for (int observed = 0; observed < 2; observed++) {
    scant_status answer = SCANT_DATA;
    CHECK(scant_source_custom(&source, N, D, fetch_words, &answer, data.y, &error) == SCANT_OK);
    CHECK(scant_meter_new(&meter, source, 0, 0, &error) == SCANT_OK);
    scant_meter_set_observed(meter, observed);
    const scant_ledger *l = scant_meter_ledger(meter);
    CHECK(buy(0, look_at(0, 5)) == SCANT_DATA && l->attributes_bought == 5 && l->refused_examples == 1);
    scant_status others[] = {SCANT_IO, SCANT_MEMORY, SCANT_SPENT, SCANT_MISUSE};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
      answer = others[i];
      CHECK(buy(0, look_at(0, 5)) == answer && l->attributes_bought == 5 && l->examples == 1);
    }
    stop();
  }
}

/* Money and the record of each example too; a panel is bought whole. */
TEST(a_refused_look_costs_its_price) {
  uint64_t costs[D];
  uint32_t groups[D];
  scant_prices *prices = NULL;
  for (uint32_t i = 0; i < D; i++) {
    costs[i] = i < 3 ? 50 - 25 * (i > 0) : 100 * i;
    groups[i] = i < 3;
  }
  CHECK(scant_prices_new(&prices, D, costs, groups, &error) == SCANT_OK);
  double kept = data.x[1][2];
  data.x[1][2] = INFINITY;
  start(0, 0);
  CHECK(scant_meter_price(meter, prices, 900, 0, &error) == SCANT_OK);
  const scant_ledger *l = scant_meter_ledger(meter);
  CHECK(buy(1, look_at(1, 3)) == SCANT_DATA); /* the panel for 1, and attribute 3 for 3 */
  CHECK(l->money_spent == 400 && l->attributes_bought == 2 && scant_meter_purchases(meter)[0] == 1);
  CHECK(buy(1, look_at(1, 3)) == SCANT_DATA && l->money_spent == 800);
  CHECK(buy(1, look_at(1, 3)) == SCANT_SPENT && record.calls == 2); /* 9 may be spent on it */
  stop();
  start(0, 0);
  CHECK(scant_meter_price(meter, prices, 0, 700, &error) == SCANT_OK);
  CHECK(buy(1, look_at(1, 3)) == SCANT_DATA);
  CHECK(buy(2, look_at(1, 3)) == SCANT_SPENT && record.calls == 1);
  stop();
  data.x[1][2] = kept;
  scant_prices_free(prices);
}

/* Row 0 of a table where `present` says which cells are there, and so many may be bought. */
static void check_observed(const char *present, uint64_t budget, size_t read, uint64_t bought, int whole) {
  double kept[D];
  memcpy(kept, data.x[0], sizeof kept);
  for (size_t i = 0; i < D; i++)
    if (present[i] == '.') data.x[0][i] = NAN;
  start(0, budget);
  scant_meter_set_observed(meter, 1);
  double values[D], y;
  scant_status status = scant_meter_buy(meter, 0, look_at(0, D), values, &y, &error);
  CHECK(status == (whole ? SCANT_OK : SCANT_SPENT));
  size_t cells = 0;
  for (size_t i = 0; i < D; i++) cells += record.cells[0][i];
  for (size_t i = 0; i < D; i++) CHECK(scant_meter_purchases(meter)[i] == (i < read && present[i] != '.'));
  const scant_ledger *l = scant_meter_ledger(meter);
  CHECK(cells == read && l->attributes_bought == bought && l->looks_drawn == bought && bought <= budget);
  CHECK(l->examples == (read > 0) && l->refused_examples == (read && !whole));
  /* what is spent stays spent */
  if (bought == budget) CHECK(buy(1, look_at(0, D)) == SCANT_SPENT && l->attributes_bought == budget);
  stop();
  memcpy(data.x[0], kept, sizeof kept);
}

/* What is there is known only after reading: no more is read than can be paid. */
TEST(where_holes_are_free_nothing_is_read_that_can_not_be_paid) {
  check_observed("xxxxxxxxxxxx", 12, 12, 12, 1);
  check_observed("xxxxxxxxxxxx", 5, 5, 5, 0);
  check_observed("x.x.x.x.x.x.", 12, 12, 6, 1);
  check_observed("x.x.x.x.x.x.", 7, 12, 6, 1);
  check_observed("x.x.x.x.x..x", 6, 12, 6, 1);
  check_observed("x.x.x.x.x.x.", 6, 11, 6, 0); /* is the last one there?  Nobody may look. */
  check_observed("x.x.x.x.x.x.", 2, 3, 2, 0);
  check_observed("............", 1, 12, 0, 1);
  check_observed("...........x", 1, 12, 1, 1);
}

/* The same with money: a panel is paid when the first of it is there. */
TEST(where_holes_are_free_money_is_not_exceeded) {
  uint64_t costs[D];
  uint32_t groups[D];
  scant_prices *prices = NULL;
  for (uint32_t i = 0; i < D; i++) costs[i] = i < 4 ? 50 : 200, groups[i] = i < 4;
  CHECK(scant_prices_new(&prices, D, costs, groups, &error) == SCANT_OK);
  double kept = data.x[0][0];
  data.x[0][0] = NAN;
  start(0, 0);
  scant_meter_set_observed(meter, 1);
  CHECK(scant_meter_price(meter, prices, 0, 700, &error) == SCANT_OK);
  const scant_ledger *l = scant_meter_ledger(meter);
  CHECK(buy(0, look_at(0, D)) == SCANT_SPENT);
  /* the panel, 4 and 5 */
  CHECK(l->money_spent == 600 && l->attributes_bought == 3 && l->looks_drawn == 5 && record.calls == 6);
  CHECK(buy(1, look_at(0, D)) == SCANT_SPENT && l->money_spent == 600 && record.calls == 6);
  stop();
  data.x[0][0] = kept;
  scant_prices_free(prices);
}

/* Exactly what each look asks for is read, of exactly the row that is bought. */
TEST(what_is_asked_is_what_is_read) {
  start(6, 0);
  scant_learner *learner = learner_from("k=6", D, N);
  scant_look *look = look_for(learner);
  uint64_t looks_drawn = 0, bought = 0;
  for (size_t row = 0; row < N; row++) {
    double values[D], y;
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    CHECK(scant_meter_buy(meter, row, look, values, &y, &error) == SCANT_OK);
    CHECK(record.calls == row + 1 && record.visits[row] == row);
    uint64_t asked[D] = {0};
    for (uint32_t i = 0; i < look->count; i++) asked[look->attributes[i]]++;
    CHECK(memcmp(asked, record.cells[row], sizeof asked) == 0);
    CHECK(scant_learner_tell(learner, look, look->count, look->attributes, values, y, &error) == SCANT_OK);
    looks_drawn += look->draws;
    bought += look->count;
  }
  CHECK(scant_meter_ledger(meter)->looks_drawn == looks_drawn &&
        scant_meter_ledger(meter)->attributes_bought == bought);
  CHECK(scant_meter_ledger(meter)->max_bought_per_example <= 6 && bought <= looks_drawn);
  scant_look_free(look);
  scant_learner_free(learner);
  stop();
  scant_meter_free(NULL);
}

/* Bit by bit is one example, with one K. */
TEST(an_example_may_be_bought_bit_by_bit) {
  start(5, 0);
  double values[D], y;
  for (uint32_t i = 0; i < 5; i++) {
    CHECK(scant_meter_buy_more(meter, 3, look_at(i, 1), values, &y, &error) == SCANT_OK);
    CHECK(values[0] == data.x[3][i] && y == data.y[3]);
  }
  CHECK(scant_meter_buy_more(meter, 3, look_at(5, 1), values, &y, &error) == SCANT_SPENT);
  CHECK_SAYS(error.text, "5 of its 5");
  const scant_ledger *ledger = scant_meter_ledger(meter);
  CHECK(ledger->examples == 1 && ledger->distinct_examples == 1 && ledger->attributes_bought == 5);
  CHECK(ledger->max_bought_per_example == 5 && record.calls == 5);
  CHECK(buy(4, look_at(0, 2)) == SCANT_OK);
  CHECK(scant_meter_buy_more(meter, 4, look_at(2, 1), values, &y, &error) == SCANT_OK);
  CHECK(buy(4, look_at(0, 1)) == SCANT_OK); /* another visit */
  CHECK(ledger->examples == 3 && ledger->distinct_examples == 2 && ledger->attributes_bought == 9);
  stop();
}

TEST(a_row_that_is_not_there_is_refused) {
  start(0, 0);
  check_refused(N, look_at(0, 2), SCANT_MISUSE, "no example 41");
  check_refused((size_t)1 << 40, look_at(0, 2), SCANT_MISUSE, "no example");
  check_ledger(0, 0, 0);
  stop();
}

int main(void) {
  table_fill(&data, 2);
  RUN(an_example_sells_no_more_than_k_over_all_passes);
  RUN(the_budget_holds_for_all_examples);
  RUN(without_limits_everything_is_sold_and_counted);
  RUN(both_limits_hold_at_once);
  RUN(what_could_not_be_read_is_not_charged);
  RUN(what_was_read_is_charged_whatever_it_is);
  RUN(what_a_source_calls_bad_data_is_charged_and_other_failures_are_not);
  RUN(a_refused_look_costs_its_price);
  RUN(where_holes_are_free_nothing_is_read_that_can_not_be_paid);
  RUN(where_holes_are_free_money_is_not_exceeded);
  RUN(what_is_asked_is_what_is_read);
  RUN(an_example_may_be_bought_bit_by_bit);
  RUN(a_row_that_is_not_there_is_refused);
  return check_done();
}
