/* Fitting a source: a loop over ask, the meter, and tell. */
#include "fit/fit.h"

#include <stdio.h>
#include <string.h>

#include "scant_base.h"
#include "data/sentence.h"
#include "learn/learner.h"

/* ---- values on their way -------------------------------------------------- */

#define FEW_TO_SEND_FOR 16

/* With fewer attributes the learner's data are in the cache anyway. */
#define DIMENSION_CACHED 32768

/* Prefetches one quarter (number `part`) of the values of the look that is furthest ahead, or all if they are
 * few.  Memory serves only so many requests at once, so they are spread out.  The rows of a block send for one
 * another. */
static void send_for(const scant_fit *f, uint32_t part) {
  size_t ahead, d = scant_source_dimension(f->source);
  int few = f->terms.settings.learning.k < FEW_TO_SEND_FOR;
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

/* Learns from the rows of a block that were bought, the first of them at the position at hand. */
static scant_status learn_rows(scant_fit *f, const scant_look *look, size_t rows, scant_error *error) {
  scant_step step;
  scant_error inner;
  send_for(f, 1);
  scant_status status = scant_learner_prepare_block(f->learner, look, rows, f->values, f->targets, &step, &inner);
  if (status != SCANT_OK)
    return scant_fit_fail(f, scant_learner_takes_rows(f->learner, look, rows, f->values), status, &inner, error);
  send_for(f, 2);
  scant_learner_commit_block(f->learner, look, rows, f->values, f->targets, &step);
  send_for(f, 3);
  for (size_t r = 0; r < rows; r++)
    scant_fit_note_bounds(f, (size_t)f->rows[f->position + r], look, f->values + r * look->count, f->targets[r]);
  f->block++;
  return SCANT_OK;
}

/* Buys what a look asks for of row r of a block.  A row that can't be learned from is found here, before the next one
 * is bought; a single one is checked as it is learned. */
static scant_status buy_row(scant_fit *f, const scant_look *look, size_t rows, size_t r, scant_error *error) {
  double *values = f->values + r * look->count;
  scant_error inner;
  size_t first = f->position;
  SCANT_TRY(scant_fit_buy(f, (size_t)f->rows[first + r], look, values, &f->targets[r], error));
  if (rows == 1) return SCANT_OK;
  if (r + 1 < rows) scant_source_expect(f->source, (size_t)f->rows[first + r + 1], look->count, look->attributes);
  scant_status status = scant_learner_check(f->learner, look, values, f->targets[r], &inner);
  if (status == SCANT_OK) return SCANT_OK;
  f->position += r;
  status = scant_fit_fail(f, scant_learner_takes_rows(f->learner, look, 1, values), status, &inner, error);
  f->position = first;
  return status;
}

/* Buys the rows of a block, and learns from them.  A block ends early where a row can't be had: what was bought of it
 * is learned from as a shorter block, and *told says how many rows that are. */
static scant_status learn_look(scant_fit *f, const scant_look *look, size_t rows, size_t *told, scant_error *error) {
  scant_status bought = SCANT_OK;
  size_t count = 0;
  send_for(f, 0);
  if (!scant_grow(&f->values, &f->values_room, look->count * rows, sizeof *f->values) ||
      !scant_grow(&f->targets, &f->targets_room, rows, sizeof *f->targets))
    return scant_fail_memory(error);
  while (count < rows && bought == SCANT_OK) {
    bought = buy_row(f, look, rows, count, error);
    count += bought == SCANT_OK;
  }
  if (!count) return bought;
  scant_error inner;
  scant_status status = learn_rows(f, look, count, &inner);
  if (status != SCANT_OK) return scant_fail(error, status, "%s", inner.text);
  *told = count;
  return bought;
}

/* How many rows the next block has: it ends with the pass. */
static size_t block_rows(const scant_fit *f) {
  size_t left = f->train_count - f->position;
  return f->terms.settings.learning.block < left ? (size_t)f->terms.settings.learning.block : left;
}

/* Blocks that are left in this pass. */
static size_t blocks_left(const scant_fit *f) {
  uint64_t left = f->train_count - f->position, size = f->terms.settings.learning.block;
  return (size_t)(left / size + (left % size > 0));
}

/* One block, by default one example, or nothing: after a failed read the next try draws the
 * same look.  What was bought and can't be learned from stays in the ledger, and the
 * fit does not go on: another try would buy it again. */
static scant_status learn_one(void *fit, scant_error *error) {
  scant_fit *f = fit;
  const scant_look *look;
  size_t told = 0;
  SCANT_TRY(scant_ahead_ask(&f->ahead, blocks_left(f), &look, error));
  scant_status status = learn_look(f, look, block_rows(f), &told, error);
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

scant_status scant_fit_fail(scant_fit *fit, size_t rows, scant_status status, const scant_error *inner,
                            scant_error *error) {
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(fit->source, (size_t)fit->rows[fit->position], SCANT_WHOLE_ROW, where, sizeof where);
  scant_error_write(&fit->failure, "%s: %.240s", where, inner->text);
  fit->failed = status;
  fit->meter->ledger.refused_examples += rows;
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
  while (!f->finished && examples > 0) {
    uint64_t before = f->meter->ledger.examples;
    scant_status status = learn(learner, error);
    uint64_t bought = f->meter->ledger.examples - before;
    if (status == SCANT_SPENT) {
      f->finished = f->spent = 1;
      f->position += (size_t)bought; /* the limit was met within a block, or within an example */
      break;
    }
    if (status != SCANT_OK) return status;
    examples -= bought < examples ? bought : examples; /* a block is never cut */
    scant_fit_next(f);
  }
  *done = f->finished;
  return SCANT_OK;
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
