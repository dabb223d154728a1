/* How much costs matter: the money per look, and the rate that makes looks cost no more than that.
 *
 * An item that is worth e is drawn in proportion to e / sqrt(1 + rate * cost), with its cost in units of the
 * mean cost.  The rate is the smallest at which looks are affordable on average, the Lagrange multiplier of
 * the money: 0 where there is enough money, so that costs do not matter.  As money gets shorter the law tends
 * to e / sqrt(cost).
 */
#ifndef SCANT_PRICE_THRIFT_H
#define SCANT_PRICE_THRIFT_H

#include "price/prices.h"

/* Money per visit of an example, in hundredths: `spend` shared by the passes; 0: no limit. */
uint64_t scant_thrift_spend(const scant_settings *settings);

/* Money per look; INFINITY: money is not short, or costs do not steer.  `horizon`
 * visits share `budget-cost`; 0: unknown. */
double scant_thrift_affordable(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);

double scant_thrift_rate(const scant_prices *prices, double affordable);

/* The rate of a learner with these settings.  The worth of items is not known beforehand.  Dear ones are
 * often worth more, so a learner's later looks cost more than the mean.  Hence, if budget-cost would not pay
 * for the dearest look at every visit, costs count at least as much as looks (rate 1). */
double scant_thrift_choose(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);
double scant_thrift_discount(const scant_prices *prices, size_t item, double rate);

/* The mean price of a look at this rate, if all items that cost something are
 * worth the same; 0: all is free. */
double scant_thrift_look_price(const scant_prices *prices, double rate);

/* About how many items that cost something a visit buys. */
double scant_thrift_visit_looks(const scant_prices *prices, const scant_settings *settings);

/* About what a visit costs, where prices steer the looks. */
double scant_thrift_visit_price(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);

#endif
