/* scant study list: the orders that wait, or any others, with what is still to come. */
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

/* ---- which -------------------------------------------------------------------------- */

static scant_status filter_read(const arguments *a, const scant_study *study, scant_study_filter *f,
                                scant_error *error) {
  const scant_study_filter_words words = {.state = a->own.state,
                                          .due = a->own.due,
                                          .since = a->own.since,
                                          .before = a->own.before,
                                          .by = a->own.by,
                                          .open = a->own.open,
                                          .all = a->own.all,
                                          .differs = a->own.differs};
  if (words.open + words.all + (words.state != NULL) > 1)
    return scant_fail(error, SCANT_USAGE, "give one of --open, --all and --state");
  if (a->own.json + a->own.sheets + (a->own.csv != NULL) > 1)
    return scant_fail(error, SCANT_USAGE, "give one of --csv, --json and --sheets");
  if (a->own.csv && *a->own.csv)
    return scant_fail(error, SCANT_USAGE, "'%.200s' is one word too many: list prints csv to standard output",
                      a->own.csv);
  return scant_study_filter_read(f, study, &words, "--", error);
}

/* ---- rows ---------------------------------------------------------------------------- */

typedef struct {
  uint64_t number, price, spent, days;
  scant_order_state state;
  char *texts; /* those below, each with its end */
  const char *example, *asked_at, *asked_by, *to_come, *reason;
  char local[SCANT_STUDY_TIME];
} row;

typedef struct {
  row *rows;
  size_t count, room;
} rows;

static void rows_free(rows *r) {
  for (size_t i = 0; i < r->count; i++) free(r->rows[i].texts);
  free(r->rows);
}

/* A copy of what is printed of an order, which lasts. */
static scant_status rows_add(rows *r, const scant_study *study, const scant_study_order *o, scant_error *error) {
  if (r->count == r->room) {
    size_t room = r->room ? 2 * r->room : 64;
    row *more = realloc(r->rows, room * sizeof *more);
    if (!more) return scant_fail_memory(error);
    r->rows = more;
    r->room = room;
  }
  row *x = &r->rows[r->count];
  *x = (row){.number = o->number, .price = o->price, .spent = o->spent, .state = o->state};
  size_t length = 0;
  FILE *to = open_memstream(&x->texts, &length);
  if (!to) return scant_fail_memory(error);
  fprintf(to, "%s%c%s%c%s%c", o->example, 0, o->asked_at, 0, o->asked_by ? o->asked_by : "", 0);
  study_write_to_come(to, study, o, ", ");
  fprintf(to, "%c%s%c", 0, o->reason ? o->reason : "", 0);
  if (fclose(to) != 0 || !x->texts) {
    free(x->texts);
    return scant_fail_memory(error);
  }
  x->example = x->texts;
  x->asked_at = x->example + strlen(x->example) + 1;
  x->asked_by = x->asked_at + strlen(x->asked_at) + 1;
  x->to_come = x->asked_by + strlen(x->asked_by) + 1;
  x->reason = x->to_come + strlen(x->to_come) + 1;
  x->days = scant_study_days_since(x->asked_at);
  scant_study_format_local(x->local, x->asked_at);
  r->count++;
  return SCANT_OK;
}

static scant_status rows_collect(rows *r, scant_study *study, const scant_study_filter *f, scant_error *error) {
  const scant_study_order *o;
  for (uint64_t after = 0;; after = o->number) {
    scant_status status = scant_study_filter_next(f, study, after, &o, error);
    if (status != SCANT_OK || !o) return status;
    status = rows_add(r, study, o, error);
    if (status != SCANT_OK) return status;
  }
}

/* ---- printing ------------------------------------------------------------------------ */

