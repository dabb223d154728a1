/* Sums that merge, of libscant-dense: what an E-step of `gaussian` or the second moments of `moments` need of any set
 * of examples, as an object that can be made in one process, saved, and merged in another.
 *
 * A block is a run of examples of which the same attributes were bought: a row group of a Parquet file, a chunk of
 * rows. Sums hold a record of each block, by its number: how many examples, and the mean and the scatter of the
 * attributes that were bought and of the target.  Nothing else of the values is kept.
 *
 *   sums      new, add a block, merge, save, load, what they hold, the limits that they give
 *   answer    what sums say to a request of a learner, and merging what two sums said
 *   asker     what a learner asks: sums in memory, or your own (a cluster)
 *   fit       what was learned by asking: regressor, risk, the law of the next round, a model
 *   look      which attributes of a block to buy
 *
 * Merging is a union of records and exact: any order and any tree of merges gives the same bytes.  Answers are made of
 * sums of doubles: where the tree of merging is the same, so are the bits.  Inside an answer blocks are added in the
 * order of their numbers in groups of SCANT_SUMS_GROUP (those with the same block / SCANT_SUMS_GROUP), and groups by
 * the binary tree of their numbers.  So parts of SCANT_SUMS_GROUP << i blocks each, from number 0 on, give the same
 * bits for every i, and the same as all blocks in one object.
 *
 * Conventions are those of scant.h.  Objects may be read by several threads at once. */
#ifndef SCANT_SUMS_H
#define SCANT_SUMS_H

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sums ------------------------------------------------------------------------------ */

typedef struct scant_sums scant_sums;

#define SCANT_SUMS_GROUP 16

/* Of no blocks; examples have `dimension` attributes. */
SCANT_API scant_status scant_sums_new(scant_sums **sums, size_t dimension, scant_error *error);
SCANT_API void scant_sums_free(scant_sums *sums);

/* Adds a block: `rows` examples of which the same `count` attributes were bought, each once and in any order.
 *
 * values[c * rows + r] is that of attributes[c] in row r; NaN: it is missing.  y[rows].
 *
 * low, high: limits of all `dimension` attributes, by which values are clipped.  NULL, both: values are taken as they
 * come, and the record has what limits can be made of.  All blocks of sums have the same limits, or none has any.  A
 * value beyond 1e140 counts as that, so that products are finite.
 *
 * Up to 8 patterns of missing values in a block are kept exactly.  Of a block with more the record has available cases:
 * each pair of attributes from the examples in which both are known, as if holes came by chance.
 *
 * Allocates, for the record about 4 (count + 1)^2 bytes.  O(rows count^2), at the speed of BLAS.
 *
 * rows 0: nothing is added.  SCANT_DATA: the block is in the sums already, y is not finite or beyond 1e100, a value is
 * infinite (sentences count rows from 1), or other blocks have other limits, or have some where this has none.
 * SCANT_MISUSE: an attribute that is not there or is named twice; one limit without the other, or limits that cross. */
SCANT_API scant_status scant_sums_add(scant_sums *sums, uint64_t block, size_t rows, size_t count,
                                      const uint32_t *attributes, const double *values, const double *y,
                                      const double *low, const double *high, scant_error *error);

/* Adds the blocks of `other`, which stays as it is.  A block that is in both must be the same to the bit, and counts
 * once; else SCANT_DATA, as where limits are not the same.  Allocates. */
SCANT_API scant_status scant_sums_merge(scant_sums *sums, const scant_sums *other, scant_error *error);

/* The sums as bytes: little-endian, versioned, with a SHA-256 at the end.  The same sums give the same bytes.  Both
 * allocate; *bytes is the caller's, for scant_bytes_free.  SCANT_DATA: the bytes are not such sums, or are damaged. */
SCANT_API scant_status scant_sums_save(const scant_sums *sums, unsigned char **bytes, size_t *size, scant_error *error);
SCANT_API scant_status scant_sums_load(scant_sums **sums, const unsigned char *bytes, size_t size, scant_error *error);
SCANT_API void scant_bytes_free(unsigned char *bytes);

typedef struct scant_sums_facts {
  uint64_t blocks, examples;
  uint64_t cells;   /* values bought: examples x attributes of each block */
  uint64_t missing; /* those of them that had no value */
  uint64_t memory;  /* bytes that the records take */
  size_t dimension;
  int limited; /* were values clipped? */
} scant_sums_facts;

SCANT_API void scant_sums_get_facts(const scant_sums *sums, scant_sums_facts *facts);

/* purchases[dimension]: in how many examples each attribute was bought. */
SCANT_API void scant_sums_purchases(const scant_sums *sums, uint64_t *purchases);

/* The limits that these blocks give, `clip` standard deviations around the mean, as in a fit: a wild value hardly moves
 * them.  low[dimension], high[dimension].  An attribute that never varied gets limits that clip nothing: -DBL_MAX and
 * DBL_MAX.  Allocates.  SCANT_DATA: the blocks have limits already; SCANT_USAGE: clip is not above 0. */
SCANT_API scant_status scant_sums_limits(const scant_sums *sums, double clip, double *low, double *high,
                                         scant_error *error);

/* ---- answers --------------------------------------------------------------------------- */

/* What sums say to a request of a learner.  Requests and replies are bytes that only this library reads.  Allocates;
 * *reply is the caller's, for scant_bytes_free.  SCANT_DATA: the bytes are no request, or of another dimension. */
