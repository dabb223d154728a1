/* Prices (scant_engine.h has the struct): in files, of some attributes, and how much they matter. */
#ifndef SCANT_PRICE_PRICES_H
#define SCANT_PRICE_PRICES_H

#include "scant_engine.h"

/* A copy; NULL: out of memory. */
scant_prices *scant_prices_copy(const scant_prices *prices);

/* Writes the members "costs" and, if there are groups, "panels" of an object; reads them from a document. */
void scant_prices_write(const scant_prices *prices, scant_json_writer *out);
scant_status scant_prices_read(scant_prices **prices, size_t dimension, const scant_json *json, scant_error *error);

/* The prices of `count` of the attributes: attribute i of the result is which[i]. NULL: out of memory. */
scant_prices *scant_prices_pick(const scant_prices *prices, size_t count, const uint32_t *which);

/* ---- thrift: how much prices matter --------------------------------------------
 *
 * An item that is worth e is drawn in proportion to e / sqrt(1 + rate * cost), with its cost in units of the mean cost.
 * The rate is the smallest at which looks are affordable on average, the Lagrange multiplier of the money: 0 where
 * there is enough money, so that costs do not matter.  As money gets shorter the law tends to e / sqrt(cost).
 */

/* Money per visit of an example, in hundredths: `spend` shared by the passes; 0: no limit. */
uint64_t scant_thrift_spend(const scant_settings *settings);

/* Money per look; INFINITY: not short, or costs do not steer.  `horizon` visits (0: unknown) share `budget-cost`. */
double scant_thrift_affordable(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);

double scant_thrift_rate(const scant_prices *prices, double affordable);

/* The rate of a learner with these settings.  Dear items are often worth more, so later looks cost more than the mean.
 * Hence, if budget-cost would not pay for the dearest look at every visit, the rate is at least 1. */
double scant_thrift_choose(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);
double scant_thrift_discount(const scant_prices *prices, size_t item, double rate);

/* The mean price of a look at this rate, if all items that cost something are worth the same; 0: all is free. */
double scant_thrift_look_price(const scant_prices *prices, double rate);

/* About how many items that cost something a visit buys. */
double scant_thrift_visit_looks(const scant_prices *prices, const scant_settings *settings);

/* About what a visit costs, where prices steer the looks. */
double scant_thrift_visit_price(const scant_prices *prices, const scant_settings *settings, uint64_t horizon);

#endif
