#include "sample/sumtree.h"

#include <stdlib.h>

#include "scant_base.h"

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

enum { FAN = SCANT_SUMTREE_FAN, SMALL = 1024 };

static size_t parents(size_t nodes) {
  return (nodes + FAN - 1) / FAN;
}

int scant_sumtree_new(scant_sumtree *tree, size_t leaves) {
  *tree = (scant_sumtree){.leaves = leaves};
  size_t room = 0, nodes = leaves;
  do {
    tree->height++;
    room += parents(nodes) * FAN;
    nodes = parents(nodes);
  } while (nodes > 1);
  tree->level[0] = scant_array(room + 1, sizeof **tree->level);
  if (!tree->level[0]) return 0;
  nodes = leaves;
  for (unsigned h = 1; h <= tree->height; h++, nodes = parents(nodes))
    tree->level[h] = tree->level[h - 1] + parents(nodes) * FAN;
  return 1;
}

void scant_sumtree_free(scant_sumtree *tree) {
  free(tree->level[0]);
  *tree = (scant_sumtree){0};
}

SCANT_INLINE double family_sum(const double *child) {
  scant_lanes sum = *(const scant_loose_lanes *)child + *(const scant_loose_lanes *)(child + SCANT_LANES);
  return scant_lanes_fold(&sum);
}

/* Eight families at once, in the same order of additions.  Two halves are added at a time, so that no lane is idle. */
SCANT_INLINE void family_sums(const double *const *child, double *sums) {
#if __has_builtin(__builtin_shufflevector)
  scant_lanes v[8];
  for (int i = 0; i < 8; i++)
    v[i] = *(const scant_loose_lanes *)child[i] + *(const scant_loose_lanes *)(child[i] + SCANT_LANES);
#define ADD(a, b, f0, f1, f2, f3, s0, s1, s2, s3)                                          \
  (__builtin_shufflevector(a, b, f0, f1, f2, f3, (f0) + 8, (f1) + 8, (f2) + 8, (f3) + 8) + \
   __builtin_shufflevector(a, b, s0, s1, s2, s3, (s0) + 8, (s1) + 8, (s2) + 8, (s3) + 8))
  for (int i = 0; i < 4; i++) v[i] = ADD(v[2 * i], v[2 * i + 1], 0, 1, 2, 3, 4, 5, 6, 7);
  for (int i = 0; i < 2; i++) v[i] = ADD(v[2 * i], v[2 * i + 1], 0, 1, 4, 5, 2, 3, 6, 7);
  *(scant_loose_lanes *)sums = ADD(v[0], v[1], 0, 2, 4, 6, 1, 3, 5, 7);
#undef ADD
#else
  for (int i = 0; i < 8; i++) sums[i] = family_sum(child[i]);
#endif
}

/* Makes the levels from `h` on from the `nodes` below them. */
SCANT_INLINE void rebuild(scant_sumtree *tree, unsigned h, size_t nodes) {
  for (; h <= tree->height; h++) {
    size_t node = 0;
    nodes = parents(nodes);
    for (; node + 8 <= nodes; node += 8) {
      const double *child[8];
      for (size_t i = 0; i < 8; i++) child[i] = tree->level[h - 1] + (node + i) * FAN;
      family_sums(child, tree->level[h] + node);
    }
    for (; node < nodes; node++) tree->level[h][node] = family_sum(tree->level[h - 1] + node * FAN);
  }
}

/* Makes the nodes of level h above some leaves; a node may be made more than once. */
SCANT_INLINE void renew(scant_sumtree *tree, unsigned h, size_t count, const uint32_t *leaves) {
  const unsigned shift = h * SCANT_SUMTREE_BITS;
  double *level = tree->level[h];
  const double *below = tree->level[h - 1];
  size_t r = 0;
  for (; r + 8 <= count; r += 8) {
    const double *child[8];
    double sums[8];
    for (size_t i = 0; i < 8; i++) child[i] = below + (size_t)(leaves[r + i] >> shift) * FAN;
    family_sums(child, sums);
    for (size_t i = 0; i < 8; i++) level[leaves[r + i] >> shift] = sums[i];
  }
  for (; r < count; r++) level[leaves[r] >> shift] = family_sum(below + (size_t)(leaves[r] >> shift) * FAN);
}

/* A level above few nodes is rebuilt as a whole, unless fewer still have changed. */
SCANT_WIDEST void scant_sumtree_settle(scant_sumtree *tree, size_t count, const uint32_t *leaves) {
  size_t nodes = tree->leaves;
  unsigned h = 1;
  for (; h <= tree->height && (nodes > SMALL || 8 * count < nodes / FAN); h++, nodes = parents(nodes))
    renew(tree, h, count, leaves);
  rebuild(tree, h, nodes);
}

void scant_sumtree_set(scant_sumtree *tree, size_t i, double weight) {
  tree->level[0][i] = weight;
  for (unsigned h = 1; h <= tree->height; h++) {
    i /= FAN;
    tree->level[h][i] = family_sum(tree->level[h - 1] + i * FAN);
  }
}

SCANT_WIDEST void scant_sumtree_rebuild(scant_sumtree *tree) {
  rebuild(tree, 1, tree->leaves);
}

/* The child that u falls into, and u within it. */
static size_t choose_child(const double *child, double *u) {
  size_t last = 0; /* rounding may leave u at or past the sum; a child without weight is not entered all the same */
  for (size_t c = 0; c < FAN; c++) {
    if (!(child[c] > 0)) continue;
    last = c;
    if (*u < child[c]) break;
    *u -= child[c];
  }
  return last;
}

uint32_t scant_sumtree_draw(const scant_sumtree *tree, scant_rng *rng) {
  if (rng->script) return (uint32_t)rng->script->choose(rng->script, tree->leaves, tree->level[0]);
  double u = scant_rng_unit(rng) * scant_sumtree_total(tree);
  size_t node = 0;
  for (unsigned h = tree->height; h > 0; h--) node = node * FAN + choose_child(tree->level[h - 1] + node * FAN, &u);
  return (uint32_t)node;
}
