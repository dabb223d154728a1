/* Forecasts, models, predictions, proofs, frozen copies, and what there is of an example. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json/study_json.h"

const char *study_forecast_covers(const study_forecast *forecast) {
  const scant_study_forecast *f = &forecast->f;
  double n = (double)forecast->fresh;
  int money = f->left != UINT64_MAX, count = f->attributes_left != UINT64_MAX;
  if (money && n * (double)f->least > (double)f->left) return "no";
  if ((!money || n * (double)f->most <= (double)f->left) &&
      (!count || n * (double)f->attributes_most <= (double)f->attributes_left))
    return "yes";
  return "maybe";
}

void study_json_forecast(json *out, const scant_study *study, const study_forecast *forecast) {
  const scant_study_forecast *f = &forecast->f;
  json_flag(out, "dry_run", 1);
  json_count(out, "examples", forecast->examples);
  json_count(out, "new_orders", forecast->fresh);
  json_count(out, "draws", f->draws);
  json_money(out, "least", f->least);
  json_fixed(out, "mean", f->mean / 100, 4);
  json_money(out, "most", f->most);
  json_real(out, "attributes_mean", f->attributes_mean);
  json_count(out, "attributes_most", f->attributes_most);
  if (f->left == UINT64_MAX)
    json_null(out, "left");
  else
    json_money(out, "left", f->left);
  if (f->attributes_left == UINT64_MAX)
    json_null(out, "attributes_left");
  else
    json_count(out, "attributes_left", f->attributes_left);
  json_text(out, "covered", study_forecast_covers(forecast));
  json_open(out, "chances", '[');
  for (size_t i = 0; i < scant_study_dimension(study); i++) {
    json_open(out, NULL, '{');
    json_text(out, "name", scant_study_attribute_at(study, i)->name);
    json_real(out, "chance", forecast->chance[i]);
    json_close(out);
  }
  json_close(out);
}

static const char *unit_of(const scant_study *study, const char *name) {
  for (size_t i = 0; name && i < scant_study_dimension(study); i++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, i);
    if (!strcmp(at->name, name)) return at->unit;
  }
  return NULL;
}

void study_json_model(json *out, const scant_study *study, const scant_model *model, const scant_study_status *status,
                      double level) {
  const double *errors = scant_model_errors(model);
  double quantile = errors ? scant_model_error_quantile(model, level) : NAN;
  json_text(out, "target", scant_study_target(study));
  json_real(out, "intercept", scant_model_intercept(model));
  json_real(out, "intercept_error", scant_model_intercept_error(model));
  json_count(out, "examples", scant_model_ledger(model)->examples);
  json_real(out, "risk", status->risk);
  json_real(out, "risk_error", status->risk_error);
  json_real(out, "level", errors ? level : NAN);
  json_open(out, "attributes", '[');
  for (size_t i = 0; i < scant_model_dimension(model); i++) {
    const char *name = scant_model_name(model, i);
    double weight = scant_model_weights(model)[i], error = errors ? errors[i] : NAN;
    json_open(out, NULL, '{');
    json_text(out, "name", name);
    json_text(out, "unit", unit_of(study, name));
    json_real(out, "weight", weight);
    json_real(out, "error", error);
    json_real(out, "low", weight - quantile * error);
    json_real(out, "high", weight + quantile * error);
    json_close(out);
  }
  json_close(out);
}

void study_json_prediction(json *out, const scant_prediction *prediction, double level) {
  json_real(out, "prediction", prediction->mean);
  json_real(out, "low", prediction->low);
  json_real(out, "high", prediction->high);
  json_real(out, "level", level);
}

void study_json_frozen(json *out, const scant_study_frozen *frozen) {
  char checksum[24];
  snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)frozen->checksum);
  json_text(out, "name", frozen->name);
  json_text(out, "at", frozen->at[0] ? frozen->at : NULL);
  json_text(out, "by", frozen->by[0] ? frozen->by : NULL);
  json_count(out, "events", frozen->events);
  json_text(out, "ledger", checksum);
  json_text(out, "sha256", frozen->sha256);
}

void study_json_proof(json *out, const scant_study_proof *proof, const scant_study_frozen *frozen) {
  json_count(out, "events", proof->events);
  json_count(out, "orders", proof->orders);
  json_flag(out, "same_build", proof->same_build);
  json_flag(out, "same_bits", proof->same_bits);
  json_real(out, "difference", proof->difference);
  if (!frozen) return;
  json_open(out, "frozen", '{');
  study_json_frozen(out, frozen);
  json_close(out);
}

void study_json_traces(json *out, const scant_study_traces *traces) {
  const scant_study_traces *t = traces;
  json_count(out, "events", t->events);
  json_count(out, "orders", t->orders);
  if (t->order)
    json_count(out, "order", t->order);
  else
    json_null(out, "order");
  json_count(out, "open", t->open);
  json_flag(out, "imported", t->imported);
  json_money(out, "spent", t->spent);
  json_money(out, "refunded", t->refunded);
  json_count(out, "attributes", t->attributes);
  json_count(out, "looks", t->looks);
  json_count(out, "unknown", t->unknown);
  json_count(out, "mentions", t->mentions);
  json_flag(out, "unswept", t->unswept);
}
