/* Predictions from a few attributes of every row, bought through a meter. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/source.h"
#include "joint/predictive.h"
#include "price/prices.h"
#include "model/query.h"
#include "model/score.h"

/* The prediction after so many purchases of an example. */
typedef struct {
  scant_prediction prediction; /* as it was learned */
  uint64_t bought, money;
} point;

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
  point *points; /* k + 1; NULL: only the last matters */
  point last;
  scant_verdict verdict;
  scant_purchase *purchases; /* room for one of each attribute */
  size_t purchase_count;
} buyer;

static scant_status check_k(const scant_model *model, uint64_t k, scant_error *error) {
  if (k <= model->dimension) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "k = %llu is more than the %zu attributes of the model", (unsigned long long)k,
                    model->dimension);
}

/* Are this attribute, or others that are bought with it, there already? */
static int is_there(const buyer *b, uint32_t attribute) {
  const scant_prices *p = b->how.prices;
  if (!p) return b->how.have[attribute];
  uint32_t item = p->item[attribute];
  for (uint32_t r = p->first[item]; r < p->first[item + 1]; r++)
    if (b->how.have[p->members[r]]) return 1;
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
  b->purchases = scant_array(d, sizeof *b->purchases);
  if (!b->values || !b->have || !b->purchases) return scant_fail_memory(error);
  for (uint32_t i = 0; how->have && i < d; i++)
    if (is_there(b, i)) b->have[b->have_count++] = i;
  return SCANT_OK;
}

/* With a point for every number of purchases. */
static scant_status buyer_open_points(buyer *b, const scant_model *model, scant_source *source, uint64_t k,
                                      const scant_prices *prices, double level, scant_error *error) {
  scant_buying how = {.prices = prices, .level = level};
  *b = (buyer){0};
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check_dimension(model, source, error));
  SCANT_TRY(check_k(model, k, error));
  SCANT_TRY(buyer_open(b, model, source, &how, k, error));
  b->points = scant_array((size_t)k + 1, sizeof *b->points);
  return b->points ? SCANT_OK : scant_fail_memory(error);
}

/* Hands the ledger over, also after a failure if anything was bought before it. */
static void buyer_close(buyer *b, scant_status status, scant_ledger *ledger) {
  if (ledger && b->meter && (status == SCANT_OK || scant_meter_ledger(b->meter)->examples))
    *ledger = *scant_meter_ledger(b->meter);
  scant_query_free(b->query);
  scant_meter_free(b->meter);
  free(b->values);
  free(b->have);
  free(b->purchases);
  free(b->points);
}

/* Buys an attribute with all that comes with it. */
static scant_status buy(buyer *b, size_t row, uint32_t attribute, scant_error *error) {
  const scant_prices *p = b->how.prices;
  scant_look look = {.count = 1, .draws = 1, .attributes = &attribute};
  if (p) {
    uint32_t item = p->item[attribute];
    look.attributes = p->members + p->first[item];
    look.count = look.draws = p->first[item + 1] - p->first[item];
  }
  double y;
  SCANT_TRY(scant_meter_buy_more(b->meter, row, &look, b->values, &y, error));
  for (uint32_t i = 0; i < look.count; i++) {
    uint32_t bought = look.attributes[i];
    b->purchases[b->purchase_count++] = (scant_purchase){bought, p ? p->attribute_cost[bought] : 0, b->values[i]};
    SCANT_TRY(scant_query_tell(b->query, bought, b->values[i], error));
  }
  return SCANT_OK;
}

static scant_status note_point(buyer *b, size_t row, uint64_t bought, uint64_t money, scant_error *error) {
  point *p = &b->last;
  scant_query_expect(b->query, b->how.level, &p->prediction);
  p->bought = bought;
  p->money = money;
  if (b->points) b->points[bought] = *p;
  return isfinite(p->prediction.mean) ? SCANT_OK : scant_score_overflow(b->source, row, error);
}

