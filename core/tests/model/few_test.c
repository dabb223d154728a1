/* Whole tables predicted and scored from known and from bought attributes. */
#include "gaussians.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, COUNT = D - 1, K = 5 };

static scant_error error;
static table data, whole;

/* Attribute j has the place j - 1, but for 0; 1 is not known. */
static unsigned bit_of(size_t attribute) {
  return attribute == 1 ? 0 : 1u << (attribute ? attribute - 1 : 0);
}

static unsigned known_of(const double *x) {
  unsigned known = 0;
  for (size_t i = 0; i < D; i++)
    if (!isnan(x[i])) known |= bit_of(i);
  return known;
}

TEST(rows_are_predicted_from_the_cells_that_have_a_value) {
  scant_model *m = gaussian_model(D, 1, "k=4");
  scant_prediction predictions[N];
  scant_source *source = table_source(&data);
  CHECK(scant_model_predict_known(m, source, 0.9, predictions, &error) == SCANT_OK);
  for (size_t row = 0; row < N; row++) {
    double mean, variance;
    expect_directly(m->gaussian, known_of(data.x[row]), data.x[row], &mean, &variance);
    CHECK_NEAR(predictions[row].mean, mean, 1e-9 * (1 + fabs(mean)));
    CHECK_NEAR(predictions[row].variance, variance, 1e-9);
    CHECK_NEAR(predictions[row].high - mean, 1.6448536269514722 * sqrt(variance), 1e-8);
  }
  scant_source_free(source);
  scant_model_free(m);
}

/* With limits, every prediction and every score is that of the clipped table. */
TEST(limits_hold_in_every_prediction) {
  scant_model *m = gaussian_model(D, 5, "k=4"), *plain = gaussian_model(D, 5, "k=4");
  table clipped = data;
  uint64_t seed = 6;
  CHECK(scant_model_new_limits(m, &error) == SCANT_OK);
  for (size_t i = 0; i < D; i++) {
    m->weights[i] = plain->weights[i] = random_real(&seed);
    m->low[i] = -.5 - .1 * random_real(&seed);
    m->high[i] = .3 + .1 * random_real(&seed);
    for (size_t row = 0; row < N; row++) clipped.x[row][i] = scant_limits_clip(data.x[row][i], m->low[i], m->high[i]);
  }
  scant_source *source = table_source(&data), *inside = table_source(&clipped);
  scant_prediction known[2][N], few[2][N];
  double rows[2][N];
  scant_scores scores[2];
  scant_known_scores known_scores[2], curve[2][K + 1];
  for (int r = 0; r < 2; r++) {
    const scant_model *model = r ? plain : m;
    scant_source *s = r ? inside : source;
    CHECK(scant_model_predict_known(model, s, 0.9, known[r], &error) == SCANT_OK);
    CHECK(scant_model_predict_few(model, s, K, NULL, 0.9, few[r], NULL, &error) == SCANT_OK);
    CHECK(scant_model_predict_rows(model, s, rows[r], &error) == SCANT_OK);
    CHECK(scant_model_evaluate(model, s, NULL, 0, &scores[r], &error) == SCANT_OK);
    CHECK(scant_model_evaluate_known(model, s, 0.9, &known_scores[r], &error) == SCANT_OK);
    CHECK(scant_model_evaluate_few(model, s, K, NULL, 0.9, curve[r], NULL, &error) == SCANT_OK);
  }
  CHECK(!memcmp(known[0], known[1], sizeof known[0]) && !memcmp(few[0], few[1], sizeof few[0]));
  CHECK(!memcmp(rows[0], rows[1], sizeof rows[0]) && scores[0].squared_error == scores[1].squared_error);
  CHECK(known_scores[0].scores.squared_error == known_scores[1].scores.squared_error);
  for (int t = 0; t <= K; t++) CHECK(curve[0][t].scores.squared_error == curve[1][t].scores.squared_error);
  for (size_t row = 0; row < N; row++)
    CHECK(bits_of(scant_model_predict(m, data.x[row])) == bits_of(scant_model_predict(plain, clipped.x[row])));
  double before[N];
  CHECK(scant_model_predict_rows(plain, source, before, &error) == SCANT_OK);
  CHECK(memcmp(before, rows[0], sizeof before) != 0);
  scant_source_free(source);
  scant_source_free(inside);
  scant_model_free(m);
  scant_model_free(plain);
}

