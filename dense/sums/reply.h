/* What sums say to a request (request.h), and how what two of them said adds up.
 *
 * A reply of no blocks has no arrays, and merges to the other.
 */
#ifndef SCANT_DENSE_SUMS_REPLY_H
#define SCANT_DENSE_SUMS_REPLY_H

#include "moments/pairs.h"
#include "sums/request.h"

enum { SCANT_REPLY_FOLDS = 5 }; /* of PAIRS: block % 5; SCANT_MOMENTS_FOLDS */

/* An attribute, or the target.  Of the values that are known: how many; their mean, and the sum of squared deviations
 * from it; the lowest and the highest.  common and active: as in dense/gaussian/scale.h, the value that more than half
 * of them have, if there is one, and how many were voted against. */
typedef struct scant_marginal {
  uint64_t bought; /* examples in which it was bought, known or not */
  uint64_t known;
  uint64_t blocks; /* with a known value */
  uint64_t active;
  double mean, spread, low, high, common;
} scant_marginal;

/* The largest squared deviation from the mean. */
static inline double scant_marginal_largest(const scant_marginal *m) {
  double below = m->mean - m->low, above = m->high - m->mean, most = below > above ? below : above;
  return m->known ? most * most : 0;
}

/* As moments, with this largest deviation. */
static inline scant_moments scant_marginal_moments(const scant_marginal *m) {
  return (scant_moments){.count = m->known, .mean = m->mean, .spread = m->spread, .largest = scant_marginal_largest(m)};
}

/* How much an attribute is worth exploring: less and less while it has never varied.  Rows of a block may have it in
 * common, as the day on which they were stored; so blocks count, or it would hardly be bought again after the first. */
static inline double scant_marginal_curiosity(const scant_marginal *m) {
  return scant_moments_curiosity(&(scant_moments){.count = m->blocks, .spread = m->spread});
}

/* Over the chosen blocks b, with n_b rows, mean squared error e_b, and what own.h calls variance and expected, on
 * average in the block. */
typedef struct scant_own_sums {
  double error;    /* of n_b e_b */
  double variance; /* of n_b variance */
  double expected; /* of n_b expected */
  double rows2;    /* of n_b^2 */
  double error2;   /* of n_b^2 e_b */
  double square2;  /* of n_b^2 e_b^2 */
} scant_own_sums;

typedef struct scant_reply {
  scant_request_kind kind;
  uint64_t blocks, examples; /* that were chosen; examples / blocks is the mean of rows per block */
  size_t dimension;          /* MARGINALS, PAIRS */
  scant_marginal *marginals; /* MARGINALS: of each attribute, and the target as the last */
  size_t variables;          /* EXPECT */
  double likelihood;         /* EXPECT: sum of log-likelihoods; NaN: a covariance is not positive definite */
  double *m;                 /* EXPECT: lower triangle by rows, M_ij at scant_pairs_at(i, j) */
  double *g;                 /* EXPECT: of each variable */
  scant_own_sums own;        /* OWN: NaN if a covariance is not positive definite */
  scant_pairs *folds;        /* PAIRS: SCANT_REPLY_FOLDS of them */
} scant_reply;

void scant_reply_free(scant_reply *reply);

/* Adds `from` to `to`, and frees `from`.  SCANT_DATA, and nothing has changed: other kinds or sizes, or a count is too
 * large. */
scant_status scant_reply_take(scant_reply *to, scant_reply *from, scant_error *error);

/* As bytes and back.  Decoding checks all sizes. */
scant_status scant_reply_encode(const scant_reply *reply, unsigned char **bytes, size_t *size, scant_error *error);
scant_status scant_reply_decode(scant_reply *reply, const unsigned char *bytes, size_t size, scant_error *error);

/* Asks: sums at hand without a detour over bytes, others by `ask`. A reply of another kind or of other sizes than the
 * request calls for is SCANT_DATA.  The caller frees the reply. */
scant_status scant_asker_ask(const scant_asker *asker, const scant_request *request, scant_reply *reply,
                             scant_error *error);

#endif
