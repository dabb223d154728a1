/* Fitting a source: a loop over ask, the meter, and tell. */
#include "fit/fit.h"

#include <stdlib.h>

#include "scant_base.h"
#include "learn/learner.h"
#include "model/model.h"

/* ---- prefetching -------------------------------------------------- */

#define FEW_ATTRIBUTES 16

/* With fewer attributes the learner's data are in the cache anyway. */
#define DIMENSION_CACHED 32768

/* Prefetches one quarter (number `part`) of the values of the look that is furthest ahead, or all if they are few:
 * memory serves only so many requests at once.  The rows of a block are prefetched one by one. */
static void prefetch(const scant_fit *f, uint32_t part) {
  size_t ahead, d = scant_source_dimension(f->source);
  int few = f->terms.settings.learning.k < FEW_ATTRIBUTES;
  int block = f->terms.settings.learning.block > 1;
  const scant_look *look = block || (part && few) ? NULL : scant_ahead_last(&f->ahead, &ahead);
  if (!look) return;
  uint32_t first = look->count * part / 4, end = few ? look->count : look->count * (part + 1) / 4;
  scant_source_expect(f->source, (size_t)f->rows[f->position + ahead], end - first, look->attributes + first);
  if (d < DIMENSION_CACHED) return;
  scant_learner_expect(f->learner, end - first, look->attributes + first);
  for (uint32_t i = first; i < end; i++) __builtin_prefetch(&f->meter->purchases[look->attributes[i]], 1);
}

/* ---- the loop ---------------------------------------------------------- */

/* Buys an example.  One that was read and can't be learned from is paid all the same and ends the fit: another try
 * would buy it again. */
