/* Curves of algorithms that look at everything: they learn anew for each point. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scant_base.h"
#include "fit/curves.h"

enum { FEWEST_FOR_RADIUS = 4 };

/* The radius of online-* is chosen for each point; what is bought does not depend on it. */
scant_settings scant_curve_buyer(const scant_algorithm *algorithm, const scant_settings *settings) {
  scant_settings s = *settings;
  if (algorithm->whole && !algorithm->dense && isnan(s.learning.radius)) s.learning.radius = 1;
  return s;
}

/* A whole fit. */
static scant_status fit_whole(const scant_curve_task *t, const scant_settings *s, scant_fit **fit, scant_model **model,
                              scant_error *error) {
  int done;
  SCANT_TRY(scant_fit_new(fit, s, t->train, error));
  SCANT_TRY(scant_fit_advance(*fit, UINT64_MAX, &done, error));
  return scant_fit_model(*fit, 0, model, error);
}

/* The radius of online-* is that of full-* on the same examples. */
static scant_status choose_radius(const scant_curve_task *t, scant_settings *s, scant_error *error) {
  scant_settings solved = *s;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  solved.learning.algorithm = t->algorithm->solver;
  solved.given = 0;
  scant_status status = fit_whole(t, &solved, &fit, &model, error);
  if (status == SCANT_OK) s->learning.radius = scant_model_settings(model)->learning.radius;
  scant_model_free(model);
  scant_fit_free(fit);
  return status;
}

/* What is known after a whole fit. */
static scant_status take_point(const scant_curve_task *t, const scant_fit *fit, const scant_model *model,
                               scant_curve_point *out, scant_error *error) {
  const scant_ledger *ledger = scant_model_ledger(model);
  scant_learner_facts facts;
  scant_fit_get_facts(fit, &facts);
  *out = (scant_curve_point){.examples = ledger->examples,
                             .attributes = ledger->attributes_bought,
                             .money = ledger->money_spent,
                             .risk = facts.risk,
                             .risk_error = facts.risk_error,
                             .reached = 1};
  return scant_curve_score(t, fit, model, &out->scores, error);
}

static scant_status run_prefix(const scant_curve_task *t, uint64_t examples, scant_curve_point *out,
                               scant_error *error) {
  scant_settings s = t->settings;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  scant_status status = SCANT_OK;
  s.run.examples = examples;
  s.run.budget = 0;
  s.run.budget_cost = 0;
  if (isnan(s.learning.radius) && !t->algorithm->dense) status = choose_radius(t, &s, error);
  if (status == SCANT_OK) status = fit_whole(t, &s, &fit, &model, error);
  if (status == SCANT_OK) status = take_point(t, fit, model, out, error);
  scant_model_free(model);
  scant_fit_free(fit);
  return status;
}

scant_status scant_curve_run_prefixes(const scant_curve_task *t, scant_error *error) {
  uint64_t least = isnan(t->settings.learning.radius) ? FEWEST_FOR_RADIUS : 1;
  for (size_t p = 0; p < t->plan->points; p++) {
    int over = t->out[p].over;
    if (t->out[p].examples < least) {
      t->out[p] = (scant_curve_point){.over = over};
      continue;
    }
    if (p && t->marks[p] == t->marks[p - 1])
      t->out[p] = t->out[p - 1];
    else
      SCANT_TRY(run_prefix(t, t->marks[p], &t->out[p], error));
    t->out[p].over = over;
  }
  return SCANT_OK;
}
