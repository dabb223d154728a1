/* Checks that ask could have written a look.  Looks are kept outside and may come back damaged. */
#include <math.h>

#include "scant_base.h"
#include "estimate/stopped_gradient.h"
#include "look/looks.h"

/* Members of a group were drawn together, so a look counts a draw once and its places may count it more often. */
static scant_status check_places(const scant_look *look, size_t dimension, int in_items, scant_error *error) {
  uint64_t gradient = 0, residual = 0, certain = 0;
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t drawn = look->gradient_draws[i], again = look->residual_draws[i];
    double q = look->gradient_probability[i], p = look->residual_probability[i];
    if (look->attributes[i] >= dimension)
      return scant_fail(error, SCANT_MISUSE, "place %u of the look is damaged: attribute %u", i, look->attributes[i]);
    if (!(q > 0 && q <= 1) || !(p > 0 && p <= 1) || !isfinite(look->weight[i]) || isinf(look->mean[i]) ||
        look->item[i] >= dimension || drawn > INT32_MAX)
      return scant_fail(error, SCANT_MISUSE, "place %u of the look is damaged: its numbers are out of range", i);
    gradient += drawn;
    residual += again;
    certain += !drawn && !again;
  }
  if (gradient < look->gradient_total || residual < look->residual_total ||
      (!in_items && residual != look->residual_total) || !isfinite(look->gradient_scale) || !isfinite(look->y_mean) ||
      !isfinite(look->intercept) || (certain < look->count && !look->gradient_total))
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: its draws do not add up");
  return SCANT_OK;
}

/* Nearly every algorithm makes one step from all attributes of a look, so each may be in it once. */
static int each_once(const scant_look *look, const scant_looks *looks) {
  for (uint32_t i = 0; i < look->count; i++) looks->met[look->attributes[i]] = i; /* below any base */
  for (uint32_t i = 0; i < look->count; i++)
    if (looks->met[look->attributes[i]] != i) return 0;
  return 1;
}

/* Items are whole, their members follow each other in order and were drawn as one, and draws are none or at least two.
 * Where the law was another one then, what has the same number is an item. */
static int items_agree(const scant_look *look, const scant_looks *looks, int given) {
  const scant_market *market = &looks->law.market;
  uint64_t draws = 0, second = 0; /* of both halves, and of the second */
  for (uint32_t i = 0, end; i < look->count; i = end) {
    uint32_t item = look->item[i], drawn = look->gradient_draws[i], again = look->residual_draws[i];
    double q = look->gradient_probability[i];
    if (!given && item >= looks->law.items) return 0;
    end = given ? scant_look_item_end(look, i) : i + scant_market_size(market, item);
    if (end > look->count || again > drawn) return 0;
    for (uint32_t j = i; j < end; j++)
      if (look->item[j] != item || (!given && look->attributes[j] != scant_market_member(market, item, j - i)) ||
          look->gradient_draws[j] != drawn || look->residual_draws[j] != again || look->gradient_probability[j] != q)
        return 0;
    draws += drawn;
    second += again;
  }
  return draws == look->gradient_total && second == look->residual_total && draws != 1;
}

static scant_status check(const scant_look *look, const scant_looks *looks, int given, scant_error *error) {
  if (look->count > look->capacity || look->count > looks->dimension ||
      look->sequence_count > look->sequence_capacity || look->calls > 2)
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: it is larger than its room");
  if (looks->kind->whole && look->count != looks->dimension)
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: it is not at every attribute");
  int in_items = looks->kind->in_items;
  SCANT_TRY(check_places(look, looks->dimension, in_items, error));
  if (in_items && !(items_agree(look, looks, given) && (given || each_once(look, looks))))
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: its items are not as they were drawn");
  if ((given || !in_items) && !each_once(look, looks))
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: an attribute is twice in it");
  uint64_t draws = 0;
  for (uint32_t c = 0; c < look->calls; c++) {
    if (look->call[c].order > SCANT_ORDER_MOST || !look->call[c].group)
      return scant_fail(error, SCANT_MISUSE, "call %u of the look is damaged", c);
    draws += (uint64_t)look->call[c].order * look->call[c].group;
  }
  for (uint32_t r = 0; r < look->sequence_count; r++)
    if (look->sequence[r] >= look->count) return scant_fail(error, SCANT_MISUSE, "draw %u of the look is damaged", r);
  /* GenEst's calls say how many draws there are; other algorithms list them one by one, or have none */
  if (!look->calls) draws = in_items ? 0 : look->residual_total;
  if (draws != look->sequence_count || (!in_items && look->residual_total != look->sequence_count))
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: draws are missing");
  return SCANT_OK;
}

scant_status scant_look_check(const scant_look *look, const scant_looks *looks, scant_error *error) {
  return check(look, looks, 0, error);
}

scant_status scant_look_check_given(const scant_look *look, const scant_looks *looks, scant_error *error) {
  return check(look, looks, 1, error);
}
