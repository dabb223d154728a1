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
  start(4, 100);
  double kept = data.x[1][2];
  data.x[1][2] = NAN;
  CHECK(buy(1, look_at(0, 4)) == SCANT_DATA);
  CHECK_SAYS(error.text, "row 1, attribute 2");
  data.x[1][2] = kept;
  CHECK(scant_meter_ledger(meter)->examples == 0 && scant_meter_ledger(meter)->attributes_bought == 0);
  CHECK(buy(1, look_at(0, 4)) == SCANT_OK); /* and K is whole */
  CHECK(scant_meter_ledger(meter)->attributes_bought == 4);
  stop();
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
  RUN(what_is_asked_is_what_is_read);
  RUN(an_example_may_be_bought_bit_by_bit);
  RUN(a_row_that_is_not_there_is_refused);
  return check_done();
}
