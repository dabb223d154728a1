#include "settings/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/money.h"
#include "core/text.h"
#include "estimate/genest.h"
#include "learn/algorithms.h"

int scant_list_has(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *c = list; *c; c += strcspn(c, " ")) {
    c += strspn(c, " ");
    if (strcspn(c, " ") == length && !strncmp(c, word, length)) return 1;
  }
  return 0;
}

static uint64_t option_bit(const scant_option *option) {
  return UINT64_C(1) << (option - scant_option_at(0));
}

static int choice_find(const char *choices, const char *value) {
  size_t length = strlen(value);
  int place = 0;
  for (const char *c = choices;; c++, place++) {
    size_t width = strcspn(c, "|");
    if (width == length && !strncmp(c, value, length)) return place;
    c += width;
    if (!*c) return -1;
  }
}

static scant_status set_count(const scant_option *o, uint64_t *field, const char *value, scant_error *error) {
  uint64_t n;
  if (!scant_parse_count(value, strlen(value), &n))
    return scant_fail(error, SCANT_USAGE, "%s must be a whole number, not '%s'", o->name, value);
  if ((double)n < o->minimum)
    return scant_fail(error, SCANT_USAGE, "%s must be at least %.0f, not %s", o->name, o->minimum, value);
  if (o->maximum < 0x1p64 && n > (uint64_t)o->maximum)
    return scant_fail(error, SCANT_USAGE, "%s must be at most %.0f, not %s", o->name, o->maximum, value);
  *field = n;
  return SCANT_OK;
}

static scant_status set_real(const scant_option *o, double *field, const char *value, scant_error *error) {
  double x;
  if (o->or_auto && !strcmp(value, "auto")) {
    *field = NAN;
    return SCANT_OK;
  }
  if (!scant_parse_real(value, strlen(value), &x) || !isfinite(x))
    return scant_fail(error, SCANT_USAGE, "%s must be a number%s, not '%s'", o->name, o->or_auto ? " or auto" : "",
                      value);
  if (o->minimum > 0 && x <= 0) return scant_fail(error, SCANT_USAGE, "%s must be above 0, not %s", o->name, value);
  if (x < o->minimum)
    return scant_fail(error, SCANT_USAGE, "%s must be at least %g, not %s", o->name, o->minimum, value);
  if (x > o->maximum)
    return scant_fail(error, SCANT_USAGE, "%s must be at most %g, not %s", o->name, o->maximum, value);
  *field = x;
  return SCANT_OK;
}

scant_status scant_option_read(const scant_option *option, void *base, const char *value, scant_error *error) {
  const scant_option *o = option;
  void *field = (char *)base + o->offset;
  switch (o->type) {
    case SCANT_OPTION_COUNT:
      return set_count(o, field, value, error);
    case SCANT_OPTION_REAL:
      return set_real(o, field, value, error);
    case SCANT_OPTION_TEXT:
      *(const char **)field = value;
      return SCANT_OK;
    case SCANT_OPTION_FLAG:
    case SCANT_OPTION_CHOICE:
    default:
      break;
  }
  const char *choices = o->type == SCANT_OPTION_FLAG ? "no|yes" : o->choices;
  int place = choice_find(choices, value);
  if (place < 0) return scant_fail(error, SCANT_USAGE, "%s must be one of %s, not '%s'", o->name, choices, value);
  *(int *)field = place;
  return SCANT_OK;
}

void scant_settings_init(scant_settings *settings) {
  *settings = (scant_settings){0};
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (o->preset) scant_option_read(o, settings, o->preset, NULL);
}

scant_status scant_settings_new(scant_settings **settings, scant_error *error) {
  scant_settings *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  scant_settings_init(s);
  *settings = s;
  return SCANT_OK;
}

void scant_settings_free(scant_settings *settings) {
  free(settings);
}

scant_status scant_settings_set(scant_settings *settings, const char *name, const char *value, scant_error *error) {
  const scant_option *o = scant_option_find(name);
  if (!o) return scant_fail(error, SCANT_USAGE, "there is no option '%s'", name);
  scant_status status = scant_option_read(o, settings, value, error);
  if (status == SCANT_OK) settings->given |= option_bit(o);
  return status;
}

int scant_settings_is_given(const scant_settings *settings, const scant_option *option) {
  return (settings->given & option_bit(option)) != 0;
}

static int get_choice(const char *choices, int place, char *text, size_t size) {
  while (place-- > 0) choices += strcspn(choices, "|") + 1;
  return snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

int scant_settings_get(const scant_settings *settings, const scant_option *option, char *text, size_t size) {
  const void *field = (const char *)settings + option->offset;
  switch (option->type) {
    case SCANT_OPTION_COUNT:
      return snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field);
    case SCANT_OPTION_REAL:
      if (isnan(*(const double *)field)) return snprintf(text, size, "auto");
      return scant_format_shortest(text, size, *(const double *)field);
    case SCANT_OPTION_TEXT: {
      const char *value = *(const char *const *)field;
      return snprintf(text, size, "%s", value ? value : "");
    }
    case SCANT_OPTION_FLAG:
      return get_choice("no|yes", *(const int *)field, text, size);
    case SCANT_OPTION_CHOICE:
    default:
      return get_choice(option->choices, *(const int *)field, text, size);
  }
}

