#include "learn/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scant_engine.h"
#include "price/prices.h"

/* ---- which options mean anything ---------------------------------------------- */

static scant_status unknown_algorithm(const char *name, scant_error *error) {
  char list[256] = SCANT_DEFAULT_ALGORITHM;
  size_t used = strlen(list);
  const scant_algorithm *a;
  for (size_t i = 0; (a = scant_algorithm_at(i)) && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, ", %s", a->name);
  return scant_fail(error, SCANT_USAGE, "there is no algorithm '%s'; there are %s", name, list);
}

/* The algorithm's own defaults, "name=value name=value", for what was not given. */
static void apply_presets(scant_settings *settings, const char *presets) {
  for (const char *c = presets; *c;) {
    c += strspn(c, " ");
    char name[32], value[32];
    size_t length = strcspn(c, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, c);
    c += length + 1;
    length = strcspn(c, " ");
    snprintf(value, sizeof value, "%.*s", (int)length, c);
    c += length;
    const scant_option *o = scant_option_find(name);
    if (!scant_settings_is_given(settings, o)) scant_option_read(o, settings, value, NULL);
  }
}

static int fits_loss(const scant_settings *s, const scant_option *o) {
  scant_loss loss = (scant_loss)s->learning.loss;
  if (o->offset == offsetof(scant_settings, learning.tube))
    return loss == SCANT_LOSS_INSENSITIVE || loss == SCANT_LOSS_HUBER;
  if (o->offset == offsetof(scant_settings, learning.smoothing))
    return loss != SCANT_LOSS_SQUARED && scant_loss_is_entire(loss);
  return 1;
}

void scant_settings_own(scant_settings *settings) {
  const scant_algorithm *algorithm = scant_algorithm_find(settings->learning.algorithm);
  const char *name = algorithm ? algorithm->name : scant_settings_is_default(settings) ? SCANT_DEFAULT_ALGORITHM : NULL;
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (o->type == SCANT_OPTION_TEXT) scant_option_read(o, settings, NULL, NULL);
  settings->learning.algorithm = name;
  settings->runtime.engines = NULL;
  settings->runtime.watch = NULL;
  settings->runtime.watcher = NULL;
}

int scant_settings_applies(const scant_settings *settings, const scant_option *option) {
  if (!(option->scope & SCANT_SCOPE_LEARNER)) return 1;
  const scant_algorithm *algorithm = scant_algorithm_find(settings->learning.algorithm);
  return algorithm && scant_algorithm_takes(algorithm, option->name) && fits_loss(settings, option);
}

void scant_settings_recall_clip(scant_settings *settings) {
  const scant_option *clip = scant_option_find("clip");
  if (scant_settings_applies(settings, clip) && !scant_settings_is_given(settings, clip))
    scant_settings_set(settings, clip->name, "none", NULL);
}

static scant_status check_options(const scant_settings *settings, const scant_parts *parts, scant_error *error) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    if (!scant_settings_is_given(settings, o) || scant_settings_applies(settings, o)) continue;
    if (scant_algorithm_takes(&parts->words, o->name))
      return scant_fail(error, SCANT_USAGE, "%s does not go with this loss", o->name);
    return scant_fail(error, SCANT_USAGE, "%s is not an option of %s, which takes %s", o->name, parts->words.name,
                      parts->words.options);
  }
  return SCANT_OK;
}

/* ---- K ---------------------------------------------------------------------- */

static scant_status fail_missing_k(const scant_algorithm *words, scant_error *error) {
  int spend = scant_algorithm_takes(words, "spend"), observed = scant_algorithm_takes(words, "observed");
  return scant_fail(error, SCANT_USAGE, "k is missing: how many attributes of an example may be bought?%s",
                    spend && observed ? " (or spend: how much money; or observed: whatever is there)"
                    : spend           ? " (or spend: how much money)"
                    : observed        ? " (or observed: whatever is there)"
                                      : "");
}

static scant_status check_k(const scant_settings *s, const scant_parts *parts, scant_error *error) {
  const scant_look_kind *kind = scant_parts_looks(s);
  const char *name = parts->words.name;
  if (parts->look->whole && s->learning.passes > 1)
    return scant_fail(error, SCANT_USAGE, "%s looks at every attribute once, so it takes one pass", name);
  if (kind->whole) return SCANT_OK;                             /* K is d */
  if (!s->learning.k && s->learning.spend > 0) return SCANT_OK; /* money alone is the limit */
  if (!s->learning.k) return fail_missing_k(&parts->words, error);
  if (s->learning.k < 2)
    return scant_fail(error, SCANT_USAGE, "k must be at least 2, not %llu", (unsigned long long)s->learning.k);
  uint64_t visit = scant_settings_k_visit(s);
  if (visit < 2)
    return scant_fail(error, SCANT_USAGE, "k = %llu shared by %llu passes leaves fewer than 2 attributes per visit",
                      (unsigned long long)s->learning.k, (unsigned long long)s->learning.passes);
  if (visit < parts->words.least_k && s->learning.passes > 1) /* in one pass they may be all */
    return scant_fail(error, SCANT_USAGE, "%s needs at least %u attributes per visit, not %llu", name,
                      parts->words.least_k, (unsigned long long)visit);
  return kind->check ? kind->check(s, name, error) : SCANT_OK;
}

