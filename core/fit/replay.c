/* Standard errors from the purchases of a fit: one purchase, many learners. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "fit/fit.h"
#include "fit/transcript.h"
#include "learn/learner.h"
#include "scant_engine.h"
#include "model/errors.h"
#include "model/model.h"

/* ---- learners that miss a group --------------------------------------------------- */

enum { EXAMPLES_BETWEEN = 512 }; /* two questions whether to stop */

typedef struct {
  const scant_transcript *transcript;
  size_t count; /* purchases that are told: the first ones */
  const scant_learner *full;
  scant_settings settings;
  const scant_engine *engines[2];
  scant_thinking thinking;
  double *w; /* of each group, one after another */
  double intercept[SCANT_ERROR_GROUPS], risk[SCANT_ERROR_GROUPS];
} replay;

/* The settings of the full learner, on one thread.  What it chose of its purchases, the others do not choose anew: they
 * show how its regressor varies with these settings. */
static void take_settings(replay *r, scant_learner *full) {
  scant_learner_facts facts;
  scant_learner_get_facts(full, &facts);
  r->settings = full->settings;
  r->settings.runtime.threads = 1;
  r->settings.runtime.watch = NULL;
  r->engines[0] = full->engine;
  r->settings.runtime.engines = r->engines;
  if (full->engine && isfinite(facts.penalty)) r->settings.learning.penalty = facts.penalty;
}

scant_status scant_transcript_learner(scant_learner **learner, const scant_settings *settings,
                                      const scant_learner *like, scant_error *error) {
  const scant_prices *prices = scant_learner_prices(like);
  const unsigned char *barred = like->looks.barred;
  scant_learner *l = NULL;
  scant_terms terms;
  const scant_extent extent = {.dimension = like->dimension, .examples = like->horizon};
  SCANT_TRY(scant_terms_recall(&terms, settings, &extent, error));
  SCANT_TRY(scant_learner_of_terms(&l, &terms, error));
  scant_status status = barred ? scant_learner_bar(l, barred, error) : SCANT_OK;
  if (status == SCANT_OK && prices) status = scant_learner_price(l, prices, error);
  if (status == SCANT_OK)
    *learner = l;
  else
    scant_learner_free(l);
  return status;
}

size_t scant_transcript_rows(const scant_transcript *transcript, size_t index, size_t count) {
  size_t end = index;
  while (end < count && transcript->one[end].block == transcript->one[index].block) end++;
  return end - index;
}

void scant_transcript_room_free(scant_transcript_room *room) {
  free(room->values);
  free(room->y);
  *room = (scant_transcript_room){0};
}

/* Copies the rows that are told.  All rows of a block have one look, so they have equally many values. */
static size_t gather(const scant_transcript *k, size_t index, size_t rows, unsigned without,
                     scant_transcript_room *room) {
  size_t count = k->one[index].count, told = 0;
  for (size_t i = index; i < index + rows; i++) {
    if (k->one[i].group == without) continue;
    if (count) memcpy(room->values + told * count, k->value + k->one[i].first, count * sizeof *room->values);
    room->y[told++] = k->one[i].y;
  }
  return told;
}

/* The law turns for a learner that does not see the first purchase after it, too. */
scant_status scant_transcript_tell(const scant_transcript *transcript, size_t index, size_t rows, unsigned without,
                                   scant_learner *learner, scant_look *look, scant_transcript_room *room, size_t *told,
                                   scant_error *error) {
  const scant_transcript_one *one = &transcript->one[index];
  const unsigned char *left_out = transcript->left_out ? transcript->left_out + one->first : NULL;
  scant_learner *l = learner;
  scant_look drawn;
  if (!scant_grow(&room->values, &room->values_room, rows * one->count, sizeof *room->values) ||
      !scant_grow(&room->y, &room->y_room, rows, sizeof *room->y))
    return scant_fail_memory(error);
  if (one->turned) SCANT_TRY(scant_engine_turn(l, error));
  size_t count = gather(transcript, index, rows, without, room);
  if (told) *told = count;
  if (!count) return SCANT_OK;
  scant_transcript_look(transcript, index, &drawn);
  SCANT_TRY(scant_learner_adopt(l, &drawn, look, error));
  return scant_learner_tell_given_block(l, look, left_out, count, room->values, room->y, error);
}

