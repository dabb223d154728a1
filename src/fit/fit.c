/* Fitting a source: a loop over ask, the meter, and tell. */
#include "fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/lanes.h"
#include "core/memory.h"
#include "data/sentence.h"
#include "learn/learner.h"
#include "look/look.h"
#include "price/prices.h"
#include "settings/settings.h"
#include "price/thrift.h"

/* So many attributes are on their way from memory while one is learned from. */
#define ATTRIBUTES_AHEAD 64
#define FEW_TO_SEND_FOR 16

/* What is kept of fewer attributes is near anyway. */
#define DIMENSION_CACHED 32768

/* ---- the object -------------------------------------------------------- */

static void shorten(scant_fit *f, double examples) {
  if (examples < (double)f->horizon) f->horizon = examples < 1 ? 1 : (uint64_t)examples;
}

static scant_status make_learner(scant_fit *f, scant_error *error) {
  const scant_settings *s = &f->settings;
  size_t d = scant_source_dimension(f->source);
  f->horizon = f->stream ? 0 : (uint64_t)f->train_count * s->passes;
  /* the step size should know how soon the money ends */
  int stopped = scant_row_is_stopped(scant_row_find(s->algorithm));
  double looks = f->prices && stopped ? scant_thrift_visit_looks(f->prices, s) : scant_settings_purchases(s, d);
  if (f->horizon && s->budget && looks > 0) shorten(f, ceil((double)s->budget / looks));
  if (f->horizon && f->prices && s->budget_cost > 0)
    shorten(f, ceil(100 * s->budget_cost / scant_thrift_visit_price(f->prices, s, f->horizon)));
  return scant_learner_new(&f->learner, s, d, f->horizon, error);
}

static scant_status make_looks(scant_fit *f, scant_error *error) {
  uint64_t k = f->settings.k;
  scant_status status = SCANT_OK;
  f->ahead = 1; /* a power of two */
  f->few = k < FEW_TO_SEND_FOR;
  while (scant_look_is_early(f->learner) && f->ahead < SCANT_AHEAD && f->ahead * k < ATTRIBUTES_AHEAD) f->ahead *= 2;
  for (unsigned i = 0; i < f->ahead && status == SCANT_OK; i++)
    status = scant_look_new(&f->looks[i], f->learner, error);
  return status;
}

/* What the theorems assume of the settings. */
static void note_settings(scant_fit *f) {
  const scant_settings *s = &f->settings;
  double d = (double)scant_source_dimension(f->source);
  if (s->loss == SCANT_LOSS_INSENSITIVE && s->tube > s->radius)
    scant_error_write(&f->warning, "tube %g is beyond radius %g, so the theorem's bound does not hold", s->tube,
                      s->radius);
  else if (f->learner->update == &scant_update_eg && f->horizon && (double)f->horizon < log(2 * d))
    scant_error_write(&f->warning, "%llu examples are fewer than log(2d) = %.1f, so the theorem's bound does not hold",
                      (unsigned long long)f->horizon, log(2 * d));
}

/* The engines stay until there is a learner. */
static scant_status keep_texts(scant_fit *f, scant_error *error) {
  const char *classes = f->settings.classes;
  const scant_engine *const *engines = f->settings.engines;
  scant_settings_own(&f->settings);
  f->settings.engines = engines;
  if (!classes) return SCANT_OK;
  f->settings.classes = f->classes = scant_copy_text(classes, strlen(classes));
  return f->classes ? SCANT_OK : scant_fail_memory(error);
}

/* Prices steer the looks where the row can, and are charged in any case.  A learner
 * that goes on knows them; they are the fit's from now on, or its own. */
static scant_status price_learner(scant_fit *f, int goes_on, scant_error *error) {
  scant_learner *l = f->learner;
  if (!scant_row_is_stopped(l->row)) return SCANT_OK;
  if (!goes_on) return scant_learner_price(l, f->prices, error);
  if (!l->own_prices) l->law.prices = f->prices;
  return SCANT_OK;
}

static scant_status start_prices(scant_fit *f, int goes_on, scant_error *error) {
  const scant_settings *s = &f->settings;
  uint64_t spend = 0, budget = 0;
  if (!f->prices) {
    if (s->spend > 0 || s->budget_cost > 0 || !s->thrift)
      return scant_fail(error, SCANT_USAGE, "spend, budget-cost and no-thrift need costs (--costs FILE)");
    return SCANT_OK;
  }
  SCANT_TRY(price_learner(f, goes_on, error));
  scant_money_of(s->spend, &spend);
  scant_money_of(s->budget_cost, &budget);
  return scant_meter_price(f->meter, f->prices, spend, budget, error);
}

