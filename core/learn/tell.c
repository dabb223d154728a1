/* Telling: from an answer to a step, in the order in which all algorithms of the table do it. */
#include <math.h>

#include "scant_base.h"
#include "base/lanes.h"
#include "estimate/gradient.h"
#include "learn/learner.h"

/* Values and steps beyond these would leave the range of a double when they are squared or multiplied. */
#define VALUE_MOST 1e100
#define STEP_MOST 1e100
#define RISK_MOST 1e150

static scant_status check_open(const scant_learner *l, const scant_look *look, scant_error *error) {
  if (look->learner != l->tag) return scant_fail(error, SCANT_MISUSE, "this look was asked for by another learner");
  if (scant_open_has(&l->open, look->serial)) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "look %llu is not open: it was told or cancelled before",
                    (unsigned long long)look->serial);
}

scant_status scant_learner_cancel(scant_learner *learner, const scant_look *look, scant_error *error) {
  SCANT_TRY(check_open(learner, look, error));
  scant_open_close(&learner->open, look->serial);
  return SCANT_OK;
}

static int is_left_out(const scant_learner *l, uint32_t place) {
  return l->left_out && l->left_out[place];
}

scant_status scant_learner_reopen(scant_learner *l, const scant_look *look, scant_error *error) {
  if (look->learner != l->tag) return scant_fail(error, SCANT_MISUSE, "this look was asked for by another learner");
  if (!look->serial || look->serial >= l->next_serial)
    return scant_fail(error, SCANT_MISUSE, "look %llu was never asked for", (unsigned long long)look->serial);
  if (scant_open_has(&l->open, look->serial))
    return scant_fail(error, SCANT_MISUSE, "look %llu is open", (unsigned long long)look->serial);
  SCANT_TRY(scant_learner_check_open(l, error));
  scant_open_again(&l->open, look->serial);
  return SCANT_OK;
}

/* The sentence for a value that can't be learned from, if there is one. */
static scant_status check_values(const scant_learner *l, const scant_look *look, const double *values,
                                 scant_error *error) {
  for (uint32_t i = 0; i < look->count; i++) {
    if (isnan(values[i]) && (l->settings.learning.missing != SCANT_MISSING_ERROR || is_left_out(l, i))) continue;
    if (!isfinite(values[i]))
      return scant_fail(error, SCANT_DATA, "the value of attribute %lu is not finite", look->attributes[i] + 1ul);
    if (fabs(values[i]) / l->settings.learning.x_bound > VALUE_MOST)
      return scant_fail(error, SCANT_DATA, "the value of attribute %lu overflows: %g divided by x-bound %g",
                        look->attributes[i] + 1ul, values[i], l->settings.learning.x_bound);
  }
  return SCANT_OK;
}

static int is_sound(const scant_learner *l, const scant_look *look, const double *values) {
  double most = VALUE_MOST * (l->settings.learning.x_bound < 1 ? l->settings.learning.x_bound : 1);
  return scant_lanes_within(look->count, values, most);
}

scant_status scant_learner_check(scant_learner *l, const scant_look *look, const double *values, double y,
                                 scant_error *error) {
  l->sound = is_sound(l, look, values);
  if (!l->sound) SCANT_TRY(check_values(l, look, values, error));
  if (!isfinite(y)) return scant_fail(error, SCANT_DATA, "the target is not finite");
  if (fabs(y) > VALUE_MOST) return scant_fail(error, SCANT_DATA, "the target overflows: %g", y);
  if (scant_loss_classifies(l->loss.loss) && fabs(y) != 1)
    return scant_fail(error, SCANT_DATA, "loss %s needs targets -1 and +1, not %g",
                      l->loss.loss == SCANT_LOSS_HINGE ? "hinge" : "logistic", y);
  return SCANT_OK;
}

/* Names the row of a block that can't be learned from. */
static scant_status check_rows(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                               const double *y, scant_error *error) {
  if (rows == 1) return scant_learner_check(l, look, values, *y, error);
  for (size_t r = 0; r < rows; r++) {
    scant_error inner;
    scant_status status = scant_learner_check(l, look, values + r * look->count, y[r], &inner);
    if (status != SCANT_OK) return scant_fail(error, status, "row %zu of the block: %.400s", r + 1, inner.text);
  }
  return SCANT_OK;
}

