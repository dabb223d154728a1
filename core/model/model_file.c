/* The model file: versioned JSON that ends with a checksum of all before it.
 *
 * It depends on the training data, the settings that affect the fit, and the seed alone: no times, no paths, no test
 * results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "scant_base.h"
#include "scant_json.h"
#include "data/file/bytes.h"
#include "data/source.h"
#include "price/prices.h"
#include "learn/resolve.h"
#include "model/model.h"

/* A model with limits, without which its weights mean something else, is of version 3; one without of version 2. */
enum { VERSION = 3, WITHOUT_LIMITS = 2 };
static const scant_document of_file = {"scant-model", "a model file", "file", WITHOUT_LIMITS, VERSION};
static const scant_document of_text = {"scant-model", "a model", "text", WITHOUT_LIMITS, VERSION};

/* ---- saving ------------------------------------------------------------ */

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
  if (m->ledger.refused_examples) scant_json_count(out, "refused_examples", m->ledger.refused_examples);
  if (m->amended) scant_json_flag(out, "amended", 1);
  scant_json_close(out);
  scant_json_open(out, "purchases", '[');
  for (size_t i = 0; i < m->dimension; i++) scant_json_count(out, NULL, m->purchases[i]);
  scant_json_close(out);
}

static void save_body(const scant_model *m, scant_json_writer *out) {
  scant_document document = of_file;
  if (!m->low) document.version = WITHOUT_LIMITS;
  scant_document_open(&document, out);
  scant_settings_write(&m->settings, SCANT_SCOPE_MODEL, out);
  scant_json_count(out, "dimension", m->dimension);
  scant_json_text(out, "target", m->target_name);
  scant_json_real(out, "eta", m->eta);
  scant_json_real(out, "penalty", m->penalty);
  save_ledger(m, out);
  if (m->prices) scant_prices_write(m->prices, out);
  if (m->names) {
    scant_json_open(out, "names", '[');
    for (size_t i = 0; i < m->dimension; i++) scant_json_text(out, NULL, m->names[i]);
    scant_json_close(out);
  } else {
    scant_json_text(out, "names", NULL);
  }
  scant_json_real(out, "intercept", m->intercept);
  scant_json_reals(out, "weights", m->weights, m->dimension, 1);
  scant_json_reals(out, "means", m->means, m->dimension, 1);
  if (m->low) scant_json_reals(out, "low", m->low, m->dimension, 1);
  if (m->low) scant_json_reals(out, "high", m->high, m->dimension, 1);
  scant_errors_save(m, out);
  if (m->gaussian) scant_gaussian_save(m->gaussian, out);
  if (m->checkpoint) scant_json_raw(out, "checkpoint", m->checkpoint);
}

static scant_status check_limits(const scant_model *m, scant_error *error) {
  for (size_t i = 0; m->low && i < m->dimension; i++)
    if (!isfinite(m->low[i]) || !isfinite(m->high[i]) || !(m->low[i] <= m->high[i]))
      return scant_fail(error, SCANT_DATA, "the limits of attribute %zu are not two finite numbers in ascending order",
                        i + 1);
  return SCANT_OK;
}

/* Refuses numbers that a file can't hold. */
static scant_status check_finite(const scant_model *m, scant_error *error) {
  int finite = isfinite(m->intercept) && !isinf(m->eta) && !isinf(m->penalty);
  for (size_t i = 0; i < m->dimension; i++) finite = finite && isfinite(m->weights[i]) && isfinite(m->means[i]);
  if (!finite) return scant_fail(error, SCANT_DATA, "a weight of the model is not finite");
  if (!scant_errors_are_sound(m)) return scant_fail(error, SCANT_DATA, "an error of the model is not finite");
  SCANT_TRY(check_limits(m, error));
  scant_error inner = {""};
  scant_status status = m->gaussian ? scant_gaussian_check(m->gaussian, m->dimension, &inner) : SCANT_OK;
  return status == SCANT_OK ? SCANT_OK : scant_fail(error, status, "its gaussian: %s", inner.text);
}

/* `path`: where the text will go, for the sentence; NULL: to the caller. */
static scant_status write_text(const scant_model *m, const char *path, char **text, size_t *length,
                               scant_error *error) {
  scant_json_writer out = {0};
  scant_error inner = {""};
  scant_status status = check_finite(m, &inner);
  if (status != SCANT_OK && path) return scant_fail(error, status, "can't write '%s': %s", path, inner.text);
  if (status != SCANT_OK) return scant_fail(error, status, "can't write the model: %s", inner.text);
  save_body(m, &out);
  return scant_document_close(&out, text, length, error);
}

scant_status scant_model_write(const scant_model *model, char **text, size_t *length, scant_error *error) {
  return write_text(model, NULL, text, length, error);
}

scant_status scant_model_save(const scant_model *model, const char *path, scant_error *error) {
  char *text = NULL;
  size_t length = 0;
  SCANT_TRY(write_text(model, path, &text, &length, error));
  scant_status status = scant_file_replace(path, text, length, error);
  free(text);
  return status;
}

