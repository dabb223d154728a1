/* Answers as bodies have them. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "actions/actions.h"

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

scant_status serve_answers_read(serve_call *call, size_t object, serve_answers *answers, scant_error *error) {
  const scant_json *body = &call->request->body;
  *answers = (serve_answers){0};
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

void serve_answers_free(serve_answers *answers) {
  for (size_t i = 0; i < answers->count; i++) free((char *)(uintptr_t)answers->list[i].name);
  free(answers->list);
  *answers = (serve_answers){0};
}
