/* scant study tell, correct and predict: values on the command line, NAME=VALUE. */
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

/* Reads answers from operand number `first` on.  They are to be freed after a failure, too. */
static scant_status answers_read(const arguments *a, int first, scant_study_answer **answers, size_t *count,
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

static void answers_free(scant_study_answer *answers, size_t count) {
  for (size_t i = 0; answers && i < count; i++) free((char *)answers[i].name);
  free(answers);
}

/* What tell and correct do with the answers. */
typedef scant_status act_on(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                            scant_error *error);

/* Gives the answers behind EXAMPLE to `act`; *changed: is there a new event? */
static scant_status answers_take(const arguments *a, scant_study *study, act_on *act, int *changed,
                                 scant_error *error) {
  scant_study_answer *answers = NULL;
  size_t count = 0;
  scant_study_status before, after;
  scant_status status = answers_read(a, 3, &answers, &count, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &before, error);
  if (status == SCANT_OK) status = act(a, study, answers, count, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &after, error);
  if (status == SCANT_OK) *changed = after.events != before.events;
  answers_free(answers, count);
  return status;
}

/* ---- a second time --------------------------------------------------------------- */

static void print_difference(const char *before, const char *name, const scant_study_line *line) {
  printf("%s%s is ", before, name);
  study_write_value(stdout, line->value, line->note);
  printf(", and ");
  study_write_value(stdout, line->second_value, line->second_note);
  printf(" the second time\n");
}

size_t study_print_differences(const scant_study *study, const scant_study_order *order, const char *before) {
  const scant_study_order *o = order;
  scant_study_line target = scant_study_target_line(o);
  size_t count = 0;
  for (size_t i = 0; i < o->count; i++) {
    if (o->lines[i].second != SCANT_SECOND_DIFFERS) continue;
    print_difference(before, scant_study_attribute_at(study, o->lines[i].attribute)->name, &o->lines[i]);
    count++;
  }
  if (o->second != SCANT_SECOND_DIFFERS) return count;
  print_difference(before, scant_study_target(study), &target);
  return count + 1;
}

scant_status study_refuse_differences(size_t differ, scant_error *error) {
  if (!differ) return SCANT_OK;
  fflush(stdout); /* the list comes before the sentence */
  return scant_fail(
      error, SCANT_MISUSE,
      "%zu second entr%s from the first: look at the source, then correct the first, or enter the second again", differ,
      differ == 1 ? "y differs" : "ies differ");
}

void study_print_same_hand(size_t count) {
  if (!count) return;
  printf("%zu of these values %s told by the same person the first time: two people find more slips\n", count,
         count == 1 ? "was" : "were");
}

static scant_status compare(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                            scant_error *error) {
  scant_study_comparison c;
  scant_status status = scant_study_tell_second(study, a->operands[2], answers, count, &c, error);
  if (status == SCANT_OK) study_print_same_hand(c.same_hand);
  return status;
}

/* Enters the answers behind EXAMPLE a second time, and lists what differs; SCANT_MISUSE if something does. */
static scant_status tell_second(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  int changed;
  SCANT_TRY(answers_take(a, study, compare, &changed, error));
  SCANT_TRY(scant_study_find(study, a->operands[2], &order, error));
  if (!changed) printf("nothing new: ");
  study_print_order(study, order);
  return study_refuse_differences(study_print_differences(study, order, "  "), error);
}

/* ---- tell ------------------------------------------------------------------------ */

static scant_status tell(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                         scant_error *error) {
  return scant_study_tell(study, a->operands[2], answers, count, error);
}

static int extras_are_learned;

static scant_status tell_extra(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                               scant_error *error) {
  return scant_study_tell_extra(study, a->operands[2], answers, count, a->own.reason, &extras_are_learned, error);
}

static void print_extra(const scant_study *study, const scant_study_order *order, int changed) {
  printf("example %s: %s", order->example, changed ? "told without being ordered" : "nothing new");
  if (changed && !extras_are_learned)
    printf("; kept aside, since %s learns from what it draws itself: predictions and plans use it",
           scant_study_settings(study)->learning.algorithm);
  if (changed && extras_are_learned)
    printf("%s", order->state == SCANT_ORDER_LEARNED ? ", and all was learned anew"
                                                     : "; it is learned with the rest when that is there");
  printf("\n");
}

scant_status study_tell(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  int changed;
  if (a->own.csv && (a->own.extra || a->own.reason))
    return scant_fail(error, SCANT_USAGE, "--extra and --reason go with EXAMPLE NAME=VALUE..., not with --csv");
  if (a->own.csv) return study_tell_csv(a, study, error);
  if (a->own.extra && !a->own.reason)
    return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why it was measured without being ordered");
  if (a->own.reason && !a->own.extra) return scant_fail(error, SCANT_USAGE, "--reason goes with --extra");
  if (a->operand_count < 4)
    return scant_fail(error, SCANT_USAGE, "it takes: scant study tell FILE EXAMPLE NAME=VALUE..., or --csv ANSWERS");
  if (a->own.second && a->own.extra) return scant_fail(error, SCANT_USAGE, "--second and --extra do not go together");
  if (a->own.second) return tell_second(a, study, error);
  SCANT_TRY(answers_take(a, study, a->own.extra ? tell_extra : tell, &changed, error));
  SCANT_TRY(scant_study_find(study, a->operands[2], &order, error));
  if (a->own.extra) {
    print_extra(study, order, changed);
    return SCANT_OK;
  }
  if (!changed) printf("nothing new: ");
  study_print_order(study, order);
  return SCANT_OK;
}

/* ---- correct --------------------------------------------------------------------- */

static scant_status correct(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                            scant_error *error) {
  return scant_study_correct(study, a->operands[2], answers, count, a->own.reason, error);
}

scant_status study_correct(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  int changed, learned = 0;
  if (!a->own.reason) return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why these values are corrected");
  scant_status status = scant_study_find(study, a->operands[2], &order, error);
  if (status == SCANT_OK) learned = order->state == SCANT_ORDER_LEARNED;
  SCANT_TRY(answers_take(a, study, correct, &changed, error));
  if (scant_study_find(study, a->operands[2], &order, error) != SCANT_OK) order = NULL; /* it was imported */
  if (!changed)
    printf("nothing new: example %s has these values already\n", a->operands[2]);
  else
    printf("example %s: corrected%s\n", a->operands[2],
           learned || !order                     ? ", and all was learned anew"
           : order->state == SCANT_ORDER_LEARNED ? ", and learned" /* it agrees with its second entries now */
                                                 : "");
  return SCANT_OK;
}

/* ---- predict --------------------------------------------------------------------- */

scant_status study_predict(arguments *a, scant_study *study, scant_error *error) {
  scant_study_answer *answers = NULL;
  size_t count = 0;
  scant_prediction p;
  scant_status status = answers_read(a, 2, &answers, &count, error);
  if (status == SCANT_OK) status = scant_study_predict(study, answers, count, a->own.interval, &p, error);
  answers_free(answers, count);
  if (status != SCANT_OK) return status;
  if (a->own.json) {
    scant_json_writer out = document_begin();
    scant_study_json_prediction(&out, &p, a->own.interval);
    return document_print(&out, SCANT_OK, error);
  }
  printf("%s = %.6g, and from %.6g to %.6g with probability %g\n", scant_study_target(study), p.mean, p.low, p.high,
         a->own.interval);
  return SCANT_OK;
}
