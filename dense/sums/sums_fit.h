/* What was learned from sums: the object, and what its files share.
 *
 * EM, the choice of its prior, the regressor and the selection of attributes are those of dense/gaussian; the solver is
 * that of dense/moments.  They ask instead of going over examples. */
#ifndef SCANT_DENSE_SUMS_SUMS_FIT_H
#define SCANT_DENSE_SUMS_SUMS_FIT_H

#include "gaussian/gaussian.h"
#include "moments/moments.h"
#include "sums/reply.h"
#include "scant_sums.h"

struct scant_sums_fit {
  scant_settings settings; /* resolved; of its texts it has the algorithm, and classes of its own */
  char *classes;
  size_t dimension;
  scant_reply known; /* the marginals of all blocks */
  int is_gaussian;   /* else moments */
  int learned;       /* is there a regressor?  Else it is the mean target. */
  scant_gaussian_fit gaussian;
  scant_moments_result moments;
  double *follow, *explore; /* the law of the next round */
  scant_arrays arrays;
};

static inline const scant_marginal *scant_sums_fit_target(const scant_sums_fit *fit) {
  return &fit->known.marginals[fit->dimension];
}

/* What a fit is being made with. */
typedef struct scant_sums_work {
  scant_sums_fit *fit;
  const scant_asker *asker;
  int final;
  scant_thinking thinking;
} scant_sums_work;

/* Fills in regressor and law; and the bytes that it takes. */
double scant_sums_gaussian_bytes(double dimension);
scant_status scant_sums_learn_gaussian(scant_sums_work *work, scant_error *error);

/* Asks, and refuses a reply that is not of so many examples: sums that change, or parts that did not answer, would make
 * an EM of nothing in particular. */
scant_status scant_sums_ask(const scant_asker *asker, const scant_request *request, uint64_t examples,
                            scant_reply *reply, scant_error *error);

/* ---- learn_gaussian.c: an expectation step by asking ------------------------------------------- */

typedef struct scant_asking {
  const scant_asker *asker;
  const scant_frame *frame;
  scant_chosen_blocks chosen;
  uint64_t examples; /* of the chosen blocks: every reply must be of as many */
  scant_reply reply; /* the last one */
  double *m;         /* its M, n x n, the lower triangle */
} scant_asking;

/* 0: out of memory, and scant_asking_free is still due. */
int scant_asking_new(scant_asking *asking, const scant_asker *asker, const scant_frame *frame,
                     scant_chosen_blocks chosen, uint64_t examples);
void scant_asking_free(scant_asking *asking);

/* It must outlive the result. */
scant_expecter scant_asking_expecter(scant_asking *asking);

#endif