static int adapts(const scant_learner *l) {
  return isnan(l->eta) && !l->update->own_eta;
}

/* eta_t = 2B/sqrt(2 sum ||g||_2^2), or sqrt(log 2d / sum ||g||_inf^2). */
static double step_size(const scant_learner *l, double gradient_size) {
  if (!adapts(l)) return l->eta;
  if (!(gradient_size > 0)) return 0;
  if (l->update->norm == SCANT_NORM_2) return sqrt(2.0) * l->settings.learning.radius / gradient_size;
  return sqrt(log(2 * (double)l->dimension)) / gradient_size;
}

/* Squares of numbers between these are neither lost nor too large. */
static double norm_of(const double *g, uint32_t count, scant_norm dual_to) {
  double largest = scant_lanes_largest(count, g), size = 0;
  if (dual_to != SCANT_NORM_2) return largest;
  if (largest > 1e-140 && largest < 1e140) return sqrt(scant_lanes_dot(count, g, g));
  for (uint32_t i = 0; i < count; i++) size = hypot(size, g[i]);
  return size;
}

/* The weight in the average of the iterate that the block with this number, from 1, is about to move.  A block makes
 * one step, so steps are what averages, phases and step sizes count. */
static double average_weight(const scant_learner *l, uint64_t block) {
  if (l->looks.kind->phase && block <= l->looks.kind->phase(&l->looks)) return 0;
  int average = l->settings.learning.average;
  if (average == SCANT_AVERAGE_HALF) return block > l->looks.horizon / 2;
  if (average == SCANT_AVERAGE_LATE) return (double)block * (double)block;
  return average == SCANT_AVERAGE_ALL; /* else only the last one counts */
}

void scant_learner_take_eta(scant_learner *l) {
  if (!l->looks.kind->eta || !isnan(l->settings.learning.eta)) return;
  double eta = l->looks.kind->eta(&l->looks);
  if (!isnan(eta)) l->eta = eta;
}

int scant_learner_takes_row(scant_learner *learner, const scant_look *look, const double *values) {
  learner->sound = is_sound(learner, look, values);
  return !scant_learner_skips(learner, look, values);
}

size_t scant_learner_takes_rows(scant_learner *learner, const scant_look *look, size_t rows, const double *values) {
  size_t count = 0;
  for (size_t r = 0; r < rows; r++) count += (size_t)scant_learner_takes_row(learner, look, values + r * look->count);
  return count;
}

/* The moments take in every row, one after another.  Those of a single row were made with its gradient. */
static void note_rows(scant_learner *l, const scant_look *look, size_t rows, const double *values, const double *y) {
  if (rows == 1) {
    scant_learner_note(l, look, values, *y);
    return;
  }
  for (size_t r = 0; r < rows; r++, values += look->count) {
    if (!scant_learner_takes_row(l, look, values)) continue;
    scant_learner_units(l, look, values, l->x);
    scant_learner_note(l, look, values, y[r]);
  }
}

/* The rest of a round [HK12, Alg. 1, l. 13] [HK12, Alg. 2, l. 17]: averages are of w_t, or of the w after the update
 * [CSS11, AER, output]. */
static void learn(scant_learner *l, const scant_look *look, size_t rows, const double *values, const double *y,
                  const scant_step *step) {
  l->told += step->rows;
  l->block++;
  double weight = average_weight(l, l->block), eta = step->eta;
  if (weight > 0 && !l->update->average_updated) scant_iterate_count(&l->w, weight);
  if (look->count) l->update->step(&l->w, look->count, look->attributes, l->g, eta, l->block, l->shapes);
  if (l->own_intercept && look->count) { /* the last coordinate: an attribute that is always 1 */
    uint32_t intercept = (uint32_t)l->dimension;
    l->update->step(&l->w, 1, &intercept, &l->g[look->count], eta, l->block, l->shapes);
  }
  if (weight > 0 && l->update->average_updated) scant_iterate_count(&l->w, weight);
  note_rows(l, look, rows, values, y);
  if (l->looks.kind->follow) l->looks.kind->follow(&l->looks, look, l->block);
  scant_learner_take_eta(l);
}

