/* The attributes of a request in increasing order.
 *
 * A row of text is walked once from left to right, while attributes are asked
 * for in any order.  The scratch is kept between requests.
 */
#ifndef SCANT_DATA_FILE_ASCENDING_H
#define SCANT_DATA_FILE_ASCENDING_H

#include <stddef.h>
#include <stdint.h>

typedef struct scant_order {
  uint64_t *pairs; /* attribute in the upper half, its place in the request in the lower */
  size_t capacity;
} scant_order;

/* Fills pairs[0 .. count); 0 if out of memory.  O(count) if they increase
 * already, else O(count log count). */
int scant_order_sort(scant_order *order, size_t count, const uint32_t *attributes);
void scant_order_free(scant_order *order);

static inline uint32_t scant_order_attribute(const scant_order *order, size_t i) {
  return (uint32_t)(order->pairs[i] >> 32);
}

static inline uint32_t scant_order_place(const scant_order *order, size_t i) {
  return (uint32_t)(order->pairs[i] & UINT32_MAX);
}

#endif
