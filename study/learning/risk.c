/* How good a study's regressor is, by what was told alone. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "fit/kept.h"
#include "learn/learner.h"
#include "learning/replay_learner.h"
#include "study.h"
#include "store/transaction.h"

scant_status study_keep_purchases(scant_study *study, scant_error *error) {
  scant_study *s = study;
  s->purchases = scant_kept_new(s->settings.runtime.memory);
  if (!s->purchases) return scant_fail_memory(error);
  s->stale = 1; /* until it is done */
  SCANT_TRY(study_relearn(s, error));
  s->stale = 0;
  return SCANT_OK;
}

void study_drop_purchases(scant_study *study) {
  scant_kept_free(study->purchases);
  study->purchases = NULL;
}

/* ---- of the present regressor --------------------------------------------------------- */

/* Can other learners be told what this one was told? */
static int can_tell_others(const scant_learner *l) {
  return l->looks.kind->in_items || l->engine;
}

static int judges_itself(const scant_learner *l) {
  return l->engine && l->engine->judge;
}

static int is_quick(const scant_study *s) {
  const scant_learner *l = s->learner;
  return l->told && scant_risk_is_quick(s->dimension, (double)l->told, l->looks.expected_draws);
}

/* NULL: there is none. */
static const scant_engine *find_judge(const scant_study *s) {
  return scant_engine_find(s->settings.runtime.engines, "gaussian");
}

/* Must its purchases be kept, so that it can be judged? */
static int needs_purchases(const scant_study *s) {
  return !judges_itself(s->learner) && can_tell_others(s->learner) && is_quick(s) && find_judge(s);
}

static scant_status judge(scant_study *s, scant_error *error) {
  scant_learner *l = s->learner;
  s->risk = s->risk_error = NAN;
  if (s->purchases)
    return scant_kept_risk(s->purchases, s->purchases->count, l, find_judge(s), &s->risk, &s->risk_error, error);
  if (judges_itself(l) && is_quick(s)) SCANT_TRY(l->engine->judge(l, NULL, &s->risk, &s->risk_error, error));
  if (isfinite(s->risk) && isfinite(s->risk_error)) return SCANT_OK;
  SCANT_TRY(scant_learner_finish(l, error)); /* a dense algorithm knows its risk only then */
  scant_risk_by_itself(l, &s->risk, &s->risk_error);
  return SCANT_OK;
}

/* Everything that is read of the file comes first: to judge takes long, and nobody is to wait for it. */
scant_status scant_study_get_status(scant_study *study, scant_study_status *status, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(scant_study_get_counts(s, status, error));
  if (s->judged_at != s->tip.sequence + 1) {
    s->judged_at = 0;
    if (needs_purchases(s)) {
      SCANT_TRY(study_enter(s, error));
      scant_status kept = study_leave(s, study_keep_purchases(s, error));
      if (kept != SCANT_OK) study_drop_purchases(s);
      SCANT_TRY(kept);
    }
    uint64_t at = s->tip.sequence + 1;
    scant_status judged = judge(s, error);
    study_drop_purchases(s);
    SCANT_TRY(judged);
    s->judged_at = at;
  }
  status->risk = s->risk;
  status->risk_error = s->risk_error;
  return SCANT_OK;
}

/* ---- as it went ------------------------------------------------------------------------- */

/* Points at even numbers of examples, the last one included. */
typedef struct study_curve {
  scant_study_risk *points;
  size_t count, next;
} study_curve;

void study_note_point(scant_study *study) {
  study_curve *c = study->curve;
  if (c->next == c->count || study_learner_told(study) != c->points[c->next].examples) return;
  scant_study_risk *p = &c->points[c->next++];
  scant_risk_by_itself(study->learner, &p->risk, &p->risk_error);
}

static void place_points(study_curve *c, size_t most, uint64_t told) {
  c->count = told < most ? (size_t)told : most;
  for (size_t i = 0; i < c->count; i++)
    c->points[i] = (scant_study_risk){
        .examples = (uint64_t)((double)told * (double)(i + 1) / (double)c->count), .risk = NAN, .risk_error = NAN};
}

/* Where it can't be judged by others, it judges itself while everything is told once more. */
static scant_status follow_curve(scant_study *s, study_curve *c, scant_error *error) {
  SCANT_TRY(study_enter(s, error));
  place_points(c, c->count, study_learner_told(s));
  s->curve = can_tell_others(s->learner) ? NULL : c;
  scant_status status = study_leave(s, study_keep_purchases(s, error));
  if (status == SCANT_OK && s->curve) study_note_point(s);
  s->curve = NULL;
  for (size_t i = 0; status == SCANT_OK && i < c->count && can_tell_others(s->learner); i++) {
    scant_study_risk *p = &c->points[i];
    size_t kept = s->purchases->count, told = (size_t)p->examples;
    status = scant_kept_risk(s->purchases, told < kept ? told : kept, s->learner, find_judge(s), &p->risk,
                             &p->risk_error, error);
  }
  study_drop_purchases(s);
  return status;
}

scant_status scant_study_get_risks(scant_study *study, size_t most, scant_study_risk *risks, size_t *count,
                                   scant_error *error) {
  study_curve curve = {.points = risks, .count = most};
  *count = 0;
  SCANT_TRY(follow_curve(study, &curve, error));
  *count = curve.count;
  return SCANT_OK;
}
