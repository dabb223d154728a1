/* How a study stands. */
#include <stdio.h>
#include <stdlib.h>

#include "json/study_json.h"
#include "json/study_time.h"

scant_status study_refuse_memory(scant_error *error) {
  snprintf(error->text, sizeof error->text, "out of memory");
  return SCANT_MEMORY;
}

/* A study never exceeds its budget, but its file may have been edited: then nothing is left. */
uint64_t study_rest(uint64_t budget, uint64_t used) {
  return used < budget ? budget - used : 0;
}

void study_json_left(json *out, const scant_study_status *status) {
  const scant_study_status *t = status;
  if (t->budget_cost)
    json_money(out, "left", study_rest(t->budget_cost, t->spent + t->reserved));
  else
    json_null(out, "left");
  if (t->budget)
    json_count(out, "attributes_left", study_rest(t->budget, t->attributes_reserved));
  else
    json_null(out, "attributes_left");
}

void study_json_status(json *out, const scant_study *study, const scant_study_status *status) {
  const scant_settings *s = scant_study_settings(study);
  const scant_study_status *t = status;
  json_text(out, "algorithm", s->learning.algorithm);
  json_count(out, "k", s->learning.k);
  json_count(out, "seed", s->learning.seed);
  json_count(out, "dimension", scant_study_dimension(study));
  json_text(out, "target", scant_study_target(study));
  json_count(out, "events", t->events);
  json_count(out, "orders", t->orders);
  json_count(out, "open", t->open);
  json_count(out, "learned", t->learned);
  json_count(out, "cancelled", t->cancelled);
  json_count(out, "expired", t->expired);
  json_count(out, "failed", t->failed);
  json_count(out, "erased", t->erased);
  json_flag(out, "unswept", t->unswept);
  json_count(out, "differ", t->differ);
  json_count(out, "imported", t->imported);
  json_count(out, "attributes_bought", t->attributes_bought);
  json_count(out, "attributes_reserved", t->attributes_reserved);
  json_money(out, "spent", t->spent);
  json_money(out, "reserved", t->reserved);
  study_json_left(out, t);
  json_real(out, "risk", t->risk);
  json_real(out, "risk_error", t->risk_error);
  json_real(out, "mean_learned_since", t->mean_age);
  json_count(out, "most_learned_since", t->most_age);
}

scant_status study_json_purchases(json *out, const char *key, scant_study *study, scant_error *error) {
  size_t d = scant_study_dimension(study); /* the call may find that there are more by now, of which it says nothing */
  uint64_t *purchases = calloc(2 * d, sizeof *purchases);
  if (!purchases) return study_refuse_memory(error);
  scant_status status = scant_study_purchases(study, purchases, purchases + d, error);
  json_open(out, key, '[');
  for (size_t i = 0; i < d && status == SCANT_OK; i++) {
    json_open(out, NULL, '{');
    json_text(out, "name", scant_study_attribute_at(study, i)->name);
    json_count(out, "purchases", purchases[i]);
    json_money(out, "money", purchases[d + i]);
    json_close(out);
  }
  json_close(out);
  free(purchases);
  return status;
}

static void put_open(json *out, const scant_study_order *o) {
  char local[STUDY_TIME];
  study_format_local(local, o->asked_at);
  json_open(out, NULL, '{');
  json_count(out, "order", o->number);
  json_text(out, "example", o->example);
  json_text(out, "state", scant_order_state_name(o->state));
  json_text(out, "asked_at", o->asked_at);
  json_text(out, "asked_local", local);
  json_count(out, "learned_since", o->age);
  json_money(out, "price", o->price);
  json_money(out, "spent", o->spent);
  json_close(out);
}

scant_status study_json_open_orders(json *out, const char *key, scant_study *study, scant_error *error) {
  const scant_study_order *o;
  scant_status status;
  json_open(out, key, '[');
  for (uint64_t number = 0;; number = o->number) {
    status = scant_study_open_after(study, number, &o, error);
    if (status != SCANT_OK || !o) break;
    put_open(out, o);
  }
  json_close(out);
  return status;
}

void study_json_risks(json *out, const char *key, const scant_study_risk *risks, size_t count) {
  json_open(out, key, '[');
  for (size_t i = 0; i < count; i++) {
    json_open(out, NULL, '{');
    json_count(out, "examples", risks[i].examples);
    json_real(out, "risk", risks[i].risk);
    json_real(out, "risk_error", risks[i].risk_error);
    json_close(out);
  }
  json_close(out);
}

void study_json_outlook(json *out, const scant_study_outlook *outlook) {
  json_real(out, "error", outlook->error);
  json_real(out, "more", outlook->more); /* null where most do not come to it */
  json_real(out, "examples", outlook->examples);
  json_count(out, "learned", outlook->learned);
  json_count(out, "k", outlook->k);
  json_count(out, "runs", outlook->runs);
  json_count(out, "reached", outlook->reached);
}