scant_status scant_fit_check_log_target(const scant_settings *s, const scant_source *source, scant_error *error) {
  if (!s->log_target == !source->log_target) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "log-target is %s in the settings, but %s in the data",
                    s->log_target ? "yes" : "no", source->log_target ? "yes" : "no");
}

/* A batch may well lack a column. */
static scant_status check_columns(const scant_fit *f, scant_error *error) {
  return f->stream ? SCANT_OK : scant_source_check_columns(f->source, error);
}

static scant_status start_fit(scant_fit *f, scant_error *error) {
  int goes_on = f->learner != NULL;
  SCANT_TRY(scant_settings_resolve(&f->settings, error));
  const scant_algorithm *row = scant_algorithm_find(f->settings.algorithm);
  SCANT_TRY(keep_texts(f, error));
  SCANT_TRY(scant_fit_check_log_target(&f->settings, f->source, error));
  SCANT_TRY(check_columns(f, error));
  SCANT_TRY(scant_settings_fit_k(&f->settings, scant_source_dimension(f->source), error));
  SCANT_TRY(scant_fit_order_rows(f, error));
  if (!goes_on) SCANT_TRY(make_learner(f, error));
  SCANT_TRY(make_looks(f, error));
  f->settings.engines = NULL; /* the list may not outlive the fit */
  const scant_row *parts = scant_row_find(row->name);
  f->has_theorem = !row->dense && !scant_row_is_stopped(parts) && parts->look != scant_look_coinflip;
  if (f->has_theorem) note_settings(f);
  SCANT_TRY(scant_meter_new(&f->meter, f->source, row->strict ? f->settings.k : 0, f->settings.budget, error));
  SCANT_TRY(start_prices(f, goes_on, error));
  scant_meter_set_missing(f->meter, (scant_missing)f->settings.missing);
  scant_meter_set_observed(f->meter, f->settings.observed);
  return SCANT_OK;
}

scant_status scant_fit_begin(scant_fit **fit, const scant_settings *settings, const scant_fit_start *start,
                             scant_source *source, scant_error *error) {
  scant_fit *f = scant_array(1, sizeof *f);
  if (!f) {
    scant_prices_free(start->prices);
    scant_learner_free(start->learner);
    return scant_fail_memory(error);
  }
  f->settings = *settings;
  f->source = source;
  f->prices = start->prices;
  f->learner = start->learner;
  f->stream = start->stream;
  f->order = start->order;
  scant_status status = scant_source_has_target(source)
                            ? start_fit(f, error)
                            : scant_fail(error, SCANT_DATA, "the data have no target to learn");
  if (status != SCANT_OK) {
    scant_fit_free(f);
    return status;
  }
  *fit = f;
  return SCANT_OK;
}

scant_status scant_fit_open(scant_fit **fit, const scant_settings *settings, scant_prices *prices, scant_source *source,
                            scant_error *error) {
  return scant_fit_begin(fit, settings, &(scant_fit_start){.prices = prices}, source, error);
}

scant_status scant_fit_find_prices(scant_prices **prices, const scant_settings *settings, const scant_source *source,
                                   scant_error *error) {
  if (settings->costs) return scant_prices_load(prices, settings->costs, source, error);
  return scant_source_copy_prices(source, prices, error);
}

scant_status scant_fit_new(scant_fit **fit, const scant_settings *settings, scant_source *source, scant_error *error) {
  scant_fit_start start = {0};
  SCANT_TRY(scant_fit_find_prices(&start.prices, settings, source, error));
  return scant_fit_begin(fit, settings, &start, source, error);
}

scant_status scant_fit_stream(scant_fit **fit, const scant_settings *settings, scant_source *source,
                              scant_error *error) {
  const scant_settings *s = settings;
  const char *wrong = s->split > 0 ? "split" : s->examples ? "examples" : s->passes > 1 ? "more than one pass" : NULL;
  if (wrong)
    return scant_fail(error, SCANT_USAGE, "%s can't be had of examples that come source by source, each once", wrong);
  scant_fit_start start = {.stream = 1};
  SCANT_TRY(scant_fit_find_prices(&start.prices, settings, source, error));
  return scant_fit_begin(fit, settings, &start, source, error);
}

void scant_fit_free(scant_fit *fit) {
  if (!fit) return;
  scant_learner_free(fit->learner);
  for (unsigned i = 0; i < SCANT_AHEAD; i++) scant_look_free(fit->looks[i]);
  scant_meter_free(fit->meter);
  scant_prices_free(fit->prices);
  free(fit->rows);
  free(fit->values);
  free(fit->classes);
  free(fit);
}

/* ---- the bounds of the theorems -------------------------------------------- */