static scant_status unknown_algorithm(const char *name, scant_error *error) {
  char list[256] = "";
  size_t used = 0;
  const scant_algorithm *a;
  for (size_t i = 0; (a = scant_algorithm_at(i)) && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", a->name);
  return scant_fail(error, SCANT_USAGE, "there is no algorithm '%s'; there are %s", name, list);
}

/* The row's own defaults, "name=value name=value", for what was not given. */
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
  if (!strcmp(o->name, "tube")) return s->loss == SCANT_LOSS_INSENSITIVE || s->loss == SCANT_LOSS_HUBER;
  if (!strcmp(o->name, "smoothing")) return s->loss != SCANT_LOSS_SQUARED && scant_loss_is_entire((scant_loss)s->loss);
  return 1;
}

void scant_settings_own(scant_settings *settings) {
  const scant_algorithm *row = scant_algorithm_find(settings->algorithm);
  settings->algorithm = row ? row->name : NULL;
  settings->labels = settings->target = settings->classes = settings->costs = NULL;
  settings->engines = NULL;
}

int scant_settings_applies(const scant_settings *settings, const scant_option *option) {
  if (!(option->scope & SCANT_SCOPE_LEARNER)) return 1;
  const scant_row *row = scant_row_find(settings->algorithm);
  return row && scant_list_has(row->words.options, option->name) && fits_loss(settings, option);
}

static scant_status check_options(const scant_settings *settings, const scant_row *row, scant_error *error) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    if (!scant_settings_is_given(settings, o) || scant_settings_applies(settings, o)) continue;
    if (scant_list_has(row->words.options, o->name))
      return scant_fail(error, SCANT_USAGE, "%s does not go with this loss", o->name);
    return scant_fail(error, SCANT_USAGE, "%s is not an option of %s, which takes %s", o->name, row->words.name,
                      row->words.options);
  }
  return SCANT_OK;
}

scant_loss_form scant_settings_loss(const scant_settings *settings) {
  scant_loss loss = (scant_loss)settings->loss;
  return (scant_loss_form){loss, settings->tube, loss == SCANT_LOSS_SQUARED ? 1 : settings->smoothing};
}

double scant_settings_genest_draws(const scant_settings *settings) {
  scant_loss_form form = scant_settings_loss(settings);
  scant_series series = scant_loss_series(form.loss);
  uint32_t group = scant_genest_group(settings->radius, form.smoothing);
  return scant_loss_calls(form.loss) * scant_genest_expected_draws(&series, group);
}

scant_status scant_settings_fit_k(scant_settings *settings, size_t dimension, scant_error *error) {
  const scant_row *row = scant_row_find(settings->algorithm);
  int whole = row->words.whole || settings->observed;
  if (!settings->k && (whole || settings->spend > 0)) settings->k = dimension;
  if (settings->k > dimension)
    return scant_fail(error, SCANT_DATA, "k = %llu is more than the %zu attributes of an example",
                      (unsigned long long)settings->k, dimension);
  if (!whole && scant_settings_k_visit(settings) < 2) /* with spend alone, K is known only now */
    return scant_fail(error, SCANT_DATA, "with %zu attributes and %llu passes a visit has fewer than 2 looks",
                      dimension, (unsigned long long)settings->passes);
  uint64_t visit = scant_settings_k_visit(settings);
  if (row->biased && visit < 3 && visit < dimension) /* all of them are exact */
    return scant_fail(error, SCANT_DATA, "%s needs at least 3 attributes a visit, or all of them, and there are %llu",
                      row->words.name, (unsigned long long)visit);
  if (whole && settings->k != dimension)
    return scant_fail(error, SCANT_DATA, "%s looks at all %zu attributes, so k can't be %llu",
                      settings->observed ? "observed" : row->words.name, dimension, (unsigned long long)settings->k);
  return SCANT_OK;
}

double scant_settings_purchases(const scant_settings *settings, size_t dimension) {
  const scant_row *row = scant_row_find(settings->algorithm);
  double visit = (double)settings->k / (double)settings->passes, d = (double)dimension;
  if (row->words.whole || settings->observed) return d;
  if (row->look == scant_look_coinflip) return visit;
  if (row->words.dense || scant_row_is_stopped(row)) return fmin(floor(visit), d);
  double residual = row->residual == scant_residual_genest                      ? scant_settings_genest_draws(settings)
                    : row->even_split || row->look == scant_look_data_dependent ? floor(visit / 2)
                                                                                : (double)settings->residual_looks;
  double gradient = floor(visit - (row->residual == scant_residual_genest ? residual : 0));
  if (row->residual != scant_residual_genest) gradient -= residual;
  /* a draw with replacement may meet what is bought already */
  double distinct = settings->replacement ? d * -expm1(gradient * log1p(-1 / d)) : gradient;
  return fmin(distinct + residual, d);
}

