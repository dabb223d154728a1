/* The meter: the only way from a source to a learner. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "base/lanes.h"
#include "data/meter.h"
#include "data/sentence.h"
#include "data/source.h"
#include "price/prices.h"

scant_status scant_meter_new(scant_meter **meter, scant_source *source, uint64_t k, uint64_t budget,
                             scant_error *error) {
  scant_meter *m = scant_array(1, sizeof *m);
  if (!m) return scant_fail_memory(error);
  m->k = k;
  m->budget = budget;
  m->purchases = scant_array(source->dimension, sizeof *m->purchases);
  m->unknown = scant_array(source->dimension, sizeof *m->unknown);
  if (!m->purchases || !m->unknown || scant_meter_turn(m, source, error) != SCANT_OK) {
    scant_meter_free(m);
    return scant_fail_memory(error);
  }
  *meter = m;
  return SCANT_OK;
}

scant_status scant_meter_turn(scant_meter *meter, scant_source *source, scant_error *error) {
  scant_meter *m = meter;
  uint32_t *bought = scant_array(source->rows, sizeof *bought);
  uint64_t *paid = m->paid ? scant_array(source->rows, sizeof *paid) : NULL;
  if (!bought || (m->paid && !paid)) {
    free(bought);
    free(paid);
    return scant_fail_memory(error);
  }
  free(m->bought);
  free(m->paid);
  m->bought = bought;
  m->paid = paid;
  m->source = source;
  return SCANT_OK;
}

void scant_meter_free(scant_meter *meter) {
  if (!meter) return;
  free(meter->bought);
  free(meter->purchases);
  free(meter->paid);
  free(meter->seen);
  free(meter->unknown);
  free(meter);
}

scant_status scant_meter_price(scant_meter *meter, const scant_prices *prices, uint64_t spend, uint64_t budget_cost,
                               scant_error *error) {
  scant_meter *m = meter;
  SCANT_TRY(scant_source_check_prices(m->source, prices, error));
  uint64_t *seen = scant_array(prices->items, sizeof *seen);
  uint64_t *paid = spend ? scant_array(m->source->rows, sizeof *paid) : NULL;
  if (!seen || (spend && !paid)) {
    free(seen);
    free(paid);
    return scant_fail_memory(error);
  }
  free(m->seen);
  free(m->paid);
  m->seen = seen;
  m->paid = paid;
  m->prices = prices;
  m->spend = spend;
  m->budget_cost = budget_cost;
  return SCANT_OK;
}

/* The item of an attribute if it is met for the first time in this round. */
static const uint32_t *new_item(scant_meter *m, uint32_t attribute) {
  const uint32_t *item = &m->prices->item[attribute];
  if (m->seen[*item] == m->round) return NULL;
  m->seen[*item] = m->round;
  return item;
}

/* The number and the price of cells: a group is one item, and free items are outside K. */
typedef struct {
  uint64_t cells, items, money;
} charge;

/* Counts the first `count` cells of a look, and with `enter` counts their attributes as purchased: a group is bought
 * whole, even if an algorithm that does not follow prices looks at one member of it.  Cells that are NaN in `known` are
 * not bought (NULL: all are). */
static charge charge_cells(scant_meter *m, const scant_look *look, uint32_t count, const double *known, int enter) {
  const scant_prices *p = m->prices;
  if (!p && !known) {
    for (uint32_t i = 0; enter && i < count; i++) m->purchases[look->attributes[i]]++;
    return (charge){count, count, 0};
  }
  charge c = {0, 0, 0};
  m->round++;
  for (uint32_t i = 0; i < count; i++) {
    if (known && isnan(known[i])) continue;
    c.cells++;
    c.items += !p;
    if (!p && enter) m->purchases[look->attributes[i]]++;
    const uint32_t *item = p ? new_item(m, look->attributes[i]) : NULL;
    if (!item) continue;
    c.items += p->cost[*item] > 0;
    c.money += p->cost[*item];
    for (uint32_t r = p->first[*item]; enter && r < p->first[*item + 1]; r++) m->purchases[p->members[r]]++;
  }
  return c;
}

