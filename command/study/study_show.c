/* scant study show: the orders of an example as they stand, and what happened to it.  It never orders anything. */
#include <stdlib.h>

#include "study_actions.h"

/* ---- as text --------------------------------------------------------------------------- */

static void print_money(const scant_study *study, const scant_study_event *e) {
  if (!scant_study_is_priced(study) || (!e->reserved && !e->spent)) return;
  printf(" (");
  if (e->reserved) printf("reserved %+.2f", (double)e->reserved / 100);
  if (e->spent) printf("%sspent %+.2f", e->reserved ? ", " : "", (double)e->spent / 100);
  printf(")");
}

static void print_event(const scant_study *study, const scant_study_event *e, int by) {
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, e->at);
  printf("%6llu  %-25s  ", (unsigned long long)e->sequence, local);
  study_print_padded(e->by ? e->by : "", by + 2);
  printf("%-7s", scant_event_kind_name(e->kind));
  if (e->order) printf(" order %llu", (unsigned long long)e->order);
  for (size_t i = 0; i < e->count; i++) {
    printf("%s%s=", i ? ", " : e->order ? ": " : " ", scant_study_told_name(study, e->told[i].attribute));
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
  for (size_t i = 0; i < e->count; i++) study_widen(&width, scant_study_told_name(study, e->told[i].attribute));
  for (size_t i = 0; i < e->count; i++) {
    printf("  ");
    study_print_padded(scant_study_told_name(study, e->told[i].attribute), width + 2);
    study_write_value(stdout, e->told[i].value, e->told[i].note);
    printf("\n");
  }
  printf("\n");
  return SCANT_OK;
}

/* How wide the names of those who acted are. */
static scant_status measure_names(scant_study *study, const char *example, int *width, scant_error *error) {
  const scant_study_event *e;
  *width = 2;
  for (uint64_t after = 0;; after = e->sequence) {
    scant_status status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK || !e) return status;
    study_widen(width, e->by);
  }
}

static scant_status print_orders(scant_study *study, const char *example, const scant_study_status *t,
                                 scant_error *error) {
  const scant_study_order *o;
  uint64_t *numbers;
  size_t count;
  scant_status status = scant_study_find_orders(study, example, &numbers, &count, error);
  for (size_t i = 0; i < count && status == SCANT_OK; i++) {
    status = scant_study_order_at(study, numbers[i], &o, error);
    if (status == SCANT_OK && o) study_print_list(study, o, i + 1 == count ? t : NULL);
    if (status == SCANT_OK) printf("\n");
  }
  free(numbers);
  return status;
}

static scant_status print_example(scant_study *study, const char *example, const scant_study_status *t,
                                  scant_error *error) {
  const scant_study_event *e;
  int by;
  scant_status status = print_orders(study, example, t, error);
  if (status == SCANT_OK) status = print_imported(study, example, error);
  if (status == SCANT_OK) status = measure_names(study, example, &by, error);
  if (status != SCANT_OK) return status;
  printf("history of example %s\n event  at                         ", example);
  study_print_padded("by", by + 2);
  printf("what\n");
  for (uint64_t after = 0;; after = e->sequence) {
    status = scant_study_event_of(study, example, after, &e, error);
    if (status != SCANT_OK || !e) return status;
    print_event(study, e, by);
  }
}

/* ---- as JSON --------------------------------------------------------------------------- */

static scant_status show_json(const arguments *a, scant_study *study, const scant_study_status *t, scant_error *error) {
  scant_json_writer out = document_begin();
  scant_status status = SCANT_OK;
  scant_json_open(&out, "examples", '[');
  for (int i = 2; i < a->operand_count && status == SCANT_OK; i++) {
    scant_json_open(&out, NULL, '{');
    status = scant_study_json_example(&out, study, a->operands[i], error);
    scant_json_close(&out);
  }
  scant_json_close(&out);
  scant_study_json_left(&out, t);
  return document_print(&out, status, error);
}

/* Nothing is printed if one of the examples is not there. */
static scant_status check(const arguments *a, scant_study *study, scant_error *error) {
  scant_status status = SCANT_OK;
  for (int i = 2; i < a->operand_count && status == SCANT_OK; i++) {
    uint64_t *numbers;
    size_t count;
    status = scant_study_find_orders(study, a->operands[i], &numbers, &count, error);
    free(numbers);
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
