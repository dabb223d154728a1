/* Sums of blocks. */
#ifndef SCANT_SUMS_H
#define SCANT_SUMS_H

#include "scant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scant_asker {
  scant_status (*ask)(void *user, const unsigned char *request, size_t size, unsigned char **reply, size_t *reply_size,
                      scant_error *error);
  void *user;
} scant_asker;

/* ---- learning from sums ------------------------------------------------------ */

/* What was learned from sums. */
typedef struct scant_sums_fit scant_sums_fit;

/* Learns from the sums that the asker has of `dimension` attributes, by the algorithm gaussian or moments.  Of the
 * settings it takes algorithm, k, seed, memory, threads and watch, and the others go into the model.  Values were
 * clipped when they were added.  final: 1 for a regressor that is read, 0 for the next law alone, which need not
 * converge.  Halves and folds are made of whole blocks, by their numbers.
 *
 * The asker is asked from this thread alone, one request at a time, and its replies decide every bit of the result.
 * SCANT_USAGE: the algorithm is another, or k is 0.  SCANT_DATA: fewer than two blocks or ten examples, targets that
 * never vary, or more than option memory allows (d^2 numbers).  SCANT_STOPPED: watch said so.  Errors of the asker come
 * back as they are.  O(d^2) memory. */
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
  const scant_ledger *ledger; /* what was bought */
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
