/* When to stop buying for a prediction. */
#include <math.h>

#include "base/error.h"
#include "base/money.h"
#include "joint/predictive.h"
#include "model/query.h"
#include "model/score.h"

const char *scant_verdict_name(scant_verdict verdict) {
  static const char *const names[SCANT_VERDICTS] = {"buy", "sure", "width", "k", "spend", "nothing"};
  return (unsigned)verdict < SCANT_VERDICTS ? names[verdict] : NULL;
}

scant_status scant_stop_check(const scant_stop *stop, const scant_model *model, const scant_prices *prices,
                              double level, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  if (stop->k > model->dimension)
    return scant_fail(error, SCANT_DATA, "k = %llu is more than the %zu attributes of the model",
                      (unsigned long long)stop->k, model->dimension);
  if (stop->spend && !prices)
    return scant_fail(error, SCANT_USAGE, "spend needs prices, and the model was fitted without costs");
  if (stop->width != 0 && !(stop->width > 0 && isfinite(stop->width)))
    return scant_fail(error, SCANT_USAGE, "the width to stop at must be above 0, and it is %.6g", stop->width);
  if (stop->width > 0 && !(level > 0 && level < 1))
    return scant_fail(error, SCANT_USAGE, "stopping by the width of the interval needs a level between 0 and 1");
  if (stop->sure != 0 && !(stop->sure > 0.5 && stop->sure < 1))
    return scant_fail(error, SCANT_USAGE, "the probability to stop at must be above 0.5 and below 1, and it is %.6g",
                      stop->sure);
  if (stop->sure > 0 && !model->gaussian->two_valued)
    return scant_fail(error, SCANT_USAGE,
                      "stopping once one value is sure needs a target of two values, and the target of this model is "
                      "a number: stop by the width of its interval");
  return SCANT_OK;
}

static int is_narrow(const scant_query *q, const scant_stop *stop, double level) {
  scant_prediction p;
  scant_query_predict(q, level, &p);
  return p.high - p.low <= stop->width;
}

static int is_sure(const scant_query *q, const scant_stop *stop) {
  double value;
  return scant_query_sure(q, &value) >= stop->sure;
}

static int is_free(const scant_query *q, uint32_t attribute) {
  return q->prices && !scant_query_price(q, attribute);
}

scant_verdict scant_query_judge(scant_query *query, const scant_stop *stop, uint64_t most, double level,
                                uint64_t bought, uint64_t spent, uint32_t *attribute) {
  uint64_t left = stop->spend ? stop->spend - (spent < stop->spend ? spent : stop->spend) : UINT64_MAX;
  const scant_choice *choice = scant_query_find(query, left);
  *attribute = choice->attribute;
  if (choice->attribute != SCANT_CHOICE_NONE && is_free(query, choice->attribute)) return SCANT_VERDICT_BUY;
  if (stop->sure > 0 && is_sure(query, stop)) return SCANT_VERDICT_SURE;
  if (stop->width > 0 && is_narrow(query, stop, level)) return SCANT_VERDICT_WIDTH;
  if (choice->attribute == SCANT_CHOICE_NONE) return choice->dear ? SCANT_VERDICT_SPEND : SCANT_VERDICT_NOTHING;
  return bought >= most ? SCANT_VERDICT_K : SCANT_VERDICT_BUY;
}

scant_verdict scant_query_decide(scant_query *query, const scant_stop *stop, double level, uint64_t bought,
                                 uint64_t spent, uint32_t *attribute) {
  static const scant_stop never = {0};
  if (!stop) stop = &never;
  return scant_query_judge(query, stop, stop->k ? stop->k : UINT64_MAX, level, bought, spent, attribute);
}
