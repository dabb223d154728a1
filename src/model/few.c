/* Predictions from a few attributes of every row, bought through a meter. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "data/source.h"
#include "price/prices.h"
#include "model/query.h"
#include "model/score.h"

/* The prediction after so many purchases of an example. */
typedef struct {
  scant_prediction prediction; /* as it was learned */
  uint64_t bought, money;
} point;

typedef struct {
  scant_source *source;
  const scant_prices *prices;
  uint64_t k;
  double level;
  scant_query *query;
  scant_meter *meter;
  double *values;
  point *points; /* k + 1 */
} buyer;

static scant_status check_k(const scant_model *model, uint64_t k, scant_error *error) {
  if (k <= model->dimension) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "k = %llu is more than the %zu attributes of the model", (unsigned long long)k,
                    model->dimension);
}

static scant_status buyer_open(buyer *b, const scant_model *model, scant_source *source, uint64_t k,
                               const scant_prices *prices, double level, scant_error *error) {
  *b = (buyer){.source = source, .prices = prices, .k = k, .level = level};
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check_dimension(model, source, error));
  SCANT_TRY(check_k(model, k, error));
  SCANT_TRY(scant_query_new(&b->query, model, prices, error));
  SCANT_TRY(scant_meter_new(&b->meter, source, k, 0, error));
  if (prices) SCANT_TRY(scant_meter_price(b->meter, prices, 0, 0, error));
  scant_meter_set_missing(b->meter, SCANT_MISSING_SKIP_CELL);
  b->values = scant_array(model->dimension, sizeof *b->values);
  b->points = scant_array((size_t)k + 1, sizeof *b->points);
  return b->values && b->points ? SCANT_OK : scant_fail_memory(error);
}

/* Hands the ledger over, also after a failure if anything was bought before it. */
static void buyer_close(buyer *b, scant_status status, scant_ledger *ledger) {
  if (ledger && b->meter && (status == SCANT_OK || scant_meter_ledger(b->meter)->examples))
    *ledger = *scant_meter_ledger(b->meter);
  scant_query_free(b->query);
  scant_meter_free(b->meter);
  free(b->values);
  free(b->points);
}

/* Buys an attribute with all that comes with it. */
static scant_status buy(buyer *b, size_t row, uint32_t attribute, scant_error *error) {
  const scant_prices *p = b->prices;
  scant_look look = {.count = 1, .draws = 1, .attributes = &attribute};
  if (p) {
    uint32_t item = p->item[attribute];
    look.attributes = p->members + p->first[item];
    look.count = look.draws = p->first[item + 1] - p->first[item];
  }
  double y;
  SCANT_TRY(scant_meter_buy_more(b->meter, row, &look, b->values, &y, error));
  for (uint32_t i = 0; i < look.count; i++)
    SCANT_TRY(scant_query_tell(b->query, look.attributes[i], b->values[i], error));
  return SCANT_OK;
}

static scant_status note_point(buyer *b, size_t row, uint64_t bought, uint64_t money, scant_error *error) {
  point *p = &b->points[bought];
  scant_query_expect(b->query, b->level, &p->prediction);
  p->bought = bought;
  p->money = money;
  return isfinite(p->prediction.mean) ? SCANT_OK : scant_score_overflow(b->source, row, error);
}

static int is_absent(const buyer *b, uint32_t attribute) {
  return b->source->view.column[attribute] == SCANT_ABSENT;
}

/* Is there no column for it, nor for any other attribute that is bought with it? */
static int is_item_absent(const buyer *b, uint32_t attribute) {
  const scant_prices *p = b->prices;
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

/* Fills b->points for one row.  The meter enforces K too, unless k = 0, which means no limit to it. */
static scant_status buy_row(buyer *b, size_t row, scant_error *error) {
  uint64_t bought = 0, money = 0;
  uint32_t attribute;
  scant_query_reset(b->query);
  SCANT_TRY(tell_absent(b, error));
  while (scant_query_next(b->query, &attribute)) {
    uint64_t cost = b->prices ? b->prices->cost[b->prices->item[attribute]] : 0;
    int counts = !b->prices || cost > 0;
    if (counts) SCANT_TRY(note_point(b, row, bought, money, error));
    if (counts && bought == b->k) return SCANT_OK;
    SCANT_TRY(buy(b, row, attribute, error));
    bought += (uint64_t)counts;
    money += cost;
  }
  SCANT_TRY(note_point(b, row, bought, money, error));
  for (uint64_t t = bought + 1; t <= b->k; t++) b->points[t] = b->points[bought];
  return SCANT_OK;
}

scant_status scant_model_predict_few(const scant_model *model, scant_source *source, uint64_t k,
                                     const scant_prices *prices, double level, scant_prediction *predictions,
                                     scant_ledger *ledger, scant_error *error) {
  buyer b;
  scant_status status = buyer_open(&b, model, source, k, prices, level, error);
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
  scant_status status = buyer_open(&b, model, source, k, prices, level, error);
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