/* A dense row learns from what was bought together. */
static scant_status check_dense(const scant_settings *s, const scant_row *row, scant_error *error) {
  if (row->words.dense && s->passes > 1)
    return scant_fail(error, SCANT_USAGE, "%s learns from attributes bought together, so it takes one pass",
                      row->words.name);
  if (s->observed && s->missing != SCANT_MISSING_SKIP_CELL)
    return scant_fail(error, SCANT_USAGE, "observed uses every cell that is present, so missing can't be %s",
                      s->missing == SCANT_MISSING_ERROR ? "error" : "skip-example");
  return SCANT_OK;
}

static scant_status check_k(const scant_settings *s, const scant_row *row, scant_error *error) {
  const char *name = row->words.name;
  if (row->words.whole && s->passes > 1)
    return scant_fail(error, SCANT_USAGE, "%s looks at every attribute once, so it takes one pass", name);
  if (row->words.whole || s->observed) return SCANT_OK; /* K is d */
  if (!s->k && s->spend > 0) return SCANT_OK;           /* money alone is the limit */
  if (!s->k)
    return scant_fail(error, SCANT_USAGE, "k is missing: how many attributes of an example may be bought?%s",
                      scant_list_has(row->words.options, "spend")      ? " (or spend: how much money)"
                      : scant_list_has(row->words.options, "observed") ? " (or observed: whatever is there)"
                                                                       : "");
  if (s->k < 2) return scant_fail(error, SCANT_USAGE, "k must be at least 2, not %llu", (unsigned long long)s->k);
  uint64_t visit = scant_settings_k_visit(s);
  if (visit < 2)
    return scant_fail(error, SCANT_USAGE, "k = %llu shared by %llu passes leaves fewer than 2 attributes a visit",
                      (unsigned long long)s->k, (unsigned long long)s->passes);
  if (row->even_split && s->k % 2)
    return scant_fail(error, SCANT_USAGE, "%s needs an even k, not %llu", name, (unsigned long long)s->k);
  if (row->even_split && visit % 2)
    return scant_fail(error, SCANT_USAGE, "%s needs an even number of attributes a visit, not %llu", name,
                      (unsigned long long)visit);
  if (row->residual == scant_residual_split && !row->even_split && s->residual_looks >= visit)
    return scant_fail(error, SCANT_USAGE, "residual-looks must leave at least one of the %llu looks to the gradient",
                      (unsigned long long)visit);
  if (row->biased && visit < 3 && s->passes > 1) /* in one pass they may be all */
    return scant_fail(error, SCANT_USAGE, "%s needs at least 3 attributes a visit, not %llu", name,
                      (unsigned long long)visit);
  if (row->residual != scant_residual_genest) return SCANT_OK;
  if (!scant_loss_is_entire((scant_loss)s->loss))
    return scant_fail(error, SCANT_USAGE, "%s has no series for this loss: its derivative is not entire", name);
  double residual = scant_settings_genest_draws(s), passes = (double)s->passes;
  if ((double)s->k / passes - residual < 1)
    return scant_fail(error, SCANT_USAGE,
                      "%s: the residual takes %.2f looks of an example in expectation, so k must be at least %.0f",
                      name, residual, ceil((residual + 1) * passes));
  return SCANT_OK;
}

/* Amounts of money. */
static scant_status check_money(const scant_settings *s, scant_error *error) {
  uint64_t hundredths;
  if (!scant_money_of(s->spend, &hundredths))
    return scant_fail(error, SCANT_USAGE, "spend must be an amount with at most two decimals, not %.17g", s->spend);
  if (!scant_money_of(s->budget_cost, &hundredths))
    return scant_fail(error, SCANT_USAGE, "budget-cost must be an amount with at most two decimals, not %.17g",
                      s->budget_cost);
  return SCANT_OK;
}

scant_status scant_settings_resolve(scant_settings *settings, scant_error *error) {
  const scant_row *row = scant_row_find(settings->algorithm);
  if (!row) return unknown_algorithm(settings->algorithm, error);
  scant_settings resolved = *settings;
  apply_presets(&resolved, row->words.presets);
  scant_status status = check_options(&resolved, row, error);
  if (status == SCANT_OK) status = check_dense(&resolved, row, error);
  if (status == SCANT_OK) status = check_k(&resolved, row, error);
  if (status == SCANT_OK) status = check_money(&resolved, error);
  if (status == SCANT_OK && isnan(resolved.radius) && !row->words.solved && row->update != &scant_update_sinh)
    status = scant_fail(error, SCANT_USAGE, "radius auto is for lasso and the full-* algorithms, not for %s",
                        row->words.name);
  if (status == SCANT_OK && resolved.log_target && resolved.classes)
    status = scant_fail(error, SCANT_USAGE, "log-target is for numbers: it does not go with classes");
  if (status == SCANT_OK) *settings = resolved;
  return status;
}
