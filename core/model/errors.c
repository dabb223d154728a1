#include "model/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scant_base.h"
#include "scant_json.h"
#include "learn/learner.h"
#include "model/model.h"

void scant_errors_free(scant_errors *errors) {
  if (!errors) return;
  free(errors->weights);
  free(errors);
}

static scant_errors *new_errors(size_t dimension) {
  scant_errors *e = scant_array(1, sizeof *e);
  if (e && (e->weights = scant_array(dimension, sizeof *e->weights))) return e;
  free(e);
  return NULL;
}

/* ---- the jackknife ---------------------------------------------------------------- */

int scant_jackknife_new(scant_jackknife *jackknife, size_t dimension) {
  jackknife->dimension = dimension;
  jackknife->numbers = scant_array(dimension + 2, sizeof *jackknife->numbers);
  return jackknife->numbers != NULL;
}

void scant_jackknife_free(scant_jackknife *jackknife) {
  free(jackknife->numbers);
  jackknife->numbers = NULL;
}

void scant_jackknife_add(scant_jackknife *jackknife, const double *w, double intercept, double risk) {
  scant_moments *numbers = jackknife->numbers;
  size_t d = jackknife->dimension;
  for (size_t i = 0; i < d; i++) scant_moments_add(&numbers[i], w[i]);
  scant_moments_add(&numbers[d], intercept);
  scant_moments_add(&numbers[d + 1], risk);
}

static double error_of(const scant_jackknife *j, size_t number) {
  double groups = (double)j->numbers[number].count;
  return sqrt((groups - 1) / groups * j->numbers[number].spread);
}

scant_status scant_jackknife_finish(const scant_jackknife *jackknife, double risk, double risk_error,
                                    scant_model *model, scant_error *error) {
  const scant_jackknife *j = jackknife;
  scant_errors *e = new_errors(j->dimension);
  if (!e) return scant_fail_memory(error);
  e->groups = j->numbers->count;
  for (size_t i = 0; i < j->dimension; i++) {
    e->weights[i] = error_of(j, i);
    if (e->weights[i] == 0 && model->weights[i] == 0) e->weights[i] = NAN; /* no regressor learned it */
  }
  e->intercept = error_of(j, j->dimension);
  e->risk = risk;
  double jackknife_error = error_of(j, j->dimension + 1); /* near 0 where the risks of all groups are at their bound */
  e->risk_error = isfinite(jackknife_error) ? fmax(jackknife_error, risk_error) : risk_error;
  scant_errors_free(model->errors);
  model->errors = e;
  return SCANT_OK;
}

scant_status scant_errors_check_blocks(uint64_t blocks, uint64_t rows, scant_error *error) {
  if (blocks >= SCANT_ERROR_EXAMPLES) return SCANT_OK;
  if (rows > 1)
    return scant_fail(
        error, SCANT_DATA,
        "errors need at least %d blocks of examples to learn from, and there are %llu: let fewer examples "
        "than %llu share a look",
        SCANT_ERROR_EXAMPLES, (unsigned long long)blocks, (unsigned long long)rows);
  return scant_fail(error, SCANT_DATA, "errors need at least %d examples to learn from, and there are %llu",
                    SCANT_ERROR_EXAMPLES, (unsigned long long)blocks);
}

/* ---- pairs seen together ---------------------------------------------------------------- */

/* 64 MiB of counts. */
enum { DIMENSION_COUNTED = 11585 };

int scant_pair_counts_new(scant_pair_counts *counts, size_t dimension) {
  *counts = (scant_pair_counts){.dimension = dimension};
  if (dimension > DIMENSION_COUNTED) return 1;
  counts->count = scant_array(dimension * (dimension - 1) / 2, sizeof *counts->count);
  return counts->count != NULL;
}

void scant_pair_counts_free(scant_pair_counts *counts) {
  free(counts->count);
  *counts = (scant_pair_counts){0};
}

static size_t place_of(size_t a, size_t b) {
  size_t high = a > b ? a : b, low = a > b ? b : a;
  return high * (high - 1) / 2 + low;
}

void scant_pair_counts_add(scant_pair_counts *counts, size_t seen, const uint32_t *attributes, const double *values) {
  for (size_t i = 0; i < seen; i++) {
    for (size_t j = 0; j < i && !isnan(values[i]); j++) {
      if (isnan(values[j])) continue;
      counts->seen++;
      if (!counts->count) continue;
      unsigned char *count = &counts->count[place_of(attributes[i], attributes[j])];
      *count = (unsigned char)(*count + (*count < SCANT_PAIR_FEWEST));
    }
  }
}

static int is_learned(const scant_model *m, size_t attribute) {
  return !isnan(m->errors->weights[attribute]);
}

