/* One number of any type in memory. */
#ifndef SCANT_DATA_MEMORY_ELEMENT_H
#define SCANT_DATA_MEMORY_ELEMENT_H

#include "scant.h"

#include <string.h>

#define SCANT_ELEMENT_AS(element_type)    \
  {                                       \
    element_type element;                 \
    memcpy(&element, at, sizeof element); \
    return (double)element;               \
  }

/* The element of this type at any address, in this machine's byte order.  Tables
 * of one type choose it outside their loop instead (strided.c). */
static inline double scant_element_read(scant_type type, const unsigned char *at) {
  switch (type) {
    case SCANT_FLOAT64:
      SCANT_ELEMENT_AS(double)
    case SCANT_FLOAT32:
      SCANT_ELEMENT_AS(float)
    case SCANT_UINT8:
      SCANT_ELEMENT_AS(uint8_t)
    case SCANT_INT8:
      SCANT_ELEMENT_AS(int8_t)
    case SCANT_UINT16:
      SCANT_ELEMENT_AS(uint16_t)
    case SCANT_INT16:
      SCANT_ELEMENT_AS(int16_t)
    case SCANT_UINT32:
      SCANT_ELEMENT_AS(uint32_t)
    case SCANT_INT32:
      SCANT_ELEMENT_AS(int32_t)
    case SCANT_UINT64:
      SCANT_ELEMENT_AS(uint64_t)
    case SCANT_INT64:
      SCANT_ELEMENT_AS(int64_t)
  }
  return 0;
}

#endif
