/* scant study export: the model so far and its looks, tables for pandas, R and spreadsheets; and a study as the pilot
 * of a plan. */
#include <string.h>

#include "front/interrupt.h"
#include "model_report.h"
#include "study_actions.h"

/* ---- tables ---------------------------------------------------------------------- */

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

static scant_status export_table(const arguments *a, scant_study *study, scant_error *error) {
  scant_status status = check_table(a, error);
  if (status == SCANT_OK) status = a->own.events ? export_events(a, study, error) : export_examples(a, study, error);
  if (status == SCANT_OK && a->own.pseudonyms)
    printf("names are pseudonyms; reasons are left out, as they may hold names\n");
  return status;
}

/* ---- models and looks ------------------------------------------------------------ */

/* A signal waits until the files have their names. */
static scant_status export_looks(const arguments *a, scant_study *study, scant_error *error) {
  interrupt_waits();
  scant_status status = scant_study_export_looks(study, a->own.looks, a->own.looks_pairs, a->own.pseudonyms, error);
  interrupt_ends(a->command);
  return status;
}

/* Weights by chances need them for all looks, so their lack is said. */
static void print_unknown(const scant_study *study, uint64_t learned) {
  uint64_t given, unknown = scant_study_unknown_looks(study, &given);
  if (!unknown) return;
  printf("%llu of %llu looks have no inclusion", (unsigned long long)unknown, (unsigned long long)learned);
  if (given)
    printf("%s %llu can't be drawn again (of another build, or from before an erasure)",
           given < unknown ? ":" : ", since", (unsigned long long)given);
  if (given < unknown)
    printf("%s the law of %llu has no closed form (it follows prices, what money is left, or what has varied)",
           given ? ", and" : ", since", (unsigned long long)(unknown - given));
  printf("\n");
}

static int has_errors(const arguments *a) {
  return a->own.errors || a->own.errors_of;
}

static scant_status export_model(const arguments *a, scant_study *study, scant_model **model, scant_error *error) {
  scant_status status = a->own.gaussian ? scant_study_gaussian(study, model, error)
                        : has_errors(a) ? scant_study_model_errors(study, a->own.errors_of, model, error)
                                        : scant_study_model(study, model, error);
  return status == SCANT_OK ? scant_model_save(*model, a->own.output, error) : status;
}

scant_status study_export(arguments *a, scant_study *study, scant_error *error) {
  if (a->own.csv || a->own.events) return export_table(a, study, error);
  if (a->own.pseudonyms && !a->own.looks)
    return scant_fail(error, SCANT_USAGE,
                      "--pseudonyms goes with --csv, --events or --looks: a model has no names of examples");
  scant_study_status t;
  scant_model *model = NULL;
  if (has_errors(a) && a->own.gaussian)
    return scant_fail(error, SCANT_USAGE,
                      "--errors does not go with --gaussian: they are of the study's own regressor");
  if (has_errors(a) && !a->own.output) return scant_fail(error, SCANT_USAGE, "--errors needs -o MODEL");
  if (!a->own.output && !a->own.looks)
    return scant_fail(error, SCANT_USAGE, "-o MODEL is missing: where to write the model (or --looks FILE: its looks)");
  if (a->own.gaussian && !a->own.output) return scant_fail(error, SCANT_USAGE, "--gaussian needs -o MODEL");
  scant_status status = scant_study_get_counts(study, &t, error);
  if (status == SCANT_OK && a->own.output) status = export_model(a, study, &model, error);
  if (status == SCANT_OK && a->own.looks) status = export_looks(a, study, error);
  if (status != SCANT_OK) {
    scant_model_free(model);
    return status;
  }
  unsigned long long learned = t.learned, imported = t.imported, examples = learned + imported;
  if (a->own.output) printf("model: %s, of %llu example%s\n", a->own.output, examples, examples == 1 ? "" : "s");
  if (model) errors_print(model);
  scant_model_free(model);
  looks_print(a);
  if (a->own.looks) print_unknown(study, learned);
  return SCANT_OK;
}

/* ---- the pilot of a plan --------------------------------------------------------- */

int study_is_one(const char *path) {
  static const char start[] = "SQLite format 3"; /* and a 0 */
  char bytes[sizeof start];
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  size_t count = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return count == sizeof bytes && !memcmp(bytes, start, sizeof bytes);
}

scant_status study_pilot(const char *path, const scant_settings *settings, scant_source **source, scant_prices **prices,
                         scant_error *error) {
  scant_study *study = NULL;
  scant_status status = scant_study_open(&study, path, SCANT_STUDY_READ, settings, error);
  if (status == SCANT_OK) status = scant_study_examples(study, source, prices, error);
  scant_study_close(study);
  return status;
}
