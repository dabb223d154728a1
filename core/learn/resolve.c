/* Settings and the table of algorithms together: which options mean anything, what is wrong whatever the
 * data, and what K is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scant_base.h"
#include "learn/algorithms.h"
#include "learn/resolve.h"

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
  if (!strcmp(o->name, "tube"))
    return s->learning.loss == SCANT_LOSS_INSENSITIVE || s->learning.loss == SCANT_LOSS_HUBER;
  if (!strcmp(o->name, "smoothing"))
    return s->learning.loss != SCANT_LOSS_SQUARED && scant_loss_is_entire((scant_loss)s->learning.loss);
  return 1;
}

void scant_settings_own(scant_settings *settings) {
  const scant_algorithm *algorithm = scant_algorithm_find(settings->learning.algorithm);
  settings->learning.algorithm = algorithm                             ? algorithm->name
                                 : scant_settings_is_default(settings) ? SCANT_DEFAULT_ALGORITHM
                                                                       : NULL;
  settings->reading.labels = settings->reading.target = settings->reading.classes = settings->run.costs = NULL;
  settings->reading.ignore = settings->reading.only = settings->reading.na = settings->reading.one_hot = NULL;
  settings->learning.errors_of = NULL;
  settings->runtime.engines = NULL;
  settings->runtime.watch = NULL;
  settings->runtime.watcher = NULL;
}

int scant_settings_applies(const scant_settings *settings, const scant_option *option) {
  if (!(option->scope & SCANT_SCOPE_LEARNER)) return 1;
  const scant_parts *parts = scant_parts_find(settings->learning.algorithm);
  return parts && scant_algorithm_has(&parts->words, option) && fits_loss(settings, option);
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
    if (scant_algorithm_has(&parts->words, o))
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

/* Amounts of money. */
static scant_status check_money(const scant_settings *s, scant_error *error) {
  uint64_t hundredths;
  if (!scant_money_of(s->learning.spend, &hundredths))
    return scant_fail(error, SCANT_USAGE, "spend must be an amount with at most two decimals, not %.17g",
                      s->learning.spend);
  if (!scant_money_of(s->run.budget_cost, &hundredths))
    return scant_fail(error, SCANT_USAGE, "budget-cost must be an amount with at most two decimals, not %.17g",
                      s->run.budget_cost);
  return SCANT_OK;
}

/* Errors come from learners that are told what another one bought. */
scant_status scant_settings_choose_errors(scant_settings *s, const scant_parts *parts, scant_error *error) {
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
  scant_settings resolved = *settings;
  apply_presets(&resolved, parts->words.presets);
  scant_status status = check_options(&resolved, parts, error);
  if (status == SCANT_OK) status = choose_clip(&resolved, parts, error);
  if (status == SCANT_OK) status = check_dense(&resolved, parts, error);
  if (status == SCANT_OK) status = check_k(&resolved, parts, error);
  if (status == SCANT_OK) status = check_money(&resolved, error);
  if (status == SCANT_OK) status = scant_settings_choose_errors(&resolved, parts, error);
  if (status == SCANT_OK) status = check_block(&resolved, error);
  if (status == SCANT_OK && isnan(resolved.learning.radius) && !parts->words.dense &&
      !(parts->update && parts->update->anytime))
    status = scant_fail(error, SCANT_USAGE, "radius auto is for lasso and the full-* algorithms, not for %s",
                        parts->words.name);
  if (status == SCANT_OK && resolved.reading.log_target && resolved.reading.classes)
    status = scant_fail(error, SCANT_USAGE, "log-target is for numbers: it does not go with classes");
  if (status == SCANT_OK) *settings = resolved;
  return status;
}
