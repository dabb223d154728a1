/* scant study ask: an order, as a list to print or as JSON. */
#include <math.h>

#include "study_actions.h"

/* ---- an order as a list ------------------------------------------------------------- */

typedef struct {
  const scant_study *study;
  const scant_study_order *order;
  int name, unit, group; /* widths of the columns; 0: no such column */
  int priced;
} list;

static void widen(int *width, const char *text) {
  int needed = text ? study_width(text) : 0;
  if (needed > *width) *width = needed;
}

static list list_begin(const scant_study *study, const scant_study_order *order) {
  list l = {.study = study, .order = order, .priced = study_is_priced(study)};
  for (size_t i = 0; i < order->count; i++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, order->lines[i].attribute);
    widen(&l.name, at->name);
    widen(&l.unit, at->unit);
    widen(&l.group, at->group);
    l.priced = l.priced || at->known;
  }
  widen(&l.name, scant_study_target(study));
  widen(&l.name, "attribute");
  if (l.unit) widen(&l.unit, "unit");
  if (l.group) widen(&l.group, "group");
  return l;
}

static void print_row(const list *l, const char *name, const char *unit, const char *group, const char *price,
                      const char *value) {
  printf("  ");
  study_print_padded(name, l->name + 2);
  if (l->unit) study_print_padded(unit ? unit : "", l->unit + 2);
  if (l->group) study_print_padded(group ? group : "", l->group + 2);
  if (l->priced) {
    study_print_padded(price, -10);
    printf("  ");
  }
  printf("%s\n", value);
}

static void format_value(char text[STUDY_REAL], int told, double value) {
  if (told)
    study_format_real(text, value);
  else
    snprintf(text, STUDY_REAL, "______");
}

static void print_lines(const list *l) {
  const scant_study_order *o = l->order;
  char price[32], value[STUDY_REAL];
  print_row(l, "attribute", "unit", "group", "price", "value");
  for (size_t i = 0; i < o->count; i++) {
    const scant_study_line *line = &o->lines[i];
    const scant_study_attribute *at = scant_study_attribute_at(l->study, line->attribute);
    int follows = at->group && !line->price && at->cost; /* the first of its group has the price */
    snprintf(price, sizeof price, "%.2f", study_money(line->price));
    format_value(value, line->state == SCANT_LINE_TOLD, line->value);
    print_row(l, at->name, at->unit, at->group,
              at->known ? "known"
              : follows ? "-"
                        : price,
              line->state == SCANT_LINE_MISSING ? "missing" : value);
  }
  format_value(value, o->has_y, o->y);
  print_row(l, scant_study_target(l->study), NULL, NULL, "target", value);
}

static void print_list(const scant_study *study, const scant_study_order *o, const scant_study_status *t) {
  list l = list_begin(study, o);
  printf("order %llu: example %s, %s, asked at %s\n", (unsigned long long)o->number, o->example,
         scant_order_state_name(o->state), o->asked_at);
  print_lines(&l);
  if (study_is_priced(study))
    printf("total %.2f", study_money(o->price));
  else
    printf("%zu attribute%s", o->count, o->count == 1 ? "" : "s");
  study_print_left(t, "; ");
  printf("\n");
}

/* ---- an order as JSON ----------------------------------------------------------------- */

static void put_line(json *out, const scant_study *study, const scant_study_line *line) {
  const scant_study_attribute *at = scant_study_attribute_at(study, line->attribute);
  json_open(out, NULL, '{');
  json_text(out, "name", at->name);
  json_text(out, "unit", at->unit);
  json_text(out, "group", at->group);
  json_flag(out, "known", at->known);
  json_money(out, "price", line->price);
  json_text(out, "state", scant_line_state_name(line->state));
  json_real(out, "value", line->value);
  json_real(out, "probability", line->probability);
  json_close(out);
}

static scant_status print_json(const scant_study *study, const scant_study_order *o, const scant_study_status *t,
                               scant_error *error) {
  json out = {0};
  json_open(&out, NULL, '{');
  json_count(&out, "order", o->number);
  json_text(&out, "example", o->example);
  json_text(&out, "state", scant_order_state_name(o->state));
  json_text(&out, "asked_at", o->asked_at);
  json_count(&out, "learned_since", o->age);
  json_money(&out, "price", o->price);
  json_money(&out, "spent", o->spent);
  json_text(&out, "target", scant_study_target(study));
  json_real(&out, "y", o->has_y ? o->y : NAN);
  json_open(&out, "lines", '[');
  for (size_t i = 0; i < o->count; i++) put_line(&out, study, &o->lines[i]);
  json_close(&out);
  study_left_json(&out, t);
  json_close(&out);
  return json_print(&out, error);
}

/* ---- the actions ------------------------------------------------------------------------ */

scant_status study_ask(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  scant_study_status t;
  scant_status status = scant_study_ask(study, a->operands[2], &order, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &t, error);
  if (status == SCANT_OK) status = scant_study_find(study, a->operands[2], &order, error);
  if (status != SCANT_OK) return status;
  if (a->own.json) return print_json(study, order, &t, error);
  print_list(study, order, &t);
  return SCANT_OK;
}
