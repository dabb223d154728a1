/* Experiments on the theorems, with distributions whose risk is known exactly
 * (below).  They need no data.
 *
 * Part of scant-lab.
 */
#ifndef SCANT_LAB_THEORY_H
#define SCANT_LAB_THEORY_H

#include <stddef.h>
#include <stdint.h>

#include "command/chart/svg_text.h"
#include "jobs.h"
#include "scant.h"

#define THEORY_ALGORITHMS 8

typedef struct theory_request {
  const char *folder; /* where the files go */
  const char *algorithms[THEORY_ALGORITHMS];
  size_t algorithm_count;
  size_t runs;
  uint64_t seed;
  pool_options pool;
} theory_request;

/* Each runs an experiment, writes its files and fills `summary` with what to
 * print.  Its list of algorithms ends with NULL. */
typedef scant_status (*theory_run)(const theory_request *request, svg_text *summary, scant_error *error);

/* Attributes needed to reach an excess risk as d, K and the excess vary
 * [HK12, table 1]: scaling.csv, scaling-curves.csv, scaling-exponents.csv,
 * scaling.svg. */
extern const char *const scaling_algorithms[];
scant_status scaling_run(const theory_request *request, svg_text *summary, scant_error *error);

/* Excess risk against attributes on the distributions of the lower bounds
 * [HK12, thms 2.1, 2.2 and B.1]: lower-bound.csv, lower-bound.svg. */
extern const char *const lower_bound_algorithms[];
scant_status lower_bound_run(const theory_request *request, svg_text *summary, scant_error *error);

/* Support-vector regression with different smoothings, at equal expected attributes
 * [HK12, thm 4.4]: svr.csv, svr.svg. */
extern const char *const svr_algorithms[];
scant_status svr_run(const theory_request *request, svg_text *summary, scant_error *error);

/* Was this algorithm asked for? */
int theory_wants(const theory_request *request, const char *algorithm);

/* The seed of run `run` of `part` (a configuration or an instance).  No two of
 * them share their random numbers. */
uint64_t theory_seed(const theory_request *request, size_t part, size_t run);

/* ---- instances ------------------------------------------------------------- */

/* Distributions of (x, y) of which the risk of every w, and the best w in the
 * ball, are known exactly; and one run of a learner on them.
 *
 *   axes     x = r_i e_i with i uniform in T and r_i a fixed sign, y = 1.
 *            The matrix of [HK12, app. B], with T and the signs drawn from the
 *            seed.  |x| = 1 in every norm.
 *   hidden   x uniform in {-1, 1}^d; y = x_i with probability 1/2 + p, else
 *            -x_i, for one i drawn from the seed.  The construction behind
 *            [HK12, thm 2.1], which is from Cesa-Bianchi, Shalev-Shwartz &
 *            Shamir 2011.
 *   dense    x = D H z/2 with z uniform in {-1, 1}^4, H four orthonormal
 *            columns of entries +-1/sqrt d and D signs drawn from the seed, so
 *            |x|_2 = 1; y = s or, with probability 1/5, -s, where s is the mean
 *            of z.  Absolute and squared loss have different best w here, so
 *            that smoothing costs something.
 *
 * B = 1 throughout.
 */
typedef enum { INSTANCE_AXES, INSTANCE_HIDDEN, INSTANCE_DENSE } instance_kind;

typedef struct instance {
  instance_kind kind;
  size_t d;
  size_t size;     /* axes: |T| */
  double p;        /* hidden */
  uint32_t *place; /* axes: T; hidden: the one attribute */
  double *sign;    /* axes: of each in T; dense: D */
} instance;

/* O(d).  `size` is for axes (at most d), `p` for hidden; dense needs d to be a
 * multiple of 16. */
scant_status instance_new(instance *i, instance_kind kind, size_t d, size_t size, double p, uint64_t seed);
void instance_free(instance *i);

/* The loss in which a w is judged. */
typedef struct measure {
  scant_loss loss;  /* squared: 1/2 (w.x - y)^2; or insensitive */
  scant_norm norm;  /* of the ball */
  double tube;      /* insensitive */
  double smoothing; /* insensitive; 0: not smoothed */
} measure;

/* Expected loss of w minus that of the best w in the ball.  hidden: squared
 * loss only; dense: insensitive loss without smoothing, 2-norm only. */
double instance_excess(const instance *i, const measure *m, const double *w);
/* The same for w = 0. */
double instance_zero_excess(const instance *i, const measure *m);

/* Draws a new example: the values that the look asks for, and y. */
void instance_draw(const instance *i, uint64_t *random, const scant_look *look, double *values, double *y);

/* One run of a learner. */
typedef struct lesson {
  const char *algorithm;
  uint64_t k;        /* 0: the learner looks at everything */
  double smoothing;  /* 0: the loss has none */
  uint64_t examples; /* and horizon */
  uint64_t seed;
} lesson;

/* Learns from new examples; fills w[d] and the number of attributes bought. */
scant_status lesson_run(const lesson *l, const instance *i, double *w, uint64_t *bought, scant_error *error);

#endif
