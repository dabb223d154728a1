/* scant study ledger */
#include <math.h>
#include <stdlib.h>

#include "study_actions.h"

/* Prints nothing for NULL.  `quoted`: the cell is in quotes even if it needs none. */
static scant_status print_cell(const char *text, int quoted, scant_error *error) {
  if (!text) return SCANT_OK;
  size_t size = scant_csv_cell(NULL, 0, text, quoted) + 1;
  char *cell = malloc(size);
  if (!cell) return study_refuse_memory(error);
  scant_csv_cell(cell, size, text, quoted);
  fputs(cell, stdout);
  free(cell);
  return SCANT_OK;
}

/* A cell that is made of several texts.  It is complete before it is printed. */
typedef struct {
  char *text;
  size_t length;
  FILE *to;
} list;

static scant_status list_open(list *l, scant_error *error) {
  *l = (list){0};
  l->to = open_memstream(&l->text, &l->length);
  return l->to ? SCANT_OK : study_refuse_memory(error);
}

static scant_status list_print(list *l, scant_error *error) {
  scant_status status = fclose(l->to) == 0 && l->text ? SCANT_OK : study_refuse_memory(error);
  if (status == SCANT_OK) status = print_cell(l->text, 1, error);
  free(l->text);
  return status;
}

static scant_status print_told(const scant_study *study, const scant_study_event *e, scant_error *error) {
  char value[STUDY_REAL];
  list l;
  if (!e->count) return SCANT_OK;
  scant_status status = list_open(&l, error);
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < e->count; i++) {
    int64_t attribute = e->told[i].attribute;
    study_format_real(value, e->told[i].value);
    fprintf(l.to, "%s%s=%s", i ? "; " : "",
            attribute < 0 ? scant_study_target(study) : scant_study_attribute_at(study, (size_t)attribute)->name,
            isnan(e->told[i].value) ? "missing" : value);
  }
  return list_print(&l, error);
}

static scant_status print_change(const scant_study_event *e, scant_error *error) {
  char *words = NULL;
  scant_status status = scant_study_describe_change(e->change, &words, error);
  if (status == SCANT_OK) status = print_cell(words, 1, error);
  scant_text_free(words);
  return status;
}

/* Prints the names of what was ordered. */
static scant_status print_ordered(const scant_study *study, const scant_study_order *o, scant_error *error) {
  list l;
  scant_status status = list_open(&l, error);
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < o->count; i++)
    fprintf(l.to, "%s%s", i ? "; " : "", scant_study_attribute_at(study, o->lines[i].attribute)->name);
  return list_print(&l, error);
}

static scant_status print_head(const scant_study_event *e, scant_error *error) {
  printf("%llu,%s,%s,", (unsigned long long)e->sequence, e->at, scant_event_kind_name(e->kind));
  scant_status status = print_cell(e->example, 0, error);
  printf(",");
  if (e->order) printf("%llu", (unsigned long long)e->order);
  printf(",%lld,%.2f,%.2f,", (long long)e->attributes, (double)e->reserved / 100, (double)e->spent / 100);
  return status;
}

static scant_status print_tail(const scant_study_event *e, scant_error *error) {
  printf(",%s,", e->learned ? "yes" : "no");
  scant_status status = print_cell(e->reason, 0, error);
  printf(",");
  if (status == SCANT_OK) status = print_cell(e->by, 0, error);
  printf(",");
  if (status == SCANT_OK) status = print_cell(e->via, 0, error);
  char local[STUDY_TIME];
  study_format_local(local, e->at);
  printf(",%016llx,%s\n", (unsigned long long)e->checksum, local);
  return status;
}

scant_status study_ledger(arguments *a, scant_study *study, scant_error *error) {
  (void)a;
  const scant_study_event *e;
  printf("event,at,kind,example,order,attributes,reserved,spent,values,learned,reason,by,via,checksum,local\n");
  for (uint64_t sequence = 0;; sequence = e->sequence) {
    scant_status status = scant_study_event_after(study, sequence, &e, error);
    if (status != SCANT_OK || !e) return status;
    status = print_head(e, error);
    const scant_study_order *order = NULL;
    if (status == SCANT_OK && e->kind == SCANT_EVENT_ASK) { /* reading the order invalidates the event */
      status = scant_study_order_at(study, e->order, &order, error);
      if (status == SCANT_OK && order) status = print_ordered(study, order, error);
      if (status == SCANT_OK) status = scant_study_event_after(study, sequence, &e, error);
    } else if (status == SCANT_OK && e->kind == SCANT_EVENT_AMEND && e->change) {
      status = print_change(e, error);
    } else if (status == SCANT_OK) {
      status = print_told(study, e, error);
    }
    if (status == SCANT_OK) status = print_tail(e, error);
    if (status != SCANT_OK) return status;
  }
}
