/* scant study list: the orders that wait, or any others, with what is still to come. */
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

/* ---- which -------------------------------------------------------------------------- */

enum { OPEN_STATES = 1 << SCANT_ORDER_ISSUED | 1 << SCANT_ORDER_PARTLY | 1 << SCANT_ORDER_TOLD };
enum { NOBODY = -2, TARGET = -1 };

typedef struct {
  unsigned states; /* a bit for each */
  int64_t due;     /* an attribute, TARGET, or NOBODY: whatever is due */
  int has_since, has_before;
  int64_t since, before;
  const char *by; /* NULL: whoever asked */
  int differs;    /* only orders with entries that differ */
} filter;

/* "partly" is enough for "partly told". */
static int is_state(const char *name, const char *text, size_t length) {
  size_t first = strcspn(name, " ");
  return (strlen(name) == length || first == length) && !strncmp(name, text, length);
}

static scant_status read_states(const char *text, filter *f, scant_error *error) {
  f->states = 0;
  for (const char *at = text;; at++) {
    size_t length = strcspn(at, ",");
    const char *name;
    int state = 0;
    while ((name = scant_order_state_name((scant_order_state)state)) && !is_state(name, at, length)) state++;
    if (!name) {
      char all[200] = "";
      for (int i = 0; (name = scant_order_state_name((scant_order_state)i)); i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", name);
      }
      return study_refuse_usage(error, "--state: there is no state '%.*s'; there are %s",
                                (int)(length < 60 ? length : 60), at, all);
    }
    f->states |= 1u << state;
    at += length;
    if (!*at) return SCANT_OK;
  }
}

static scant_status read_due(const scant_study *study, const char *name, filter *f, scant_error *error) {
  size_t d = scant_study_dimension(study), i = 0;
  f->due = TARGET;
  if (!strcmp(name, scant_study_target(study))) return SCANT_OK;
  while (i < d && strcmp(name, scant_study_attribute_at(study, i)->name) != 0) i++;
  f->due = (int64_t)i;
  if (i < d) return SCANT_OK;
  snprintf(error->text, sizeof error->text, "--due: there is no attribute '%.200s' in this study", name);
  return SCANT_DATA;
}

static scant_status read_date(const char *option, const char *text, int *has, int64_t *seconds, scant_error *error) {
  if (!text) return SCANT_OK;
  *has = 1;
  if (study_read_time(text, seconds)) return SCANT_OK;
  return study_refuse_usage(error, "--%s: '%.60s' is no date such as 2026-11-15 or 2026-11-15T09:30", option, text);
}

static scant_status filter_read(const arguments *a, const scant_study *study, filter *f, scant_error *error) {
  *f = (filter){.states = OPEN_STATES, .due = NOBODY, .by = a->own.by, .differs = a->own.differs};
  if (a->own.open + a->own.all + (a->own.state != NULL) > 1)
    return study_refuse_usage(error, "give one of --open, --all and --state");
  if (a->own.json + a->own.sheets + (a->own.csv != NULL) > 1)
    return study_refuse_usage(error, "give one of --csv, --json and --sheets");
  if (a->own.csv && *a->own.csv)
    return study_refuse_usage(error, "'%.200s' is one word too many: list prints csv to standard output", a->own.csv);
  if (a->own.all || (a->own.differs && !a->own.open)) f->states = ~0u;
  scant_status status = a->own.state ? read_states(a->own.state, f, error) : SCANT_OK;
  if (status == SCANT_OK && a->own.due) status = read_due(study, a->own.due, f, error);
  if (status == SCANT_OK) status = read_date("since", a->own.since, &f->has_since, &f->since, error);
  if (status == SCANT_OK) status = read_date("before", a->own.before, &f->has_before, &f->before, error);
  return status;
}

static int is_due(const scant_study_order *o, int64_t attribute) {
  if (o->state > SCANT_ORDER_TOLD) return 0;
  scant_study_line target = study_target_line(o);
  if (attribute == TARGET) return !o->has_y || study_is_second_due(o, &target);
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == attribute)
      return o->lines[i].state == SCANT_LINE_ORDERED || study_is_second_due(o, &o->lines[i]);
  return 0;
}

static int has_difference(const scant_study_order *o) {
  int differs = o->second == SCANT_SECOND_DIFFERS;
  for (size_t i = 0; i < o->count; i++) differs |= o->lines[i].second == SCANT_SECOND_DIFFERS;
  return differs;
}

static int passes(const filter *f, const scant_study_order *o) {
  int64_t at;
  if (!(f->states >> o->state & 1)) return 0;
  if (f->due != NOBODY && !is_due(o, f->due)) return 0;
  if (f->differs && !has_difference(o)) return 0;
  if (f->by && (!o->asked_by || strcmp(f->by, o->asked_by) != 0)) return 0;
  if (!f->has_since && !f->has_before) return 1;
  return study_read_time(o->asked_at, &at) && !(f->has_since && at < f->since) && !(f->has_before && at >= f->before);
}

