/* scant study export --csv and --events: tables for pandas, R and spreadsheets. */
#include "front/interrupt.h"
#include "study_actions.h"

#include <string.h>

static int is_csv(const char *path) {
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, ".csv");
}

const char *study_table_path(const arguments *a) {
  return a->own.csv && *a->own.csv ? a->own.csv : a->own.output;
}

void study_dictionary_path(const char *path, char *dictionary, size_t size) {
  size_t length = strlen(path);
  snprintf(dictionary, size, "%.*s-dictionary.csv", (int)(is_csv(path) ? length - 4 : length), path);
}

static scant_status check_table(const arguments *a, scant_error *error) {
  const char *flag = a->own.csv ? "--csv" : "--events", *path = study_table_path(a);
  if (a->own.csv && a->own.events)
    return scant_fail(error, SCANT_USAGE, "--csv and --events are tables of their own: export one after the other");
  if (a->own.gaussian || a->own.errors || a->own.errors_of || a->own.looks)
    return scant_fail(error, SCANT_USAGE, "%s writes a table alone: export models and looks by themselves", flag);
  if (!path) return scant_fail(error, SCANT_USAGE, "-o FILE.csv is missing: where to write the table");
  if (a->own.csv && *a->own.csv && a->own.output)
    return scant_fail(error, SCANT_USAGE, "--csv and -o both name a file: one of them is enough");
  if (strlen(path) > 4000) return scant_fail(error, SCANT_USAGE, "the name of the table is too long");
  if (!is_csv(path)) return scant_fail(error, SCANT_USAGE, "'%.300s': the name of a table must end with .csv", path);
  return SCANT_OK;
}

static scant_status export_events(const arguments *a, scant_study *study, scant_error *error) {
  interrupt_waits();
  scant_status status = scant_study_export_events(study, study_table_path(a), a->own.pseudonyms, error);
  interrupt_ends(a->command);
  if (status != SCANT_OK) return status;
  printf("events: %s\n", study_table_path(a));
  return SCANT_OK;
}

static scant_status export_examples(const arguments *a, scant_study *study, scant_error *error) {
  const char *path = study_table_path(a);
  char dictionary[4096];
  study_dictionary_path(path, dictionary, sizeof dictionary);
  interrupt_waits();
  scant_status status = scant_study_export_examples(study, path, dictionary, a->own.pseudonyms, error);
  interrupt_ends(a->command);
  if (status != SCANT_OK) return status;
  printf("examples: %s\ncolumns: %s\n", path, dictionary);
  return SCANT_OK;
}

scant_status study_export_table(const arguments *a, scant_study *study, scant_error *error) {
  scant_status status = check_table(a, error);
  if (status == SCANT_OK) status = a->own.events ? export_events(a, study, error) : export_examples(a, study, error);
  if (status == SCANT_OK && a->own.pseudonyms)
    printf("names are pseudonyms; reasons are left out, as they may hold names\n");
  return status;
}
