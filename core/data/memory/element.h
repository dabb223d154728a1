/* One number of any type in memory. */
#ifndef SCANT_DATA_MEMORY_ELEMENT_H
#define SCANT_DATA_MEMORY_ELEMENT_H

#include "scant.h"

#include <string.h>

/* Every type of elements: each(its name without SCANT_, its type in C, its bits). */
#define SCANT_ELEMENT_TYPES(each)                                                                             \
  each(FLOAT64, double, 64) each(FLOAT32, float, 32) each(UINT8, uint8_t, 8) each(INT8, int8_t, 8)            \
      each(UINT16, uint16_t, 16) each(INT16, int16_t, 16) each(UINT32, uint32_t, 32) each(INT32, int32_t, 32) \
          each(UINT64, uint64_t, 64) each(INT64, int64_t, 64)

/* The element of this type at any address, in this machine's byte order.  Tables
 * of one type choose it outside their loop instead (strided.c). */
static inline double scant_element_read(scant_type type, const unsigned char *at) {
#define READ(name, element_type, bits)    \
  case SCANT_##name: {                    \
    element_type element;                 \
    memcpy(&element, at, sizeof element); \
    return (double)element;               \
  }
  switch (type) { SCANT_ELEMENT_TYPES(READ) }
#undef READ
  return 0;
}

#endif
