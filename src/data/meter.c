/* The meter: the only way from a source to a learner. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/lanes.h"
#include "core/memory.h"
#include "data/meter.h"
#include "data/source.h"
#include "price/prices.h"

scant_status scant_meter_new(scant_meter **meter, scant_source *source, uint64_t k, uint64_t budget,
                             scant_error *error) {
  scant_meter *m = scant_array(1, sizeof *m);
  if (!m) return scant_fail_memory(error);
  m->source = source;
  m->k = k;
  m->budget = budget;
  m->bought = scant_array(source->rows, sizeof *m->bought);
  m->purchases = scant_array(source->dimension, sizeof *m->purchases);
  m->unknown = scant_array(source->dimension, sizeof *m->unknown);
  if (!m->bought || !m->purchases || !m->unknown) {
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

scant_status scant_meter_price(scant_meter *meter, const scant_prices *prices, uint64_t spend, uint64_t budget,
                               scant_error *error) {
  scant_meter *m = meter;
  if (prices->dimension != m->source->dimension)
    return scant_fail(error, SCANT_DATA, "there are prices of %zu attributes, and the data have %zu", prices->dimension,
                      m->source->dimension);
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
  m->budget_cost = budget;
  return SCANT_OK;
}

/* The item of an attribute if it is met for the first time in this round. */
static const uint32_t *new_item(scant_meter *m, uint32_t attribute) {
  const uint32_t *item = &m->prices->item[attribute];
  if (m->seen[*item] == m->round) return NULL;
  m->seen[*item] = m->round;
  return item;
}

/* What a look counts and costs: a panel is one item, and what is free is
 * outside K. */
typedef struct {
  uint64_t cells, items, money;
} charge;

/* Is cell i of a look bought?  In a mask that was given, only what is present. */
static int is_bought(const scant_meter *m, const double *values, uint32_t i) {
  return !m->observed || !isnan(values[i]);
}

static scant_status charge_look(scant_meter *m, const scant_look *look, const double *values, charge *c,
                                scant_error *error) {
  *c = (charge){look->count, look->count, 0};
  if (!m->prices && !m->observed) return SCANT_OK;
  *c = (charge){0, 0, 0};
  m->round++;
  for (uint32_t i = 0; i < look->count; i++) {
    if (!is_bought(m, values, i)) continue;
    c->cells++;
    c->items += !m->prices;
    if (!m->prices) continue;
    if (look->attributes[i] >= m->prices->dimension)
      return scant_fail(error, SCANT_MISUSE, "there is no attribute %lu: the source has %zu",
                        (unsigned long)look->attributes[i], m->prices->dimension);
    const uint32_t *item = new_item(m, look->attributes[i]);
    if (!item) continue;
    c->items += m->prices->cost[*item] > 0;
    c->money += m->prices->cost[*item];
  }
  if (c->money > SCANT_MONEY_MOST - m->ledger.money_spent)
    return scant_fail(error, SCANT_DATA, "the money spent is more than can be counted");
  return SCANT_OK;
}

/* A panel is bought whole, even if a row that knows nothing of panels looks at
 * one member of it. */
static void count_purchases(scant_meter *m, const scant_look *look, const double *values) {
  const scant_prices *p = m->prices;
  if (!p && !m->observed) {
    for (uint32_t i = 0; i < look->count; i++) m->purchases[look->attributes[i]]++;
    return;
  }
  m->round++;
  for (uint32_t i = 0; i < look->count; i++) {
    if (!is_bought(m, values, i)) continue;
    const uint32_t *item = p ? new_item(m, look->attributes[i]) : NULL;
    if (!p) m->purchases[look->attributes[i]]++;
    for (uint32_t r = item ? p->first[*item] : 0; item && r < p->first[*item + 1]; r++) m->purchases[p->members[r]]++;
  }
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

/* Missing values among those bought; refused if they are to be. */
static scant_status count_missing(const scant_meter *m, size_t row, const scant_look *look, const double *values,
                                  uint64_t *count, scant_error *error) {
  *count = 0;
  if (m->observed || scant_lanes_within(look->count, values, DBL_MAX)) return SCANT_OK;
  for (uint32_t i = 0; i < look->count; i++) *count += isnan(values[i]) != 0;
  if (!*count || m->missing != SCANT_MISSING_ERROR) return SCANT_OK;
  uint32_t first = 0;
  while (!isnan(values[first])) first++;
  scant_source_tell_missing(m->source, row, look->attributes[first], "", error);
  return SCANT_DATA;
}

/* SCANT_SPENT if a limit would be exceeded. */
static scant_status check_limits(const scant_meter *m, size_t row, const charge *c, scant_error *error) {
  uint64_t before = m->bought[row] ? m->bought[row] - 1 : 0;
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
  return SCANT_OK;
}

/* `more`: of an example that is being bought bit by bit. */
static scant_status buy(scant_meter *m, size_t row, const scant_look *look, int more, double *values, double *y,
                        scant_error *error) {
  if (row >= m->source->rows) return scant_fail(error, SCANT_MISUSE, "there is no example %zu", row + 1);
  charge c;
  uint64_t missing;
  /* what is present decides what is charged; else nothing is read that can't be paid */
  if (m->observed) SCANT_TRY(scant_source_read(m->source, row, look->count, look->attributes, values, error));
  SCANT_TRY(charge_look(m, look, values, &c, error));
  SCANT_TRY(check_limits(m, row, &c, error));
  if (!m->observed) SCANT_TRY(scant_source_read(m->source, row, look->count, look->attributes, values, error));
  SCANT_TRY(count_missing(m, row, look, values, &missing, error));
  *y = scant_source_target(m->source, row);
  uint64_t after = (m->bought[row] ? m->bought[row] - 1 : 0) + c.items;
  m->ledger.examples += !more || m->bought[row] == 0;
  m->ledger.distinct_examples += m->bought[row] == 0;
  m->bought[row] = (uint32_t)after + 1;
  m->ledger.looks_drawn += m->observed ? c.cells : look->draws;
  m->ledger.attributes_bought += c.items;
  m->ledger.money_spent += c.money;
  if (m->paid) m->paid[row] += c.money;
  if (after > m->ledger.max_bought_per_example) m->ledger.max_bought_per_example = after;
  count_purchases(m, look, values);
  m->ledger.missing_cells += missing;
  m->ledger.skipped_examples += missing && m->missing == SCANT_MISSING_SKIP_EXAMPLE;
  for (uint32_t i = 0; missing && i < look->count; i++) m->unknown[look->attributes[i]] += isnan(values[i]) != 0;
  return SCANT_OK;
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