static scant_status buy(scant_fit *f, size_t row, const scant_look *look, double *values, double *y,
                        scant_error *error) {
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

scant_status scant_fit_buy_block(scant_fit *fit, scant_learner *learner, const scant_look *look, size_t position,
                                 scant_fit_rows *bought, int *lost, scant_error *error) {
  const uint64_t *order = fit->rows + position;
  uint64_t left = fit->train_count - position, block = fit->terms.settings.learning.block;
  size_t rows = (size_t)(block < left ? block : left);
  bought->count = 0;
  *lost = -1;
  if (!scant_fit_rows_reserve(bought, rows, look->count)) return scant_fail_memory(error);
  for (; bought->count < rows; bought->count++) {
    size_t r = bought->count;
    double *values = bought->values + r * look->count;
    SCANT_TRY(buy(fit, (size_t)order[r], look, values, &bought->y[r], error));
    if (rows == 1) continue;
    if (r + 1 < rows) scant_source_expect(fit->source, (size_t)order[r + 1], look->count, look->attributes);
    scant_status status = scant_learner_check(learner, look, values, bought->y[r], error);
    if (status == SCANT_OK) continue;
    *lost = scant_learner_takes_row(learner, look, values);
    return status;
  }
  return SCANT_OK;
}

/* Learns from the rows of a block, the first of them at the current position. */
static scant_status learn_rows(scant_fit *f, const scant_look *look, scant_error *error) {
  const scant_fit_rows *b = &f->bought;
  scant_step step;
  scant_error inner;
  prefetch(f, 1);
  scant_status status = scant_learner_prepare_block(f->learner, look, b->count, b->values, b->y, &step, &inner);
  if (status != SCANT_OK) {
    size_t lost = scant_learner_takes_rows(f->learner, look, b->count, b->values);
    return scant_fit_fail(f, f->position, lost, status, &inner, error);
  }
  prefetch(f, 2);
  scant_learner_commit_block(f->learner, look, b->count, b->values, b->y, &step);
  prefetch(f, 3);
  for (size_t r = 0; r < b->count; r++)
    scant_fit_note_bounds(f, (size_t)f->rows[f->position + r], look, b->values + r * look->count, b->y[r]);
  f->block++;
  return SCANT_OK;
}

/* Buys the rows of a block, and learns from them: from those before the first that can't be had, too.  *told says how
 * many rows these are. */
static scant_status learn_look(scant_fit *f, const scant_look *look, size_t *told, scant_error *error) {
  int lost;
  scant_error inner;
  inner.text[0] = 0;
  prefetch(f, 0);
  scant_status bought = scant_fit_buy_block(f, f->learner, look, f->position, &f->bought, &lost, &inner);
  size_t count = f->bought.count;
  if (lost >= 0)
    bought = scant_fit_fail(f, f->position + count, (size_t)lost, bought, &inner, error);
  else if (bought != SCANT_OK)
    scant_error_write(error, "%s", inner.text);
  if (!count) return bought;
  scant_status status = learn_rows(f, look, &inner);
  if (status != SCANT_OK) return scant_fail(error, status, "%s", inner.text);
  *told = count;
  return bought;
}

/* Blocks that are left in this pass. */
static size_t blocks_left(const scant_fit *f) {
  uint64_t left = f->train_count - f->position, size = f->terms.settings.learning.block;
  return (size_t)(left / size + (left % size > 0));
}

/* One block, by default one example, or nothing: after a failed read the next try draws the same look.  An example
 * that was bought and can't be learned from stays in the ledger and ends the fit. */
static scant_status learn_one(scant_fit *f, scant_error *error) {
  const scant_look *look;
  size_t told = 0;
  SCANT_TRY(scant_ahead_ask(&f->ahead, blocks_left(f), &look, error));
  scant_status status = learn_look(f, look, &told, error);
  if (told)
    scant_ahead_tell(&f->ahead);
  else
    scant_ahead_take_back(&f->ahead);
  if (status == SCANT_OK) f->position += told - 1; /* the loop goes to the next one */
  if (status != SCANT_OK && status != SCANT_SPENT) f->position += told;
  return status;
}

void scant_fit_next(scant_fit *fit) {
  if (++fit->position < fit->train_count) return;
  if (fit->pass + 1 < fit->terms.settings.learning.passes)
    scant_fit_start_pass(fit, fit->pass + 1);
  else
    fit->finished = 1;
}

scant_status scant_fit_fail(scant_fit *fit, size_t position, size_t lost, scant_status status, const scant_error *inner,
                            scant_error *error) {
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(fit->source, (size_t)fit->rows[position], SCANT_WHOLE_ROW, where, sizeof where);
  scant_error_write(&fit->failure, "%s: %.240s", where, inner->text);
  fit->failed = status;
  fit->meter->ledger.refused_examples += lost;
  return scant_fail(error, status, "%s", fit->failure.text);
}

static scant_status advance(scant_fit *f, uint64_t examples, scant_error *error) {
  while (!f->finished && examples > 0) {
    uint64_t before = f->meter->ledger.examples;
    scant_status status = learn_one(f, error);
    uint64_t bought = f->meter->ledger.examples - before;
    if (status == SCANT_SPENT) {
      f->finished = f->spent = 1;
      f->position += (size_t)bought; /* the limit was met within a block, or within an example */
      return SCANT_OK;
    }
    if (status != SCANT_OK) return status;
    examples -= bought < examples ? bought : examples; /* a block is never cut */
    scant_fit_next(f);
  }
  return SCANT_OK;
}

scant_status scant_fit_advance(scant_fit *fit, uint64_t examples, int *done, scant_error *error) {
  if (fit->failed) return scant_fail(error, fit->failed, "%s", fit->failure.text);
  scant_status status = advance(fit, examples, error);
  scant_ahead_forget(&fit->ahead); /* so that the learner is as between two examples, without looks drawn ahead */
  if (status == SCANT_OK) *done = fit->finished;
  return status;
}

/* ---- facts ------------------------------------------------------------- */

uint64_t scant_fit_horizon(const scant_fit *fit) {
  return fit->terms.horizon;
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
  return &fit->terms.settings;
}

const char *scant_fit_choice(const scant_fit *fit) {
  return fit->terms.choice.text[0] ? fit->terms.choice.text : NULL;
}

const uint64_t *scant_fit_held_out(const scant_fit *fit, size_t *count) {
  *count = fit->test_count;
  return fit->rows + fit->test_start;
}

/* ---- the model ------------------------------------------------------------- */

static scant_status copy_names(const scant_fit *f, scant_model *m, scant_error *error) {
  const char **names = scant_array(m->dimension, sizeof *names);
  if (!names) return scant_fail_memory(error);
  for (size_t i = 0; i < m->dimension; i++) names[i] = scant_source_name(f->source, i);
  int named = names[0] != NULL;
  scant_status status = scant_model_set_names(m, named ? names : NULL, scant_source_target_name(f->source), error);
  free(names);
  return status;
}

scant_status scant_fit_model(const scant_fit *fit, int checkpoint, scant_model **model, scant_error *error) {
  scant_model *m;
  if (checkpoint && fit->stream)
    return scant_fail(error, SCANT_MISUSE,
                      "examples that come source by source have no checkpoint: keep the model and the learner");
  SCANT_TRY(scant_model_of_learner(&m, fit->learner, &fit->terms.settings, fit->prices, &fit->meter->ledger,
                                   fit->meter->purchases, error));
  scant_status status = copy_names(fit, m, error);
  /* a fit that is resumed chooses it anew */
  if (checkpoint) m->settings.learning.radius = fit->terms.settings.learning.radius;
  if (status == SCANT_OK && checkpoint) status = scant_fit_save_checkpoint(fit, m, error);
  if (status != SCANT_OK) {
    scant_model_free(m);
    return status;
  }
  *model = m;
  return SCANT_OK;
}
