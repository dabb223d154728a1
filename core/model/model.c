#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/source.h"
#include "learn/learner.h"
#include "price/prices.h"
#include "learn/resolve.h"

scant_status scant_model_new(scant_model **model, size_t dimension, scant_error *error) {
  scant_model *m = scant_array(1, sizeof *m);
  if (!m) return scant_fail_memory(error);
  m->dimension = dimension;
  m->weights = scant_array(dimension, sizeof *m->weights);
  m->means = scant_array(dimension, sizeof *m->means);
  m->purchases = scant_array(dimension, sizeof *m->purchases);
  m->eta = m->penalty = NAN;
  if (!m->weights || !m->means || !m->purchases) {
    scant_model_free(m);
    return scant_fail_memory(error);
  }
  *model = m;
  return SCANT_OK;
}

scant_status scant_model_new_limits(scant_model *model, scant_error *error) {
  model->low = scant_array(model->dimension, sizeof *model->low);
  model->high = scant_array(model->dimension, sizeof *model->high);
  return model->low && model->high ? SCANT_OK : scant_fail_memory(error);
}

/* Replaces a text by a copy of another one, or by NULL. */
static scant_status keep_text(char **kept, const char *text, scant_error *error) {
  char *copy = text ? scant_copy_text(text, strlen(text)) : NULL;
  if (text && !copy) return scant_fail_memory(error);
  free(*kept);
  *kept = copy;
  return SCANT_OK;
}

scant_status scant_model_set_settings(scant_model *model, const scant_settings *settings, scant_error *error) {
  char *algorithm = NULL, *classes = NULL;
  SCANT_TRY(keep_text(&algorithm, settings->learning.algorithm, error));
  if (keep_text(&classes, settings->reading.classes, error) != SCANT_OK) {
    free(algorithm);
    return SCANT_MEMORY;
  }
  free(model->algorithm);
  free(model->classes);
  model->algorithm = algorithm;
  model->classes = classes;
  model->settings = *settings;
  scant_settings_own(&model->settings);
  model->settings.learning.algorithm = model->algorithm;
  model->settings.reading.classes = model->classes;
  return SCANT_OK;
}

/* Gives the model to the caller, or frees it after a failure. */
static scant_status hand_over(scant_model **model, scant_model *m, scant_status status) {
  if (status == SCANT_OK)
    *model = m;
  else
    scant_model_free(m);
  return status;
}

/* What an engine adds. */
static scant_status keep_extras(scant_model *m, scant_learner *learner, scant_error *error) {
  scant_engine_view view = scant_engine_view_of(learner);
  scant_model_extras extras = {.means = m->means,
                               .low = m->low,
                               .high = m->high,
                               .classes = m->settings.reading.classes != NULL,
                               .radius = m->settings.learning.radius};
  scant_status status = learner->engine->keep(&view, &extras, error);
  m->settings.learning.radius = extras.radius;
  m->gaussian = extras.gaussian;
  return status;
}

static scant_status fill_of_learner(scant_model *m, scant_learner *learner, const scant_settings *settings,
                                    const scant_prices *prices, scant_error *error) {
  SCANT_TRY(scant_model_set_settings(m, settings, error));
  if (prices && !(m->prices = scant_prices_copy(prices))) return scant_fail_memory(error);
  if (settings->learning.clip > 0) {
    SCANT_TRY(scant_model_new_limits(m, error));
    scant_learner_limits(learner, m->low, m->high);
  }
  if (learner->unpenalised) {
    m->unpenalised = scant_array(m->dimension, 1);
    if (!m->unpenalised) return scant_fail_memory(error);
    memcpy(m->unpenalised, learner->unpenalised, m->dimension);
  }
  return learner->engine && learner->engine->keep ? keep_extras(m, learner, error) : SCANT_OK;
}

scant_status scant_model_of_learner(scant_model **model, scant_learner *learner, const scant_settings *settings,
                                    const scant_prices *prices, const scant_ledger *ledger, const uint64_t *purchases,
                                    scant_error *error) {
  scant_model *m;
  SCANT_TRY(scant_learner_finish(learner, error));
  SCANT_TRY(scant_model_new(&m, learner->dimension, error));
  scant_learner_facts facts;
  scant_learner_get_facts(learner, &facts);
  scant_learner_weights(learner, m->weights, &m->intercept);
  scant_learner_means(learner, m->means);
  m->eta = facts.eta;
  m->penalty = facts.penalty;
  m->ledger = *ledger;
  memcpy(m->purchases, purchases, m->dimension * sizeof *m->purchases);
  return hand_over(model, m, fill_of_learner(m, learner, settings, prices, error));
}

scant_status scant_model_set_names(scant_model *model, const char *const *names, const char *target,
                                   scant_error *error) {
  scant_model *m = model;
  if (target) SCANT_TRY(keep_text(&m->target_name, target, error));
  if (!names) return SCANT_OK;
  m->names = scant_array(m->dimension, sizeof *m->names);
  if (!m->names) return scant_fail_memory(error);
  for (size_t i = 0; i < m->dimension; i++) SCANT_TRY(keep_text(&m->names[i], names[i], error));
  return SCANT_OK;
}

static void copy(size_t count, const double *from, double *to) {
  if (from) memcpy(to, from, count * sizeof *to);
}

