/* What attributes cost, and which are bought together.
 *
 * An item is what is bought at once: an attribute of its own, or a group.  A group costs the sum of its
 * members' costs and counts as one look.  Money is counted in hundredths.
 */
#ifndef SCANT_PRICE_PRICES_H
#define SCANT_PRICE_PRICES_H

#include "base/shared.h"
#include "base/money.h"
#include "scant.h"

struct scant_prices {
  size_t dimension, items;
  uint64_t *attribute_cost; /* as given */
  uint32_t *group;          /* as given; 0: none */
  uint32_t *item;           /* the item of each attribute; items are numbered by their first attributes */
  uint32_t *first;          /* members[first[g] .. first[g + 1]) are item g */
  uint32_t *members;
  uint64_t *cost;        /* of each item */
  size_t paid;           /* items that cost something */
  uint64_t total;        /* of all items */
  uint64_t dearest_two;  /* together */
  uint64_t cheapest_two; /* of those that cost something, together; if there is one, it alone */
};

/* A copy; NULL: out of memory. */
SCANT_SHARED scant_prices *scant_prices_copy(const scant_prices *prices);

/* Writes the members "costs" and, if there are groups, "panels" of an object; and reads them from those of a
 * document. */
struct scant_json_writer;
struct scant_json;
void scant_prices_write(const scant_prices *prices, struct scant_json_writer *out);
scant_status scant_prices_read(scant_prices **prices, size_t dimension, const struct scant_json *json,
                               scant_error *error);

/* The prices of `count` of the attributes: attribute i of the result is which[i]. NULL: out of memory. */
scant_prices *scant_prices_pick(const scant_prices *prices, size_t count, const uint32_t *which);

#endif
