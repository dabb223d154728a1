#include "sample/sumtree.h"

#include <stdlib.h>

#include "core/memory.h"

int scant_sumtree_new(scant_sumtree *tree, size_t leaves) {
  /* Nodes 1 .. leaves-1 have two children each, whatever the number of leaves:
   * a heap needs no padding to a power of two. */
  tree->leaves = leaves;
  tree->node = scant_array(2 * leaves + 1, sizeof *tree->node);
  return tree->node != NULL;
}

void scant_sumtree_free(scant_sumtree *tree) {
  free(tree->node);
  tree->node = NULL;
}

void scant_sumtree_set(scant_sumtree *tree, size_t i, double weight) {
  double *node = tree->node;
  i += tree->leaves;
  node[i] = weight;
  for (i /= 2; i; i /= 2) node[i] = node[2 * i] + node[2 * i + 1];
}

void scant_sumtree_rebuild(scant_sumtree *tree) {
  double *node = tree->node;
  for (size_t i = tree->leaves - 1; i; i--) node[i] = node[2 * i] + node[2 * i + 1];
}

uint32_t scant_sumtree_draw(const scant_sumtree *tree, scant_rng *rng) {
  const double *node = tree->node;
  if (rng->script) return (uint32_t)rng->script->choose(rng->script, tree->leaves, node + tree->leaves);
  double u = scant_rng_unit(rng) * node[1];
  size_t i = 1;
  while (i < tree->leaves) {
    double left = node[2 * i];
    i *= 2;
    /* Rounding may leave u at or past the sum of a subtree; a subtree without
     * weight is not entered all the same. */
    if (u < left || !(node[i + 1] > 0)) {
      if (left > 0) continue;
    }
    u -= left;
    i++;
  }
  return (uint32_t)(i - tree->leaves);
}
