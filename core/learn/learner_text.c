/* Settings as a JSON object, and looks and learners as texts, from which the same bits come back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "learn/learner.h"
#include "price/prices.h"

static const scant_document look_document = {"scant-look", "a look", "text", 1, 1};
static const scant_document learner_document = {"scant-learner", "a learner", "text", 1, 1};

/* The scopes of the settings that a learner's text holds. */
#define KEPT (SCANT_SCOPE_MODEL | SCANT_SCOPE_LIBRARY)

void scant_text_free(char *text) {
  free(text);
}

/* ---- settings --------------------------------------------------------------- */

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

int scant_settings_is_unkept(const scant_settings *settings, const scant_option *option) {
  double value = 0;
  if (option->offset == offsetof(scant_settings, learning.block)) return settings->learning.block == 1;
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

/* The option that a member is called after, if it has one of the scopes; else NULL. */
static const scant_option *find_option(const scant_json *json, const scant_json_node *node, unsigned scopes) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char field[64];
    field_name(field, sizeof field, o->name);
    if ((o->scope & scopes) && strlen(field) == node->key_length &&
        !memcmp(field, json->text + node->key, node->key_length))
      return o;
  }
  return NULL;
}

/* Sets what the members say; texts[i] is the value of option i, to be freed. */
static scant_status read_settings(scant_settings *s, char *texts[OPTIONS_MOST], unsigned scopes, const scant_json *json,
                                  size_t object, scant_error *error) {
  for (size_t i = 0, child = object + 1; i < json->nodes[object].count; i++, child = json->nodes[child].after) {
    const scant_json_node *node = &json->nodes[child];
    const scant_option *o = find_option(json, node, scopes);
    if (!o)
      return scant_fail(error, SCANT_DATA, "this scant does not know its setting '%.*s'",
                        (int)(node->key_length < 64 ? node->key_length : 64), json->text + node->key);
    char *text = texts[o - scant_option_at(0)] = setting_text(json, child);
    if (!text) return scant_fail_memory(error);
    SCANT_TRY(scant_settings_set(s, o->name, text, error));
  }
  return SCANT_OK;
}

/* Resolves what was read, and copies the one text that stays. */
static scant_status resolve_read(scant_settings *s, char **classes, unsigned scopes, scant_error *error) {
  scant_settings_recall_clip(s);
  if (scant_settings_is_default(s))
    return scant_fail(error, SCANT_DATA, "its algorithm is '%s', which stands for another one",
                      SCANT_DEFAULT_ALGORITHM);
  SCANT_TRY(scant_settings_resolve(s, error));
  SCANT_TRY(check_complete(s, scopes, error));
  const char *given = s->reading.classes;
  *classes = given ? scant_copy_text(given, strlen(given)) : NULL;
  if (given && !*classes) return scant_fail_memory(error);
  scant_settings_own(s);
  s->reading.classes = *classes;
  return SCANT_OK;
}

scant_status scant_settings_read(scant_settings *settings, char **classes, unsigned scopes, const scant_json *json,
                                 scant_error *error) {
  size_t object;
  SCANT_TRY(scant_json_get_object(json, 0, "settings", &object, error));
  scant_settings s;
  scant_settings_init(&s);
  s.learning.algorithm = ""; /* a file names what was taken */
  char *texts[OPTIONS_MOST] = {0};
  scant_status status = read_settings(&s, texts, scopes, json, object, error);
  if (status == SCANT_OK) status = resolve_read(&s, classes, scopes, error);
  if (status == SCANT_OK) *settings = s;
  for (size_t i = 0; i < OPTIONS_MOST; i++) free(texts[i]);
  return status == SCANT_USAGE ? SCANT_DATA : status;
}

/* ---- looks --------------------------------------------------------------- */

/* Could the text be loaded again?  Tell checks whether it is a look of its learner. */
static int can_be_kept(const scant_look *look) {
  if (look->count > look->capacity || look->sequence_count > look->sequence_capacity || look->calls > 2) return 0;
  int good = isfinite(look->gradient_scale) && isfinite(look->y_mean) && isfinite(look->intercept);
  for (uint32_t i = 0; i < look->count; i++)
    good = good && isfinite(look->gradient_probability[i]) && isfinite(look->residual_probability[i]) &&
           isfinite(look->weight[i]) && !isinf(look->mean[i]);
  for (uint32_t r = 0; r < look->sequence_count; r++) good = good && look->sequence[r] < look->count;
  return good;
}

