/* Orders. */
#include <math.h>

#include "json/study_json.h"
#include "json/study_time.h"

scant_study_line study_target_line(const scant_study_order *order) {
  return (scant_study_line){.state = order->has_y ? SCANT_LINE_TOLD : SCANT_LINE_ORDERED,
                            .value = order->y,
                            .second = order->second,
                            .second_value = order->second_y};
}

int study_is_second_due(const scant_study_order *order, const scant_study_line *line) {
  return order->second_needed && order->state <= SCANT_ORDER_TOLD && line->state != SCANT_LINE_ORDERED &&
         line->second != SCANT_SECOND_AGREES;
}

/* What came of a second entry; NULL: there is none. */
static const char *second_name(scant_second_entry second) {
  return second == SCANT_SECOND_NONE ? NULL : scant_second_entry_name(second);
}

static const char *name_of(const scant_study *study, const scant_study_line *line) {
  return scant_study_attribute_at(study, line->attribute)->name;
}

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
  json_text(out, "note", line->note);
  json_text(out, "second", second_name(line->second));
  json_real(out, "second_value", line->second_value);
  json_text(out, "second_note", line->second_note);
  json_close(out);
}

void study_json_order(json *out, const scant_study *study, const scant_study_order *order) {
  const scant_study_order *o = order;
  char local[STUDY_TIME];
  study_format_local(local, o->asked_at);
  json_count(out, "order", o->number);
  json_text(out, "example", o->example);
  json_text(out, "state", scant_order_state_name(o->state));
  json_text(out, "asked_at", o->asked_at);
  json_text(out, "asked_local", local);
  json_text(out, "asked_by", o->asked_by);
  json_count(out, "learned_since", o->age);
  json_money(out, "price", o->price);
  json_money(out, "spent", o->spent);
  json_text(out, "target", scant_study_target(study));
  json_real(out, "y", o->has_y ? o->y : NAN);
  json_text(out, "second", second_name(o->second));
  json_real(out, "second_y", o->second_y);
  json_flag(out, "second_needed", o->second_needed);
  json_open(out, "lines", '[');
  for (size_t i = 0; i < o->count; i++) put_line(out, study, &o->lines[i]);
  json_close(out);
  json_open(out, "extras", '['); /* what was measured without being ordered */
  for (size_t i = 0; i < o->extra_count; i++) {
    json_open(out, NULL, '{');
    json_text(out, "name", scant_study_attribute_at(study, (size_t)o->extras[i].attribute)->name);
    json_real(out, "value", o->extras[i].value);
    json_close(out);
  }
  json_close(out);
}

static void put_to_come(json *out, const scant_study *study, const scant_study_order *o) {
  json_open(out, "to_come", '[');
  for (size_t i = 0; i < o->count && o->state <= SCANT_ORDER_TOLD; i++)
    if (o->lines[i].state == SCANT_LINE_ORDERED) json_text(out, NULL, name_of(study, &o->lines[i]));
  if (!o->has_y && o->state <= SCANT_ORDER_TOLD) json_text(out, NULL, scant_study_target(study));
  json_close(out);
}

static void put_second_to_come(json *out, const scant_study *study, const scant_study_order *o) {
  scant_study_line target = study_target_line(o);
  json_open(out, "second_to_come", '[');
  for (size_t i = 0; i < o->count; i++)
    if (study_is_second_due(o, &o->lines[i])) json_text(out, NULL, name_of(study, &o->lines[i]));
  if (study_is_second_due(o, &target)) json_text(out, NULL, scant_study_target(study));
  json_close(out);
}

void study_json_row(json *out, const scant_study *study, const scant_study_order *order) {
  study_json_order(out, study, order);
  json_count(out, "days", study_days_since(order->asked_at));
  json_text(out, "reason", order->reason && *order->reason ? order->reason : NULL);
  put_to_come(out, study, order);
  put_second_to_come(out, study, order);
}

static void put_difference(json *out, const char *name, const scant_study_line *line, int values) {
  if (line->second != SCANT_SECOND_DIFFERS) return;
  json_open(out, NULL, '{');
  json_text(out, "name", name);
  if (values) {
    json_real(out, "value", line->value);
    json_text(out, "note", line->note);
    json_real(out, "second_value", line->second_value);
    json_text(out, "second_note", line->second_note);
  }
  json_close(out);
}

void study_json_comparison(json *out, const scant_study *study, const scant_study_order *order,
                           const scant_study_comparison *comparison, int values) {
  scant_study_line target = study_target_line(order);
  json_count(out, "agree", comparison->agree);
  json_count(out, "differ", comparison->differ);
  json_count(out, "once", comparison->once);
  json_count(out, "same_hand", comparison->same_hand);
  json_open(out, "differences", '[');
  for (size_t i = 0; i < order->count; i++)
    put_difference(out, name_of(study, &order->lines[i]), &order->lines[i], values);
  put_difference(out, scant_study_target(study), &target, values);
  json_close(out);
}