/* Weights for rows that are whole, the conditional mean for those with holes. */
TEST(plain_predictions_use_the_gaussian_where_there_are_holes) {
  scant_model *m = gaussian_model(D, 2, "k=4");
  uint64_t seed = 4;
  double predictions[N], squared = 0;
  for (size_t i = 0; i < D; i++) m->weights[i] = random_real(&seed);
  m->gaussian->two_valued = 1; /* the linear mean all the same: it goes with the weights */
  m->gaussian->values[0] = -1;
  m->gaussian->values[1] = 1;
  data.x[0][1] = NAN; /* what the Gaussian does not know is no hole for it */
  m->means[1] = 0.5;
  scant_source *source = table_source(&data);
  scant_scores scores;
  CHECK(scant_model_predict_rows(m, source, predictions, &error) == SCANT_OK);
  CHECK(scant_model_evaluate(m, source, NULL, 0, &scores, &error) == SCANT_OK);
  size_t complete = 0;
  for (size_t row = 0; row < N; row++) {
    double mean, variance;
    unsigned known = known_of(data.x[row]);
    expect_directly(m->gaussian, known, data.x[row], &mean, &variance);
    if (known == (1u << COUNT) - 1) mean = scant_model_predict(m, data.x[row]), complete++;
    CHECK_NEAR(predictions[row], mean, 1e-9 * (1 + fabs(mean)));
    squared += (mean - data.y[row]) * (mean - data.y[row]) / N;
  }
  CHECK(complete > 5 && complete < N - 5);
  CHECK_NEAR(scores.squared_error, squared, 1e-9 * squared);
  data.x[0][1] = whole.x[0][1];
  scant_source_free(source);
  scant_model_free(m);
}

static scant_prices *make_prices(void) {
  const uint64_t costs[D] = {0, 10, 250, 100, 30, 0, 1, 80, 70, 500, 20, 40};
  const uint32_t panels[D] = {0, 0, 1, 1, 1, 2, 2, 0, 0, 0, 0, 0};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, D, costs, panels, &error) == SCANT_OK);
  return prices;
}

/* One row by a query, as a caller would do it; what it bought and spent. */
static void buy_row(const scant_model *m, const scant_prices *prices, const double *x, uint64_t k, scant_prediction *p,
                    uint64_t *bought, uint64_t *money, unsigned *read) {
  scant_query *q = NULL;
  uint32_t attribute;
  *bought = *money = 0;
  *read = 0;
  CHECK(scant_query_new(&q, m, prices, &error) == SCANT_OK);
  while (scant_query_next(q, &attribute)) {
    uint32_t panel = prices ? scant_prices_group(prices, attribute) : 0;
    uint64_t cost = 0;
    for (uint32_t i = 0; prices && i < D; i++)
      if (i == attribute || (panel && scant_prices_group(prices, i) == panel)) cost += scant_prices_cost(prices, i);
    if (prices && !cost ? 0 : *bought == k) break;
    *bought += !prices || cost > 0;
    *money += cost;
    for (uint32_t i = 0; i < D; i++) {
      if (i != attribute && !(panel && scant_prices_group(prices, i) == panel)) continue;
      CHECK(scant_query_tell(q, i, x[i], &error) == SCANT_OK);
      *read |= 1u << i;
    }
  }
  scant_query_predict(q, 0.8, p);
  scant_query_free(q);
}

static void check_few(const scant_model *m, const scant_prices *prices, uint64_t k) {
  recorder record = {.table = &data};
  scant_source *source = recorder_source(&record);
  scant_prediction predictions[N];
  scant_ledger ledger;
  CHECK(scant_model_predict_few(m, source, k, prices, 0.8, predictions, &ledger, &error) == SCANT_OK);
  uint64_t bought_in_all = 0, money_in_all = 0, most = 0, missing = 0, cells = 0;
  for (size_t row = 0; row < N; row++) {
    scant_prediction p;
    uint64_t bought, money;
    unsigned read;
    buy_row(m, prices, data.x[row], k, &p, &bought, &money, &read);
    CHECK(memcmp(&p, &predictions[row], sizeof p) == 0); /* to the bit */
    bought_in_all += bought;
    money_in_all += money;
    if (bought > most) most = bought;
    for (size_t i = 0; i < D; i++) { /* nothing else was read */
      CHECK(record.cells[row][i] == (read >> i & 1));
      cells += read >> i & 1;
      missing += (read >> i & 1) && isnan(data.x[row][i]);
    }
  }
  CHECK(most <= k && bought_in_all > 0);
  CHECK(ledger.examples == N && ledger.distinct_examples == N && ledger.looks_drawn == cells);
  CHECK(ledger.attributes_bought == bought_in_all && ledger.money_spent == money_in_all);
  CHECK(ledger.max_bought_per_example == most && ledger.missing_cells == missing);
  scant_source_free(source);
}

TEST(k_attributes_are_bought_and_no_more) {
  scant_model *m = gaussian_model(D, 3, "k=4");
  scant_prices *prices = make_prices();
  for (uint64_t k = 1; k <= D; k += 3) {
    check_few(m, NULL, k);
    check_few(m, prices, k);
  }
  scant_prices_free(prices);
  scant_model_free(m);
}

