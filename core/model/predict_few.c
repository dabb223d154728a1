/* Predictions from a few attributes of every row, bought through a meter. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "data/source.h"
#include "model/query.h"

typedef struct {
  const scant_model *model;
  scant_source *source;
  scant_buying how;
  uint64_t k; /* UINT64_MAX: any number */
  scant_query *query;
  scant_meter *meter;
  double *values;
  uint32_t *have; /* attributes that are there already */
  size_t have_count;
  scant_tally *tallies;   /* k + 1: of predictions after so many purchases; NULL: only the last one matters */
  scant_purchase *bought; /* of this row; room for each attribute once */
  size_t bought_count;
  uint64_t items, money;       /* of this row, as a ledger counts */
  scant_prediction prediction; /* as it was learned */
  scant_verdict verdict;
} buyer;

/* The attributes that are bought with this one, itself among them. */
static uint32_t *item_of(const buyer *b, uint32_t *attribute, uint32_t *count) {
  const scant_prices *p = b->how.prices;
  *count = 1;
  if (!p) return attribute;
  uint32_t item = p->item[*attribute];
  *count = p->first[item + 1] - p->first[item];
  return p->members + p->first[item];
}

/* Is any attribute of its item there already? */
static int is_there(const buyer *b, uint32_t attribute) {
  uint32_t count;
  const uint32_t *item = item_of(b, &attribute, &count);
  for (uint32_t r = 0; r < count; r++)
    if (b->how.have[item[r]]) return 1;
  return 0;
}

/* `k`: UINT64_MAX is any number. */
static scant_status buyer_open(buyer *b, const scant_model *model, scant_source *source, const scant_buying *how,
                               uint64_t k, scant_error *error) {
  *b = (buyer){.model = model, .source = source, .how = *how, .k = k};
  const scant_prices *prices = how->prices;
  size_t d = model->dimension;
  SCANT_TRY(scant_stop_check(&how->stop, model, prices, how->level, error));
  SCANT_TRY(scant_score_check_dimension(model, source, error));
  SCANT_TRY(scant_query_new(&b->query, model, prices, error));
  SCANT_TRY(scant_meter_new(&b->meter, source, k == UINT64_MAX ? 0 : k, 0, error));
  if (prices) SCANT_TRY(scant_meter_price(b->meter, prices, how->stop.spend, 0, error));
  scant_meter_set_missing(b->meter, SCANT_MISSING_SKIP_CELL);
  b->values = scant_array(d, sizeof *b->values);
  b->have = scant_array(d, sizeof *b->have);
  b->bought = scant_array(d, sizeof *b->bought);
  if (!b->values || !b->have || !b->bought) return scant_fail_memory(error);
  for (uint32_t i = 0; how->have && i < d; i++)
    if (is_there(b, i)) b->have[b->have_count++] = i;
  return SCANT_OK;
}

/* Hands the ledger over, also after a failure if anything was bought before it. */
static void buyer_close(buyer *b, scant_status status, scant_ledger *ledger) {
  if (ledger && b->meter && (status == SCANT_OK || scant_meter_ledger(b->meter)->examples))
    *ledger = *scant_meter_ledger(b->meter);
  scant_query_free(b->query);
  scant_meter_free(b->meter);
  free(b->values);
  free(b->have);
  free(b->bought);
}

/* Buys an attribute with all that comes with it. */
static scant_status buy(buyer *b, size_t row, uint32_t attribute, scant_error *error) {
  const scant_prices *p = b->how.prices;
  scant_look look = {0};
  double y;
  look.attributes = item_of(b, &attribute, &look.count);
  look.draws = look.count;
  SCANT_TRY(scant_meter_buy_more(b->meter, row, &look, b->values, &y, error));
  for (uint32_t i = 0; i < look.count; i++) {
    uint32_t bought = look.attributes[i];
    b->bought[b->bought_count++] = (scant_purchase){bought, p ? p->attribute_cost[bought] : 0, b->values[i]};
    SCANT_TRY(scant_query_tell(b->query, bought, b->values[i], error));
  }
  return SCANT_OK;
}

