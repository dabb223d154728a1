/* What the theorems assume of settings, values and targets, and blocks in which pairs of attributes are rare.  A fit
 * warns of the first that is outside. */
#include <math.h>

#include "scant_base.h"
#include "base/lanes.h"
#include "fit/fit.h"
#include "learn/learner.h"

/* What a dense algorithm learns of how attributes go together, it learns from blocks in which both were bought. */
static void note_pairs(scant_fit *f) {
  const scant_settings *s = &f->terms.settings;
  size_t d = scant_source_dimension(f->source);
  double blocks = (double)f->learner->looks.horizon, k = scant_terms_visit_looks(&f->terms, f->prices);
  double pairs = scant_pairs_together(blocks, k, (double)d);
  if (s->learning.block == 1 || !f->learner->engine || !f->terms.horizon || pairs >= SCANT_PAIRS_FEWEST) return;
  if (blocks <= 1) { /* there is nothing to count */
    int bounded = s->run.budget || s->run.budget_cost > 0;
    scant_error_write(&f->warning,
                      "%s, whose examples share one look, so little is learned of how attributes go together: take "
                      "smaller blocks (option block)%s",
                      bounded ? "the budget pays for one block or a part of it" : "there is one block",
                      bounded ? " or a larger budget" : "");
    return;
  }
  scant_error_write(
      &f->warning,
      "two attributes are seen together in about %.2g of %.0f blocks, and below some %d little is learned "
      "of how they go together: take smaller blocks (option block) or a larger K",
      pairs, blocks, SCANT_PAIRS_FEWEST);
}

/* What the theorems assume of the settings. */
void scant_fit_note_settings(scant_fit *f) {
  const scant_settings *s = &f->terms.settings;
  int multiplicative = f->learner->update && f->learner->update->multiplicative;
  double least = multiplicative ? log(2 * (double)f->learner->dimension) : 0; /* [HK12, thm 3.4] */
  f->has_theorem = f->learner->parts->theorem;
  if (!f->has_theorem) {
    note_pairs(f);
    return;
  }
  if (s->learning.loss == SCANT_LOSS_INSENSITIVE && s->learning.tube > s->learning.radius)
    scant_error_write(&f->warning, "tube %g is beyond radius %g, so the theorem's bound does not hold",
                      s->learning.tube, s->learning.radius);
  else if (f->terms.horizon && (double)f->learner->looks.horizon < least) /* a block makes one step */
    scant_error_write(&f->warning, "%llu %s%s fewer than log(2d) = %.1f, so the theorem's bound does not hold",
                      (unsigned long long)f->learner->looks.horizon, s->learning.block > 1 ? "block" : "example",
                      f->learner->looks.horizon == 1 ? " is" : "s are", least);
}

/* The theorems assume |x|_2 <= 1 (or |x_i| <= 1, in the 1-norm ball) after x-bound, and |y| <=
 * B.  Only values that were bought can be checked; coinflip has no theorem. */
static void note_values(scant_fit *f, size_t row, const scant_look *look, const double *values) {
  double norm = 0, bound = f->terms.settings.learning.x_bound;
  for (uint32_t i = 0; i < look->count; i++) {
    if (isnan(values[i])) continue;
    norm = scant_learner_norm(f->learner) == SCANT_NORM_2 ? hypot(norm, values[i]) : fabs(values[i]);
    if (norm <= bound) continue;
    char where[SCANT_ERROR_LENGTH / 2];
    int alone = fabs(values[i]) > bound;
    scant_source_where(f->source, row, alone ? look->attributes[i] : SCANT_WHOLE_ROW, where, sizeof where);
    scant_error_write(&f->warning, "%s: %s%.9g is beyond x-bound %g, so the theorem's bound does not hold", where,
                      alone ? "" : "the norm of what was bought there: ", alone ? values[i] : norm, bound);
    return;
  }
}

void scant_fit_note_bounds(scant_fit *f, size_t row, const scant_look *look, const double *values, double y) {
  const scant_settings *s = &f->terms.settings;
  if (f->warning.text[0] || !f->has_theorem) return;
  /* values well within the bound of the 2-norm are within any */
  int within = scant_lanes_dot(look->count, values, values) < 0.999 * s->learning.x_bound * s->learning.x_bound;
  if (!within) note_values(f, row, look, values);
  if (f->warning.text[0] || fabs(y) <= s->learning.radius) return;
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(f->source, row, SCANT_WHOLE_ROW, where, sizeof where);
  scant_error_write(&f->warning, "%s: the target %g is beyond radius %g, so the theorem's bound does not hold", where,
                    y, s->learning.radius);
}
