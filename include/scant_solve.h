/* What `scant` has beside libscant: the full-information references full-ridge,
 * full-lasso and full-svr, and the engines of the dense rows.
 *
 * They need LAPACK, so they are linked into the command and are not part of
 * libscant; this header is not installed.
 */
#ifndef SCANT_SOLVE_H
#define SCANT_SOLVE_H

#include "scant.h"

/* How far from the optimum the solution can be, recomputed from the raw data. */
typedef struct scant_certificate {
  double kkt;        /* full-ridge, full-lasso: largest violation of the optimality conditions, relative */
  double gap;        /* full-svr: duality gap, relative */
  double constraint; /* max(0, norm / radius - 1) */
  double lambda;     /* multiplier of the constraint */
} scant_certificate;

/* Buys every attribute of the training examples through a meter and solves the
 * constrained problem.  `fit` then tells the ledger, the held-out rows and
 * whether the budget was spent.  radius auto: chosen by cross-validation on
 * what was bought.  The caller frees both. */
scant_status scant_solve_fit(scant_fit **fit, scant_model **model, scant_certificate *certificate,
                             const scant_settings *settings, scant_source *source, scant_error *error);

/* The same for the field `solve` of scant_curve_plan: on one thread, without a certificate. */
scant_status scant_solve_for_curve(scant_fit **fit, scant_model **model, const scant_settings *settings,
                                   scant_source *source, scant_error *error);

/* One finished model of checkpoints of the row moments, of fits of different parts
 * of the data: same attributes, costs and settings (but which examples and how many).
 * Sums and ledgers add up, in any order.  threads and memory are those of `given`;
 * two learners are in memory at a time.  The caller frees the model. */
scant_status scant_solve_merge(scant_model **model, scant_learner_facts *facts, const char *const *paths, size_t count,
                               const scant_settings *given, scant_error *error);

/* The engines of the dense rows, for the settings' field `engines`. */
extern const scant_engine *const scant_solve_engines[];

#endif