void scant_pair_counts_finish(const scant_pair_counts *counts, scant_model *model) {
  scant_errors *e = model->errors;
  double d = (double)counts->dimension;
  e->pairs = e->rare_pairs = 0;
  if (!counts->count) { /* then nearly all examples would have to show most of their attributes */
    e->rare_pairs = counts->seen < SCANT_PAIR_FEWEST * d * (d - 1) / 2;
    return;
  }
  for (size_t i = 0; i < counts->dimension; i++) {
    for (size_t j = 0; j < i && is_learned(model, i); j++) {
      if (!is_learned(model, j)) continue;
      if (model->unpenalised && !model->unpenalised[i] && !model->unpenalised[j]) continue;
      e->pairs++;
      e->rare_pairs += counts->count[place_of(i, j)] < SCANT_PAIR_FEWEST;
    }
  }
}

/* ---- by an engine ---------------------------------------------------------------------- */

scant_status scant_errors_by_engine(scant_learner *learner, scant_model *model, scant_error *error) {
  scant_learner *l = learner;
  scant_jackknife jackknife = {0};
  scant_pair_counts pairs = {0};
  scant_learner_facts facts;
  SCANT_TRY(scant_errors_check_blocks(l->block, l->settings.learning.block, error));
  int good = scant_jackknife_new(&jackknife, l->dimension) && scant_pair_counts_new(&pairs, l->dimension);
  scant_engine_view view = scant_engine_view_of(l);
  scant_status status = good ? l->engine->errors(&view, &jackknife, &pairs, error) : scant_fail_memory(error);
  scant_learner_get_facts(l, &facts);
  if (status == SCANT_OK) status = scant_jackknife_finish(&jackknife, facts.risk, facts.risk_error, model, error);
  if (status == SCANT_OK) scant_pair_counts_finish(&pairs, model);
  scant_jackknife_free(&jackknife);
  scant_pair_counts_free(&pairs);
  return status;
}

/* ---- intervals ------------------------------------------------------------------------ */

/* P(|t| < tan(angle) sqrt(degrees)), a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
static double within(double angle, unsigned degrees) {
  double c = cos(angle), term = degrees % 2 ? c : 1, sum = degrees == 1 ? 0 : term;
  for (unsigned k = degrees % 2 ? 3 : 2; k < degrees; k += 2) {
    term *= c * c * (double)(k - 1) / (double)k;
    sum += term;
  }
  return degrees % 2 ? 2 / acos(-1) * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double scant_student_quantile(double level, unsigned degrees) {
  double low = 0, high = acos(0);
  if (!(level > 0 && level < 1) || !degrees) return NAN;
  for (int step = 0; step < 200; step++) {
    double middle = low + (high - low) / 2;
    if (within(middle, degrees) < level)
      low = middle;
    else
      high = middle;
  }
  return tan(low) * sqrt((double)degrees);
}

double scant_model_error_quantile(const scant_model *model, double level) {
  return model->errors ? scant_student_quantile(level, (unsigned)model->errors->groups - 1) : NAN;
}

/* ---- getters and warnings --------------------------------------------------------------- */

const double *scant_model_errors(const scant_model *model) {
  return model->errors ? model->errors->weights : NULL;
}

double scant_model_intercept_error(const scant_model *model) {
  return model->errors ? model->errors->intercept : NAN;
}

double scant_model_risk(const scant_model *model) {
  return model->errors ? model->errors->risk : NAN;
}

double scant_model_risk_error(const scant_model *model) {
  return model->errors ? model->errors->risk_error : NAN;
}

void scant_model_pairs(const scant_model *model, uint64_t *pairs, uint64_t *rare) {
  *pairs = model->errors ? model->errors->pairs : 0;
  *rare = model->errors ? model->errors->rare_pairs : 0;
}

static int say_rare_pairs(const scant_model *model, scant_error *sentence) {
  const scant_errors *e = model->errors;
  if (!e || !e->rare_pairs) return 0;
  char many[64] = "most";
  if (e->pairs)
    snprintf(many, sizeof many, "%llu of %llu", (unsigned long long)e->rare_pairs, (unsigned long long)e->pairs);
  scant_error_write(sentence,
                    "%s pairs of attributes were seen together less than %d times: of weights that depend on them "
                    "there is nothing to be sure of, errors included",
                    many, SCANT_PAIR_FEWEST);
  return 1;
}

/* Penalised weights are biased toward 0. */
static int say_shrunk(const scant_model *model, scant_error *sentence) {
  int penalised = 0, plain = 0;
  if (!model->errors) return 0;
  for (size_t i = 0; i < model->dimension; i++) {
    plain |= scant_model_is_unpenalised(model, i);
    penalised |= !scant_model_is_unpenalised(model, i) && model->weights[i] != 0;
  }
  if (!penalised) return 0;
  scant_error_write(sentence, "weights %sare shrunk toward 0, and that bias is not in their errors",
                    plain ? "that --errors-of does not name " : "");
  return 1;
}

int scant_model_say(const scant_model *model, scant_model_note note, scant_error *sentence) {
  return note == SCANT_MODEL_SHRUNK       ? say_shrunk(model, sentence)
         : note == SCANT_MODEL_RARE_PAIRS ? say_rare_pairs(model, sentence)
                                          : 0;
}