SCANT_API scant_status scant_sums_answer(const scant_sums *sums, const unsigned char *request, size_t size,
                                         unsigned char **reply, size_t *reply_size, scant_error *error);

/* The reply of two sets of sums that have no block in common: that of `a` with that of `b` added.  A reply of sums
 * without blocks gives the other one.  Allocates. */
SCANT_API scant_status scant_reply_merge(const unsigned char *a, size_t a_size, const unsigned char *b, size_t b_size,
                                         unsigned char **merged, size_t *size, scant_error *error);

/* What a learner asks.  `ask` gets a request and gives the merged reply of all sums, made with malloc or by the
 * functions above; the learner frees it. */
typedef struct scant_asker {
  scant_status (*ask)(void *user, const unsigned char *request, size_t size, unsigned char **reply, size_t *reply_size,
                      scant_error *error);
  void *user;
} scant_asker;

/* An asker for sums in memory.  It answers for each part and merges neighbours (0,1), (2,3), ... level by
 * level; an odd last one goes up as it is.  The replies do not depend on `threads`.  The parts must outlive it, and
 * nothing is added to them meanwhile.  SCANT_DATA: their dimensions or limits are not the same, or a block is in two of
 * them.  Allocates, and so does `ask`: replies for about log2 of the blocks and four per thread at a time. */
SCANT_API scant_status scant_asker_here(scant_asker **asker, const scant_sums *const *parts, size_t count,
                                        uint64_t threads, scant_error *error);
SCANT_API void scant_asker_here_free(scant_asker *asker);

/* ---- learning from sums ------------------------------------------------------ */

/* What was learned from sums. */
typedef struct scant_sums_fit scant_sums_fit;

/* Learns from the sums that the asker has of `dimension` attributes, by the algorithm gaussian or moments.  Of the
 * settings it takes algorithm, k, seed, memory, threads and watch, and the others go into the model.  Values were
 * clipped when they were added.  final: 1 for a regressor that is read, 0 for the next law alone, which need not
 * converge.  Halves and folds are made of whole blocks, by their numbers.
 *
 * The asker is asked from this thread alone, one request at a time, and its replies decide every bit of the result.
 * With fewer than ten examples, or targets that never vary, the regressor is the mean of the targets.  Where all blocks
 * are in one half, nothing can judge: there is a regressor, and its risk is NaN.
 *
 * SCANT_USAGE: the algorithm is another, or k is 0.  SCANT_DATA, before anything is asked: k is above the dimension, or
 * it would take more than option memory allows (d^2 numbers).  SCANT_DATA: there are no blocks, or the replies are not
 * of the same examples.  SCANT_STOPPED: watch said so; a regressor for which a prior was tried is the best so far
 * instead.  Errors of the asker come back as they are. */
SCANT_API scant_status scant_sums_learn(scant_sums_fit **fit, const scant_settings *settings, size_t dimension,
                                        const scant_asker *asker, int final, scant_error *error);
SCANT_API void scant_sums_fit_free(scant_sums_fit *fit);

/* The regressor, in original units. */
SCANT_API void scant_sums_fit_weights(const scant_sums_fit *fit, double *w, double *intercept);

/* Risk and its standard error (blocks are the units), penalty, scale, likelihood, the target's variance; `told` are
 * the examples. */
SCANT_API void scant_sums_fit_facts(const scant_sums_fit *fit, scant_learner_facts *facts);

/* The law of the next round, of each attribute: follow is 1 for those that forward selection found, and explore says
 * how much each is worth exploring. */
SCANT_API void scant_sums_fit_law(const scant_sums_fit *fit, double *follow, double *explore);

/* What a model says beside what was learned.  All are the caller's. */
typedef struct scant_sums_terms {
  const char *const *names;   /* of the attributes; NULL: none */
  const char *target;         /* its name; NULL: none */
  const double *low, *high;   /* by which values were clipped; NULL: they were not */
  const double *two_values;   /* the target has these two alone, ascending; NULL: it has others */
  const scant_prices *prices; /* NULL: costs were not said */
  const scant_ledger *ledger; /* what was bought; a file whose ledger contradicts itself can't be loaded */
  const uint64_t *purchases;  /* of each attribute: examples in which it was bought; NULL: as the sums say */
} scant_sums_terms;

/* A finished model; scant_model_save writes it as any other. */
SCANT_API scant_status scant_sums_fit_model(const scant_sums_fit *fit, const scant_sums_terms *terms,
                                            scant_model **model, scant_error *error);

/* ---- the look of a block ----------------------------------------------------- */

/* Which attributes to buy of a block: min(k, dimension) of them, ascending, or fewer if no more have a weight.  They
 * follow from seed, number of the block and law alone.  A fifth is drawn by `explore`, the others by `follow`, each
 * without repetition.  follow NULL: there is no law yet; explore NULL: evenly.  attributes: room for
 * min(k, dimension).  SCANT_DATA: a weight is negative or no number.  O(dimension). */
SCANT_API scant_status scant_block_look(size_t dimension, uint64_t k, uint64_t seed, uint64_t block,
                                        const double *follow, const double *explore, uint32_t *attributes,
                                        size_t *count, scant_error *error);

#ifdef __cplusplus
}
#endif

#endif
