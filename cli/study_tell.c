/* scant study tell, correct and import: values that come in. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

static scant_status out_of_memory(scant_error *error) {
  snprintf(error->text, sizeof error->text, "out of memory");
  return SCANT_MEMORY;
}

/* ---- from the command line -------------------------------------------------------- */

static scant_status read_answer(const char *word, scant_study_answer *answer, scant_error *error) {
  const char *equals = strchr(word, '=');
  if (!equals || equals == word) return study_refuse_usage(error, "'%.200s' is not NAME=VALUE", word);
  size_t length = (size_t)(equals - word);
  char *name = malloc(length + 1);
  if (!name) return out_of_memory(error);
  memcpy(name, word, length);
  name[length] = 0;
  *answer = (scant_study_answer){.name = name, .value = NAN, .missing = !strcmp(equals + 1, "missing")};
  if (answer->missing) return SCANT_OK;
  if (strlen(equals) > 4000) return study_refuse_usage(error, "the value of '%.200s' is too long", name);
  /* as the library reads numbers: all of the text, the same in every locale */
  scant_option number = {.name = name, .type = SCANT_OPTION_REAL, .minimum = -DBL_MAX, .maximum = DBL_MAX};
  return scant_option_read(&number, &answer->value, equals + 1, error);
}

scant_status study_answers_read(const arguments *a, int first, scant_study_answer **answers, size_t *count,
                                scant_error *error) {
  size_t most = (size_t)(a->operand_count - first);
  *count = 0;
  *answers = calloc(most + 1, sizeof **answers);
  if (!*answers) return out_of_memory(error);
  scant_status status = SCANT_OK;
  for (size_t i = 0; i < most && status == SCANT_OK; i++) {
    status = read_answer(a->operands[first + (int)i], &(*answers)[i], error);
    *count = i + 1; /* to be freed */
  }
  return status;
}

void study_answers_free(scant_study_answer *answers, size_t count) {
  for (size_t i = 0; answers && i < count; i++) free((char *)answers[i].name);
  free(answers);
}

static scant_status tell_one(arguments *a, scant_study *study, scant_error *error) {
  const char *example = a->operands[2];
  scant_study_answer *answers = NULL;
  size_t count = 0;
  scant_study_status before, after;
  const scant_study_order *order;
  scant_status status = study_answers_read(a, 3, &answers, &count, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &before, error);
  if (status == SCANT_OK) status = scant_study_tell(study, example, answers, count, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &after, error);
  if (status == SCANT_OK) status = scant_study_find(study, example, &order, error);
  if (status == SCANT_OK) {
    if (after.events == before.events) printf("nothing new: ");
    study_print_order(study, order);
  }
  study_answers_free(answers, count);
  return status;
}

/* ---- from a file ---------------------------------------------------------------------- */

typedef scant_status take(scant_study *study, const scant_study_row *row, scant_error *error);

static scant_status tell_row(scant_study *study, const scant_study_row *row, scant_error *error) {
  if (!row->count) return SCANT_OK; /* a line that is still to be filled in */
  return scant_study_tell(study, row->example, row->answers, row->count, error);
}

/* Without NaNs, which past data have in place of empty cells. */
static scant_status import_row(scant_study *study, const scant_study_row *row, scant_error *error) {
  scant_study_answer *known = malloc((row->count + 1) * sizeof *known);
  char line[32];
  size_t count = 0;
  if (!known) return out_of_memory(error);
  snprintf(line, sizeof line, "%zu", row->line);
  for (size_t i = 0; i < row->count; i++)
    if (!row->answers[i].missing && !isnan(row->answers[i].value)) known[count++] = row->answers[i];
  scant_status status = scant_study_import(study, row->example ? row->example : line, known, count, error);
  free(known);
  return status;
}

/* Each row is a transaction of its own; what is before a bad one stays. */
static scant_status take_rows(scant_study *study, const char *path, const scant_study_row *rows, size_t count,
                              take *take_row, scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    scant_error inner = {"out of memory"};
    scant_status status = take_row(study, &rows[i], &inner);
    if (status == SCANT_OK) continue;
    snprintf(error->text, sizeof error->text, "%.120s, line %zu: %.300s; %zu row%s before it %s taken down", path,
             rows[i].line, inner.text, i, i == 1 ? "" : "s", i == 1 ? "was" : "were");
    return status;
  }
  return SCANT_OK;
}

static scant_status take_file(arguments *a, scant_study *study, take *take_row, scant_error *error) {
  scant_study_row *rows = NULL;
  size_t count = 0;
  scant_study_status before, after;
  scant_status status = scant_study_rows_load(&rows, &count, a->own.csv, error);
  if (status == SCANT_OK && take_row == tell_row && count && !rows[0].example) {
    snprintf(error->text, sizeof error->text, "%.300s: there is no column 'example'", a->own.csv);
    status = SCANT_DATA;
  }
  if (status == SCANT_OK) status = scant_study_get_status(study, &before, error);
  if (status == SCANT_OK) status = take_rows(study, a->own.csv, rows, count, take_row, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &after, error);
  if (status == SCANT_OK) {
    uint64_t learned = after.learned + after.imported - before.learned - before.imported;
    printf("%zu row%s taken down, %llu example%s learned\n", count, count == 1 ? "" : "s", (unsigned long long)learned,
           learned == 1 ? "" : "s");
  }
  scant_study_rows_free(rows);
  return status;
}

/* ---- the actions ------------------------------------------------------------------------ */

scant_status study_tell(arguments *a, scant_study *study, scant_error *error) {
  if (a->own.csv && a->operand_count > 2)
    return study_refuse_usage(error, "'%.200s' is one word too many: --csv has the examples", a->operands[2]);
  if (!a->own.csv && a->operand_count < 4)
    return study_refuse_usage(error, "it takes: scant study tell FILE EXAMPLE NAME=VALUE..., or --csv ANSWERS");
  return a->own.csv ? take_file(a, study, tell_row, error) : tell_one(a, study, error);
}

scant_status study_correct(arguments *a, scant_study *study, scant_error *error) {
  const char *example = a->operands[2];
  scant_study_answer *answers = NULL;
  size_t count = 0;
  scant_study_status before, after;
  const scant_study_order *order;
  if (!a->own.reason) return study_refuse_usage(error, "--reason TEXT is missing: why these values are corrected");
  scant_status status = study_answers_read(a, 3, &answers, &count, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &before, error);
  if (status == SCANT_OK) status = scant_study_correct(study, example, answers, count, a->own.reason, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &after, error);
  if (status == SCANT_OK) status = scant_study_find(study, example, &order, error);
  if (status == SCANT_OK && after.events == before.events)
    printf("nothing new: example %s has these values already\n", example);
  else if (status == SCANT_OK)
    printf("example %s: corrected%s\n", example,
           order->state == SCANT_ORDER_LEARNED ? ", and all was learned anew" : "");
  study_answers_free(answers, count);
  return status;
}

scant_status study_import(arguments *a, scant_study *study, scant_error *error) {
  if (!a->own.csv) return study_refuse_usage(error, "--csv PAST is missing: the data to learn from");
  return take_file(a, study, import_row, error);
}