/* Attributes bought of a row so far. */
static uint64_t bought_of(const scant_meter *m, size_t row) {
  return m->bought[row] ? m->bought[row] - 1 : 0;
}

static scant_status refuse_money(const char *what, uint64_t spent, uint64_t limit, uint64_t more, scant_error *error) {
  return scant_fail(error, SCANT_SPENT, "%s: %.2f of %.2f are spent, and a look costs %.2f", what, (double)spent / 100,
                    (double)limit / 100, (double)more / 100);
}

void scant_meter_set_missing(scant_meter *meter, scant_missing missing) {
  meter->missing = missing;
}

void scant_meter_set_observed(scant_meter *meter, int observed) {
  meter->observed = observed;
}

/* SCANT_SPENT if a limit would be exceeded. */
static scant_status check_limits(const scant_meter *m, size_t row, const charge *c, scant_error *error) {
  uint64_t before = bought_of(m, row);
  if (m->k && before + c->items > m->k)
    return scant_fail(error, SCANT_SPENT,
                      "example %zu: %llu of its %llu attributes are bought, and %llu more were asked for", row + 1,
                      (unsigned long long)before, (unsigned long long)m->k, (unsigned long long)c->items);
  if (m->budget && m->ledger.attributes_bought + c->items > m->budget)
    return scant_fail(
        error, SCANT_SPENT, "%llu of the budget of %llu attributes are spent, and %llu more were asked for",
        (unsigned long long)m->ledger.attributes_bought, (unsigned long long)m->budget, (unsigned long long)c->items);
  if (m->budget_cost && m->ledger.money_spent + c->money > m->budget_cost)
    return refuse_money("the budget", m->ledger.money_spent, m->budget_cost, c->money, error);
  if (m->spend && m->paid[row] + c->money > m->spend)
    return refuse_money("an example", m->paid[row], m->spend, c->money, error);
  if (c->money > SCANT_MONEY_MOST - m->ledger.money_spent)
    return scant_fail(error, SCANT_DATA, "the money spent is more than can be counted");
  return SCANT_OK;
}

static scant_status check_look(const scant_meter *m, size_t row, const scant_look *look, scant_error *error) {
  if (row >= m->source->rows) return scant_fail(error, SCANT_MISUSE, "there is no example %zu", row + 1);
  for (uint32_t i = 0; m->prices && i < look->count; i++)
    if (look->attributes[i] >= m->prices->dimension)
      return scant_fail(error, SCANT_MISUSE, "there is no attribute %lu: the source has %zu",
                        (unsigned long)look->attributes[i], m->prices->dimension);
  return SCANT_OK;
}

/* The charge with one more attribute in this round, if it has a value. */
static charge charge_next(const scant_meter *m, const charge *before, uint32_t attribute) {
  charge c = *before;
  c.items += !m->prices;
  if (!m->prices || m->seen[m->prices->item[attribute]] == m->round) return c;
  uint64_t cost = m->prices->cost[m->prices->item[attribute]];
  c.items += cost > 0;
  c.money += cost;
  return c;
}

/* Where missing cells are not bought, the cost of a look is known only after reading, and cells that were read are
 * bought.  So near a limit cells are read one by one, as long as the next one can be paid.  SCANT_SPENT: the money did
 * not pay for all of them. */
static scant_status fetch_while_paid(scant_meter *m, size_t row, const scant_look *look, double *values,
                                     uint32_t *count, scant_error *error) {
  const uint32_t *attributes = look->attributes;
  charge c = {0, 0, 0};
  m->round++;
  for (; *count < look->count; ++*count) {
    uint32_t i = *count;
    charge next = charge_next(m, &c, attributes[i]);
    SCANT_TRY(check_limits(m, row, &next, error));
    scant_status status = scant_source_fetch(m->source, row, 1, attributes + i, values + i, error);
    if (status == SCANT_DATA) { /* it was read and is not empty, but it is no number */
      values[i] = 0;
      ++*count;
    }
    if (status != SCANT_OK) return status;
    if (isnan(values[i])) continue;
    if (m->prices) (void)new_item(m, attributes[i]);
    c = next;
  }
  return SCANT_OK;
}

