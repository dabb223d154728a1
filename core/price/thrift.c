#include "price/thrift.h"

#include <math.h>

#include "settings/settings.h"

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
