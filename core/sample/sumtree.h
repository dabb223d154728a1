/* Sum trees (scant_engine.h) for files of core.  Updating n leaves: O(n log d), or the whole tree where it is small. */
#ifndef SCANT_SAMPLE_SUMTREE_H
#define SCANT_SAMPLE_SUMTREE_H

#include "base/rng.h"
#include "scant_engine.h"

enum { SCANT_SUMTREE_BITS = 4, SCANT_SUMTREE_FAN = 1 << SCANT_SUMTREE_BITS };

static inline int scant_sumtree_exists(const scant_sumtree *tree) {
  return tree->level[0] != NULL;
}

static inline double scant_sumtree_leaf(const scant_sumtree *tree, size_t i) {
  return tree->level[0][i];
}

/* Settles the tree above leaves that the caller wrote. */
void scant_sumtree_settle(scant_sumtree *tree, size_t count, const uint32_t *leaves);

#endif
