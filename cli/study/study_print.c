/* Words that several actions print. */
#include <stdlib.h>
#include <string.h>

#include "study_actions.h"

scant_status study_refuse_memory(scant_error *error) {
  snprintf(error->text, sizeof error->text, "out of memory");
  return SCANT_MEMORY;
}

int study_is_priced(const scant_study *study) {
  for (size_t i = 0; i < scant_study_dimension(study); i++)
    if (scant_study_attribute_at(study, i)->cost) return 1;
  return 0;
}

void study_format_real(char text[STUDY_REAL], double x) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, STUDY_REAL, "%.*g", digits, x);
    if (strtod(text, NULL) == x) return;
  }
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

/* A study never exceeds its budget, but its file may have been edited: then nothing is left. */
static uint64_t rest_of(uint64_t budget, uint64_t used) {
  return used < budget ? budget - used : 0;
}

void study_print_left(const scant_study_status *status, const char *before) {
  const scant_study_status *t = status;
  if (t->budget_cost)
    printf("%s%.2f of the budget of %.2f are left", before,
           study_money(rest_of(t->budget_cost, t->spent + t->reserved)), study_money(t->budget_cost));
  if (t->budget)
    printf("%s%llu of the budget of %llu attributes are left", t->budget_cost ? ", and " : before,
           (unsigned long long)rest_of(t->budget, t->attributes_reserved), (unsigned long long)t->budget);
}

void study_left_json(json *out, const scant_study_status *status) {
  const scant_study_status *t = status;
  if (t->budget_cost)
    json_money(out, "left", rest_of(t->budget_cost, t->spent + t->reserved));
  else
    json_null(out, "left");
  if (t->budget)
    json_count(out, "attributes_left", rest_of(t->budget, t->attributes_reserved));
  else
    json_null(out, "attributes_left");
}

void study_print_order(const scant_study *study, const scant_study_order *order) {
  const scant_study_order *o = order;
  printf("example %s: %s", o->example, scant_order_state_name(o->state));
  if (study_is_priced(study)) printf(", %.2f of %.2f spent", study_money(o->spent), study_money(o->price));
  if (o->state <= SCANT_ORDER_TOLD) {
    printf("; to come: ");
    study_write_to_come(stdout, study, o, ", ");
  }
  printf("\n");
}

scant_status study_print_cell(const char *text, int quoted, scant_error *error) {
  if (!text) return SCANT_OK;
  size_t size = scant_csv_cell(NULL, 0, text, quoted) + 1;
  char *cell = malloc(size);
  if (!cell) return study_refuse_memory(error);
  scant_csv_cell(cell, size, text, quoted);
  fputs(cell, stdout);
  free(cell);
  return SCANT_OK;
}
