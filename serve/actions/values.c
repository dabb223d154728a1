/* Values as bodies have them, and why the library refused them: others are stored, or they are unusual.  Its sentence
 * says so of one value; who entered several wants to know all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "actions/action.h"

static const scant_json_node *node_at(const serve_call *call, size_t node) {
  return &call->request->body.nodes[node];
}

scant_status serve_number(const serve_call *call, size_t node, const char *name, double *x, scant_error *error) {
  const scant_json *body = &call->request->body;
  const scant_json_node *n = node_at(call, node);
  if (n->type == SCANT_JSON_NUMBER && scant_parse_real(body->text + n->start, n->length, x) && isfinite(*x))
    return SCANT_OK;
  const char *what = n->type == SCANT_JSON_NUMBER ? "is too large, or too long" : "is a number";
  return scant_fail(error, SCANT_USAGE, "'%.200s' %s", name, what);
}

scant_status serve_need_text(serve_call *call, const char *name, const char **text, scant_error *error) {
  SCANT_TRY(serve_body_text(call, name, text, error));
  return *text ? SCANT_OK : scant_fail(error, SCANT_USAGE, "'%s' is missing, which is a text", name);
}

/* The name of a member, without its escapes; NULL: out of memory. */
static char *copy_key(const scant_json *body, const scant_json_node *member) {
  scant_json_node text = {.type = SCANT_JSON_TEXT, .start = member->key, .length = member->key_length};
  scant_json alone = {.text = body->text, .length = body->length, .nodes = &text, .count = 1, .capacity = 1};
  return scant_json_copy(&alone, 0);
}

/* {"missing": "refused"} */
static scant_status read_missing(serve_call *call, size_t node, scant_study_answer *answer, scant_error *error) {
  if (node_at(call, node)->type != SCANT_JSON_TEXT)
    return scant_fail(error, SCANT_USAGE, "'%.200s': 'missing' is a text that says why; without a reason it is null",
                      answer->name);
  answer->missing = 1;
  answer->note = serve_copy(call, node);
  return answer->note ? SCANT_OK : scant_fail_memory(error);
}

/* {"value": 97, "confirmed": true} */
static scant_status read_value(const serve_call *call, size_t object, scant_study_answer *answer, scant_error *error) {
  const scant_json *body = &call->request->body;
  size_t value = scant_json_member(body, object, "value"), confirmed = scant_json_member(body, object, "confirmed");
  if (value == SCANT_JSON_NONE)
    return scant_fail(error, SCANT_USAGE, "'%.200s' has neither 'value' nor 'missing'", answer->name);
  SCANT_TRY(serve_number(call, value, answer->name, &answer->value, error));
  if (confirmed == SCANT_JSON_NONE) return SCANT_OK;
  scant_json_type type = node_at(call, confirmed)->type;
  if (type != SCANT_JSON_TRUE && type != SCANT_JSON_FALSE)
    return scant_fail(error, SCANT_USAGE, "'%.200s': 'confirmed' is true or false", answer->name);
  answer->confirmed = type == SCANT_JSON_TRUE;
  return SCANT_OK;
}

static scant_status read_answer(serve_call *call, size_t node, scant_study_answer *answer, scant_error *error) {
  switch (node_at(call, node)->type) {
    case SCANT_JSON_NULL:
      answer->missing = 1;
      return SCANT_OK;
    case SCANT_JSON_NUMBER:
      return serve_number(call, node, answer->name, &answer->value, error);
    case SCANT_JSON_OBJECT: {
      size_t missing = scant_json_member(&call->request->body, node, "missing");
      SCANT_TRY(serve_check_members(call, node, missing == SCANT_JSON_NONE ? "value confirmed" : "missing", error));
      return missing == SCANT_JSON_NONE ? read_value(call, node, answer, error)
                                        : read_missing(call, missing, answer, error);
    }
    default:
      return scant_fail(error, SCANT_USAGE,
                        "'%.200s' is a number, null (it can't be measured), {\"missing\": REASON} or {\"value\": "
                        "NUMBER, \"confirmed\": true}",
                        answer->name);
  }
}

void serve_answers_free(serve_answers *answers) {
  for (size_t i = 0; i < answers->count; i++) free((char *)(uintptr_t)answers->list[i].name);
  free(answers->list);
  *answers = (serve_answers){0};
}

