/* Plans change: the catalogue and the settings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "actions/action.h"

#define COLUMNS "unit cost low high usual_low usual_high group known retired"
enum { NUMBER = 128 };

static const scant_json_node *node_at(const serve_call *call, size_t node) {
  return &call->request->body.nodes[node];
}

static int is_key(const serve_call *call, const scant_json_node *member, const char *key) {
  return member->key_length == strlen(key) && !memcmp(call->request->body.text + member->key, key, strlen(key));
}

/* The digits of a number, as the body has them. */
static scant_status copy_number(const serve_call *call, size_t node, const char *name, char text[NUMBER],
                                scant_error *error) {
  const scant_json_node *n = node_at(call, node);
  double x;
  SCANT_TRY(serve_number(call, node, name, &x, error));
  if (n->length >= NUMBER) return scant_fail(error, SCANT_USAGE, "'%.60s' is too long", name);
  snprintf(text, NUMBER, "%.*s", (int)n->length, call->request->body.text + n->start);
  return SCANT_OK;
}

/* ---- attributes --------------------------------------------------------------------------- */

/* The value of a column as the file of a catalogue would have it; null: it is empty. */
static scant_status read_column(serve_call *call, size_t node, const char *column, char number[NUMBER],
                                const char **text, scant_error *error) {
  scant_json_type type = node_at(call, node)->type;
  *text = "";
  if (type == SCANT_JSON_NULL) return SCANT_OK;
  if (!strcmp(column, "unit") || !strcmp(column, "group")) {
    if (type != SCANT_JSON_TEXT) return scant_fail(error, SCANT_USAGE, "'%s' is a text, or null", column);
    *text = serve_copy(call, node);
    return *text ? SCANT_OK : scant_fail_memory(error);
  }
  if (!strcmp(column, "known") || !strcmp(column, "retired")) {
    if (type != SCANT_JSON_TRUE && type != SCANT_JSON_FALSE)
      return scant_fail(error, SCANT_USAGE, "'%s' is true or false", column);
    *text = type == SCANT_JSON_TRUE ? "yes" : "no";
    return SCANT_OK;
  }
  *text = number;
  return copy_number(call, node, column, number, error);
}

static scant_status set_column(serve_call *call, size_t node, int is_new, scant_study_attribute *attribute,
                               scant_error *error) {
  const scant_json_node *member = node_at(call, node);
  char column[40], number[NUMBER];
  const char *text;
  snprintf(column, sizeof column, "%.*s", (int)member->key_length, call->request->body.text + member->key);
  SCANT_TRY(read_column(call, node, column, number, &text, error));
  if (!strcmp(column, "known") && !is_new) {
    if ((attribute->known != 0) == !strcmp(text, "yes")) return SCANT_OK;
    return scant_fail(error, SCANT_USAGE, "whether an attribute is always known can't be amended");
  }
  return scant_study_attribute_set(attribute, column, text, error);
}

/* The attribute as it is now, or a new one. */
static scant_status find_attribute(const scant_study *study, const char *name, int is_new,
                                   scant_study_attribute *attribute, scant_error *error) {
  size_t i = 0, count = scant_study_dimension(study);
  while (i < count && strcmp(scant_study_attribute_at(study, i)->name, name) != 0) i++;
  if (i < count && is_new) return scant_fail(error, SCANT_USAGE, "there is an attribute '%.200s' already", name);
  if (i == count && !is_new)
    return scant_fail(error, SCANT_USAGE, "there is no attribute '%.200s' in the catalogue; \"new\": true adds it",
                      name);
  *attribute =
      i < count ? *scant_study_attribute_at(study, i)
                : (scant_study_attribute){.name = name, .low = NAN, .high = NAN, .usual_low = NAN, .usual_high = NAN};
  return SCANT_OK;
}

