/* Allocation of arrays with overflow checks.  Every caller handles NULL. */
#ifndef SCANT_CORE_MEMORY_H
#define SCANT_CORE_MEMORY_H

#include "base/shared.h"
#include <stddef.h>

/* `count` zeroed elements; NULL if memory is short.  A count of 0 still gives a
 * pointer that can be freed. */
SCANT_SHARED void *scant_array(size_t count, size_t size);

/* Grows an array that has room for *capacity elements to at least `needed`,
 * by doubling.  On failure the array is as it was and 0 is returned. */
SCANT_SHARED int scant_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size);

/* A copy of the first `length` bytes, ended with a NUL. */
SCANT_SHARED char *scant_copy_text(const char *text, size_t length);

#endif
