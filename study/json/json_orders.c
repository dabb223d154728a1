/* Orders, examples and events. */
#include "scant_study_json.h"

#include <stdlib.h>

#include "scant_base.h"

scant_study_line scant_study_target_line(const scant_study_order *order) {
  return (scant_study_line){.state = order->has_y ? SCANT_LINE_TOLD : SCANT_LINE_ORDERED,
                            .value = order->y,
                            .second = order->second,
                            .second_value = order->second_y};
}

int scant_study_is_second_due(const scant_study_order *order, const scant_study_line *line) {
  return order->second_needed && order->state <= SCANT_ORDER_TOLD && line->state != SCANT_LINE_ORDERED &&
         line->second != SCANT_SECOND_AGREES;
}

/* What came of a second entry; NULL: there is none. */
static const char *second_name(scant_second_entry second) {
  return second == SCANT_SECOND_NONE ? NULL : scant_second_entry_name(second);
}

static const char *name_of(const scant_study *study, const scant_study_line *line) {
  return scant_study_attribute_at(study, line->attribute)->name;
}

static void put_line(scant_json_writer *out, const scant_study *study, const scant_study_line *line) {
  const scant_study_attribute *at = scant_study_attribute_at(study, line->attribute);
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "name", at->name);
  scant_json_text(out, "unit", at->unit);
  scant_json_text(out, "group", at->group);
  scant_json_flag(out, "known", at->known);
  scant_json_money(out, "price", line->price);
  scant_json_text(out, "state", scant_line_state_name(line->state));
  scant_json_real(out, "value", line->value);
  scant_json_real(out, "probability", line->probability);
  scant_json_text(out, "note", line->note);
  scant_json_text(out, "second", second_name(line->second));
  scant_json_real(out, "second_value", line->second_value);
  scant_json_text(out, "second_note", line->second_note);
  scant_json_close(out);
}

void scant_study_json_order(scant_json_writer *out, const scant_study *study, const scant_study_order *o) {
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, o->asked_at);
  scant_json_count(out, "order", o->number);
  scant_json_text(out, "example", o->example);
  scant_json_text(out, "state", scant_order_state_name(o->state));
  scant_json_text(out, "asked_at", o->asked_at);
  scant_json_text(out, "asked_local", local);
  scant_json_text(out, "asked_by", o->asked_by);
  scant_json_count(out, "learned_since", o->age);
  scant_json_money(out, "price", o->price);
  scant_json_money(out, "spent", o->spent);
  scant_json_text(out, "target", scant_study_target(study));
  scant_json_real(out, "y", o->has_y ? o->y : NAN);
  scant_json_text(out, "second", second_name(o->second));
  scant_json_real(out, "second_y", o->second_y);
  scant_json_flag(out, "second_needed", o->second_needed);
  scant_json_open(out, "lines", '[');
  for (size_t i = 0; i < o->count; i++) put_line(out, study, &o->lines[i]);
  scant_json_close(out);
  scant_json_open(out, "extras", '['); /* what was measured without being ordered */
  for (size_t i = 0; i < o->extra_count; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "name", scant_study_attribute_at(study, (size_t)o->extras[i].attribute)->name);
    scant_json_real(out, "value", o->extras[i].value);
    scant_json_close(out);
  }
  scant_json_close(out);
}

static void put_to_come(scant_json_writer *out, const scant_study *study, const scant_study_order *o) {
  scant_json_open(out, "to_come", '[');
  for (size_t i = 0; i < o->count && o->state <= SCANT_ORDER_TOLD; i++)
    if (o->lines[i].state == SCANT_LINE_ORDERED) scant_json_text(out, NULL, name_of(study, &o->lines[i]));
  if (!o->has_y && o->state <= SCANT_ORDER_TOLD) scant_json_text(out, NULL, scant_study_target(study));
  scant_json_close(out);
}

static void put_second_to_come(scant_json_writer *out, const scant_study *study, const scant_study_order *o) {
  scant_study_line target = scant_study_target_line(o);
  scant_json_open(out, "second_to_come", '[');
  for (size_t i = 0; i < o->count; i++)
    if (scant_study_is_second_due(o, &o->lines[i])) scant_json_text(out, NULL, name_of(study, &o->lines[i]));
  if (scant_study_is_second_due(o, &target)) scant_json_text(out, NULL, scant_study_target(study));
  scant_json_close(out);
}

void scant_study_json_row(scant_json_writer *out, const scant_study *study, const scant_study_order *order) {
  scant_study_json_order(out, study, order);
  scant_json_count(out, "days", scant_study_days_since(order->asked_at));
  scant_json_text(out, "reason", order->reason && *order->reason ? order->reason : NULL);
  put_to_come(out, study, order);
  put_second_to_come(out, study, order);
}

static void put_difference(scant_json_writer *out, const char *name, const scant_study_line *line, int values) {
  if (line->second != SCANT_SECOND_DIFFERS) return;
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "name", name);
  if (values) {
    scant_json_real(out, "value", line->value);
    scant_json_text(out, "note", line->note);
    scant_json_real(out, "second_value", line->second_value);
    scant_json_text(out, "second_note", line->second_note);
  }
  scant_json_close(out);
}

