/* What several actions print: values, money, and an order as a list, as a sheet and in a sentence. */
#include <math.h>
#include <stdlib.h>

#include "study_actions.h"

enum { TOLD = 600 };

void study_format_real(char text[STUDY_REAL], double x) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, STUDY_REAL, "%.*g", digits, x);
    if (strtod(text, NULL) == x) return;
  }
}

static void format_value(char text[TOLD], double value, const char *note) {
  char number[STUDY_REAL];
  study_format_real(number, value);
  if (isnan(value))
    snprintf(text, TOLD, "missing%s%.200s", note ? ":" : "", note ? note : "");
  else
    snprintf(text, TOLD, "%s%s", number, note ? "!" : "");
}

void study_write_value(FILE *to, double value, const char *note) {
  char text[TOLD];
  format_value(text, value, note);
  fputs(text, to);
}

/* Writes what was told of a line, and what came of its second entry; nothing if it was not told. */
static void format_told(char text[TOLD], const scant_study_line *line) {
  char first[TOLD], second[TOLD];
  format_value(first, line->value, line->note);
  format_value(second, line->second_value, line->second_note);
  int length = snprintf(text, TOLD, "%.240s", line->state == SCANT_LINE_ORDERED ? "" : first);
  if (line->second == SCANT_SECOND_AGREES) snprintf(text + length, TOLD - (size_t)length, ", entered twice");
  if (line->second == SCANT_SECOND_DIFFERS)
    snprintf(text + length, TOLD - (size_t)length, ", and %.240s the second time", second);
}

/* How many characters a text of UTF-8 has. */
static int study_width(const char *text) {
  int width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

void study_widen(int *width, const char *text) {
  int needed = text ? study_width(text) : 0;
  if (needed > *width) *width = needed;
}

void study_print_padded(const char *text, int width) {
  int room = abs(width) - study_width(text);
  printf("%*s%s%*s", width < 0 && room > 0 ? room : 0, "", text, width > 0 && room > 0 ? room : 0, "");
}

double study_money(uint64_t hundredths) {
  return (double)hundredths / 100;
}

void study_print_left(const scant_study_status *status, const char *before) {
  const scant_study_status *t = status;
  if (t->budget_cost)
    printf("%s%.2f of the budget of %.2f are left", before,
           study_money(scant_study_rest(t->budget_cost, t->spent + t->reserved)), study_money(t->budget_cost));
  if (t->budget)
    printf("%s%llu of the budget of %llu attributes are left", t->budget_cost ? ", and " : before,
           (unsigned long long)scant_study_rest(t->budget, t->attributes_reserved), (unsigned long long)t->budget);
}

/* Prints the names of what was entered otherwise the second time. */
static void print_differing(const scant_study *study, const scant_study_order *o) {
  const char *between = "; its second entries differ: ";
  for (size_t i = 0; i < o->count; i++) {
    if (o->lines[i].second != SCANT_SECOND_DIFFERS) continue;
    printf("%s%s", between, scant_study_attribute_at(study, o->lines[i].attribute)->name);
    between = ", ";
  }
  if (o->second == SCANT_SECOND_DIFFERS) printf("%s%s", between, scant_study_target(study));
}

void study_print_order(const scant_study *study, const scant_study_order *order) {
  const scant_study_order *o = order;
  printf("example %s: %s", o->example, scant_order_state_name(o->state));
  if (scant_study_is_priced(study)) printf(", %.2f of %.2f spent", study_money(o->spent), study_money(o->price));
  if (o->state <= SCANT_ORDER_TOLD) {
    printf("; to come: ");
    study_write_to_come(stdout, study, o, ", ");
  }
  if (o->state > SCANT_ORDER_TOLD || !o->second_needed) print_differing(study, o);
  printf("\n");
}

scant_status study_print_cell(const char *text, int quoted, scant_error *error) {
  if (!text) return SCANT_OK;
  size_t size = scant_csv_cell(NULL, 0, text, quoted) + 1;
  char *cell = malloc(size);
  if (!cell) return scant_fail_memory(error);
  scant_csv_cell(cell, size, text, quoted);
  fputs(cell, stdout);
  free(cell);
  return SCANT_OK;
}

/* ---- as a list ------------------------------------------------------------------------ */

typedef struct {
  const scant_study *study;
  const scant_study_order *order;
  int name, unit, range, group; /* widths of the columns; 0: no such column */
  int priced;
  const char *blank; /* where a value is to be written */
} list;

/* Values outside are refused; "" if none are. */
static void format_range(char text[2 * STUDY_REAL + 8], const scant_study_attribute *at) {
  char low[STUDY_REAL], high[STUDY_REAL];
  study_format_real(low, at->low);
  study_format_real(high, at->high);
  if (isnan(at->low) && isnan(at->high))
    *text = 0;
  else if (isnan(at->high))
    snprintf(text, 2 * STUDY_REAL + 8, "from %s", low);
  else
    snprintf(text, 2 * STUDY_REAL + 8, "%s%sto %s", isnan(at->low) ? "" : low, isnan(at->low) ? "up " : " ", high);
}

static void widen_for(list *l, const scant_study_attribute *at, int ranges) {
  char range[2 * STUDY_REAL + 8];
  format_range(range, at);
  study_widen(&l->name, at->name);
  study_widen(&l->unit, at->unit);
  study_widen(&l->group, at->group);
  if (ranges) study_widen(&l->range, range);
}

static list list_begin(const scant_study *study, const scant_study_order *order, int ranges) {
  list l = {.study = study, .order = order, .priced = scant_study_is_priced(study), .blank = "______"};
  if (ranges) l.blank = "____________________";
  for (size_t i = 0; i < order->count; i++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, order->lines[i].attribute);
    widen_for(&l, at, ranges);
    l.priced = l.priced || at->known;
  }
  for (size_t i = 0; i < order->extra_count; i++)
    widen_for(&l, scant_study_attribute_at(study, (size_t)order->extras[i].attribute), ranges);
  study_widen(&l.name, scant_study_target(study));
  study_widen(&l.name, "attribute");
  if (l.unit) study_widen(&l.unit, "unit");
  if (l.range) study_widen(&l.range, "range");
  if (l.group) study_widen(&l.group, "group");
  return l;
}