/* Steps must stay finite when they are squared.  EG clips its steps itself. */
static scant_status check_step(const scant_learner *l, uint32_t count, double eta, scant_error *error) {
  if (l->update->own_eta) eta = l->update->own_eta(&l->w, l->block + 1);
  double most = l->update->multiplicative || eta < 1 ? STEP_MOST : STEP_MOST / eta;
  if (scant_lanes_within(count, l->g, most)) return SCANT_OK;
  for (uint32_t i = 0; i < count; i++) {
    if (!(fabs(l->g[i]) <= STEP_MOST))
      return scant_fail(error, SCANT_DATA, "the gradient overflows: divide the attributes by a larger x-bound");
    if (!l->update->multiplicative && !(fabs(eta * l->g[i]) <= STEP_MOST))
      return scant_fail(error, SCANT_DATA, "a step overflows: its size %g times a gradient of %g", eta, l->g[i]);
  }
  return SCANT_OK;
}

int scant_learner_skips(const scant_learner *learner, const scant_look *look, const double *values) {
  if (learner->settings.learning.missing != SCANT_MISSING_SKIP_EXAMPLE || learner->sound) return 0;
  for (uint32_t i = 0; i < look->count; i++)
    if (isnan(values[i]) && !is_left_out(learner, i)) return 1;
  return 0;
}

/* g [HK12, Alg. 1, l. 10] [HK12, Alg. 2, l. 11] and the risk. */
static double estimate(scant_learner *l, const scant_look *look, double target) {
  if (l->parts->gradient) return l->parts->gradient(l, look, l->x, target, l->g);
  scant_estimate_spread(look, l->x, l->g);
  double phi = l->parts->estimate(l, look, l->x, target), risk = l->parts->risk(look, l->x, l->g, target);
  scant_lanes_scale(look->count, l->g, phi); /* g~ = phi~ x~ */
  return risk;
}

/* Makes the gradient of a row, its risk, and what it says of the average.  It is made as if the row were the next
 * example alone: with w, means, limits, law and the target's mean of before the block, and with its own values.  So it
 * is a function of the row whatever the others are, as unbiased as that of an example that is told alone, and so is
 * the mean over the rows. */
static double make_row(scant_learner *l, const scant_look *look, const double *values, double y, double share,
                       scant_parabola_terms *terms) {
  double unit, target = scant_learner_target(l, look, y, &unit);
  scant_learner_units(l, look, values, l->x);
  double risk = estimate(l, look, target) * unit * unit;
  if (share > 0) *terms = scant_learner_terms(l, look, y, share);
  return risk;
}

/* Moves a mean toward one more value, of which `share` is its part: not at all if they are the same. */
static void move(double *mean, double x, double share) {
  *mean += (x - *mean) * share;
}

/* l->g, the risk and the terms become the means over the rows.  Blocks, not rows, are independent: the errors of the
 * risk and of the parabola are those of means of blocks, each of which counts once.  Means are moved from row to row,
 * since a sum that is divided is not to the bit what is repeated in it. */
static void mean_of_rows(scant_learner *l, const scant_look *look, size_t rows, const double *values, const double *y,
                         scant_step *step) {
  size_t entries = look->count + (size_t)l->own_intercept, taken = 0;
  scant_parabola_terms terms = {0, 0, 0};
  for (size_t r = 0; r < rows; r++, values += look->count) {
    if (!scant_learner_takes_row(l, look, values)) continue;
    double risk = make_row(l, look, values, y[r], step->share, &terms), share = 1 / (double)++taken;
    if (taken == 1) {
      step->risk = risk;
      step->terms = terms;
      for (size_t i = 0; i < entries; i++) l->mean_g[i] = l->g[i];
      continue;
    }
    move(&step->risk, risk, share);
    move(&step->terms.target, terms.target, share);
    move(&step->terms.product, terms.product, share);
    move(&step->terms.square, terms.square, share);
    for (size_t i = 0; i < entries; i++) move(&l->mean_g[i], l->g[i], share);
  }
  for (size_t i = 0; i < entries; i++) l->g[i] = l->mean_g[i];
}

