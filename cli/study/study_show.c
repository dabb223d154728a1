/* scant study show: the orders of an example as they stand, and what happened to it.  It never orders anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

static const char *name_of(const scant_study *study, int64_t attribute) {
  return attribute < 0 ? scant_study_target(study) : scant_study_attribute_at(study, (size_t)attribute)->name;
}

/* The numbers of the orders of an example, and of its events. */
typedef struct {
  uint64_t *orders;
  size_t count, room;
  size_t events;
  int by; /* how wide the names of those who acted are */
} found;

static scant_status find(scant_study *study, const char *example, found *f, scant_error *error) {
  const scant_study_event *e;
  *f = (found){.by = 2};
  for (uint64_t after = 0;; after = e->sequence) {
    scant_status status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK) return status;
    if (!e) break;
    f->events++;
    if (e->by && study_width(e->by) > f->by) f->by = study_width(e->by);
    if (e->kind != SCANT_EVENT_ASK) continue;
    if (f->count == f->room) {
      size_t room = f->room ? 2 * f->room : 4;
      uint64_t *more = realloc(f->orders, room * sizeof *more);
      if (!more) return study_refuse_memory(error);
      f->orders = more;
      f->room = room;
    }
    f->orders[f->count++] = e->order;
  }
  if (f->events) return SCANT_OK;
  scant_study_traces none;
  return scant_study_find_traces(study, example, &none, error); /* for its sentence, which names a near name */
}

/* ---- as text --------------------------------------------------------------------------- */

static void print_money(const scant_study *study, const scant_study_event *e) {
  if (!study_is_priced(study) || (!e->reserved && !e->spent)) return;
  printf(" (");
  if (e->reserved) printf("reserved %+.2f", (double)e->reserved / 100);
  if (e->spent) printf("%sspent %+.2f", e->reserved ? ", " : "", (double)e->spent / 100);
  printf(")");
}

static void print_event(const scant_study *study, const scant_study_event *e, int by) {
  char local[STUDY_TIME];
  study_format_local(local, e->at);
  printf("%6llu  %-25s  ", (unsigned long long)e->sequence, local);
  study_print_padded(e->by ? e->by : "", by + 2);
  printf("%-7s", scant_event_kind_name(e->kind));
  if (e->order) printf(" order %llu", (unsigned long long)e->order);
  for (size_t i = 0; i < e->count; i++) {
    printf("%s%s=", i ? ", " : e->order ? ": " : " ", name_of(study, e->told[i].attribute));
    study_write_value(stdout, e->told[i].value, e->told[i].note);
  }
  print_money(study, e);
  if (e->learned) printf(", learned");
  if (e->reason) printf("; reason: %s", e->reason);
  printf("\n");
}

/* What was imported, as it stands after corrections. */
static scant_status print_imported(scant_study *study, const char *example, scant_error *error) {
  const scant_study_event *e;
  int width = 0;
  scant_status status = scant_study_find_imported(study, example, &e, error);
  if (status != SCANT_OK || !e) return status;
  printf("example %s was imported; its values as they stand\n", example);
  for (size_t i = 0; i < e->count; i++)
    if (study_width(name_of(study, e->told[i].attribute)) > width)
      width = study_width(name_of(study, e->told[i].attribute));
  for (size_t i = 0; i < e->count; i++) {
    printf("  ");
    study_print_padded(name_of(study, e->told[i].attribute), width + 2);
    study_write_value(stdout, e->told[i].value, e->told[i].note);
    printf("\n");
  }
  printf("\n");
  return SCANT_OK;
}

static scant_status print_example(scant_study *study, const char *example, const scant_study_status *t,
                                  scant_error *error) {
  const scant_study_order *o;
  const scant_study_event *e;
  found f;
  scant_status status = find(study, example, &f, error);
  for (size_t i = 0; i < f.count && status == SCANT_OK; i++) {
    status = scant_study_order_at(study, f.orders[i], &o, error);
    if (status == SCANT_OK && o) study_print_list(study, o, i + 1 == f.count ? t : NULL);
    if (status == SCANT_OK) printf("\n");
  }
  free(f.orders);
  if (status == SCANT_OK) status = print_imported(study, example, error);
  if (status != SCANT_OK) return status;
  printf("history of example %s\n event  at                         ", example);
  study_print_padded("by", f.by + 2);
  printf("what\n");
  for (uint64_t after = 0;; after = e->sequence) {
    status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK || !e) return status;
    print_event(study, e, f.by);
  }
}

/* ---- as JSON --------------------------------------------------------------------------- */

static void put_values(json *out, const char *key, const scant_study *study, const scant_study_event *e) {
  json_open(out, key, '[');
  for (size_t i = 0; i < e->count; i++) {
    json_open(out, NULL, '{');
    json_text(out, "name", name_of(study, e->told[i].attribute));
    json_real(out, "value", e->told[i].value);
    json_text(out, "note", e->told[i].note);
    json_close(out);
  }
  json_close(out);
}

static void put_event(json *out, const scant_study *study, const scant_study_event *e) {
  char local[STUDY_TIME];
  study_format_local(local, e->at);
  json_open(out, NULL, '{');
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
  json_close(out);
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

static scant_status put_example(json *out, scant_study *study, const char *example, scant_error *error) {
  const scant_study_order *o;
  const scant_study_event *e;
  found f;
  scant_status status = find(study, example, &f, error);
  json_open(out, NULL, '{');
  json_text(out, "example", example);
  json_open(out, "orders", '[');
  for (size_t i = 0; i < f.count && status == SCANT_OK; i++) {
    status = scant_study_order_at(study, f.orders[i], &o, error);
    if (status != SCANT_OK || !o) continue;
    json_open(out, NULL, '{');
    study_put_order(out, study, o);
    json_text(out, "reason", o->reason);
    json_close(out);
  }
  json_close(out);
  free(f.orders);
  if (status == SCANT_OK) status = put_imported(out, study, example, error);
  json_open(out, "history", '[');
  for (uint64_t after = 0; status == SCANT_OK; after = e->sequence) {
    status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK || !e) break;
    put_event(out, study, e);
  }
  json_close(out);
  json_close(out);
  return status;
}

static scant_status show_json(const arguments *a, scant_study *study, const scant_study_status *t, scant_error *error) {
  json out = {0};
  scant_status status = SCANT_OK;
  json_open(&out, NULL, '{');
  json_open(&out, "examples", '[');
  for (int i = 2; i < a->operand_count && status == SCANT_OK; i++)
    status = put_example(&out, study, a->operands[i], error);
  json_close(&out);
  study_left_json(&out, t);
  json_close(&out);
  if (status == SCANT_OK) return json_print(&out, error);
  json_free(&out);
  return status;
}

/* Nothing is printed if one of the examples is not there. */
static scant_status check(const arguments *a, scant_study *study, scant_error *error) {
  scant_status status = SCANT_OK;
  for (int i = 2; i < a->operand_count && status == SCANT_OK; i++) {
    found f;
    status = find(study, a->operands[i], &f, error);
    free(f.orders);
  }
  return status;
}

scant_status study_show(arguments *a, scant_study *study, scant_error *error) {
  scant_study_status t;
  scant_status status = scant_study_get_counts(study, &t, error);
  if (status == SCANT_OK && a->own.json) return show_json(a, study, &t, error);
  if (status == SCANT_OK) status = check(a, study, error);
  for (int i = 2; i < a->operand_count && status == SCANT_OK; i++) {
    if (i > 2) printf("\n");
    status = print_example(study, a->operands[i], &t, error);
  }
  return status;
}