/* The theorems assume |x|_2 <= 1 (or |x_i| <= 1, in the 1-norm ball) after
 * x-bound, and |y| <= B.  More than what was bought can't be seen; coinflip has
 * no theorem. */
static void note_values(scant_fit *f, size_t row, const scant_look *look) {
  double norm = 0, bound = f->settings.x_bound;
  for (uint32_t i = 0; i < look->count; i++) {
    if (isnan(f->values[i])) continue;
    norm = f->learner->update->norm == SCANT_NORM_2 ? hypot(norm, f->values[i]) : fabs(f->values[i]);
    if (norm <= bound) continue;
    char where[SCANT_ERROR_LENGTH / 2];
    int alone = fabs(f->values[i]) > bound;
    scant_source_where(f->source, row, alone ? look->attributes[i] : SCANT_WHOLE_ROW, where, sizeof where);
    scant_error_write(&f->warning, "%s: %s%.9g is beyond x-bound %g, so the theorem's bound does not hold", where,
                      alone ? "" : "the norm of what was bought there: ", alone ? f->values[i] : norm, bound);
    return;
  }
}

static void note_bounds(scant_fit *f, size_t row, const scant_look *look, double y) {
  const scant_settings *s = &f->settings;
  if (f->warning.text[0] || !f->has_theorem) return;
  /* well within the 2-norm's bound is within any */
  int within = scant_lanes_dot(look->count, f->values, f->values) < 0.999 * s->x_bound * s->x_bound;
  if (!within) note_values(f, row, look);
  if (f->warning.text[0] || fabs(y) <= s->radius) return;
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(f->source, row, SCANT_WHOLE_ROW, where, sizeof where);
  scant_error_write(&f->warning, "%s: the target %g is beyond radius %g, so the theorem's bound does not hold", where,
                    y, s->radius);
}

/* ---- looks ahead --------------------------------------------------------- */

static scant_look *look_at(const scant_fit *f, unsigned place) {
  return f->looks[(f->first + place) & (f->ahead - 1)];
}

/* As if none had been drawn ahead: the generator is that of the next one. */
static void forget_looks(scant_fit *f) {
  if (f->drawn) f->learner->rng = f->before[f->first];
  f->drawn = 0;
}

/* Sends for a quarter of the values of the last look, `part` of them, or for all if
 * they are few: memory has only so many requests under way, and nobody waits if
 * they come spread out. */
static void send_for(const scant_fit *f, uint32_t part) {
  if (f->ahead == 1 || (part && f->few)) return;
  const scant_look *look = look_at(f, f->drawn - 1);
  uint32_t first = look->count * part / 4, end = f->few ? look->count : look->count * (part + 1) / 4;
  scant_source_expect(f->source, (size_t)f->rows[f->position + f->drawn - 1], end - first, look->attributes + first);
  if (f->learner->dimension < DIMENSION_CACHED) return;
  scant_learner_expect(f->learner, end - first, look->attributes + first);
  for (uint32_t i = first; i < end; i++) __builtin_prefetch(&f->meter->purchases[look->attributes[i]], 1);
}

/* Draws as many as are wanted.  Those drawn by a law that is gone are drawn again:
 * so what a look is depends on what was told before it alone, not on how far ahead
 * it was drawn. */
static scant_status draw_looks(scant_fit *f, scant_error *error) {
  scant_learner *l = f->learner;
  if (f->law_age != l->law.age) forget_looks(f);
  f->law_age = l->law.age;
  while (f->drawn < f->ahead && (!f->drawn || f->position + f->drawn < f->train_count)) {
    scant_look *look = look_at(f, f->drawn);
    f->before[(f->first + f->drawn) & (f->ahead - 1)] = l->rng;
    SCANT_TRY(scant_look_draw(l, look, error));
    f->drawn++;
  }
  return SCANT_OK;
}

/* ---- the loop ---------------------------------------------------------- */

/* Buys what a look asks for, and learns from it. */
static scant_status learn_look(scant_fit *f, size_t row, const scant_look *look, scant_error *error) {
  double y;
  scant_step step;
  scant_error inner;
  send_for(f, 0);
  if (look->count > f->values_room && !scant_grow(&f->values, &f->values_room, look->count, sizeof *f->values))
    return scant_fail_memory(error);
  SCANT_TRY(scant_meter_buy(f->meter, row, look, f->values, &y, error));
  send_for(f, 1);
  scant_status status = scant_learner_prepare(f->learner, look, f->values, y, &step, &inner);
  if (status != SCANT_OK) return scant_fit_fail(f, status, &inner, error);
  send_for(f, 2);
  scant_learner_commit(f->learner, look, f->values, y, &step);
  send_for(f, 3);
  note_bounds(f, row, look, y);
  return SCANT_OK;
}

