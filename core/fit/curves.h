/* One curve of one run; curves.c and curves_prefix.c make its points in two ways. */
#ifndef SCANT_FIT_CURVES_H
#define SCANT_FIT_CURVES_H

#include "scant.h"

typedef struct scant_curve_task {
  const scant_curve_plan *plan;
  const scant_algorithm *algorithm;
  scant_settings settings;
  scant_source *train, *test; /* test NULL: what is held out */
  uint64_t *marks;            /* examples taken at each point; out[point].examples of them were learned from */
  scant_curve_point *out;     /* of each point */
} scant_curve_task;

/* Scores a model that a fit of the task made. */
scant_status scant_curve_score(const scant_curve_task *task, const scant_fit *fit, const scant_model *model,
                               scant_scores *scores, scant_error *error);

/* Settings of a learner that buys what the entry's algorithm would buy. */
scant_settings scant_curve_buyer(const scant_algorithm *algorithm, const scant_settings *settings);

/* Fills out[] of an algorithm that looks at everything: one fit per point. */
scant_status scant_curve_run_prefixes(const scant_curve_task *task, scant_error *error);

#endif
