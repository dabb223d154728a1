/* Weighted drawing: a complete binary tree of sums over d leaves.
 *
 * Parents are recomputed from their children, never adjusted by differences,
 * so the root can neither drift nor turn negative, whatever the order of the
 * updates.  set: O(log d); draw: O(log d); rebuild: O(d); 2 d doubles.
 */
#ifndef SCANT_SAMPLE_SUMTREE_H
#define SCANT_SAMPLE_SUMTREE_H

#include "core/rng.h"

typedef struct scant_sumtree {
  size_t leaves;
  double *node; /* node[1] is the root, node[leaves + i] is leaf i */
} scant_sumtree;

/* Every leaf 0.  Returns 0 if memory is short. */
int scant_sumtree_new(scant_sumtree *tree, size_t leaves);
void scant_sumtree_free(scant_sumtree *tree);

static inline double scant_sumtree_total(const scant_sumtree *tree) {
  return tree->node[1];
}

static inline double scant_sumtree_leaf(const scant_sumtree *tree, size_t i) {
  return tree->node[tree->leaves + i];
}

void scant_sumtree_set(scant_sumtree *tree, size_t i, double weight);

/* The leaves, to be written at will before a rebuild. */
static inline double *scant_sumtree_leaves(scant_sumtree *tree) {
  return tree->node + tree->leaves;
}
void scant_sumtree_rebuild(scant_sumtree *tree);

/* Leaf i with probability leaf(i) / total; the total must be positive.  A leaf
 * of weight zero is never drawn. */
uint32_t scant_sumtree_draw(const scant_sumtree *tree, scant_rng *rng);

#endif
