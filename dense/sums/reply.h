/* What sums say to a request (request.h), and how what two of them said adds up.
 *
 * A reply of no blocks has no arrays, and merges to the other. */
#ifndef SCANT_DENSE_SUMS_REPLY_H
#define SCANT_DENSE_SUMS_REPLY_H

#include "marginal.h"
#include "moments/pairs.h"
#include "sums/request.h"
#include "sums/sums.h"

enum { SCANT_REPLY_FOLDS = 5 }; /* of PAIRS: block % 5; SCANT_MOMENTS_FOLDS */

/* Over the chosen blocks b, with n_b rows, mean squared error e_b, and what own_error.h calls variance and expected, on
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

/* Asks: sums in memory without a detour over bytes, others by `ask`. A reply of another kind or of other sizes than the
 * request calls for is SCANT_DATA.  The caller frees the reply. */
scant_status scant_asker_ask(const scant_asker *asker, const scant_request *request, scant_reply *reply,
                             scant_error *error);

/* ---- for those who answer ------------------------------------------------------------------- */

/* Arrays of zeros for a reply that has its kind and sizes.  0: out of memory, and it is to be freed. */
int scant_reply_fill(scant_reply *reply);

/* Adds what was said of other values, and of other blocks. */
void scant_marginal_take(scant_marginal *to, const scant_marginal *from);
void scant_own_take(scant_own_sums *to, const scant_own_sums *from);

/* What the records from `first` up to `after` say, added in their order: a reply of nothing if none of them is chosen.
 * To be called between scant_blas_begin and scant_blas_end.  The caller frees the reply, after a failure, too. */
scant_status scant_records_answer(const scant_sums *sums, size_t first, size_t after, const scant_request *request,
                                  scant_reply *reply, scant_error *error);

#endif
