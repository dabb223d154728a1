/* Examples and events. */
#include <stdlib.h>

#include "scant_study_json.h"

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
    scant_status status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK) return status;
    if (!e) break;
    events++;
    if (e->kind != SCANT_EVENT_ASK) continue;
    if (*count == room) {
      room = room ? 2 * room : 4;
      uint64_t *more = realloc(*numbers, room * sizeof *more);
      if (!more) return scant_study_refuse_memory(error);
      *numbers = more;
    }
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

void scant_study_json_event(scant_json_writer *out, const scant_study *study, const scant_study_event *event) {
  const scant_study_event *e = event;
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
  scant_status status = scant_study_find_imported(study, example, &e, error);
  if (status != SCANT_OK) return status;
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
