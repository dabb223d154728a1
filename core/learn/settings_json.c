/* Settings as a JSON object and back: part of model files and of kept learners. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"
#include "learn/resolve.h"

enum { OPTIONS_MOST = 64 }; /* as many as scant_settings.given has bits */

/* Fields are called as flags are, with '_' for '-'. */
static void field_name(char *field, size_t size, const char *option) {
  snprintf(field, size, "%s", option);
  for (char *c = field; *c; c++)
    if (*c == '-') *c = '_';
}

static void write_one(const scant_option *o, const char *field, const char *value, scant_json_writer *out) {
  int number = o->type == SCANT_OPTION_COUNT || (o->type == SCANT_OPTION_REAL && strcmp(value, "auto") != 0);
  if (o->type == SCANT_OPTION_FLAG)
    scant_json_flag(out, field, !strcmp(value, "yes"));
  else if (number)
    scant_json_raw(out, field, value);
  else
    scant_json_text(out, field, value);
}

static int is_block(const scant_option *o) {
  return o->offset == offsetof(scant_settings, learning.block);
}

int scant_settings_is_unkept(const scant_settings *settings, const scant_option *option) {
  double value = 0;
  if (is_block(option)) return settings->learning.block == 1;
  if (option->or_none) memcpy(&value, (const char *)settings + option->offset, sizeof value);
  return option->or_none && value == 0;
}

static int is_classes(const scant_option *o) {
  return o->offset == offsetof(scant_settings, reading.classes);
}

void scant_settings_write(const scant_settings *settings, unsigned scopes, scant_json_writer *out) {
  const scant_option *o;
  char field[64], value[256];
  scant_json_open(out, "settings", '{');
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    if (!(o->scope & scopes) || !scant_settings_applies(settings, o)) continue;
    if ((is_classes(o) && !settings->reading.classes) || scant_settings_is_unkept(settings, o)) continue;
    field_name(field, sizeof field, o->name);
    scant_settings_get(settings, o, value, sizeof value);
    write_one(o, field, value, out);
  }
  scant_json_close(out);
}

/* ---- and back ---------------------------------------------------------- */

/* The text of a setting, whether it is stored as text, number or flag. */
static char *setting_text(const scant_json *json, size_t node) {
  const scant_json_node *n = &json->nodes[node];
  if (n->type == SCANT_JSON_TRUE) return scant_copy_text("yes", 3);
  if (n->type == SCANT_JSON_FALSE) return scant_copy_text("no", 2);
  if (n->type == SCANT_JSON_NUMBER) return scant_copy_text(json->text + n->start, n->length);
  return n->type == SCANT_JSON_TEXT ? scant_json_copy(json, node) : scant_copy_text("", 0);
}

/* Checks that every setting that applies is there, as scant_settings_write writes it. */
static scant_status check_complete(const scant_settings *settings, unsigned scopes, scant_error *error) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++)
    if ((o->scope & scopes) && scant_settings_applies(settings, o) && !is_classes(o) &&
        !scant_settings_is_unkept(settings, o) && !scant_settings_is_given(settings, o))
      return scant_fail(error, SCANT_DATA, "setting '%s' is missing", o->name);
  return SCANT_OK;
}

/* Names the setting that is not in the table of options. */
static scant_status refuse_unknown(const scant_json *json, size_t object, unsigned scopes, scant_error *error) {
  size_t child = object + 1;
  for (size_t i = 0; i < json->nodes[object].count; i++, child = json->nodes[child].after) {
    const scant_json_node *node = &json->nodes[child];
    const scant_option *o;
    int known = 0;
    for (size_t j = 0; (o = scant_option_at(j)); j++) {
      char field[64];
      field_name(field, sizeof field, o->name);
      known = known || ((o->scope & scopes) && strlen(field) == node->key_length &&
                        !memcmp(field, json->text + node->key, node->key_length));
    }
    if (!known)
      return scant_fail(error, SCANT_DATA, "this scant does not know its setting '%.*s'",
                        (int)(node->key_length < 64 ? node->key_length : 64), json->text + node->key);
  }
  return SCANT_OK;
}

scant_status scant_settings_read(scant_settings *settings, char **classes, unsigned scopes, const scant_json *json,
                                 scant_error *error) {
  size_t object, known = 0;
  SCANT_TRY(scant_json_get_object(json, 0, "settings", &object, error));
  scant_settings s;
  scant_settings_init(&s);
  s.learning.algorithm = ""; /* a file names what was taken */
  const scant_option *o;
  char *texts[OPTIONS_MOST] = {0};
  scant_status status = SCANT_OK;
  for (size_t i = 0; status == SCANT_OK && (o = scant_option_at(i)); i++) {
    char field[64];
    field_name(field, sizeof field, o->name);
    size_t node = scant_json_member(json, object, field);
    if (!(o->scope & scopes) || node == SCANT_JSON_NONE) continue;
    texts[i] = setting_text(json, node);
    status = texts[i] ? scant_settings_set(&s, o->name, texts[i], error) : scant_fail_memory(error);
    known++;
  }
  if (status == SCANT_OK && known != json->nodes[object].count) status = refuse_unknown(json, object, scopes, error);
  if (status == SCANT_OK) scant_settings_recall_clip(&s);
  if (status == SCANT_OK && scant_settings_is_default(&s))
    status =
        scant_fail(error, SCANT_DATA, "its algorithm is '%s', which stands for another one", SCANT_DEFAULT_ALGORITHM);
  if (status == SCANT_OK) status = scant_settings_resolve(&s, error);
  if (status == SCANT_OK) status = check_complete(&s, scopes, error);
  if (status == SCANT_OK) {
    char *of_two = s.reading.classes ? scant_copy_text(s.reading.classes, strlen(s.reading.classes)) : NULL;
    if (s.reading.classes && !of_two) status = scant_fail_memory(error);
    scant_settings_own(&s);
    s.reading.classes = *classes = of_two;
    *settings = s;
  }
  for (size_t i = 0; i < OPTIONS_MOST; i++) free(texts[i]);
  return status == SCANT_USAGE ? SCANT_DATA : status;
}
