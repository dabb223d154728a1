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

typedef struct {
  const scant_transcript *transcript;
  size_t count; /* purchases that are told: the first ones */
  const scant_learner *full;
  scant_settings settings;
  scant_thinking thinking;
  double *w, *risk; /* of each group; risk may be NULL */
} replay;

static scant_status leave_out(void *user, size_t group, scant_error *error) {
  replay *r = user;
  scant_learner *l = NULL;
  scant_thinking_group(&r->thinking, (unsigned)group + 1, SCANT_ERROR_GROUPS);
  scant_status status = scant_transcript_learner(&l, &r->settings, r->full, error);
  if (status == SCANT_OK)
    status = scant_transcript_tell(r->transcript, r->count, (unsigned)group, l, &r->thinking, error);
  if (status == SCANT_OK) status = scant_learner_finish(l, error);
  if (status == SCANT_OK) {
    scant_learner_facts facts;
    double *w = r->w + group * (l->dimension + 1);
    scant_learner_get_facts(l, &facts);
    scant_learner_weights(l, w, w + l->dimension);
    if (r->risk) r->risk[group] = facts.risk;
  }
  scant_learner_free(l);
  return status;
}

/* The learners have the settings of the full one, on one thread.  Its choices from the purchases
 * are not made anew: they show how its regressor varies with these settings. */
scant_status scant_transcript_leave_out(const scant_transcript *transcript, size_t count, scant_learner *learner,
                                        double *w, double *risk, scant_error *error) {
  const scant_runtime *runtime = &learner->settings.runtime;
  const scant_engine *engines[2] = {learner->engine, NULL};
  replay r = {
      .transcript = transcript, .count = count, .full = learner, .settings = learner->settings, .w = w, .risk = risk};
  scant_learner_facts facts;
  scant_learner_get_facts(learner, &facts);
  r.settings.runtime.threads = 1;
  r.settings.runtime.watch = NULL;
  r.settings.runtime.engines = engines;
  if (learner->engine && isfinite(facts.penalty)) r.settings.learning.penalty = facts.penalty;
  scant_thinking_begin(&r.thinking, runtime, learner->parts->words.name, 1);
  scant_status status = scant_jobs_run(SCANT_ERROR_GROUPS, runtime->threads, leave_out, &r, error);
  scant_thinking_end(&r.thinking);
  return status;
}

/* ---- errors ------------------------------------------------------------------------ */

static scant_status make_errors(const scant_learner *learner, const double *w, const double *risk, scant_model *model,
                                scant_error *error) {
  scant_jackknife jackknife;
  scant_learner_facts facts;
  size_t d = learner->dimension;
  scant_learner_get_facts(learner, &facts);
  if (!scant_jackknife_new(&jackknife, d)) return scant_fail_memory(error);
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++, w += d + 1) scant_jackknife_add(&jackknife, w, w[d], risk[g]);
  scant_status status = scant_jackknife_finish(&jackknife, facts.risk, facts.risk_error, model, error);
  scant_jackknife_free(&jackknife);
  return status;
}

static void count_pairs(const scant_transcript *k, scant_pair_counts *pairs) {
  const uint32_t *attributes;
  const double *values;
  for (size_t i = 0; i < k->count; i++) {
    uint32_t count = scant_transcript_cells(k, i, &attributes, &values);
    scant_pair_counts_add(pairs, count, attributes, values);
  }
}

static scant_status errors_of_transcript(const scant_transcript *transcript, scant_learner *learner, scant_model *model,
                                         scant_error *error) {
  if (transcript->dropped)
    return scant_fail(error, SCANT_MEMORY, "out of memory for the purchases, so there are no errors");
  scant_pair_counts pairs = {0};
  double risk[SCANT_ERROR_GROUPS];
  SCANT_TRY(scant_learner_finish(learner, error));
  double *w = scant_array(SCANT_ERROR_GROUPS * (learner->dimension + 1), sizeof *w);
  int good = w && scant_pair_counts_new(&pairs, learner->dimension);
  scant_status status = good ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_transcript_leave_out(transcript, transcript->count, learner, w, risk, error);
  if (status == SCANT_OK) status = make_errors(learner, w, risk, model, error);
  if (status == SCANT_OK) {
    count_pairs(transcript, &pairs);
    scant_pair_counts_finish(&pairs, model);
  }
  scant_pair_counts_free(&pairs);
  free(w);
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

scant_status scant_fit_start_errors(scant_fit *f, scant_error *error) {
  if (!f->terms.settings.run.errors) return SCANT_OK;
  uint64_t rows = f->terms.settings.learning.block, blocks = (f->train_count + rows - 1) / rows;
  if (!f->stream) SCANT_TRY(scant_errors_check_blocks(blocks, rows, error));
  if (f->learner->engine && f->learner->engine->errors) return SCANT_OK; /* it keeps its answers by itself */
  double gib = f->terms.settings.runtime.memory, looks = fmax(f->learner->looks.expected_draws, 2);
  double needed = scant_transcript_bytes(looks) * (double)f->terms.horizon / 0x1p30;
  if (needed > gib)
    return scant_fail(error, SCANT_DATA,
                      "errors of %s keep about %.3g GiB of purchases, and option memory allows %g: give more",
                      f->learner->parts->words.name, needed, gib);
  return scant_transcript_new(&f->transcript, gib, error);
}

/* An example is in the same group in every pass.  Those of a block are in one group, by the first pass. */
void scant_fit_keep(scant_fit *f, size_t row, const scant_look *look, const double *values, double y) {
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