/* Every point of the curve is what a run with that many purchases gives. */
TEST(the_curve_agrees_with_runs_of_every_length) {
  scant_model *m = gaussian_model(D, 3, "k=4");
  scant_prices *prices = make_prices();
  for (int priced = 0; priced < 2; priced++) {
    scant_source *source = table_source(&data);
    scant_known_scores curve[K + 1];
    scant_ledger ledger, shorter;
    CHECK(scant_model_evaluate_few(m, source, K, priced ? prices : NULL, 0.8, curve, &ledger, &error) == SCANT_OK);
    for (uint64_t k = 0; k <= K; k++) {
      scant_prediction p[N];
      double squared = 0, variance = 0, inside = 0, width = 0;
      CHECK(scant_model_predict_few(m, source, k, priced ? prices : NULL, 0.8, p, &shorter, &error) == SCANT_OK);
      for (size_t row = 0; row < N; row++) {
        squared += (p[row].mean - data.y[row]) * (p[row].mean - data.y[row]) / N;
        variance += p[row].variance / N;
        inside += (p[row].low <= data.y[row] && data.y[row] <= p[row].high) / (double)N;
        width += (p[row].high - p[row].low) / N;
      }
      CHECK_NEAR(curve[k].scores.squared_error, squared, 1e-12 * squared);
      CHECK_NEAR(curve[k].variance, variance, 1e-12 * variance);
      CHECK_NEAR(curve[k].coverage, inside, 1e-12);
      CHECK_NEAR(curve[k].width, width, 1e-12 * width);
      CHECK_NEAR(curve[k].bought, (double)shorter.attributes_bought / N, 1e-12);
      CHECK_NEAR(curve[k].money, (double)shorter.money_spent / N, 1e-9);
      CHECK(curve[k].scores.examples == N && (!k || curve[k].variance <= curve[k - 1].variance));
    }
    CHECK(memcmp(&ledger, &shorter, sizeof ledger) == 0);
    scant_known_scores all;
    CHECK(scant_model_evaluate_known(m, source, 0, &all, &error) == SCANT_OK);
    CHECK(isnan(all.coverage) && isnan(all.width) && all.bought == 0 && all.variance < curve[K].variance);
    scant_source_free(source);
  }
  scant_prices_free(prices);
  scant_model_free(m);
}

TEST(what_can_not_be_is_refused) {
  scant_model *m = gaussian_model(D, 3, "k=4"), *plain = NULL, *narrow = gaussian_model(D - 1, 3, "k=4");
  scant_source *source = table_source(&whole), *bare = NULL;
  scant_prediction p[N];
  scant_known_scores curve[D + 2];
  scant_ledger ledger = {.examples = 77};
  CHECK(scant_model_new(&plain, D, &error) == SCANT_OK);
  CHECK(scant_model_predict_known(plain, source, 0.9, p, &error) == SCANT_USAGE);
  CHECK(scant_model_predict_few(plain, source, 2, NULL, 0.9, p, &ledger, &error) == SCANT_USAGE);
  CHECK(scant_model_evaluate_known(plain, source, 0.9, curve, &error) == SCANT_USAGE);
  CHECK(scant_model_evaluate_few(plain, source, 2, NULL, 0.9, curve, &ledger, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "algorithm gaussian");
  CHECK(scant_model_predict_few(m, source, D + 1, NULL, 0.9, p, &ledger, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "k = 13");
  CHECK(scant_model_evaluate_few(m, source, D + 1, NULL, 0.9, curve, &ledger, &error) == SCANT_DATA);
  CHECK(scant_model_predict_few(narrow, source, 2, NULL, 0.9, p, &ledger, &error) == SCANT_DATA);
  CHECK(scant_model_predict_known(narrow, source, 0.9, p, &error) == SCANT_DATA);
  CHECK(scant_source_wrap(&bare, SCANT_FLOAT64, whole.x, N, D, sizeof *whole.x, 8, NULL, &error) == SCANT_OK);
  CHECK(scant_model_evaluate_few(m, bare, 2, NULL, 0.9, curve, &ledger, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "target");
  CHECK(scant_model_predict_few(m, bare, 2, NULL, 0.9, p, NULL, &error) == SCANT_OK);
  CHECK(ledger.examples == 77);
  m->settings.reading.log_target = 1;
  CHECK(scant_model_evaluate_few(m, source, 2, NULL, 0.9, curve, &ledger, &error) == SCANT_USAGE);
  CHECK(scant_model_evaluate_known(m, source, 0.9, curve, &error) == SCANT_USAGE);
  m->gaussian->mean[COUNT] = 1000; /* exp(1000) is no number */
  CHECK(scant_model_predict_few(m, source, 2, NULL, 0, p, NULL, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "overflows");
  CHECK(scant_model_predict_known(m, source, 0, p, &error) == SCANT_DATA);
  scant_source_free(bare);
  scant_source_free(source);
  scant_model_free(plain);
  scant_model_free(narrow);
  scant_model_free(m);
}

int main(void) {
  table_fill(&whole, 6);
  table_fill(&data, 6);
  table_punch(&data, 7);
  RUN(rows_are_predicted_from_the_cells_that_have_a_value);
  RUN(limits_hold_in_every_prediction);
  RUN(plain_predictions_use_the_gaussian_where_there_are_holes);
  RUN(k_attributes_are_bought_and_no_more);
  RUN(the_curve_agrees_with_runs_of_every_length);
  RUN(what_can_not_be_is_refused);
  return check_done();
}
