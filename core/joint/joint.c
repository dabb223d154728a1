#include "joint/joint.h"

#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "base/lanes.h"

scant_status scant_gaussian_new(scant_gaussian **gaussian, size_t count, size_t quantile_count, scant_error *error) {
  if (count >= UINT32_MAX) return scant_fail_memory(error); /* so that the triangle's size does not overflow */
  scant_gaussian *g = scant_array(1, sizeof *g);
  if (!g) return scant_fail_memory(error);
  g->count = count;
  g->quantile_count = quantile_count;
  g->attributes = scant_array(count, sizeof *g->attributes);
  g->mean = scant_array(count + 1, sizeof *g->mean);
  g->covariance = scant_array((count + 1) * (count + 2) / 2, sizeof *g->covariance);
  g->quantiles = scant_array(quantile_count, sizeof *g->quantiles);
  if (!g->attributes || !g->mean || !g->covariance || !g->quantiles) {
    scant_gaussian_free(g);
    return scant_fail_memory(error);
  }
  *gaussian = g;
  return SCANT_OK;
}

void scant_gaussian_free(scant_gaussian *gaussian) {
  if (!gaussian) return;
  free(gaussian->attributes);
  free(gaussian->mean);
  free(gaussian->covariance);
  free(gaussian->quantiles);
  free(gaussian);
}

enum { TARGETS_FEWEST = 20, OF_EACH_FEWEST = 5 };

void scant_gaussian_note_values(scant_gaussian *gaussian, const double *y, size_t count, int declared) {
  double a = y[0], b = a;
  size_t of_a = 0;
  for (size_t e = 0; e < count; e++) {
    if (y[e] == a) of_a++;
    if (y[e] == a || y[e] == b) continue;
    if (a != b) return;
    b = y[e];
  }
  if (a == b) return;
  int shown = count >= TARGETS_FEWEST && of_a >= OF_EACH_FEWEST && count - of_a >= OF_EACH_FEWEST;
  if (!declared && !shown) return;
  gaussian->two_valued = 1;
  gaussian->values[0] = a < b ? a : b;
  gaussian->values[1] = a < b ? b : a;
}

/* ---- checking ------------------------------------------------------------ */

/* Rounding makes perfect correlations a little more than perfect. */
#define SLACK 1e-9

static scant_status check_numbers(const scant_gaussian *g, size_t dimension, scant_error *error) {
  for (size_t i = 0; i < g->count; i++)
    if (g->attributes[i] >= dimension || (i && g->attributes[i] <= g->attributes[i - 1]))
      return scant_fail(error, SCANT_DATA, "item %zu of 'attributes' is out of order", i + 1);
  for (size_t i = 0; i <= g->count; i++)
    if (!isfinite(g->mean[i])) return scant_fail(error, SCANT_DATA, "item %zu of 'mean' is not finite", i + 1);
  if (!isfinite(g->excess) || g->excess < 0) return scant_fail(error, SCANT_DATA, "'excess' is not 0 or more");
  if (!isfinite(g->quantile_variance) || g->quantile_variance < 0)
    return scant_fail(error, SCANT_DATA, "'quantile_variance' is not 0 or more");
  if (g->two_valued && !(isfinite(g->values[0]) && isfinite(g->values[1]) && g->values[0] < g->values[1]))
    return scant_fail(error, SCANT_DATA, "'target_values' are not ascending");
  for (size_t i = 0; i < g->quantile_count; i++)
    if (!isfinite(g->quantiles[i]) || (i && g->quantiles[i] < g->quantiles[i - 1]))
      return scant_fail(error, SCANT_DATA, "item %zu of 'quantiles' is out of order", i + 1);
  return SCANT_OK;
}

/* Checks every two variables by themselves. */
static scant_status check_pairs(const scant_gaussian *g, scant_error *error) {
  const double *c = g->covariance;
  for (size_t i = 0; i <= g->count; i++) {
    double variance = scant_gaussian_covariance(g, i, i);
    if (!isfinite(variance) || variance <= 0)
      return scant_fail(error, SCANT_DATA, "variance %zu of 'covariance' is not above 0", i + 1);
    for (size_t j = 0; j <= i; j++, c++)
      if (!(fabs(*c) <= (1 + SLACK) * sqrt(variance) * sqrt(scant_gaussian_covariance(g, j, j))))
        return scant_fail(error, SCANT_DATA, "covariance %zu, %zu of 'covariance' is more than the variances allow",
                          i + 1, j + 1);
  }
  return SCANT_OK;
}

/* A variable without a variance of its own gets no column: that leaves the others more variance, never less. */
double scant_gaussian_factorise(const scant_gaussian *g, size_t count, double *factor) {
  double least = 1;
  for (size_t i = 0; i < count; i++) {
    double *row = factor + i * (i + 1) / 2, sd = sqrt(scant_gaussian_covariance(g, i, i));
    for (size_t j = 0; j < i; j++) {
      const double *other = factor + j * (j + 1) / 2;
      double c = scant_gaussian_covariance(g, i, j) / sd / sqrt(scant_gaussian_covariance(g, j, j));
      row[j] = other[j] > 0 ? (c - scant_dot(row, other, j)) / other[j] : 0;
    }
    double left = 1 - scant_dot(row, row, i);
    if (left < least || isnan(left)) least = left;
    row[i] = left > SCANT_GAUSSIAN_DEPENDENT ? sqrt(left) : 0;
  }
  return least;
}

