/* The model file: versioned JSON that ends with a checksum of all before it.
 *
 * It depends on the training data, the settings that affect the fit, and the
 * seed alone: no times, no paths, no test results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/bytes.h"
#include "data/source.h"
#include "learn/prices.h"
#include "learn/settings.h"
#include "model/model.h"

#define FORMAT "scant-model"
/* Version 1, of scant 0.1, knew fewer settings: what it does not say is at its
 * default. */
#define VERSION 2
#define VERSION_OLDEST 1
#define TAIL_START ",\n  \"checksum\": \""
#define TAIL_END "\"\n}\n"
#define TAIL_LENGTH (sizeof TAIL_START - 1 + 16 + sizeof TAIL_END - 1)

/* ---- saving ------------------------------------------------------------ */

/* Fields are called as flags are, with '_' for '-'. */
static void field_name(char *field, size_t size, const char *option) {
  snprintf(field, size, "%s", option);
  for (char *c = field; *c; c++)
    if (*c == '-') *c = '_';
}

static void save_setting(const scant_option *o, const char *field, const char *value, scant_json_writer *out) {
  int number = o->type == SCANT_OPTION_COUNT || (o->type == SCANT_OPTION_REAL && strcmp(value, "auto") != 0);
  if (o->type == SCANT_OPTION_FLAG)
    scant_json_flag(out, field, !strcmp(value, "yes"));
  else if (number)
    scant_json_raw(out, field, value);
  else
    scant_json_text(out, field, value);
}

static void save_settings(const scant_model *m, scant_json_writer *out) {
  const scant_option *o;
  char field[64], value[256];
  scant_json_open(out, "settings", '{');
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    if (!(o->scope & SCANT_SCOPE_MODEL) || !scant_settings_applies(&m->settings, o)) continue;
    if (o->offset == offsetof(scant_settings, classes) && !m->classes) continue;
    field_name(field, sizeof field, o->name);
    scant_settings_get(&m->settings, o, value, sizeof value);
    save_setting(o, field, value, out);
  }
  scant_json_close(out, '}');
}

static void save_ledger(const scant_model *m, scant_json_writer *out) {
  scant_json_open(out, "ledger", '{');
  scant_json_count(out, "examples", m->ledger.examples);
  scant_json_count(out, "distinct_examples", m->ledger.distinct_examples);
  scant_json_count(out, "looks_drawn", m->ledger.looks_drawn);
  scant_json_count(out, "attributes_bought", m->ledger.attributes_bought);
  scant_json_count(out, "max_bought_per_example", m->ledger.max_bought_per_example);
  if (m->prices) scant_json_count(out, "money_spent", m->ledger.money_spent);
  scant_json_count(out, "missing_cells", m->ledger.missing_cells);
  scant_json_count(out, "skipped_examples", m->ledger.skipped_examples);
  scant_json_close(out, '}');
  scant_json_open(out, "purchases", '[');
  for (size_t i = 0; i < m->dimension; i++) scant_json_count(out, NULL, m->purchases[i]);
  scant_json_close(out, ']');
}

static void save_prices(const scant_prices *p, scant_json_writer *out) {
  int panels = 0;
  scant_json_open(out, "costs", '[');
  for (size_t i = 0; i < p->dimension; i++) scant_json_count(out, NULL, p->attribute_cost[i]);
  scant_json_close(out, ']');
  for (size_t i = 0; i < p->dimension; i++) panels = panels || p->panel[i];
  if (!panels) return;
  scant_json_open(out, "panels", '[');
  for (size_t i = 0; i < p->dimension; i++) scant_json_count(out, NULL, p->panel[i]);
  scant_json_close(out, ']');
}

static void save_body(const scant_model *m, scant_json_writer *out) {
  scant_json_open(out, NULL, '{');
  scant_json_text(out, "format", FORMAT);
  scant_json_count(out, "version", VERSION);
  save_settings(m, out);
  scant_json_count(out, "dimension", m->dimension);
  scant_json_text(out, "target", m->target_name);
  scant_json_real(out, "eta", m->eta);
  scant_json_real(out, "penalty", m->penalty);
  save_ledger(m, out);
  if (m->prices) save_prices(m->prices, out);
  if (m->names) {
    scant_json_open(out, "names", '[');
    for (size_t i = 0; i < m->dimension; i++) scant_json_text(out, NULL, m->names[i]);
    scant_json_close(out, ']');
  } else {
    scant_json_text(out, "names", NULL);
  }
  scant_json_real(out, "intercept", m->intercept);
  scant_json_reals(out, "weights", m->weights, m->dimension, 1);
  if (m->means) scant_json_reals(out, "means", m->means, m->dimension, 1);
  if (m->gaussian) scant_gaussian_save(m->gaussian, out);
  if (m->checkpoint) scant_json_raw(out, "checkpoint", m->checkpoint);
}