static scant_status tell_all(replay *r, size_t group, scant_learner *l, scant_look *look, scant_error *error) {
  const scant_transcript *k = r->transcript;
  scant_transcript_room room = {0};
  scant_status status = SCANT_OK;
  size_t since = 0, told = 0, rows;
  for (size_t i = 0; status == SCANT_OK && i < r->count; i += rows) {
    rows = scant_transcript_rows(k, i, r->count);
    status = scant_transcript_tell(k, i, rows, (unsigned)group, l, look, &room, &told, error);
    if (status != SCANT_OK || (since += told) < EXAMPLES_BETWEEN) continue;
    if (scant_thinking_step(&r->thinking, (unsigned)since)) break;
    since = 0;
  }
  scant_transcript_room_free(&room);
  SCANT_TRY(status);
  if (scant_thinking_stopped(&r->thinking)) return scant_fail(error, SCANT_STOPPED, "stopped while errors were made");
  return scant_learner_finish(l, error);
}

static scant_status leave_out(void *user, size_t group, scant_error *error) {
  replay *r = user;
  scant_learner *l = NULL;
  scant_look *look = NULL;
  scant_thinking_group(&r->thinking, (unsigned)group + 1, SCANT_ERROR_GROUPS);
  scant_status status = scant_transcript_learner(&l, &r->settings, r->full, error);
  if (status == SCANT_OK) status = scant_look_new(&look, l, error);
  if (status == SCANT_OK) status = tell_all(r, group, l, look, error);
  if (status == SCANT_OK) {
    scant_learner_facts facts;
    scant_learner_get_facts(l, &facts);
    scant_learner_weights(l, r->w + group * l->dimension, &r->intercept[group]);
    r->risk[group] = facts.risk;
  }
  scant_look_free(look);
  scant_learner_free(l);
  return status;
}

static scant_status leave_each_out(replay *r, scant_error *error) {
  const scant_runtime *runtime = &r->full->settings.runtime;
  r->w = scant_array(SCANT_ERROR_GROUPS * r->full->dimension, sizeof *r->w);
  if (!r->w) return scant_fail_memory(error);
  scant_thinking_begin(&r->thinking, runtime, r->full->parts->words.name, 1);
  scant_status status = scant_jobs_run(SCANT_ERROR_GROUPS, runtime->threads, leave_out, r, error);
  scant_thinking_end(&r->thinking);
  return status;
}

scant_status scant_transcript_leave_out(const scant_transcript *transcript, size_t count, scant_learner *learner,
                                        double *w, scant_error *error) {
  replay r = {.transcript = transcript, .count = count, .full = learner};
  size_t d = learner->dimension;
  take_settings(&r, learner);
  scant_status status = leave_each_out(&r, error);
  for (size_t g = 0; status == SCANT_OK && g < SCANT_ERROR_GROUPS; g++) {
    memcpy(w + g * (d + 1), r.w + g * d, d * sizeof *w);
    w[g * (d + 1) + d] = r.intercept[g];
  }
  free(r.w);
  return status;
}

/* ---- errors ------------------------------------------------------------------------ */

static scant_status make_errors(const replay *r, scant_model *model, scant_error *error) {
  scant_jackknife jackknife;
  scant_learner_facts facts;
  size_t d = r->full->dimension;
  scant_learner_get_facts(r->full, &facts);
  if (!scant_jackknife_new(&jackknife, d)) return scant_fail_memory(error);
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++)
    scant_jackknife_add(&jackknife, r->w + g * d, r->intercept[g], r->risk[g]);
  scant_status status = scant_jackknife_finish(&jackknife, facts.risk, facts.risk_error, model, error);
  scant_jackknife_free(&jackknife);
  return status;
}

static void count_pairs(const scant_transcript *k, scant_pair_counts *pairs) {
  for (size_t i = 0; i < k->count; i++)
    scant_pair_counts_add(pairs, k->one[i].count, k->attribute + k->one[i].first, k->value + k->one[i].first);
}

static scant_status errors_of_transcript(const scant_transcript *transcript, scant_learner *learner, scant_model *model,
                                         scant_error *error) {
  if (transcript->dropped)
    return scant_fail(error, SCANT_MEMORY, "out of memory for the purchases, so there are no errors");
  replay r = {.transcript = transcript, .count = transcript->count, .full = learner};
  scant_pair_counts pairs = {0};
  SCANT_TRY(scant_learner_finish(learner, error));
  take_settings(&r, learner);
  scant_status status = scant_pair_counts_new(&pairs, learner->dimension) ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = leave_each_out(&r, error);
  if (status == SCANT_OK) status = make_errors(&r, model, error);
  if (status == SCANT_OK) {
    count_pairs(transcript, &pairs);
    scant_pair_counts_finish(&pairs, model);
  }
  scant_pair_counts_free(&pairs);
  free(r.w);
  return status;
}