/* ---- rows ---------------------------------------------------------------------------- */

typedef struct {
  uint64_t number, price, spent, days;
  scant_order_state state;
  char *texts; /* those below, each with its end */
  const char *example, *asked_at, *asked_by, *to_come, *reason;
  char local[STUDY_TIME];
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
    if (!more) return study_refuse_memory(error);
    r->rows = more;
    r->room = room;
  }
  row *x = &r->rows[r->count];
  *x = (row){.number = o->number, .price = o->price, .spent = o->spent, .state = o->state};
  size_t length = 0;
  FILE *to = open_memstream(&x->texts, &length);
  if (!to) return study_refuse_memory(error);
  fprintf(to, "%s%c%s%c%s%c", o->example, 0, o->asked_at, 0, o->asked_by ? o->asked_by : "", 0);
  study_write_to_come(to, study, o, ", ");
  fprintf(to, "%c%s%c", 0, o->reason ? o->reason : "", 0);
  if (fclose(to) != 0 || !x->texts) {
    free(x->texts);
    return study_refuse_memory(error);
  }
  x->example = x->texts;
  x->asked_at = x->example + strlen(x->example) + 1;
  x->asked_by = x->asked_at + strlen(x->asked_at) + 1;
  x->to_come = x->asked_by + strlen(x->asked_by) + 1;
  x->reason = x->to_come + strlen(x->to_come) + 1;
  x->days = study_days_since(x->asked_at);
  study_format_local(x->local, x->asked_at);
  r->count++;
  return SCANT_OK;
}

static scant_status rows_collect(rows *r, scant_study *study, const filter *f, scant_error *error) {
  const scant_study_order *o;
  int only_open = !(f->states & ~(unsigned)OPEN_STATES);
  for (uint64_t number = 0;;) {
    scant_status status = only_open ? scant_study_open_after(study, number, &o, error)
                                    : scant_study_order_at(study, number + 1, &o, error);
    if (status != SCANT_OK || !o) return status;
    number = o->number;
    if (passes(f, o)) status = rows_add(r, study, o, error);
    if (status != SCANT_OK) return status;
  }
}

/* ---- printing ------------------------------------------------------------------------ */

static void widen(int *width, const char *text) {
  int needed = study_width(text);
  if (needed > *width) *width = needed;
}

static void print_table(const rows *r, const scant_study *study) {
  int example = 7, by = 2, priced = study_is_priced(study);
  uint64_t price = 0;
  for (size_t i = 0; i < r->count; i++) widen(&example, r->rows[i].example);
  for (size_t i = 0; i < r->count; i++) widen(&by, r->rows[i].asked_by);
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
static void put_second_to_come(json *out, const scant_study *study, const scant_study_order *o) {
  scant_study_line target = study_target_line(o);
  json_open(out, "second_to_come", '[');
  for (size_t i = 0; i < o->count; i++)
    if (study_is_second_due(o, &o->lines[i]))
      json_text(out, NULL, scant_study_attribute_at(study, o->lines[i].attribute)->name);
  if (study_is_second_due(o, &target)) json_text(out, NULL, scant_study_target(study));
  json_close(out);
}

static scant_status print_json(const rows *r, scant_study *study, const scant_study_status *t, scant_error *error) {
  json out = {0};
  const scant_study_order *o;
  json_open(&out, NULL, '{');
  json_open(&out, "orders", '[');
  for (size_t i = 0; i < r->count; i++) {
    const row *x = &r->rows[i];
    scant_status status = scant_study_order_at(study, x->number, &o, error);
    if (status != SCANT_OK) {
      json_free(&out);
      return status;
    }
    json_open(&out, NULL, '{');
    study_put_order(&out, study, o);
    json_count(&out, "days", x->days);
    json_text(&out, "reason", *x->reason ? x->reason : NULL);
    json_open(&out, "to_come", '[');
    for (size_t j = 0; j < o->count && o->state <= SCANT_ORDER_TOLD; j++)
      if (o->lines[j].state == SCANT_LINE_ORDERED)
        json_text(&out, NULL, scant_study_attribute_at(study, o->lines[j].attribute)->name);
    if (!o->has_y && o->state <= SCANT_ORDER_TOLD) json_text(&out, NULL, scant_study_target(study));
    json_close(&out);
    put_second_to_come(&out, study, o);
    json_close(&out);
  }
  json_close(&out);
  study_left_json(&out, t);
  json_close(&out);
  return json_print(&out, error);
}

/* One page each; a form feed between them begins a new one. */
static scant_status print_sheets(const rows *r, scant_study *study, const char *name, scant_error *error) {
  const scant_study_order *o;
  for (size_t i = 0; i < r->count; i++) {
    scant_status status = scant_study_order_at(study, r->rows[i].number, &o, error);
    if (status != SCANT_OK) return status;
    if (i) printf("\f");
    study_print_sheet(study, name, o);
  }
  return SCANT_OK;
}

scant_status study_list(arguments *a, scant_study *study, scant_error *error) {
  filter f;
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