/* Reads the cells of a look that can be paid.  *count becomes the number of cells read, which are bought whatever the
 * status; *known: it is known which of them are missing.  SCANT_DATA: one of the cells is no number. */
static scant_status fetch(scant_meter *m, size_t row, const scant_look *look, double *values, uint32_t *count,
                          int *known, scant_error *error) {
  charge c = charge_cells(m, look, look->count, NULL, 0);
  scant_status status = check_limits(m, row, &c, error);
  *known = m->observed;
  if (status == SCANT_SPENT && m->observed) return fetch_while_paid(m, row, look, values, count, error);
  if (status != SCANT_OK) return status;
  status = scant_source_fetch(m->source, row, look->count, look->attributes, values, error);
  if (status == SCANT_OK || status == SCANT_DATA) *count = look->count;
  if (status != SCANT_OK) *known = 0;
  return status;
}

/* Enters the first `count` cells of a look into the ledger. */
static void record(scant_meter *m, size_t row, const scant_look *look, uint32_t count, const double *known, int more) {
  charge c = charge_cells(m, look, count, known, 1);
  scant_ledger *l = &m->ledger;
  uint64_t after = bought_of(m, row) + c.items;
  l->examples += !more || m->bought[row] == 0;
  l->distinct_examples += m->bought[row] == 0;
  m->bought[row] = (uint32_t)after + 1;
  l->looks_drawn += m->observed ? c.cells : look->draws;
  l->attributes_bought += c.items;
  l->money_spent += c.money;
  if (m->paid) m->paid[row] += c.money;
  if (after > l->max_bought_per_example) l->max_bought_per_example = after;
}

/* Looks through cells that were read: are values missing, or can one not be learned from? */
static scant_status inspect(scant_meter *m, size_t row, const scant_look *look, const double *values,
                            scant_error *error) {
  uint64_t missing = 0;
  uint32_t first = look->count;
  if (scant_lanes_within(look->count, values, DBL_MAX)) return SCANT_OK;
  for (uint32_t i = look->count; !m->observed && i-- > 0;) {
    if (!isnan(values[i])) continue;
    missing++;
    m->unknown[look->attributes[i]]++;
    first = i;
  }
  m->ledger.missing_cells += missing;
  SCANT_TRY(scant_source_check(m->source, row, look->count, look->attributes, values, error));
  m->ledger.skipped_examples += missing && m->missing == SCANT_MISSING_SKIP_EXAMPLE;
  if (!missing || m->missing != SCANT_MISSING_ERROR) return SCANT_OK;
  char where[SCANT_WHERE_LENGTH];
  scant_source_where(m->source, row, look->attributes[first], where, sizeof where);
  return scant_fail(error, SCANT_DATA, "%s: the value is missing (empty or NaN)", where);
}

/* `more`: the example is being bought bit by bit.  Cells are charged before their values are checked: else a bad cell
 * could be read again and again for nothing. */
static scant_status buy(scant_meter *m, size_t row, const scant_look *look, int more, double *values, double *y,
                        scant_error *error) {
  uint32_t count = 0;
  int known = 0;
  SCANT_TRY(check_look(m, row, look, error));
  scant_status status = fetch(m, row, look, values, &count, &known, error);
  if (status != SCANT_OK && !count) return status;
  record(m, row, look, count, known ? values : NULL, more);
  if (status == SCANT_OK) status = inspect(m, row, look, values, error);
  m->ledger.refused_examples += status != SCANT_OK && !more;
  if (status == SCANT_OK) *y = scant_source_target(m->source, row);
  return status;
}

scant_status scant_meter_buy(scant_meter *meter, size_t row, const scant_look *look, double *values, double *y,
                             scant_error *error) {
  return buy(meter, row, look, 0, values, y, error);
}

scant_status scant_meter_buy_more(scant_meter *meter, size_t row, const scant_look *look, double *values, double *y,
                                  scant_error *error) {
  return buy(meter, row, look, 1, values, y, error);
}

const scant_ledger *scant_meter_ledger(const scant_meter *meter) {
  return &meter->ledger;
}

const uint64_t *scant_meter_purchases(const scant_meter *meter) {
  return meter->purchases;
}