int scant_model_is_unpenalised(const scant_model *model, size_t attribute) {
  return model->unpenalised && attribute < model->dimension && model->unpenalised[attribute];
}

/* ---- the file ------------------------------------------------------------------------------ */

int scant_errors_are_sound(const scant_model *model) {
  const scant_errors *e = model->errors;
  if (!e) return 1;
  int sound = isfinite(e->intercept) && !isinf(e->risk) && !isinf(e->risk_error);
  for (size_t i = 0; i < model->dimension; i++) sound = sound && !isinf(e->weights[i]);
  return sound;
}

void scant_errors_save(const scant_model *model, scant_json_writer *out) {
  const scant_errors *e = model->errors;
  if (model->unpenalised) {
    scant_json_open(out, "unpenalised", '[');
    for (size_t i = 0; i < model->dimension; i++)
      if (model->unpenalised[i]) scant_json_count(out, NULL, i);
    scant_json_close(out);
  }
  if (!e) return;
  scant_json_open(out, "errors", '{');
  scant_json_count(out, "groups", e->groups);
  scant_json_count(out, "pairs", e->pairs);
  scant_json_count(out, "rare_pairs", e->rare_pairs);
  scant_json_real(out, "risk", e->risk);
  scant_json_real(out, "risk_error", e->risk_error);
  scant_json_real(out, "intercept", e->intercept);
  scant_json_reals(out, "weights", e->weights, model->dimension, 1); /* null: nothing is known */
  scant_json_close(out);
}

static scant_status load_unpenalised(scant_model *m, const scant_json *json, scant_error *error) {
  size_t node = scant_json_member(json, 0, "unpenalised");
  if (node == SCANT_JSON_NONE) return SCANT_OK;
  if (json->nodes[node].type != SCANT_JSON_ARRAY || json->nodes[node].count > m->dimension)
    return scant_fail(error, SCANT_DATA, "'unpenalised' is not a list of attributes");
  size_t count = json->nodes[node].count;
  uint64_t *attributes = scant_array(count, sizeof *attributes);
  m->unpenalised = scant_array(m->dimension, 1);
  scant_status status = attributes && m->unpenalised
                            ? scant_json_get_counts(json, 0, "unpenalised", attributes, count, error)
                            : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    if (attributes[i] >= m->dimension)
      status = scant_fail(error, SCANT_DATA, "item %zu of 'unpenalised' is no attribute", i + 1);
    else
      m->unpenalised[attributes[i]] = 1;
  }
  free(attributes);
  return status;
}

static scant_status load_weights(scant_errors *e, size_t dimension, const scant_json *json, size_t node,
                                 scant_error *error) {
  size_t array;
  SCANT_TRY(scant_json_get_array(json, node, "weights", dimension, &array, error));
  for (size_t i = 0, child = array + 1; i < dimension; i++, child = json->nodes[child].after)
    if (!scant_json_real_or_null_of(json, child, &e->weights[i]) || e->weights[i] < 0)
      return scant_fail(error, SCANT_DATA, "error %zu is neither a number from 0 on nor null", i + 1);
  return SCANT_OK;
}

static scant_status load_errors(scant_model *m, const scant_json *json, size_t node, scant_error *error) {
  scant_errors *e = m->errors;
  SCANT_TRY(scant_json_get_count(json, node, "groups", &e->groups, error));
  if (e->groups != SCANT_ERROR_GROUPS)
    return scant_fail(error, SCANT_DATA, "its errors can't be of %llu groups", (unsigned long long)e->groups);
  SCANT_TRY(scant_json_get_count(json, node, "pairs", &e->pairs, error));
  SCANT_TRY(scant_json_get_count(json, node, "rare_pairs", &e->rare_pairs, error));
  if (e->pairs && e->rare_pairs > e->pairs)
    return scant_fail(error, SCANT_DATA, "its errors have more rare pairs than pairs");
  SCANT_TRY(scant_json_get_real_or_null(json, node, "risk", &e->risk, error));
  SCANT_TRY(scant_json_get_real_or_null(json, node, "risk_error", &e->risk_error, error));
  SCANT_TRY(scant_json_get_real(json, node, "intercept", &e->intercept, error));
  if (e->intercept < 0 || e->risk_error < 0) return scant_fail(error, SCANT_DATA, "an error of the model is below 0");
  return load_weights(e, m->dimension, json, node, error);
}

scant_status scant_errors_load(scant_model *model, const scant_json *json, scant_error *error) {
  size_t node;
  SCANT_TRY(load_unpenalised(model, json, error));
  if (scant_json_member(json, 0, "errors") == SCANT_JSON_NONE) return SCANT_OK;
  SCANT_TRY(scant_json_get_object(json, 0, "errors", &node, error));
  model->errors = new_errors(model->dimension);
  if (!model->errors) return scant_fail_memory(error);
  return load_errors(model, json, node, error);
}
