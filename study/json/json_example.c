/* Examples and events. */
#include <stdlib.h>

#include "json/study_json.h"
#include "json/study_time.h"

const char *study_told_name(const scant_study *study, int64_t attribute) {
  return attribute < 0 ? scant_study_target(study) : scant_study_attribute_at(study, (size_t)attribute)->name;
}

scant_status study_find_orders(scant_study *study, const char *example, uint64_t **numbers, size_t *count,
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
      if (!more) return study_refuse_memory(error);
      *numbers = more;
    }
    (*numbers)[(*count)++] = e->order;
  }
  if (events) return SCANT_OK;
  scant_study_traces none;
  return scant_study_find_traces(study, example, &none, error); /* for its sentence, which names a near name */
}

static void put_values(json *out, const char *key, const scant_study *study, const scant_study_event *e) {
  json_open(out, key, '[');
  for (size_t i = 0; i < e->count; i++) {
    json_open(out, NULL, '{');
    json_text(out, "name", study_told_name(study, e->told[i].attribute));
    json_real(out, "value", e->told[i].value);
    json_text(out, "note", e->told[i].note);
    json_close(out);
  }
  json_close(out);
}

void study_json_event(json *out, const scant_study *study, const scant_study_event *event) {
  const scant_study_event *e = event;
  char local[STUDY_TIME];
  study_format_local(local, e->at);
  json_count(out, "event", e->sequence);
  json_text(out, "at", e->at);
  json_text(out, "local", local);
  json_text(out, "by", e->by);
  json_text(out, "via", e->via);
  json_text(out, "kind", scant_event_kind_name(e->kind));
  if (e->order)
    json_count(out, "order", e->order);
  else
    json_null(out, "order");
  json_fixed(out, "reserved", (double)e->reserved / 100, 2);
  json_fixed(out, "spent", (double)e->spent / 100, 2);
  json_flag(out, "learned", e->learned);
  json_text(out, "reason", e->reason);
  put_values(out, "values", study, e);
}

void study_json_ledger_event(json *out, const scant_study *study, const scant_study_event *event) {
  study_json_event(out, study, event);
  json_text(out, "example", event->example);
  json_flag(out, "erased", event->erased);
  /* That of a frozen copy is a text: its SHA-256.  That of the first event has the key of the pseudonyms in it. */
  if (event->kind == SCANT_EVENT_FREEZE)
    json_text(out, "change", event->change);
  else if (event->kind == SCANT_EVENT_CREATE)
    json_null(out, "change");
  else
    json_whole(out, "change", event->change);
}

/* What was imported, as it stands; null: nothing was. */
static scant_status put_imported(json *out, scant_study *study, const char *example, scant_error *error) {
  const scant_study_event *e;
  scant_status status = scant_study_find_imported(study, example, &e, error);
  if (status != SCANT_OK) return status;
  if (e)
    put_values(out, "imported", study, e);
  else
    json_null(out, "imported");
  return SCANT_OK;
}

static scant_status put_orders(json *out, scant_study *study, const char *example, scant_error *error) {
  const scant_study_order *o;
  uint64_t *numbers;
  size_t count;
  scant_status status = study_find_orders(study, example, &numbers, &count, error);
  json_open(out, "orders", '[');
  for (size_t i = 0; i < count && status == SCANT_OK; i++) {
    status = scant_study_order_at(study, numbers[i], &o, error);
    if (status != SCANT_OK || !o) continue;
    json_open(out, NULL, '{');
    study_json_order(out, study, o);
    json_text(out, "reason", o->reason);
    json_close(out);
  }
  json_close(out);
  free(numbers);
  return status;
}

scant_status study_json_example(json *out, scant_study *study, const char *example, scant_error *error) {
  const scant_study_event *e;
  json_text(out, "example", example);
  scant_status status = put_orders(out, study, example, error);
  if (status == SCANT_OK) status = put_imported(out, study, example, error);
  json_open(out, "history", '[');
  for (uint64_t after = 0; status == SCANT_OK; after = e->sequence) {
    status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK || !e) break;
    json_open(out, NULL, '{');
    study_json_event(out, study, e);
    json_close(out);
  }
  json_close(out);
  return status;
}