/* ---- loading ----------------------------------------------------------- */

static scant_status check_settings(const scant_settings *settings, size_t dimension, scant_error *error) {
  if (settings->learning.k > dimension)
    return scant_fail(error, SCANT_DATA, "k = %llu is more than its %zu attributes",
                      (unsigned long long)settings->learning.k, dimension);
  scant_classes classes;
  scant_status status = scant_classes_parse(&classes, settings->reading.classes, error);
  return status == SCANT_USAGE ? SCANT_DATA : status;
}

static scant_status load_settings(scant_model *m, const scant_json *json, scant_error *error) {
  scant_settings settings;
  char *classes = NULL;
  SCANT_TRY(scant_settings_read(&settings, &classes, SCANT_SCOPE_MODEL, json, error));
  scant_status status = check_settings(&settings, m->dimension, error);
  if (status == SCANT_OK) status = scant_model_set_settings(m, &settings, error);
  free(classes);
  return status;
}

/* Purchases with members of groups and free attributes. */
static double sum_of_purchases(const scant_model *m) {
  double sum = 0;
  for (size_t i = 0; i < m->dimension; i++) sum += (double)m->purchases[i];
  return sum;
}

/* Every skipped example has a missing cell, and so may one that was refused. */
static int check_missing(const scant_model *m) {
  const scant_ledger *l = &m->ledger;
  double bought = sum_of_purchases(m);
  switch (m->settings.learning.missing) {
    case SCANT_MISSING_ERROR:
      return (double)l->missing_cells <= bought && (!l->missing_cells || l->refused_examples) && !l->skipped_examples;
    case SCANT_MISSING_SKIP_CELL:
      return (double)l->missing_cells <= bought && !l->skipped_examples;
    default:
      return (double)l->missing_cells <= bought && l->skipped_examples <= l->missing_cells &&
             (!l->missing_cells || l->skipped_examples || l->refused_examples);
  }
}

/* No fit counts this far, and sums of smaller counts can't wrap. */
#define COUNT_MOST (UINT64_C(1) << 53)

static int is_countable(const scant_model *m) {
  const scant_ledger *l = &m->ledger;
  return l->examples <= COUNT_MOST && l->looks_drawn <= COUNT_MOST && l->attributes_bought <= COUNT_MOST &&
         l->missing_cells <= COUNT_MOST && l->money_spent <= SCANT_MONEY_MOST;
}

/* Purchases must add up at the prices and in the groups of the model. */
static scant_status check_sums(const scant_model *m, scant_error *error) {
  const scant_ledger *l = &m->ledger;
  const scant_prices *p = m->prices;
  uint64_t sum = 0, money = 0;
  for (size_t i = 0; i < m->dimension; i++) {
    uint64_t n = m->purchases[i], cost = p ? p->cost[p->item[i]] : 1;
    if (p && p->members[p->first[p->item[i]]] != i) { /* bought whenever the group's first is */
      if (n != m->purchases[p->members[p->first[p->item[i]]]])
        return scant_fail(error, SCANT_DATA, "its purchases of a group are not alike");
      continue;
    }
    if (n > l->examples) return scant_fail(error, SCANT_DATA, "its purchases are more than its examples");
    if (!cost) continue; /* free items are not counted */
    if (n > l->attributes_bought - sum || (p && n && cost > (l->money_spent - money) / n))
      return scant_fail(error, SCANT_DATA, "its purchases do not add up to what was bought");
    sum += n;
    if (p) money += n * cost;
  }
  if (sum != l->attributes_bought || money != l->money_spent)
    return scant_fail(error, SCANT_DATA, "its purchases do not add up to what was bought");
  return SCANT_OK;
}

/* After a study was amended, the prices, groups and K of each purchase are unknown.  These bounds hold for any. */
static scant_status check_amended(const scant_model *m, scant_error *error) {
  const scant_ledger *l = &m->ledger;
  for (size_t i = 0; i < m->dimension; i++)
    if (m->purchases[i] > l->examples) return scant_fail(error, SCANT_DATA, "its purchases are more than its examples");
  if ((double)l->attributes_bought > sum_of_purchases(m) || (l->money_spent && !l->attributes_bought))
    return scant_fail(error, SCANT_DATA, "its purchases do not add up to what was bought");
  return SCANT_OK;
}

