/* Squared error against the number of attributes bought per prediction, on two
 * digits of MNIST.
 *
 * There are four curves, of two Gaussians.  `gaussian` and `linear` use the
 * algorithm gaussian, which saw 56 attributes of every training image.
 * `fixed-two-valued` and `fixed` use the moments of all attributes of every
 * training image.  Then greedy forward selection by least squares chooses the
 * same attributes, and the linear mean is least squares on them.  `linear` and
 * `fixed` predict linearly; the other two predict the mean of a target of two
 * values.  So the four tell apart what the link and what the moments are worth.
 *
 * Part of scant-lab.
 */
#ifndef SCANT_LAB_FEW_H
#define SCANT_LAB_FEW_H

#include "cli/chart/page.h"
#include "run.h"
#include "theory.h"

enum { FEW_MOST = 64, FEW_K = 56, FEW_CURVES = 4 };

typedef struct few_curve {
  const char *name;
  int full;       /* it has the moments of all attributes; else of those that gaussian bought */
  int two_valued; /* it predicts the mean of a target of two values; else linearly */
} few_curve;

extern const few_curve few_table[FEW_CURVES];
extern const char *const few_curves[]; /* their names, and NULL */

typedef struct few_results {
  const char *pair;
  size_t dimension, most; /* attributes of an image, and those bought at most */
  size_t runs;
  const few_curve *curves[FEW_CURVES]; /* those asked for */
  size_t curve_count;
  double *errors; /* [curve][run][0 .. most] */
} few_results;

static inline double *few_at(const few_results *r, size_t curve, size_t run) {
  return &r->errors[(curve * r->runs + run) * (r->most + 1)];
}

/* Runs, writes few.csv and few.svg, and fills `words` with what to print. */
scant_status few_run(const theory_request *request, const image_set *images, const char *pair, page *words,
                     scant_error *error);

/* A model with the moments of all attributes of the rows and nothing else: given
 * any attributes, its linear mean is that of least squares with an intercept on
 * these rows.  The caller frees it. */
scant_status few_full_model(scant_model **model, const view *train, scant_error *error);

scant_status few_write(const few_results *r, const char *folder, page *words, scant_error *error);

#endif