scant_status scant_model_save(const scant_model *model, const char *path, scant_error *error) {
  int finite = isfinite(model->intercept) && !isinf(model->eta) && !isinf(model->penalty);
  for (size_t i = 0; i < model->dimension; i++)
    finite = finite && isfinite(model->weights[i]) && (!model->means || isfinite(model->means[i]));
  if (!finite) return scant_fail(error, SCANT_DATA, "can't write '%s': a weight of the model is not finite", path);
  scant_error inner = {""};
  scant_status status = model->gaussian ? scant_gaussian_check(model->gaussian, model->dimension, &inner) : SCANT_OK;
  if (status != SCANT_OK) return scant_fail(error, status, "can't write '%s': its gaussian: %s", path, inner.text);
  scant_json_writer out = {0};
  save_body(model, &out);
  char tail[TAIL_LENGTH + 1];
  uint64_t checksum = scant_hash(SCANT_HASH_START, out.text ? out.text : "", out.length);
  snprintf(tail, sizeof tail, TAIL_START "%016llx" TAIL_END, (unsigned long long)checksum);
  scant_json_append(&out, tail);
  status = out.failed ? scant_fail_memory(error) : scant_file_replace(path, out.text, out.length, error);
  scant_json_free_text(&out);
  return status;
}

/* ---- loading ----------------------------------------------------------- */

/* The text of a setting, whether it is stored as text, number or flag. */
static char *setting_text(const scant_json *json, size_t node) {
  const scant_json_node *n = &json->nodes[node];
  if (n->type == SCANT_JSON_TRUE) return scant_copy_text("yes", 3);
  if (n->type == SCANT_JSON_FALSE) return scant_copy_text("no", 2);
  if (n->type == SCANT_JSON_NUMBER) return scant_copy_text(json->text + n->start, n->length);
  return n->type == SCANT_JSON_TEXT ? scant_json_copy(json, node) : scant_copy_text("", 0);
}

/* Files of earlier versions lack what came later. */
static int is_current(const scant_json *json) {
  uint64_t version = 0;
  scant_json_get_count(json, 0, "version", &version, NULL);
  return version == VERSION;
}

/* Every setting that applies is there, as save_settings wrote it. */
static scant_status check_settings(const scant_settings *settings, size_t dimension, int complete, scant_error *error) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    int optional = !complete || o->offset == offsetof(scant_settings, classes);
    if ((o->scope & SCANT_SCOPE_MODEL) && scant_settings_applies(settings, o) && !optional &&
        !scant_settings_is_given(settings, o))
      return scant_fail(error, SCANT_DATA, "setting '%s' is missing", o->name);
  }
  if (settings->k > dimension)
    return scant_fail(error, SCANT_DATA, "k = %llu is more than its %zu attributes", (unsigned long long)settings->k,
                      dimension);
  scant_classes classes;
  return scant_classes_parse(&classes, settings->classes, error);
}

/* Names the setting that is in no row of the table. */
static scant_status refuse_unknown(const scant_json *json, size_t object, scant_error *error) {
  size_t child = object + 1;
  for (size_t i = 0; i < json->nodes[object].count; i++, child = json->nodes[child].after) {
    const scant_json_node *node = &json->nodes[child];
    const scant_option *o;
    int known = 0;
    for (size_t j = 0; (o = scant_option_at(j)); j++) {
      char field[64];
      field_name(field, sizeof field, o->name);
      known = known || ((o->scope & SCANT_SCOPE_MODEL) && strlen(field) == node->key_length &&
                        !memcmp(field, json->text + node->key, node->key_length));
    }
    if (!known)
      return scant_fail(error, SCANT_DATA, "this scant does not know its setting '%.*s'",
                        (int)(node->key_length < 64 ? node->key_length : 64), json->text + node->key);
  }
  return SCANT_OK;
}