/* A ledger that no fit can have kept is refused. */
static scant_status check_ledger(const scant_model *m, scant_error *error) {
  const scant_ledger *l = &m->ledger;
  if (!is_countable(m)) return scant_fail(error, SCANT_DATA, "its ledger counts further than any fit can");
  SCANT_TRY(m->amended ? check_amended(m, error) : check_sums(m, error));
  uint64_t sum = l->attributes_bought, money = l->money_spent;
  const scant_algorithm *algorithm = scant_algorithm_find(m->settings.learning.algorithm);
  uint64_t most =
      algorithm->strict && !m->amended ? m->settings.learning.k : (uint64_t)m->dimension * m->settings.learning.passes;
  if (l->looks_drawn < sum || l->max_bought_per_example > most ||
      (double)l->max_bought_per_example * (double)l->distinct_examples < (double)sum ||
      l->distinct_examples > l->examples || (l->examples && !l->distinct_examples) ||
      (m->settings.run.budget && sum > m->settings.run.budget) ||
      (m->settings.run.budget_cost > 0 && (double)money > 100 * m->settings.run.budget_cost + 0.5) ||
      (m->settings.learning.spend > 0 && !m->amended &&
       (double)money > (100 * m->settings.learning.spend + 0.5) * (double)l->distinct_examples) ||
      l->skipped_examples > l->examples || l->refused_examples > l->examples - l->skipped_examples || !check_missing(m))
    return scant_fail(error, SCANT_DATA, "its ledger contradicts itself");
  return SCANT_OK;
}

static scant_status load_prices(scant_model *m, const scant_json *json, scant_error *error) {
  size_t ledger = scant_json_member(json, 0, "ledger");
  int paid = m->settings.learning.spend > 0 || m->settings.run.budget_cost > 0 || !m->settings.learning.thrift ||
             scant_json_member(json, 0, "panels") != SCANT_JSON_NONE ||
             (ledger != SCANT_JSON_NONE && scant_json_member(json, ledger, "money_spent") != SCANT_JSON_NONE);
  if (!paid && scant_json_member(json, 0, "costs") == SCANT_JSON_NONE) return SCANT_OK;
  return scant_prices_read(&m->prices, m->dimension, json, error);
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
  SCANT_TRY(scant_json_get_count(json, ledger, "missing_cells", &m->ledger.missing_cells, error));
  SCANT_TRY(scant_json_get_count(json, ledger, "skipped_examples", &m->ledger.skipped_examples, error));
  if (scant_json_member(json, ledger, "refused_examples") != SCANT_JSON_NONE)
    SCANT_TRY(scant_json_get_count(json, ledger, "refused_examples", &m->ledger.refused_examples, error));
  if (scant_json_member(json, ledger, "amended") != SCANT_JSON_NONE)
    SCANT_TRY(scant_json_get_flag(json, ledger, "amended", &m->amended, error));
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

/* A model that was fitted with clip has limits, and no other. */
static scant_status load_limits(scant_model *m, const scant_json *json, scant_error *error) {
  int clips = m->settings.learning.clip > 0;
  uint64_t version;
  SCANT_TRY(scant_json_get_count(json, 0, "version", &version, error));
  if (clips != (version == VERSION))
    return scant_fail(error, SCANT_DATA, "a model with clip is of version %d, and this one is of version %llu %s clip",
                      VERSION, (unsigned long long)version, clips ? "with" : "without");
  if (!clips) return SCANT_OK;
  SCANT_TRY(scant_model_new_limits(m, error));
  SCANT_TRY(scant_json_get_reals(json, 0, "low", m->low, m->dimension, 1, error));
  SCANT_TRY(scant_json_get_reals(json, 0, "high", m->high, m->dimension, 1, error));
  return check_limits(m, error);
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
  SCANT_TRY(scant_json_get_reals(json, 0, "means", m->means, m->dimension, 1, error));
  SCANT_TRY(load_limits(m, json, error));
  SCANT_TRY(scant_errors_load(m, json, error));
  SCANT_TRY(scant_gaussian_load(&m->gaussian, json, m->dimension, error));
  return load_checkpoint(m, json, error);
}

/* `inner` gets the sentence. */
static scant_status read_text(scant_model **model, const scant_document *document, const char *text, size_t length,
                              scant_error *inner) {
  scant_json json;
  scant_model *m = NULL;
  SCANT_TRY(scant_document_parse(document, &json, text, length, inner));
  scant_status status = load_body(&m, &json, inner);
  scant_json_free(&json);
  if (status == SCANT_OK)
    *model = m;
  else
    scant_model_free(m);
  return status;
}

scant_status scant_model_read(scant_model **model, const char *text, size_t length, scant_error *error) {
  scant_error inner = {""};
  scant_status status = read_text(model, &of_text, text, length, &inner);
  return status == SCANT_OK ? SCANT_OK : scant_fail(error, status, "can't read the model: %s", inner.text);
}

scant_status scant_model_load(scant_model **model, const char *path, scant_error *error) {
  scant_bytes bytes;
  SCANT_TRY(scant_bytes_open(&bytes, path, &scant_bytes_document, error));
  scant_error inner = {""};
  static const char study[] = "SQLite format 3"; /* how each of its files begins */
  scant_status status = bytes.length >= sizeof study && !memcmp(bytes.data, study, sizeof study)
                            ? scant_fail(&inner, SCANT_DATA, "it is a study: export its model, and take that")
                            : read_text(model, &of_file, bytes.data, bytes.length, &inner);
  scant_bytes_close(&bytes);
  return status == SCANT_OK ? SCANT_OK : scant_fail(error, status, "can't load the model '%s': %s", path, inner.text);
}
