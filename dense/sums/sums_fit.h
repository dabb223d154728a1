/* What was learned from sums: the object, and what its files share.
 *
 * EM, the choice of its prior, the regressor and the selection of attributes are those of dense/gaussian; the solver is
 * that of dense/moments.  They ask instead of going over examples.
 */
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

/* learn_gaussian.c, learn_moments.c: both fill in regressor and law. */
double scant_sums_gaussian_bytes(double dimension);
double scant_sums_moments_bytes(double dimension, double threads);
scant_status scant_sums_learn_gaussian(scant_sums_work *work, scant_error *error);
scant_status scant_sums_learn_moments(scant_sums_work *work, scant_error *error);

#endif