static int is_absent(const buyer *b, uint32_t attribute) {
  return b->source->view.column[attribute] == SCANT_ABSENT;
}

/* Is there no column for it, nor for any other attribute that is bought with it? */
static int is_item_absent(const buyer *b, uint32_t attribute) {
  const scant_prices *p = b->how.prices;
  uint32_t item = p ? p->item[attribute] : 0;
  if (!p) return is_absent(b, attribute);
  for (uint32_t r = p->first[item]; r < p->first[item + 1]; r++)
    if (!is_absent(b, p->members[r])) return 0;
  return 1;
}

/* What the file has no column for is known to be missing, so that nothing is paid for it. */
static scant_status tell_absent(buyer *b, scant_error *error) {
  const scant_view *view = &b->source->view;
  for (uint32_t i = 0; view->absent && i < view->dimension; i++)
    if (is_item_absent(b, i)) SCANT_TRY(scant_query_tell(b->query, i, NAN, error));
  return SCANT_OK;
}

/* What is there already is read outside the meter.  Where it is empty it is known to be, and is not asked for. */
static scant_status tell_there(buyer *b, size_t row, scant_error *error) {
  if (!b->have_count) return SCANT_OK;
  SCANT_TRY(scant_source_read(b->source, row, b->have_count, b->have, b->values, error));
  for (size_t i = 0; i < b->have_count; i++)
    if (!b->query->told[b->have[i]]) SCANT_TRY(scant_query_tell(b->query, b->have[i], b->values[i], error));
  return SCANT_OK;
}

/* Fills b->last, b->points and what was bought, for one row.  The meter enforces K too, unless k = 0, which means no
 * limit to it. */
static scant_status buy_row(buyer *b, size_t row, scant_error *error) {
  const scant_prices *p = b->how.prices;
  uint64_t bought = 0, money = 0;
  uint32_t attribute;
  b->purchase_count = 0;
  scant_query_reset(b->query);
  SCANT_TRY(tell_absent(b, error));
  SCANT_TRY(tell_there(b, row, error));
  for (;;) {
    b->verdict = scant_query_judge(b->query, &b->how.stop, b->k, b->how.level, bought, money, &attribute);
    int buys = b->verdict == SCANT_VERDICT_BUY;
    uint64_t cost = buys && p ? p->cost[p->item[attribute]] : 0;
    int counts = buys && (!p || cost > 0);
    if (counts || !buys) SCANT_TRY(note_point(b, row, bought, money, error));
    if (!buys) break;
    SCANT_TRY(buy(b, row, attribute, error));
    bought += (uint64_t)counts;
    money += cost;
  }
  for (uint64_t t = bought + 1; b->points && t <= b->k; t++) b->points[t] = b->points[bought];
  return SCANT_OK;
}

scant_status scant_model_predict_few(const scant_model *model, scant_source *source, uint64_t k,
                                     const scant_prices *prices, double level, scant_prediction *predictions,
                                     scant_ledger *ledger, scant_error *error) {
  buyer b;
  scant_status status = buyer_open_points(&b, model, source, k, prices, level, error);
  for (size_t row = 0; status == SCANT_OK && row < scant_source_rows(source); row++) {
    status = buy_row(&b, row, error);
    if (status != SCANT_OK) break;
    predictions[row] = b.points[k].prediction;
    status = scant_prediction_finish(model, source, row, &predictions[row], error);
  }
  buyer_close(&b, status, ledger);
  return status;
}

typedef struct {
  scant_known_tally known;
  double bought, money; /* sums of whole numbers */
} point_tally;

static scant_status tally_rows(buyer *b, point_tally *tallies, scant_error *error) {
  for (size_t row = 0; row < scant_source_rows(b->source); row++) {
    SCANT_TRY(buy_row(b, row, error));
    for (uint64_t t = 0; t <= b->k; t++) {
      scant_known_tally_add(&tallies[t].known, &b->points[t].prediction, scant_source_target(b->source, row));
      tallies[t].bought += (double)b->points[t].bought;
      tallies[t].money += (double)b->points[t].money;
    }
  }
  return SCANT_OK;
}