scant_status scant_learner_check_errors(const scant_learner *learner, scant_error *error) {
  const scant_engine *engine = learner->engine;
  int can = learner->looks.kind->in_items || (engine && (engine->errors || engine->law));
  SCANT_TRY(scant_errors_check_blocks(learner->told, 1, error));
  if (can) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "%s has no errors; auto, ridge, lasso, svr, gaussian and moments have",
                    learner->parts->words.name);
}

scant_status scant_learner_errors(scant_learner *learner, const scant_transcript *transcript, scant_model *model,
                                  scant_error *error) {
  const scant_engine *engine = learner->engine;
  if (engine && engine->errors) return scant_errors_by_engine(learner, model, error);
  if (!transcript)
    return scant_fail(error, SCANT_MISUSE, "errors of %s need a transcript of its purchases",
                      learner->parts->words.name);
  return errors_of_transcript(transcript, learner, model, error);
}

/* ---- of a fit ----------------------------------------------------------------------- */

scant_status scant_fit_start_errors(scant_fit *fit, scant_error *error) {
  scant_fit *f = fit;
  if (!f->terms.settings.run.errors) return SCANT_OK;
  uint64_t rows = f->terms.settings.learning.block, blocks = (f->train_count + rows - 1) / rows;
  if (!f->stream) SCANT_TRY(scant_errors_check_blocks(blocks, rows, error));
  if (f->unpenalised) SCANT_TRY(scant_unpenalised_set(f->learner, f->unpenalised, error));
  if (f->learner->engine && f->learner->engine->errors) return SCANT_OK; /* it keeps its answers by itself */
  double gib = f->terms.settings.runtime.memory, looks = fmax(f->learner->looks.expected_draws, 2);
  double needed = scant_transcript_bytes(looks) * (double)f->terms.horizon / 0x1p30;
  if (needed > gib)
    return scant_fail(error, SCANT_DATA,
                      "errors of %s keep about %.3g GiB of purchases, and option memory allows %g: give more",
                      f->learner->parts->words.name, needed, gib);
  return scant_transcript_new(&f->transcript, gib, error);
}

scant_status scant_fit_keep_unpenalised(scant_fit *fit, const scant_model *model, scant_error *error) {
  if (!model->unpenalised) return SCANT_OK;
  fit->terms.settings.run.errors = 1;
  return scant_unpenalised_set(fit->learner, model->unpenalised, error);
}

/* An example is in the same group in every pass.  Those of a block are in one group, by the first pass. */
void scant_fit_keep(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y) {
  scant_fit *f = fit;
  if (!f->transcript) return;
  uint64_t block = f->terms.settings.learning.block > 1 ? f->block : f->meter->ledger.examples - 1;
  unsigned group = (unsigned)(block % SCANT_ERROR_GROUPS);
  if (f->terms.settings.learning.passes > 1) {
    if (!scant_grow(&f->row_group, &f->row_group_room, row + 1, sizeof *f->row_group)) {
      scant_transcript_drop(f->transcript);
      return;
    }
    if (f->pass)
      group = f->row_group[row];
    else
      f->row_group[row] = (unsigned char)group;
  }
  scant_transcript_add_to(f->transcript, f->learner, block, group, look, NULL, values, y);
}

static scant_status check_model(const scant_fit *f, const scant_model *m, scant_error *error) {
  if (f->failed) return scant_fail(error, SCANT_MISUSE, "a fit that failed has no errors");
  if (m->dimension != f->learner->dimension || memcmp(&m->ledger, &f->meter->ledger, sizeof m->ledger) != 0)
    return scant_fail(error, SCANT_MISUSE, "the model is not of the fit as it stands");
  uint64_t rows = f->terms.settings.learning.block, seen = (f->meter->ledger.distinct_examples + rows - 1) / rows;
  return scant_errors_check_blocks(seen < f->learner->block ? seen : f->learner->block, rows, error);
}

scant_status scant_fit_errors_with(const scant_fit *fit, scant_learner *learner, scant_model *model,
                                   scant_error *error) {
  SCANT_TRY(check_model(fit, model, error));
  if (!fit->transcript && !(learner->engine && learner->engine->errors))
    return scant_fail(error, SCANT_MISUSE, "errors of %s need the option errors from the beginning of the fit",
                      learner->parts->words.name);
  return scant_learner_errors(learner, fit->transcript, model, error);
}

scant_status scant_fit_errors(const scant_fit *fit, scant_model *model, scant_error *error) {
  return scant_fit_errors_with(fit, fit->learner, model, error);
}
