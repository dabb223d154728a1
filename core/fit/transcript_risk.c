/* The risk of the regressor of some purchases, by these alone.
 *
 * The looks of a learner give an unbiased estimate of its risk (judge.c), but with a few dozen examples of a few
 * attributes each its standard error is half of it.  The joint distribution of all that was told says more: learners
 * that were told all but one group of examples are judged by that group, whose unseen values are filled in
 * (dense/gaussian/judge.c).  Where there is no such engine, or so much was told that this would take long, the
 * learner's own estimate has to do; it then rests on many examples. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "fit/transcript.h"
#include "learn/learner.h"
#include "model/errors.h"

/* Of one step of one EM; there are some thousand of them. */
#define QUICK_WORK 2e6

/* Is it quick enough to judge a learner by the distribution of so many examples with so many attributes each?  There is
 * one EM for each group. */
static int is_quick(size_t dimension, double examples, double attributes) {
  return examples * pow(attributes + 1, 3) + pow((double)dimension + 1, 3) <= QUICK_WORK;
}

static int is_quick_transcript(const scant_transcript *k, size_t count, size_t dimension) {
  double entries = count < k->count ? (double)k->one[count].first : (double)k->entries;
  return count && is_quick(dimension, (double)count, entries / (double)count);
}

/* ---- the learner that judges ------------------------------------------------------- */

/* The rows of a block, with NaN for attributes that were not bought. */
static int spread_rows(const scant_transcript *k, size_t index, size_t rows, size_t d, scant_fit_rows *room) {
  const uint32_t *attributes;
  const double *bought;
  if (!scant_fit_rows_reserve(room, rows, d)) return 0;
  for (size_t r = 0; r < rows; r++) {
    double *values = room->values + r * d;
    uint32_t count = scant_transcript_cells(k, index + r, &attributes, &bought);
    for (size_t j = 0; j < d; j++) values[j] = NAN;
    for (uint32_t p = 0; p < count; p++) values[attributes[p]] = bought[p];
    room->y[r] = k->one[index + r].y;
  }
  return 1;
}

static scant_status tell_judge(scant_learner *judge, const scant_transcript *k, size_t count, scant_error *error) {
  scant_look *look = NULL;
  scant_fit_rows room = {0};
  scant_status status = scant_look_new(&look, judge, error);
  for (size_t i = 0, rows; status == SCANT_OK && i < count; i += rows) {
    rows = scant_transcript_rows(k, i, count);
    if (!spread_rows(k, i, rows, judge->dimension, &room)) status = scant_fail_memory(error);
    if (status == SCANT_OK) status = scant_learner_ask_all(judge, look, error);
    if (status == SCANT_OK) status = scant_learner_tell_block(judge, look, rows, room.values, room.y, error);
  }
  scant_fit_rows_free(&room);
  scant_look_free(look);
  return status;
}

/* A learner by an engine that can judge, told the first `count` purchases as values that it did not ask for. */
static scant_status make_judge(const scant_transcript *k, size_t count, const scant_learner *like,
                               const scant_engine *engine, scant_learner **judge, scant_error *error) {
  const scant_engine *engines[2] = {engine, NULL};
  scant_settings settings = like->settings;
  if (like->engine != engine) {
    scant_settings_init(&settings);
    SCANT_TRY(scant_settings_set(&settings, "algorithm", engine->algorithm, error));
    SCANT_TRY(scant_settings_set(&settings, "observed", "yes", error));
    settings.runtime = like->settings.runtime;
    settings.learning.block = like->settings.learning.block;
  }
  settings.runtime.engines = engines;
  settings.learning.missing = SCANT_MISSING_SKIP_CELL;
  scant_status status = scant_learner_new(judge, &settings, like->dimension, 0, error);
  if (status == SCANT_OK) (*judge)->chooses_by_groups = like->chooses_by_groups;
  if (status == SCANT_OK) status = tell_judge(*judge, k, count, error);
  return status;
}

