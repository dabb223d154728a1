#include "price/prices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"
#include "settings/settings.h"

/* Numbers the items by their first attributes and lists their members. */
static void list_items(scant_prices *p) {
  uint32_t *item_of_group = p->members; /* until members are listed: item + 1 of group g, at g - 1 */
  for (size_t i = 0; i < p->dimension; i++) {
    uint32_t *known = p->group[i] ? &item_of_group[p->group[i] - 1] : NULL;
    p->item[i] = known && *known ? *known - 1 : (uint32_t)p->items++;
    if (known) *known = p->item[i] + 1;
    p->first[p->item[i]]++;
  }
  for (size_t g = 1; g < p->items; g++) p->first[g] += p->first[g - 1]; /* where g ends */
  for (size_t i = p->dimension; i-- > 0;) p->members[--p->first[p->item[i]]] = (uint32_t)i;
  p->first[p->items] = (uint32_t)p->dimension;
}

static void order(uint64_t *first, uint64_t *second) {
  uint64_t larger = *first > *second ? *first : *second;
  *first = *first > *second ? *second : *first;
  *second = larger;
}

/* Adds up the costs of items. */
static void add_up(scant_prices *p) {
  uint64_t dear[2] = {0, 0}, cheap[2] = {SCANT_MONEY_MOST, SCANT_MONEY_MOST};
  for (size_t i = 0; i < p->dimension; i++) p->cost[p->item[i]] += p->attribute_cost[i];
  for (size_t g = 0; g < p->items; g++) {
    uint64_t cost = p->cost[g];
    p->total += cost;
    p->paid += cost > 0;
    if (cost > dear[0]) dear[0] = cost;
    order(&dear[0], &dear[1]);
    if (cost && cost < cheap[1]) cheap[1] = cost;
    order(&cheap[0], &cheap[1]);
  }
  p->dearest_two = dear[0] + dear[1];
  p->cheapest_two = p->paid > 2 ? cheap[0] + cheap[1] : p->total;
}

static scant_status check_numbers(size_t d, const uint64_t *costs, const uint32_t *groups, scant_error *error) {
  uint64_t sum = 0;
  for (size_t i = 0; i < d; i++) {
    if (costs[i] > SCANT_MONEY_MOST || (sum += costs[i]) > SCANT_MONEY_MOST)
      return scant_fail(error, SCANT_DATA, "with attribute %zu the costs are more than can be counted", i + 1);
    if (groups && groups[i] > d)
      return scant_fail(error, SCANT_DATA, "attribute %zu is of group %lu, but groups are numbered up to %zu", i + 1,
                        (unsigned long)groups[i], d);
  }
  return SCANT_OK;
}

scant_status scant_prices_new(scant_prices **prices, size_t dimension, const uint64_t *costs, const uint32_t *groups,
                              scant_error *error) {
  size_t d = dimension;
  SCANT_TRY(check_numbers(d, costs, groups, error));
  scant_prices *p = scant_array(1, sizeof *p);
  if (!p) return scant_fail_memory(error);
  p->dimension = d;
  p->attribute_cost = scant_array(d, sizeof *p->attribute_cost);
  p->group = scant_array(d, sizeof *p->group);
  p->item = scant_array(d, sizeof *p->item);
  p->first = scant_array(d + 1, sizeof *p->first);
  p->members = scant_array(d, sizeof *p->members);
  p->cost = scant_array(d, sizeof *p->cost);
  if (!p->attribute_cost || !p->group || !p->item || !p->first || !p->members || !p->cost) {
    scant_prices_free(p);
    return scant_fail_memory(error);
  }
  memcpy(p->attribute_cost, costs, d * sizeof *costs);
  if (groups) memcpy(p->group, groups, d * sizeof *groups);
  list_items(p);
  add_up(p);
  *prices = p;
  return SCANT_OK;
}

void scant_prices_free(scant_prices *prices) {
  if (!prices) return;
  free(prices->attribute_cost);
  free(prices->group);
  free(prices->item);
  free(prices->first);
  free(prices->members);
  free(prices->cost);
  free(prices);
}

uint64_t scant_prices_cost(const scant_prices *prices, size_t attribute) {
  return prices->attribute_cost[attribute];
}

uint32_t scant_prices_group(const scant_prices *prices, size_t attribute) {
  return prices->group[attribute];
}

uint64_t scant_prices_dearest_two(const scant_prices *prices) {
  return prices->dearest_two;
}

scant_prices *scant_prices_copy(const scant_prices *prices) {
  scant_prices *copy = NULL;
  scant_prices_new(&copy, prices->dimension, prices->attribute_cost, prices->group, NULL);
  return copy;
}

scant_prices *scant_prices_pick(const scant_prices *prices, size_t count, const uint32_t *which) {
  scant_prices *picked = NULL;
  uint64_t *costs = scant_array(count, sizeof *costs);
  uint32_t *groups = scant_array(count, sizeof *groups), *renamed = scant_array(prices->items, sizeof *renamed);
  if (costs && groups && renamed) {
    uint32_t numbers = 0; /* groups are numbered anew: they must not be above `count` */
    for (size_t i = 0; i < count; i++) {
      costs[i] = prices->attribute_cost[which[i]];
      if (!prices->group[which[i]]) continue;
      uint32_t *number = &renamed[prices->item[which[i]]];
      if (!*number) *number = ++numbers;
      groups[i] = *number;
    }
    scant_prices_new(&picked, count, costs, groups, NULL);
  }
  free(costs);
  free(groups);
  free(renamed);
  return picked;
}