/* One example, or nothing: after a failed read the next try draws the same
 * look.  What was bought and can't be learned from stays in the ledger, and the
 * fit does not go on: another try would buy it again. */
static scant_status learn_one(void *fit, scant_error *error) {
  scant_fit *f = fit;
  SCANT_TRY(draw_looks(f, error));
  scant_look *look = look_at(f, 0);
  scant_rng rng = f->learner->rng_by_w;
  uint64_t serial = f->learner->next_serial;
  size_t row = (size_t)f->rows[f->position];
  scant_status status = scant_look_freeze(f->learner, look, error);
  if (status == SCANT_OK) {
    status = learn_look(f, row, look, error);
    if (status == SCANT_OK) {
      f->first = (f->first + 1) & (f->ahead - 1);
      f->drawn--;
      return SCANT_OK;
    }
    scant_learner_cancel(f->learner, look, NULL);
  }
  forget_looks(f);
  f->learner->rng_by_w = rng;
  f->learner->next_serial = serial;
  return status;
}

void scant_fit_next(scant_fit *fit) {
  if (++fit->position < fit->train_count) return;
  if (fit->pass + 1 < fit->settings.passes)
    scant_fit_start_pass(fit, fit->pass + 1);
  else
    fit->finished = 1;
}

scant_status scant_fit_fail(scant_fit *fit, scant_status status, const scant_error *inner, scant_error *error) {
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(fit->source, (size_t)fit->rows[fit->position], SCANT_WHOLE_ROW, where, sizeof where);
  scant_error_write(&fit->failure, "%s: %.240s", where, inner->text);
  fit->failed = status;
  return scant_fail(error, status, "%s", fit->failure.text);
}

scant_status scant_fit_advance(scant_fit *fit, uint64_t examples, int *done, scant_error *error) {
  scant_status status = scant_fit_loop(fit, learn_one, fit, examples, done, error);
  forget_looks(fit); /* what looks at the learner now sees it as it is between two examples */
  return status;
}

scant_status scant_fit_loop(scant_fit *fit, scant_fit_step *learn, void *learner, uint64_t examples, int *done,
                            scant_error *error) {
  scant_fit *f = fit;
  if (f->failed) return scant_fail(error, f->failed, "%s", f->failure.text);
  for (; !f->finished && examples > 0; examples--) {
    scant_status status = learn(learner, error);
    if (status == SCANT_SPENT) {
      f->finished = f->spent = 1;
      break;
    }
    if (status != SCANT_OK) return status;
    scant_fit_next(f);
  }
  *done = f->finished;
  return SCANT_OK;
}

/* ---- facts ------------------------------------------------------------- */

uint64_t scant_fit_horizon(const scant_fit *fit) {
  return fit->horizon;
}

int scant_fit_budget_spent(const scant_fit *fit) {
  return fit->spent;
}

const scant_ledger *scant_fit_ledger(const scant_fit *fit) {
  return scant_meter_ledger(fit->meter);
}

const scant_learner *scant_fit_learner(const scant_fit *fit) {
  return fit->learner;
}

void scant_fit_get_facts(const scant_fit *fit, scant_learner_facts *facts) {
  scant_learner_get_facts(fit->learner, facts);
}

const scant_settings *scant_fit_settings(const scant_fit *fit) {
  return &fit->settings;
}

const uint64_t *scant_fit_held_out(const scant_fit *fit, size_t *count) {
  *count = fit->test_count;
  return fit->rows + fit->test_start;
}

const char *scant_fit_warning(const scant_fit *fit) {
  return fit->warning.text[0] ? fit->warning.text : NULL;
}

enum { PURCHASES_TO_TELL = 10 };

int scant_fit_missing_warning(const scant_fit *fit, scant_error *warning) {
  const scant_meter *m = fit->meter;
  size_t d = scant_source_dimension(fit->source), first = d, others = 0;
  for (size_t i = 0; i < d; i++) {
    if (m->purchases[i] < PURCHASES_TO_TELL || m->unknown[i] < m->purchases[i]) continue;
    if (first == d)
      first = i;
    else
      others++;
  }
  if (first == d) return 0;
  char number[32], more[64] = "";
  snprintf(number, sizeof number, "%zu", first + 1);
  const char *name = scant_source_name(fit->source, first);
  if (others) snprintf(more, sizeof more, ", nor had %zu other%s", others, others > 1 ? "s" : "");
  if (!name) name = number;
  scant_error_write(warning, "attribute %.*s was bought %llu times and never had a value%s",
                    scant_text_clip(name, strlen(name)), name, (unsigned long long)m->purchases[first], more);
  return 1;
}
