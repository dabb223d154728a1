/* How a study stands. */
#include <stdio.h>
#include <stdlib.h>

#include "scant_study_json.h"

scant_status scant_study_refuse_memory(scant_error *error) {
  snprintf(error->text, sizeof error->text, "out of memory");
  return SCANT_MEMORY;
}

/* A study never exceeds its budget, but its file may have been edited: then nothing is left. */
uint64_t scant_study_rest(uint64_t budget, uint64_t used) {
  return used < budget ? budget - used : 0;
}

void scant_study_json_left(scant_json_writer *out, const scant_study_status *status) {
  const scant_study_status *t = status;
  if (t->budget_cost)
    scant_json_money(out, "left", scant_study_rest(t->budget_cost, t->spent + t->reserved));
  else
    scant_json_null(out, "left");
  if (t->budget)
    scant_json_count(out, "attributes_left", scant_study_rest(t->budget, t->attributes_reserved));
  else
    scant_json_null(out, "attributes_left");
}

void scant_study_json_status(scant_json_writer *out, const scant_study *study, const scant_study_status *status) {
  const scant_settings *s = scant_study_settings(study);
  const scant_study_status *t = status;
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
  uint64_t *purchases = calloc(2 * d, sizeof *purchases);
  if (!purchases) return scant_study_refuse_memory(error);
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
