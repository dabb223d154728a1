/* What actions call: values of the query, members of the body, refusals, tags. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "http/server.h"

struct serve_kept {
  struct serve_kept *next;
  char text[];
};

const char *serve_argument(const serve_call *call, size_t i) {
  return i < call->request->argument_count ? call->request->arguments[i] : "";
}

const char *serve_query(const serve_call *call, const char *name) {
  for (size_t i = 0; i < call->request->query_count; i++)
    if (!strcmp(call->request->query[i].name, name)) return call->request->query[i].value;
  return NULL;
}

scant_status serve_query_count(const serve_call *call, const char *name, uint64_t least, uint64_t most, uint64_t preset,
                               uint64_t *n, scant_error *error) {
  const char *text = serve_query(call, name);
  *n = preset;
  if (!text) return SCANT_OK;
  char *end;
  unsigned long long number = strtoull(text, &end, 10);
  int is_plain = text[0] && strspn(text, "0123456789") == strlen(text) && strlen(text) < 20;
  if (!is_plain || number < least || number > most)
    return scant_fail(error, SCANT_USAGE, "'%s' is a whole number from %llu to %llu, not '%.60s'", name,
                      (unsigned long long)least, (unsigned long long)most, text);
  *n = number;
  return SCANT_OK;
}

scant_status serve_query_real(const serve_call *call, const char *name, double preset, double *x, scant_error *error) {
  const char *text = serve_query(call, name);
  *x = preset;
  if (!text) return SCANT_OK;
  if (!scant_parse_real(text, strlen(text), x) || !isfinite(*x))
    return scant_fail(error, SCANT_USAGE, "'%s' is a number, not '%.60s'", name, text);
  return SCANT_OK;
}

scant_status serve_query_flag(const serve_call *call, const char *name, int preset, int *yes, scant_error *error) {
  const char *text = serve_query(call, name);
  *yes = text ? !strcmp(text, "yes") : preset;
  if (text && strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
    return scant_fail(error, SCANT_USAGE, "'%s' is yes or no, not '%.60s'", name, text);
  return SCANT_OK;
}

size_t serve_body(const serve_call *call, const char *name) {
  const scant_json *body = &call->request->body;
  if (!body->count || body->nodes[0].type != SCANT_JSON_OBJECT) return SCANT_JSON_NONE;
  size_t node = scant_json_member(body, 0, name);
  return node != SCANT_JSON_NONE && body->nodes[node].type == SCANT_JSON_NULL ? SCANT_JSON_NONE : node;
}

/* Keeps a text, which it frees. */
static const char *keep(serve_call *call, char *text) {
  size_t size = text ? strlen(text) + 1 : 0;
  struct serve_kept *kept = text ? malloc(sizeof *kept + size) : NULL;
  if (kept) {
    memcpy(kept->text, text, size);
    kept->next = call->kept;
    call->kept = kept;
  }
  free(text);
  return kept ? kept->text : NULL;
}

const char *serve_copy(serve_call *call, size_t node) {
  return keep(call, scant_json_copy(&call->request->body, node));
}

scant_status serve_body_text(serve_call *call, const char *name, const char **text, scant_error *error) {
  *text = NULL;
  size_t node = serve_body(call, name);
  if (node == SCANT_JSON_NONE) return SCANT_OK;
  if (call->request->body.nodes[node].type != SCANT_JSON_TEXT)
    return scant_fail(error, SCANT_USAGE, "'%s' is a text", name);
  *text = serve_copy(call, node);
  return *text ? SCANT_OK : scant_fail_memory(error);
}

scant_status serve_body_flag(const serve_call *call, const char *name, int preset, int *yes, scant_error *error) {
  *yes = preset;
  size_t node = serve_body(call, name);
  if (node == SCANT_JSON_NONE) return SCANT_OK;
  scant_json_type type = call->request->body.nodes[node].type;
  if (type != SCANT_JSON_TRUE && type != SCANT_JSON_FALSE)
    return scant_fail(error, SCANT_USAGE, "'%s' is true or false", name);
  *yes = type == SCANT_JSON_TRUE;
  return SCANT_OK;
}

int serve_has_word(const char *list, const char *word, size_t length) {
  for (const char *at = list ? list : ""; *at; at += strspn(at, " ")) {
    size_t width = strcspn(at, " ");
    if (width == length && !memcmp(at, word, length)) return 1;
    at += width;
  }
  return 0;
}

