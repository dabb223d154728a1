/* How much costs matter: what money there is for a look, and the rate at which
 * looks become that cheap.
 *
 * An item that is worth e is drawn in proportion to e / sqrt(1 + rate * cost),
 * with its cost in units of the mean cost.  The rate is the smallest at which
 * looks are affordable on average, the Lagrange multiplier of the money: 0 where
 * there is enough of it, so that costs do not matter; and where it alone is
 * short the law tends to e / sqrt(cost).
 */
#ifndef SCANT_PRICE_THRIFT_H
#define SCANT_PRICE_THRIFT_H

#include "price/prices.h"

/* Money for one visit of an example, in hundredths: `spend` shared by the
 * passes; 0: no limit. */
uint64_t scant_thrift_spend(const scant_settings *settings);

/* Money for one look; INFINITY: it is not short, or does not steer.  `horizon`
 * visits share `budget-cost`; 0: unknown. */
double scant_thrift_affordable(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);

double scant_thrift_rate(const scant_prices *prices, double affordable);

/* The rate of a learner with these settings.  What items are worth is not known
 * beforehand, and dear ones are often worth more, so that the looks of a learner
 * that knows them cost more than the mean: a budget that would not pay for the
 * dearest look at every visit counts costs at least as much as looks (rate 1). */
double scant_thrift_choose(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);
double scant_thrift_discount(const scant_prices *prices, size_t item, double rate);

/* The mean price of a look at this rate, if all items that cost something are
 * worth the same; 0: all is free. */
double scant_thrift_look_price(const scant_prices *prices, double rate);

/* Items that cost something and that a visit buys, about. */
double scant_thrift_visit_looks(const scant_prices *prices, const scant_settings *settings);

/* What a visit costs, about, where prices steer the looks. */
double scant_thrift_visit_price(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);

#endif
