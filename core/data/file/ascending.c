#include "data/file/ascending.h"

#include "base/memory.h"

#include <stdlib.h>

/* Below this many, insertion beats the calls that qsort makes. */
enum { FEW = 32 };

static int compare_pairs(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void insert_pairs(uint64_t *pairs, size_t count) {
  for (size_t i = 1; i < count; i++) {
    uint64_t pair = pairs[i];
    size_t j = i;
    for (; j && pairs[j - 1] > pair; j--) pairs[j] = pairs[j - 1];
    pairs[j] = pair;
  }
}

int scant_order_sort(scant_order *order, size_t count, const uint32_t *attributes) {
  if (count > UINT32_MAX || !scant_grow(&order->pairs, &order->capacity, count, sizeof *order->pairs)) return 0;
  int increasing = 1;
  for (size_t i = 0; i < count; i++) {
    order->pairs[i] = (uint64_t)attributes[i] << 32 | i;
    if (i && order->pairs[i] < order->pairs[i - 1]) increasing = 0;
  }
  if (increasing) return 1;
  if (count <= FEW)
    insert_pairs(order->pairs, count);
  else
    qsort(order->pairs, count, sizeof *order->pairs, compare_pairs);
  return 1;
}

void scant_order_free(scant_order *order) {
  free(order->pairs);
  *order = (scant_order){0};
}
