/* The looks of blocks: which attributes are bought of all examples of a block.
 *
 * It is the mixture of gaussian_look.c without prices: a fifth of K explores, the rest is followed.  A look depends on
 * the seed, the number of the block and the law alone, so that a task that is run twice buys the same. */
#include "sums/sums.h"

#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "gaussian/select.h"

/* Streams of a seed from here on are those of blocks.  Learners use the first ones, and row orders those after them. */
#define STREAM_BLOCKS (UINT64_C(1) << 63)

/* ---- drawing ---------------------------------------------------------------------- */

/* Draws up to `count` more by these weights; NULL: evenly. */
static size_t draw(scant_rng *rng, scant_sumtree *room, const double *weights, uint32_t count, size_t have,
                   uint32_t *attributes) {
  double *leaf = scant_sumtree_leaves(room);
  for (size_t j = 0; j < room->leaves; j++) leaf[j] = weights ? weights[j] : 1;
  for (size_t i = 0; i < have; i++) leaf[attributes[i]] = 0;
  scant_sumtree_rebuild(room);
  for (; count && scant_sumtree_total(room) > 0; count--) {
    attributes[have] = scant_sumtree_draw(room, rng);
    scant_sumtree_set(room, attributes[have++], 0);
  }
  return have;
}

size_t scant_block_draw(scant_rng *rng, scant_sumtree *room, uint32_t k, const double *follow, const double *explore,
                        uint32_t *attributes) {
  uint32_t exploring = k;
  size_t have = 0;
  if (follow) { /* the fraction of a look by chance */
    double chances[2];
    exploring = scant_explored_of(k, chances);
    exploring += (uint32_t)scant_rng_pick(rng, 2, chances);
    have = draw(rng, room, follow, k - exploring, 0, attributes);
  }
  have = draw(rng, room, explore, k - (uint32_t)have, have, attributes);
  if (!follow || have == k) return have;
  return draw(rng, room, follow, k - (uint32_t)have, have, attributes); /* nothing else is worth exploring */
}

/* ---- the look of a block -------------------------------------------------------------- */

static scant_status check_law(size_t d, const double *weights, const char *what, scant_error *error) {
  double sum = 0;
  for (size_t j = 0; weights && j < d; j++) {
    if (!(weights[j] >= 0) || !isfinite(weights[j]))
      return scant_fail(error, SCANT_DATA, "attribute %zu has the weight %g to %s: it must be a number from 0 on", j,
                        weights[j], what);
    sum += weights[j];
  }
  if (!isfinite(sum)) return scant_fail(error, SCANT_DATA, "the weights to %s add up to no number", what);
  return SCANT_OK;
}

static int ascending(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

scant_status scant_block_look(size_t dimension, uint64_t k, uint64_t seed, uint64_t block, const double *follow,
                              const double *explore, uint32_t *attributes, size_t *count, scant_error *error) {
  if (!k) return scant_fail(error, SCANT_USAGE, "a look at a block needs k, at least 1");
  if (!dimension) return scant_fail(error, SCANT_DATA, "there are no attributes to look at");
  if (dimension > UINT32_MAX / 2) return scant_fail(error, SCANT_DATA, "there are too many attributes for a look");
  SCANT_TRY(check_law(dimension, follow, "follow", error));
  SCANT_TRY(check_law(dimension, explore, "explore", error));
  scant_sumtree room = {0};
  scant_rng rng;
  if (!scant_sumtree_new(&room, dimension)) return scant_fail_memory(error);
  scant_rng_seed(&rng, seed, STREAM_BLOCKS + block);
  *count =
      scant_block_draw(&rng, &room, k < dimension ? (uint32_t)k : (uint32_t)dimension, follow, explore, attributes);
  scant_sumtree_free(&room);
  qsort(attributes, *count, sizeof *attributes, ascending);
  return SCANT_OK;
}