static scant_status fill(scant_model *m, const scant_model_parts *parts, scant_error *error) {
  size_t d = m->dimension;
  m->gaussian = parts->gaussian;
  m->intercept = parts->intercept;
  m->penalty = parts->penalty;
  copy(d, parts->weights, m->weights);
  if (parts->ledger) m->ledger = *parts->ledger;
  if (parts->purchases) memcpy(m->purchases, parts->purchases, d * sizeof *m->purchases);
  copy(d, parts->means, m->means);
  if (parts->low) SCANT_TRY(scant_model_new_limits(m, error));
  copy(d, parts->low, m->low);
  copy(d, parts->high, m->high);
  if (parts->prices && !(m->prices = scant_prices_copy(parts->prices))) return scant_fail_memory(error);
  if (parts->settings) SCANT_TRY(scant_model_set_settings(m, parts->settings, error));
  return scant_model_set_names(m, parts->names, parts->target, error);
}

scant_status scant_model_make(scant_model **model, const scant_model_parts *parts, scant_error *error) {
  scant_model *m;
  scant_status status = scant_model_new(&m, parts->dimension, error);
  if (status != SCANT_OK) {
    scant_gaussian_free(parts->gaussian);
    return status;
  }
  return hand_over(model, m, fill(m, parts, error));
}

scant_gaussian *scant_model_gaussian(scant_model *model) {
  return model->gaussian;
}

scant_status scant_learner_model(scant_learner *learner, const char *const *names, const char *target,
                                 const scant_prices *prices, const scant_ledger *ledger, const uint64_t *purchases,
                                 scant_model **model, scant_error *error) {
  scant_model *m;
  SCANT_TRY(scant_model_of_learner(&m, learner, &learner->settings, prices, ledger, purchases, error));
  return hand_over(model, m, scant_model_set_names(m, names, target, error));
}

void scant_model_free(scant_model *model) {
  if (!model) return;
  if (model->names)
    for (size_t i = 0; i < model->dimension; i++) free(model->names[i]);
  free(model->names);
  free(model->target_name);
  free(model->algorithm);
  free(model->classes);
  free(model->checkpoint);
  free(model->weights);
  free(model->purchases);
  scant_prices_free(model->prices);
  free(model->means);
  free(model->low);
  free(model->high);
  scant_gaussian_free(model->gaussian);
  scant_errors_free(model->errors);
  free(model->unpenalised);
  free(model);
}

size_t scant_model_dimension(const scant_model *model) {
  return model->dimension;
}

const double *scant_model_weights(const scant_model *model) {
  return model->weights;
}

double scant_model_intercept(const scant_model *model) {
  return model->intercept;
}

const char *scant_model_name(const scant_model *model, size_t attribute) {
  return model->names && attribute < model->dimension ? model->names[attribute] : NULL;
}

const char *scant_model_target_name(const scant_model *model) {
  return model->target_name;
}

const scant_settings *scant_model_settings(const scant_model *model) {
  return &model->settings;
}

const scant_ledger *scant_model_ledger(const scant_model *model) {
  return &model->ledger;
}

const uint64_t *scant_model_purchases(const scant_model *model) {
  return model->purchases;
}

void scant_model_set_amended(scant_model *model) {
  model->amended = 1;
}

int scant_model_is_amended(const scant_model *model) {
  return model->amended;
}

const scant_prices *scant_model_prices(const scant_model *model) {
  return model->prices;
}

const double *scant_model_means(const scant_model *model) {
  return model->means;
}

const double *scant_model_low(const scant_model *model) {
  return model->low;
}

const double *scant_model_high(const scant_model *model) {
  return model->high;
}

double scant_model_eta(const scant_model *model) {
  return model->eta;
}

double scant_model_penalty(const scant_model *model) {
  return model->penalty;
}

int scant_model_is_checkpoint(const scant_model *model) {
  return model->checkpoint != NULL;
}

scant_status scant_model_check_settings(const scant_model *model, const scant_settings *given, scant_error *error) {
  const scant_option *o;
  if (given->run.costs) return scant_fail(error, SCANT_USAGE, "costs can't be given: the checkpoint holds its own");
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char ours[256], theirs[256];
    if (!(o->scope & SCANT_SCOPE_MODEL) || !scant_settings_is_given(given, o)) continue;
    if (!scant_settings_applies(&model->settings, o))
      return scant_fail(error, SCANT_USAGE, "%s does not go with what the model was fitted with (%s)", o->name,
                        model->algorithm);
    scant_settings_get(&model->settings, o, ours, sizeof ours);
    scant_settings_get(given, o, theirs, sizeof theirs);
    int chosen = o->offset == offsetof(scant_settings, learning.algorithm) && scant_settings_is_default(given);
    if (strcmp(ours, theirs) != 0 && !chosen) /* the model has what was taken */
      return scant_fail(error, SCANT_USAGE, "%s is %s in the checkpoint and can't be %s now", o->name,
                        *ours ? ours : "not set", theirs);
  }
  return SCANT_OK;
}

scant_status scant_model_bind(const scant_model *model, scant_source *source, scant_error *error) {
  scant_needs needs = {model->dimension, model->names, model->prices, scant_model_is_gaussian(model)};
  return scant_source_serve(source, &needs, error);
}
