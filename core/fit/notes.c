/* Sentences about a fit, and the bounds that theorems assume. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scant_base.h"
#include "base/lanes.h"
#include "data/sentence.h"
#include "fit/fit.h"
#include "learn/learner.h"

/* ---- bounds: a fit warns of the first setting or value that is outside ---------------- */

/* A dense algorithm learns how two attributes go together from blocks in which both were bought. */
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

/* ---- sentences ----------------------------------------------------------------------- */

enum { PURCHASES_TO_TELL = 10 };

/* An attribute was bought ten times or more and never had a value.  O(d). */
static int say_never_known(const scant_fit *fit, scant_error *sentence) {
  const scant_meter *m = fit->meter;
  size_t d = scant_source_dimension(fit->source), first = d, others = 0;
  for (size_t i = 0; i < d; i++) {
    if (m->purchases[i] < PURCHASES_TO_TELL || m->unknown[i] < m->purchases[i]) continue;
    if (first == d)
      first = i;
    else
      others++;
  }
  if (first == d) return 0;
  char number[32], more[64] = "";
  snprintf(number, sizeof number, "%zu", first + 1);
  const char *name = scant_source_name(fit->source, first);
  if (others) snprintf(more, sizeof more, ", nor had %zu other%s", others, others > 1 ? "s" : "");
  if (!name) name = number;
  scant_error_write(sentence, "attribute %.*s was bought %llu times and never had a value%s",
                    scant_text_clip(name, strlen(name)), name, (unsigned long long)m->purchases[first], more);
  return 1;
}

/* Weights that fill their ball are held back by it.  A ball in standard deviations (an algorithm without x-bound) is
 * not checked. */
static int say_full_ball(const scant_fit *fit, const scant_model *model, scant_error *sentence) {
  const scant_learning *s = &fit->terms.settings.learning;
  const scant_algorithm *a = &fit->terms.parts->words;
  double radius = scant_model_settings(model)->learning.radius, norm = 0;
  if (!scant_algorithm_takes(a, "radius") || !scant_algorithm_takes(a, "x-bound") || isnan(radius)) return 0;
  int of_1 = a->norm ? a->norm == 1 : s->norm == SCANT_NORM_1;
  for (size_t i = 0; i < fit->terms.dimension; i++) {
    double w = scant_model_weights(model)[i] * s->x_bound;
    norm = of_1 ? norm + fabs(w) : hypot(norm, w);
  }
  if (norm < 0.9 * radius) return 0;
  scant_error_write(sentence, "the weights fill the ball of radius %g: a larger radius may fit better", radius);
  return 1;
}

static int say_no_weights(const scant_fit *fit, const scant_model *model, scant_error *sentence) {
  const double *w = scant_model_weights(model);
  if (!scant_fit_ledger(fit)->examples) return 0;
  for (size_t i = 0; i < fit->terms.dimension; i++)
    if (w[i] != 0) return 0;
  scant_error_write(sentence,
                    "every weight is 0, so every prediction is the same: there were too few examples, or no attribute "
                    "varies with the target");
  return 1;
}

static int say_worse(const scant_fit *fit, const scant_learner_facts *facts, scant_error *sentence) {
  int loss = fit->terms.settings.learning.loss;
  if (loss == SCANT_LOSS_HINGE || loss == SCANT_LOSS_LOGISTIC) return 0;
  if (!(facts->target_variance > 0 && facts->risk - 3 * facts->risk_error > facts->target_variance)) return 0;
  scant_error_write(
      sentence,
      "the risk, %.4g +- %.2g, is above the variance of the target, %.4g: a constant predicts better; try other "
      "settings or the default algorithm",
      facts->risk, facts->risk_error, facts->target_variance);
  return 1;
}

static int say_shrunk(const scant_learner_facts *facts, scant_error *sentence) {
  if (!(facts->scale < 1)) return 0;
  scant_error_write(
      sentence,
      "the weights are %.2g times what was learned: by the fit's own estimate, all of it would not surely "
      "predict better than the mean",
      facts->scale);
  return 1;
}

int scant_fit_say(const scant_fit *fit, const scant_model *model, scant_fit_note note, scant_error *sentence) {
  scant_learner_facts facts;
  scant_fit_get_facts(fit, &facts);
  switch (note) {
    case SCANT_FIT_THEOREM:
      if (fit->warning.text[0]) scant_error_write(sentence, "%s", fit->warning.text);
      return fit->warning.text[0] != 0;
    case SCANT_FIT_NEVER_KNOWN:
      return say_never_known(fit, sentence);
    case SCANT_FIT_FULL_BALL:
      return model && say_full_ball(fit, model, sentence);
    case SCANT_FIT_UNPAID:
      if (scant_fit_ledger(fit)->examples) return 0;
      scant_error_write(sentence, "the budget does not pay for one example: nothing was learned");
      return 1;
    case SCANT_FIT_NO_WEIGHTS:
      return model && say_no_weights(fit, model, sentence);
    case SCANT_FIT_WORSE:
      return model && say_worse(fit, &facts, sentence);
    case SCANT_FIT_SHRUNK:
      return model && say_shrunk(&facts, sentence);
    case SCANT_FIT_NOTES:
    default:
      return 0;
  }
}