static void write_places(scant_json_writer *out, const char *key, const uint32_t *places, uint32_t count) {
  scant_json_open(out, key, '[');
  for (uint32_t i = 0; i < count; i++) scant_json_count(out, NULL, places[i]);
  scant_json_close(out);
}

scant_status scant_look_save(const scant_look *look, char **text, size_t *length, scant_error *error) {
  if (!can_be_kept(look)) return scant_fail(error, SCANT_MISUSE, "can't save the look: it is damaged");
  scant_json_writer out = {0};
  scant_document_open(&look_document, &out);
  scant_json_hex(&out, "learner", look->learner);
  scant_json_count(&out, "serial", look->serial);
  scant_json_count(&out, "draws", look->draws);
  scant_json_count(&out, "gradient_total", look->gradient_total);
  scant_json_count(&out, "residual_total", look->residual_total);
  scant_json_real(&out, "gradient_scale", look->gradient_scale);
  scant_json_real(&out, "y_mean", look->y_mean);
  scant_json_real(&out, "bias", look->intercept);
  const uint32_t calls[4] = {look->call[0].order, look->call[0].group, look->call[1].order, look->call[1].group};
  write_places(&out, "calls", calls, 2 * look->calls);
  for (size_t a = 0; a < SCANT_LOOK_ARRAYS; a++) {
    const scant_look_array *array = &scant_look_arrays[a];
    if (array->is_real) /* null: a mean that is not known yet */
      scant_json_reals(&out, array->key, scant_look_get_array(look, a), look->count, 1);
    else
      write_places(&out, array->key, scant_look_get_array(look, a), look->count);
  }
  write_places(&out, "sequence", look->sequence, look->sequence_count);
  return scant_document_close(&out, text, length, error);
}

/* The number of items of an array, as a look counts. */
static scant_status read_length(const scant_json *json, const char *key, uint32_t *count, scant_error *error) {
  size_t node = scant_json_member(json, 0, key);
  if (node == SCANT_JSON_NONE || json->nodes[node].type != SCANT_JSON_ARRAY || json->nodes[node].count > UINT32_MAX)
    return scant_fail(error, SCANT_DATA, "field '%s' is not a list", key);
  *count = (uint32_t)json->nodes[node].count;
  return SCANT_OK;
}

static scant_status read_number(const scant_json *json, const char *key, uint32_t *number, scant_error *error) {
  uint64_t n;
  SCANT_TRY(scant_json_get_count(json, 0, key, &n, error));
  if (n > UINT32_MAX) return scant_fail(error, SCANT_DATA, "field '%s' is out of range", key);
  *number = (uint32_t)n;
  return SCANT_OK;
}

/* `count` whole numbers up to `most`; `numbers` is scratch for as many. */
static scant_status read_places(const scant_json *json, const char *key, uint32_t *places, uint32_t count,
                                uint64_t most, uint64_t *numbers, scant_error *error) {
  SCANT_TRY(scant_json_get_counts(json, 0, key, numbers, count, error));
  for (uint32_t i = 0; i < count; i++) {
    if (numbers[i] > most) return scant_fail(error, SCANT_DATA, "item %lu of '%s' is out of range", i + 1ul, key);
    places[i] = (uint32_t)numbers[i];
  }
  return SCANT_OK;
}

static scant_status read_means(const scant_json *json, double *mean, uint32_t count, scant_error *error) {
  size_t node;
  SCANT_TRY(scant_json_get_array(json, 0, "mean", count, &node, error));
  size_t child = node + 1;
  for (uint32_t i = 0; i < count; i++, child = json->nodes[child].after)
    if (!scant_json_real_or_null_of(json, child, &mean[i]))
      return scant_fail(error, SCANT_DATA, "item %lu of 'mean' is neither a finite number nor null", i + 1ul);
  return SCANT_OK;
}