static scant_status check_definite(const scant_gaussian *g, scant_error *error) {
  size_t n = g->count + 1;
  double *factor = scant_array(n * (n + 1) / 2, sizeof *factor);
  if (!factor) return scant_fail_memory(error);
  double least = scant_gaussian_factorise(g, n, factor);
  free(factor);
  return least > -1e-7 ? SCANT_OK : scant_fail(error, SCANT_DATA, "'covariance' is not positive definite");
}

scant_status scant_gaussian_check(const scant_gaussian *gaussian, size_t dimension, scant_error *error) {
  SCANT_TRY(check_numbers(gaussian, dimension, error));
  SCANT_TRY(check_pairs(gaussian, error));
  return check_definite(gaussian, error);
}

/* ---- the model file -------------------------------------------------------- */

void scant_gaussian_save(const scant_gaussian *gaussian, scant_json_writer *out) {
  const scant_gaussian *g = gaussian;
  scant_json_open(out, "gaussian", '{');
  scant_json_open(out, "attributes", '[');
  for (size_t i = 0; i < g->count; i++) scant_json_count(out, NULL, g->attributes[i]);
  scant_json_close(out);
  scant_json_reals(out, "mean", g->mean, g->count + 1, 1);
  scant_json_reals(out, "covariance", g->covariance, (g->count + 1) * (g->count + 2) / 2, 1);
  scant_json_real(out, "excess", g->excess);
  if (g->two_valued) scant_json_reals(out, "target_values", g->values, 2, 1);
  scant_json_reals(out, "quantiles", g->quantiles, g->quantile_count, 1);
  scant_json_real(out, "quantile_variance", g->quantile_variance);
  scant_json_close(out);
}

static scant_status array_length(const scant_json *json, size_t object, const char *key, size_t *length,
                                 scant_error *error) {
  size_t node;
  SCANT_TRY(scant_json_get_array(json, object, key, SCANT_JSON_NONE, &node, error));
  *length = json->nodes[node].count;
  return SCANT_OK;
}

static scant_status load_attributes(scant_gaussian *g, const scant_json *json, size_t object, scant_error *error) {
  uint64_t *numbers = scant_array(g->count, sizeof *numbers);
  if (!numbers) return scant_fail_memory(error);
  scant_status status = scant_json_get_counts(json, object, "attributes", numbers, g->count, error);
  for (size_t i = 0; status == SCANT_OK && i < g->count; i++)
    g->attributes[i] = numbers[i] < UINT32_MAX ? (uint32_t)numbers[i] : UINT32_MAX;
  free(numbers);
  return status;
}

static scant_status load_fields(scant_gaussian *g, const scant_json *json, size_t object, scant_error *error) {
  size_t n = g->count + 1;
  SCANT_TRY(load_attributes(g, json, object, error));
  SCANT_TRY(scant_json_get_reals(json, object, "mean", g->mean, n, 1, error));
  SCANT_TRY(scant_json_get_reals(json, object, "covariance", g->covariance, n * (n + 1) / 2, 1, error));
  SCANT_TRY(scant_json_get_real(json, object, "excess", &g->excess, error));
  SCANT_TRY(scant_json_get_real(json, object, "quantile_variance", &g->quantile_variance, error));
  SCANT_TRY(scant_json_get_reals(json, object, "quantiles", g->quantiles, g->quantile_count, 1, error));
  g->two_valued = scant_json_member(json, object, "target_values") != SCANT_JSON_NONE;
  return g->two_valued ? scant_json_get_reals(json, object, "target_values", g->values, 2, 1, error) : SCANT_OK;
}

scant_status scant_gaussian_load(scant_gaussian **gaussian, const scant_json *json, size_t dimension,
                                 scant_error *error) {
  size_t object, count = 0, quantile_count = 0;
  *gaussian = NULL;
  if (scant_json_member(json, 0, "gaussian") == SCANT_JSON_NONE) return SCANT_OK;
  SCANT_TRY(scant_json_get_object(json, 0, "gaussian", &object, error));
  scant_gaussian *g = NULL;
  scant_error inner = {""};
  scant_status status = array_length(json, object, "attributes", &count, &inner);
  if (status == SCANT_OK && count > dimension)
    status = scant_fail(&inner, SCANT_DATA, "it has %zu attributes of %zu", count, dimension);
  if (status == SCANT_OK) status = array_length(json, object, "quantiles", &quantile_count, &inner);
  if (status == SCANT_OK) status = scant_gaussian_new(&g, count, quantile_count, &inner);
  if (status == SCANT_OK) status = load_fields(g, json, object, &inner);
  if (status == SCANT_OK) status = scant_gaussian_check(g, dimension, &inner);
  if (status != SCANT_OK) {
    scant_gaussian_free(g);
    return scant_fail(error, status, "its gaussian: %s", inner.text);
  }
  *gaussian = g;
  return SCANT_OK;
}