static scant_status judge_by(const scant_engine *engine, const scant_transcript *k, size_t count,
                             scant_learner *learner, double *risk, double *risk_error, scant_error *error) {
  scant_learner *judge = NULL;
  int own = learner->engine == engine;
  double *w = own ? NULL : scant_array(SCANT_ERROR_GROUPS * (learner->dimension + 1), sizeof *w);
  scant_status status = own || w ? make_judge(k, count, learner, engine, &judge, error) : scant_fail_memory(error);
  if (status == SCANT_OK && w) status = scant_transcript_leave_out(k, count, learner, w, NULL, error);
  if (status == SCANT_OK) status = scant_engine_judge(judge, w, risk, risk_error, error);
  scant_learner_free(judge);
  free(w);
  return status;
}

/* ---- by itself ----------------------------------------------------------------------- */

/* One example gives an estimate, often 0, without a standard error: that counts as not known.  So does an unbiased
 * estimate that came out below 0. */
static void read_own(const scant_learner *learner, double *risk, double *risk_error) {
  scant_learner_facts facts;
  scant_learner_get_facts(learner, &facts);
  int known = isfinite(facts.risk_error) && facts.risk >= 0;
  *risk = known ? facts.risk : NAN;
  *risk_error = known ? facts.risk_error : NAN;
}

/* The learner's own estimate, or that of one like it after the first `count` purchases if they are not all. */
static scant_status ask_itself(const scant_transcript *k, size_t count, scant_learner *learner, double *risk,
                               double *risk_error, scant_error *error) {
  scant_learner *l = learner, *made = NULL;
  scant_status status = SCANT_OK;
  if (k && count < k->count) {
    const scant_engine *engines[2] = {learner->engine, NULL};
    scant_settings settings = learner->settings;
    settings.runtime.engines = engines;
    status = scant_transcript_learner(&made, &settings, learner, error);
    if (status == SCANT_OK) status = scant_transcript_tell(k, count, SCANT_TRANSCRIPT_NO_GROUP, made, NULL, error);
    l = made;
  }
  if (status == SCANT_OK) status = scant_learner_finish(l, error); /* a dense algorithm knows its risk only then */
  if (status == SCANT_OK) read_own(l, risk, risk_error);
  scant_learner_free(made);
  return status;
}

/* The first engine that can judge; NULL: none can. */
static const scant_engine *find_judge(const scant_engine *const *engines) {
  for (; engines && *engines; engines++)
    if ((*engines)->judge) return *engines;
  return NULL;
}

static int judges_itself(const scant_learner *l) {
  return l->engine && l->engine->judge;
}

static int is_quick_learner(const scant_learner *l) {
  return l->told && is_quick(l->dimension, (double)l->told, l->looks.expected_draws);
}

int scant_learner_risk_needs_transcript(const scant_learner *l, const scant_engine *const *engines) {
  return !judges_itself(l) && (l->looks.kind->in_items || l->engine) && is_quick_learner(l) && find_judge(engines);
}

scant_status scant_learner_risk(scant_learner *learner, const scant_engine *const *engines,
                                const scant_transcript *transcript, size_t count, double *risk, double *risk_error,
                                scant_error *error) {
  const scant_transcript *k = transcript;
  *risk = *risk_error = NAN;
  if (k && k->dropped) return scant_fail(error, SCANT_MEMORY, "out of memory for the purchases, so there is no risk");
  if (k && count > k->count) count = k->count;
  const scant_engine *judge = k ? find_judge(engines) : NULL;
  if (judge && is_quick_transcript(k, count, learner->dimension))
    SCANT_TRY(judge_by(judge, k, count, learner, risk, risk_error, error));
  if (!k && judges_itself(learner) && is_quick_learner(learner))
    SCANT_TRY(scant_engine_judge(learner, NULL, risk, risk_error, error));
  if (isfinite(*risk) && isfinite(*risk_error)) return SCANT_OK;
  return ask_itself(k, count, learner, risk, risk_error, error);
}
