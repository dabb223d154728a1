#include "front/command.h"
#include "show_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show_errors.h"
#include "scant_json.h"

/* A setting as what it is: a number, yes or no, a text. */
static void put_setting(scant_json_writer *out, const scant_settings *settings, const scant_option *o) {
  char name[64], value[256];
  const char *field = (const char *)settings + o->offset;
  snprintf(name, sizeof name, "%s", o->name);
  for (char *c = name; *c; c++)
    if (*c == '-') *c = '_';
  scant_settings_get(settings, o, value, sizeof value);
  int word = !strcmp(value, "auto") || !strcmp(value, "none");
  if (o->type == SCANT_OPTION_FLAG)
    scant_json_flag(out, name, *(const int *)(const void *)field);
  else if (o->type == SCANT_OPTION_COUNT)
    scant_json_count(out, name, *(const uint64_t *)(const void *)field);
  else if (o->type == SCANT_OPTION_REAL && !word)
    scant_json_real(out, name, *(const double *)(const void *)field);
  else
    scant_json_text(out, name, value);
}

static void put_settings(scant_json_writer *out, const scant_model *model) {
  const scant_settings *settings = scant_model_settings(model);
  const scant_option *o;
  scant_json_open(out, "settings", '{');
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if (scant_settings_is_given(settings, o)) put_setting(out, settings, o); /* the file holds those that apply */
  scant_json_close(out);
  scant_json_real(out, "eta", scant_model_eta(model));
  scant_json_real(out, "penalty", scant_model_penalty(model));
}

static void put_ledger(scant_json_writer *out, const scant_model *model) {
  const scant_ledger *ledger = scant_model_ledger(model);
  scant_json_open(out, "ledger", '{');
  scant_json_count(out, "examples", ledger->examples);
  scant_json_count(out, "distinct_examples", ledger->distinct_examples);
  scant_json_count(out, "looks_drawn", ledger->looks_drawn);
  scant_json_count(out, "attributes_bought", ledger->attributes_bought);
  scant_json_count(out, "max_bought_per_example", ledger->max_bought_per_example);
  if (scant_model_prices(model)) scant_json_money(out, "money_spent", ledger->money_spent);
  scant_json_count(out, "missing_cells", ledger->missing_cells);
  scant_json_count(out, "skipped_examples", ledger->skipped_examples);
  scant_json_count(out, "refused_examples", ledger->refused_examples);
  scant_json_close(out);
}

/* By name, or by number from 1. */
static void put_attribute(scant_json_writer *out, const char *key, const scant_model *model, size_t attribute) {
  const char *name = scant_model_name(model, attribute);
  if (name)
    scant_json_text(out, key, name);
  else
    scant_json_count(out, key, attribute + 1);
}

static void put_weight(scant_json_writer *out, const scant_model *model, size_t i) {
  const double *errors = scant_model_errors(model), *low = scant_model_low(model);
  const scant_prices *prices = scant_model_prices(model);
  scant_json_open(out, NULL, '{');
  put_attribute(out, "attribute", model, i);
  scant_json_real(out, "weight", scant_model_weights(model)[i]);
  scant_json_real(out, "error", errors ? errors[i] : NAN);
  if (errors) scant_json_flag(out, "zero_inside", !errors_is_away(model, i, ERRORS_LEVEL));
  if (errors) scant_json_flag(out, "unpenalised", scant_model_is_unpenalised(model, i));
  scant_json_count(out, "purchases", scant_model_purchases(model)[i]);
  scant_json_real(out, "mean", scant_model_means(model)[i]);
  if (low) scant_json_real(out, "low", low[i]);
  if (low) scant_json_real(out, "high", scant_model_high(model)[i]);
  if (prices) scant_json_money(out, "cost", scant_prices_cost(prices, i));
  if (prices && scant_prices_group(prices, i)) scant_json_count(out, "group", scant_prices_group(prices, i));
  scant_json_close(out);
}

/* What predictions from a few attributes would buy, the best first. */
static scant_status put_order(scant_json_writer *out, const scant_model *model, scant_error *error) {
  scant_query *query;
  if (!scant_model_is_gaussian(model)) return SCANT_OK;
  scant_status status = scant_query_new(&query, model, scant_model_prices(model), error);
  if (status != SCANT_OK) return status;
  uint32_t attribute;
  scant_json_open(out, "buying_order", '[');
  while (status == SCANT_OK && scant_query_next(query, &attribute)) {
    put_attribute(out, NULL, model, attribute);
    status = scant_query_tell(query, attribute, 0, error);
  }
  scant_json_close(out);
  scant_query_free(query);
  return status;
}

scant_status show_json(const scant_model *model, scant_error *error) {
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_text(&out, "algorithm", scant_model_settings(model)->learning.algorithm);
  scant_json_flag(&out, "checkpoint", scant_model_is_checkpoint(model));
  scant_json_count(&out, "dimension", scant_model_dimension(model));
  scant_json_text(&out, "target", scant_model_target_name(model));
  put_settings(&out, model);
  put_ledger(&out, model);
  scant_json_real(&out, "intercept", scant_model_intercept(model));
  scant_json_real(&out, "intercept_error", scant_model_intercept_error(model));
  scant_json_real(&out, "risk", scant_model_risk(model));
  scant_json_real(&out, "risk_error", scant_model_risk_error(model));
  errors_put(&out, model);
  scant_json_open(&out, "weights", '[');
  for (size_t i = 0; i < scant_model_dimension(model); i++) put_weight(&out, model, i);
  scant_json_close(&out);
  scant_status status = put_order(&out, model, error);
  if (status != SCANT_OK) {
    scant_json_discard(&out);
    return status;
  }
  scant_json_close(&out);
  return print_document(&out, error);
}