static scant_status load_settings(scant_model *m, const scant_json *json, scant_error *error) {
  size_t object, known = 0;
  SCANT_TRY(scant_json_get_object(json, 0, "settings", &object, error));
  scant_settings settings;
  scant_settings_init(&settings);
  const scant_option *o;
  char *texts[64] = {0};
  scant_status status = SCANT_OK;
  for (size_t i = 0; status == SCANT_OK && (o = scant_option_at(i)); i++) {
    char field[64];
    field_name(field, sizeof field, o->name);
    size_t node = scant_json_member(json, object, field);
    if (!(o->scope & SCANT_SCOPE_MODEL) || node == SCANT_JSON_NONE) continue;
    texts[i] = setting_text(json, node);
    status = texts[i] ? scant_settings_set(&settings, o->name, texts[i], error) : scant_fail_memory(error);
    known++;
  }
  if (status == SCANT_OK && known != json->nodes[object].count) status = refuse_unknown(json, object, error);
  if (status == SCANT_OK && !is_current(json)) status = scant_settings_set(&settings, "missing", "error", error);
  if (status == SCANT_OK) status = scant_settings_resolve(&settings, error);
  if (status == SCANT_OK) status = check_settings(&settings, m->dimension, is_current(json), error);
  if (status == SCANT_OK) status = scant_model_set_settings(m, &settings, error);
  for (size_t i = 0; i < 64; i++) free(texts[i]);
  return status == SCANT_USAGE ? SCANT_DATA : status;
}

/* Every skipped example has a missing cell. */
static int check_missing(const scant_model *m) {
  const scant_ledger *l = &m->ledger;
  double bought = 0; /* members of panels and what is free too */
  for (size_t i = 0; i < m->dimension; i++) bought += (double)m->purchases[i];
  switch (m->settings.missing) {
    case SCANT_MISSING_ERROR:
      return !l->missing_cells && !l->skipped_examples;
    case SCANT_MISSING_SKIP_CELL:
      return (double)l->missing_cells <= bought && !l->skipped_examples;
    default:
      return (double)l->missing_cells <= bought && l->skipped_examples <= l->missing_cells &&
             l->skipped_examples <= l->examples && !l->missing_cells == !l->skipped_examples;
  }
}

/* A ledger that no fit can have kept is refused. */
static scant_status check_ledger(const scant_model *m, scant_error *error) {
  const scant_ledger *l = &m->ledger;
  const scant_prices *p = m->prices;
  uint64_t sum = 0, money = 0;
  for (size_t i = 0; i < m->dimension; i++) {
    uint64_t n = m->purchases[i], cost = p ? p->cost[p->item[i]] : 1;
    if (p && p->members[p->first[p->item[i]]] != i) { /* bought whenever the panel's first is */
      if (n != m->purchases[p->members[p->first[p->item[i]]]])
        return scant_fail(error, SCANT_DATA, "its purchases of a panel are not alike");
      continue;
    }
    if (n > l->examples) return scant_fail(error, SCANT_DATA, "its purchases are more than its examples");
    if (!cost) continue; /* what is free is not counted */
    if (n > l->attributes_bought - sum || (p && n && cost > (l->money_spent - money) / n))
      return scant_fail(error, SCANT_DATA, "its purchases do not add up to what was bought");
    sum += n;
    if (p) money += n * cost;
  }
  if (sum != l->attributes_bought || money != l->money_spent)
    return scant_fail(error, SCANT_DATA, "its purchases do not add up to what was bought");
  const scant_algorithm *row = scant_algorithm_find(m->settings.algorithm);
  uint64_t most = row->strict ? m->settings.k : (uint64_t)m->dimension * m->settings.passes;
  if (l->looks_drawn < sum || l->max_bought_per_example > most ||
      (double)l->max_bought_per_example * (double)l->distinct_examples < (double)sum ||
      l->distinct_examples > l->examples || (l->examples && !l->distinct_examples) ||
      (m->settings.budget && sum > m->settings.budget) ||
      (m->settings.budget_cost > 0 && (double)money > 100 * m->settings.budget_cost + 0.5) ||
      (m->settings.spend > 0 && (double)money > (100 * m->settings.spend + 0.5) * (double)l->distinct_examples) ||
      !check_missing(m))
    return scant_fail(error, SCANT_DATA, "its ledger contradicts itself");
  return SCANT_OK;
}