scant_status scant_model_evaluate_few(const scant_model *model, scant_source *source, uint64_t k,
                                      const scant_prices *prices, double level, scant_known_scores *curve,
                                      scant_ledger *ledger, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check(model, source, error));
  SCANT_TRY(check_k(model, k, error));
  double rows = (double)scant_source_rows(source);
  if (!(rows > 0)) return scant_fail(error, SCANT_DATA, "there are no examples to test on");
  point_tally *tallies = scant_array((size_t)k + 1, sizeof *tallies);
  if (!tallies) return scant_fail_memory(error);
  buyer b;
  scant_status status = buyer_open_points(&b, model, source, k, prices, level, error);
  if (status == SCANT_OK) status = tally_rows(&b, tallies, error);
  for (uint64_t t = 0; status == SCANT_OK && t <= k; t++) status = scant_tally_check(&tallies[t].known.tally, error);
  for (uint64_t t = 0; status == SCANT_OK && t <= k; t++) {
    curve[t] = scant_known_tally_scores(&tallies[t].known);
    curve[t].bought = tallies[t].bought / rows;
    curve[t].money = tallies[t].money / rows;
  }
  buyer_close(&b, status, ledger);
  free(tallies);
  return status;
}

/* ---- until a rule stops ------------------------------------------------------- */

static uint64_t most_items(const scant_stop *stop) {
  return stop->k ? stop->k : UINT64_MAX;
}

scant_status scant_model_buy(const scant_model *model, scant_source *source, const scant_buying *buying,
                             scant_bought_visitor visit, void *user, scant_ledger *ledger, scant_error *error) {
  buyer b;
  scant_status status = buyer_open(&b, model, source, buying, most_items(&buying->stop), error);
  for (size_t row = 0; status == SCANT_OK && row < scant_source_rows(source); row++) {
    status = buy_row(&b, row, error);
    if (status != SCANT_OK) break;
    scant_bought bought = {b.last.prediction, NAN,        NAN, b.verdict, b.last.bought, b.last.money,
                           b.purchase_count,  b.purchases};
    bought.sure = scant_query_sure(b.query, &bought.value);
    status = scant_prediction_finish(model, source, row, &bought.prediction, error);
    if (status == SCANT_OK) status = visit(user, row, &bought, error);
  }
  buyer_close(&b, status, ledger);
  return status;
}

/* One row; the target is as it was learned. */
static void tally_bought(const buyer *b, double y, point_tally *tally, scant_bought_scores *scores) {
  const scant_gaussian *g = b->model->gaussian;
  const scant_prediction *p = &b->last.prediction;
  scant_verdict_scores *by = &scores->by[b->verdict];
  scant_known_tally_add(&tally->known, p, y);
  tally->bought += (double)b->last.bought;
  tally->money += (double)b->last.money;
  by->examples++;
  by->covered += p->low <= y && y <= p->high;
  by->items += b->last.bought;
  by->money += b->last.money;
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
  point_tally tally = {0};
  scant_bought_scores s = {.two_valued = model->gaussian->two_valued};
  scant_status status = buyer_open(&b, model, source, buying, most_items(&buying->stop), error);
  for (size_t row = 0; status == SCANT_OK && row < scant_source_rows(source); row++) {
    status = buy_row(&b, row, error);
    if (status == SCANT_OK) tally_bought(&b, scant_source_target(source, row), &tally, &s);
  }
  if (status == SCANT_OK) status = scant_tally_check(&tally.known.tally, error);
  if (status == SCANT_OK) {
    s.all = scant_known_tally_scores(&tally.known);
    s.all.bought = tally.bought / rows;
    s.all.money = tally.money / rows;
    s.right = s.two_valued ? s.right / rows : NAN;
    s.sure = s.two_valued ? s.sure / rows : NAN;
    *scores = s;
  }
  buyer_close(&b, status, ledger);
  return status;
}
