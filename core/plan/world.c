#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "base/rng.h"
#include "base/lanes.h"

static size_t row_start(size_t i) {
  return i * (i + 1) / 2;
}

void scant_world_free(scant_world *world) {
  if (!world) return;
  free(world->mean);
  free(world->factor);
  free(world->along);
  free(world);
}

/* ---- making one ----------------------------------------------------------------- */

/* The factor of the correlations of the known attributes, and L^-1 times their correlations with the target. */
static void factorise(const scant_gaussian *g, const double *cross, double *factor, double *along) {
  (void)scant_gaussian_factorise(g, g->count, factor);
  for (size_t i = 0; i < g->count; i++) {
    const double *row = factor + row_start(i);
    double sd = sqrt(scant_gaussian_covariance(g, i, i));
    along[i] = row[i] > 0 ? (cross[i] / sd - scant_dot(row, along, i)) / row[i] : 0;
  }
}

/* Puts the rows of the known attributes into their places among all d, in original units. */
static void spread(const scant_gaussian *g, const double *factor, const double *along, scant_world *w) {
  size_t known = 0;
  for (size_t i = 0; i < w->dimension; i++) {
    double *row = w->factor + row_start(i);
    if (known == g->count || g->attributes[known] != i) {
      row[i] = 1;
      continue;
    }
    double sd = sqrt(scant_gaussian_covariance(g, known, known));
    for (size_t j = 0; j <= known; j++) row[g->attributes[j]] = sd * factor[row_start(known) + j];
    w->mean[i] = g->mean[known];
    w->along[i] = along[known++];
  }
}

double scant_world_strength(const scant_gaussian *gaussian, const double *cross) {
  size_t n = gaussian->count;
  double *factor = scant_array(row_start(n), sizeof *factor), *along = scant_array(n, sizeof *along), share = NAN;
  if (factor && along) {
    factorise(gaussian, cross ? cross : gaussian->covariance + row_start(n), factor, along);
    share = scant_dot(along, along, n) / scant_gaussian_covariance(gaussian, n, n);
  }
  free(factor);
  free(along);
  return share;
}

static scant_status fill(scant_world *w, const scant_gaussian *g, const double *cross, double strength, int *explains,
                         scant_error *error) {
  size_t n = g->count;
  double *factor = scant_array(row_start(n), sizeof *factor), *along = scant_array(n, sizeof *along);
  scant_status status = factor && along ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) {
    factorise(g, cross, factor, along);
    double found = scant_dot(along, along, n);
    *explains = found > 0 && isfinite(found);
    double by = *explains ? sqrt(strength * w->variance / found) : 0;
    for (size_t i = 0; i < n; i++) along[i] *= by;
    w->left = sqrt(w->variance * (*explains ? 1 - strength : 1));
    spread(g, factor, along, w);
  }
  free(factor);
  free(along);
  return status;
}

scant_status scant_world_new(scant_world **world, size_t dimension, const scant_gaussian *gaussian, const double *cross,
                             double strength, double target_mean, double variance, int *explains, scant_error *error) {
  scant_world *w = scant_array(1, sizeof *w);
  if (!w) return scant_fail_memory(error);
  *w = (scant_world){.dimension = dimension,
                     .mean = scant_array(dimension, sizeof *w->mean),
                     .factor = scant_array(row_start(dimension), sizeof *w->factor),
                     .along = scant_array(dimension, sizeof *w->along),
                     .target_mean = target_mean,
                     .variance = variance};
  scant_status status =
      w->mean && w->factor && w->along ? fill(w, gaussian, cross, strength, explains, error) : scant_fail_memory(error);
  if (status != SCANT_OK) {
    scant_world_free(w);
    return status;
  }
  *world = w;
  return SCANT_OK;
}

/* ---- errors ----------------------------------------------------------------------- */

double scant_world_error(const scant_world *world, const double *w, double intercept, double *scratch) {
  size_t d = world->dimension;
  memcpy(scratch, world->along, d * sizeof *scratch);
  for (size_t i = 0; i < d; i++) {
    const double *row = world->factor + row_start(i);
    if (w[i] != 0)
      for (size_t j = 0; j <= i; j++) scratch[j] -= w[i] * row[j];
  }
  double bias = world->target_mean - intercept - scant_dot(w, world->mean, d);
  return bias * bias + scant_dot(scratch, scratch, d) + world->left * world->left;
}

/* ---- examples ----------------------------------------------------------------------- */

typedef struct {
  const scant_world *world;
  uint64_t seed;
  size_t row; /* whose normals are in z; SIZE_MAX: none */
  double z[]; /* d, and one for the rest of the target; even in number */
} drawing;

/* Normals by Box and Muller; each row has a stream, so that rows can be drawn in any order. */
static void draw_row(drawing *d, size_t row) {
  scant_rng rng;
  if (d->row == row) return;
  scant_rng_seed(&rng, d->seed, row);
  for (size_t i = 0; i <= d->world->dimension; i += 2) {
    double radius = sqrt(-2 * log(1 - scant_rng_unit(&rng))), angle = 6.283185307179586 * scant_rng_unit(&rng);
    d->z[i] = radius * cos(angle);
    d->z[i + 1] = radius * sin(angle);
  }
  d->row = row;
}

static scant_status fetch(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                          scant_error *error) {
  drawing *d = user;
  const scant_world *w = d->world;
  (void)error;
  draw_row(d, row);
  for (size_t i = 0; i < count; i++) {
    size_t a = attributes[i];
    values[i] = w->mean[a] + scant_dot(w->factor + row_start(a), d->z, a + 1);
  }
  return SCANT_OK;
}

scant_status scant_world_draw(scant_source **source, void **scratch, const scant_world *world, size_t rows,
                              uint64_t seed, const scant_prices *prices, scant_error *error) {
  size_t n = world->dimension;
  drawing *d = scant_array(1, sizeof *d + (n + 2) * sizeof(double));
  double *targets = scant_array(rows, sizeof *targets);
  scant_status status = d && targets ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) {
    d->world = world;
    d->seed = seed;
    d->row = SIZE_MAX;
    for (size_t row = 0; row < rows; row++) {
      draw_row(d, row);
      targets[row] = world->target_mean + scant_dot(world->along, d->z, n) + world->left * d->z[n];
    }
    status = scant_source_custom(source, rows, n, fetch, d, targets, error);
  }
  free(targets);
  if (status == SCANT_OK && prices && (status = scant_source_set_prices(*source, prices, error)) != SCANT_OK) {
    scant_source_free(*source);
    *source = NULL; /* the caller frees what it finds */
  }
  if (status != SCANT_OK)
    free(d);
  else
    *scratch = d;
  return status;
}

void scant_world_end(void *scratch) {
  free(scratch);
}
