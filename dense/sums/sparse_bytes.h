/* Arrays that are mostly 0 as bytes: a part of the data shows few of all pairs of attributes.
 *
 * A number (32 bits) says which of two forms follows, the shorter one: 0, all numbers; 1, a bit for each number, the
 * first in the lowest bit of the first byte, and those numbers whose bit is set.
 */
#ifndef SCANT_DENSE_SUMS_SPARSE_BYTES_H
#define SCANT_DENSE_SUMS_SPARSE_BYTES_H

#include "sums/little.h"

/* The bytes of `count` numbers of `width` bytes each (4: uint32_t, 8: double). */
size_t scant_sparse_size(const void *array, size_t width, size_t count);
/* What they take at least, whatever they are. */
double scant_sparse_least(double count);

void scant_put_sparse(unsigned char **to, const void *array, size_t width, size_t count);
/* 0: the bytes are no such array. */
int scant_get_sparse(scant_bytes_left *from, void *array, size_t width, size_t count);

#endif