static void tally(const buyer *b, size_t row, scant_tally *t) {
  scant_tally_add(t, &b->prediction, scant_source_target(b->source, row));
  t->bought += (double)b->items;
  t->money += (double)b->money;
}

static scant_status predict(buyer *b, size_t row, scant_error *error) {
  scant_query_expect(b->query, b->how.level, &b->prediction);
  if (!isfinite(b->prediction.mean)) return scant_score_overflow(b->source, row, error);
  if (b->tallies) tally(b, row, &b->tallies[b->items]);
  return SCANT_OK;
}

/* Is there no column for any attribute of its item? */
static int is_absent(const buyer *b, uint32_t attribute) {
  uint32_t count;
  const uint32_t *item = item_of(b, &attribute, &count);
  for (uint32_t r = 0; r < count; r++)
    if (b->source->view.column[item[r]] != SCANT_ABSENT) return 0;
  return 1;
}

/* Attributes without a column are known to be missing, so that nothing is paid for them. */
static scant_status tell_absent(buyer *b, scant_error *error) {
  const scant_view *view = &b->source->view;
  for (uint32_t i = 0; view->absent && i < view->dimension; i++)
    if (is_absent(b, i)) SCANT_TRY(scant_query_tell(b->query, i, NAN, error));
  return SCANT_OK;
}

/* Values that are there already are read outside the meter.  An empty cell is known to be empty. */
static scant_status tell_there(buyer *b, size_t row, scant_error *error) {
  if (!b->have_count) return SCANT_OK;
  SCANT_TRY(scant_source_read(b->source, row, b->have_count, b->have, b->values, error));
  for (size_t i = 0; i < b->have_count; i++)
    if (!b->query->told[b->have[i]]) SCANT_TRY(scant_query_tell(b->query, b->have[i], b->values[i], error));
  return SCANT_OK;
}

/* Buys of one row, and predicts before each purchase that counts and at the end.  The meter enforces K too, but takes
 * k = 0 for no limit. */
static scant_status buy_row(buyer *b, size_t row, scant_error *error) {
  const scant_prices *p = b->how.prices;
  uint32_t attribute;
  b->bought_count = 0;
  b->items = b->money = 0;
  scant_query_reset(b->query);
  SCANT_TRY(tell_absent(b, error));
  SCANT_TRY(tell_there(b, row, error));
  for (;;) {
    b->verdict = scant_query_judge(b->query, &b->how.stop, b->k, b->how.level, b->items, b->money, &attribute);
    int buys = b->verdict == SCANT_VERDICT_BUY;
    uint64_t cost = buys && p ? p->cost[p->item[attribute]] : 0;
    int counts = buys && (!p || cost > 0);
    if (counts || !buys) SCANT_TRY(predict(b, row, error));
    if (!buys) break;
    SCANT_TRY(buy(b, row, attribute, error));
    b->items += (uint64_t)counts;
    b->money += cost;
  }
  for (uint64_t t = b->items + 1; b->tallies && t <= b->k; t++) tally(b, row, &b->tallies[t]);
  return SCANT_OK;
}

static scant_status buy_rows(const scant_model *model, scant_source *source, const scant_buying *how, uint64_t k,
                             scant_bought_visitor visit, void *user, scant_ledger *ledger, scant_error *error) {
  buyer b;
  scant_status status = buyer_open(&b, model, source, how, k, error);
  for (size_t row = 0; status == SCANT_OK && row < scant_source_rows(source); row++) {
    status = buy_row(&b, row, error);
    if (status != SCANT_OK) break;
    scant_bought bought = {b.prediction, NAN, NAN, b.verdict, b.items, b.money, b.bought_count, b.bought};
    bought.sure = scant_query_sure(b.query, &bought.value);
    status = scant_prediction_finish(model, source, row, &bought.prediction, error);
    if (status == SCANT_OK) status = visit(user, row, &bought, error);
  }
  buyer_close(&b, status, ledger);
  return status;
}

static uint64_t most_items(const scant_stop *stop) {
  return stop->k ? stop->k : UINT64_MAX;
}

