/* GenEst [HK12, Proc. 3]: an unbiased estimate of h(s) for an entire h from single looks that estimate s.
 *
 *   n        drawn first, Pr[n] proportional to 2^-(n+1) on {n : a_n != 0}
 *   looks    n factors; each is one residual draw if n <= 2 log2 N, else the
 *            mean of N draws, N = ceil(10 B^2 / e^2)
 *   result   a_n / Pr[n] * product of the factors
 *
 * The paper draws n on all whole numbers and prints N = ceil(4 B^2); since the even coefficients of erf are zero that
 * wastes half of the draws, and after scaling by 1/e the second moment of a factor is 10 B^2/e^2. The bound of its
 * lemma, exp(O(log^2 B)) on the second moment of the result, is wrong (averaging shrinks the variance of a factor, not
 * its mean); core/tests/exact/losses.h has it exactly. */
#ifndef SCANT_ESTIMATE_GENEST_H
#define SCANT_ESTIMATE_GENEST_H

#include "base/rng.h"
#include "scant.h"

/* The Taylor series of h: erf, or a polynomial with `count` coefficients. */
#define SCANT_SERIES_MOST 16
/* Orders of erf past this one have a probability below 2^-500 and are not drawn. */
#define SCANT_ORDER_MOST 501
typedef struct scant_series {
  int is_erf;
  size_t count;
  double a[SCANT_SERIES_MOST];
} scant_series;

scant_series scant_series_erf(void);

/* The series that a loss is built from: h(x) = x, or h(x) = erf(x). */
scant_series scant_loss_series(scant_loss loss);

/* N = ceil(10 B^2 / e^2). */
uint32_t scant_genest_group(double radius, double smoothing);

/* How many draws a factor of a product of `order` takes: 1 or N. */
uint32_t scant_genest_draws(uint32_t order, uint32_t group);

/* Draws n, and its probability. */
uint32_t scant_genest_order(const scant_series *series, scant_rng *rng);
double scant_genest_probability(const scant_series *series, uint32_t order);

/* Residual draws that a call is expected to take, exactly. */
double scant_genest_expected_draws(const scant_series *series, uint32_t group);

/* a_n / Pr[n] * product of factors[0 .. n), without overflow on the way. */
double scant_genest_product(const scant_series *series, uint32_t order, const double *factors);

#endif