void scant_study_json_comparison(scant_json_writer *out, const scant_study *study, const scant_study_order *order,
                                 const scant_study_comparison *comparison, int values) {
  scant_study_line target = scant_study_target_line(order);
  scant_json_count(out, "agree", comparison->agree);
  scant_json_count(out, "differ", comparison->differ);
  scant_json_count(out, "once", comparison->once);
  scant_json_count(out, "same_hand", comparison->same_hand);
  scant_json_open(out, "differences", '[');
  for (size_t i = 0; i < order->count; i++)
    put_difference(out, name_of(study, &order->lines[i]), &order->lines[i], values);
  put_difference(out, scant_study_target(study), &target, values);
  scant_json_close(out);
}

/* ---- examples and events ----------------------------------------------------------------- */

const char *scant_study_told_name(const scant_study *study, int64_t attribute) {
  return attribute < 0 ? scant_study_target(study) : scant_study_attribute_at(study, (size_t)attribute)->name;
}

scant_status scant_study_find_orders(scant_study *study, const char *example, uint64_t **numbers, size_t *count,
                                     scant_error *error) {
  const scant_study_event *e;
  size_t room = 0, events = 0;
  *numbers = NULL;
  *count = 0;
  for (uint64_t after = 0;; after = e->sequence) {
    SCANT_TRY(scant_study_event_of(study, example, after, &e, error));
    if (!e) break;
    events++;
    if (e->kind != SCANT_EVENT_ASK) continue;
    if (!scant_grow(numbers, &room, *count + 1, sizeof **numbers)) return scant_fail_memory(error);
    (*numbers)[(*count)++] = e->order;
  }
  if (events) return SCANT_OK;
  scant_study_traces none;
  return scant_study_find_traces(study, example, &none, error); /* for its sentence, which names a near name */
}

static void put_values(scant_json_writer *out, const char *key, const scant_study *study, const scant_study_event *e) {
  scant_json_open(out, key, '[');
  for (size_t i = 0; i < e->count; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "name", scant_study_told_name(study, e->told[i].attribute));
    scant_json_real(out, "value", e->told[i].value);
    scant_json_text(out, "note", e->told[i].note);
    scant_json_close(out);
  }
  scant_json_close(out);
}

void scant_study_json_event(scant_json_writer *out, const scant_study *study, const scant_study_event *e) {
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, e->at);
  scant_json_count(out, "event", e->sequence);
  scant_json_text(out, "at", e->at);
  scant_json_text(out, "local", local);
  scant_json_text(out, "by", e->by);
  scant_json_text(out, "via", e->via);
  scant_json_text(out, "kind", scant_event_kind_name(e->kind));
  if (e->order)
    scant_json_count(out, "order", e->order);
  else
    scant_json_null(out, "order");
  scant_json_fixed(out, "reserved", (double)e->reserved / 100, 2);
  scant_json_fixed(out, "spent", (double)e->spent / 100, 2);
  scant_json_flag(out, "learned", e->learned);
  scant_json_text(out, "reason", e->reason);
  put_values(out, "values", study, e);
}

void scant_study_json_ledger_event(scant_json_writer *out, const scant_study *study, const scant_study_event *event) {
  scant_study_json_event(out, study, event);
  scant_json_text(out, "example", event->example);
  scant_json_flag(out, "erased", event->erased);
  /* That of a frozen copy is a text: its SHA-256.  That of the first event has the key of the pseudonyms in it. */
  if (event->kind == SCANT_EVENT_FREEZE)
    scant_json_text(out, "change", event->change);
  else if (event->kind == SCANT_EVENT_CREATE)
    scant_json_null(out, "change");
  else
    scant_json_raw(out, "change", event->change);
}

/* What was imported, as it stands; null: nothing was. */
static scant_status put_imported(scant_json_writer *out, scant_study *study, const char *example, scant_error *error) {
  const scant_study_event *e;
  SCANT_TRY(scant_study_find_imported(study, example, &e, error));
  if (e)
    put_values(out, "imported", study, e);
  else
    scant_json_null(out, "imported");
  return SCANT_OK;
}

static scant_status put_orders(scant_json_writer *out, scant_study *study, const char *example, scant_error *error) {
  const scant_study_order *o;
  uint64_t *numbers;
  size_t count;
  scant_status status = scant_study_find_orders(study, example, &numbers, &count, error);
  scant_json_open(out, "orders", '[');
  for (size_t i = 0; i < count && status == SCANT_OK; i++) {
    status = scant_study_order_at(study, numbers[i], &o, error);
    if (status != SCANT_OK || !o) continue;
    scant_json_open(out, NULL, '{');
    scant_study_json_order(out, study, o);
    scant_json_text(out, "reason", o->reason);
    scant_json_close(out);
  }
  scant_json_close(out);
  free(numbers);
  return status;
}

scant_status scant_study_json_example(scant_json_writer *out, scant_study *study, const char *example,
                                      scant_error *error) {
  const scant_study_event *e;
  scant_json_text(out, "example", example);
  scant_status status = put_orders(out, study, example, error);
  if (status == SCANT_OK) status = put_imported(out, study, example, error);
  scant_json_open(out, "history", '[');
  for (uint64_t after = 0; status == SCANT_OK; after = e->sequence) {
    status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK || !e) break;
    scant_json_open(out, NULL, '{');
    scant_study_json_event(out, study, e);
    scant_json_close(out);
  }
  scant_json_close(out);
  return status;
}