static scant_status read_head(serve_call *call, size_t object, const char **name, int *is_new, scant_error *error) {
  const scant_json *body = &call->request->body;
  SCANT_TRY(serve_check_members(call, object, "name new " COLUMNS, error));
  size_t text = scant_json_member(body, object, "name"), flag = scant_json_member(body, object, "new");
  if (text == SCANT_JSON_NONE || body->nodes[text].type != SCANT_JSON_TEXT)
    return scant_fail(error, SCANT_USAGE, "an attribute has no 'name', which is a text");
  *is_new = flag != SCANT_JSON_NONE && body->nodes[flag].type == SCANT_JSON_TRUE;
  if (flag != SCANT_JSON_NONE && !*is_new && body->nodes[flag].type != SCANT_JSON_FALSE)
    return scant_fail(error, SCANT_USAGE, "'new' is true or false");
  *name = serve_copy(call, text);
  return *name ? SCANT_OK : scant_fail_memory(error);
}

static scant_status read_attribute(serve_call *call, size_t object, scant_study_attribute *attribute,
                                   scant_error *error) {
  const char *name;
  int is_new;
  SCANT_TRY(read_head(call, object, &name, &is_new, error));
  SCANT_TRY(find_attribute(call->study, name, is_new, attribute, error));
  size_t child = object + 1;
  for (size_t i = 0; i < node_at(call, object)->count; i++, child = node_at(call, child)->after) {
    scant_error plain = {{0}};
    if (is_key(call, node_at(call, child), "name") || is_key(call, node_at(call, child), "new")) continue;
    scant_status status = set_column(call, child, is_new, attribute, &plain);
    if (status != SCANT_OK) return scant_fail(error, status, "attribute '%.200s': %.300s", name, plain.text);
  }
  return SCANT_OK;
}

static scant_status read_attributes(serve_call *call, scant_study_attribute **attributes, size_t *count,
                                    scant_error *error) {
  size_t list = serve_body(call, "attributes");
  *count = 0;
  if (list == SCANT_JSON_NONE) return SCANT_OK;
  if (node_at(call, list)->type != SCANT_JSON_ARRAY)
    return scant_fail(error, SCANT_USAGE, "'attributes' is a list of objects, each with the name of an attribute");
  size_t node = list + 1;
  *attributes = scant_array(node_at(call, list)->count, sizeof **attributes);
  if (!*attributes) return scant_fail_memory(error);
  for (; *count < node_at(call, list)->count; ++*count, node = node_at(call, node)->after)
    SCANT_TRY(read_attribute(call, node, &(*attributes)[*count], error));
  return SCANT_OK;
}

/* ---- settings ----------------------------------------------------------------------------- */

static scant_status read_settings(const serve_call *call, scant_settings *settings, scant_error *error) {
  static const struct {
    const char *field, *option;
  } known[] = {
      {"k", "k"}, {"spend", "spend"}, {"budget", "budget"}, {"budget_cost", "budget-cost"}, {"max_open", "max-open"}};
  const scant_json *body = &call->request->body;
  size_t object = serve_body(call, "settings");
  scant_settings_init(settings);
  if (object == SCANT_JSON_NONE) return SCANT_OK;
  SCANT_TRY(serve_check_members(call, object, "k spend budget budget_cost max_open", error));
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char text[NUMBER];
    size_t node = scant_json_member(body, object, known[i].field);
    if (node == SCANT_JSON_NONE || body->nodes[node].type == SCANT_JSON_NULL) continue;
    SCANT_TRY(copy_number(call, node, known[i].field, text, error));
    SCANT_TRY(scant_settings_set(settings, known[i].option, text, error));
  }
  return SCANT_OK;
}

scant_status serve_amend(serve_call *call, scant_error *error) {
  scant_study_attribute *attributes = NULL;
  scant_settings settings;
  size_t count;
  const char *reason;
  char *change = NULL;
  int trial;
  SCANT_TRY(serve_check_members(call, 0, "reason attributes settings trial", error));
  SCANT_TRY(serve_body_flag(call, "trial", 0, &trial, error));
  SCANT_TRY(serve_need_text(call, "reason", &reason, error));
  SCANT_TRY(read_settings(call, &settings, error));
  scant_status status = read_attributes(call, &attributes, &count, error);
  if (status == SCANT_OK)
    status = scant_study_amend(call->study, attributes, count, &settings, reason, trial, &change, error);
  free(attributes);
  if (status != SCANT_OK) return status;
  status = scant_study_json_change(&call->out, change, error);
  scant_json_flag(&call->out, "trial", trial);
  scant_text_free(change);
  return status;
}
