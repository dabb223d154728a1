#include "sample/sumtree.h"

#include <stdlib.h>

#include "core/lanes.h"
#include "core/memory.h"

#ifndef __has_builtin
#define __has_builtin(name) 0
#endif

enum { FAN = SCANT_SUMTREE_FAN, SMALL = 1024 };

static size_t parents(size_t nodes) {
  return (nodes + FAN - 1) / FAN;
}

int scant_sumtree_new(scant_sumtree *tree, size_t leaves) {
  *tree = (scant_sumtree){.leaves = leaves, .small = leaves <= SMALL};
  size_t room = 0, nodes = leaves, families = parents(leaves);
  do {
    tree->height++;
    room += parents(nodes) * FAN;
    nodes = parents(nodes);
  } while (nodes > 1);
  double *all = scant_array(room + 1, sizeof *all);
  tree->stale = scant_array(families + 1, sizeof *tree->stale);
  tree->is_stale = scant_array(families, sizeof *tree->is_stale);
  tree->level[0] = all;
  if (!all || !tree->stale || !tree->is_stale) {
    scant_sumtree_free(tree);
    return 0;
  }
  nodes = leaves;
  for (unsigned h = 1; h <= tree->height; h++, nodes = parents(nodes))
    tree->level[h] = tree->level[h - 1] + parents(nodes) * FAN;
  return 1;
}

void scant_sumtree_free(scant_sumtree *tree) {
  free(tree->level[0]);
  free(tree->stale);
  free(tree->is_stale);
  *tree = (scant_sumtree){0};
}

SCANT_INLINE double family_sum(const double *child) {
  scant_lanes sum = *(const scant_loose_lanes *)child + *(const scant_loose_lanes *)(child + SCANT_LANES);
  return scant_lanes_fold(&sum);
}

/* The same for eight families at once, in the same order: halves of two are added
 * at a time, so that no lane is idle. */
SCANT_INLINE void family_sums(const double *const *child, double *sums) {
#if __has_builtin(__builtin_shufflevector)
  scant_lanes v[8];
  for (int i = 0; i < 8; i++)
    v[i] = *(const scant_loose_lanes *)child[i] + *(const scant_loose_lanes *)(child[i] + SCANT_LANES);
#define ADD(a, b, f0, f1, f2, f3, s0, s1, s2, s3)                                  \
  (__builtin_shufflevector(a, b, f0, f1, f2, f3, f0 + 8, f1 + 8, f2 + 8, f3 + 8) + \
   __builtin_shufflevector(a, b, s0, s1, s2, s3, s0 + 8, s1 + 8, s2 + 8, s3 + 8))
  for (int i = 0; i < 4; i++) v[i] = ADD(v[2 * i], v[2 * i + 1], 0, 1, 2, 3, 4, 5, 6, 7);
  for (int i = 0; i < 2; i++) v[i] = ADD(v[2 * i], v[2 * i + 1], 0, 1, 4, 5, 2, 3, 6, 7);
  *(scant_loose_lanes *)sums = ADD(v[0], v[1], 0, 2, 4, 6, 1, 3, 5, 7);
#undef ADD
#else
  for (int i = 0; i < 8; i++) sums[i] = family_sum(child[i]);
#endif
}

SCANT_INLINE void rebuild(scant_sumtree *tree) {
  size_t nodes = tree->leaves;
  for (unsigned h = 1; h <= tree->height; h++) {
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

/* The same for the nodes that are named. */
SCANT_INLINE void renew(double *level, const double *below, const uint32_t *stale, size_t count) {
  size_t r = 0;
  for (; r + 8 <= count; r += 8) {
    const double *child[8];
    double sums[8];
    for (size_t i = 0; i < 8; i++) child[i] = below + (size_t)stale[r + i] * FAN;
    family_sums(child, sums);
    for (size_t i = 0; i < 8; i++) level[stale[r + i]] = sums[i];
  }
  for (; r < count; r++) level[stale[r]] = family_sum(below + (size_t)stale[r] * FAN);
}

/* The stale list goes up level by level: what it names becomes the parents. */
SCANT_WIDEST void scant_sumtree_settle(scant_sumtree *tree) {
  if (tree->small) {
    rebuild(tree);
    return;
  }
  size_t count = tree->stale_count;
  uint32_t *stale = tree->stale;
  for (size_t r = 0; r < count; r++) tree->is_stale[stale[r]] = 0;
  for (unsigned h = 1; h <= tree->height; h++) {
    renew(tree->level[h], tree->level[h - 1], stale, count);
    if (h == tree->height) break;
    size_t kept = 0;
    for (size_t r = 0; r < count; r++) {
      uint32_t parent = stale[r] / FAN;
      stale[kept] = parent;
      kept += !tree->is_stale[parent];
      tree->is_stale[parent] = 1;
    }
    count = kept;
    for (size_t r = 0; r < count; r++) tree->is_stale[stale[r]] = 0;
  }
  tree->stale_count = 0;
}

/* Of a small tree few nodes are summed anew one by one, however often. */
static void climb(scant_sumtree *tree, size_t node) {
  for (unsigned h = 1; h <= tree->height; h++) {
    node /= FAN;
    tree->level[h][node] = family_sum(tree->level[h - 1] + node * FAN);
  }
}

void scant_sumtree_settle_at(scant_sumtree *tree, size_t count, const uint32_t *leaves) {
  if (tree->small && count * tree->height * 2 < tree->leaves / FAN) {
    for (size_t r = 0; r < count; r++) climb(tree, leaves[r]);
    return;
  }
  if (!tree->small) {
    uint32_t *restrict stale = tree->stale;
    unsigned char *restrict is_stale = tree->is_stale;
    size_t kept = tree->stale_count;
    for (size_t r = 0; r < count; r++) {
      uint32_t parent = leaves[r] / FAN;
      stale[kept] = parent;
      kept += !is_stale[parent];
      is_stale[parent] = 1;
    }
    tree->stale_count = kept;
  }
  scant_sumtree_settle(tree);
}

SCANT_WIDEST void scant_sumtree_rebuild(scant_sumtree *tree) {
  for (size_t r = 0; r < tree->stale_count; r++) tree->is_stale[tree->stale[r]] = 0;
  tree->stale_count = 0;
  rebuild(tree);
}

/* The child that u falls into, and u within it. */
static size_t choose_child(const double *child, double *u) {
  size_t last = 0; /* rounding may leave u at or past the sum; what has no weight is not entered all the same */
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
