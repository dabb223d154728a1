/* A study: how it stands, what it is made of, and its results. */
#include "scant_study_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

scant_status scant_study_refuse_memory(scant_error *error) {
  return scant_fail_memory(error);
}

/* A study never exceeds its budget, but its file may have been edited: then nothing is left. */
uint64_t scant_study_rest(uint64_t budget, uint64_t used) {
  return used < budget ? budget - used : 0;
}

static void put_count_or_null(scant_json_writer *out, const char *key, int there, uint64_t count) {
  if (there)
    scant_json_count(out, key, count);
  else
    scant_json_null(out, key);
}

static void put_money_or_null(scant_json_writer *out, const char *key, int there, uint64_t hundredths) {
  if (there)
    scant_json_money(out, key, hundredths);
  else
    scant_json_null(out, key);
}

void scant_study_json_left(scant_json_writer *out, const scant_study_status *t) {
  put_money_or_null(out, "left", t->budget_cost > 0, scant_study_rest(t->budget_cost, t->spent + t->reserved));
  put_count_or_null(out, "attributes_left", t->budget > 0, scant_study_rest(t->budget, t->attributes_reserved));
}

void scant_study_json_status(scant_json_writer *out, const scant_study *study, const scant_study_status *t) {
  const scant_settings *s = scant_study_settings(study);
  scant_json_text(out, "algorithm", s->learning.algorithm);
  scant_json_count(out, "k", s->learning.k);
  scant_json_count(out, "seed", s->learning.seed);
  scant_json_count(out, "dimension", scant_study_dimension(study));
  scant_json_text(out, "target", scant_study_target(study));
  scant_json_count(out, "events", t->events);
  scant_json_count(out, "orders", t->orders);
  scant_json_count(out, "open", t->open);
  scant_json_count(out, "learned", t->learned);
  scant_json_count(out, "cancelled", t->cancelled);
  scant_json_count(out, "expired", t->expired);
  scant_json_count(out, "failed", t->failed);
  scant_json_count(out, "erased", t->erased);
  scant_json_flag(out, "unswept", t->unswept);
  scant_json_count(out, "differ", t->differ);
  scant_json_count(out, "imported", t->imported);
  scant_json_count(out, "attributes_bought", t->attributes_bought);
  scant_json_count(out, "attributes_reserved", t->attributes_reserved);
  scant_json_money(out, "spent", t->spent);
  scant_json_money(out, "reserved", t->reserved);
  scant_study_json_left(out, t);
  scant_json_real(out, "risk", t->risk);
  scant_json_real(out, "risk_error", t->risk_error);
  scant_json_real(out, "mean_learned_since", t->mean_age);
  scant_json_count(out, "most_learned_since", t->most_age);
}

scant_status scant_study_json_purchases(scant_json_writer *out, const char *key, scant_study *study,
                                        scant_error *error) {
  size_t d = scant_study_dimension(study); /* the call may find that there are more by now, of which it says nothing */
  uint64_t *purchases = scant_array(2 * d, sizeof *purchases);
  if (!purchases) return scant_fail_memory(error);
  scant_status status = scant_study_purchases(study, purchases, purchases + d, error);
  scant_json_open(out, key, '[');
  for (size_t i = 0; i < d && status == SCANT_OK; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "name", scant_study_attribute_at(study, i)->name);
    scant_json_count(out, "purchases", purchases[i]);
    scant_json_money(out, "money", purchases[d + i]);
    scant_json_close(out);
  }
  scant_json_close(out);
  free(purchases);
  return status;
}

static void put_open(scant_json_writer *out, const scant_study_order *o) {
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, o->asked_at);
  scant_json_open(out, NULL, '{');
  scant_json_count(out, "order", o->number);
  scant_json_text(out, "example", o->example);
  scant_json_text(out, "state", scant_order_state_name(o->state));
  scant_json_text(out, "asked_at", o->asked_at);
  scant_json_text(out, "asked_local", local);
  scant_json_count(out, "learned_since", o->age);
  scant_json_money(out, "price", o->price);
  scant_json_money(out, "spent", o->spent);
  scant_json_close(out);
}

scant_status scant_study_json_open_orders(scant_json_writer *out, const char *key, scant_study *study,
                                          scant_error *error) {
  const scant_study_order *o;
  scant_status status;
  scant_json_open(out, key, '[');
  for (uint64_t number = 0;; number = o->number) {
    status = scant_study_open_after(study, number, &o, error);
    if (status != SCANT_OK || !o) break;
    put_open(out, o);
  }
  scant_json_close(out);
  return status;
}

