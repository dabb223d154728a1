/* Squared error against the number of attributes bought per prediction, on two
 * digits of MNIST.
 *
 * Four curves, of two Gaussians.  `gaussian` and `linear`: the row gaussian, which
 * saw 56 attributes of every training image.  `fixed-two-valued` and `fixed`: the
 * moments of all attributes of every training image, so that what it buys is what
 * greedy forward selection by least squares chooses, and its linear mean is least
 * squares on what was chosen.  `linear` and `fixed` predict linearly, the other
 * two the mean of a target of two values; so what the link is worth and what the
 * moments are worth can be told apart.
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
  int full;       /* moments of all attributes; else of those that the row gaussian bought */
  int two_valued; /* predicts the mean of a target of two values; else linearly */
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
