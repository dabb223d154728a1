/* Weighted drawing from weights that keep changing: a tree of sums over d leaves,
 * sixteen children per node.
 *
 * Parents are recomputed from their children, never adjusted by differences,
 * so the root can neither drift nor turn negative, and is a function of the
 * leaves alone, whatever the order of the updates.  n leaves: O(n log d), or the
 * whole tree where it is small; draw: O(log d); rebuild: O(d).
 */
#ifndef SCANT_SAMPLE_SUMTREE_H
#define SCANT_SAMPLE_SUMTREE_H

#include "base/shared.h"
#include "base/rng.h"

enum { SCANT_SUMTREE_BITS = 4, SCANT_SUMTREE_FAN = 1 << SCANT_SUMTREE_BITS, SCANT_SUMTREE_DEPTH = 9 /* 16^8 = 2^32 */ };

typedef struct scant_sumtree {
  size_t leaves;
  unsigned height;                    /* levels above the leaves, the root's included */
  double *level[SCANT_SUMTREE_DEPTH]; /* 0: the leaves; each is filled up with zeros to whole families */
} scant_sumtree;

/* Every leaf 0.  Returns 0 if memory is short. */
SCANT_SHARED int scant_sumtree_new(scant_sumtree *tree, size_t leaves);
SCANT_SHARED void scant_sumtree_free(scant_sumtree *tree);

static inline int scant_sumtree_exists(const scant_sumtree *tree) {
  return tree->level[0] != NULL;
}

static inline double scant_sumtree_total(const scant_sumtree *tree) {
  return tree->level[tree->height][0];
}

static inline double scant_sumtree_leaf(const scant_sumtree *tree, size_t i) {
  return tree->level[0][i];
}

SCANT_SHARED void scant_sumtree_set(scant_sumtree *tree, size_t i, double weight);

/* The leaves, which the caller may write.  It must then settle the tree above those it wrote, or rebuild it. */
static inline double *scant_sumtree_leaves(scant_sumtree *tree) {
  return tree->level[0];
}
void scant_sumtree_settle(scant_sumtree *tree, size_t count, const uint32_t *leaves);
void scant_sumtree_rebuild(scant_sumtree *tree);

/* Leaf i with probability leaf(i) / total; the total must be positive.  A leaf
 * of weight zero is never drawn. */
SCANT_SHARED uint32_t scant_sumtree_draw(const scant_sumtree *tree, scant_rng *rng);

#endif
