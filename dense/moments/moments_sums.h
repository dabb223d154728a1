/* The regressor of the algorithm moments, and the law of the next looks, from sums over blocks of examples.
 *
 * The learner of moments.h keeps such sums as it is told.  Here they come from elsewhere: the folds are those of
 * blocks b with equal b % SCANT_MOMENTS_FOLDS, so that no block is on both sides of a judgement.
 *
 * Pairs: all rows of a block show the same attributes.  The chance that a look has both of a pair is
 * p_i p_j - a_i a_j (together.h), with p_i the share of rows in which i was bought, whether a row has a look of its
 * own or shares one.  So the rows in which a pair is expected are as many as ever.  Their number varies more, though:
 * it is as many looks as there were blocks, so the counts of pairs are believed by blocks, not by rows.  Sums do not
 * say by which law a block was bought.  So all are taken as of one law, with the shares of all rows: attributes that
 * were followed for some of the time come together more often than that says, and their counts correct it once a pair
 * was met in some fifty blocks.
 */
#ifndef SCANT_DENSE_MOMENTS_MOMENTS_SUMS_H
#define SCANT_DENSE_MOMENTS_MOMENTS_SUMS_H

#include "moments/moments.h"

/* What is known of all blocks.  Everything stays the caller's. */
typedef struct scant_moments_sums {
  size_t dimension;
  const scant_pairs *fold; /* SCANT_MOMENTS_FOLDS of them, about the origin */
  const double *origin;    /* of each attribute; */
  double y_origin;
  const scant_moments *attributes; /* of the known values of each; `largest` is about their mean */
  const uint64_t *active;          /* of each: known values that were not the most common one */
  const uint64_t *blocks;          /* of each: blocks with a known value */
  const uint64_t *bought;          /* of each: rows in which it was bought, known or not */
  double rows_per_block;           /* on average */
} scant_moments_sums;

/* Solves as scant_moments_solve does.  settings: norm, penalty, like_units, threads.  result->w: room for the
 * dimension.  follow, explore, if not NULL: weights of each attribute for the next looks; those of each sum up to 1,
 * but follow is 0 throughout while nothing has a weight.  The law of moments is the sum of both: half of it explores.
 * SCANT_DATA: more rows than can be counted, or weights that overflow. */
scant_status scant_moments_from_pairs(const scant_moments_sums *sums, const scant_settings *settings,
                                      scant_moments_result *result, double *follow, double *explore,
                                      scant_error *error);

#endif
