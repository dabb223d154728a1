/* What the caller's own sources have in common: tables in memory of every shape, and functions. */
#ifndef SCANT_DATA_MEMORY_IN_MEMORY_H
#define SCANT_DATA_MEMORY_IN_MEMORY_H

#include "scant_base.h"
#include "data/source.h"

/* SCANT_DATA if a table has no rows, no attributes or too many, or a target that
 * can't be learned from. */
scant_status scant_memory_check(size_t rows, size_t dimension, const double *targets, scant_error *error);

/* Adds the distance of the last of `count` elements to *reach; 0 if no object
 * can be that large. */
int scant_memory_reach(size_t *reach, size_t count, ptrdiff_t stride);

/* A source of a size that was checked, with a copy of the targets; takes `self`,
 * and frees it on failure. */
scant_status scant_memory_source(scant_source **source, const scant_source_kind *kind, void *self, size_t rows,
                                 size_t dimension, const double *targets, scant_error *error);

#endif