static scant_status read_arrays(scant_look *look, const scant_json *json, uint64_t *numbers, scant_error *error) {
  uint32_t n = look->count, calls[4] = {0};
  SCANT_TRY(read_places(json, "calls", calls, 2 * look->calls, UINT32_MAX, numbers, error));
  for (uint32_t c = 0; c < look->calls; c++) look->call[c] = (scant_look_call){calls[2 * c], calls[2 * c + 1]};
  for (size_t a = 0; a < SCANT_LOOK_ARRAYS; a++) {
    const char *key = scant_look_arrays[a].key;
    void *array = scant_look_get_array(look, a);
    if (array == look->mean)
      SCANT_TRY(read_means(json, array, n, error));
    else if (scant_look_arrays[a].is_real)
      SCANT_TRY(scant_json_get_reals(json, 0, key, array, n, 1, error));
    else
      SCANT_TRY(read_places(json, key, array, n, UINT32_MAX, numbers, error));
  }
  if (look->sequence_count && !n) return scant_fail(error, SCANT_DATA, "field 'sequence' is out of range");
  return read_places(json, "sequence", look->sequence, look->sequence_count, n ? n - 1 : 0, numbers, error);
}

static scant_status read_look(scant_look *look, const scant_json *json, scant_error *error) {
  uint32_t calls;
  SCANT_TRY(scant_json_get_hex(json, 0, "learner", &look->learner, error));
  SCANT_TRY(scant_json_get_count(json, 0, "serial", &look->serial, error));
  SCANT_TRY(read_number(json, "draws", &look->draws, error));
  SCANT_TRY(read_number(json, "gradient_total", &look->gradient_total, error));
  SCANT_TRY(read_number(json, "residual_total", &look->residual_total, error));
  SCANT_TRY(scant_json_get_real(json, 0, "gradient_scale", &look->gradient_scale, error));
  SCANT_TRY(scant_json_get_real(json, 0, "y_mean", &look->y_mean, error));
  SCANT_TRY(scant_json_get_real(json, 0, "bias", &look->intercept, error));
  SCANT_TRY(read_length(json, "calls", &calls, error));
  if (calls % 2 || calls > 4) return scant_fail(error, SCANT_DATA, "field 'calls' is not a list of at most two pairs");
  look->calls = calls / 2;
  SCANT_TRY(read_length(json, "attributes", &look->count, error));
  SCANT_TRY(read_length(json, "sequence", &look->sequence_count, error));
  uint32_t longest = look->count > look->sequence_count ? look->count : look->sequence_count;
  uint64_t *numbers = scant_array(longest > 4 ? longest : 4, sizeof *numbers);
  int good = numbers && scant_look_reserve(look, look->count ? look->count : 1, look->sequence_count);
  scant_status status = good ? read_arrays(look, json, numbers, error) : scant_fail_memory(error);
  free(numbers);
  return status;
}

scant_status scant_look_load(scant_look **look, const char *text, size_t length, scant_error *error) {
  scant_json json = {0};
  scant_error inner = {""};
  scant_look *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  scant_status status = scant_document_parse(&look_document, &json, text, length, &inner);
  if (status == SCANT_OK) status = read_look(l, &json, &inner);
  scant_json_free(&json);
  if (status != SCANT_OK) {
    scant_look_free(l);
    return scant_fail(error, status, "can't load the look: %s", inner.text);
  }
  *look = l;
  return SCANT_OK;
}

/* ---- learners ------------------------------------------------------------- */

static void write_barred(const scant_learner *l, scant_json_writer *out) {
  scant_json_open(out, "barred", '[');
  for (size_t i = 0; i < l->dimension; i++)
    if (l->looks.barred[i]) scant_json_count(out, NULL, i);
  scant_json_close(out);
}

scant_status scant_learner_save(const scant_learner *l, char **text, size_t *length, scant_error *error) {
  scant_json_writer out = {0};
  scant_document_open(&learner_document, &out);
  scant_settings_write(&l->settings, KEPT, &out);
  scant_json_count(&out, "dimension", l->dimension);
  scant_json_count(&out, "horizon", l->horizon);
  scant_json_hex(&out, "tag", l->tag); /* looks that are kept elsewhere hold it */
  if (l->looks.barred) write_barred(l, &out);
  if (scant_learner_prices(l)) scant_prices_write(scant_learner_prices(l), &out);
  scant_json_open(&out, "learner", '{');
  scant_learner_write_state(l, &out);
  scant_json_close(&out);
  return scant_document_close(&out, text, length, error);
}

