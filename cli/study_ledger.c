/* scant study ledger */
#include <math.h>
#include <string.h>

#include "study.h"

/* In quotes where it must be. */
static void print_cell(const char *text) {
  if (!text) return;
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (; *text; text++) printf(*text == '"' ? "\"\"" : "%c", *text);
  putchar('"');
}

/* What a cell of several values is put together from: it is in quotes as a whole. */
static void put_quoted(const char *text) {
  for (; *text; text++) printf(*text == '"' ? "\"\"" : "%c", *text);
}

static void print_told(const scant_study *study, const scant_study_event *e) {
  char value[STUDY_REAL];
  if (!e->count) return;
  putchar('"');
  for (size_t i = 0; i < e->count; i++) {
    int64_t attribute = e->told[i].attribute;
    if (i) printf("; ");
    put_quoted(attribute < 0 ? scant_study_target(study) : scant_study_attribute_at(study, (size_t)attribute)->name);
    study_format_real(value, e->told[i].value);
    printf("=%s", isnan(e->told[i].value) ? "missing" : value);
  }
  putchar('"');
}

/* Names of what was ordered. */
static void print_ordered(const scant_study *study, const scant_study_order *o) {
  putchar('"');
  for (size_t i = 0; i < o->count; i++) {
    if (i) printf("; ");
    put_quoted(scant_study_attribute_at(study, o->lines[i].attribute)->name);
  }
  putchar('"');
}

static void print_real(double x) {
  char text[STUDY_REAL];
  study_format_real(text, x);
  printf(",%s", isfinite(x) ? text : "");
}

static void print_head(const scant_study_event *e) {
  printf("%llu,%s,%s,", (unsigned long long)e->sequence, e->at, e->kind);
  print_cell(e->example);
  printf(",");
  if (e->order) printf("%llu", (unsigned long long)e->order);
  printf(",%lld,%.2f,%.2f,", (long long)e->attributes, (double)e->reserved / 100, (double)e->spent / 100);
}

static void print_tail(const scant_study_event *e) {
  printf(",%s", e->learned ? "yes" : "no");
  print_real(e->risk);
  print_real(e->risk_error);
  printf(",");
  print_cell(e->reason);
  printf(",%016llx\n", (unsigned long long)e->checksum);
}

scant_status study_ledger(arguments *a, scant_study *study, scant_error *error) {
  (void)a;
  const scant_study_event *e;
  printf("event,at,kind,example,order,attributes,reserved,spent,values,learned,risk,risk_error,reason,checksum\n");
  for (uint64_t sequence = 0;; sequence++) {
    scant_status status = scant_study_event_after(study, sequence, &e, error);
    if (status != SCANT_OK || !e) return status;
    sequence = e->sequence - 1;
    print_head(e);
    const scant_study_order *order = NULL;
    if (!strcmp(e->kind, "ask")) { /* reading the order ends the event */
      status = scant_study_order_at(study, e->order, &order, error);
      if (status == SCANT_OK && order) print_ordered(study, order);
      if (status == SCANT_OK) status = scant_study_event_after(study, sequence, &e, error);
      if (status != SCANT_OK || !e) return status;
    } else {
      print_told(study, e);
    }
    print_tail(e);
  }
}