scant_status serve_check_members(const serve_call *call, size_t object, const char *allowed, scant_error *error) {
  const scant_json *body = &call->request->body;
  if (!body->count) return SCANT_OK;
  if (body->nodes[object].type != SCANT_JSON_OBJECT) return scant_fail(error, SCANT_USAGE, "an object is expected");
  size_t child = object + 1;
  for (size_t i = 0; i < body->nodes[object].count; i++) {
    const scant_json_node *node = &body->nodes[child];
    if (!serve_has_word(allowed, body->text + node->key, node->key_length))
      return scant_fail(error, SCANT_USAGE, "there is no member '%.*s' here; there are: %s",
                        node->key_length > 60 ? 60 : (int)node->key_length, body->text + node->key, allowed);
    child = node->after;
  }
  return SCANT_OK;
}

scant_status serve_refuse(serve_call *call, int status, const char *code, scant_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (error) vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  call->status = status;
  call->code = code;
  return SCANT_DATA;
}

scant_status serve_mention(serve_call *call, const char *example, scant_error *error) {
  if (!scant_grow(&call->examples, &call->example_room, call->example_count + 1, sizeof *call->examples))
    return scant_fail_memory(error);
  char *copy = scant_copy_text(example, strlen(example));
  if (!copy) return scant_fail_memory(error);
  call->examples[call->example_count++] = copy;
  return SCANT_OK;
}

int serve_is_stopping(const serve_call *call) {
  return call->server && atomic_load(&call->server->stopping);
}

double serve_time(const serve_call *call) {
  return serve_now(call->server);
}

void serve_call_free(serve_call *call) {
  scant_json_discard(&call->out);
  scant_json_discard(&call->members);
  free(call->text);
  for (size_t i = 0; i < call->example_count; i++) free(call->examples[i]);
  free(call->examples);
  serve_answers_free(&call->answers);
  while (call->kept) {
    struct serve_kept *next = call->kept->next;
    free(call->kept);
    call->kept = next;
  }
}

/* ---- tags (ETag): what changes when something does ------------------------------------ */

scant_status serve_tag_example(scant_study *study, const char *example, char tag[SERVE_TAG_LENGTH],
                               scant_error *error) {
  uint64_t last = 0;
  SCANT_TRY(scant_study_last_event(study, example, &last, error));
  tag[0] = 0;
  if (last) snprintf(tag, SERVE_TAG_LENGTH, "\"e%" PRIu64 "\"", last);
  return SCANT_OK;
}

scant_status serve_tag_study(scant_study *study, scant_role role, char tag[SERVE_TAG_LENGTH], scant_error *error) {
  scant_study_status status;
  SCANT_TRY(scant_study_get_totals(study, &status, error));
  snprintf(tag, SERVE_TAG_LENGTH, "\"s%" PRIu64 "%c\"", status.events, scant_role_name(role)[0]);
  return SCANT_OK;
}

static uint64_t add_text(uint64_t hash, const char *text) {
  const char *present = text ? text : "\1";
  return scant_hash(hash, present, strlen(present) + 1);
}

/* Of everything that an amendment can change. */
scant_status serve_tag_terms(const scant_study *study, char tag[SERVE_TAG_LENGTH], scant_error *error) {
  (void)error;
  uint64_t hash = SCANT_HASH_START;
  for (size_t i = 0; i < scant_study_dimension(study); i++) {
    const scant_study_attribute *a = scant_study_attribute_at(study, i);
    hash = add_text(add_text(add_text(hash, a->name), a->unit), a->group);
    double bounds[4] = {a->low, a->high, a->usual_low, a->usual_high};
    for (size_t j = 0; j < 4; j++) {
      char number[SCANT_NUMBER_LENGTH];
      scant_format_real(number, sizeof number, bounds[j]);
      hash = add_text(hash, number);
    }
    uint64_t rest[3] = {a->cost, (uint64_t)a->known, (uint64_t)a->retired};
    hash = scant_hash(hash, rest, sizeof rest);
  }
  const scant_settings *settings = scant_study_settings(study);
  static const char *const amended[] = {"k", "spend", "budget", "budget-cost", "max-open"};
  for (size_t i = 0; i < sizeof amended / sizeof *amended; i++) {
    char value[64] = "";
    scant_settings_get(settings, scant_option_find(amended[i]), value, sizeof value);
    hash = add_text(hash, value);
  }
  snprintf(tag, SERVE_TAG_LENGTH, "\"t%016" PRIx64 "\"", hash);
  return SCANT_OK;
}
