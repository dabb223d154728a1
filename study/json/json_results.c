/* Forecasts, models, predictions, proofs, frozen copies, and what there is of an example. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scant_study_json.h"

const char *scant_study_ask_covers(const scant_study_ask_forecast *forecast) {
  const scant_study_forecast *f = &forecast->f;
  double n = (double)forecast->fresh;
  int money = f->left != UINT64_MAX, count = f->attributes_left != UINT64_MAX;
  if (money && n * (double)f->least > (double)f->left) return "no";
  if ((!money || n * (double)f->most <= (double)f->left) &&
      (!count || n * (double)f->attributes_most <= (double)f->attributes_left))
    return "yes";
  return "maybe";
}

void scant_study_json_forecast(scant_json_writer *out, const scant_study *study,
                               const scant_study_ask_forecast *forecast) {
  const scant_study_forecast *f = &forecast->f;
  scant_json_flag(out, "dry_run", 1);
  scant_json_count(out, "examples", forecast->examples);
  scant_json_count(out, "new_orders", forecast->fresh);
  scant_json_count(out, "draws", f->draws);
  scant_json_money(out, "least", f->least);
  scant_json_fixed(out, "mean", f->mean / 100, 4);
  scant_json_money(out, "most", f->most);
  scant_json_real(out, "attributes_mean", f->attributes_mean);
  scant_json_count(out, "attributes_most", f->attributes_most);
  if (f->left == UINT64_MAX)
    scant_json_null(out, "left");
  else
    scant_json_money(out, "left", f->left);
  if (f->attributes_left == UINT64_MAX)
    scant_json_null(out, "attributes_left");
  else
    scant_json_count(out, "attributes_left", f->attributes_left);
  scant_json_text(out, "covered", scant_study_ask_covers(forecast));
  scant_json_open(out, "chances", '[');
  for (size_t i = 0; i < scant_study_dimension(study); i++) {
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "name", scant_study_attribute_at(study, i)->name);
    scant_json_real(out, "chance", forecast->chance[i]);
    scant_json_close(out);
  }
  scant_json_close(out);
}

static const char *unit_of(const scant_study *study, const char *name) {
  for (size_t i = 0; name && i < scant_study_dimension(study); i++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, i);
    if (!strcmp(at->name, name)) return at->unit;
  }
  return NULL;
}

void scant_study_json_model(scant_json_writer *out, const scant_study *study, const scant_model *model,
                            const scant_study_status *status, double level) {
  const double *errors = scant_model_errors(model);
  double quantile = errors ? scant_model_error_quantile(model, level) : NAN;
  scant_json_text(out, "target", scant_study_target(study));
  scant_json_real(out, "intercept", scant_model_intercept(model));
  scant_json_real(out, "intercept_error", scant_model_intercept_error(model));
  scant_json_count(out, "examples", scant_model_ledger(model)->examples);
  scant_json_real(out, "risk", status->risk);
  scant_json_real(out, "risk_error", status->risk_error);
  scant_json_real(out, "level", errors ? level : NAN);
  scant_json_open(out, "attributes", '[');
  for (size_t i = 0; i < scant_model_dimension(model); i++) {
    const char *name = scant_model_name(model, i);
    double weight = scant_model_weights(model)[i], error = errors ? errors[i] : NAN;
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "name", name);
    scant_json_text(out, "unit", unit_of(study, name));
    scant_json_real(out, "weight", weight);
    scant_json_real(out, "error", error);
    scant_json_real(out, "low", weight - quantile * error);
    scant_json_real(out, "high", weight + quantile * error);
    scant_json_close(out);
  }
  scant_json_close(out);
}

void scant_study_json_prediction(scant_json_writer *out, const scant_prediction *prediction, double level) {
  scant_json_real(out, "prediction", prediction->mean);
  scant_json_real(out, "low", prediction->low);
  scant_json_real(out, "high", prediction->high);
  scant_json_real(out, "level", level);
}

void scant_study_json_frozen(scant_json_writer *out, const scant_study_frozen *frozen) {
  char checksum[24];
  snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)frozen->checksum);
  scant_json_text(out, "name", frozen->name);
  scant_json_text(out, "at", frozen->at[0] ? frozen->at : NULL);
  scant_json_text(out, "by", frozen->by[0] ? frozen->by : NULL);
  scant_json_count(out, "events", frozen->events);
  scant_json_text(out, "ledger", checksum);
  scant_json_text(out, "sha256", frozen->sha256);
}

void scant_study_json_proof(scant_json_writer *out, const scant_study_proof *proof, const scant_study_frozen *frozen) {
  scant_json_count(out, "events", proof->events);
  scant_json_count(out, "orders", proof->orders);
  scant_json_flag(out, "same_build", proof->same_build);
  scant_json_flag(out, "same_bits", proof->same_bits);
  scant_json_real(out, "difference", proof->difference);
  if (!frozen) return;
  scant_json_open(out, "frozen", '{');
  scant_study_json_frozen(out, frozen);
  scant_json_close(out);
}

void scant_study_json_traces(scant_json_writer *out, const scant_study_traces *traces) {
  const scant_study_traces *t = traces;
  scant_json_count(out, "events", t->events);
  scant_json_count(out, "orders", t->orders);
  if (t->order)
    scant_json_count(out, "order", t->order);
  else
    scant_json_null(out, "order");
  scant_json_count(out, "open", t->open);
  scant_json_flag(out, "imported", t->imported);
  scant_json_money(out, "spent", t->spent);
  scant_json_money(out, "refunded", t->refunded);
  scant_json_count(out, "attributes", t->attributes);
  scant_json_count(out, "looks", t->looks);
  scant_json_count(out, "unknown", t->unknown);
  scant_json_count(out, "mentions", t->mentions);
  scant_json_flag(out, "unswept", t->unswept);
}
