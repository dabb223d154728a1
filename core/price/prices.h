/* Prices (scant_engine.h has the struct) in files and of some attributes. */
#ifndef SCANT_PRICE_PRICES_H
#define SCANT_PRICE_PRICES_H

#include "scant_engine.h"

/* A copy; NULL: out of memory. */
scant_prices *scant_prices_copy(const scant_prices *prices);

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
