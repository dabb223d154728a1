/* What is said beside a value: why it is missing, and that an unusual one is right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "terms/catalogue.h"
#include "ledger/ledger.h"
#include "study.h"
#include "orders/tell.h"

const char study_confirmed[] = "confirmed";
const char study_unconfirmed[] = "";

/* ---- reasons ------------------------------------------------------------------------ */

#define REASONS "not done, refused, broken, lost"
enum { REASONS_MOST = 100 };

/* One of a list, without the blanks around it. */
typedef struct {
  const char *text;
  size_t length;
} item;

/* The next one at *at, which goes on; 0: there is none. */
static int next_item(const char **at, item *next) {
  if (!*at) return 0;
  const char *end = strchr(*at, ','), *last = end ? end : *at + strlen(*at);
  const char *first = *at;
  while (first < last && *first == ' ') first++;
  while (last > first && last[-1] == ' ') last--;
  *next = (item){first, (size_t)(last - first)};
  *at = end ? end + 1 : NULL;
  return 1;
}

static int is_listed(const char *list, const char *end, const char *reason, size_t length) {
  item next;
  for (const char *at = list; at != end && next_item(&at, &next);)
    if (next.length == length && !memcmp(next.text, reason, length)) return 1;
  return 0;
}

/* Checks one reason, and adds it to the list that is made. */
static scant_status add_reason(const item *next, char *made, size_t size, scant_error *error) {
  char reason[STUDY_NAME_MOST + 2];
  size_t length = next->length <= STUDY_NAME_MOST ? next->length : STUDY_NAME_MOST + 1;
  memcpy(reason, next->text, length);
  reason[length] = 0;
  SCANT_TRY(study_check_name(reason, "a reason for missing values", error));
  if (!strcmp(reason, study_confirmed))
    return scant_fail(error, SCANT_DATA, "'%s' is what is noted of values that are unusual: it is no reason for none",
                      reason);
  if (*made && is_listed(made, NULL, reason, length))
    return scant_fail(error, SCANT_DATA, "the reason for missing values '%s' is twice in the list", reason);
  size_t used = strlen(made);
  snprintf(made + used, size - used, "%s%s", used ? ", " : "", reason);
  return SCANT_OK;
}

scant_status study_take_reasons(scant_study *study, const char *list, scant_error *error) {
  if (!list) list = REASONS;
  size_t count = 1;
  for (const char *c = list; *c; c++) count += *c == ',';
  if (count > REASONS_MOST)
    return scant_fail(error, SCANT_DATA, "there are %zu reasons for missing values, and at most %d can be", count,
                      REASONS_MOST);
  size_t size = strlen(list) + 2 * count + 1;
  char *made = scant_array(size, 1);
  if (!made) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  item next;
  for (const char *at = list; status == SCANT_OK && next_item(&at, &next);)
    status = add_reason(&next, made, size, error);
  if (status != SCANT_OK) {
    free(made);
    return status;
  }
  free(study->reasons);
  study->reasons = made;
  return SCANT_OK;
}

const char *scant_study_missing_reasons(const scant_study *study) {
  return study->reasons;
}

/* ---- notes -------------------------------------------------------------------------- */

static int is_unusual(const scant_study_attribute *a, double value) {
  return value < a->usual_low || value > a->usual_high;
}

scant_status study_note_answer(scant_study *study, const scant_study_answer *answer, scant_study_told *told,
                               scant_error *error) {
  scant_study *s = study;
  told->note = NULL;
  if (answer->note && !answer->missing)
    return scant_fail(error, SCANT_USAGE, "'%.200s' has a value, so there is no reason why it is missing",
                      answer->name);
  if (answer->note) {
    if (!*answer->note || !is_listed(s->reasons, NULL, answer->note, strlen(answer->note)))
      return scant_fail(error, SCANT_DATA, "'%.200s' is missing for the reason '%.100s', and the study knows: %.250s",
                        answer->name, answer->note, s->reasons);
    return study_keep_note(s, answer->note, &told->note, error);
  }
  if (!answer->missing && told->attribute >= 0 && is_unusual(&s->catalogue[told->attribute], told->value))
    told->note = answer->confirmed ? study_confirmed : study_unconfirmed;
  return SCANT_OK;
}

static void format_usual(char *text, size_t size, const scant_study_attribute *a) {
  if (isnan(a->usual_high))
    snprintf(text, size, "from %.15g on", a->usual_low);
  else if (isnan(a->usual_low))
    snprintf(text, size, "up to %.15g", a->usual_high);
  else
    snprintf(text, size, "from %.15g to %.15g", a->usual_low, a->usual_high);
}

scant_status study_check_confirmed(const scant_study *study, size_t count, scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    const scant_study_told *told = &study->told[i];
    if (told->note != study_unconfirmed) continue;
    const scant_study_attribute *a = &study->catalogue[told->attribute];
    char usual[80];
    format_usual(usual, sizeof usual, a);
    return scant_fail(error, SCANT_DATA,
                      "'%s' is %.15g, and usually it is %s: if it was read right, confirm it (with option confirm, "
                      "or as %.15g! in its place)",
                      a->name, told->value, usual, told->value);
  }
  return SCANT_OK;
}