static scant_status load_prices(scant_model *m, const scant_json *json, scant_error *error) {
  size_t ledger = scant_json_member(json, 0, "ledger");
  int paid = m->settings.spend > 0 || m->settings.budget_cost > 0 || !m->settings.thrift ||
             scant_json_member(json, 0, "panels") != SCANT_JSON_NONE ||
             (ledger != SCANT_JSON_NONE && scant_json_member(json, ledger, "money_spent") != SCANT_JSON_NONE);
  if (!paid && scant_json_member(json, 0, "costs") == SCANT_JSON_NONE) return SCANT_OK;
  int grouped = scant_json_member(json, 0, "panels") != SCANT_JSON_NONE;
  uint64_t *costs = scant_array(m->dimension, sizeof *costs), *numbers = scant_array(m->dimension, sizeof *numbers);
  uint32_t *panels = scant_array(m->dimension, sizeof *panels);
  scant_status status = costs && numbers && panels ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_json_get_counts(json, 0, "costs", costs, m->dimension, error);
  if (status == SCANT_OK && grouped) status = scant_json_get_counts(json, 0, "panels", numbers, m->dimension, error);
  for (size_t i = 0; status == SCANT_OK && i < m->dimension; i++) {
    if (numbers[i] > m->dimension) status = scant_fail(error, SCANT_DATA, "item %zu of 'panels' is too large", i + 1);
    panels[i] = (uint32_t)numbers[i];
  }
  if (status == SCANT_OK) status = scant_prices_new(&m->prices, m->dimension, costs, panels, error);
  free(costs);
  free(numbers);
  free(panels);
  return status;
}

static scant_status load_ledger(scant_model *m, const scant_json *json, scant_error *error) {
  size_t ledger;
  SCANT_TRY(scant_json_get_object(json, 0, "ledger", &ledger, error));
  SCANT_TRY(scant_json_get_count(json, ledger, "examples", &m->ledger.examples, error));
  SCANT_TRY(scant_json_get_count(json, ledger, "distinct_examples", &m->ledger.distinct_examples, error));
  SCANT_TRY(scant_json_get_count(json, ledger, "looks_drawn", &m->ledger.looks_drawn, error));
  SCANT_TRY(scant_json_get_count(json, ledger, "attributes_bought", &m->ledger.attributes_bought, error));
  SCANT_TRY(scant_json_get_count(json, ledger, "max_bought_per_example", &m->ledger.max_bought_per_example, error));
  if (m->prices) SCANT_TRY(scant_json_get_count(json, ledger, "money_spent", &m->ledger.money_spent, error));
  if (is_current(json)) {
    SCANT_TRY(scant_json_get_count(json, ledger, "missing_cells", &m->ledger.missing_cells, error));
    SCANT_TRY(scant_json_get_count(json, ledger, "skipped_examples", &m->ledger.skipped_examples, error));
  }
  SCANT_TRY(scant_json_get_counts(json, 0, "purchases", m->purchases, m->dimension, error));
  return check_ledger(m, error);
}

static scant_status load_names(scant_model *m, const scant_json *json, scant_error *error) {
  size_t array = scant_json_member(json, 0, "names");
  if (array != SCANT_JSON_NONE && json->nodes[array].type == SCANT_JSON_NULL) return SCANT_OK;
  SCANT_TRY(scant_json_get_array(json, 0, "names", m->dimension, &array, error));
  m->names = scant_array(m->dimension, sizeof *m->names);
  if (!m->names) return scant_fail_memory(error);
  for (size_t i = 0, child = array + 1; i < m->dimension; i++, child = json->nodes[child].after) {
    if (json->nodes[child].type != SCANT_JSON_TEXT)
      return scant_fail(error, SCANT_DATA, "name %zu is not a text", i + 1);
    m->names[i] = scant_json_copy(json, child);
    if (!m->names[i]) return scant_fail_memory(error);
  }
  return SCANT_OK;
}

static scant_status load_means(scant_model *m, const scant_json *json, scant_error *error) {
  if (scant_json_member(json, 0, "means") == SCANT_JSON_NONE) return SCANT_OK;
  m->means = scant_array(m->dimension, sizeof *m->means);
  if (!m->means) return scant_fail_memory(error);
  return scant_json_get_reals(json, 0, "means", m->means, m->dimension, 1, error);
}

static scant_status load_checkpoint(scant_model *m, const scant_json *json, scant_error *error) {
  size_t node = scant_json_member(json, 0, "checkpoint");
  if (node == SCANT_JSON_NONE) return SCANT_OK;
  if (json->nodes[node].type != SCANT_JSON_OBJECT)
    return scant_fail(error, SCANT_DATA, "'checkpoint' is not an object");
  size_t start = json->nodes[node].start;
  m->checkpoint = scant_copy_text(json->text + start, json->nodes[node].length);
  return m->checkpoint ? SCANT_OK : scant_fail_memory(error);
}

