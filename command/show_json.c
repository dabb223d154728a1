#include "show_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show_errors.h"
#include "base/json_document.h"

/* A setting as what it is: a number, yes or no, a text. */
static void put_setting(json *out, const scant_settings *settings, const scant_option *o) {
  char name[64], value[256];
  const char *field = (const char *)settings + o->offset;
  snprintf(name, sizeof name, "%s", o->name);
  for (char *c = name; *c; c++)
    if (*c == '-') *c = '_';
  scant_settings_get(settings, o, value, sizeof value);
  int word = !strcmp(value, "auto") || !strcmp(value, "none");
  if (o->type == SCANT_OPTION_FLAG)
    json_flag(out, name, *(const int *)(const void *)field);
  else if (o->type == SCANT_OPTION_COUNT)
    json_count(out, name, *(const uint64_t *)(const void *)field);
  else if (o->type == SCANT_OPTION_REAL && !word)
    json_real(out, name, *(const double *)(const void *)field);
  else
    json_text(out, name, value);
}

static void put_settings(json *out, const scant_model *model) {
  const scant_settings *settings = scant_model_settings(model);
  const scant_option *o;
  json_open(out, "settings", '{');
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (scant_settings_is_given(settings, o)) put_setting(out, settings, o); /* the file holds those that apply */
  json_close(out);
  json_real(out, "eta", scant_model_eta(model));
  json_real(out, "penalty", scant_model_penalty(model));
}

static void put_ledger(json *out, const scant_model *model) {
  const scant_ledger *ledger = scant_model_ledger(model);
  json_open(out, "ledger", '{');
  json_count(out, "examples", ledger->examples);
  json_count(out, "distinct_examples", ledger->distinct_examples);
  json_count(out, "looks_drawn", ledger->looks_drawn);
  json_count(out, "attributes_bought", ledger->attributes_bought);
  json_count(out, "max_bought_per_example", ledger->max_bought_per_example);
  if (scant_model_prices(model)) json_money(out, "money_spent", ledger->money_spent);
  json_count(out, "missing_cells", ledger->missing_cells);
  json_count(out, "skipped_examples", ledger->skipped_examples);
  json_count(out, "refused_examples", ledger->refused_examples);
  json_close(out);
}

/* By name, or by number from 1. */
static void put_attribute(json *out, const char *key, const scant_model *model, size_t attribute) {
  const char *name = scant_model_name(model, attribute);
  if (name)
    json_text(out, key, name);
  else
    json_count(out, key, attribute + 1);
}

static void put_weight(json *out, const scant_model *model, size_t i) {
  const double *errors = scant_model_errors(model), *low = scant_model_low(model), *mean = scant_model_means(model);
  const scant_prices *prices = scant_model_prices(model);
  json_open(out, NULL, '{');
  put_attribute(out, "attribute", model, i);
  json_real(out, "weight", scant_model_weights(model)[i]);
  json_real(out, "error", errors ? errors[i] : NAN);
  if (errors) json_flag(out, "zero_inside", !errors_is_away(model, i, ERRORS_LEVEL));
  if (errors) json_flag(out, "unpenalised", scant_model_is_unpenalised(model, i));
  json_count(out, "purchases", scant_model_purchases(model)[i]);
  if (mean) json_real(out, "mean", mean[i]);
  if (low) json_real(out, "low", low[i]);
  if (low) json_real(out, "high", scant_model_high(model)[i]);
  if (prices) json_money(out, "cost", scant_prices_cost(prices, i));
  if (prices && scant_prices_group(prices, i)) json_count(out, "group", scant_prices_group(prices, i));
  json_close(out);
}

/* What predictions from a few attributes would buy, the best first. */
static scant_status put_order(json *out, const scant_model *model, scant_error *error) {
  scant_query *query;
  if (!scant_model_is_gaussian(model)) return SCANT_OK;
  scant_status status = scant_query_new(&query, model, scant_model_prices(model), error);
  if (status != SCANT_OK) return status;
  uint32_t attribute;
  json_open(out, "buying_order", '[');
  while (status == SCANT_OK && scant_query_next(query, &attribute)) {
    put_attribute(out, NULL, model, attribute);
    status = scant_query_tell(query, attribute, 0, error);
  }
  json_close(out);
  scant_query_free(query);
  return status;
}

scant_status show_json(const scant_model *model, scant_error *error) {
  json out = {0};
  json_open(&out, NULL, '{');
  json_text(&out, "algorithm", scant_model_settings(model)->learning.algorithm);
  json_flag(&out, "checkpoint", scant_model_is_checkpoint(model));
  json_count(&out, "dimension", scant_model_dimension(model));
  json_text(&out, "target", scant_model_target_name(model));
  put_settings(&out, model);
  put_ledger(&out, model);
  json_real(&out, "intercept", scant_model_intercept(model));
  json_real(&out, "intercept_error", scant_model_intercept_error(model));
  json_real(&out, "risk", scant_model_risk(model));
  json_real(&out, "risk_error", scant_model_risk_error(model));
  errors_put(&out, model);
  json_open(&out, "weights", '[');
  for (size_t i = 0; i < scant_model_dimension(model); i++) put_weight(&out, model, i);
  json_close(&out);
  scant_status status = put_order(&out, model, error);
  if (status != SCANT_OK) {
    json_free(&out);
    return status;
  }
  json_close(&out);
  return json_print(&out, error);
}
