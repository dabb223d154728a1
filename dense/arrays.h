/* Arrays that live and end together: an object's, each a piece of memory of its own. */
#ifndef SCANT_DENSE_ARRAYS_H
#define SCANT_DENSE_ARRAYS_H

#include <stdlib.h>

#include "scant_base.h"

enum { SCANT_ARRAYS_MOST = 16 };

typedef struct scant_arrays {
  void *piece[SCANT_ARRAYS_MOST];
  size_t count;
  int failed; /* was one out of memory? */
} scant_arrays;

/* Takes over an array, which may be NULL: out of memory. */
static inline void *scant_arrays_keep(scant_arrays *all, void *piece) {
  if (piece && all->count < SCANT_ARRAYS_MOST) return all->piece[all->count++] = piece;
  free(piece);
  all->failed = 1;
  return NULL;
}

/* A new one of zeros; NULL: out of memory. */
static inline void *scant_arrays_add(scant_arrays *all, size_t count, size_t size) {
  return scant_arrays_keep(all, scant_array(count, size));
}

static inline void scant_arrays_free(scant_arrays *all) {
  for (size_t i = 0; i < all->count; i++) free(all->piece[i]);
  *all = (scant_arrays){0};
}

#endif