void scant_study_json_risks(scant_json_writer *out, const char *key, const scant_study_risk *risks, size_t count) {
  scant_json_open(out, key, '[');
  for (size_t i = 0; i < count; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_count(out, "examples", risks[i].examples);
    scant_json_real(out, "risk", risks[i].risk);
    scant_json_real(out, "risk_error", risks[i].risk_error);
    scant_json_close(out);
  }
  scant_json_close(out);
}

void scant_study_json_outlook(scant_json_writer *out, const scant_study_outlook *outlook) {
  scant_json_real(out, "error", outlook->error);
  scant_json_real(out, "more", outlook->more); /* null where most do not come to it */
  scant_json_real(out, "examples", outlook->examples);
  scant_json_count(out, "learned", outlook->learned);
  scant_json_count(out, "k", outlook->k);
  scant_json_count(out, "runs", outlook->runs);
  scant_json_count(out, "reached", outlook->reached);
}

/* ---- settings and catalogue -------------------------------------------------------------- */

int scant_study_is_priced(const scant_study *study) {
  for (size_t i = 0; i < scant_study_dimension(study); i++)
    if (scant_study_attribute_at(study, i)->cost) return 1;
  return 0;
}

static void put_settings(scant_json_writer *out, const scant_study *study) {
  const scant_settings *s = scant_study_settings(study);
  scant_json_open(out, "settings", '{');
  scant_json_text(out, "algorithm", s->learning.algorithm);
  scant_json_count(out, "k", s->learning.k);
  scant_json_real(out, "spend", s->learning.spend > 0 ? s->learning.spend : NAN);
  put_count_or_null(out, "budget", s->run.budget > 0, s->run.budget);
  scant_json_real(out, "budget_cost", s->run.budget_cost > 0 ? s->run.budget_cost : NAN);
  scant_json_count(out, "max_open", s->learning.max_open);
  scant_json_count(out, "seed", s->learning.seed);
  scant_json_close(out);
}

static void put_attribute(scant_json_writer *out, const scant_study_attribute *at) {
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "name", at->name);
  scant_json_text(out, "unit", at->unit);
  scant_json_money(out, "cost", at->cost);
  scant_json_real(out, "low", at->low);
  scant_json_real(out, "high", at->high);
  scant_json_real(out, "usual_low", at->usual_low);
  scant_json_real(out, "usual_high", at->usual_high);
  scant_json_text(out, "group", at->group);
  scant_json_flag(out, "known", at->known);
  scant_json_flag(out, "retired", at->retired);
  scant_json_close(out);
}

/* The study has the reasons in one text, separated by ", ". */
static void put_reasons(scant_json_writer *out, const char *reasons) {
  scant_json_open(out, "missing_reasons", '[');
  while (*reasons) {
    size_t length = strcspn(reasons, ",");
    scant_json_text_part(out, NULL, reasons, length);
    reasons += length;
    reasons += strspn(reasons, ", ");
  }
  scant_json_close(out);
}

void scant_study_json_terms(scant_json_writer *out, const scant_study *study) {
  scant_json_text(out, "target", scant_study_target(study));
  put_settings(out, study);
  put_reasons(out, scant_study_missing_reasons(study));
  scant_json_flag(out, "second_entry", scant_study_second_entry(study));
  scant_json_flag(out, "priced", scant_study_is_priced(study));
  scant_json_open(out, "attributes", '[');
  for (size_t i = 0; i < scant_study_dimension(study); i++) put_attribute(out, scant_study_attribute_at(study, i));
  scant_json_close(out);
}

scant_status scant_study_json_change(scant_json_writer *out, const char *change, scant_error *error) {
  char *words = NULL;
  scant_status status = change ? scant_study_describe_change(change, &words, error) : SCANT_OK;
  scant_json_raw(out, "change", change);
  scant_json_text(out, "words", words);
  scant_text_free(words);
  return status;
}

/* ---- results ----------------------------------------------------------------------------- */

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
  put_money_or_null(out, "left", f->left != UINT64_MAX, f->left);
  put_count_or_null(out, "attributes_left", f->attributes_left != UINT64_MAX, f->attributes_left);
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

void scant_study_json_traces(scant_json_writer *out, const scant_study_traces *t) {
  scant_json_count(out, "events", t->events);
  scant_json_count(out, "orders", t->orders);
  put_count_or_null(out, "order", t->order > 0, t->order);
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
