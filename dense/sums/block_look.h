/* The looks of blocks: which attributes are bought of all examples of a block.
 *
 * It is the mixture of gaussian_look.c without prices: a fifth of K explores, the rest is followed.  A look depends on
 * the seed, the number of the block and the law alone, so that a task that is run twice buys the same.
 */
#ifndef SCANT_DENSE_SUMS_BLOCK_LOOK_H
#define SCANT_DENSE_SUMS_BLOCK_LOOK_H

#include "sample/sumtree.h"
#include "scant_sums.h"

/* Draws k of the leaves of `room` (k not above their number) into attributes, in the order of the draws, and returns
 * how many they are: fewer if fewer have a chance.  follow NULL: there is no law yet, and all explore.  explore NULL:
 * evenly. */
size_t scant_block_draw(scant_rng *rng, scant_sumtree *room, uint32_t k, const double *follow, const double *explore,
                        uint32_t *attributes);

#endif
