/* Values on the command line, NAME=VALUE, for tell, correct and predict. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "study_actions.h"

/* Words that people write where there is no value. */
static int means_missing(const char *text) {
  static const char *const words[] = {"", "na", "n/a", "nan", "null", "none", "missing", "-", "?"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcasecmp(text, words[i])) return 1;
  return 0;
}

static scant_status read_answer(const char *word, scant_study_answer *answer, scant_error *error) {
  const char *equals = strchr(word, '=');
  if (!equals || equals == word) return study_refuse_usage(error, "'%.200s' is not NAME=VALUE", word);
  size_t length = (size_t)(equals - word);
  char *name = malloc(length + 1);
  if (!name) return study_refuse_memory(error);
  memcpy(name, word, length);
  name[length] = 0;
  *answer = (scant_study_answer){.name = name, .value = NAN, .missing = !strcmp(equals + 1, "missing")};
  if (answer->missing) return SCANT_OK;
  if (strlen(equals) > 4000) return study_refuse_usage(error, "the value of '%.200s' is too long", name);
  /* the library reads the whole text, and in every locale the same */
  scant_option number = {.name = name, .type = SCANT_OPTION_REAL, .minimum = -DBL_MAX, .maximum = DBL_MAX};
  scant_status status = scant_option_read(&number, &answer->value, equals + 1, error);
  if (status != SCANT_OK && means_missing(equals + 1)) {
    scant_error plain = *error;
    snprintf(error->text, sizeof error->text, "%.300s; '%.100s=missing' says that it can't be measured", plain.text,
             name);
  }
  return status;
}

scant_status study_answers_read(const arguments *a, int first, scant_study_answer **answers, size_t *count,
                                scant_error *error) {
  size_t most = (size_t)(a->operand_count - first);
  *count = 0;
  *answers = calloc(most + 1, sizeof **answers);
  if (!*answers) return study_refuse_memory(error);
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

scant_status study_answers_take(const arguments *a, scant_study *study, study_act *act, const scant_study_order **order,
                                int *changed, scant_error *error) {
  scant_study_answer *answers = NULL;
  size_t count = 0;
  scant_study_status before, after;
  scant_status status = study_answers_read(a, 3, &answers, &count, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &before, error);
  if (status == SCANT_OK) status = act(a, study, answers, count, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &after, error);
  if (status == SCANT_OK && scant_study_find(study, a->operands[2], order, error) != SCANT_OK) *order = NULL;
  if (status == SCANT_OK) *changed = after.events != before.events;
  study_answers_free(answers, count);
  return status;
}