/* ---- as JSON: part of model files and of kept learners ----------------------- */

void scant_prices_write(const scant_prices *prices, scant_json_writer *out) {
  const scant_prices *p = prices;
  int groups = 0;
  scant_json_open(out, "costs", '[');
  for (size_t i = 0; i < p->dimension; i++) scant_json_count(out, NULL, p->attribute_cost[i]);
  scant_json_close(out);
  for (size_t i = 0; i < p->dimension; i++) groups = groups || p->group[i];
  if (!groups) return;
  scant_json_open(out, "panels", '[');
  for (size_t i = 0; i < p->dimension; i++) scant_json_count(out, NULL, p->group[i]);
  scant_json_close(out);
}

scant_status scant_prices_read(scant_prices **prices, size_t dimension, const scant_json *json, scant_error *error) {
  int grouped = scant_json_member(json, 0, "panels") != SCANT_JSON_NONE;
  uint64_t *costs = scant_array(dimension, sizeof *costs), *numbers = scant_array(dimension, sizeof *numbers);
  uint32_t *groups = scant_array(dimension, sizeof *groups);
  scant_status status = costs && numbers && groups ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_json_get_counts(json, 0, "costs", costs, dimension, error);
  if (status == SCANT_OK && grouped) status = scant_json_get_counts(json, 0, "panels", numbers, dimension, error);
  for (size_t i = 0; status == SCANT_OK && i < dimension; i++) {
    if (numbers[i] > dimension) status = scant_fail(error, SCANT_DATA, "item %zu of 'panels' is too large", i + 1);
    groups[i] = (uint32_t)numbers[i];
  }
  if (status == SCANT_OK) status = scant_prices_new(prices, dimension, costs, groups, error);
  free(costs);
  free(numbers);
  free(groups);
  return status;
}

/* ---- thrift: how much prices matter ------------------------------------------------ */

#define RATE_LEAST 1e-3
#define RATE_MOST 1e6 /* beside such a rate the 1 of 1 + rate * cost does not count */

uint64_t scant_thrift_spend(const scant_settings *settings) {
  uint64_t spend = 0;
  scant_money_of(settings->learning.spend, &spend);
  return spend / settings->learning.passes;
}

/* The most looks of a visit that cost something. */
static double paid_looks(const scant_prices *p, const scant_settings *s) {
  return fmin((double)scant_settings_k_visit(s), (double)p->paid);
}

double scant_thrift_affordable(const scant_prices *prices, const scant_settings *settings, uint64_t horizon) {
  const scant_settings *s = settings;
  double looks = paid_looks(prices, s), least = INFINITY;
  uint64_t spend = scant_thrift_spend(s), budget_cost = 0;
  if (!s->learning.thrift || !prices->paid) return INFINITY;
  if (spend) least = (double)spend / looks;
  scant_money_of(s->run.budget_cost, &budget_cost);
  if (budget_cost) least = horizon ? fmin(least, (double)budget_cost / ((double)horizon * looks)) : 0;
  return least;
}

double scant_thrift_discount(const scant_prices *prices, size_t item, double rate) {
  if (!prices->cost[item]) return 1;
  double mean = (double)prices->total / (double)prices->paid;
  return 1 / sqrt(1 + rate * (double)prices->cost[item] / mean);
}

double scant_thrift_look_price(const scant_prices *prices, double rate) {
  double money = 0, sum = 0;
  for (size_t g = 0; g < prices->items; g++) {
    if (!prices->cost[g]) continue;
    double q = scant_thrift_discount(prices, g, rate);
    money += q * (double)prices->cost[g];
    sum += q;
  }
  return sum > 0 ? money / sum : 0;
}

double scant_thrift_rate(const scant_prices *prices, double affordable) {
  if (scant_thrift_look_price(prices, 0) <= affordable) return 0;
  double low = RATE_LEAST, high = RATE_MOST;
  for (int i = 0; i < 60; i++) {
    double middle = sqrt(low * high);
    if (scant_thrift_look_price(prices, middle) <= affordable)
      high = middle;
    else
      low = middle;
  }
  return high;
}

double scant_thrift_choose(const scant_prices *prices, const scant_settings *settings, uint64_t horizon) {
  double affordable = scant_thrift_affordable(prices, settings, horizon), rate = scant_thrift_rate(prices, affordable);
  uint64_t dearest = 0;
  for (size_t g = 0; g < prices->items; g++)
    if (prices->cost[g] > dearest) dearest = prices->cost[g];
  return settings->run.budget_cost > 0 && affordable < (double)dearest ? fmax(rate, 1) : rate;
}

double scant_thrift_visit_looks(const scant_prices *prices, const scant_settings *settings) {
  double looks = paid_looks(prices, settings), price = scant_thrift_look_price(prices, 0);
  uint64_t spend = scant_thrift_spend(settings);
  return spend && price > 0 ? fmin(looks, (double)spend / price) : looks;
}

double scant_thrift_visit_price(const scant_prices *prices, const scant_settings *settings, uint64_t horizon) {
  const scant_settings *s = settings;
  double rate = scant_thrift_choose(prices, s, horizon);
  double price = paid_looks(prices, s) * scant_thrift_look_price(prices, rate);
  uint64_t spend = scant_thrift_spend(s);
  return spend ? fmin(price, (double)spend) : price;
}
