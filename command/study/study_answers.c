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

/* `missing`, or `missing:` and why. */
static int read_missing(const char *text, scant_study_answer *answer) {
  if (strncmp(text, "missing", 7) != 0 || (text[7] && text[7] != ':')) return 0;
  answer->missing = 1;
  answer->note = text[7] ? text + 8 + strspn(text + 8, " ") : NULL;
  return 1;
}

/* A number, and behind it a '!' if it is confirmed.  The library reads the whole text, and in every locale the same. */
static scant_status read_number(const char *text, scant_study_answer *answer, scant_error *error) {
  scant_option number = {.name = answer->name, .type = SCANT_OPTION_REAL, .minimum = -DBL_MAX, .maximum = DBL_MAX};
  size_t length = strlen(text);
  char plain[4001];
  if (length >= sizeof plain) return scant_fail(error, SCANT_USAGE, "the value of '%.200s' is too long", answer->name);
  answer->confirmed = length > 1 && text[length - 1] == '!';
  snprintf(plain, sizeof plain, "%.*s", (int)(length - (size_t)answer->confirmed), text);
  scant_status status = scant_option_read(&number, &answer->value, plain, error);
  if (status == SCANT_OK || !answer->confirmed) return status;
  return scant_option_read(&number, &answer->value, text, error); /* for a sentence with the text as it was written */
}

static scant_status read_answer(const char *word, scant_study_answer *answer, scant_error *error) {
  const char *equals = strchr(word, '=');
  if (!equals || equals == word) return scant_fail(error, SCANT_USAGE, "'%.200s' is not NAME=VALUE", word);
  size_t length = (size_t)(equals - word);
  char *name = malloc(length + 1);
  if (!name) return scant_fail_memory(error);
  memcpy(name, word, length);
  name[length] = 0;
  *answer = (scant_study_answer){.name = name, .value = NAN};
  if (read_missing(equals + 1, answer)) return SCANT_OK;
  scant_status status = read_number(equals + 1, answer, error);
  scant_error plain = *error;
  if (status != SCANT_OK && means_missing(equals + 1))
    snprintf(error->text, sizeof error->text, "%.300s; '%.100s=missing' says that it can't be measured", plain.text,
             name);
  else if (status != SCANT_OK && strchr(equals, ','))
    snprintf(error->text, sizeof error->text, "%.300s (decimals have a point)", plain.text);
  return status;
}

scant_status study_answers_read(const arguments *a, int first, scant_study_answer **answers, size_t *count,
                                scant_error *error) {
  size_t most = (size_t)(a->operand_count - first);
  *count = 0;
  *answers = calloc(most + 1, sizeof **answers);
  if (!*answers) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  for (size_t i = 0; i < most && status == SCANT_OK; i++) {
    status = read_answer(a->operands[first + (int)i], &(*answers)[i], error);
    if (a->own.confirm) (*answers)[i].confirmed = 1;
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
  if (status == SCANT_OK) status = scant_study_get_counts(study, &before, error);
  if (status == SCANT_OK) status = act(a, study, answers, count, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &after, error);
  if (status == SCANT_OK && scant_study_find(study, a->operands[2], order, error) != SCANT_OK) *order = NULL;
  if (status == SCANT_OK) *changed = after.events != before.events;
  study_answers_free(answers, count);
  return status;
}