/* The dimension, which must be that of the state before memory is taken for it. */
static scant_status read_dimension(const scant_json *json, size_t state, uint64_t *dimension, scant_error *error) {
  SCANT_TRY(scant_json_get_count(json, 0, "dimension", dimension, error));
  size_t counts = scant_json_member(json, state, "counts");
  if (!*dimension || counts == SCANT_JSON_NONE || json->nodes[counts].count != *dimension)
    return scant_fail(error, SCANT_DATA, "its state is not of %llu attributes", (unsigned long long)*dimension);
  return SCANT_OK;
}

static scant_status read_barred(scant_learner *l, const scant_json *json, scant_error *error) {
  size_t node = scant_json_member(json, 0, "barred"), d = l->dimension;
  if (node == SCANT_JSON_NONE) return SCANT_OK;
  size_t count = json->nodes[node].type == SCANT_JSON_ARRAY ? json->nodes[node].count : d + 1;
  if (count > d) return scant_fail(error, SCANT_DATA, "field 'barred' is not a list of attributes");
  uint64_t *places = scant_array(count + 1, sizeof *places);
  unsigned char *marks = scant_array(d, 1);
  scant_status status =
      places && marks ? scant_json_get_counts(json, 0, "barred", places, count, error) : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    if (places[i] >= d)
      status = scant_fail(error, SCANT_DATA, "field 'barred' is not a list of attributes");
    else
      marks[places[i]] = 1;
  }
  if (status == SCANT_OK) status = scant_learner_bar(l, marks, error);
  free(places);
  free(marks);
  return status;
}

static scant_status read_prices(scant_learner *l, const scant_json *json, scant_error *error) {
  if (scant_json_member(json, 0, "costs") == SCANT_JSON_NONE) return SCANT_OK;
  SCANT_TRY(scant_prices_read(&l->own_prices, l->dimension, json, error));
  return scant_learner_price(l, l->own_prices, error);
}

/* Every failure but a missing engine is a fault of the text. */
static scant_status open_learner(scant_learner **learner, const scant_json *json, const scant_settings *given,
                                 uint64_t dimension, uint64_t horizon, scant_error *error) {
  scant_settings settings, defaults;
  char *classes = NULL;
  scant_settings_init(&defaults);
  SCANT_TRY(scant_settings_read(&settings, &classes, KEPT, json, error));
  free(classes); /* options of the data, which the learner does not use */
  settings.reading.classes = NULL;
  settings.runtime = given ? given->runtime : defaults.runtime;
  scant_terms terms;
  const scant_extent extent = {.dimension = (size_t)dimension, .examples = horizon};
  scant_status status = scant_terms_recall(&terms, &settings, &extent, error);
  if (status != SCANT_OK) return status == SCANT_USAGE ? SCANT_DATA : status;
  status = scant_learner_of_terms(learner, &terms, error);
  const scant_algorithm *algorithm = &terms.parts->words;
  int without = algorithm->dense && !scant_engine_find(settings.runtime.engines, algorithm->name);
  return status == SCANT_USAGE && !without ? SCANT_DATA : status;
}

static scant_status read_learner(scant_learner **learner, const scant_json *json, const scant_settings *given,
                                 scant_error *error) {
  uint64_t dimension, horizon, tag;
  size_t state;
  SCANT_TRY(scant_json_get_object(json, 0, "learner", &state, error));
  SCANT_TRY(read_dimension(json, state, &dimension, error));
  SCANT_TRY(scant_json_get_count(json, 0, "horizon", &horizon, error));
  SCANT_TRY(scant_json_get_hex(json, 0, "tag", &tag, error));
  SCANT_TRY(open_learner(learner, json, given, dimension, horizon, error));
  scant_status status = read_barred(*learner, json, error);
  if (status == SCANT_OK) status = read_prices(*learner, json, error);
  if (status != SCANT_OK) return status == SCANT_USAGE ? SCANT_DATA : status;
  (*learner)->tag = tag;
  return scant_learner_restore(*learner, json, state, error);
}

scant_status scant_learner_load(scant_learner **learner, const char *text, size_t length, const scant_settings *given,
                                scant_error *error) {
  scant_json json;
  scant_error inner = {""};
  scant_learner *l = NULL;
  scant_status status = scant_document_parse(&learner_document, &json, text, length, &inner);
  if (status == SCANT_OK) {
    status = read_learner(&l, &json, given, &inner);
    scant_json_free(&json);
  }
  if (status != SCANT_OK) {
    scant_learner_free(l);
    return scant_fail(error, status, "can't load the learner: %s", inner.text);
  }
  *learner = l;
  return SCANT_OK;
}
