/* How good a study's regressor is, by what was told alone. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "scant_replay.h"
#include "learning/replay_learner.h"
#include "study.h"
#include "store/transaction.h"

scant_status study_keep_purchases(scant_study *study, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(scant_transcript_new(&s->purchases, s->settings.runtime.memory, error));
  s->stale = 1; /* until it is done */
  SCANT_TRY(study_relearn(s, error));
  s->stale = 0;
  return SCANT_OK;
}

void study_drop_purchases(scant_study *study) {
  scant_transcript_free(study->purchases);
  study->purchases = NULL;
}

/* ---- of the present regressor --------------------------------------------------------- */

static scant_status judge(scant_study *s, scant_error *error) {
  return scant_learner_risk(s->learner, s->settings.runtime.engines, s->purchases, SIZE_MAX, &s->risk, &s->risk_error,
                            error);
}

/* Everything that is read of the file comes first: to judge takes long, and nobody is to wait for it. */
scant_status scant_study_get_status(scant_study *study, scant_study_status *status, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(scant_study_get_counts(s, status, error));
  if (s->judged_at != s->tip.sequence + 1) {
    s->judged_at = 0;
    if (scant_learner_risk_needs_transcript(s->learner, s->settings.runtime.engines)) {
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

scant_status study_note_point(scant_study *study, scant_error *error) {
  study_curve *c = study->curve;
  if (c->next == c->count || study_learner_told(study) != c->points[c->next].examples) return SCANT_OK;
  scant_study_risk *p = &c->points[c->next++];
  return scant_learner_risk(study->learner, NULL, NULL, 0, &p->risk, &p->risk_error, error);
}

static void place_points(study_curve *c, size_t most, uint64_t told) {
  c->count = told < most ? (size_t)told : most;
  for (size_t i = 0; i < c->count; i++)
    c->points[i] = (scant_study_risk){
        .examples = (uint64_t)((double)told * (double)(i + 1) / (double)c->count), .risk = NAN, .risk_error = NAN};
}

/* Where it can't be judged by others, it judges itself while everything is told once more. */
static scant_status follow_curve(scant_study *s, study_curve *c, scant_error *error) {
  scant_learner_traits traits;
  SCANT_TRY(study_enter(s, error));
  place_points(c, c->count, study_learner_told(s));
  scant_learner_get_traits(s->learner, &traits);
  s->curve = traits.retold ? NULL : c;
  scant_status status = study_leave(s, study_keep_purchases(s, error));
  if (status == SCANT_OK && s->curve) status = study_note_point(s, error);
  s->curve = NULL;
  for (size_t i = 0; status == SCANT_OK && i < c->count && traits.retold; i++) {
    scant_study_risk *p = &c->points[i];
    status = scant_learner_risk(s->learner, s->settings.runtime.engines, s->purchases, (size_t)p->examples, &p->risk,
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
