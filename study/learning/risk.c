/* How good a study's regressor is, by what was told alone. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "scant_replay.h"
#include "learning/replay_learner.h"
#include "study.h"
#include "store/transaction.h"

scant_status study_transcribe(scant_study *study, scant_transcript **transcript, scant_error *error) {
  SCANT_TRY(scant_transcript_new(transcript, study->settings.runtime.memory, error));
  const study_listener listener = {.transcript = *transcript};
  return study_relearn_for(study, &listener, error);
}

/* ---- of the present regressor --------------------------------------------------------- */

/* Everything that is read of the file comes first: to judge takes long, and nobody is to wait for it. */
scant_status scant_study_get_status(scant_study *study, scant_study_status *status, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(scant_study_get_counts(s, status, error));
  if (s->judged_at != s->tip.sequence + 1) {
    scant_transcript *transcript = NULL;
    scant_status found = SCANT_OK;
    s->judged_at = 0;
    if (scant_learner_risk_needs_transcript(s->learner, s->settings.runtime.engines)) {
      SCANT_TRY(study_enter(s, error));
      found = study_leave(s, study_transcribe(s, &transcript, error));
    }
    uint64_t at = s->tip.sequence + 1;
    if (found == SCANT_OK)
      found = scant_learner_risk(s->learner, s->settings.runtime.engines, transcript, SIZE_MAX, &s->risk,
                                 &s->risk_error, error);
    scant_transcript_free(transcript);
    SCANT_TRY(found);
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

scant_status study_note_point(scant_study *study, study_curve *curve, scant_error *error) {
  study_curve *c = curve;
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
  scant_transcript *transcript = NULL;
  const study_listener listener = {.curve = c};
  scant_status status =
      traits.retold ? study_transcribe(s, &transcript, error) : study_relearn_for(s, &listener, error);
  status = study_leave(s, status);
  if (status == SCANT_OK && !traits.retold) status = study_note_point(s, c, error);
  for (size_t i = 0; status == SCANT_OK && i < c->count && traits.retold; i++) {
    scant_study_risk *p = &c->points[i];
    status = scant_learner_risk(s->learner, s->settings.runtime.engines, transcript, (size_t)p->examples, &p->risk,
                                &p->risk_error, error);
  }
  scant_transcript_free(transcript);
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