static void print_table(const rows *r, const scant_study *study) {
  int example = 7, by = 2, priced = scant_study_is_priced(study);
  uint64_t price = 0;
  for (size_t i = 0; i < r->count; i++) study_widen(&example, r->rows[i].example);
  for (size_t i = 0; i < r->count; i++) study_widen(&by, r->rows[i].asked_by);
  if (r->count) {
    printf(" order  ");
    study_print_padded("example", example + 2);
    printf("state        since                       days  ");
    study_print_padded("by", by + 2);
    printf("%sto come\n", priced ? "     price  " : "");
  }
  for (size_t i = 0; i < r->count; i++) {
    const row *x = &r->rows[i];
    printf("%6llu  ", (unsigned long long)x->number);
    study_print_padded(x->example, example + 2);
    printf("%-11s  %-25s  %5llu  ", scant_order_state_name(x->state), x->local, (unsigned long long)x->days);
    study_print_padded(x->asked_by, by + 2);
    if (priced) printf("%10.2f  ", study_money(x->price));
    printf("%s%s%s%s\n", *x->to_come ? x->to_come : "-", *x->reason ? " (" : "", x->reason, *x->reason ? ")" : "");
    price += x->price;
  }
  printf("%zu order%s", r->count, r->count == 1 ? "" : "s");
  if (priced && r->count) printf(", total %.2f", study_money(price));
  printf("\n");
}

static scant_status print_csv(const rows *r, scant_error *error) {
  printf("order,example,state,asked_at,asked_local,asked_by,days,price,spent,to_come,reason\n");
  for (size_t i = 0; i < r->count; i++) {
    const row *x = &r->rows[i];
    printf("%llu,", (unsigned long long)x->number);
    scant_status status = study_print_cell(x->example, 0, error);
    printf(",%s,%s,%s,", scant_order_state_name(x->state), x->asked_at, x->local);
    if (status == SCANT_OK) status = study_print_cell(x->asked_by, 0, error);
    printf(",%llu,%.2f,%.2f,", (unsigned long long)x->days, study_money(x->price), study_money(x->spent));
    if (status == SCANT_OK) status = study_print_cell(x->to_come, 1, error);
    printf(",");
    if (status == SCANT_OK && *x->reason) status = study_print_cell(x->reason, 0, error);
    printf("\n");
    if (status != SCANT_OK) return status;
  }
  return SCANT_OK;
}

/* The orders as they are by now, whole. */
static scant_status print_json(const rows *r, scant_study *study, const scant_study_status *t, scant_error *error) {
  scant_json_writer out = document_begin();
  const scant_study_order *o;
  scant_json_open(&out, "orders", '[');
  for (size_t i = 0; i < r->count; i++) {
    scant_status status = scant_study_order_at(study, r->rows[i].number, &o, error);
    if (status != SCANT_OK) return document_print(&out, status, error);
    scant_json_open(&out, NULL, '{');
    scant_study_json_row(&out, study, o);
    scant_json_close(&out);
  }
  scant_json_close(&out);
  scant_study_json_left(&out, t);
  return document_print(&out, SCANT_OK, error);
}

/* One page each; a form feed between them begins a new one. */
static scant_status print_sheets(const rows *r, scant_study *study, const char *name, scant_error *error) {
  const scant_study_order *o;
  for (size_t i = 0; i < r->count; i++) {
    SCANT_TRY(scant_study_order_at(study, r->rows[i].number, &o, error));
    if (i) printf("\f");
    study_print_sheet(study, name, o);
  }
  return SCANT_OK;
}

scant_status study_list(arguments *a, scant_study *study, scant_error *error) {
  scant_study_filter f;
  rows r = {0};
  scant_study_status t;
  scant_status status = filter_read(a, study, &f, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &t, error);
  if (status == SCANT_OK) status = rows_collect(&r, study, &f, error);
  if (status == SCANT_OK && a->own.csv)
    status = print_csv(&r, error);
  else if (status == SCANT_OK && a->own.json)
    status = print_json(&r, study, &t, error);
  else if (status == SCANT_OK && a->own.sheets)
    status = print_sheets(&r, study, a->operands[1], error);
  else if (status == SCANT_OK)
    print_table(&r, study);
  rows_free(&r);
  return status;
}
