/* Reopening: the end of an order is taken back. */
#include <inttypes.h>

#include "scant_base.h"
#include "learning/replay_learner.h"
#include "ledger/ledger.h"
#include "orders/orders.h"
#include "study.h"
#include "orders/tell.h"
#include "store/transaction.h"

/* What was refunded must be there again.  An expired order was refunded nothing. */
static scant_status check_budget(const scant_study *s, const study_totals *rest, scant_error *error) {
  study_totals left = study_left(s);
  if (rest->spent > left.spent)
    return scant_fail(error, SCANT_SPENT,
                      "what is still to come of example '%.200s' costs %.2f, and %.2f of the budget are left",
                      s->order.example, (double)rest->spent / 100, (double)left.spent / 100);
  if (rest->attributes > left.attributes)
    return scant_fail(error, SCANT_SPENT,
                      "what is still to come of example '%.200s' counts %" PRIu64 ", and %" PRIu64
                      " of the budget of attributes are left",
                      s->order.example, rest->attributes, left.attributes);
  return SCANT_OK;
}

static study_totals rest_of(const scant_study *s) {
  study_totals all = study_price(s, STUDY_ALL), measured = study_price(s, STUDY_MEASURED);
  return (study_totals){.attributes = all.attributes - measured.attributes, .spent = all.spent - measured.spent};
}

static scant_status reopen(scant_study *s, const study_totals *rest, const char *reason, scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_REOPEN, s->order.example, s->order.number);
  event.reason = reason;
  event.reserved = (int64_t)rest->spent;
  if (s->order.state == SCANT_ORDER_EXPIRED)
    event.spent = -(int64_t)rest->spent; /* it stayed spent */
  else
    event.attributes = (int64_t)rest->attributes;
  s->order.spent = study_price(s, STUDY_MEASURED).spent;
  s->order.reason = NULL; /* of its end, which is taken back; the ledger has it */
  s->order.state = study_state_of(&s->order);
  event.learned = s->order.state == SCANT_ORDER_LEARNED; /* the rest was told after it had expired */
  SCANT_TRY(study_learner_reopen_order(s, error));
  uint64_t told_before = study_learner_told(s);
  if (event.learned) {
    SCANT_TRY(study_learner_tell_order(s, error));
  } else {
    s->tip.open++;
  }
  SCANT_TRY(study_write_order(s, event.learned ? &told_before : NULL, error));
  return study_append(s, &event, error);
}

static scant_status reopen_example(scant_study *s, const char *example, const char *reason, scant_error *error) {
  SCANT_TRY(study_need_order(s, example, error));
  if (s->order.state <= SCANT_ORDER_LEARNED)
    return scant_fail(error, SCANT_MISUSE, "the order of example '%.200s' is %s: there is no end to take back", example,
                      scant_order_state_name(s->order.state));
  study_totals rest = rest_of(s);
  if (s->order.state != SCANT_ORDER_EXPIRED) SCANT_TRY(check_budget(s, &rest, error));
  if (s->tip.open >= s->settings.learning.max_open)
    return scant_fail(error, SCANT_MISUSE, "%" PRIu64 " orders are open already, and no more than max-open may be",
                      s->tip.open);
  SCANT_TRY(study_begin(s, error));
  return study_settle(s, reopen(s, &rest, reason, error), error);
}

scant_status scant_study_reopen(scant_study *study, const char *example, const char *reason, scant_error *error) {
  if (!reason || !*reason) return scant_fail(error, SCANT_USAGE, "an order is reopened for a reason: say which");
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, reopen_example(study, example, reason, error));
}