scant_status serve_answers_read(serve_call *call, size_t object, scant_error *error) {
  const scant_json *body = &call->request->body;
  serve_answers *answers = &call->answers;
  serve_answers_free(answers);
  if (object == SCANT_JSON_NONE || node_at(call, object)->type != SCANT_JSON_OBJECT)
    return scant_fail(error, SCANT_USAGE, "'answers' is %s: an object of names and values",
                      object == SCANT_JSON_NONE ? "missing" : "of another kind");
  size_t count = node_at(call, object)->count, child = object + 1;
  answers->list = scant_array(count, sizeof *answers->list);
  if (!answers->list) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++, child = node_at(call, child)->after) {
    scant_study_answer *answer = &answers->list[answers->count];
    *answer = (scant_study_answer){.name = copy_key(body, node_at(call, child)), .value = NAN};
    if (!answer->name) return scant_fail_memory(error);
    answers->count++;
    SCANT_TRY(read_answer(call, child, answer, error));
  }
  return SCANT_OK;
}

/* ---- why they are refused ------------------------------------------------------------- */

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

static int explain_unusual(serve_call *call, const scant_error *error) {
  const serve_answers *answers = &call->answers;
  int is_that = 0;
  for (size_t i = 0; i < answers->count; i++)
    is_that |= is_unusual(call, &answers->list[i]) && says_unusual(error, &answers->list[i]);
  if (!is_that) return 0;
  call->code = "unusual";
  scant_json_open(&call->members, NULL, '{');
  scant_json_open(&call->members, "names", '[');
  for (size_t i = 0; i < answers->count; i++)
    if (is_unusual(call, &answers->list[i])) scant_json_text(&call->members, NULL, answers->list[i].name);
  scant_json_close(&call->members);
  scant_json_close(&call->members);
  return 1;
}

/* ---- values that are stored ---------------------------------------------------------------- */

/* What is stored of a name: a line of the order, its target, or what was measured without being ordered. */
static int find_stored(const serve_call *call, const scant_study_order *order, const char *name,
                       scant_study_line *stored) {
  size_t place;
  if (!strcmp(name, scant_study_target(call->study))) {
    *stored = scant_study_target_line(order);
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
static void put_stored(scant_json_writer *out, const char *name, const scant_study_line *stored) {
  if (stored->state != SCANT_LINE_MISSING || !stored->note) {
    scant_json_real(out, name, stored->value); /* null: missing */
    return;
  }
  scant_json_open(out, name, '{');
  scant_json_text(out, "missing", stored->note);
  scant_json_close(out);
}

static int says_stored(const scant_error *error, const char *name, const char *example) {
  char begins[SENTENCE];
  snprintf(begins, sizeof begins, "'%s' of example '%.200s' is ", name, example);
  return !strncmp(error->text, begins, strlen(begins));
}

/* What differs, as members of the problem; the name of the one that the sentence is about, or NULL. */
static const char *put_differing(serve_call *call, const scant_study_order *order, int *hidden,
                                 const scant_error *error) {
  const serve_answers *answers = &call->answers;
  const char *said = NULL;
  scant_json_open(&call->members, "stored", '{');
  for (size_t i = 0; i < answers->count; i++) {
    const scant_study_answer *answer = &answers->list[i];
    scant_study_line stored;
    if (!find_stored(call, order, answer->name, &stored) || !is_another(&stored, answer)) continue;
    int hides = serve_is_blind(call) && scant_study_is_second_due(order, &stored);
    if (!hides) put_stored(&call->members, answer->name, &stored);
    if (says_stored(error, answer->name, order->example)) {
      said = answer->name;
      *hidden = hides;
    }
  }
  scant_json_close(&call->members);
  return said;
}

static scant_status explain_stored(serve_call *call, const char *example, scant_error *error) {
  const scant_study_order *order;
  const char *by;
  scant_error none;
  int hidden = 0;
  if (scant_study_find(call->study, example, &order, &none) != SCANT_OK) return SCANT_OK;
  scant_json_open(&call->members, NULL, '{');
  const char *said = put_differing(call, order, &hidden, error);
  if (!said) {
    scant_json_discard(&call->members);
    call->members = (scant_json_writer){0};
    return SCANT_OK;
  }
  if (hidden) /* nobody sees a first entry before the second one is made */
    scant_error_write(
        error, "'%.200s' of example '%.200s' was told already, with another value, and waits for its second entry",
        said, example);
  call->status = 409;
  call->code = "conflict";
  if (scant_study_teller(call->study, example, said, &by, &none) != SCANT_OK) by = NULL;
  scant_json_text(&call->members, "by", by);
  scant_json_close(&call->members);
  return SCANT_OK;
}

scant_status serve_explain(serve_call *call, const char *example, scant_status status, scant_error *error) {
  if (status != SCANT_DATA || explain_unusual(call, error)) return status;
  scant_status found = explain_stored(call, example, error);
  return found == SCANT_OK ? status : found;
}
