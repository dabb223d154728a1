/* Fitting a source: a loop over ask, the meter, and tell. */
#include "fit/fit.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "data/sentence.h"
#include "learn/learner.h"

/* ---- values on their way -------------------------------------------------- */

#define FEW_TO_SEND_FOR 16

/* With fewer attributes the learner's data are in the cache anyway. */
#define DIMENSION_CACHED 32768

/* Prefetches one quarter (number `part`) of the values of the look that is furthest ahead, or all if they are
 * few.  Memory serves only so many requests at once, so they are spread out. */
static void send_for(const scant_fit *f, uint32_t part) {
  size_t ahead, d = scant_source_dimension(f->source);
  int few = f->settings.learning.k < FEW_TO_SEND_FOR;
  const scant_look *look = part && few ? NULL : scant_ahead_last(&f->ahead, &ahead);
  if (!look) return;
  uint32_t first = look->count * part / 4, end = few ? look->count : look->count * (part + 1) / 4;
  scant_source_expect(f->source, (size_t)f->rows[f->position + ahead], end - first, look->attributes + first);
  if (d < DIMENSION_CACHED) return;
  scant_learner_expect(f->learner, end - first, look->attributes + first);
  for (uint32_t i = first; i < end; i++) __builtin_prefetch(&f->meter->purchases[look->attributes[i]], 1);
}

/* ---- the loop ---------------------------------------------------------- */

scant_status scant_fit_buy(scant_fit *fit, size_t row, const scant_look *look, double *values, double *y,
                           scant_error *error) {
  scant_fit *f = fit;
  uint64_t examples = f->meter->ledger.examples;
  scant_error inner;
  inner.text[0] = 0;
  scant_status status = scant_meter_buy(f->meter, row, look, values, y, &inner);
  if (status == SCANT_OK && f->looks) status = scant_fit_keep_look(f, row, look, values, *y, &inner);
  if (status == SCANT_OK && f->on_purchase) status = f->on_purchase(f->on_purchase_user, row, look, values, *y, &inner);
  if (status == SCANT_OK) scant_fit_keep(f, row, look, values, *y);
  if (status == SCANT_OK) return status;
  if (f->meter->ledger.examples != examples && status != SCANT_SPENT) {
    f->failed = status;
    f->failure = inner;
  }
  return scant_fail(error, status, "%s", inner.text);
}

/* Buys what a look asks for, and learns from it. */
static scant_status learn_look(scant_fit *f, size_t row, const scant_look *look, scant_error *error) {
  double y;
  scant_step step;
  scant_error inner;
  send_for(f, 0);
  if (look->count > f->values_room && !scant_grow(&f->values, &f->values_room, look->count, sizeof *f->values))
    return scant_fail_memory(error);
  SCANT_TRY(scant_fit_buy(f, row, look, f->values, &y, error));
  send_for(f, 1);
  scant_status status = scant_learner_prepare(f->learner, look, f->values, y, &step, &inner);
  if (status != SCANT_OK) return scant_fit_fail(f, status, &inner, error);
  send_for(f, 2);
  scant_learner_commit(f->learner, look, f->values, y, &step);
  send_for(f, 3);
  scant_fit_note_bounds(f, row, look, y);
  return SCANT_OK;
}

/* One example, or nothing: after a failed read the next try draws the same
 * look.  What was bought and can't be learned from stays in the ledger, and the
 * fit does not go on: another try would buy it again. */
static scant_status learn_one(void *fit, scant_error *error) {
  scant_fit *f = fit;
  const scant_look *look;
  SCANT_TRY(scant_ahead_ask(&f->ahead, f->train_count - f->position, &look, error));
  scant_status status = learn_look(f, (size_t)f->rows[f->position], look, error);
  if (status == SCANT_OK)
    scant_ahead_tell(&f->ahead);
  else
    scant_ahead_take_back(&f->ahead);
  return status;
}

void scant_fit_next(scant_fit *fit) {
  if (++fit->position < fit->train_count) return;
  if (fit->pass + 1 < fit->settings.learning.passes)
    scant_fit_start_pass(fit, fit->pass + 1);
  else
    fit->finished = 1;
}

scant_status scant_fit_fail(scant_fit *fit, scant_status status, const scant_error *inner, scant_error *error) {
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(fit->source, (size_t)fit->rows[fit->position], SCANT_WHOLE_ROW, where, sizeof where);
  scant_error_write(&fit->failure, "%s: %.240s", where, inner->text);
  fit->failed = status;
  fit->meter->ledger.refused_examples++;
  return scant_fail(error, status, "%s", fit->failure.text);
}

scant_status scant_fit_advance(scant_fit *fit, uint64_t examples, int *done, scant_error *error) {
  scant_status status = scant_fit_loop(fit, learn_one, fit, examples, done, error);
  scant_ahead_forget(
      &fit->ahead); /* from here on the learner is as it is between two examples, without looks drawn ahead */
  return status;
}

scant_status scant_fit_loop(scant_fit *fit, scant_fit_step *learn, void *learner, uint64_t examples, int *done,
                            scant_error *error) {
  scant_fit *f = fit;
  if (f->failed) return scant_fail(error, f->failed, "%s", f->failure.text);
  for (; !f->finished && examples > 0; examples--) {
    uint64_t bought_from = f->meter->ledger.examples;
    scant_status status = learn(learner, error);
    if (status == SCANT_SPENT) {
      f->finished = f->spent = 1;
      f->position += f->meter->ledger.examples != bought_from; /* the limit was met within an example */
      break;
    }
    if (status != SCANT_OK) return status;
    scant_fit_next(f);
  }
  *done = f->finished;
  return SCANT_OK;
}

/* ---- facts ------------------------------------------------------------- */

uint64_t scant_fit_horizon(const scant_fit *fit) {
  return fit->horizon;
}

int scant_fit_budget_spent(const scant_fit *fit) {
  return fit->spent;
}

const scant_ledger *scant_fit_ledger(const scant_fit *fit) {
  return scant_meter_ledger(fit->meter);
}

void scant_fit_watch_purchases(scant_fit *fit, scant_on_purchase *function, void *user) {
  fit->on_purchase = function;
  fit->on_purchase_user = user;
}

const scant_learner *scant_fit_learner(const scant_fit *fit) {
  return fit->learner;
}

void scant_fit_get_facts(const scant_fit *fit, scant_learner_facts *facts) {
  scant_learner_get_facts(fit->learner, facts);
}

const scant_settings *scant_fit_settings(const scant_fit *fit) {
  return &fit->settings;
}

const char *scant_fit_choice(const scant_fit *fit) {
  return fit->choice.text[0] ? fit->choice.text : NULL;
}

const uint64_t *scant_fit_held_out(const scant_fit *fit, size_t *count) {
  *count = fit->test_count;
  return fit->rows + fit->test_start;
}

const char *scant_fit_warning(const scant_fit *fit) {
  return fit->warning.text[0] ? fit->warning.text : NULL;
}

enum { PURCHASES_TO_TELL = 10 };

int scant_fit_missing_warning(const scant_fit *fit, scant_error *warning) {
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
  scant_error_write(warning, "attribute %.*s was bought %llu times and never had a value%s",
                    scant_text_clip(name, strlen(name)), name, (unsigned long long)m->purchases[first], more);
  return 1;
}
