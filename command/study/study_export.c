/* scant study export */
#include "front/interrupt.h"
#include "looks_files.h"
#include "model_report.h"
#include "study_actions.h"

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
  if (a->own.csv || a->own.events) return study_export_table(a, study, error);
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