/* ---- all together ------------------------------------------------------------- */

/* A dense algorithm learns from attributes that were bought together. */
static scant_status check_dense(const scant_settings *s, const scant_parts *parts, scant_error *error) {
  if (parts->words.dense && s->learning.passes > 1)
    return scant_fail(error, SCANT_USAGE, "%s learns from attributes bought together, so it takes one pass",
                      parts->words.name);
  if (s->learning.observed && s->learning.missing != SCANT_MISSING_SKIP_CELL)
    return scant_fail(error, SCANT_USAGE, "observed uses every cell that is present, so missing can't be %s",
                      s->learning.missing == SCANT_MISSING_ERROR ? "error" : "skip-example");
  if (s->learning.observed && (s->learning.spend > 0 || !s->learning.thrift))
    return scant_fail(error, SCANT_USAGE, "observed uses every cell that is present, so it takes no %s",
                      s->learning.spend > 0 ? "spend" : "no-thrift");
  return SCANT_OK;
}

/* A look for several examples is the learner's own choice.  But blocks that another learner chose may be told to one
 * that takes what is there, so that block was not given then. */
static scant_status check_block(const scant_settings *s, scant_error *error) {
  if (s->learning.block == 1) return SCANT_OK;
  if (s->learning.observed && scant_settings_is_given(s, scant_option_find("block")))
    return scant_fail(error, SCANT_USAGE, "observed takes every cell that is present, so there is no look for a block");
  if (s->run.errors && s->learning.passes > 1)
    return scant_fail(error, SCANT_USAGE,
                      "errors leave out whole blocks, and every pass makes other blocks: take one pass, or block 1");
  return SCANT_OK;
}

/* Where standardise is an option, attributes have units of their own only with it, and are clipped by default. */
static scant_status choose_clip(scant_settings *s, const scant_parts *parts, scant_error *error) {
  const scant_option *clip = scant_option_find("clip");
  if (!scant_algorithm_takes(&parts->words, "standardise")) return SCANT_OK;
  if (!scant_settings_is_given(s, clip) && s->learning.standardise) return scant_option_read(clip, s, "3", error);
  if (s->learning.clip > 0 && !s->learning.standardise)
    return scant_fail(error, SCANT_USAGE, "clip needs standardise: without it, %s takes attributes as they are",
                      parts->words.name);
  return SCANT_OK;
}

static scant_status check_amount(const char *option, double amount, scant_error *error) {
  uint64_t hundredths;
  if (scant_money_of(amount, &hundredths)) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "%s must be an amount with at most two decimals, not %.17g", option, amount);
}

/* Option errors-of asks for errors, which come from learners that are told what another one bought. */
static scant_status choose_errors(scant_settings *s, const scant_parts *parts, scant_error *error) {
  if (s->learning.errors_of) s->run.errors = 1;
  int can = parts->look->in_items || (parts->words.dense && !parts->words.whole);
  if (!s->run.errors || can) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "%s has no errors; auto, ridge, lasso, svr, gaussian and moments have",
                    parts->words.name);
}

scant_status scant_settings_resolve(scant_settings *settings, scant_error *error) {
  if (scant_settings_is_default(settings)) return scant_settings_check_default(settings, error);
  const scant_parts *parts = scant_parts_find(settings->learning.algorithm);
  if (!parts) return unknown_algorithm(settings->learning.algorithm, error);
  scant_settings s = *settings;
  apply_presets(&s, parts->words.presets);
  SCANT_TRY(check_options(&s, parts, error));
  SCANT_TRY(choose_clip(&s, parts, error));
  SCANT_TRY(check_dense(&s, parts, error));
  SCANT_TRY(check_k(&s, parts, error));
  SCANT_TRY(check_amount("spend", s.learning.spend, error));
  SCANT_TRY(check_amount("budget-cost", s.run.budget_cost, error));
  SCANT_TRY(choose_errors(&s, parts, error));
  SCANT_TRY(check_block(&s, error));
  if (isnan(s.learning.radius) && !parts->words.dense && !(parts->update && parts->update->anytime))
    return scant_fail(error, SCANT_USAGE, "radius auto is for lasso and the full-* algorithms, not for %s",
                      parts->words.name);
  if (s.reading.log_target && s.reading.classes)
    return scant_fail(error, SCANT_USAGE, "log-target is for numbers: it does not go with classes");
  *settings = s;
  return SCANT_OK;
}

/* ---- terms: K and the horizon for given data ---------------------------------------- */