typedef struct {
  const char *name, *unit, *range, *group, *price, *value, *remark;
} cells;

static void print_row(const list *l, cells c) {
  printf("  ");
  study_print_padded(c.name, l->name + 2);
  if (l->unit) study_print_padded(c.unit ? c.unit : "", l->unit + 2);
  if (l->range) study_print_padded(c.range ? c.range : "", l->range + 2);
  if (l->group) study_print_padded(c.group ? c.group : "", l->group + 2);
  if (l->priced) {
    study_print_padded(c.price, -10);
    printf("  ");
  }
  printf("%s%s\n", c.value, c.remark ? c.remark : "");
}

static const char *format_line(const list *l, char text[TOLD], const scant_study_line *line) {
  format_told(text, line);
  return *text ? text : l->blank;
}

static void print_lines(const list *l) {
  const scant_study_order *o = l->order;
  char price[32], value[TOLD], range[2 * STUDY_REAL + 8];
  print_row(l, (cells){"attribute", "unit", "range", "group", "price", "value"});
  for (size_t i = 0; i < o->count; i++) {
    const scant_study_line *line = &o->lines[i];
    const scant_study_attribute *at = scant_study_attribute_at(l->study, line->attribute);
    int follows = at->group && !line->price && at->cost; /* the first of its group has the price */
    snprintf(price, sizeof price, "%.2f", study_money(line->price));
    format_range(range, at);
    print_row(l, (cells){at->name, at->unit, range, at->group,
                         at->known ? "known"
                         : follows ? "-"
                                   : price,
                         format_line(l, value, line)});
  }
  for (size_t i = 0; i < o->extra_count; i++) {
    const scant_study_attribute *at = scant_study_attribute_at(l->study, (size_t)o->extras[i].attribute);
    format_range(range, at);
    study_format_real(value, o->extras[i].value);
    print_row(l, (cells){at->name, at->unit, range, at->group, "-", isnan(o->extras[i].value) ? "missing" : value,
                         "  (not ordered)"});
  }
  scant_study_line target = scant_study_target_line(o);
  print_row(l,
            (cells){.name = scant_study_target(l->study), .price = "target", .value = format_line(l, value, &target)});
}

void study_print_list(const scant_study *study, const scant_study_order *order, const scant_study_status *status) {
  const scant_study_order *o = order;
  list l = list_begin(study, o, 0);
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, o->asked_at);
  printf("order %llu: example %s, %s, asked at %s\n", (unsigned long long)o->number, o->example,
         scant_order_state_name(o->state), local);
  print_lines(&l);
  if (scant_study_is_priced(study))
    printf("total %.2f", study_money(o->price));
  else
    printf("%zu attribute%s", o->count, o->count == 1 ? "" : "s");
  if (status) study_print_left(status, "; ");
  printf("\n");
}

void study_print_sheet(const scant_study *study, const char *name, const scant_study_order *order) {
  const scant_study_order *o = order;
  static const char line[] = "____________________________";
  list l = list_begin(study, o, 1);
  char local[SCANT_STUDY_TIME];
  scant_study_format_local(local, o->asked_at);
  printf("%s\n\nexample   %s\norder     %llu, %s\nasked at  %s%s%s\n\n", name, o->example,
         (unsigned long long)o->number, scant_order_state_name(o->state), local, o->asked_by ? " by " : "",
         o->asked_by ? o->asked_by : "");
  print_lines(&l);
  printf("\nWhat can't be measured is 'missing:' and why: %s.\n", scant_study_missing_reasons(study));
  printf("\nmeasured by  %s  on  %s\nentered by   %s  on  %s\n", line, line, line, line);
}

/* ---- what is still to come -------------------------------------------------------------- */

/* Writes a name if something of this line is to come; what is put before the next. */
static const char *write_if_due(FILE *to, const scant_study_order *o, const scant_study_line *line, const char *name,
                                const char *before, const char *between) {
  int second = scant_study_is_second_due(o, line);
  if (line->state != SCANT_LINE_ORDERED && !second) return before;
  fprintf(to, "%s%s%s", before, name,
          !second                                ? ""
          : line->second == SCANT_SECOND_DIFFERS ? " (differs)"
                                                 : " (second entry)");
  return between;
}

void study_write_to_come(FILE *to, const scant_study *study, const scant_study_order *order, const char *between) {
  const scant_study_order *o = order;
  const char *before = "";
  if (o->state > SCANT_ORDER_TOLD) return;
  for (size_t i = 0; i < o->count; i++)
    before = write_if_due(to, o, &o->lines[i], scant_study_attribute_at(study, o->lines[i].attribute)->name, before,
                          between);
  scant_study_line target = scant_study_target_line(o);
  write_if_due(to, o, &target, scant_study_target(study), before, between);
}
