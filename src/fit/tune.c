/* Tuning inside the budget: all candidates learn from the same purchases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "fit/fit.h"
#include "learn/learner.h"
#include "learn/settings.h"

/* A plain minimum over noisy risks is dangerous where K is small: the first is
 * left only for one that is better beyond doubt. */
#define STANDARD_ERRORS 2
#define EXAMPLES_FEWEST 64

typedef struct {
  scant_settings settings;
  scant_learner *learner; /* the first one's is the fit's */
  scant_look *look;
  scant_risk risk, difference;
  double now; /* the free risk at the example being learned */
  int failed;
} candidate;

struct scant_tune {
  scant_fit *fit;
  size_t count, leader;
  candidate *candidates;
};

/* ---- the object ------------------------------------------------------------ */

static scant_status start_candidate(scant_tune *t, size_t index, const scant_settings *given, scant_error *error) {
  candidate *c = &t->candidates[index];
  const scant_fit *f = t->fit;
  if (!index) {
    c->learner = f->learner;
    c->settings = f->settings;
    return scant_look_new(&c->look, c->learner, error);
  }
  c->settings = *given;
  SCANT_TRY(scant_settings_resolve(&c->settings, error));
  SCANT_TRY(scant_settings_fit_k(&c->settings, f->learner->dimension, error));
  scant_settings_own(&c->settings);
  c->settings.classes = f->settings.classes;
  SCANT_TRY(scant_learner_new(&c->learner, &c->settings, f->learner->dimension, f->horizon, error));
  /* a stream of its own: a new leader must not draw what shaped its w before */
  scant_rng_seed(&c->learner->rng, c->settings.seed, (UINT64_C(1) << 40) + index);
  if (f->prices) SCANT_TRY(scant_learner_price(c->learner, f->prices, error));
  return scant_look_new(&c->look, c->learner, error);
}

/* What concerns the purchases is the same for all. */
static int same_purchases(const scant_settings *a, const scant_settings *b) {
  return a->k == b->k && a->passes == b->passes && a->examples == b->examples && a->seed == b->seed &&
         a->budget == b->budget && a->spend == b->spend && a->budget_cost == b->budget_cost && a->thrift == b->thrift &&
         a->missing == b->missing && a->max_open == b->max_open && a->shuffle == b->shuffle && a->split == b->split;
}

scant_status scant_tune_new(scant_tune **tune, const scant_settings *candidates, size_t count, scant_source *source,
                            scant_error *error) {
  const scant_row *row = count ? scant_row_find(candidates[0].algorithm) : NULL;
  if (row && !scant_row_is_stopped(row))
    return scant_fail(error, SCANT_USAGE,
                      "the looks of %s can't be shared by candidates; tune auto, ridge, lasso or svr", row->words.name);
  for (size_t i = 1; i < count; i++)
    if (strcmp(candidates[i].algorithm, candidates[0].algorithm) != 0 ||
        !same_purchases(&candidates[0], &candidates[i]))
      return scant_fail(error, SCANT_USAGE, "candidates share their purchases, so these can't differ in them");
  scant_tune *t = scant_array(1, sizeof *t);
  if (!t) return scant_fail_memory(error);
  t->count = count;
  t->candidates = scant_array(count, sizeof *t->candidates);
  scant_status status =
      t->candidates ? scant_fit_new(&t->fit, &candidates[0], source, error) : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) status = start_candidate(t, i, &candidates[i], error);
  if (status != SCANT_OK) {
    scant_tune_free(t);
    return status;
  }
  *tune = t;
  return SCANT_OK;
}

void scant_tune_free(scant_tune *tune) {
  if (!tune) return;
  for (size_t i = 0; tune->candidates && i < tune->count; i++) {
    if (i) scant_learner_free(tune->candidates[i].learner);
    scant_look_free(tune->candidates[i].look);
  }
  free(tune->candidates);
  scant_fit_free(tune->fit);
  free(tune);
}

/* ---- learning -------------------------------------------------------------- */

/* Looks, judges and learns: a candidate whose steps overflow is out, unless it is
 * the first. */
static scant_status teach(scant_tune *t, size_t index, const scant_look *drawn, double y, scant_error *error) {
  candidate *c = &t->candidates[index];
  if (c->failed) return SCANT_OK;
  if (c->look != drawn) SCANT_TRY(scant_learner_share(c->learner, drawn, c->look, error));
  scant_status status = scant_learner_judge(c->learner, c->look, t->fit->values, y, &c->now, error);
  if (status == SCANT_OK)
    status = scant_learner_tell(c->learner, c->look, drawn->count, NULL, t->fit->values, y, error);
  if (status != SCANT_DATA || !index) return status;
  c->failed = 1;
  return scant_learner_cancel(c->learner, c->look, error);
}

