/* A fit that stops at marks.  Every curve is made of it, here, in the command and in Python. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scant.h"

struct scant_curve {
  scant_fit *fit;
  uint64_t start; /* examples before the curve */
  size_t next, count;
  uint64_t marks[]; /* from `start` on */
};

uint64_t scant_curve_step(scant_curve_unit unit, uint64_t end, size_t points, size_t point) {
  uint64_t steps = points, done = (uint64_t)point + 1, rest = end % steps * done;
  int up = unit == SCANT_CURVE_EXAMPLES && rest % steps != 0;
  return end / steps * done + rest / steps + (uint64_t)up;
}

scant_status scant_curve_new(scant_curve **curve, scant_fit *fit, const uint64_t *marks, size_t count,
                             scant_error *error) {
  for (size_t i = 1; i < count; i++)
    if (marks[i] < marks[i - 1])
      return scant_fail(error, SCANT_MISUSE, "mark %zu of a curve lies before the one before it", i + 1);
  scant_curve *c = count > (SIZE_MAX - sizeof *c) / sizeof *marks ? NULL : malloc(sizeof *c + count * sizeof *marks);
  if (!c) return scant_fail_memory(error);
  *c = (scant_curve){.fit = fit, .start = scant_fit_ledger(fit)->examples, .count = count};
  if (count) memcpy(c->marks, marks, count * sizeof *marks);
  *curve = c;
  return SCANT_OK;
}

void scant_curve_free(scant_curve *curve) {
  free(curve);
}

static uint64_t taken(const scant_curve *c) {
  return scant_fit_ledger(c->fit)->examples - c->start;
}

scant_status scant_curve_advance(scant_curve *curve, uint64_t examples, int *arrived, int *done, scant_error *error) {
  scant_curve *c = curve;
  size_t next = c->next;
  while (next < c->count && c->marks[next] <= taken(c)) next++;
  uint64_t left = next < c->count ? c->marks[next] - taken(c) : UINT64_MAX;
  SCANT_TRY(scant_fit_advance(c->fit, examples < left ? examples : left, done, error));
  c->next = next;
  *arrived = *done || (next < c->count && taken(c) >= c->marks[next]); /* a block may reach past a mark */
  return SCANT_OK;
}

void scant_curve_get_point(const scant_curve *curve, scant_curve_point *point) {
  const scant_ledger *ledger = scant_fit_ledger(curve->fit);
  scant_learner_facts facts;
  scant_fit_get_facts(curve->fit, &facts);
  *point = (scant_curve_point){.examples = ledger->examples,
                               .attributes = ledger->attributes_bought,
                               .money = ledger->money_spent,
                               .risk = facts.risk,
                               .risk_error = facts.risk_error,
                               .reached = 1};
}