static scant_status load_body(scant_model **model, const scant_json *json, scant_error *error) {
  uint64_t dimension;
  size_t weights = scant_json_member(json, 0, "weights");
  SCANT_TRY(scant_json_get_count(json, 0, "dimension", &dimension, error));
  if (weights == SCANT_JSON_NONE || json->nodes[weights].type != SCANT_JSON_ARRAY)
    return scant_fail(error, SCANT_DATA, "field 'weights' is missing");
  if (!dimension || json->nodes[weights].count != dimension)
    return scant_fail(error, SCANT_DATA, "it has %zu weights for %llu attributes", json->nodes[weights].count,
                      (unsigned long long)dimension);
  SCANT_TRY(scant_model_new(model, (size_t)dimension, error));
  scant_model *m = *model;
  SCANT_TRY(load_settings(m, json, error));
  SCANT_TRY(scant_json_get_text(json, 0, "target", &m->target_name, error));
  SCANT_TRY(scant_json_get_real_or_null(json, 0, "eta", &m->eta, error));
  SCANT_TRY(scant_json_get_real_or_null(json, 0, "penalty", &m->penalty, error));
  SCANT_TRY(load_prices(m, json, error));
  SCANT_TRY(load_ledger(m, json, error));
  SCANT_TRY(load_names(m, json, error));
  SCANT_TRY(scant_json_get_real(json, 0, "intercept", &m->intercept, error));
  SCANT_TRY(scant_json_get_reals(json, 0, "weights", m->weights, m->dimension, 1, error));
  SCANT_TRY(load_means(m, json, error));
  SCANT_TRY(scant_gaussian_load(&m->gaussian, json, m->dimension, error));
  return load_checkpoint(m, json, error);
}

static int checksum_agrees(const char *text, size_t length) {
  if (length < TAIL_LENGTH) return 0;
  size_t body = length - TAIL_LENGTH;
  char tail[TAIL_LENGTH + 1];
  snprintf(tail, sizeof tail, TAIL_START "%016llx" TAIL_END,
           (unsigned long long)scant_hash(SCANT_HASH_START, text, body));
  return !memcmp(text + body, tail, TAIL_LENGTH);
}

/* What kind of file it is and whether it is whole, before anything is used. */
static scant_status check_whole(const scant_json *json, const char *text, size_t length, scant_error *error) {
  uint64_t version = 0;
  if (json->nodes[0].type != SCANT_JSON_OBJECT) return scant_fail(error, SCANT_DATA, "it is not a model file");
  size_t format = scant_json_member(json, 0, "format");
  const scant_json_node *node = format == SCANT_JSON_NONE ? NULL : &json->nodes[format];
  if (!node || node->type != SCANT_JSON_TEXT || node->length != strlen(FORMAT) ||
      memcmp(json->text + node->start, FORMAT, node->length) != 0)
    return scant_fail(error, SCANT_DATA, "it is not a model file");
  SCANT_TRY(scant_json_get_count(json, 0, "version", &version, error));
  if (version < VERSION_OLDEST || version > VERSION)
    return scant_fail(error, SCANT_DATA, "it is of version %llu, and this scant reads versions %d to %d",
                      (unsigned long long)version, VERSION_OLDEST, VERSION);
  if (!checksum_agrees(text, length))
    return scant_fail(error, SCANT_DATA, "its checksum is wrong: the file was changed or damaged");
  return SCANT_OK;
}

scant_status scant_model_load(scant_model **model, const char *path, scant_error *error) {
  scant_bytes bytes;
  SCANT_TRY(scant_bytes_open(&bytes, path, SCANT_GZIP_REFUSE, error));
  scant_json json;
  scant_model *m = NULL;
  scant_error inner = {""};
  size_t first = 0;
  while (first < bytes.length && strchr(" \t\r\n", bytes.data[first]) && bytes.data[first]) first++;
  if (first == bytes.length || bytes.data[first] != '{') {
    scant_bytes_close(&bytes);
    return scant_fail(error, SCANT_DATA, "can't load the model '%s': it is not a model file", path);
  }
  scant_status status = scant_json_parse(&json, bytes.data, bytes.length, &inner);
  if (status == SCANT_OK) {
    status = check_whole(&json, bytes.data, bytes.length, &inner);
    if (status == SCANT_OK) status = load_body(&m, &json, &inner);
    scant_json_free(&json);
  }
  scant_bytes_close(&bytes);
  if (status != SCANT_OK) {
    scant_model_free(m);
    return scant_fail(error, status, "can't load the model '%s': %s", path, inner.text);
  }
  *model = m;
  return SCANT_OK;
}