/* The lowest risk plus standard errors: what is good beyond doubt. */
static size_t surest(const scant_tune *t) {
  size_t best = 0;
  double lowest = INFINITY;
  for (size_t i = 0; i < t->count; i++) {
    double error, risk = scant_risk_mean(&t->candidates[i].risk, &error);
    if (t->candidates[i].failed || !(risk + STANDARD_ERRORS * error < lowest)) continue;
    lowest = risk + STANDARD_ERRORS * error;
    best = i;
  }
  return best;
}

static void compare(scant_tune *t) {
  double first = t->candidates[0].now;
  for (size_t i = 0; i < t->count; i++) {
    candidate *c = &t->candidates[i];
    if (c->failed || !isfinite(c->now) || !isfinite(first)) continue;
    scant_risk_add(&c->risk, c->now);
    scant_risk_add(&c->difference, c->now - first);
  }
  if (t->fit->learner->told < EXAMPLES_FEWEST) return;
  /* A first that a constant would beat has nothing to defend, and its noise would
   * shield it from any comparison. */
  const scant_moments *y = &t->fit->learner->y_moments;
  if (scant_risk_mean(&t->candidates[0].risk, NULL) > y->spread / (double)y->count) {
    t->leader = surest(t);
    return;
  }
  size_t leader = 0;
  double lowest = 0;
  for (size_t i = 1; i < t->count; i++) {
    double error, difference = scant_risk_mean(&t->candidates[i].difference, &error);
    if (t->candidates[i].failed || !(difference + STANDARD_ERRORS * error < 0) || !(difference < lowest)) continue;
    lowest = difference;
    leader = i;
  }
  t->leader = leader;
}

static scant_status learn_one(void *tune, scant_error *error) {
  scant_tune *t = tune;
  scant_fit *f = t->fit;
  candidate *leader = &t->candidates[t->leader];
  scant_rng rng = leader->learner->rng;
  uint64_t serial = leader->learner->next_serial;
  SCANT_TRY(scant_learner_ask(leader->learner, leader->look, error));
  const scant_look *drawn = leader->look;
  double y;
  scant_status status = scant_grow(&f->values, &f->values_room, drawn->count, sizeof *f->values)
                            ? scant_meter_buy(f->meter, (size_t)f->rows[f->position], drawn, f->values, &y, error)
                            : scant_fail_memory(error);
  if (status != SCANT_OK) { /* nothing was bought: the next try draws the same look */
    scant_learner_cancel(leader->learner, drawn, NULL);
    leader->learner->rng = rng;
    leader->learner->next_serial = serial;
    return status;
  }
  /* An example that the first can't learn from ends it all, as it ends a fit; what
   * was bought stays in the ledger. */
  scant_error inner = {""};
  for (size_t i = 0; status == SCANT_OK && i < t->count; i++) status = teach(t, i, drawn, y, &inner);
  if (status == SCANT_OK) {
    compare(t);
    return SCANT_OK;
  }
  return scant_fit_fail(f, status, &inner, error);
}

scant_status scant_tune_advance(scant_tune *tune, uint64_t examples, int *done, scant_error *error) {
  return scant_fit_loop(tune->fit, learn_one, tune, examples, done, error);
}

/* ---- facts ------------------------------------------------------------------- */

void scant_tune_candidate(const scant_tune *tune, size_t index, scant_candidate *candidate_facts) {
  const candidate *c = &tune->candidates[index];
  scant_candidate *out = candidate_facts;
  out->risk = scant_risk_mean(&c->risk, &out->risk_error);
  out->difference = scant_risk_mean(&c->difference, &out->difference_error);
  out->failed = c->failed;
}

size_t scant_tune_leader(const scant_tune *tune) {
  return tune->leader;
}

const scant_fit *scant_tune_fit(const scant_tune *tune) {
  return tune->fit;
}

scant_status scant_tune_model(const scant_tune *tune, size_t index, scant_model **model, scant_error *error) {
  scant_fit shown = *tune->fit; /* the same purchases, another learner */
  shown.learner = tune->candidates[index].learner;
  shown.settings = tune->candidates[index].settings;
  return scant_fit_model(&shown, 0, model, error);
}
