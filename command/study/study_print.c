/* Words that several actions print. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

void study_format_real(char text[STUDY_REAL], double x) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, STUDY_REAL, "%.*g", digits, x);
    if (strtod(text, NULL) == x) return;
  }
}

static void format_value(char text[STUDY_TOLD], double value, const char *note) {
  char number[STUDY_REAL];
  study_format_real(number, value);
  if (isnan(value))
    snprintf(text, STUDY_TOLD, "missing%s%.200s", note ? ":" : "", note ? note : "");
  else
    snprintf(text, STUDY_TOLD, "%s%s", number, note ? "!" : "");
}

void study_write_value(FILE *to, double value, const char *note) {
  char text[STUDY_TOLD];
  format_value(text, value, note);
  fputs(text, to);
}

void study_format_told(char text[STUDY_TOLD], const scant_study_line *line) {
  char first[STUDY_TOLD], second[STUDY_TOLD];
  format_value(first, line->value, line->note);
  format_value(second, line->second_value, line->second_note);
  int length = snprintf(text, STUDY_TOLD, "%.240s", line->state == SCANT_LINE_ORDERED ? "" : first);
  if (line->second == SCANT_SECOND_AGREES) snprintf(text + length, STUDY_TOLD - (size_t)length, ", entered twice");
  if (line->second == SCANT_SECOND_DIFFERS)
    snprintf(text + length, STUDY_TOLD - (size_t)length, ", and %.240s the second time", second);
}

int study_width(const char *text) {
  int width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
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
