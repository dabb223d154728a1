/* Why the library refused values: others are stored, or they are unusual.  Its sentence says so of one value; who
 * entered several wants to know all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "actions/actions.h"

enum { SENTENCE = 512 };

/* The attribute of this name; NULL: there is none. */
static const scant_study_attribute *find_attribute(const scant_study *study, const char *name, size_t *place) {
  for (*place = 0; *place < scant_study_dimension(study); (*place)++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, *place);
    if (!strcmp(at->name, name)) return at;
  }
  return NULL;
}

/* ---- unusual values --------------------------------------------------------------------- */

static int is_unusual(const serve_call *call, const scant_study_answer *answer) {
  size_t place;
  const scant_study_attribute *at = find_attribute(call->study, answer->name, &place);
  return at && !answer->missing && !answer->confirmed &&
         (answer->value < at->usual_low || answer->value > at->usual_high);
}

/* Is the sentence about this value, and that it is unusual? */
static int says_unusual(const scant_error *error, const scant_study_answer *answer) {
  char begins[SENTENCE];
  snprintf(begins, sizeof begins, "'%s' is %.15g, and usually it is ", answer->name, answer->value);
  return !strncmp(error->text, begins, strlen(begins));
}

static int explain_unusual(serve_call *call, const serve_answers *answers, const scant_error *error) {
  int is_that = 0;
  for (size_t i = 0; i < answers->count; i++)
    is_that |= is_unusual(call, &answers->list[i]) && says_unusual(error, &answers->list[i]);
  if (!is_that) return 0;
  call->code = "unusual";
  json_open(&call->members, NULL, '{');
  json_open(&call->members, "names", '[');
  for (size_t i = 0; i < answers->count; i++)
    if (is_unusual(call, &answers->list[i])) json_text(&call->members, NULL, answers->list[i].name);
  json_close(&call->members);
  json_close(&call->members);
  return 1;
}

/* ---- values that are stored ---------------------------------------------------------------- */

/* What is stored of a name: a line of the order, its target, or what was measured without being ordered. */
static int find_stored(const serve_call *call, const scant_study_order *order, const char *name,
                       scant_study_line *stored) {
  size_t place;
  if (!strcmp(name, scant_study_target(call->study))) {
    *stored = study_target_line(order);
    return order->has_y;
  }
  if (!find_attribute(call->study, name, &place)) return 0;
  for (size_t i = 0; i < order->count; i++) {
    *stored = order->lines[i];
    if (stored->attribute == place) return stored->state != SCANT_LINE_ORDERED;
  }
  for (size_t i = 0; i < order->extra_count; i++) {
    const scant_study_told *told = &order->extras[i];
    *stored = (scant_study_line){.value = told->value, .note = told->note, .second = SCANT_SECOND_AGREES};
    stored->state = isnan(told->value) ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
    if (told->attribute == (int64_t)place) return 1;
  }
  return 0;
}

static int is_another(const scant_study_line *stored, const scant_study_answer *answer) {
  if (!answer->missing) return !(stored->value == answer->value);
  if (stored->state != SCANT_LINE_MISSING) return 1;
  return answer->note && (!stored->note || strcmp(stored->note, answer->note) != 0);
}

/* As answers have it. */
static void put_stored(json *out, const char *name, const scant_study_line *stored) {
  if (stored->state != SCANT_LINE_MISSING || !stored->note) {
    json_real(out, name, stored->value); /* null: missing */
    return;
  }
  json_open(out, name, '{');
  json_text(out, "missing", stored->note);
  json_close(out);
}

static int says_stored(const scant_error *error, const char *name, const char *example) {
  char begins[SENTENCE];
  snprintf(begins, sizeof begins, "'%s' of example '%.200s' is ", name, example);
  return !strncmp(error->text, begins, strlen(begins));
}

/* What differs, as members of the problem; the name of the one that the sentence is about, or NULL. */
static const char *put_differing(serve_call *call, const scant_study_order *order, const serve_answers *answers,
                                 int *hidden, const scant_error *error) {
  const char *said = NULL;
  json_open(&call->members, "stored", '{');
  for (size_t i = 0; i < answers->count; i++) {
    const scant_study_answer *answer = &answers->list[i];
    scant_study_line stored;
    if (!find_stored(call, order, answer->name, &stored) || !is_another(&stored, answer)) continue;
    int hides = serve_is_blind(call) && study_is_second_due(order, &stored);
    if (!hides) put_stored(&call->members, answer->name, &stored);
    if (says_stored(error, answer->name, order->example)) {
      said = answer->name;
      *hidden = hides;
    }
  }
  json_close(&call->members);
  return said;
}

/* Nobody sees a first entry before the second one is made. */
static void hide_sentence(const char *example, const char *name, scant_error *error) {
  scant_error_write(error,
                    "'%.200s' of example '%.200s' was told already, with another value, and waits for its second entry",
                    name, example);
}

static scant_status explain_stored(serve_call *call, const char *example, const serve_answers *answers,
                                   scant_error *error) {
  const scant_study_order *order;
  const char *by;
  scant_error none;
  int hidden = 0;
  if (scant_study_find(call->study, example, &order, &none) != SCANT_OK) return SCANT_OK;
  json_open(&call->members, NULL, '{');
  const char *said = put_differing(call, order, answers, &hidden, error);
  if (!said) {
    json_free(&call->members);
    call->members = (json){0};
    return SCANT_OK;
  }
  if (hidden) hide_sentence(example, said, error);
  call->status = 409;
  call->code = "conflict";
  if (scant_study_teller(call->study, example, said, &by, &none) != SCANT_OK) by = NULL;
  json_text(&call->members, "by", by);
  json_close(&call->members);
  return SCANT_OK;
}

scant_status serve_explain(serve_call *call, const char *example, const serve_answers *answers, scant_status status,
                           scant_error *error) {
  if (status != SCANT_DATA || explain_unusual(call, answers, error)) return status;
  scant_status found = explain_stored(call, example, answers, error);
  return found == SCANT_OK ? status : found;
}