scant_status scant_learner_prepare_block(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                                         const double *y, scant_step *step, scant_error *error) {
  *step = (scant_step){.size = l->gradient_size, .risk = NAN};
  SCANT_TRY(check_rows(l, look, rows, values, y, error));
  /* of a single row it is known already whether something is missing */
  step->rows = rows == 1 ? !scant_learner_skips(l, look, values) : scant_learner_takes_rows(l, look, rows, values);
  if (!step->rows) return scant_learner_cancel(l, look, error);
  if (!scant_learner_reserve(l, look->count + 1)) return scant_fail_memory(error);
  if (l->engine) return scant_engine_tell(l, look, rows, values, y, error);
  if (look->count) {
    double weight = l->judges_average ? average_weight(l, l->block + 1) : 0;
    step->share = weight > 0 ? weight / (l->w.averaged + weight) : 0;
    if (rows > 1)
      mean_of_rows(l, look, rows, values, y, step);
    else
      step->risk = make_row(l, look, values, *y, step->share, &step->terms);
    if (adapts(l)) step->size = hypot(step->size, norm_of(l->g, look->count, l->update->norm));
    step->eta = step_size(l, step->size);
    SCANT_TRY(check_step(l, look->count + (uint32_t)l->own_intercept, step->eta, error));
  }
  step->ready = 1;
  return SCANT_OK;
}

static int are_terms_sound(const scant_parabola_terms *terms) {
  return terms->target < RISK_MOST && fabs(terms->product) < RISK_MOST && fabs(terms->square) < RISK_MOST;
}

void scant_learner_commit_block(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                                const double *y, const scant_step *step) {
  if (!step->ready) return;
  l->gradient_size = step->size;
  /* An attribute without a mean yet takes no part, so early estimates are of a
   * poorer predictor than the one that will come out. */
  if (fabs(step->risk) < RISK_MOST) scant_risk_add(&l->risk, step->risk);
  if (step->share > 0 && are_terms_sound(&step->terms)) scant_parabola_add(&l->parabola, step->share, &step->terms);
  learn(l, look, rows, values, y, step);
  l->sound = 0;
  scant_open_close(&l->open, look->serial);
}

/* Learns from a look that was checked. */
static scant_status tell(scant_learner *learner, const scant_look *look, size_t rows, const double *values,
                         const double *y, scant_error *error) {
  scant_step step;
  scant_look room;
  SCANT_TRY(scant_learner_renew(learner, &look, &room, error));
  SCANT_TRY(scant_learner_prepare_block(learner, look, rows, values, y, &step, error));
  scant_learner_commit_block(learner, look, rows, values, y, &step);
  return SCANT_OK;
}

scant_status scant_learner_tell(scant_learner *learner, const scant_look *look, size_t count,
                                const uint32_t *attributes, const double *values, double y, scant_error *error) {
  SCANT_TRY(check_open(learner, look, error));
  SCANT_TRY(scant_look_check(look, &learner->looks, error));
  if (count != look->count)
    return scant_fail(error, SCANT_MISUSE, "the look asked for %u attributes, and %zu values were told", look->count,
                      count);
  for (uint32_t i = 0; attributes && i < look->count; i++)
    if (attributes[i] != look->attributes[i])
      return scant_fail(error, SCANT_MISUSE, "value %u is of attribute %u, but the look asked for attribute %u", i + 1,
                        attributes[i], look->attributes[i]);
  return tell(learner, look, 1, values, &y, error);
}

scant_status scant_learner_tell_block(scant_learner *learner, const scant_look *look, size_t rows, const double *values,
                                      const double *y, scant_error *error) {
  uint64_t most = learner->settings.learning.block;
  if (!rows) return scant_fail(error, SCANT_MISUSE, "a block has at least one row: cancel a look that has none");
  if (rows > most)
    return scant_fail(error, SCANT_MISUSE,
                      "a block of %zu rows was told, and option block says that it has at most %llu", rows,
                      (unsigned long long)most);
  SCANT_TRY(check_open(learner, look, error));
  SCANT_TRY(scant_look_check(look, &learner->looks, error));
  return tell(learner, look, rows, values, y, error);
}

scant_status scant_learner_tell_given_block(scant_learner *learner, const scant_look *look,
                                            const unsigned char *left_out, size_t rows, const double *values,
                                            const double *y, scant_error *error) {
  SCANT_TRY(check_open(learner, look, error));
  SCANT_TRY(scant_look_check_given(look, &learner->looks, error));
  learner->left_out = left_out;
  scant_status status = tell(learner, look, rows, values, y, error);
  learner->left_out = NULL;
  return status;
}

scant_status scant_learner_tell_given(scant_learner *learner, const scant_look *look, const unsigned char *left_out,
                                      const double *values, double y, scant_error *error) {
  return scant_learner_tell_given_block(learner, look, left_out, 1, values, &y, error);
}