/* Makes K of an algorithm that looks at everything d; SCANT_DATA if K does not suit the dimension. */
static scant_status fit_k(scant_terms *t, scant_error *error) {
  scant_learning *s = &t->settings.learning;
  const scant_algorithm *words = &t->parts->words;
  int whole = t->looks->whole;
  size_t d = t->dimension;
  if (!s->k && (whole || s->spend > 0)) s->k = d;
  if (s->k > d)
    return scant_fail(error, SCANT_DATA, "k = %llu is more than the %zu attributes of an example",
                      (unsigned long long)s->k, d);
  uint64_t visit = scant_settings_k_visit(&t->settings);
  if (!whole && visit < 2) /* with spend alone, K is known only now */
    return scant_fail(error, SCANT_DATA, "with %zu attributes and %llu passes a visit has fewer than 2 looks", d,
                      (unsigned long long)s->passes);
  if (!whole && visit < words->least_k && visit < d) /* all of them are exact */
    return scant_fail(error, SCANT_DATA,
                      "%s needs at least %u attributes per visit, or all of them, and there are %llu", words->name,
                      words->least_k, (unsigned long long)visit);
  if (whole && s->k != d)
    return scant_fail(error, SCANT_DATA, "%s looks at all %zu attributes, so k can't be %llu",
                      s->observed ? "observed" : words->name, d, (unsigned long long)s->k);
  return SCANT_OK;
}

/* Prices steer the looks of some kinds.  Looks of the other kinds meet all attributes about equally often. */
double scant_terms_visit_looks(const scant_terms *terms, const scant_prices *prices) {
  const scant_settings *s = &terms->settings;
  return prices && terms->looks->price ? scant_thrift_visit_looks(prices, s)
                                       : scant_look_purchases(terms->looks, s, terms->dimension);
}

double scant_terms_visit_price(const scant_terms *terms, const scant_prices *prices, uint64_t horizon) {
  const scant_settings *s = &terms->settings;
  size_t d = prices->dimension;
  if (terms->looks->price) return scant_thrift_visit_price(prices, s, horizon);
  return (double)prices->total * fmin(1, scant_look_purchases(terms->looks, s, d) / (double)d);
}

static void shorten(uint64_t *horizon, double examples) {
  if (examples < (double)*horizon) *horizon = examples < 1 ? 1 : (uint64_t)examples;
}

/* How many examples the budgets pay for; the step size depends on how soon the money ends. */
static uint64_t find_horizon(const scant_terms *t, const scant_extent *extent) {
  const scant_run *run = &t->settings.run;
  uint64_t horizon = extent->examples;
  if (!extent->limited) return horizon;
  double looks = scant_terms_visit_looks(t, extent->prices);
  if (horizon && run->budget && looks > 0) shorten(&horizon, ceil((double)run->budget / looks));
  if (horizon && extent->prices && run->budget_cost > 0)
    shorten(&horizon, ceil(100 * run->budget_cost / scant_terms_visit_price(t, extent->prices, horizon)));
  return horizon;
}

static void take_parts(scant_terms *t) {
  t->parts = scant_parts_find(t->settings.learning.algorithm);
  t->settings.learning.algorithm = t->parts->words.name;
  t->looks = scant_parts_looks(&t->settings);
}

/* How many examples a budget pays for depends on the algorithm, so the settings are tried with the dense one first. */
static scant_status choose_algorithm(scant_terms *t, const scant_extent *extent, scant_error *error) {
  if (!scant_settings_is_default(&t->settings)) return SCANT_OK;
  SCANT_TRY(scant_settings_check_either(&t->settings, error));
  scant_terms supposed = *t;
  uint64_t examples = extent->examples;
  supposed.settings.learning.algorithm = scant_default_algorithm(SCANT_DEFAULT_DENSE)->name;
  take_parts(&supposed);
  if (extent->limited) {
    SCANT_TRY(fit_k(&supposed, error));
    examples = find_horizon(&supposed, extent);
  }
  scant_settings_choose(&t->settings, t->dimension, examples, extent->prices, &t->choice);
  return SCANT_OK;
}

/* What follows from resolved settings. */
static scant_status complete(scant_terms *t, const scant_extent *extent, scant_error *error) {
  take_parts(t);
  SCANT_TRY(choose_errors(&t->settings, t->parts, error));
  SCANT_TRY(fit_k(t, error));
  t->horizon = find_horizon(t, extent);
  return SCANT_OK;
}

scant_status scant_terms_make(scant_terms *terms, const scant_settings *settings, const scant_extent *extent,
                              scant_error *error) {
  scant_terms t = {.settings = *settings, .dimension = extent->dimension};
  SCANT_TRY(choose_algorithm(&t, extent, error));
  SCANT_TRY(scant_settings_resolve(&t.settings, error));
  SCANT_TRY(complete(&t, extent, error));
  *terms = t;
  return SCANT_OK;
}

scant_status scant_terms_recall(scant_terms *terms, const scant_settings *resolved, const scant_extent *extent,
                                scant_error *error) {
  scant_terms t = {.settings = *resolved, .dimension = extent->dimension};
  SCANT_TRY(complete(&t, extent, error));
  *terms = t;
  return SCANT_OK;
}

scant_status scant_settings_resolve_for(scant_settings *settings, size_t dimension, scant_error *error) {
  scant_terms terms;
  SCANT_TRY(scant_terms_make(&terms, settings, &(scant_extent){.dimension = dimension}, error));
  *settings = terms.settings;
  return SCANT_OK;
}
