/* Two digits of MNIST in memory, and squared errors of many linear models in one pass over the images. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "scant_base.h"

/* Appends the images of one file. */
static scant_status append(image_set *m, const char *folder, const char *part, const char *pair, scant_error *error) {
  char data[1024], labels[1024];
  snprintf(data, sizeof data, "%s/%s-images-idx3-ubyte", folder, part);
  snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte", folder, part);
  scant_settings settings;
  scant_source *source;
  scant_settings_init(&settings);
  settings.reading.labels = labels;
  settings.reading.classes = pair;
  scant_status status = scant_source_open(&source, data, &settings, SCANT_TARGET_REQUIRED, error);
  if (status != SCANT_OK) return status;
  size_t rows = scant_source_rows(source), d = scant_source_dimension(source);
  if (m->n && d != m->d) status = scant_fail(error, SCANT_DATA, "the two files of images have different sizes");
  double *x = status ? NULL : realloc(m->x, (m->n + rows) * d * sizeof *x);
  if (x) m->x = x;
  double *y = x ? realloc(m->y, (m->n + rows) * sizeof *y) : NULL;
  if (y) m->y = y;
  if (status == SCANT_OK && !y) status = scant_fail_memory(error);
  m->d = d;
  for (size_t i = 0; status == SCANT_OK && i < rows; i++) {
    double *row = m->x + (m->n + i) * d;
    status = scant_source_row(source, i, row, error);
    for (size_t j = 0; j < d; j++) row[j] /= 255;
    m->y[m->n + i] = scant_source_target(source, i);
  }
  m->n += rows;
  scant_source_free(source);
  return status;
}

static void find_norms(image_set *m) {
  for (size_t i = 0; i < m->n; i++) {
    double norm = 0;
    for (size_t j = 0; j < m->d; j++) norm += m->x[i * m->d + j] * m->x[i * m->d + j];
    m->norm[i] = norm > 0 ? sqrt(norm) : 1;
  }
}

/* Keeps the pixels as bytes, if all values are bytes / 255. */
static void find_bytes(image_set *m) {
  int good = 1;
  for (size_t i = 0; good && i < m->n * m->d; i++) {
    double value = nearbyint(255 * m->x[i]);
    good = value >= 0 && value <= 255 && value / 255 == m->x[i];
    if (good) m->pixel[i] = (unsigned char)value;
  }
  if (good) return;
  free(m->pixel);
  m->pixel = NULL;
}

/* 0: out of memory. */
static int find_ink(image_set *m) {
  size_t count = 0;
  for (size_t i = 0; i < m->n * m->d; i++) count += m->x[i] != 0;
  m->ink_start = malloc((m->n + 1) * sizeof *m->ink_start);
  m->ink = malloc((count + 1) * sizeof *m->ink);
  m->ink_x = malloc((count + 1) * sizeof *m->ink_x);
  m->ink_unit = malloc((count + 1) * sizeof *m->ink_unit);
  if (!m->ink_start || !m->ink || !m->ink_x || !m->ink_unit) return 0;
  count = 0;
  for (size_t i = 0; i < m->n; i++) {
    m->ink_start[i] = count;
    for (size_t j = 0; j < m->d; j++) {
      double x = m->x[i * m->d + j];
      if (x == 0) continue;
      m->ink[count] = (uint32_t)j;
      m->ink_x[count] = x;
      m->ink_unit[count++] = x / m->norm[i];
    }
  }
  m->ink_start[m->n] = count;
  return 1;
}

scant_status images_load(image_set *images, const char *folder, const char *pair, scant_error *error) {
  *images = (image_set){0};
  scant_status status = append(images, folder, "train", pair, error);
  if (status == SCANT_OK) status = append(images, folder, "t10k", pair, error);
  if (status == SCANT_OK) {
    images->norm = malloc(images->n * sizeof *images->norm);
    images->pixel = malloc(images->n * images->d);
    if (images->norm) find_norms(images);
    if (images->pixel) find_bytes(images);
    if (!images->norm || !find_ink(images)) status = scant_fail_memory(error);
  }
  if (status != SCANT_OK) images_free(images);
  return status;
}

void images_free(image_set *images) {
  free(images->x);
  free(images->y);
  free(images->norm);
  free(images->pixel);
  free(images->ink_start);
  free(images->ink);
  free(images->ink_x);
  free(images->ink_unit);
  *images = (image_set){0};
}

/* ---- lineups ------------------------------------------------------------------- */

/* So many models go through an image together; their sums stay in registers. */
enum { LANES = 12 };

int lineup_new(lineup *l, size_t d, size_t count) {
  size_t groups = (count + LANES - 1) / LANES;
  *l = (lineup){.d = d, .count = count};
  l->weights = calloc(groups * (d + 1) * LANES, sizeof *l->weights);
  return l->weights != NULL;
}

void lineup_free(lineup *l) {
  free(l->weights);
  *l = (lineup){0};
}

/* A group has d rows of weights and one of intercepts, with one lane per model. */
static double *group_at(const lineup *l, size_t group) {
  return l->weights + group * (l->d + 1) * LANES;
}

void lineup_set(lineup *l, size_t index, const double *w, double intercept) {
  double *to = group_at(l, index / LANES) + index % LANES;
  for (size_t j = 0; j < l->d; j++) to[j * LANES] = w[j];
  to[l->d * LANES] = intercept;
}

/* Four fifths of the pixels are 0 and add nothing, so they are left out.  It is not inlined, since gcc would then not
 * vectorise the lanes. */
static __attribute__((noinline)) void add_image(const double *weights, const uint32_t *ink, const double *value,
                                                size_t count, double *restrict sums) {
  double s[LANES];
  memcpy(s, sums, sizeof s);
  for (size_t r = 0; r < count; r++) {
    const double *w = weights + (size_t)ink[r] * LANES;
    for (size_t k = 0; k < LANES; k++) s[k] += w[k] * value[r];
  }
  memcpy(sums, s, sizeof s);
}

static void group_score(const lineup *l, const double *weights, const view *v, double *sums) {
  for (size_t i = 0; i < v->n; i++) {
    size_t row = v->rows[i], first = v->ink_start[row];
    double s[LANES], y = v->y[row];
    memcpy(s, weights + l->d * LANES, sizeof s);
    add_image(weights, v->ink + first, v->ink_value + first, v->ink_start[row + 1] - first, s);
    for (size_t k = 0; k < LANES; k++) sums[k] += (s[k] - y) * (s[k] - y);
  }
}

void lineup_score(const lineup *l, const view *v, double *errors) {
  for (size_t first = 0; first < l->count; first += LANES) {
    double sums[LANES] = {0};
    group_score(l, group_at(l, first / LANES), v, sums);
    for (size_t k = 0; k < LANES && first + k < l->count; k++) errors[first + k] = sums[k] / (double)v->n;
  }
}