scant_status scant_model_buy(const scant_model *model, scant_source *source, const scant_buying *buying,
                             scant_bought_visitor visit, void *user, scant_ledger *ledger, scant_error *error) {
  return buy_rows(model, source, buying, most_items(&buying->stop), visit, user, ledger, error);
}

static scant_status keep_prediction(void *user, size_t row, const scant_bought *bought, scant_error *error) {
  scant_prediction *predictions = user;
  (void)error;
  predictions[row] = bought->prediction;
  return SCANT_OK;
}

scant_status scant_model_predict_few(const scant_model *model, scant_source *source, uint64_t k,
                                     const scant_prices *prices, double level, scant_prediction *predictions,
                                     scant_ledger *ledger, scant_error *error) {
  const scant_buying how = {.prices = prices, .level = level};
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check_dimension(model, source, error));
  SCANT_TRY(scant_score_check_k(model, k, error));
  return buy_rows(model, source, &how, k, keep_prediction, predictions, ledger, error);
}

/* ---- scores ------------------------------------------------------------------- */

scant_status scant_model_evaluate_few(const scant_model *model, scant_source *source, uint64_t k,
                                      const scant_prices *prices, double level, scant_known_scores *curve,
                                      scant_ledger *ledger, scant_error *error) {
  const scant_buying how = {.prices = prices, .level = level};
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check(model, source, error));
  SCANT_TRY(scant_score_check_k(model, k, error));
  if (!scant_source_rows(source)) return scant_fail(error, SCANT_DATA, "there are no examples to test on");
  scant_tally *tallies = scant_array((size_t)k + 1, sizeof *tallies);
  if (!tallies) return scant_fail_memory(error);
  buyer b;
  scant_status status = buyer_open(&b, model, source, &how, k, error);
  b.tallies = tallies;
  for (size_t row = 0; status == SCANT_OK && row < scant_source_rows(source); row++) status = buy_row(&b, row, error);
  for (uint64_t t = 0; status == SCANT_OK && t <= k; t++) status = scant_tally_check(&tallies[t], error);
  for (uint64_t t = 0; status == SCANT_OK && t <= k; t++) curve[t] = scant_tally_scores(&tallies[t]);
  buyer_close(&b, status, ledger);
  free(tallies);
  return status;
}

/* One row; the target is as it was learned. */
static void score_row(const buyer *b, double y, scant_bought_scores *scores) {
  const scant_gaussian *g = b->model->gaussian;
  scant_verdict_scores *by = &scores->by[b->verdict];
  by->examples++;
  by->covered += b->prediction.low <= y && y <= b->prediction.high;
  by->items += b->items;
  by->money += b->money;
  if (!g->two_valued) return;
  double upper = scant_gaussian_probability(g, b->query->mean, b->query->variance);
  int right = g->values[upper >= 0.5] == y;
  by->right += (uint64_t)right;
  scores->right += right;
  scores->sure += fmax(upper, 1 - upper);
}

scant_status scant_model_evaluate_bought(const scant_model *model, scant_source *source, const scant_buying *buying,
                                         scant_bought_scores *scores, scant_ledger *ledger, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check(model, source, error));
  double rows = (double)scant_source_rows(source);
  if (!(rows > 0)) return scant_fail(error, SCANT_DATA, "there are no examples to test on");
  buyer b;
  scant_tally all = {0};
  scant_bought_scores s = {.two_valued = model->gaussian->two_valued};
  scant_status status = buyer_open(&b, model, source, buying, most_items(&buying->stop), error);
  for (size_t row = 0; status == SCANT_OK && row < scant_source_rows(source); row++) {
    status = buy_row(&b, row, error);
    if (status != SCANT_OK) break;
    tally(&b, row, &all);
    score_row(&b, scant_source_target(source, row), &s);
  }
  if (status == SCANT_OK) status = scant_tally_check(&all, error);
  if (status == SCANT_OK) {
    s.all = scant_tally_scores(&all);
    s.right = s.two_valued ? s.right / rows : NAN;
    s.sure = s.two_valued ? s.sure / rows : NAN;
    *scores = s;
  }
  buyer_close(&b, status, ledger);
  return status;
}
