/* Weighted drawing from weights that keep changing: a tree of sums over d leaves,
 * sixteen children to a node.
 *
 * Parents are recomputed from their children, never adjusted by differences,
 * so the root can neither drift nor turn negative, and is a function of the
 * leaves alone, whatever the order of the updates.  Leaves are set first and
 * their ancestors settled together: a node above several new leaves is summed
 * once.  n leaves: O(n log d); draw: O(log d); rebuild: O(d).
 */
#ifndef SCANT_SAMPLE_SUMTREE_H
#define SCANT_SAMPLE_SUMTREE_H

#include "core/rng.h"

enum { SCANT_SUMTREE_FAN = 16, SCANT_SUMTREE_DEPTH = 9 /* 16^8 = 2^32 */ };

typedef struct scant_sumtree {
  size_t leaves;
  int small;                          /* settled by a rebuild: cheaper than to know what is stale */
  unsigned height;                    /* levels above the leaves, the root's included */
  double *level[SCANT_SUMTREE_DEPTH]; /* 0: the leaves; each is filled up with zeros to whole families */
  /* parents of leaves that are not settled yet, and whether one is among them */
  uint32_t *stale;
  size_t stale_count;
  unsigned char *is_stale;
} scant_sumtree;

/* Every leaf 0.  Returns 0 if memory is short. */
int scant_sumtree_new(scant_sumtree *tree, size_t leaves);
void scant_sumtree_free(scant_sumtree *tree);

static inline int scant_sumtree_exists(const scant_sumtree *tree) {
  return tree->level[0] != NULL;
}

/* As of the last settling or rebuild. */
static inline double scant_sumtree_total(const scant_sumtree *tree) {
  return tree->level[tree->height][0];
}

static inline double scant_sumtree_leaf(const scant_sumtree *tree, size_t i) {
  return tree->level[0][i];
}

/* Sets a leaf; to be settled before the next draw or look at the total. */
static inline void scant_sumtree_set(scant_sumtree *tree, size_t i, double weight) {
  size_t parent = i / SCANT_SUMTREE_FAN;
  tree->level[0][i] = weight;
  if (tree->small) return;
  tree->stale[tree->stale_count] = (uint32_t)parent; /* kept only if it is new there: no branch to mispredict */
  tree->stale_count += !tree->is_stale[parent];
  tree->is_stale[parent] = 1;
}
void scant_sumtree_settle(scant_sumtree *tree);

/* The same for leaves that were written at will. */
void scant_sumtree_settle_at(scant_sumtree *tree, size_t count, const uint32_t *leaves);

/* The leaves, to be written at will before a rebuild. */
static inline double *scant_sumtree_leaves(scant_sumtree *tree) {
  return tree->level[0];
}
void scant_sumtree_rebuild(scant_sumtree *tree);

/* Leaf i with probability leaf(i) / total; the total must be positive.  A leaf
 * of weight zero is never drawn. */
uint32_t scant_sumtree_draw(const scant_sumtree *tree, scant_rng *rng);

#endif
